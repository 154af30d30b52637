// SPDX-License-Identifier: Apache-2.0
// Linear scan over the line of instructions. A value lives from its first write to its last read, and through every
// loop that it enters. Where there are too few view registers, the cheapest views are made again at each use; where
// there are too few scalar registers, the cheapest values are made again (constants, arguments) or kept in SMEM.
#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/base/error.hpp"
#include "sdk/arch/flat.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

constexpr int first_scalar = 3;
constexpr int scalar_registers = 32;
constexpr int scratch_registers = 3;  // the most scalars one instruction reads
constexpr int view_registers = 32;

struct Interval {
  std::uint32_t id = 0;
  int begin = -1;
  int end = -1;
  double weight = 0;  // reads and writes, ten times for each loop around them
  bool can_spill = true;
};

struct Turn {
  int begin = 0, end = 0;
};

// One pass over the line: where each value and view lives.
class Liveness {
 public:
  Liveness(std::vector<Flat>& line, std::size_t values, std::size_t views) : values_(values), views_(views) {
    std::vector<int> open;
    int i = -1;  // as if there were no prints, which leave the code as it is
    for (Flat& f : line) {
      if (f.kind == FlatKind::print) continue;
      ++i;
      if (f.kind == FlatKind::loop_begin) {
        open.push_back(static_cast<int>(loops_.size()));
        loops_.push_back({i, i});
      }
      if (f.kind == FlatKind::loop_end) {
        loops_[static_cast<std::size_t>(open.back())].end = i;
        open.pop_back();
      }
      const double weight = std::pow(10.0, static_cast<double>(std::min<std::size_t>(open.size(), 6)));
      for (const ValueId* v : f.scalar_uses()) touch(values_[*v], i, weight, open);
      if (f.rd > constants_base_value) touch(values_[f.rd], i, weight, open);
      for (const ViewId* v : f.view_uses()) touch(views_[*v], i, weight, open);
      if (f.view_definition) touch(views_[f.vd], i, weight, open);
    }
    // Inner loops end first, so one pass over the notes from inside out is not needed: each note names its own loop.
    for (const auto& [interval, loop] : entered_) {
      const Turn& t = loops_[static_cast<std::size_t>(loop)];
      interval->end = std::max(interval->end, t.end);
    }
  }

  static std::vector<Interval> sorted(std::vector<Interval>& all) {
    std::vector<Interval> out;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (all[i].begin >= 0) {
        all[i].id = i;
        out.push_back(all[i]);
      }
    std::sort(out.begin(), out.end(), [](const Interval& a, const Interval& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.id < b.id;
    });
    return out;
  }

  std::vector<Interval> scalars() { return sorted(values_); }
  std::vector<Interval> views() { return sorted(views_); }

 private:
  void touch(Interval& v, int at, double weight, const std::vector<int>& open) {
    if (v.begin < 0) v.begin = at;
    v.end = std::max(v.end, at);
    v.weight += weight;
    for (const int loop : open)
      if (v.begin < loops_[static_cast<std::size_t>(loop)].begin) entered_.emplace_back(&v, loop);
  }

  std::vector<Interval> values_, views_;
  std::vector<Turn> loops_;
  std::vector<std::pair<Interval*, int>> entered_;
};

// Assigns registers first .. last-1; what does not fit goes to `spilled`. Returns false if something that must fit does
// not.
bool scan(const std::vector<Interval>& intervals, int first, int last, std::vector<int>& registers,
          std::vector<std::uint32_t>& spilled) {
  std::vector<Interval> active;
  std::vector<int> free;
  for (int r = last - 1; r >= first; --r) free.push_back(r);
  const auto cost = [](const Interval& v) {
    return v.can_spill ? v.weight / (1.0 + v.end - v.begin) : std::numeric_limits<double>::max();
  };
  for (const Interval& v : intervals) {
    std::erase_if(active, [&](const Interval& a) {
      if (a.end > v.begin) return false;
      free.push_back(registers[a.id]);
      return true;
    });
    if (free.empty()) {
      auto victim = std::min_element(active.begin(), active.end(),
                                     [&](const Interval& a, const Interval& b) { return cost(a) < cost(b); });
      if (victim == active.end() || (cost(v) <= cost(*victim) && v.can_spill)) {
        if (!v.can_spill) return false;
        spilled.push_back(v.id);
        continue;
      }
      if (!victim->can_spill) return false;
      spilled.push_back(victim->id);
      free.push_back(registers[victim->id]);
      registers[victim->id] = -1;
      active.erase(victim);
    }
    registers[v.id] = free.back();
    free.pop_back();
    active.push_back(v);
  }
  return true;
}

