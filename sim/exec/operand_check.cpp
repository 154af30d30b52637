// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/operand_check.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace heddle::exec {
namespace {

using isa::Space;
using isa::View;

__extension__ typedef __int128 Wide;  // sizes are 32 bits, strides and bases 64: their products fit

std::uint64_t capacity_of(Space space, const config::ChipSpec& chip) {
  switch (space) {
    case Space::hbm:
      return static_cast<std::uint64_t>(chip.memory.capacity_bytes);
    case Space::spm:
      return static_cast<std::uint64_t>(chip.core.scratchpad.size_bytes);
    case Space::acc:
      return static_cast<std::uint64_t>(chip.core.accumulator.size_bytes);
    case Space::smem:
      return static_cast<std::uint64_t>(chip.core.smem.size_bytes);
  }
  return 0;
}

void check_nibbles(const View& v, const char* what) {
  const std::size_t last = v.rank - 1u;
  if (v.size[last] > 1 && v.stride[last] != 1)
    refuse("HDL-EXEC-05", "{} is int4 with last stride {}; expected 1", what, v.stride[last]);
  for (std::size_t d = 0; d < last; ++d)
    if (v.size[d] > 1 && v.stride[d] % 2 != 0)
      refuse("HDL-EXEC-05", "{} is int4 with stride {} in dimension {}: rows must begin at a byte", what, v.stride[d],
             d);
}

[[noreturn]] void refuse_bounds(const View& v, const char* what, Wide begin, Wide end, std::uint64_t capacity) {
  const auto shown = [](Wide w) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp<Wide>(w, -most, most));
  };
  refuse("HDL-EXEC-01", "{} ({} from {:#x}) reaches {} bytes [{}, {}), the memory has {}", what, shape_text(v), v.base,
         isa::name(v.space), shown(begin), shown(end), capacity);
}

}  // namespace

std::string shape_text(const View& v) {
  return fmt::format("{} [{}]", name(v.dtype), fmt::join(v.size.begin(), v.size.begin() + v.rank, ", "));
}

Reached OperandCheck::reach(const View& v, const char* what, unsigned spaces) const {
  if ((spaces >> static_cast<unsigned>(v.space) & 1u) == 0)
    refuse("HDL-EXEC-04", "{} lies in {}, which this instruction cannot use there", what, isa::name(v.space));
  if (v.remote) {
    if (v.chip != 0 || v.core >= static_cast<std::uint64_t>(chip_.cores))
      refuse("HDL-EXEC-10", "{} names core {} of chip {}; the machine has {} cores and chip 0", what, v.core, v.chip,
             chip_.cores);
    if (spaces != anywhere && (v.core != op_.core || v.chip != op_.chip))
      refuse("HDL-EXEC-04", "{} is remote; only DMA reaches another core", what);
  }
  Wide low = 0;
  Wide high = 0;  // in elements, of the first and the last one
  for (std::size_t d = 0; d < v.rank; ++d) {
    const Wide far = static_cast<Wide>(v.size[d] - 1) * v.stride[d];
    (far < 0 ? low : high) += far;
  }
  const int element_bits = bits(v.dtype);
  Wide begin = static_cast<Wide>(v.base);
  Wide end = begin;
  if (element_bits == 4) {
    check_nibbles(v, what);
    begin += low / 2;
    end += high / 2 + 1;
  } else {
    const std::int64_t width = element_bits / 8;
    if ((v.base & static_cast<std::uint64_t>(width - 1)) != 0)
      refuse("HDL-EXEC-05", "{} begins at {:#x}, not aligned to its {} of {} bytes", what, v.base, name(v.dtype),
             width);
    begin += low * width;
    end += (high + 1) * width;
  }
  const std::uint64_t capacity = capacity_of(v.space, chip_);
  if (begin < 0 || end > static_cast<Wide>(capacity)) refuse_bounds(v, what, begin, end, capacity);
  return {v, what, Dims(v), static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
}

Reached OperandCheck::reach_destination(const View& v, const char* what, unsigned spaces) const {
  for (std::size_t d = 0; d < v.rank; ++d)
    if (v.size[d] > 1 && v.stride[d] == 0)
      refuse("HDL-EXEC-05", "{} has stride 0 in dimension {} of size {}: its elements overlap", what, d, v.size[d]);
  return reach(v, what, spaces);
}

void OperandCheck::same_dtype(const Reached& a, const Reached& b) {
  if (a.view.dtype != b.view.dtype)
    refuse("HDL-EXEC-03", "dtypes differ: {} {}, {} {}", a.what, name(a.view.dtype), b.what, name(b.view.dtype));
}

void OperandCheck::same_sizes(const Reached& to, const Reached& from) {
  if (to.dims.size != from.dims.size)
    refuse("HDL-EXEC-03", "{} is {}, the destination {}", from.what, shape_text(from.view), shape_text(to.view));
}

void OperandCheck::repeats(const Reached& to, const Reached& from) {
  for (std::size_t d = 0; d < 4; ++d)
    if (from.dims.size[d] != to.dims.size[d] && from.dims.size[d] != 1)
      refuse("HDL-EXEC-03", "{} is {}, which does not repeat to the destination's {}", from.what, shape_text(from.view),
             shape_text(to.view));
}

void OperandCheck::reduces(const Reached& to, const Reached& from, std::uint32_t last) {
  const auto& a = to.dims.size;
  const auto& b = from.dims.size;
  if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2] || a[3] != last)
    refuse("HDL-EXEC-03", "{} is {}; expected the source's {} with {} as last size", to.what, shape_text(to.view),
           shape_text(from.view), last);
}

void OperandCheck::require_int32(const Reached& r) {
  if (r.view.dtype != DType::int32) refuse("HDL-EXEC-03", "{} is {}; expected int32", r.what, name(r.view.dtype));
}

void OperandCheck::apart(const Reached& to, const Reached& from, bool same_ok) const {
  if (to.end <= from.begin || from.end <= to.begin) return;
  if (place_of(to.view, op_.chip, op_.core) != place_of(from.view, op_.chip, op_.core)) return;
  if (same_ok && to.view.base == from.view.base && bits(to.view.dtype) == bits(from.view.dtype) &&
      to.dims.size == from.dims.size) {
    bool same = true;
    for (std::size_t d = 0; d < 4; ++d)
      same = same && (to.dims.size[d] == 1 || to.dims.stride[d] == from.dims.stride[d]);
    if (same) return;
  }
  if (touch_common_byte(to.view, from.view)) refuse("HDL-EXEC-05", "{} and {} overlap", to.what, from.what);
}

}  // namespace heddle::exec
