// SPDX-License-Identifier: Apache-2.0
// Plan: activations stay in the scratchpad, weights pass once through a FIFO of four tiles that runs ahead of the
// layers. A layer's sums stay in the accumulator until all of them are there (or as many columns as it holds), then the
// vector unit takes them out; the next layer waits for it. Weights come through two DMA engines (a load waits for no
// more than two), activations through the last. One core works: the next layer needs all of this one.
#include <algorithm>

#include "kernels/common/round.hpp"
#include "kernels/mlp/problem.hpp"
#include "kernels/registry/problem.hpp"
#include "sdk/sdk.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr int fifo_tiles = 4;

class Stack {
 public:
  Stack(KernelBuilder& k, const Shape& s)
      : k_(k),
        rows_(at(s, "rows")),
        tile_(at(s, "tile")),
        layers_(at(s, "layers")),
        vectors_(at(s, "vectors")),
        per_layer_(ceil_of(at(s, "k"), tile_) * ceil_of(at(s, "n"), tile_)),
        weights_(k.arg(1), int8, {layers_ * per_layer_, tile_, tile_}),
        together_(std::clamp<std::int64_t>(k.target().acc_bytes / (rows_ * tile_ * 4), 1,
                                           ceil_of(std::max(at(s, "k"), at(s, "n")), tile_))),
        fifo_(k.pipe({tile_, tile_}, int8, fifo_tiles)),
        sums_(k.acc({rows_, together_ * tile_}, int32)),
        next_(k, 0) {}

  void record(const Shape& s) {
    const auto width = [&](const char* side) { return ceil_of(at(s, side), tile_) * tile_; };
    const Spm even = k_.spm({rows_, width("k")}, int8), odd = k_.spm({rows_, width("n")}, int8);
    const DmaEngine host = on_dma(k_.target().dma_engines - 1);
    if (at(s, "k") % tile_ != 0) k_.fill(even, 0, host);
    k_.load(even.cols(0, at(s, "k")), Tensor(k_.arg(0), int8, {rows_, at(s, "k")}), host);
    k_.loop(fifo_tiles - 1, [&](Scalar) { fetch(); });
    k_.loop(layers_ / 2, [&](Scalar) {
      layer(odd, even, 0);
      layer(even, odd, 1);
    });
    if (layers_ % 2 != 0) layer(odd, even, 0);
    const std::int64_t last = layers_ % 2 != 0 ? at(s, "n") : at(s, "k");
    k_.store(Tensor(k_.arg(2), int8, {rows_, last}), (layers_ % 2 != 0 ? odd : even).cols(0, last), host);
  }

 private:
  void fetch() {
    k_.if_(next_.get() < layers_ * per_layer_, [&] {
      std::vector<DmaEngine> engines;
      for (int i = 0; i < std::clamp(k_.target().dma_engines - 1, 1, 2); ++i) engines.push_back(on_dma(i));
      fifo_.load(weights_[next_.get()], engines);
      next_ += 1;
    });
  }

  void layer(const Spm& to, const Spm& from, std::int64_t parity) {
    const std::int64_t heights = from.capacity(1) / tile_, columns = to.capacity(1) / tile_;
    const std::int64_t together = std::min(columns, together_);
    const auto group = [&](const Scalar& first, std::int64_t count) {
      const Acc sums = sums_.cols(0, count * tile_);
      k_.loop(count, [&](Scalar j) {
        k_.loop(heights, [&](Scalar i) {
          fetch();
          const auto w = fifo_.wait();
          k_.matmul(sums.cols(j * tile_, tile_), from.cols(i * tile_, tile_), w, overwrite_if(i == 0));
        });
      });
      k_.fused(to.cols(first * tile_, count * tile_), sums,
               {.fn = isa::VpuFn::relu, .scale = 1.0f / static_cast<float>(mlp_scale)});
    };
    if (columns / together == 1) group(Scalar(0), together);
    if (columns / together > 1) k_.loop(columns / together, [&](Scalar g) { group(g * together, together); });
    if (columns % together != 0) group(Scalar(columns / together * together), columns % together);
    for (std::int64_t v = 0; v < vectors_after(parity, layers_, vectors_); ++v) k_.max(to, to, Scalar(1));
  }

  KernelBuilder& k_;
  std::int64_t rows_, tile_, layers_, vectors_, per_layer_;
  Tensor weights_;
  std::int64_t together_;  // columns of tiles whose sums the accumulator holds
  Pipe<Space::spm> fifo_;
  Acc sums_;
  Var next_;  // tile to fetch
};

const KernelRegistration registration([] {
  KernelDef d = mlp_problem();
  d.build = [](const Target& target, const Shape& s, DType) {
    KernelBuilder k(target, "mlp");
    k.if_(k.core_id() == 0, [&] {
      const auto scope = k.scope("mlp");
      Stack(k, s).record(s);
    });
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
