// SPDX-License-Identifier: Apache-2.0
// The running softmax of rows whose scores arrive in blocks (Milakov and Gimelshein, 2018).
#pragma once
#include <limits>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

class OnlineSoftmax {
 public:
  OnlineSoftmax(sdk::KernelBuilder& k, std::int64_t rows, float scale)
      : k_(k),
        scale_(scale),
        low_(row_vector(rows)),
        top_(row_vector(rows)),
        sum_(row_vector(rows)),
        shrink_(row_vector(rows)),
        total_(row_vector(rows)) {}

  // Nothing seen: maximum -infinity, sum 0.
  void start() const {
    k_.iota(total_, 0, 0);
    k_.affine_select(low_, total_, -1, 0, 0, std::numeric_limits<float>::infinity());
  }
  // weights = exp(scale · scores - top), both [rows, n], top the largest scaled score so far. What was summed up before
  // must be multiplied by shrink() first.
  void block(const sdk::Spm& weights, const sdk::Acc& scores) const {
    using isa::VpuFn;
    k_.rowmax(top_, scores);
    k_.mul(top_, top_, -scale_);
    k_.min(top_, top_, low_);  // -top
    k_.fused(weights, scores,
             {.fn = VpuFn::exp, .scale = scale_, .bias = top_, .row = sum_, .reduce = isa::RowReduce::sum});
    k_.fused(shrink_, low_, {.fn = VpuFn::exp, .scale = -1.0f, .bias = top_, .row = {}, .reduce = {}});
    k_.mov(low_, top_);
    k_.mul(total_, total_, shrink_);
    k_.add(total_, total_, sum_);
  }
  const sdk::Spm& shrink() const { return shrink_; }  // [rows, 1]
  const sdk::Spm& total() const { return total_; }    // [rows, 1]

 private:
  sdk::Spm row_vector(std::int64_t rows) const { return k_.spm({rows, 1}, DType::fp32); }
  sdk::KernelBuilder& k_;
  float scale_;
  sdk::Spm low_, top_, sum_, shrink_, total_;  // low: -top of the blocks before
};

}  // namespace heddle::kernels
