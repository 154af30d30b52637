// SPDX-License-Identifier: Apache-2.0
// R x C weight-stationary cells, each with two sets of one weight.
//
// A row's element comes into a cell from the left and goes on to the right, the partial sum comes from above and goes
// on below, each a cycle later. The element says which weight it wants and whether this row of the array takes part:
// below a ragged tile the sum passes unchanged, sign of zero included. Weights travel too, from above (rows of a tile)
// or from the left (columns of a tile given transposed), a cell a cycle, counting down `hops`, and rest where it is 0.
//
// Everything enters and leaves as whole rows: element r of a streamed row is delayed by r cycles and column c of a
// result by C - 1 - c, so that a row which enters in cycle t leaves, complete, in cycle t + R + C - 2.
//
// Why a load may begin as soon as the last row on a set of weights has entered (cycle L - 1), and a row on new weights
// as soon as the last of the k stationary rows has (cycle L + k): cell (r, c) works on the row of cycle t in cycle
// t + r + c, and its weight, row r of the tile, arrives at the end of cycle L + r (when it enters) + c (its column's
// delay) + r (cells to travel) = L + 2r + c. That is after the last use of the old one, L - 1 + r + c, and before
// the first of the new one, L + k + r + c, for r < k. Columns of a transposed tile mirror it.
//
// Reset is held for R + C cycles: what is under way leaves, nothing enters.
module ws_array #(
    parameter int R = 4,
    parameter int C = 4,
    parameter int M = 7,
    parameter bit FLOAT = 1,
    parameter bit INT8 = 1,
    parameter int D = 16,  // bits of an element
    parameter int H = 4    // bits of hops
) (
    input  logic                clk,
    input  logic                rst,
    // a streamed row
    input  logic                a_live,
    input  logic [R-1:0]        a_use,
    input  logic                a_set,
    input  logic                a_integer,
    input  logic [R-1:0][D-1:0] a_data,
    // a row of a stationary tile into the columns, or a column of it into the rows
    input  logic                down_live,
    input  logic                right_live,
    input  logic                w_set,
    input  logic [H-1:0]        w_hops,
    input  logic [C-1:0][D-1:0] down_data,
    input  logic [R-1:0][D-1:0] right_data,
    // a row of results
    output logic                s_live,
    output logic [C-1:0][31:0]  s_data
);
  typedef struct packed {
    logic alive, takes_part, second, whole;  // second set of weights; whole numbers
    logic [D-1:0] element;
  } element_t;
  typedef struct packed {
    logic alive, second;
    logic [H-1:0] hops;
    logic [D-1:0] weight;
  } weight_t;

  element_t [R-1:0] a_edge, a_skewed;
  weight_t [R-1:0] right_edge, right_skewed;
  weight_t [C-1:0] down_edge, down_skewed;
  always_comb begin
    for (int r = 0; r < R; r++) begin
      a_edge[r] = {a_live, a_live && a_use[r], a_set, a_integer, a_data[r]};
      right_edge[r] = {right_live, w_set, w_hops, right_data[r]};
    end
    for (int c = 0; c < C; c++) down_edge[c] = {down_live, w_set, w_hops, down_data[c]};
  end
  skew #(.N(R), .W($bits(element_t))) a_skew (.clk, .rst, .d(a_edge), .q(a_skewed));
  skew #(.N(R), .W($bits(weight_t))) right_skew (.clk, .rst, .d(right_edge), .q(right_skewed));
  skew #(.N(C), .W($bits(weight_t))) down_skew (.clk, .rst, .d(down_edge), .q(down_skewed));

  // Registers of cell (r, c): the element, weights on their way, the sum, the two weights at rest.
  element_t a[R][C], next_a[R][C];
  weight_t down[R][C], right[R][C], next_down[R][C], next_right[R][C];
  logic [31:0] s[R][C], next_s[R][C];
  logic [D-1:0] first[R][C], second[R][C], next_first[R][C], next_second[R][C];

  function automatic logic [31:0] mac(input logic whole, input logic [D-1:0] x, input logic [D-1:0] w,
                                      input logic [31:0] sum);
    if (INT8 && (whole || !FLOAT)) return sum + 32'($signed(x[7:0])) * 32'($signed(w[7:0]));
    return fp::fma(32'(x) << (32 - D), 32'(w) << (32 - D), sum);  // narrow floats with zeros below
  endfunction
  function automatic weight_t onward(input weight_t w);
    return {w.alive && w.hops != '0, w.second, w.hops - 1'b1, w.weight};
  endfunction

  always_comb begin
    for (int r = 0; r < R; r++) begin
      for (int c = 0; c < C; c++) begin
        element_t x;
        weight_t from_above, from_left;
        logic [31:0] above;
        x = c == 0 ? a_skewed[r] : a[r][c-1];
        above = r == 0 ? '0 : s[r-1][c];
        from_above = r == 0 ? down_skewed[c] : down[r-1][c];
        from_left = c == 0 ? right_skewed[r] : right[r][c-1];

        next_a[r][c] = x;
        next_s[r][c] = s[r][c];
        if (x.takes_part) next_s[r][c] = mac(x.whole, x.element, x.second ? second[r][c] : first[r][c], above);
        else if (x.alive) next_s[r][c] = above;

        next_down[r][c] = onward(from_above);
        next_right[r][c] = onward(from_left);
        next_first[r][c] = first[r][c];
        next_second[r][c] = second[r][c];
        if (from_above.alive && from_above.hops == '0) begin
          if (from_above.second) next_second[r][c] = from_above.weight;
          else next_first[r][c] = from_above.weight;
        end
        if (from_left.alive && from_left.hops == '0) begin
          if (from_left.second) next_second[r][c] = from_left.weight;
          else next_first[r][c] = from_left.weight;
        end
      end
    end
  end
  always_ff @(posedge clk) begin
    a <= next_a;
    s <= next_s;
    first <= next_first;
    second <= next_second;
    down <= next_down;
    right <= next_right;
  end

  logic [C-1:0][31:0] bottom;
  always_comb for (int c = 0; c < C; c++) bottom[c] = next_s[R-1][c];
  skew #(.N(C), .W(32), .REVERSE(1)) s_skew (.clk, .rst, .d(bottom), .q(s_data));
  assign s_live = next_a[R-1][C-1].alive;
endmodule
