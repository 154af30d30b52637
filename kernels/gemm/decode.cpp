// SPDX-License-Identifier: Apache-2.0
// Products with few rows, as in decoding: bound by the stream of weights.
//
// Plan: a's few rows rest in the scratchpad. Each core streams its share of the weights once, through several DMA
// engines and some steps ahead, in long contiguous runs: for B[n, k] a step is a block of whole rows, which gives a
// block of c; for B[k, n] a step is a block of rows cut to the core's columns, added to the sums of all of them. Each
// block passes through the arrays as stationary tiles, one matmul of the few rows behind each.
#include "kernels/gemm/decode.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// This core's columns of c: all cores have `share`, or the last ones fewer.
struct Mine {
  Scalar first;
  Extent count;
};
Mine columns_of_core(KernelBuilder& k, std::int64_t n, std::int64_t share) {
  const Scalar first = k.core_id() * share;
  if (n == share * k.target().cores) return {first, share};
  return {first, up_to(max(0, min(n - first, share)), share)};
}

void stream_rows(KernelBuilder& k, const Spm& rows, const WeightStream& w, const StreamPlan& p, DType sum_type) {
  const auto [first, count] = columns_of_core(k, w.c.extent(1).capacity, p.share);
  const bool even = count.is_static() && p.share % p.step == 0;
  const auto columns = [&, size = count.size](Scalar i) -> Extent {
    return even ? Extent(p.step) : up_to(min(size - i * p.step, p.step), p.step);
  };
  const auto block = [&, begin = first](int matrix) {
    return in([&, begin, matrix](Scalar i) {
             return w.weights[static_cast<std::size_t>(matrix)].slice(0, begin + i * p.step, columns(i));
           })
        .split(p.engines);
  };
  const auto step = [&, begin = first](std::initializer_list<Spm> tiles, Scalar i) {
    const auto finish = w.epilogue(k, w.c.slice(1, begin + i * p.step, columns(i)));
    std::vector<Acc> sums;
    for (const Spm& tile : tiles) {
      sums.push_back(k.acc({rows.extent(0), columns(i)}, sum_type, depth(2)));
      k.matmul(sums.back(), rows, transposed(tile), overwrite);
    }
    finish(sums);
  };
  const Steps steps(ceil_div(count.size, p.step));
  if (w.weights.size() == 1)
    k.pipeline<stream_slots>(steps, block(0), [&](Spm b, Step s) { step({b}, s); });
  else
    k.pipeline<stream_slots>(steps, block(0), block(1), [&](Spm b0, Spm b1, Step s) { step({b0, b1}, s); });
}

void stream_columns(KernelBuilder& k, const Spm& rows, const WeightStream& w, const StreamPlan& p, DType sum_type) {
  const auto [first, count] = columns_of_core(k, w.c.extent(1).capacity, p.share);
  const auto finish = w.epilogue(k, w.c.slice(1, first, count));
  const Acc sum = k.acc({rows.extent(0), count}, sum_type);
  k.pipeline<stream_slots>(in(w.weights[0].slice(1, first, count).blocks(0, p.step)).split(p.engines),
                           [&](Spm b, Step s) { k.matmul(sum, rows.cols(s * p.step, b.extent(0)), b, s.mode()); });
  finish(std::span(&sum, 1));
}

}  // namespace

void stream_weights(KernelBuilder& k, const Tensor& a, const WeightStream& w, const StreamPlan& p) {
  const auto scope = k.kernel("decode_gemm");
  const Spm rows = k.spm(a.shape(), a.dtype());
  k.load(rows, a, on_dma(k.target().dma_engines - 1));  // the engine of the stores: the stream need not wait
  (w.transposed ? stream_rows : stream_columns)(k, rows, w, p, is_float(a.dtype()) ? fp32 : int32);
}

}  // namespace heddle::kernels
