// SPDX-License-Identifier: Apache-2.0
#include "sim/inspect/tile_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::inspect {
namespace {

constexpr std::int64_t few = 8;   // shown whole
constexpr std::int64_t edge = 3;  // else so many on either side
constexpr std::int64_t gap = -1;

// The indices of a dimension that are shown, with a gap where some are left out.
std::vector<std::int64_t> shown(std::int64_t size, bool full, std::int64_t whole, std::int64_t outer) {
  std::vector<std::int64_t> out;
  const bool all = full || size <= whole;
  for (std::int64_t i = 0; i < size; ++i) {
    if (!all && i == outer) {
      out.push_back(gap);
      i = size - outer;
    }
    out.push_back(i);
  }
  return out;
}

class Table {
 public:
  Table(const TileSnapshot& tile, bool full, const std::string& indent) : tile_(tile), indent_(indent) {
    const exec::Dims dims(tile.view());
    std::copy(dims.size.begin(), dims.size.end(), size_.begin());
    rows_ = shown(size_[2], full, few, edge);
    columns_ = shown(size_[3], full, few, edge);
    planes_ = shown(size_[1], full, 2, 1);
    blocks_ = shown(size_[0], full, 2, 1);
  }

  std::string text() {
    if (tile_.elements() == 0) return indent_ + "(empty)\n";
    each_plane([&](std::int64_t i, std::int64_t j) {
      for (const std::int64_t r : rows_)
        for (const std::int64_t c : columns_)
          if (r != gap && c != gap) width_ = std::max(width_, cell(i, j, r, c).size());
    });
    std::string out;
    each_plane([&](std::int64_t i, std::int64_t j) {
      const int rank = tile_.view().rank;
      if (rank == 4) out += fmt::format("{}[{}, {}]\n", indent_, i, j);
      if (rank == 3) out += fmt::format("{}[{}]\n", indent_, j);
      for (const std::int64_t r : rows_) out += row(i, j, r);
    });
    return out;
  }

 private:
  template <class F>
  void each_plane(F&& f) const {
    for (const std::int64_t i : blocks_)
      for (const std::int64_t j : planes_)
        if (i != gap && j != gap) f(i, j);
  }

  std::string cell(std::int64_t i, std::int64_t j, std::int64_t r, std::int64_t c) const {
    const auto at = static_cast<std::uint64_t>(((i * size_[1] + j) * size_[2] + r) * size_[3] + c);
    return tile_.written(at) ? number_text(tile_.value(at), tile_.view().dtype) : ".";
  }

  std::string row(std::int64_t i, std::int64_t j, std::int64_t r) const {
    if (r == gap) return indent_ + "  ...\n";
    std::string out = indent_ + " ";
    for (const std::int64_t c : columns_) out += c == gap ? "  ..." : fmt::format(" {:>{}}", cell(i, j, r, c), width_);
    return out + "\n";
  }

  const TileSnapshot& tile_;
  std::array<std::int64_t, 4> size_{};
  std::string indent_;
  std::vector<std::int64_t> blocks_, planes_, rows_, columns_;
  std::size_t width_ = 0;
};

}  // namespace

std::string describe(const isa::View& v) {
  std::string out = fmt::format("{} {} [{}] at {:#x}", isa::name(v.space), name(v.dtype),
                                fmt::join(v.size.begin(), v.size.begin() + v.rank, ", "), v.base);
  if (v.remote && v.space != isa::Space::hbm) out += fmt::format(" of core {}", v.core);
  return out;
}

std::string table_text(const TileSnapshot& tile, bool full, const std::string& indent) {
  return Table(tile, full, indent).text();
}

std::string statistics_text(const Statistics& s) {
  std::string out =
      s.finite == 0 ? "no finite element" : fmt::format("min {:.6g}, max {:.6g}, mean {:.6g}", s.min, s.max, s.mean);
  std::string odd;
  const auto add = [&](std::uint64_t n, const std::string& what) {
    if (n != 0) odd += fmt::format("{}{} {}", odd.empty() ? "; " : ", ", n, what);
  };
  add(s.nan, "NaN");
  add(s.infinite, "infinite");
  add(s.never_written, fmt::format("of {} never written", s.elements));
  return out + odd;
}

std::string number_text(double value, DType dtype) {
  return is_float(dtype) ? fmt::format("{:.6g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace heddle::inspect
