// SPDX-License-Identifier: Apache-2.0
#include "testbench/rtl/random_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "isa/base/dtype.hpp"
#include "isa/base/float_convert.hpp"

namespace heddle::testing {
namespace {

constexpr int acc_bytes = 64 << 10;
constexpr int region_bytes = 32 << 10;  // of SPM, one a dtype; the last one is the other engines' own

class Writer {
 public:
  Writer(const rtl::Geometry& array, std::uint32_t seed) : g_(array), random_(seed) {
    for (const DType t : {DType::fp32, DType::bf16, DType::fp16, DType::fp8_e4m3, DType::fp8_e5m2, DType::int8}) {
      const bool fits = !is_float(t) ? g_.int8 : t == DType::bf16 ? g_.mantissa >= 7 : g_.mantissa == 23;
      if (fits) dtypes_.push_back(t);
    }
  }

  RandomProgram write() {
    configure();
    fill();
    prologue();
    const int steps = 4 + pick(36);
    for (int i = 0; i < steps; ++i) step(i == 0);
    epilogue();
    return std::move(out_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return pick(100) < percent; }
  template <class... T>
  void line(fmt::format_string<T...> text, T&&... values) {
    out_.text += fmt::format(text, std::forward<T>(values)...) + "\n";
  }
  void set(const std::string& key, const std::string& value) { out_.overrides.push_back(key + "=" + value); }

  void configure() {
    set("core.mxu.rows", std::to_string(g_.rows));
    set("core.mxu.cols", std::to_string(g_.cols));
    set("core.mxu.dataflow", g_.output_stationary ? "output_stationary" : "weight_stationary");
    set("core.mxu.background_load", chance(70) ? "true" : "false");
    set("core.mxu.load_rows_per_cycle", chance(80) ? "1" : fmt::format("1/{}", 2 + pick(3)));
    set("core.mxu.issue_cycles", chance(70) ? "1" : std::to_string(2 + pick(6)));
    set("core.scratchpad.latency", std::to_string(chance(30) ? 0 : 1 + pick(12)));
    set("core.sequencer.queue_depth", std::to_string(1 + pick(12)));
    set("check", "uninit");  // what runs beside the array is there for its traffic, and races on purpose
    for (int t = 0; t < dtype_count; ++t) {
      const auto type = static_cast<DType>(t);
      if (type == DType::int32) continue;
      const bool has = std::find(dtypes_.begin(), dtypes_.end(), type) != dtypes_.end();
      set(fmt::format("core.mxu.rate.{}", name(type)), !has         ? "0"
                                                       : chance(70) ? "1"
                                                                    : fmt::format("1/{}", 1 + pick(5)));
    }
  }

  std::uint32_t float_bits() {
    switch (pick(40)) {
      case 0:
        return 0x7f800000u | static_cast<std::uint32_t>(random_() & 0x80000000u);  // infinity
      case 1:
        return pick(3) == 0 ? 0x7fc00000u : static_cast<std::uint32_t>(random_());  // anything
      case 2:
      case 3:
        return static_cast<std::uint32_t>(random_()) & 0x80ffffffu;  // subnormal, and the smallest normal numbers
      case 4:
        return static_cast<std::uint32_t>(random_()) & 0x80000000u;  // zero
      default:  // within a few powers of two, so that sums cancel and round
        return (static_cast<std::uint32_t>(random_()) & 0x81ffffffu) | 0x3e000000u;
    }
  }

  void fill() {
    out_.spm.resize((dtypes_.size() + 1) * region_bytes);
    for (std::size_t i = 0; i < dtypes_.size(); ++i) {
      std::uint8_t* to = out_.spm.data() + i * region_bytes;
      const int width = bits(dtypes_[i]) / 8;
      for (int at = 0; at < region_bytes; at += width) {
        const std::uint32_t word = float_bits();
        if (dtypes_[i] == DType::fp32 || dtypes_[i] == DType::bf16)
          std::memcpy(to + at, reinterpret_cast<const std::uint8_t*>(&word) + 4 - width,
                      static_cast<std::size_t>(width));
        else if (dtypes_[i] == DType::fp16)
          std::memcpy(to + at, std::vector{fp32_to_fp16(std::bit_cast<float>(word))}.data(), 2);
        else
          to[at] = static_cast<std::uint8_t>(random_());
      }
    }
    out_.acc.resize(acc_bytes);
    for (int at = 0; at < acc_bytes; at += 4) {
      const std::uint32_t word = float_bits();
      std::memcpy(out_.acc.data() + at, &word, 4);
    }
  }

  void prologue() {
    line(".entry start, 3");
    line(".view spm_far, hbm, int8, [{}]", out_.spm.size());
    line(".view spm_all, spm, int8, [{}]", out_.spm.size());
    line(".view acc_far, hbm, fp32, [{}]", acc_bytes / 4);
    line(".view acc_all, acc, fp32, [{}]", acc_bytes / 4);
    line(".view other, spm, fp32, [{}], base={}", region_bytes / 4, dtypes_.size() * region_bytes);
    line(".view other_far, hbm, fp32, [{}]", region_bytes / 4);
    line("start: ld x4, x0, 0\nld x5, x0, 8\nld x6, x0, 16");
    line("view v1, spm_far, base=x4\nview v2, spm_all\nview v3, acc_far, base=x5\nview v4, acc_all\nview v5, other");
    line(
        "dma.copy v2, v1 post s0\ndma.copy v4, v3 post s0\nsem.wait s0, 2\nview v6, acc_far, base=x6\nview v10, "
        "other_far, base=x6");
  }

  // A view [rows, cols] of `dtype` into register `v`: dense, padded, all rows in one bank, or column by column.
  void view(const std::string& v, std::size_t dtype, int rows, int cols) {
    const int width = bits(dtypes_[dtype]) / 8;
    const int elements = region_bytes / width;
    int row_step = cols;
    int col_step = 1;
    if (chance(20)) row_step = cols + pick(9);
    if (chance(12)) row_step = 1024 / width;  // 16 banks of 64 bytes: the same bank again
    if (chance(8)) {
      col_step = rows + pick(4);
      row_step = 1;
    }
    if ((rows - 1) * row_step + (cols - 1) * col_step >= elements) {
      row_step = cols;
      col_step = 1;
    }
    const int span = (rows - 1) * row_step + (cols - 1) * col_step + 1;
    const int base = static_cast<int>(dtype) * region_bytes + pick(elements - span + 1) * width;
    line(".view t{}, spm, {}, [{}, {}], strides=[{}, {}], base={}", views_, name(dtypes_[dtype]), rows, cols, row_step,
         col_step, base);
    line("view {}, t{}{}", v, views_++, empty_ ? ", dim0=0, size0=x31" : "");
  }

  int up_to(std::int64_t n) { return chance(40) ? static_cast<int>(n) : 1 + pick(static_cast<int>(n)); }

  void load() {
    tile_ = static_cast<std::size_t>(pick(static_cast<int>(dtypes_.size())));
    k_ = up_to(g_.rows);
    n_ = up_to(g_.cols);
    const bool transposed = chance(30);
    view("v7", tile_, transposed ? n_ : k_, transposed ? k_ : n_);
    line("mxu.load v7{}{}", transposed ? ", transposed" : "", words());
  }

  void matmul() {
    const int m = chance(15) ? 1 : 1 + pick(static_cast<int>(3 * g_.rows + 6));
    view("v8", tile_, m, k_);
    const int step = n_ + (chance(30) ? pick(7) : 0);
    const int span = (m - 1) * step + n_;
    line(".view t{}, acc, {}, [{}, {}], strides=[{}, 1], base={}", views_, is_float(dtypes_[tile_]) ? "fp32" : "int32",
         m, n_, step, 4 * pick(acc_bytes / 4 - span + 1));
    line("view v9, t{}{}", views_++, empty_ ? ", dim0=0, size0=x31" : "");
    line("mxu.matmul v9, v8{}{}", chance(50) ? ", accumulate" : "", words());
  }

  // Waits for what was posted for this instruction, posts for the sequencer.
  std::string words() {
    std::string out;
    if (late_ != 0) out += fmt::format(" wait s{}", late_);
    late_ = 0;
    if (chance(35)) {
      out += out.empty() ? " post s4" : ", post s4";
      ++posts_;
    }
    return out;
  }

  void step(bool first) {
    // How this instruction comes late, if it does.
    if (chance(25))
      for (int i = pick(70); i > 0; --i) line("addi x9, x9, 1");
    if (chance(12)) {
      line("vpu.add.i v5, v5, 1.0 post s2");
      late_ = 2;
    } else if (chance(8)) {
      line("dma.copy v10, v5, on=1 post s3");  // from SPM to HBM: ends off the core's clock edges
      late_ = 3;
    }
    if (posts_ > 0 && chance(15)) {
      line("sem.wait s4, 1");
      --posts_;
    }
    empty_ = !first && chance(6);
    if (!first && !empty_ && chance(6))
      line("mxu.sync{}", words());
    else if (first || (!empty_ && chance(35)))
      load();
    else
      matmul();
    empty_ = false;
  }

  void epilogue() {
    for (; posts_ > 0; --posts_) line("sem.wait s4, 1");
    line("fence\ndma.copy v6, v4 post s0\nsem.wait s0, 1\nhalt");
  }

  rtl::Geometry g_;
  std::mt19937 random_;
  std::vector<DType> dtypes_;
  RandomProgram out_;
  std::size_t tile_ = 0;  // dtype of the tile loaded last
  int k_ = 0, n_ = 0;
  int views_ = 0;
  int late_ = 0;  // semaphore that the next instruction waits for
  int posts_ = 0;
  bool empty_ = false;
};

}  // namespace

RandomProgram random_program(const rtl::Geometry& array, std::uint32_t seed) { return Writer(array, seed).write(); }

}  // namespace heddle::testing
