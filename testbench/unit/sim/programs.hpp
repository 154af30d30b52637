// SPDX-License-Identifier: Apache-2.0
// A small program that uses every engine and shares its work among the cores, with an independent reference.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/base/float_convert.hpp"
#include "testbench/support/machine.hpp"

namespace heddle {

// launch_overhead of 2 us at 1 GHz, and the instruction.
inline constexpr std::uint64_t first_halt_cycles = 2001;

inline constexpr int gemm_m = 24, gemm_k = 128, gemm_n = 320;

inline std::vector<std::uint16_t> gemm_operand(int rows, int cols, int seed) {
  std::vector<std::uint16_t> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  std::uint32_t state = static_cast<std::uint32_t>(seed);
  for (std::uint16_t& v : out) {
    state = state * 1664525u + 1013904223u;
    v = fp32_to_bf16(static_cast<float>(static_cast<int>(state >> 20) - 2048) / 1024.0f);
  }
  return out;
}

// y[m,n] = relu(x[m,k] w[k,n]): 64 columns at a time go round the cores; two stationary tiles of 64 rows each.
inline std::string gemm_program() {
  return R"(
        .entry start, 3
        .view xh, hbm, bf16, [24, 128]
        .view wh, hbm, bf16, [128, 64], strides=[320, 1]
        .view yh, hbm, fp32, [24, 64], strides=[320, 1]
        .view xs, spm, bf16, [24, 128]
        .view x0v, spm, bf16, [24, 64], strides=[128, 1]
        .view x1v, spm, bf16, [24, 64], strides=[128, 1], base=128
        .view ws, spm, bf16, [128, 64], base=65536
        .view w0, spm, bf16, [64, 64], base=65536
        .view w1, spm, bf16, [64, 64], base=65536+64*64*2
        .view acc, acc, fp32, [24, 64]
        .view ys, spm, fp32, [24, 64], base=131072
start:  ld x4, x0, 0
        ld x5, x0, 8
        ld x6, x0, 16
        csrr x7, core_id
        csrr x8, num_cores
        view v1, xs
        view v2, xh, base=x4
        dma.copy v1, v2 post s0
        view v10, x0v
        view v11, x1v
        view v12, w0
        view v13, w1
        view v14, acc
        view v15, ys
        view v16, ws
        sem.wait s0, 1
loop:   slti x9, x7, 5
        beq x9, x0, done
        slli x10, x7, 7
        add x10, x10, x5
        view v3, wh, base=x10
        dma.copy v16, v3, on=1 post s1
        mxu.load v12 wait s1
        mxu.matmul v14, v10
        mxu.load v13
        mxu.matmul v14, v11, accumulate post s2
        vpu.relu v15, v14 wait s2, post s3
        slli x11, x7, 8
        add x11, x11, x6
        view v4, yh, base=x11
        dma.copy v4, v15, on=2 wait s3, post s4
        sem.wait s4, 1
        add x7, x7, x8
        jal x0, loop
done:   halt
)";
}

inline std::vector<float> run_gemm(testing::Machine& m) {
  const std::uint64_t x = m.upload(gemm_operand(gemm_m, gemm_k, 1));
  const std::uint64_t w = m.upload(gemm_operand(gemm_k, gemm_n, 2));
  const std::uint64_t y = m.allocate(gemm_m * gemm_n * sizeof(float));
  m.run(m.assemble(gemm_program()), {x, w, y});
  return m.download<float>(y, gemm_m * gemm_n);
}

// Two chains of 64 fused multiply-adds in rising k, added in fp32: what the specification says, in plain C++.
inline std::vector<float> gemm_reference() {
  const auto x = gemm_operand(gemm_m, gemm_k, 1);
  const auto w = gemm_operand(gemm_k, gemm_n, 2);
  std::vector<float> y(static_cast<std::size_t>(gemm_m * gemm_n));
  for (int i = 0; i < gemm_m; ++i) {
    for (int j = 0; j < gemm_n; ++j) {
      float acc = 0;
      for (int half = 0; half < 2; ++half) {
        float s = 0;
        for (int k = half * 64; k < half * 64 + 64; ++k)
          s = std::fma(bf16_to_fp32(x[static_cast<std::size_t>(i * gemm_k + k)]),
                       bf16_to_fp32(w[static_cast<std::size_t>(k * gemm_n + j)]), s);
        acc = half == 0 ? s : acc + s;
      }
      y[static_cast<std::size_t>(i * gemm_n + j)] = acc > 0 ? acc : 0.0f;
    }
  }
  return y;
}

}  // namespace heddle
