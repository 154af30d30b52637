// SPDX-License-Identifier: Apache-2.0
// fp32 arithmetic of the cells, as functions.
package fp;

  // Zeros above the highest one; of 0 it is 63.
  function automatic logic [5:0] leading_zeros(input logic [63:0] value);
    logic [63:0] v;
    logic [5:0] n;
    v = value;
    n = '0;
    if (v[63:32] == '0) begin n |= 6'd32; v <<= 32; end
    if (v[63:48] == '0) begin n |= 6'd16; v <<= 16; end
    if (v[63:56] == '0) begin n |= 6'd8; v <<= 8; end
    if (v[63:60] == '0) begin n |= 6'd4; v <<= 4; end
    if (v[63:62] == '0) begin n |= 6'd2; v <<= 2; end
    if (v[63] == 1'b0) n |= 6'd1;
    return n;
  endfunction

  // value >> by, with any one that falls off kept in bit 0; 0 <= by.
  function automatic logic [63:0] shift_sticky(input logic [63:0] value, input int by);
    logic [63:0] kept;
    kept = by > 63 ? '0 : value >> by;
    return kept | {63'b0, by > 63 ? value != '0 : (kept << by) != value};
  endfunction

  // a * b + c with one rounding, to nearest even. Subnormals are kept, every NaN is 0x7fc00000. Operands narrower than
  // fp32 come with zeros below, and the multiplier is then as narrow as they are.
  //
  // Product and addend are brought to a 64-bit frame with the leading one at bit 62 (the product has 48 bits), the
  // smaller one is shifted right with what falls off kept as a sticky bit, and the sum is normalised and rounded.
  function automatic logic [31:0] fma(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    /* verilator no_inline_task */
    logic a_nan, b_nan, c_nan, p_inf, c_inf, p_sign, p_larger, sign;
    logic [23:0] a_sig, b_sig;
    logic [63:0] p_raw, c_raw, p_frame, c_frame, sum, frame;
    logic [5:0] zeros;
    logic [24:0] rounded;
    logic [32:0] encoded;
    int p_exp, c_exp, exp;
    a_nan = &a[30:23] && a[22:0] != '0;
    b_nan = &b[30:23] && b[22:0] != '0;
    c_nan = &c[30:23] && c[22:0] != '0;
    p_inf = &a[30:23] || &b[30:23];
    c_inf = &c[30:23];
    p_sign = a[31] ^ b[31];
    a_sig = {a[30:23] != '0, a[22:0]};
    b_sig = {b[30:23] != '0, b[22:0]};

    // Exponents are of the value of bit 62. A significand is below 2, so the product's top bit is worth 2.
    p_raw = {48'(a_sig) * 48'(b_sig), 16'b0};
    zeros = leading_zeros(p_raw);
    p_frame = (p_raw << zeros) >> 1;
    p_exp = (a[30:23] == '0 ? 1 : int'(a[30:23])) + (b[30:23] == '0 ? 1 : int'(b[30:23])) - 253 - int'(zeros);
    if (p_raw == '0) p_exp = -1000;
    c_raw = {c[30:23] != '0, c[22:0], 40'b0};
    zeros = leading_zeros(c_raw);
    c_frame = (c_raw << zeros) >> 1;
    c_exp = (c[30:23] == '0 ? 1 : int'(c[30:23])) - 127 - int'(zeros);
    if (c_raw == '0) c_exp = -2000;

    p_larger = p_exp > c_exp || (p_exp == c_exp && p_frame >= c_frame);
    sign = p_larger ? p_sign : c[31];
    exp = p_larger ? p_exp : c_exp;
    frame = shift_sticky(p_larger ? c_frame : p_frame, p_larger ? p_exp - c_exp : c_exp - p_exp);
    sum = p_larger ? p_frame : c_frame;
    sum = p_sign == c[31] ? sum + frame : sum - frame;
    zeros = leading_zeros(sum);
    exp = exp + 1 - int'(zeros);  // of bit 63
    frame = sum << zeros;
    if (exp < -126) frame = shift_sticky(frame, -126 - exp);
    rounded = {1'b0, frame[63:40]} + 25'(frame[39] && (frame[38:0] != '0 || frame[40]));
    // The leading one of a normal number adds the exponent field's last unit; a carry out of rounding adds another.
    encoded = {8'b0, rounded};
    if (exp >= -126) encoded = encoded + (33'(exp + 126) << 23);

    if (a_nan || b_nan || c_nan || (p_inf && (a_sig == '0 || b_sig == '0)) || (p_inf && c_inf && p_sign != c[31]))
      return 32'h7fc0_0000;
    if (p_inf) return {p_sign, 31'h7f80_0000};
    if (c_inf) return c;
    if (sum == '0) return {p_sign && c[31], 31'b0};
    if (encoded >= 33'h7f80_0000) return {sign, 31'h7f80_0000};
    return {sign, encoded[30:0]};
  endfunction

endpackage
