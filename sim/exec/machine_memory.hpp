// SPDX-License-Identifier: Apache-2.0
// Every byte of a simulated machine: HBM of a chip, and SPM, ACC and SMEM of each core, flat in host memory and
// committed by the host only where touched. Beside each byte stands one bit, "somebody wrote it"; in timing mode there
// are none. Not synchronised: whoever runs values on another thread orders its accesses (see value_stream.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/image/view.hpp"
#include "sim/config/chip_spec.hpp"

namespace heddle::exec {

// Anonymous host memory, zero until written, committed page by page.
class LazyBytes {
 public:
  LazyBytes() = default;
  explicit LazyBytes(std::uint64_t bytes);  // HDL-MEM-01 when the host has no such address range
  ~LazyBytes();
  LazyBytes(LazyBytes&& other) noexcept;
  LazyBytes& operator=(LazyBytes&& other) noexcept;
  LazyBytes(const LazyBytes&) = delete;
  LazyBytes& operator=(const LazyBytes&) = delete;

  std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// One space of one owner. `written` holds bit (a mod 64) of word (a / 64) for byte a; null when nothing is tracked.
struct Region {
  std::uint8_t* data = nullptr;
  std::uint64_t* written = nullptr;
  std::uint64_t capacity = 0;
};

struct MemoryRange {
  isa::Space space = isa::Space::hbm;
  std::uint32_t chip = 0;
  std::uint32_t core = 0;  // HBM: ignored
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

class MachineMemory {
 public:
  // track_written false: no shadow; nothing is ever found unwritten, and bytes that nobody wrote read as zero.
  MachineMemory(const config::ChipSpec& chip, bool track_written);

  // First byte of a space; the caller stays below capacity(). chip and core must exist.
  std::uint8_t* data(isa::Space space, std::uint32_t chip, std::uint32_t core) {
    return region(space, chip, core).data;
  }
  const Region& region(isa::Space space, std::uint32_t chip, std::uint32_t core) const {
    const std::size_t row = space == isa::Space::hbm ? chip * stride_ : chip * stride_ + 3 * core;
    return regions_[row + static_cast<std::size_t>(space)];
  }
  std::uint64_t capacity(isa::Space space) const { return region(space, 0, 0).capacity; }
  std::uint32_t chips() const { return chips_; }
  std::uint32_t cores() const { return cores_; }
  bool tracks_written() const { return track_; }

  void mark_written(const MemoryRange& range);
  // The bytes hold nothing of use any more, as at the beginning.
  void forget_written(const MemoryRange& range);
  // Throws HDL-EXEC-02 (kind program) naming the first byte that nobody wrote.
  void check_written(const MemoryRange& range) const;

  // SMEM of every core: zero and unwritten, then the launch arguments as 64-bit words from byte 0 on.
  // Throws HDL-EXEC-01 (kind bad_input) when they do not fit.
  void begin_launch(std::span<const std::uint64_t> arguments);

  // The host's own access to HBM; throws HDL-EXEC-01 (kind bad_input) outside the capacity. A write marks its bytes
  // written; a read of bytes that nobody wrote gives zeros.
  void host_write(std::uint32_t chip, std::uint64_t address, const void* from, std::uint64_t bytes);
  void host_read(std::uint32_t chip, std::uint64_t address, void* to, std::uint64_t bytes) const;

 private:
  std::uint32_t chips_ = 0;
  std::uint32_t cores_ = 0;
  bool track_ = false;
  std::size_t stride_ = 0;  // regions of a chip: HBM, then SPM, ACC, SMEM of each core
  std::vector<Region> regions_;
  std::vector<LazyBytes> owned_;
};

// The bits [begin, begin + bytes) of a shadow.
void set_bits(std::uint64_t* bits, std::uint64_t begin, std::uint64_t bytes);
void clear_bits(std::uint64_t* bits, std::uint64_t begin, std::uint64_t bytes);
// The first clear bit of the range, or begin + bytes when all are set.
std::uint64_t first_clear_bit(const std::uint64_t* bits, std::uint64_t begin, std::uint64_t bytes);

}  // namespace heddle::exec
