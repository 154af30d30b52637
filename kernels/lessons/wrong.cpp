// SPDX-License-Identifier: Apache-2.0
// docs/debugging-a-kernel.md: a product that takes the wrong block of A.
#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"
#include "sdk/sdk.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t tile = 64;

// C[m, n] = A[m, k] · B[k, n]. The next blocks of both are loaded before this step's product.
void product(KernelBuilder& k, const Tensor& a, const Tensor& b, const Tensor& c, bool mended) {
  const auto scope = k.kernel("product");
  k.for_each_tile(c.tiled(tile, tile), [&](const Tensor& out) {
    const Blocks as = a.row_block(out, tile), bs = b.col_block(out, tile);
    const Acc sum = k.acc(out.shape(), fp32);
    auto xs = k.pipe({tile, tile}, a.dtype(), 2), ws = k.pipe({tile, tile}, b.dtype(), 2);
    xs.load(as[0]);
    ws.load(bs[0]);
    k.loop(as.count(), [&](Scalar i) {
      k.if_(i + 1 < as.count(), [&] {
        xs.load(mended ? as[i + 1] : as[i]);
        ws.load(bs[i + 1]);
      });
      auto x = xs.wait();
      auto w = ws.wait();
      k.matmul(sum, x, w, overwrite_if(i == 0));
    });
    k.store(out, sum);
  });
}

const KernelRegistration registration([] {
  KernelDef d = plain_gemm_problem();
  d.name = "lesson_wrong";
  d.summary = "a product that takes the wrong block of A; mended=1: that does not";
  d.params.push_back({"mended", 0, 0, "1: without the fault"});
  d.dtypes = {DType::bf16};
  for (ShapeParam& p : d.params)
    if (p.name != "mended") p.standard = 256;
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "lesson_wrong");
    const auto m = at(s, "m"), kk = at(s, "k"), n = at(s, "n");
    product(k, Tensor(k.arg(0), dtype, {m, kk}), Tensor(k.arg(1), dtype, {kk, n}), Tensor(k.arg(2), dtype, {m, n}),
            at(s, "mended") != 0);
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
