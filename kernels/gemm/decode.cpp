// SPDX-License-Identifier: Apache-2.0
// Products with few rows, as in decoding: bound by the stream of weights.
//
// Plan: a's few rows rest in the scratchpad. Each core streams its share of the weight rows (B is [n, k], so a block of
// rows is one contiguous range) through several DMA engines at once, one block an engine and step, some steps ahead;
// each block passes through an array as stationary tiles, one matmul of the few rows behind each.
#include <algorithm>
#include <array>

#include "kernels/gemm/decode.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr int slots = 3;

// Columns of one block, and how long a run of k a step takes.
struct Plan {
  std::int64_t cols, depth;
};

Plan plan_blocks(const Target& target, const Tensor& b, int parts) {
  const std::int64_t n = b.extent(0).capacity, k = b.extent(1).capacity, rows = target.mxu_rows;
  Plan p;
  p.cols = std::min<std::int64_t>(target.mxu_cols, n);
  const std::int64_t room = std::clamp<std::int64_t>(target.spm_bytes / (4 * slots * parts), 16 << 10, 1 << 20);
  const std::int64_t fit = std::max<std::int64_t>(1, room * 8 / bits(b.dtype()) / p.cols / rows) * rows;
  std::int64_t steps = (k + fit - 1) / fit;
  // Equal steps where k allows it: no ragged one, no sizes to compute.
  const std::int64_t tiles = (k + rows - 1) / rows;
  while (k % rows == 0 && tiles % steps != 0) ++steps;
  p.depth = std::min(k, (tiles + steps - 1) / steps * rows);
  return p;
}

template <std::size_t... J>
void stream(KernelBuilder& k, const Tensor& a, const WeightStream& w, std::index_sequence<J...>) {
  constexpr int parts = sizeof...(J);
  const Plan p = plan_blocks(k.target(), w.weights[0], parts);
  const std::int64_t kk = a.extent(1).capacity, n = w.weights[0].extent(0).capacity;
  const std::int64_t chunks = (kk + p.depth - 1) / p.depth;
  const int matrices = static_cast<int>(w.weights.size());
  const int side_by_side = parts / matrices;  // blocks of one matrix that a step takes
  // This core's blocks are one run, so that its reads stay sequential.
  const std::int64_t blocks = (n + p.cols - 1) / p.cols;
  const Scalar first = k.core_id() * blocks / k.num_cores(), last = (k.core_id() + 1) * blocks / k.num_cores();
  const Scalar groups = ceil_div(last - first, side_by_side);
  // Part j of a step: block (j / matrices) of the group, from matrix (j % matrices). Empty behind this core's share.
  const auto block_of = [&](Scalar group, int j) { return first + group * side_by_side + j / matrices; };
  const auto rows_of = [&](Scalar block) {
    const Scalar left = min(n - block * p.cols, (last - block) * p.cols);
    return up_to(max(0, min(p.cols, left)), p.cols);
  };
  const auto part = [&](Scalar step, int j) {
    const Scalar block = block_of(step / chunks, j);
    return w.weights[static_cast<std::size_t>(j % matrices)]
        .slice(0, block * p.cols, rows_of(block))
        .block(1, step % chunks, p.depth);
  };

  const Extent m = a.extent(0);
  const Spm rows = k.spm({m, kk}, a.dtype());
  k.load(rows, a);
  const DType sum_type = is_float(a.dtype()) ? fp32 : int32;
  const auto make_sums = [&](Scalar group, int turns) {
    return std::array<Acc, parts>{k.acc({m, rows_of(block_of(group, J))}, sum_type, depth(turns))...};
  };
  const auto multiply = [&](const std::array<Acc, parts>& sums, const std::array<Spm, parts>& tiles, Scalar k0,
                            Mode mode) {
    for (std::int64_t r = 0; r < p.depth; r += k.target().mxu_rows) {
      const std::int64_t most = std::min<std::int64_t>(k.target().mxu_rows, p.depth - r);
      const Extent depth_here = up_to(kk % p.depth == 0 ? Scalar(most) : max(0, min(most, kk - k0 - r)), most);
      for (std::size_t j = 0; j < parts; ++j) {
        const int array = static_cast<int>(j) % k.target().mxu_count;
        k.load_stationary(transposed(tiles[j].cols(r, depth_here)), array);
        k.matmul(sums[j], rows.cols(k0 + r, depth_here), r == 0 ? mode : Mode(accumulate), array);
      }
    }
  };
  const auto finish = [&](Scalar group, const std::array<Acc, parts>& sums) {
    for (int s = 0; s < side_by_side; ++s) {
      const Scalar block = block_of(group, s * matrices);
      const Tensor c = w.c.slice(1, block * p.cols, rows_of(block));
      w.finish(k, c,
               std::span(sums).subspan(static_cast<std::size_t>(s * matrices), static_cast<std::size_t>(matrices)));
    }
  };

  if (chunks == 1) {
    k.pipeline<slots>(Steps(groups), in([&](Scalar i) { return part(i, J); })..., [&](const auto&... given) {
      const auto all = std::tie(given...);
      const Step& step = std::get<parts>(all);
      const auto sums = make_sums(step, 2);
      multiply(sums, {std::get<J>(all)...}, 0, overwrite);
      finish(step, sums);
    });
    return;
  }
  k.loop(groups, [&](Scalar group) {
    const auto sums = make_sums(group, 2);
    k.pipeline<slots>(Steps(chunks), in([&](Scalar i) { return part(group * chunks + i, J); })...,
                      [&](const auto&... given) {
                        const auto all = std::tie(given...);
                        const Step& step = std::get<parts>(all);
                        multiply(sums, {std::get<J>(all)...}, step.index() * p.depth, step.mode());
                      });
    finish(group, sums);
  });
}

}  // namespace

void stream_weights(KernelBuilder& k, const Tensor& a, const WeightStream& w) {
  const auto scope = k.kernel("decode_gemm");
  const int engines = k.target().dma_engines - 2;  // one brings the rows, one stores
  if (engines >= 4)
    stream(k, a, w, std::make_index_sequence<4>{});
  else if (engines >= 2 || w.weights.size() == 2)
    stream(k, a, w, std::make_index_sequence<2>{});
  else
    stream(k, a, w, std::make_index_sequence<1>{});
}

bool suits_streaming(const Target& target, std::int64_t m, std::int64_t k, DType dtype) {
  return m <= 8 && m * bytes_of(dtype, k) <= target.spm_bytes / 8;
}

}  // namespace heddle::kernels
