// SPDX-License-Identifier: Apache-2.0
// A queue of DEPTH entries whose input shows at the output in the same cycle when it is empty.
module fifo #(
    parameter int W = 8,
    parameter int DEPTH = 16
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         push,
    input  logic [W-1:0] d,
    input  logic         pop,
    output logic [W-1:0] q,
    output logic         valid,
    output logic         full
);
  localparam int A = DEPTH > 1 ? $clog2(DEPTH) : 1;
  logic [W-1:0] entry[DEPTH];
  logic [A-1:0] first, last;
  logic [A:0] count;
  assign full = int'(count) == DEPTH;
  assign valid = count != '0 || push;
  assign q = count != '0 ? entry[first] : d;
  always_ff @(posedge clk) begin
    if (rst) begin
      first <= '0;
      last  <= '0;
      count <= '0;
    end else begin
      if (push) begin
        entry[last] <= d;
        last <= int'(last) == DEPTH - 1 ? '0 : last + 1'b1;
      end
      if (pop) first <= int'(first) == DEPTH - 1 ? '0 : first + 1'b1;
      count <= count + (A + 1)'(push) - (A + 1)'(pop);
      assert (!(push && full && !pop)) else $error("a push into a full queue");
      assert (!(pop && !valid)) else $error("a pop from an empty queue");
    end
  end
endmodule
