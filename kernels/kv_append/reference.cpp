// SPDX-License-Identifier: Apache-2.0
#include "kernels/kv_append/problem.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {

KernelDef kv_append_problem() {
  KernelDef d;
  d.name = "kv_append";
  d.summary = "new keys and values into a paged cache, through its block table";
  d.params = {{"tokens", 64, 1, "new positions"},
              {"kv_heads", 8, 1, "key and value heads"},
              {"head_dim", 128, 1, "length of a head"},
              {"page", 64, 1, "positions a page"},
              {"position", 0, 0, "first new position"}};
  d.dtypes = {DType::bf16, DType::fp32};
  d.tensors = [](const Shape& s, DType dtype) {
    const auto page = at(s, "page"), dim = at(s, "head_dim"), kv_heads = at(s, "kv_heads");
    const std::int64_t pages = (at(s, "position") + at(s, "tokens") + page - 1) / page;
    const auto falling = [pages](std::int64_t i, std::uint64_t) { return static_cast<double>(pages - 1 - i); };
    const std::vector<std::int64_t> rows{at(s, "tokens"), kv_heads, dim}, cache{pages, kv_heads, page, dim};
    return std::vector<TensorSpec>{{"k", dtype, rows, Role::input, {}},
                                   {"v", dtype, rows, Role::input, {}},
                                   {"k_pages", dtype, cache, Role::inout, {}},
                                   {"v_pages", dtype, cache, Role::inout, {}},
                                   {"table", DType::int32, {pages}, Role::input, falling}};
  };
  d.extra_arguments = [](const Shape& s) {
    return std::vector<std::uint64_t>{static_cast<std::uint64_t>(at(s, "position")),
                                      static_cast<std::uint64_t>(at(s, "tokens"))};
  };
  d.reference = [](const Shape& s, std::vector<HostTensor>& t) {
    const auto page = at(s, "page"), dim = at(s, "head_dim"), kv_heads = at(s, "kv_heads");
    for (std::int64_t i = 0; i < at(s, "tokens"); ++i)
      for (std::int64_t h = 0; h < kv_heads; ++h)
        for (std::int64_t c = 0; c < dim; ++c) {
          const std::int64_t p = at(s, "position") + i;
          const auto where = static_cast<std::int64_t>(t[4].get(p / page));
          const std::int64_t to = ((where * kv_heads + h) * page + p % page) * dim + c,
                             from = (i * kv_heads + h) * dim + c;
          t[2].set(to, t[0].get(from));
          t[3].set(to, t[1].get(from));
        }
  };
  d.work = [](const Shape& s, DType dtype) {
    return Work{0, dtype,
                4.0 * static_cast<double>(bytes_of(dtype, at(s, "tokens") * at(s, "kv_heads") * at(s, "head_dim")))};
  };
  d.tolerance = [](DType) { return 0.0; };
  const auto shape = [](std::int64_t tokens, std::int64_t heads, std::int64_t dim, std::int64_t page,
                        std::int64_t position) {
    return Shape{{"tokens", tokens}, {"kv_heads", heads}, {"head_dim", dim}, {"page", page}, {"position", position}};
  };
  d.test_shapes = {shape(1, 1, 64, 64, 0), shape(1, 3, 64, 64, 63), shape(1, 3, 64, 64, 64), shape(67, 3, 64, 16, 5),
                   shape(130, 2, 128, 64, 0)};
  return d;
}

}  // namespace heddle::kernels
