// SPDX-License-Identifier: Apache-2.0
// W bits, D cycles later; zeros after reset.
module delay #(
    parameter int W = 1,
    parameter int D = 1
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [W-1:0] d,
    output logic [W-1:0] q
);
  if (D == 0) begin : g_wire
    assign q = d;
  end else begin : g_registers
    logic [D*W-1:0] stages;  // the newest lowest
    always_ff @(posedge clk) stages <= rst ? '0 : (D * W)'({stages, d});
    assign q = stages[D*W-1-:W];
  end
endmodule
