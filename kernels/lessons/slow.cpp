// SPDX-License-Identifier: Apache-2.0
// docs/debugging-a-kernel.md: a product whose array waits for what it could have had earlier.
#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"
#include "sdk/sdk.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

template <int Depth>
void product(KernelBuilder& k, const Tensor& a, const Tensor& b, const Tensor& c, std::int64_t tile) {
  const auto scope = k.kernel("product");
  k.for_each_tile(c.tiled(tile, tile), [&](const Tensor& out) {
    const Acc sum = k.acc(out.shape(), fp32, depth(Depth));
    k.pipeline<Depth>(in(a.row_block(out, tile)), in(b.col_block(out, tile)),
                      [&](Spm x, Spm w, Step s) { k.matmul(sum, x, w, s.mode()); });
    k.store(out, sum);
  });
}

const KernelRegistration registration([] {
  KernelDef d = plain_gemm_problem();
  d.name = "lesson_slow";
  d.summary = "a product that loads only when it needs; mended=1: ahead, mended=2: and larger tiles";
  d.params.push_back({"mended", 0, 0, "1: loads ahead; 2: and larger tiles"});
  d.dtypes = {DType::bf16};
  for (ShapeParam& p : d.params)
    if (p.name != "mended") p.standard = 512;
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "lesson_slow");
    const auto m = at(s, "m"), kk = at(s, "k"), n = at(s, "n");
    const Tensor a(k.arg(0), dtype, {m, kk}), b(k.arg(1), dtype, {kk, n}), c(k.arg(2), dtype, {m, n});
    const std::int64_t tile = at(s, "mended") > 1 ? 128 : 64;
    at(s, "mended") > 0 ? product<2>(k, a, b, c, tile) : product<1>(k, a, b, c, tile);
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