// Keeps spilled values in SMEM (or makes constants again) around each instruction that uses them.
class Spiller {
 public:
  Spiller(const Program& program, const Target& target, Registers& registers, const std::vector<std::uint32_t>& spilled)
      : program_(program), target_(target), registers_(registers) {
    for (const std::uint32_t v : spilled) slot_[v] = 0;
  }

  std::vector<Flat> run(std::vector<Flat> line) {
    for (const Flat& f : line)
      if (f.constant_source && slot_.count(f.rd) != 0) sources_[f.rd] = f;
    std::int64_t top = target_.smem_bytes;
    for (auto& [value, address] : slot_)
      if (sources_.count(value) == 0) address = top -= 8;
    std::int64_t tiles = smem_reserved_bytes;
    for (const Allocation& a : program_.allocations)
      if (a.space == isa::Space::smem && !a.generation && a.bytes > 0) tiles = std::max(tiles, a.address + a.bytes);
    if (tiles > top)
      fail(ErrorKind::program, "HDL-SDK-04", "{}: SMEM holds {} bytes; tiles need {} and saved scalars {}",
           program_.name, target_.smem_bytes, tiles, target_.smem_bytes - top);
    std::vector<Flat> out;
    out.reserve(line.size() * 2);
    for (Flat& f : line) rewrite(f, out);
    return out;
  }

 private:
  // Scratch registers are values of their own, past all others.
  ValueId scratch(int i) {
    const std::size_t id = program_.values.size() + static_cast<std::size_t>(i);
    if (registers_.scalar.size() <= id) registers_.scalar.resize(id + 1, -1);
    registers_.scalar[id] = scalar_registers - 1 - i;
    return static_cast<ValueId>(id);
  }

  void rewrite(Flat& f, std::vector<Flat>& out) {
    int used = 0;
    std::map<ValueId, ValueId> loaded;
    for (ValueId* v : f.scalar_uses()) {
      if (slot_.count(*v) == 0) continue;
      auto [entry, is_new] = loaded.try_emplace(*v, 0);
      if (is_new) {
        entry->second = scratch(used++);
        Flat load;
        if (const auto source = sources_.find(*v); source != sources_.end()) {
          load = source->second;
        } else {
          load.in.op = Opcode::ld;
          load.in[FieldId::imm] = slot_[*v];
        }
        load.rd = entry->second;
        load.file = f.file;
        load.line = f.line;
        out.push_back(std::move(load));
      }
      *v = entry->second;
    }
    if (f.rd == 0 || slot_.count(f.rd) == 0) {
      out.push_back(std::move(f));
      return;
    }
    if (sources_.count(f.rd) != 0) return;  // made again where it is read
    Flat store;
    store.in.op = Opcode::sd;
    store.in[FieldId::imm] = slot_[f.rd];
    store.file = f.file;
    store.line = f.line;
    f.rd = store.rs2 = scratch(0);
    out.push_back(std::move(f));
    out.push_back(std::move(store));
  }

  const Program& program_;
  const Target& target_;
  Registers& registers_;
  std::map<ValueId, std::int64_t> slot_;
  std::map<ValueId, Flat> sources_;
};

}  // namespace

std::vector<Flat> allocate_registers(Program& program, const Target& target, Registers& registers) {
  std::set<ViewId> sunk;
  std::vector<Flat> line;
  for (;;) {
    line = flatten(program, sunk);
    Liveness live(line, program.values.size(), program.views);
    std::vector<bool> fixed(program.views);
    for (const Flat& f : line)
      if (f.view_definition) fixed[f.vd] = f.fixed_view;
    auto views = live.views();
    for (Interval& v : views) v.can_spill = fixed[v.id] && sunk.count(v.id) == 0;
    registers.view.assign(program.views, -1);
    std::vector<std::uint32_t> spilled;
    if (!scan(views, 0, view_registers, registers.view, spilled))
      fail(ErrorKind::program, "HDL-SDK-13", "{}: more than {} views that change are in use at once", program.name,
           view_registers);
    if (spilled.empty()) break;
    sunk.insert(spilled.begin(), spilled.end());
  }

  Liveness live(line, program.values.size(), program.views);
  const auto scalars = live.scalars();
  registers.scalar.assign(program.values.size(), -1);
  std::vector<std::uint32_t> spilled;
  scan(scalars, first_scalar, scalar_registers, registers.scalar, spilled);
  if (spilled.empty()) return line;
  spilled.clear();
  registers.scalar.assign(program.values.size(), -1);
  scan(scalars, first_scalar, scalar_registers - scratch_registers, registers.scalar, spilled);
  return Spiller(program, target, registers, spilled).run(std::move(line));
}

}  // namespace heddle::sdk
