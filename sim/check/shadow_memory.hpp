// SPDX-License-Identifier: Apache-2.0
// Who last wrote and who has since read each byte of one memory, exactly.
//
// A granule of 64 bytes that was always touched as a whole costs two words: the stamp of the last write, and that of
// the last read after it (or the number of a set of reads, where several are not ordered among each other). A granule
// of which parts were touched has such a pair for each byte. A read that a later read is ordered after is forgotten:
// whoever is ordered after the later one is ordered after both. An access to many granules with the same history
// decides once.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/check/clock.hpp"
#include "sim/check/findings.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::check {

struct Cell {
  Stamp writer = 0;
  Stamp reader = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

inline constexpr std::uint64_t granule_bytes = 64;

// What the shadows of all memories share. Stamps up to `base`, and sets and details made before forget(), are of the
// past: ordered before everything that comes.
class History {
 public:
  using Detail = std::array<Cell, granule_bytes>;

  // From now on everything up to `base` is ordered before all that follows.
  void forget(Moment base);
  Moment base() const { return base_; }

  static constexpr Stamp special = Stamp{1} << 63;
  Stamp new_detail(const Cell& cell);  // its name: special | number
  Detail* find_detail(Stamp name);     // null: of the past
  void free_detail(Stamp name);
  Stamp new_set(std::vector<Stamp> readers);
  const std::vector<Stamp>* find_set(Stamp name) const;  // null: of the past

 private:
  Moment base_ = 0;
  std::uint64_t first_detail_ = 1, first_set_ = 1;  // numbers of index 0
  std::vector<std::unique_ptr<Detail>> details_;    // [0, used_details_) are live or free
  std::size_t used_details_ = 0;
  std::vector<std::size_t> free_;
  std::vector<std::vector<Stamp>> sets_;
};

// Two accesses, one of them a write, that nothing orders; or a read of sums that are added to afterwards.
struct Conflict {
  Stamp earlier = 0;
  bool earlier_writes = false;
  Stamp sums = 0;                 // of the second kind: the write that the earlier access read; else 0
  std::uint64_t bytes = 0;        // of the later access that the earlier one touched
  std::vector<ByteRange> ranges;  // the first of them, neighbours joined
};

// One access's way through a memory.
struct Access {
  const Clock& clock;  // of the instruction, with what it waited for
  Stamp stamp;
  bool write;
  bool adds = false;  // to what is there, which the write keeps
};

class ShadowMemory {
 public:
  explicit ShadowMemory(std::uint64_t capacity);
  Cell* cells() { return cells_; }

 private:
  exec::LazyBytes owned_;
  Cell* cells_;
};

// One operand's way through a memory, run by run. Neighbours mostly have the same history, so what was decided for one
// cell is remembered for the next.
class Pass {
 public:
  Pass(History& history, ShadowMemory& shadow, const Access& access)
      : history_(history), cells_(shadow.cells()), access_(access) {}

  // Bytes [begin, end), inside the memory.
  void touch(std::uint64_t begin, std::uint64_t end);
  // Of all runs so far. After a conflict both accesses count as ordered: what follows is held against the later one.
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  bool covered(Stamp s) const { return moment_of(s) <= history_.base() || access_.clock.covers(s); }
  bool apply(Cell& cell) {  // false on a conflict
    if (!known_ || cell != before_) {
      before_ = cell;
      known_ = true;
      decide(cell);
    }
    cell = after_;
    return conflicting_.empty();
  }
  void decide(const Cell& cell);
  void conflict(Stamp s, bool writes) {
    if (!covered(s)) conflicting_.push_back({s, writes, 0, 0, {}});
  }
  void found(std::uint64_t begin, std::uint64_t end);

  History& history_;
  Cell* cells_;
  const Access& access_;
  bool known_ = false;
  Cell before_, after_;
  std::vector<Conflict> conflicting_;  // with the accesses of before_; no bytes
  std::vector<Conflict> conflicts_;
};

}  // namespace heddle::check
