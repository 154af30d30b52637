// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
namespace {

std::vector<TensorSpec> gemm_tensors(const Shape& s, DType dtype) {
  const auto batch = at(s, "batch"), m = at(s, "m"), k = at(s, "k"), n = at(s, "n");
  const bool integer = dtype == DType::int8;
  std::vector<TensorSpec> tensors{{"a", dtype, {batch, m, k}, Role::input, {}},
                                  {"b", dtype, {batch, k, n}, Role::input, {}},
                                  {"c", integer ? DType::int32 : dtype, {batch, m, n}, Role::output, {}}};
  if (at(s, "bt") != 0) tensors[1].dims = {batch, n, k};
  if (at(s, "bias") != 0) tensors.push_back({"bias", integer ? DType::int32 : DType::fp32, {n}, Role::input, {}});
  return tensors;
}

void gemm_reference(const Shape& s, std::vector<HostTensor>& t) {
  const auto batch = at(s, "batch"), m = at(s, "m"), k = at(s, "k"), n = at(s, "n");
  const bool transposed = at(s, "bt") != 0;
  std::vector<double> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
      row(static_cast<std::size_t>(n));
  for (std::int64_t x = 0; x < batch; ++x) {
    for (std::int64_t i = 0; i < m * k; ++i) a[static_cast<std::size_t>(i)] = t[0].get(x * m * k + i);
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < n; ++j)
        b[static_cast<std::size_t>(p * n + j)] = t[1].get(x * k * n + (transposed ? j * k + p : p * n + j));
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] = t.size() > 3 ? t[3].get(j) : 0.0;
      for (std::int64_t p = 0; p < k; ++p) {
        const double scale = a[static_cast<std::size_t>(i * k + p)];
        const double* b_row = b.data() + p * n;
        for (std::int64_t j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] += scale * b_row[j];
      }
      for (std::int64_t j = 0; j < n; ++j) t[2].set((x * m + i) * n + j, row[static_cast<std::size_t>(j)]);
    }
  }
}

}  // namespace

KernelDef gemm_problem() {
  KernelDef d;
  d.name = "gemm";
  d.summary = "C = A · B (+ bias), batched";
  d.params = {{"m", 1024, 1, "rows of A and C"},    {"k", 1024, 1, "columns of A, rows of B"},
              {"n", 1024, 1, "columns of B and C"}, {"batch", 1, 1, "independent products"},
              {"bias", 0, 0, "1: add a bias row"},  {"bt", 0, 0, "1: B is stored [n, k]"}};
  d.uses_mxu = true;
  d.dtypes = {DType::bf16, DType::fp32, DType::int8};
  d.tensors = gemm_tensors;
  d.reference = gemm_reference;
  d.work = [](const Shape& s, DType dtype) {
    return Work{static_cast<double>(at(s, "batch") * at(s, "m")) * static_cast<double>(at(s, "k") * at(s, "n")), dtype,
                bytes_once(gemm_tensors(s, dtype))};
  };
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-5 : rounding(dtype); };
  d.test_shapes = {{{"m", 1}, {"k", 1}, {"n", 1}, {"batch", 1}, {"bias", 0}, {"bt", 0}},
                   {{"m", 1}, {"k", 576}, {"n", 200}, {"batch", 1}, {"bias", 1}, {"bt", 1}},
                   {{"m", 3}, {"k", 65}, {"n", 67}, {"batch", 2}, {"bias", 1}, {"bt", 0}},
                   {{"m", 130}, {"k", 200}, {"n", 129}, {"batch", 1}, {"bias", 0}, {"bt", 1}},
                   {{"m", 64}, {"k", 64}, {"n", 64}, {"batch", 1}, {"bias", 0}, {"bt", 0}},
                   {{"m", 5}, {"k", 40}, {"n", 3}, {"batch", 1}, {"bias", 0}, {"bt", 0}},
                   {{"m", 9}, {"k", 100}, {"n", 5}, {"batch", 1}, {"bias", 1}, {"bt", 1}},
                   {{"m", 8}, {"k", 300}, {"n", 1000}, {"batch", 1}, {"bias", 1}, {"bt", 0}},
                   {{"m", 257}, {"k", 384}, {"n", 320}, {"batch", 1}, {"bias", 0}, {"bt", 0}}};
  return d;
}

KernelDef plain_gemm_problem() {
  const KernelDef all = gemm_problem();
  const auto full = [](Shape s) {
    s.merge(Shape{{"batch", 1}, {"bias", 0}, {"bt", 0}});
    return s;
  };
  KernelDef d = all;
  d.params.resize(3);  // m, k, n
  d.tensors = [all, full](const Shape& s, DType dtype) { return all.tensors(full(s), dtype); };
  d.reference = [all, full](const Shape& s, std::vector<HostTensor>& t) { all.reference(full(s), t); };
  d.work = [all, full](const Shape& s, DType dtype) { return all.work(full(s), dtype); };
  d.test_shapes.clear();
  return d;
}

}  // namespace heddle::kernels
