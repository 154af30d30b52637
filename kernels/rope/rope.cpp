// SPDX-License-Identifier: Apache-2.0
// Plan: blocks of tokens by blocks of heads, dealt to the cores; a token's cosines and sines broadcast over its heads.
#include "kernels/rope/rope.hpp"

#include "kernels/common/share.hpp"
#include "kernels/registry/problem.hpp"
#include "kernels/rope/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

void turn(KernelBuilder& k, const Spm& to, const Spm& from, const Spm& angles) {
  const std::int64_t half = from.capacity(2) / 2;
  const Spm a = from.slice(2, 0, half), b = from.slice(2, half, half);
  const Spm cosine = angles.cols(0, half).unsqueeze(1), sine = angles.cols(half, half).unsqueeze(1);
  const Spm p = k.spm(a.shape(), fp32), q = k.spm(a.shape(), fp32);
  k.mul(p, a, cosine);
  k.mul(q, b, sine);
  k.sub(to.slice(2, 0, half), p, q);
  k.mul(p, b, cosine);
  k.mul(q, a, sine);
  k.add(to.slice(2, half, half), p, q);
}

void rope(KernelBuilder& k, const Tensor& x, const Tensor& table, Scalar position) {
  const auto scope = k.kernel("rope");
  const std::int64_t heads = x.extent(1).capacity, dim = x.extent(2).capacity;
  const std::int64_t head_block = (heads + k.target().cores - 1) / k.target().cores;
  const std::int64_t token_block =
      whole_rows(k.target(), x.extent(0).capacity * k.target().cores, head_block * dim, 28);
  const std::int64_t head_blocks = (heads + head_block - 1) / head_block;
  const auto block = [&](Scalar i) {
    return x.block(0, i / head_blocks, token_block).block(1, i % head_blocks, head_block);
  };
  const auto angles = [&](Scalar i) {
    const Tensor tokens = x.block(0, i / head_blocks, token_block);
    return table.slice(0, position + i / head_blocks * token_block, tokens.extent(0));
  };
  const Share mine(k, ceil_div(x.size(0), token_block) * head_blocks);
  k.pipeline<3>(mine.steps(), in([&](Scalar i) { return block(mine.piece(i)); }).split(load_engines(k.target(), 1)),
                in([&](Scalar i) { return angles(mine.piece(i)); }),
                out([&](Scalar i) { return block(mine.piece(i)); }),
                [&](Spm tx, Spm ta, Spm ty) { turn(k, ty, tx, ta); });
}

namespace {
const KernelRegistration registration([] {
  KernelDef d = rope_problem();
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "rope");
    const auto tokens = at(s, "tokens"), dim = at(s, "head_dim"), position = at(s, "position");
    rope(k, Tensor(k.arg(0), dtype, {tokens, at(s, "heads"), dim}), Tensor(k.arg(1), fp32, {position + tokens, dim}),
         k.arg(2));
    return k.finish();
  };
  return d;
}());
}  // namespace

}  // namespace heddle::kernels
