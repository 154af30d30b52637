// SPDX-License-Identifier: Apache-2.0
// N lanes of W bits, lane i delayed by i cycles (REVERSE: by N - 1 - i): the edge of a systolic array.
module skew #(
    parameter int N = 4,
    parameter int W = 8,
    parameter bit REVERSE = 0
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [N-1:0][W-1:0] d,
    output logic [N-1:0][W-1:0] q
);
  for (genvar i = 0; i < N; i++) begin : g_lane
    delay #(.W(W), .D(REVERSE ? N - 1 - i : i)) lane (.clk, .rst, .d(d[i]), .q(q[i]));
  end
endmodule
