// SPDX-License-Identifier: Apache-2.0
// The elements of a view as they lie in the machine's memory at one moment; or at several, each element at its own.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/chip_spec.hpp"
#include "sim/exec/dims.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::inspect {

inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;

// Over the elements that somebody wrote; min, max and mean over the finite ones.
struct Statistics {
  std::uint64_t elements = 0;
  std::uint64_t finite = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t never_written = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
};

// Why the view of core `core` cannot be looked at (outside its memory, misaligned, too many elements), or nothing.
std::string why_not(const isa::View& view, std::uint32_t core, const config::ChipSpec& chip);

class TileSnapshot {
 public:
  // Holds nothing yet. Precondition: why_not() gives nothing.
  TileSnapshot(const isa::View& view, std::uint32_t chip, std::uint32_t core);

  // Takes the elements that have not been taken: all, or those that share a byte with `other`.
  void take(const exec::MachineMemory& memory);
  void take_shared(const exec::MachineMemory& memory, const isa::View& other);

  const isa::View& view() const { return view_; }
  exec::Place place() const { return place_; }
  std::uint64_t elements() const { return value_.size(); }
  // In row-major order of the view's dimensions.
  double value(std::uint64_t i) const { return value_[i]; }
  bool written(std::uint64_t i) const { return held_[i] == Held::written; }
  Statistics statistics() const;
  // f(index, byte address) of each element.
  template <class F>
  void each_address(F&& f) const {
    each([&](std::uint64_t i, std::int64_t offset) { f(i, first_byte(offset)); });
  }

 private:
  enum class Held : std::uint8_t { nothing, written, never_written };
  // f(index, offset in elements from the base)
  template <class F>
  void each(F&& f) const {
    const exec::Dims d(view_);
    std::uint64_t index = 0;
    for (std::int64_t i = 0; i < d.size[0]; ++i)
      for (std::int64_t j = 0; j < d.size[1]; ++j)
        for (std::int64_t k = 0; k < d.size[2]; ++k)
          for (std::int64_t l = 0; l < d.size[3]; ++l)
            f(index++, i * d.stride[0] + j * d.stride[1] + k * d.stride[2] + l * d.stride[3]);
  }
  void take_one(const exec::Region& region, std::uint64_t index, std::int64_t offset);
  std::uint64_t first_byte(std::int64_t offset) const;

  isa::View view_;
  exec::Place place_;
  std::vector<double> value_;
  std::vector<Held> held_;
};

}  // namespace heddle::inspect
