// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/machine_memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "isa/base/error.hpp"

namespace heddle::exec {

LazyBytes::LazyBytes(std::uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    fail(ErrorKind::unsupported, "HDL-MEM-01", "this host cannot reserve {} bytes of address space for the machine",
         bytes);
  data_ = static_cast<std::uint8_t*>(p);
}

LazyBytes::~LazyBytes() {
  if (data_ != nullptr) munmap(data_, size_);
}

LazyBytes::LazyBytes(LazyBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LazyBytes& LazyBytes::operator=(LazyBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

namespace {

// Bits [from, to) of one word, 0 <= from < to <= 64.
constexpr std::uint64_t word_mask(std::uint64_t from, std::uint64_t to) {
  return (~0ull << from) & (~0ull >> (64 - to));
}

}  // namespace

void set_bits(std::uint64_t* bits, std::uint64_t begin, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = begin + bytes;
  const std::uint64_t first = begin / 64;
  const std::uint64_t last = (end - 1) / 64;
  if (first == last) {
    bits[first] |= word_mask(begin % 64, end - first * 64);
    return;
  }
  bits[first] |= ~0ull << (begin % 64);
  std::memset(bits + first + 1, 0xff, (last - first - 1) * sizeof(std::uint64_t));
  bits[last] |= word_mask(0, end - last * 64);
}

void clear_bits(std::uint64_t* bits, std::uint64_t begin, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = begin + bytes;
  const std::uint64_t first = begin / 64;
  const std::uint64_t last = (end - 1) / 64;
  if (first == last) {
    bits[first] &= ~word_mask(begin % 64, end - first * 64);
    return;
  }
  bits[first] &= ~(~0ull << (begin % 64));
  std::memset(bits + first + 1, 0, (last - first - 1) * sizeof(std::uint64_t));
  bits[last] &= ~word_mask(0, end - last * 64);
}

std::uint64_t first_clear_bit(const std::uint64_t* bits, std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t end = begin + bytes;
  if (bytes == 0) return end;
  const std::uint64_t first = begin / 64;
  const std::uint64_t last = (end - 1) / 64;
  const auto missing = [&](std::uint64_t word, std::uint64_t mask) { return ~bits[word] & mask; };
  const auto found = [](std::uint64_t word, std::uint64_t clear) {
    return word * 64 + static_cast<std::uint64_t>(__builtin_ctzll(clear));
  };
  if (first == last) {
    const std::uint64_t clear = missing(first, word_mask(begin % 64, end - first * 64));
    return clear == 0 ? end : found(first, clear);
  }
  if (const std::uint64_t clear = missing(first, ~0ull << (begin % 64)); clear != 0) return found(first, clear);
  for (std::uint64_t w = first + 1; w < last; ++w)
    if (bits[w] != ~0ull) return found(w, ~bits[w]);
  const std::uint64_t clear = missing(last, word_mask(0, end - last * 64));
  return clear == 0 ? end : found(last, clear);
}

MachineMemory::MachineMemory(const config::ChipSpec& chip, bool track_written)
    // Links carry no values between chips: one chip's memory exists, whatever chip.chips says.
    : chips_(1), cores_(static_cast<std::uint32_t>(chip.cores)), track_(track_written), stride_(1 + 3 * cores_) {
  const auto add = [&](std::int64_t capacity) {
    Region r;
    r.capacity = static_cast<std::uint64_t>(capacity);
    owned_.emplace_back(r.capacity);
    r.data = owned_.back().data();
    if (track_) {
      owned_.emplace_back((r.capacity + 63) / 64 * sizeof(std::uint64_t));
      r.written = reinterpret_cast<std::uint64_t*>(owned_.back().data());
    }
    regions_.push_back(r);
  };
  add(chip.memory.capacity_bytes);
  for (std::uint32_t c = 0; c < cores_; ++c) {
    add(chip.core.scratchpad.size_bytes);
    add(chip.core.accumulator.size_bytes);
    add(chip.core.smem.size_bytes);
  }
}

void MachineMemory::mark_written(const MemoryRange& range) {
  const Region& r = region(range.space, range.chip, range.core);
  if (r.written != nullptr) set_bits(r.written, range.begin, range.bytes);
}

void MachineMemory::forget_written(const MemoryRange& range) {
  const Region& r = region(range.space, range.chip, range.core);
  if (r.written != nullptr) clear_bits(r.written, range.begin, range.bytes);
}

void MachineMemory::check_written(const MemoryRange& range) const {
  const Region& r = region(range.space, range.chip, range.core);
  if (r.written == nullptr) return;
  const std::uint64_t first = first_clear_bit(r.written, range.begin, range.bytes);
  if (first != range.begin + range.bytes)
    fail(ErrorKind::program, "HDL-EXEC-02", "reads {} byte {:#x}, which nobody has written", isa::name(range.space),
         first);
}

void MachineMemory::begin_launch(std::span<const std::uint64_t> arguments) {
  const std::uint64_t bytes = arguments.size_bytes();
  if (bytes > capacity(isa::Space::smem))
    fail(ErrorKind::bad_input, "HDL-EXEC-01", "{} launch arguments do not fit the {} bytes of SMEM", arguments.size(),
         capacity(isa::Space::smem));
  for (std::uint32_t chip = 0; chip < chips_; ++chip) {
    for (std::uint32_t core = 0; core < cores_; ++core) {
      const Region& r = region(isa::Space::smem, chip, core);
      std::memset(r.data, 0, r.capacity);
      if (r.written != nullptr) std::memset(r.written, 0, (r.capacity + 63) / 64 * sizeof(std::uint64_t));
      if (bytes != 0) std::memcpy(r.data, arguments.data(), bytes);
      mark_written({isa::Space::smem, chip, core, 0, bytes});
    }
  }
}

namespace {

void require_inside(std::uint64_t address, std::uint64_t bytes, std::uint64_t capacity) {
  if (address > capacity || bytes > capacity - address)
    fail(ErrorKind::bad_input, "HDL-EXEC-01", "the host reaches HBM bytes [{:#x}, {:#x}), the chip has {:#x}", address,
         address + bytes, capacity);
}

}  // namespace

void MachineMemory::host_write(std::uint32_t chip, std::uint64_t address, const void* from, std::uint64_t bytes) {
  const Region& r = region(isa::Space::hbm, chip, 0);
  require_inside(address, bytes, r.capacity);
  if (bytes == 0) return;
  std::memcpy(r.data + address, from, bytes);
  if (r.written != nullptr) set_bits(r.written, address, bytes);
}

void MachineMemory::host_read(std::uint32_t chip, std::uint64_t address, void* to, std::uint64_t bytes) const {
  const Region& r = region(isa::Space::hbm, chip, 0);
  require_inside(address, bytes, r.capacity);
  if (bytes != 0) std::memcpy(to, r.data + address, bytes);
}

}  // namespace heddle::exec
