// SPDX-License-Identifier: Apache-2.0
#include "sim/inspect/tile_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "isa/base/float_convert.hpp"
#include "sim/exec/byte_runs.hpp"
#include "sim/exec/operand_check.hpp"

namespace heddle::inspect {
namespace {

template <class T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// `odd`: the high nibble of an int4 byte.
double element(DType dtype, const std::uint8_t* at, bool odd) {
  switch (dtype) {
    case DType::fp32:
      return load<float>(at);
    case DType::bf16:
      return bf16_to_fp32(load<std::uint16_t>(at));
    case DType::fp16:
      return fp16_to_fp32(load<std::uint16_t>(at));
    case DType::fp8_e4m3:
      return fp8_e4m3_to_fp32(*at);
    case DType::fp8_e5m2:
      return fp8_e5m2_to_fp32(*at);
    case DType::int32:
      return load<std::int32_t>(at);
    case DType::int8:
      return load<std::int8_t>(at);
    case DType::int4:
      return (((*at >> (odd ? 4 : 0)) & 15) ^ 8) - 8;
  }
  return 0;
}

}  // namespace

std::string why_not(const isa::View& view, std::uint32_t core, const config::ChipSpec& chip) {
  if (view.elements() > most_elements)
    return fmt::format("it has {} elements, and at most {} can be looked at: take a part", view.elements(),
                       most_elements);
  if (exec::is_empty(view)) return {};
  exec::EngineOp op;  // as if a DMA instruction of that core used it
  op.core = core;
  try {
    exec::OperandCheck(op, chip).reach(view, "the view", exec::anywhere);
  } catch (const Error& e) {
    return e.message();
  }
  return {};
}

TileSnapshot::TileSnapshot(const isa::View& view, std::uint32_t chip, std::uint32_t core)
    : view_(view),
      place_(exec::place_of(view, chip, core)),
      value_(view.elements()),
      held_(view.elements(), Held::nothing) {}

std::uint64_t TileSnapshot::first_byte(std::int64_t offset) const {
  const std::int64_t bits = heddle::bits(view_.dtype);
  // int4 offsets may be odd and negative: the byte below.
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(view_.base) +
                                    (bits == 4 ? (offset - (offset & 1)) / 2 : offset * bits / 8));
}

void TileSnapshot::take_one(const exec::Region& region, std::uint64_t index, std::int64_t offset) {
  if (held_[index] != Held::nothing) return;
  const std::uint64_t at = first_byte(offset);
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::max(1, bits(view_.dtype) / 8));
  value_[index] = element(view_.dtype, region.data + at, (offset & 1) != 0);
  const bool known = region.written == nullptr || exec::first_clear_bit(region.written, at, bytes) == at + bytes;
  held_[index] = known ? Held::written : Held::never_written;
}

void TileSnapshot::take(const exec::MachineMemory& memory) {
  const exec::Region& region = memory.region(place_.space, place_.chip, place_.core);
  each([&](std::uint64_t i, std::int64_t offset) { take_one(region, i, offset); });
}

void TileSnapshot::take_shared(const exec::MachineMemory& memory, const isa::View& other) {
  const exec::Region& region = memory.region(place_.space, place_.chip, place_.core);
  const exec::ByteRuns runs(other);
  std::vector<std::int64_t> begins;
  runs.for_each([&](std::int64_t at) { begins.push_back(at); });
  std::sort(begins.begin(), begins.end());
  const std::int64_t bytes = std::max(1, bits(view_.dtype) / 8);
  each([&](std::uint64_t i, std::int64_t offset) {
    const auto at = static_cast<std::int64_t>(first_byte(offset));
    const auto after = std::lower_bound(begins.begin(), begins.end(), at + bytes);
    if (after != begins.begin() && *std::prev(after) + runs.length > at) take_one(region, i, offset);
  });
}

Statistics TileSnapshot::statistics() const {
  Statistics s;
  s.elements = value_.size();
  double sum = 0;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    const double v = value_[i];
    if (held_[i] != Held::written) {
      ++s.never_written;
    } else if (std::isnan(v)) {
      ++s.nan;
    } else if (std::isinf(v)) {
      ++s.infinite;
    } else {
      s.min = s.finite == 0 ? v : std::min(s.min, v);
      s.max = s.finite == 0 ? v : std::max(s.max, v);
      sum += v;
      ++s.finite;
    }
  }
  if (s.finite != 0) s.mean = sum / static_cast<double>(s.finite);
  return s;
}

}  // namespace heddle::inspect
