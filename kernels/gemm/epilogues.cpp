// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

// The part of a [m, n] tensor that lies where tile c lies in the result.
Tensor same_place(const Tensor& whole, const Tensor& c) {
  return whole.slice(0, c.begin(0), c.extent(0)).slice(1, c.begin(1), c.extent(1));
}

// bias[n] under tile c, as one row in SPM.
Spm load_bias(KernelBuilder& k, const Tensor& bias, const Tensor& c) {
  const Spm row = k.spm({1, c.extent(1)}, bias.dtype(), depth(2));
  k.load(row, bias.slice(0, c.begin(1), c.extent(1)).unsqueeze());
  return row;
}

}  // namespace

Epilogue store_converted() {
  return [](KernelBuilder& k, const Tensor& c, const Acc& sum) {
    const Spm out = k.spm(sum.shape(), c.dtype(), depth(2));
    k.convert(out, sum);
    k.store(c, out);
  };
}

Epilogue add_bias(const Tensor& bias) {
  return [bias](KernelBuilder& k, const Tensor& c, const Acc& sum) {
    const Spm row = load_bias(k, bias, c);
    const Spm out = k.spm(sum.shape(), c.dtype(), depth(2));
    k.add(out, sum, row);
    k.store(c, out);
  };
}

Epilogue add_residual(const Tensor& residual) {
  return [residual](KernelBuilder& k, const Tensor& c, const Acc& sum) {
    const Spm before = k.spm(sum.shape(), residual.dtype(), depth(2));
    const Spm out = k.spm(sum.shape(), c.dtype(), depth(2));
    k.load(before, same_place(residual, c));
    k.add(out, sum, before);
    k.store(c, out);
  };
}

Epilogue add_residual(const Tensor& residual, const Tensor& bias) {
  return [residual, bias](KernelBuilder& k, const Tensor& c, const Acc& sum) {
    const Spm row = load_bias(k, bias, c);
    const Spm before = k.spm(sum.shape(), residual.dtype(), depth(2));
    const Spm out = k.spm(sum.shape(), c.dtype(), depth(2));
    k.load(before, same_place(residual, c));
    k.add(before, before, row);
    k.add(out, sum, before);
    k.store(c, out);
  };
}

Epilogue gelu_of_bias(const Tensor& bias) {
  return [bias](KernelBuilder& k, const Tensor& c, const Acc& sum) {
    const Spm row = load_bias(k, bias, c);
    const Spm biased = k.spm(sum.shape(), fp32, depth(2));
    const Spm out = k.spm(sum.shape(), c.dtype(), depth(2));
    k.add(biased, sum, row);
    k.gelu_tanh(out, biased);
    k.store(c, out);
  };
}

}  // namespace heddle::kernels
