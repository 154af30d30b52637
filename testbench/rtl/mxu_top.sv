// SPDX-License-Identifier: Apache-2.0
// A matrix unit: queue, control, array and the adders in front of the accumulators. Combinational from the inputs of a
// cycle to its outputs, registers in between.
//
// Contract, in every cycle:
//   q_push           puts an instruction into the queue (never into a full one); it may start in this very cycle
//   head_could       the array would start the head of the queue now; head_start: it does, because head_go allows it
//   w_fetch, a_fetch ask memory for the next row of the stationary and the streamed operand; where granted, the row is
//                    fed (w_feed, a_feed and the data) the same number of cycles later for every row, 0 or more
//   s_live           a row of results leaves; with s_accumulate acc_data must hold, in this cycle, what the accumulators
//                    have in its place. s_last: the last row of its matmul.
//   load_done        the last row of a load is in; matmul_done: the last result of a matmul leaves
// Rows of weights are C elements of w_data (transposed: R elements, a column). Output-stationary arrays ask for both
// operands together, step by step: w_data is row k of B, a_data column k of the fold's rows of A.
module mxu_top #(
    parameter int R = 4,
    parameter int C = 4,
    parameter bit OUTPUT_STATIONARY = 0,
    parameter int M = 7,      // mantissa bits of float operands
    parameter bit FLOAT = 1,  // the cells have a float unit
    parameter bit INT8 = 1,   // ... an int8 unit
    parameter int QUEUE = 64
) (
    input  logic clk,
    input  logic rst,
    input  logic cfg_background,
    input  logic [7:0] cfg_issue,

    input  logic q_push,
    input  logic q_op,  // 0 load, 1 matmul
    input  logic q_transposed,
    input  logic q_accumulate,
    input  logic q_integer,
    input  logic [31:0] q_rows,
    input  logic [15:0] q_k,
    input  logic [15:0] q_beats,
    output logic q_full,
    output logic issue_free,
    output logic head_could,
    input  logic head_go,
    output logic head_start,

    output logic w_fetch,
    input  logic w_grant,
    input  logic w_feed,
    input  logic [(R>C?R:C)-1:0][31:0] w_data,
    output logic a_fetch,
    input  logic a_grant,
    input  logic a_feed,
    input  logic [R-1:0][31:0] a_data,

    output logic s_live,
    output logic s_last,
    output logic s_accumulate,
    input  logic [C-1:0][31:0] acc_data,
    output logic [C-1:0][31:0] s_data,
    output logic load_done,
    output logic matmul_done
);
  localparam int D = FLOAT && M + 9 > 8 ? M + 9 : 8;
  localparam int LONGER = R > C ? R : C;
  localparam int H = LONGER > 2 ? $clog2(LONGER) : 1;

  logic head_valid;
  logic head_op;
  logic head_transposed, head_accumulate, head_integer;
  logic [31:0] head_rows;
  logic [15:0] head_k, head_beats;
  fifo #(.W(68), .DEPTH(QUEUE)) queue (
      .clk, .rst, .push(q_push), .d({q_op, q_transposed, q_accumulate, q_integer, q_rows, q_k, q_beats}),
      .pop(head_start), .q({head_op, head_transposed, head_accumulate, head_integer, head_rows, head_k, head_beats}),
      .valid(head_valid), .full(q_full));

  logic [R-1:0][D-1:0] a_cells;
  logic [LONGER-1:0][D-1:0] w_cells;
  for (genvar r = 0; r < R; r++) begin : g_a
    assign a_cells[r] = a_data[r][D-1:0];
  end
  for (genvar i = 0; i < LONGER; i++) begin : g_w
    assign w_cells[i] = w_data[i][D-1:0];
  end

  logic [C-1:0][31:0] sums;
  logic s_integer;
  if (OUTPUT_STATIONARY) begin : g_os
    logic begins, integer_op, shift;
    os_control #(.R(R), .C(C)) control (
        .clk, .rst, .cfg_issue, .head_valid, .head_op, .head_accumulate, .head_integer, .head_rows,
        .head_k, .head_beats, .issue_free, .head_could, .head_go, .head_start, .load_done,
        .fetch(a_fetch), .grant(a_grant), .feed(a_feed), .begins, .integer_op, .shift, .s_live, .s_accumulate,
        .s_done(matmul_done));
    os_array #(.R(R), .C(C), .M(M), .FLOAT(FLOAT), .INT8(INT8), .D(D)) cells (
        .clk, .rst, .live(a_feed), .begins, .integer_op, .a_data(a_cells), .b_data(w_cells[C-1:0]), .shift,
        .s_data(sums));
    assign w_fetch = a_fetch;
    assign s_last = matmul_done;
    assign s_integer = integer_op;
  end else begin : g_ws
    logic w_transposed, w_set, w_last, a_set, a_integer, a_accumulate, a_last;
    logic [H-1:0] w_hops;
    logic [R-1:0] a_use;
    ws_control #(.R(R), .H(H)) control (
        .clk, .rst, .cfg_background, .cfg_issue, .head_valid, .head_op, .head_transposed, .head_accumulate,
        .head_integer, .head_rows, .head_k, .head_beats, .issue_free, .head_could, .head_go,
        .head_start, .w_fetch, .w_grant, .a_fetch, .a_grant, .w_feed, .w_transposed, .w_set, .w_hops, .w_last,
        .a_feed, .a_use, .a_set, .a_integer, .a_accumulate, .a_last, .s_live);
    ws_array #(.R(R), .C(C), .M(M), .FLOAT(FLOAT), .INT8(INT8), .D(D), .H(H)) cells (
        .clk, .rst, .a_live(a_feed), .a_use, .a_set, .a_integer, .a_data(a_cells),
        .down_live(w_feed && !w_transposed), .right_live(w_feed && w_transposed), .w_set, .w_hops,
        .down_data(w_cells[C-1:0]), .right_data(w_cells[R-1:0]), .s_live, .s_data(sums));
    // What the row is travels beside it.
    logic last_out;
    delay #(.W(3), .D(R + C - 2)) beside (
        .clk, .rst, .d({a_feed && a_last, a_accumulate, a_integer}), .q({last_out, s_accumulate, s_integer}));
    assign s_last = s_live && last_out;
    assign matmul_done = s_last;
    assign load_done = w_feed && w_last;
  end

  // In front of the accumulators: acc + s, rounded once. 1 * s + acc is that sum.
  for (genvar c = 0; c < C; c++) begin : g_exit
    logic [31:0] base;
    assign base = s_accumulate ? acc_data[c] : '0;
    assign s_data[c] = s_integer ? base + sums[c] : s_accumulate ? fp::fma(32'h3f80_0000, sums[c], acc_data[c]) : sums[c];
  end
endmodule
