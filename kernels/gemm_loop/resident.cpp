// SPDX-License-Identifier: Apache-2.0
// The array alone: both operands wait in the scratchpad, and the sums stay in the accumulator. `prepare` brings the
// operands in, `main` multiplies, `collect` brings the sums out. Blocks go in the order m, n, k: a load of B's block,
// the matmul of A's block on it.
#include <algorithm>

#include "kernels/gemm/problem.hpp"
#include "kernels/gemm_loop/gemm_loop.hpp"
#include "kernels/registry/problem.hpp"

namespace heddle::kernels {
using namespace sdk;

namespace {

class Resident {
 public:
  Resident(KernelBuilder& k, std::int64_t m, std::int64_t depth, std::int64_t n, DType dtype)
      : k_(k), e_(k.emit()), m_(m), depth_(depth), n_(n), dtype_(dtype) {
    const Target& t = k.target();
    rows_ = t.mxu_rows;
    cols_ = t.mxu_cols;
    bytes_ = bits(dtype) / 8;
    const std::int64_t width = t.spm_width_bytes;
    b_offset_ = std::max(t.spm_bytes / 2, m * depth * bytes_ + width - 1) / width * width;
    if (b_offset_ + depth * n * bytes_ > t.spm_bytes || m * n * 4 > t.acc_bytes)
      k.error("HDL-KRN-04",
              fmt::format("operands of {} x {} x {} do not fit the scratchpad of {} bytes with the sums in "
                          "accumulators of {}",
                          m, depth, n, t.spm_bytes, t.acc_bytes));
  }

  void load() {
    const SemRef loaded = k_.semaphore();
    e_.dma_copy(on(0), view(isa::Space::spm, dtype_, m_, depth_, depth_, 0),
                view(isa::Space::hbm, dtype_, m_, depth_, depth_, k_.arg(0)));
    e_.dma_copy(on(0, post(loaded)), view(isa::Space::spm, dtype_, depth_, n_, n_, b_offset_),
                view(isa::Space::hbm, dtype_, depth_, n_, n_, k_.arg(1)));
    e_.sem_wait(loaded, 1);
  }

  // The first block stands before the loops, so that the array begins in the same cycle whatever the sizes.
  void compute() {
    const auto scope = k_.scope("gemm_array");
    const std::int64_t high = std::min(rows_, m_), wide = std::min(cols_, n_);
    block(0, b_offset_, 0, high, wide);
    Var b = k_.var(b_offset_ + wide * bytes_), c = k_.var(wide * 4);
    row_of_blocks(0, b, c, high, wide);
    Var a = k_.var(high * depth_ * bytes_);
    in_parts(high, m_, rows_, [&](std::int64_t rows) {
      c += (high - 1) * n_ * 4;  // the rows above: all but a last one are as high
      b = Scalar(b_offset_);
      row_of_blocks(a, b, c, rows, 0);
      a += rows * depth_ * bytes_;
    });
    k_.fence();
  }

  void store() {
    const SemRef stored = k_.semaphore();
    const DType sums = is_float(dtype_) ? fp32 : int32;
    e_.dma_copy(on(0, post(stored)), view(isa::Space::hbm, sums, m_, n_, n_, k_.arg(2)),
                view(isa::Space::acc, sums, m_, n_, n_, 0));
    e_.sem_wait(stored, 1);
  }

 private:
  V view(isa::Space space, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t pitch, Scalar base) {
    isa::ViewTemplate v;
    v.space = space;
    v.dtype = dtype;
    v.rank = 2;
    v.size = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols), 1, 1};
    v.stride = {pitch, 1, 0, 0};
    if (base.is_constant()) v.base = static_cast<std::uint64_t>(base.constant());
    return e_.view(e_.view_template(v), base.is_constant() ? Scalar(0) : base);
  }
  // body(size) for the blocks from `begin` on: the whole ones in a loop, then what is left.
  template <class F>
  void in_parts(std::int64_t begin, std::int64_t whole, std::int64_t block, F&& body) {
    if (begin >= whole) return;
    k_.loop(whole / block - begin / block, [&](Scalar) { body(block); });
    if (whole % block != 0) body(whole % block);
  }
  void row_of_blocks(Scalar a, Var& b, Var& c, std::int64_t high, std::int64_t begin) {
    in_parts(begin, n_, cols_, [&](std::int64_t wide) {
      block(a, b, c, high, wide);
      b += wide * bytes_;
      c += wide * 4;
    });
  }

