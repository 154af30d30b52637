// SPDX-License-Identifier: Apache-2.0
// The gated layer of a transformer as a whole: y = (silu(x · gateᵀ) · (x · upᵀ)) · downᵀ, the product in brackets in
// global memory in between.
//
// Plan: gate and up share one pass over x (swiglu_gemm), then down. On a machine whose software compiles one product at
// a time (Target::stage_bytes) there are three: gate; up, which takes gate's result in and joins the two on the way
// out, in place; down.
#include <cmath>

#include "kernels/gemm/operands.hpp"
#include "kernels/gemm/staged.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

void ffn_gated(KernelBuilder& k, const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& down,
               const Tensor& inner, const Tensor& y) {
  const GemmArgs first{x, gate, inner, true, {}};
  if (plan_staged(k.target(), first).applies && x.extent(0).capacity >= fewest_rows) {
    gemm(k, first);
    k.barrier();
    gemm(k, {x, up, inner, true, multiply_silu_of(inner)});
  } else {
    swiglu_gemm(k, x, gate, up, inner);
  }
  k.barrier();
  gemm(k, {inner, down, y, true, {}});
}

std::vector<TensorSpec> operands(const Shape& s, DType dtype) {
  const auto tokens = at(s, "tokens"), hidden = at(s, "hidden"), wide = at(s, "intermediate");
  // Products of about 1, so that the gate bends and sums stay of one size.
  const auto weight = [](std::int64_t k) {
    const double scale = 1.7 / std::sqrt(static_cast<double>(k));
    return [scale](std::int64_t, std::uint64_t random) {
      return scale * (static_cast<double>(random >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1);
    };
  };
  return {{"x", dtype, {tokens, hidden}, Role::input, {}},
          {"gate", dtype, {wide, hidden}, Role::input, weight(hidden)},
          {"up", dtype, {wide, hidden}, Role::input, weight(hidden)},
          {"down", dtype, {hidden, wide}, Role::input, weight(wide)},
          {"inner", dtype, {tokens, wide}, Role::output, {}},
          {"y", dtype, {tokens, hidden}, Role::output, {}}};
}

void reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto tokens = at(s, "tokens"), hidden = at(s, "hidden"), wide = at(s, "intermediate");
  for (std::int64_t i = 0; i < tokens; ++i) {
    for (std::int64_t j = 0; j < wide; ++j) {
      double g = 0, u = 0;
      for (std::int64_t p = 0; p < hidden; ++p) {
        g += t[0].get(i * hidden + p) * t[1].get(j * hidden + p);
        u += t[0].get(i * hidden + p) * t[2].get(j * hidden + p);
      }
      t[4].set(i * wide + j, g / (1 + std::exp(-g)) * u);
    }
    for (std::int64_t j = 0; j < hidden; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < wide; ++p) sum += t[4].get(i * wide + p) * t[3].get(j * wide + p);
      t[5].set(i * hidden + j, sum);
    }
  }
}

const KernelRegistration registration([] {
  KernelDef d;
  d.name = "ffn_gated";
  d.summary = "(silu(X · gateᵀ) · (X · upᵀ)) · downᵀ: a gated layer";
  d.params = {{"tokens", 128, 1, "rows of X and Y"},
              {"hidden", 576, 1, "columns of X and Y"},
              {"intermediate", 1536, 1, "rows of gate and up"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.uses_mxu = true;
  d.tensors = operands;
  d.reference = reference;
  d.work = [](const Shape& s, DType dtype) {
    const auto wide = static_cast<double>(at(s, "intermediate")), hidden = static_cast<double>(at(s, "hidden"));
    const auto tokens = static_cast<double>(at(s, "tokens"));
    // What lies between the products need not leave the chip.
    const double elements = 3 * wide * hidden + 2 * tokens * hidden;
    return Work{3 * tokens * hidden * wide, dtype, elements * bits(dtype) / 8};
  };
  // What lies between the products is rounded too.
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 4e-5 : 3 * rounding(dtype); };
  d.test_shapes = {{{"tokens", 1}, {"hidden", 1}, {"intermediate", 1}},
                   {{"tokens", 1}, {"hidden", 100}, {"intermediate", 200}},
                   {{"tokens", 9}, {"hidden", 65}, {"intermediate", 67}},
                   {{"tokens", 70}, {"hidden", 130}, {"intermediate", 200}}};
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "ffn_gated");
    const auto tokens = at(s, "tokens"), hidden = at(s, "hidden"), wide = at(s, "intermediate");
    const auto tensor = [&](int i, std::int64_t rows, std::int64_t cols) {
      return Tensor(k.arg(i), dtype, {rows, cols});
    };
    ffn_gated(k, tensor(0, tokens, hidden), tensor(1, wide, hidden), tensor(2, wide, hidden), tensor(3, hidden, wide),
              tensor(4, tokens, wide), tensor(5, tokens, hidden));
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
