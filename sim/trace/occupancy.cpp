// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/occupancy.hpp"

#include <algorithm>

namespace heddle::trace {
namespace {

std::uint64_t hash_of(const isa::View& v, std::uint32_t core) {
  std::uint64_t h =
      std::uint64_t{core} << 32 | static_cast<std::uint64_t>(v.space) << 8 | static_cast<std::uint64_t>(v.dtype);
  const auto add = [&](std::uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  };
  add(v.base);
  for (int d = 0; d < v.rank; ++d) {
    add(v.size[static_cast<std::size_t>(d)]);
    add(static_cast<std::uint64_t>(v.stride[static_cast<std::size_t>(d)]));
  }
  return h;
}

bool has_field(isa::Opcode op, isa::FieldId id) {
  const auto fields = isa::fields_of(isa::info(op).format);
  return std::any_of(fields.begin(), fields.end(), [&](const isa::Field& f) { return f.id == id; });
}

}  // namespace

Occupancy::Occupancy(std::uint32_t cores, Change change) : change_(std::move(change)), used_(cores) {
  passes_.on_end([this](std::uint32_t pass, TimeFs end) { give_back(pass, end); });
}

void Occupancy::begin_launch(std::uint32_t number, const ProgramInfo& program) {
  passes_.begin_launch(number, program);
  waiting_.clear();
}

void Occupancy::issued(Agent agent, std::uint32_t pc) { waiting_[agent].push_back(passes_.issued(agent, pc)); }

void Occupancy::began(Agent agent, const exec::EngineOp& op, TimeFs start) {
  std::deque<std::uint32_t>& waiting = waiting_[agent];
  const std::uint32_t pass = waiting.front();
  waiting.pop_front();
  if (has_field(op.op, isa::FieldId::vd)) touch(op.vd, op.core, pass, start);
  if (has_field(op.op, isa::FieldId::va)) touch(op.va, op.core, pass, start);
  if (has_field(op.op, isa::FieldId::vb) || op.has_bias) touch(op.vb, op.core, pass, start);
  if (has_field(op.op, isa::FieldId::vc) || op.has_row) touch(op.vc, op.core, pass, start);
}

void Occupancy::touch(const isa::View& view, std::uint32_t own_core, std::uint32_t pass, TimeFs time) {
  const auto space = static_cast<std::size_t>(std::find(spaces.begin(), spaces.end(), view.space) - spaces.begin());
  const std::uint32_t core = view.remote ? view.core : own_core;
  if (space == spaces.size() || view.elements() == 0 || core >= used_.size()) return;
  if (!seen_[pass].insert(hash_of(view, core)).second) return;
  const exec::ByteRuns runs(view);
  std::int64_t more = 0;
  runs.for_each([&](std::int64_t begin) { more += take(used_[core][space], begin, begin + runs.length, pass); });
  if (more > 0) change_(core, space, time, more);
}

std::int64_t Occupancy::take(Pieces& pieces, std::int64_t begin, std::int64_t end, std::uint32_t pass) const {
  std::int64_t more = 0;
  auto at = pieces.upper_bound(begin);
  if (at != pieces.begin() && std::prev(at)->second.end > begin) --at;
  while (begin < end) {
    if (at == pieces.end() || at->first > begin) {
      const std::int64_t to = at == pieces.end() ? end : std::min(end, at->first);
      pieces.emplace_hint(at, begin, Piece{to, pass});
      more += to - begin;
      begin = to;
      continue;
    }
    const std::int64_t to = std::min(end, at->second.end);
    if (!passes_.encloses(at->second.owner, pass)) {
      // The part that this pass uses too is its own from now on.
      const Piece old = at->second;
      if (at->first < begin) {
        at->second.end = begin;
        at = pieces.emplace_hint(std::next(at), begin, Piece{old.end, pass});
      }
      at->second = {to, pass};
      if (to < old.end) at = std::prev(pieces.emplace_hint(std::next(at), to, old));
    }
    begin = to;
    ++at;
  }
  return more;
}

void Occupancy::give_back(std::uint32_t pass, TimeFs time) {
  if (seen_.erase(pass) == 0) return;
  for (std::uint32_t core = 0; core < used_.size(); ++core)
    for (std::size_t space = 0; space < spaces.size(); ++space) {
      std::int64_t less = 0;
      Pieces& pieces = used_[core][space];
      for (auto at = pieces.begin(); at != pieces.end();) {
        if (at->second.owner != pass) {
          ++at;
          continue;
        }
        less += at->second.end - at->first;
        at = pieces.erase(at);
      }
      if (less > 0) change_(core, space, time, -less);
    }
}

void Occupancy::end_launch(TimeFs end) {
  passes_.end_launch();
  give_back(ScopeSpans::none, end);  // what was used outside of scopes
}

}  // namespace heddle::trace
