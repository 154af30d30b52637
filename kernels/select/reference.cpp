// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/registry/problem.hpp"
#include "kernels/select/problem.hpp"

namespace heddle::kernels {
namespace {

// Columns of row r, largest element first, lower column first among equals.
std::vector<std::int64_t> ranked(const HostTensor& x, std::int64_t r, std::int64_t cols) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(cols));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return x.get(r * cols + a) > x.get(r * cols + b); });
  return order;
}

// Few distinct values, so that ties happen.
double coarse(std::int64_t, std::uint64_t random) { return static_cast<double>(random % 1000) / 8 - 60; }

}  // namespace

KernelDef argmax_problem() {
  KernelDef d;
  d.name = "argmax";
  d.summary = "column of each row's first largest element";
  d.params = {{"rows", 1, 1, "rows"}, {"cols", 49152, 1, "row length"}};
  d.dtypes = {DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    return std::vector<TensorSpec>{{"x", dtype, {at(s, "rows"), at(s, "cols")}, Role::input, coarse},
                                   {"index", DType::int32, {at(s, "rows")}, Role::output, {}}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    for (std::int64_t r = 0; r < at(s, "rows"); ++r)
      t[1].set(r, static_cast<double>(ranked(t[0], r, at(s, "cols"))[0]));
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType) { return 0.0; };
  d.test_shapes = {{{"rows", 1}, {"cols", 1}},
                   {{"rows", 1}, {"cols", 49152}},
                   {{"rows", 5}, {"cols", 67}},
                   {{"rows", 3}, {"cols", 5000}},
                   {{"rows", 2}, {"cols", 140001}}};  // three parts
  return d;
}

KernelDef topk_problem() {
  KernelDef d;
  d.name = "topk";
  d.summary = "the k largest of each row and where they stand";
  d.params = {{"rows", 64, 1, "rows"}, {"cols", 4096, 1, "row length, at least k"}, {"k", 8, 1, "how many"}};
  d.dtypes = {DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    return std::vector<TensorSpec>{{"x", dtype, {at(s, "rows"), at(s, "cols")}, Role::input, coarse},
                                   {"values", dtype, {at(s, "rows"), at(s, "k")}, Role::output, {}},
                                   {"indices", DType::int32, {at(s, "rows"), at(s, "k")}, Role::output, {}}};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto cols = at(s, "cols"), k = at(s, "k");
    for (std::int64_t r = 0; r < at(s, "rows"); ++r) {
      const std::vector<std::int64_t> order = ranked(t[0], r, cols);
      for (std::int64_t i = 0; i < k; ++i) {
        t[1].set(r * k + i, t[0].get(r * cols + order[static_cast<std::size_t>(i)]));
        t[2].set(r * k + i, static_cast<double>(order[static_cast<std::size_t>(i)]));
      }
    }
  };
  d.work = [tensors = d.tensors](const Shape& s, DType dtype) { return Work{0, dtype, bytes_once(tensors(s, dtype))}; };
  d.tolerance = [](DType) { return 0.0; };
  d.test_shapes = {{{"rows", 1}, {"cols", 1}, {"k", 1}},
                   {{"rows", 3}, {"cols", 67}, {"k", 5}},
                   {{"rows", 70}, {"cols", 128}, {"k", 8}},
                   {{"rows", 2}, {"cols", 2048}, {"k", 64}}};
  return d;
}

}  // namespace heddle::kernels
