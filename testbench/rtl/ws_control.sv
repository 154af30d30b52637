// SPDX-License-Identifier: Apache-2.0
// What a weight-stationary array does next: starts the instruction at the head of the queue when the array allows it,
// asks memory for its rows, and tells the array what each row is when it comes.
//
// A load goes into the spare set, which no matmul still streams through; without cfg_background there is one set, and
// a load waits until the array is empty. A matmul streams when the load before it, and the matmul before it, have asked
// for their last row. Memory answers in order, each request after the same number of cycles, so what holds for requests
// holds for rows. An instruction of no rows waits for its turn like any of its kind, and does nothing.
module ws_control #(
    parameter int R = 4,
    parameter int H = 4,
    parameter int PENDING = 64  // rows asked for that have not come
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         cfg_background,
    input  logic [7:0]   cfg_issue,  // cycles from one start to the next, at least
    // the head of the queue
    input  logic         head_valid,
    input  logic         head_op,    // 0 load, 1 matmul
    input  logic         head_transposed,
    input  logic         head_accumulate,
    input  logic         head_integer,
    input  logic [31:0]  head_rows,  // that come from memory
    input  logic [15:0]  head_k,
    input  logic [15:0]  head_beats,  // cycles a row takes to come
    output logic         issue_free,
    output logic         head_could,
    input  logic         head_go,
    output logic         head_start,
    // requests, a row each; granted in the same cycle or asked again
    output logic         w_fetch,
    input  logic         w_grant,
    output logic         a_fetch,
    input  logic         a_grant,
    // rows, in the order of the requests
    input  logic         w_feed,
    output logic         w_transposed,
    output logic         w_set,
    output logic [H-1:0] w_hops,
    output logic         w_last,
    input  logic         a_feed,
    output logic [R-1:0] a_use,
    output logic         a_set,
    output logic         a_integer,
    output logic         a_accumulate,
    output logic         a_last,
    // a row leaves the array
    input  logic         s_live
);
  localparam logic OP_LOAD = 1'b0, OP_MATMUL = 1'b1;

  logic [7:0] issue_left;
  logic set;  // that matmuls use
  // The load and the stream under way; rows left to ask for, 0 when there is none.
  logic [31:0] w_left, a_left, w_rows, a_rows;
  logic [15:0] w_beat, a_beat, w_beats, a_beats, a_k;
  logic [15:0] w_row;
  logic w_turned, stream_set, stream_accumulate, stream_integer;
  logic [31:0] in_flight;  // rows asked for that have not left

  logic load, matmul, spare_free;
  assign issue_free = issue_left == '0;
  assign spare_free = cfg_background ? !(a_left != '0 && stream_set != set) : a_left == '0 && in_flight == '0;
  always_comb begin
    head_could = head_valid && issue_free;
    if (head_op == OP_LOAD) head_could &= w_left == '0 && spare_free;
    if (head_op == OP_MATMUL) head_could &= w_left == '0 && a_left == '0;
  end
  assign head_start = head_could && head_go;
  assign load = head_start && head_op == OP_LOAD && head_rows != '0;
  assign matmul = head_start && head_op == OP_MATMUL && head_rows != '0;

  // Requests begin in the cycle of the start.
  logic now_set, now_turned, now_stream_set, now_accumulate, now_integer;
  logic [15:0] now_w_beats, now_a_beats, now_k, now_w_row;
  assign now_set = load && cfg_background ? !set : set;
  assign w_rows = load ? head_rows : w_left;
  assign now_w_beats = load ? head_beats : w_beats;
  assign now_w_row = load ? '0 : w_row;
  assign now_turned = load ? head_transposed : w_turned;
  assign a_rows = matmul ? head_rows : a_left;
  assign now_a_beats = matmul ? head_beats : a_beats;
  assign now_k = matmul ? head_k : a_k;
  assign now_stream_set = matmul ? set : stream_set;
  assign now_accumulate = matmul ? head_accumulate : stream_accumulate;
  assign now_integer = matmul ? head_integer : stream_integer;
  assign w_fetch = w_rows != '0 && (load ? 16'd0 : w_beat) + 1'b1 >= now_w_beats;
  assign a_fetch = a_rows != '0 && (matmul ? 16'd0 : a_beat) + 1'b1 >= now_a_beats;

  logic w_asked, a_asked;
  assign w_asked = w_fetch && w_grant;
  assign a_asked = a_fetch && a_grant;
  always_ff @(posedge clk) begin
    if (rst) begin
      issue_left <= '0;
      set <= '0;
      w_left <= '0;
      a_left <= '0;
      in_flight <= '0;
      {w_beat, a_beat, w_beats, a_beats, a_k, w_row} <= '0;
      {w_turned, stream_set, stream_accumulate, stream_integer} <= '0;
    end else begin
      issue_left <= head_start ? cfg_issue - 8'd1 : issue_left - 8'(issue_left != '0);
      set <= now_set;
      w_left <= w_rows - 32'(w_asked);
      w_beats <= now_w_beats;
      w_beat <= w_asked || w_rows == '0 ? '0 : load ? 16'd1 : w_beat + 16'(!w_fetch);
      w_row <= now_w_row + 16'(w_asked);
      w_turned <= now_turned;
      a_left <= a_rows - 32'(a_asked);
      a_beats <= now_a_beats;
      a_beat <= a_asked || a_rows == '0 ? '0 : matmul ? 16'd1 : a_beat + 16'(!a_fetch);
      a_k <= now_k;
      stream_set <= now_stream_set;
      stream_accumulate <= now_accumulate;
      stream_integer <= now_integer;
      in_flight <= in_flight + 32'(a_asked) - 32'(s_live);
    end
  end

  // What each row is, kept until it comes.
  logic [15:0] fed_k, fed_row;
  fifo #(.W(18 + 1), .DEPTH(PENDING)) w_pending (
      .clk, .rst, .push(w_asked), .d({now_set, now_turned, w_rows == 32'd1, now_w_row}), .pop(w_feed),
      .q({w_set, w_transposed, w_last, fed_row}), .valid(), .full());
  fifo #(.W(20), .DEPTH(PENDING)) a_pending (
      .clk, .rst, .push(a_asked), .d({now_stream_set, now_accumulate, now_integer, a_rows == 32'd1, now_k}),
      .pop(a_feed), .q({a_set, a_accumulate, a_integer, a_last, fed_k}), .valid(), .full());
  assign w_hops = H'(fed_row);
  for (genvar r = 0; r < R; r++) begin : g_use
    assign a_use[r] = 16'(r) < fed_k;
  end
endmodule
