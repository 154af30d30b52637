// SPDX-License-Identifier: Apache-2.0
// R x C output-stationary cells: the sum rests, an element of A comes from the left and one of B from above, and both
// go on a cycle later. Step k brings column k of A (an element a row) and row k of B (an element a column), skewed at
// the edges: cell (r, c) works on the step of cycle t in cycle t + r + c, so the last sum stands R + C - 2 cycles after
// the last step. `begins` starts new sums. With `shift`, for R cycles, the sums move up and leave at the top, row 0
// first. Reset is held for R + C cycles.
module os_array #(
    parameter int R = 4,
    parameter int C = 4,
    parameter int M = 7,
    parameter bit FLOAT = 1,
    parameter bit INT8 = 1,
    parameter int D = 16
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                live,
    input  logic                begins,
    input  logic                integer_op,
    input  logic [R-1:0][D-1:0] a_data,
    input  logic [C-1:0][D-1:0] b_data,
    input  logic                shift,
    output logic [C-1:0][31:0]  s_data
);
  typedef struct packed {
    logic alive, begins, whole;
    logic [D-1:0] element;
  } element_t;
  element_t [R-1:0] a_edge, a_skewed;
  logic [C-1:0][D-1:0] b_skewed;
  always_comb for (int r = 0; r < R; r++) a_edge[r] = {live, begins, integer_op, a_data[r]};
  skew #(.N(R), .W($bits(element_t))) a_skew (.clk, .rst, .d(a_edge), .q(a_skewed));
  skew #(.N(C), .W(D)) b_skew (.clk, .rst, .d(b_data), .q(b_skewed));

  element_t a[R][C], next_a[R][C];
  logic [D-1:0] b[R][C], next_b[R][C];
  logic [31:0] s[R][C], next_s[R][C];

  function automatic logic [31:0] mac(input logic whole, input logic [D-1:0] x, input logic [D-1:0] w,
                                      input logic [31:0] sum);
    if (INT8 && (whole || !FLOAT)) return sum + 32'($signed(x[7:0])) * 32'($signed(w[7:0]));
    return fp::fma(32'(x) << (32 - D), 32'(w) << (32 - D), sum);  // narrow floats with zeros below
  endfunction

  always_comb begin
    for (int r = 0; r < R; r++) begin
      for (int c = 0; c < C; c++) begin
        element_t x;
        logic [D-1:0] y;
        x = c == 0 ? a_skewed[r] : a[r][c-1];
        y = r == 0 ? b_skewed[c] : b[r-1][c];
        next_a[r][c] = x;
        next_b[r][c] = y;
        next_s[r][c] = s[r][c];
        if (x.alive) next_s[r][c] = mac(x.whole, x.element, y, x.begins ? '0 : s[r][c]);
        else if (shift) next_s[r][c] = r == R - 1 ? '0 : s[r+1][c];
      end
    end
  end
  always_ff @(posedge clk) begin
    a <= next_a;
    b <= next_b;
    s <= next_s;
  end
  always_comb for (int c = 0; c < C; c++) s_data[c] = s[0][c];
endmodule