  // c[high, wide] = A's rows at a · B's columns at b.
  void block(Scalar a, Scalar b, Scalar c, std::int64_t high, std::int64_t wide) {
    const std::int64_t deep = std::min(rows_, depth_);
    const V vb = view(isa::Space::spm, dtype_, deep, wide, n_, b);
    e_.mxu_load(on(0), vb);
    const V va = view(isa::Space::spm, dtype_, high, deep, depth_, a);
    const V vc = view(isa::Space::acc, is_float(dtype_) ? fp32 : int32, high, wide, n_, c);
    e_.mxu_matmul(on(0), vc, va, false);
    const auto deeper = [&] {
      e_.view_advance(vb, 0, static_cast<std::int32_t>(rows_ * n_ * bytes_));
      e_.view_advance(va, 0, static_cast<std::int32_t>(rows_ * bytes_));
    };
    const auto multiply = [&] {
      e_.mxu_load(on(0), vb);
      e_.mxu_matmul(on(0), vc, va, true);
    };
    k_.loop(1, depth_ / rows_, 1, [&](Scalar) {
      deeper();
      multiply();
    });
    if (depth_ % rows_ == 0 || depth_ < rows_) return;
    deeper();
    e_.view_size(va, 1, depth_ % rows_);
    e_.view_size(vb, 0, depth_ % rows_);
    multiply();
  }

  KernelBuilder& k_;
  Emitter& e_;
  std::int64_t m_, depth_, n_;
  DType dtype_;
  std::int64_t rows_ = 0, cols_ = 0, bytes_ = 1, b_offset_ = 0;
};

std::vector<TensorSpec> tensors_of(const Shape& s, DType dtype) {
  return {{"a", dtype, {at(s, "m"), at(s, "k")}, Role::input, {}},
          {"b", dtype, {at(s, "k"), at(s, "n")}, Role::input, {}},
          {"c", is_float(dtype) ? DType::fp32 : DType::int32, {at(s, "m"), at(s, "n")}, Role::output, {}}};
}

const KernelRegistration registration([] {
  KernelDef d = gemm_int8_problem();
  d.name = "gemm_array";
  d.summary = "C = A · B with both operands in the scratchpad and the sums left in the accumulator";
  d.params = {
      {"m", 64, 1, "rows of A and C"}, {"k", 256, 1, "columns of A, rows of B"}, {"n", 64, 1, "columns of B and C"}};
  d.dtypes = {DType::int8, DType::fp16};
  d.tensors = tensors_of;
  d.reference = plain_gemm_problem().reference;
  d.work = [](const Shape& s, DType dtype) {  // nothing comes from the memory, or goes there
    return Work{static_cast<double>(at(s, "m")) * static_cast<double>(at(s, "k") * at(s, "n")), dtype, 0};
  };
  d.tolerance = [](DType dtype) { return is_float(dtype) ? 2e-5 : 0.0; };
  d.build = [](const Target& target, const Shape& s, DType dtype) {
    KernelBuilder k(target, "gemm_array");
    Resident r(k, at(s, "m"), at(s, "k"), at(s, "n"), dtype);
    const auto on_one_core = [&](auto&& part) {
      static_cast<void>(k.arg(2));  // every entry takes all arguments
      target.cores == 1 ? part() : k.if_(k.core_id() == 0, part);
    };
    on_one_core([&] { r.compute(); });
    k.entry("prepare", [&] { on_one_core([&] { r.load(); }); });
    k.entry("collect", [&] { on_one_core([&] { r.store(); }); });
    return k.finish();
  };
  d.test_shapes = {{{"m", 1}, {"k", 1}, {"n", 1}},
                   {{"m", 64}, {"k", 64}, {"n", 64}},
                   {{"m", 17}, {"k", 130}, {"n", 70}},
                   {{"m", 130}, {"k", 70}, {"n", 200}},
                   {{"m", 128}, {"k", 192}, {"n", 128}}};
  return d;
}());

}  // namespace

}  // namespace heddle::kernels
