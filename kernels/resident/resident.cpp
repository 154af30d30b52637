// SPDX-License-Identifier: Apache-2.0
// A product whose operands lie in the scratchpad already and whose result stays there: what a chip computes, without
// what it moves. Three entries share one layout of the scratchpad: "prepare" brings A and B in, "main" multiplies,
// and "collect" takes C out; only main is timed.
//
// Plan of main, one phase after the other: A, and by blocks of columns B, to what the arrays take, if they do not take
// the dtype; block by block of C, all of k through the arrays; each block of sums to C's dtype. The arrays share a
// block by its columns and, where those do not come out even, by its rows too.
#include <algorithm>

#include "kernels/gemm/problem.hpp"
#include "kernels/registry/kernel.hpp"
#include "kernels/registry/problem.hpp"
#include "sdk/sdk.hpp"

namespace heddle::kernels {
using namespace sdk;
namespace {

constexpr std::int64_t most_depths = 8;  // array heights that are unrolled

struct Operands {
  Spm a, b, c;
};

// The same places in every entry: they are the first tiles that it asks for.
Operands operands(KernelBuilder& k, const Shape& s, DType dtype) {
  static_cast<void>(k.arg(2));  // every entry takes all arguments
  return {k.spm({at(s, "m"), at(s, "k")}, dtype), k.spm({at(s, "k"), at(s, "n")}, dtype),
          k.spm({at(s, "m"), at(s, "n")}, dtype)};
}

// Rows in which the arrays share [m, n] sums: all of them, or parts where the columns do not come out even, unless the
// rows that then pass a tile are so few that its load shows.
std::int64_t rows_of_a_share(const Target& t, std::int64_t m, std::int64_t n) {
  const std::int64_t columns = (n + t.mxu_cols - 1) / t.mxu_cols;
  std::int64_t best = m, least = 0;
  for (std::int64_t parts = 1; parts <= t.mxu_count; ++parts) {
    const std::int64_t rows = (m + parts - 1) / parts;
    const std::int64_t turns = (columns * parts + t.mxu_count - 1) / t.mxu_count;
    const std::int64_t cycles = turns * std::max<std::int64_t>(rows, t.mxu_rows) + rows;  // the last rows hide no load
    if (least == 0 || cycles < least) best = rows, least = cycles;
  }
  return best;
}

// sum (+)= a · b, both whole: columns and rows of the sums dealt to the arrays, which go through k side by side.
void multiply(KernelBuilder& k, const Acc& sum, const Spm& a, const Spm& b, const Cond& first) {
  const Target& t = k.target();
  const std::int64_t m = sum.capacity(0), n = sum.capacity(1), depth_of_k = a.capacity(1);
  const std::int64_t height = rows_of_a_share(t, m, n);
  for (std::int64_t k0 = 0; k0 < depth_of_k; k0 += t.mxu_rows) {
    int array = 0;
    for (std::int64_t n0 = 0; n0 < n; n0 += t.mxu_cols)
      for (std::int64_t m0 = 0; m0 < m; m0 += height, array = (array + 1) % t.mxu_count) {
        const std::int64_t ks = std::min<std::int64_t>(t.mxu_rows, depth_of_k - k0);
        const std::int64_t ns = std::min<std::int64_t>(t.mxu_cols, n - n0), ms = std::min(height, m - m0);
        k.load_stationary(b.rows(k0, ks).cols(n0, ns), array);
        k.matmul(sum.rows(m0, ms).cols(n0, ns), a.rows(m0, ms).cols(k0, ks),
                 k0 == 0 ? overwrite_if(first) : Mode(accumulate), array);
      }
  }
}

// body(begin, size) for blocks of at most `most` of `whole`.
template <class F>
void in_blocks(KernelBuilder& k, std::int64_t whole, std::int64_t most, F body) {
  const std::int64_t full = whole / most;
  if (full == 1) body(Scalar(0), most);
  if (full > 1) k.loop(full, [&](Scalar i) { body(i * most, most); });
  if (whole % most != 0) body(Scalar(full * most), whole % most);
}

void main_entry(KernelBuilder& k, const Shape& s, DType dtype) {
  const auto scope = k.scope("gemm_resident");
  const Operands x = operands(k, s, dtype);
  const Target& t = k.target();
  const std::int64_t m = at(s, "m"), depth_of_k = at(s, "k"), n = at(s, "n");
  const bool as_is = t.supports(dtype);
  // Blocks of C as wide as the arrays side by side, twice over, and as high as the accumulator then holds.
  const std::int64_t width = std::min<std::int64_t>(n, t.mxu_cols * 8);
  const std::int64_t height = std::clamp<std::int64_t>(t.acc_bytes / 4 / width, 1, m);
  Spm a = x.a, b = x.b;
  if (!as_is) {
    a = k.spm({m, depth_of_k}, bf16);
    b = k.spm({depth_of_k, width}, bf16);  // of one block of columns at a time
    k.convert(a, x.a);
  }
  const Acc room = k.acc({height, width}, is_float(dtype) ? fp32 : int32);
  in_blocks(k, n, width, [&](const Scalar& n0, std::int64_t ns) {
    const Spm columns = as_is ? b.cols(n0, ns) : b.cols(0, ns);
    if (!as_is) k.convert(columns, x.b.cols(n0, ns));
    in_blocks(k, m, height, [&](const Scalar& m0, std::int64_t ms) {
      const Acc sum = room.rows(0, ms).cols(0, ns);
      in_blocks(k, depth_of_k, most_depths * t.mxu_rows, [&](const Scalar& k0, std::int64_t ks) {
        multiply(k, sum, a.rows(m0, ms).cols(k0, ks), columns.rows(k0, ks), k0 == 0);
      });
      k.convert(x.c.rows(m0, ms).cols(n0, ns), sum);
    });
  });
}

const KernelRegistration registration([] {
  KernelDef d = plain_gemm_problem();
  d.name = "gemm_resident";
  d.summary = "C = A · B with operands and result in the scratchpad";
  d.params = {
      {"m", 512, 1, "rows of A and C"}, {"k", 512, 1, "columns of A, rows of B"}, {"n", 512, 1, "columns of B and C"}};
  d.dtypes = {DType::bf16, DType::fp16, DType::fp32};
  d.uses_mxu = false;  // what the arrays do not take is converted
  d.work = [](const Shape& s, DType dtype) {
    const double macs = static_cast<double>(at(s, "m") * at(s, "k")) * static_cast<double>(at(s, "n"));
    return Work{macs, dtype == DType::fp16 ? DType::bf16 : dtype, 0};
  };
  // fp16 may go through the arrays as bf16.
  d.tolerance = [](DType dtype) { return dtype == DType::fp32 ? 2e-5 : 2 * rounding(DType::bf16); };
  d.test_shapes = {{{"m", 1}, {"k", 1}, {"n", 1}},
                   {{"m", 5}, {"k", 67}, {"n", 33}},
                   {{"m", 130}, {"k", 200}, {"n", 129}},
                   {{"m", 257}, {"k", 300}, {"n", 520}}};
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "gemm_resident");
    const auto at_address = [&](int i, const char* rows, const char* cols) {
      return Tensor(k.arg(i), dtype, {at(s, rows), at(s, cols)});
    };
    k.if_(k.core_id() == 0, [&] { main_entry(k, s, dtype); });
    k.entry("prepare", [&] {
      const Operands x = operands(k, s, dtype);
      k.load(x.a, at_address(0, "m", "k"));
      k.load(x.b, at_address(1, "k", "n"));
    });
    k.entry("collect", [&] {
      const Operands x = operands(k, s, dtype);
      k.if_(k.core_id() == 0, [&] { k.store(at_address(2, "m", "n"), x.c); });
    });
    return k.finish();
  };
  return d;
}());

}  // namespace
}  // namespace heddle::kernels
