// SPDX-License-Identifier: Apache-2.0
// What an output-stationary array does next. A load only names the tile of B; a matmul [m, k] x [k, n] has the array to
// itself: for each fold of R rows of A, K steps, R + C - 2 cycles until the last cell has its sum, R to shift out.
//
// Requests and the array's own steps are counted apart: memory answers each request the same number of cycles later, so
// the next fold's first step may be asked for before the last fold has left.
module os_control #(
    parameter int R = 4,
    parameter int C = 4
) (
    input  logic        clk,
    input  logic        rst,
    input  logic [7:0]  cfg_issue,
    input  logic        head_valid,
    input  logic        head_op,
    input  logic        head_accumulate,
    input  logic        head_integer,
    input  logic [31:0] head_rows,  // m
    input  logic [15:0] head_k,
    input  logic [15:0] head_beats,  // cycles a step takes to come
    output logic        issue_free,
    output logic        head_could,
    input  logic        head_go,
    output logic        head_start,
    output logic        load_done,
    output logic        fetch,  // of a column of A and a row of B
    input  logic        grant,
    input  logic        feed,
    output logic        begins,
    output logic        integer_op,
    output logic        shift,
    output logic        s_live,
    output logic        s_accumulate,
    output logic        s_done  // the matmul's last cycle
);
  localparam logic OP_LOAD = 1'b0, OP_MATMUL = 1'b1;
  localparam logic [31:0] GAP = 32'(2 * R + C - 2);  // from a fold's last step to the next one's first, between

  logic [7:0] issue_left;
  logic loading, busy, accumulate, integer_q;
  logic [31:0] m_left, fed_left;  // rows of the folds to ask for, to work on
  logic [15:0] k, beats, beat, k_left, fed_step;
  logic [31:0] gap_left, drain_left, shift_left;
  logic draining;

  assign issue_free = issue_left == '0;
  assign head_could = head_valid && issue_free && !(head_op == OP_MATMUL && busy);
  assign head_start = head_could && head_go;
  logic load, matmul;
  assign load = head_start && head_op == OP_LOAD && head_rows != '0;
  assign matmul = head_start && head_op == OP_MATMUL && head_rows != '0;
  assign load_done = (load && cfg_issue == 8'd1) || (loading && issue_left == 8'd1);

  // Requests.
  logic [31:0] now_m;
  logic [15:0] now_k, now_beats, now_k_left, now_beat;
  logic asked, fold_asked;
  assign now_m = matmul ? head_rows : m_left;
  assign now_k = matmul ? head_k : k;
  assign now_beats = matmul ? head_beats : beats;
  assign now_k_left = matmul ? head_k : k_left;
  assign now_beat = matmul ? '0 : beat;
  assign fetch = now_m != '0 && (matmul || gap_left == '0) && now_beat + 1'b1 >= now_beats;
  assign asked = fetch && grant;
  assign fold_asked = asked && now_k_left == 16'd1;

  // Steps, and what follows a fold's last.
  logic fold_fed, s_last;
  assign integer_op = matmul ? head_integer : integer_q;
  assign begins = fed_step == '0;
  assign fold_fed = feed && fed_step + 1'b1 == now_k;
  assign shift = draining && drain_left == '0;
  assign s_live = shift && 32'(R) - shift_left < fed_left;
  assign s_last = shift && shift_left == 32'd1;
  assign s_done = s_last && fed_left <= 32'(R);
  assign s_accumulate = accumulate;
  always_ff @(posedge clk) begin
    if (rst) begin
      {issue_left, loading, busy, accumulate, integer_q, draining} <= '0;
      {m_left, fed_left, gap_left, drain_left, shift_left} <= '0;
      {k, beats, beat, k_left, fed_step} <= '0;
    end else begin
      issue_left <= head_start ? cfg_issue - 8'd1 : issue_left - 8'(issue_left != '0);
      loading <= load || (loading && issue_left > 8'd1);
      busy <= matmul || (busy && !s_done);
      k <= now_k;
      beats <= now_beats;
      if (matmul) begin
        accumulate <= head_accumulate;
        integer_q <= head_integer;
      end
      beat <= asked ? '0 : now_m != '0 && (matmul || gap_left == '0) ? now_beat + 16'(!fetch) : '0;
      k_left <= fold_asked ? now_k : now_k_left - 16'(asked);
      m_left <= !fold_asked ? now_m : now_m > 32'(R) ? now_m - 32'(R) : '0;
      gap_left <= fold_asked ? GAP : gap_left - 32'(gap_left != '0);

      fed_step <= fold_fed ? '0 : fed_step + 16'(feed);
      if (fold_fed) begin
        draining <= 1'b1;
        drain_left <= 32'(R + C - 2);
        shift_left <= 32'(R);
      end else if (draining) begin
        if (drain_left != '0) drain_left <= drain_left - 1'b1;
        else shift_left <= shift_left - 1'b1;
        if (s_last) draining <= 1'b0;
      end
      if (matmul) fed_left <= head_rows;
      else if (s_last) fed_left <= fed_left > 32'(R) ? fed_left - 32'(R) : '0;
    end
  end
endmodule
