// SPDX-License-Identifier: Apache-2.0
// Views: what an engine operand names. A view register holds a View; an image holds templates of them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/base/dtype.hpp"

namespace heddle::isa {

// The numbers are part of the image format: append only.
enum class Space : std::uint8_t { hbm = 0, spm = 1, acc = 2, smem = 3 };
inline constexpr std::array<std::string_view, 4> space_names{"hbm", "spm", "acc", "smem"};
constexpr std::string_view name(Space s) { return space_names[static_cast<std::size_t>(s)]; }

inline constexpr int max_rank = 4;

// Element [i0, i1, ...] lies at base + (i0*stride0 + i1*stride1 + ...) elements. Dimension rank-1 is the last (fastest,
// as a rule). Sizes may be 0: the view is empty. A stride of 0 repeats; strides may be negative.
struct ViewShape {
  Space space = Space::hbm;
  DType dtype = DType::fp32;
  std::uint8_t rank = 1;   // 1..4; dimensions from rank on have size 1, stride 0
  std::uint64_t base = 0;  // byte address in the space
  std::array<std::uint32_t, max_rank> size{1, 1, 1, 1};
  std::array<std::int64_t, max_rank> stride{};  // in elements

  constexpr std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= size[static_cast<std::size_t>(d)];
    return n;
  }
  friend bool operator==(const ViewShape&, const ViewShape&) = default;
};

using ViewTemplate = ViewShape;

// The view operands of an engine instruction; the bias of vpu.fused is its vb, its row result vc.
enum class ViewOperand : std::uint8_t { vd, va, vb, vc };
inline constexpr std::array<std::string_view, 4> view_operand_names{"vd", "va", "vb", "vc"};

// A view register: a shape, and whose memory it names. `remote` false: this core's (chip's) own.
struct View : ViewShape {
  bool remote = false;
  std::uint32_t core = 0;
  std::uint32_t chip = 0;
};

}  // namespace heddle::isa
