// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm.hpp"

#include <algorithm>

namespace heddle::kernels {
using namespace sdk;
namespace {

// The part of a [m, n] tensor that lies where tile c lies in the result.
Tensor same_place(const Tensor& whole, const Tensor& c) {
  return whole.slice(0, c.begin(0), c.extent(0)).slice(1, c.begin(1), c.extent(1));
}

// Loads go through the engine of the stores: behind loads of the next operands they would come too late.
DmaEngine beside_the_stream(const KernelBuilder& k) { return on_dma(k.target().dma_engines - 1); }

// bias[n] under tile c, as one row in SPM.
Spm load_bias(KernelBuilder& k, const Tensor& bias, const Tensor& c) {
  const Spm row = k.spm({1, c.extent(1)}, bias.dtype(), depth(2));
  k.load(row, bias.slice(0, c.begin(1), c.extent(1)).unsqueeze(), beside_the_stream(k));
  return row;
}
// The part of a tensor of c's shape that lies under tile c.
Spm load_under(KernelBuilder& k, const Tensor& whole, const Tensor& c, DmaEngine engine) {
  const Spm before = k.spm(c.shape(), whole.dtype(), depth(2));
  k.load(before, same_place(whole, c), engine);
  return before;
}

// The finish that makes a tile of c's dtype with `compute(out, sum)` and stores it.
template <class F>
Finish stored(KernelBuilder& k, const Tensor& c, F compute) {
  return [&k, c, compute](const Acc& sum) {
    const Spm out = k.spm(sum.shape(), c.dtype(), depth(2));
    compute(out, sum);
    k.store(c, out);
  };
}

}  // namespace

Epilogue store_converted() {
  return {[](KernelBuilder& k, const Tensor& c) {
    return stored(k, c, [&k](const Spm& out, const Acc& sum) { k.convert(out, sum); });
  }};
}

Epilogue add_bias(const Tensor& bias) {
  return {[bias](KernelBuilder& k, const Tensor& c) {
    const Spm row = load_bias(k, bias, c);
    return stored(k, c, [&k, row](const Spm& out, const Acc& sum) { k.add(out, sum, row); });
  }};
}

Epilogue add_residual(const Tensor& residual) {
  return {[residual](KernelBuilder& k, const Tensor& c) {
            const Spm before = load_under(k, residual, c, beside_the_stream(k));
            return stored(k, c, [&k, before](const Spm& out, const Acc& sum) { k.add(out, sum, before); });
          },
          2};
}

Epilogue add_residual(const Tensor& residual, const Tensor& bias) {
  return {[residual, bias](KernelBuilder& k, const Tensor& c) {
            const Spm row = load_bias(k, bias, c), before = load_under(k, residual, c, beside_the_stream(k));
            return stored(k, c, [&k, row, before](const Spm& out, const Acc& sum) {
              k.add(before, before, row);
              k.add(out, sum, before);
            });
          },
          2};
}

Epilogue multiply_silu_of(const Tensor& gate) {
  return {[gate](KernelBuilder& k, const Tensor& c) {
            // Not behind the stores: the next tile's gate would come when this tile is stored.
            const Spm before = load_under(k, gate, c, on_dma(std::max(0, k.target().dma_engines - 2)));
            return stored(k, c, [&k, before](const Spm& out, const Acc& sum) {
              const Spm bent = k.spm(sum.shape(), fp32, depth(2));
              k.silu(bent, before);
              k.mul(out, bent, sum);
            });
          },
          2, 1};
}

Epilogue gelu_of_bias(const Tensor& bias) {
  return {[bias](KernelBuilder& k, const Tensor& c) {
            const Spm row = load_bias(k, bias, c);
            return stored(k, c, [&k, row](const Spm& out, const Acc& sum) {
              const Spm biased = k.spm(sum.shape(), fp32, depth(2));
              k.add(biased, sum, row);
              k.gelu_tanh(out, biased);
            });
          },
          1, 1};
}

}  // namespace heddle::kernels
