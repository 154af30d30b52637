// SPDX-License-Identifier: Apache-2.0
// What RaceChecker says when it has found something. Speed does not matter here.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/asm/disassembler.hpp"
#include "isa/base/error.hpp"
#include "isa/codec/codec.hpp"
#include "sim/check/race_checker.hpp"
#include "sim/exec/operand_check.hpp"

namespace heddle::check {
namespace {

using F = isa::FieldId;

struct Sync {
  std::uint32_t sem = 0;
  bool away = false;  // posted to another core
};

// The semaphores that an instruction posts, or waits for.
std::vector<Sync> syncs_of(const isa::Instruction& in, bool posts) {
  std::vector<Sync> out;
  const auto add = [&](F sem, F n, bool away) {
    if (in[n] != 0) out.push_back({static_cast<std::uint32_t>(in[sem]), away});
  };
  if (in.op == isa::Opcode::sem_post || in.op == isa::Opcode::sem_wait || in.op == isa::Opcode::sem_post_remote) {
    if ((in.op == isa::Opcode::sem_wait) != posts)
      out.push_back({static_cast<std::uint32_t>(in[F::sem]), in.op == isa::Opcode::sem_post_remote});
  } else if (isa::is_engine(isa::info(in.op).unit)) {
    add(posts ? F::post0_sem : F::wait0_sem, posts ? F::post0_n : F::wait0_n, false);
    add(posts ? F::post1_sem : F::wait1_sem, posts ? F::post1_n : F::wait1_n, posts && in[F::remote_post] != 0);
  }
  return out;
}

// "[2, 0]": the view's first element that holds byte `at`; empty where none does.
std::string element_at(const isa::View& v, std::uint64_t at) {
  const std::int64_t element_bits = bits(v.dtype);
  std::array<std::uint32_t, 4> i{};
  for (std::uint64_t n = 0; n < v.elements(); ++n) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < v.rank; ++d) offset += static_cast<std::int64_t>(i[d]) * v.stride[d];
    const std::int64_t first = static_cast<std::int64_t>(v.base) + offset * element_bits / 8;
    const auto byte = static_cast<std::int64_t>(at);
    if (byte >= first && byte < first + std::max<std::int64_t>(1, element_bits / 8)) {
      std::string text;
      for (std::size_t d = 0; d < v.rank; ++d) text += fmt::format("{}{}", d == 0 ? "[" : ", ", i[d]);
      return text + "]";
    }
    for (std::size_t d = v.rank; d-- > 0;) {
      if (++i[d] < v.size[d]) break;
      i[d] = 0;
    }
  }
  return "";
}

}  // namespace

// "vpu0", or "core3.vpu0" where there are several cores.
std::string RaceChecker::name_of(std::uint32_t agent) const {
  const std::uint32_t local = agent % agents_a_core_;
  const auto mxus = static_cast<std::uint32_t>(chip_.core.mxu.count);
  const auto vpus = static_cast<std::uint32_t>(chip_.core.vpu.count);
  std::string name = local == 0             ? "the sequencer"
                     : local <= mxus        ? fmt::format("mxu{}", local - 1)
                     : local <= mxus + vpus ? fmt::format("vpu{}", local - 1 - mxus)
                                            : fmt::format("dma{}", local - 1 - mxus - vpus);
  if (memory_.cores() > 1) name = fmt::format("core{}.{}", agent / agents_a_core_, local == 0 ? "sequencer" : name);
  return name;
}

std::optional<std::uint32_t> RaceChecker::pc_of(Stamp s) const {
  if (s == 0 || now_ - moment_of(s) >= pcs_.size()) return std::nullopt;
  return pcs_[moment_of(s) % pcs_.size()];
}

End RaceChecker::end_of(Stamp event, const char* does) const {
  End e;
  e.agent = name_of(agent_of(event));
  e.does = does;
  e.instruction = pc_of(event);
  if (!e.instruction) return e;
  e.text = isa::format_instruction(isa::decode(image_->code[*e.instruction]), image_);
  const isa::SourceLine line = isa::source_of(*image_, *e.instruction);
  e.file = line.file;
  e.line = line.line;
  return e;
}

// Which edge is missing, as far as the two instructions show it: from the one that posts to the one that should wait.
std::string RaceChecker::missing_edge(const Current& current, bool write, const Conflict& conflict) const {
  struct Side {
    std::string name;
    const char* verb;
    isa::Instruction in;
  };
  const auto pc = pc_of(conflict.earlier);
  const Side here{name_of(current.agent), write ? "write" : "read", isa::decode(image_->code[current.pc])};
  if (!pc) return fmt::format("no chain of posts and waits leads to {}", here.name);
  const Side other{name_of(agent_of(conflict.earlier)), conflict.earlier_writes ? "write" : "read",
                   isa::decode(image_->code[*pc])};
  // What this run did first need not be what the program means to come first.
  const bool turned = syncs_of(other.in, true).empty() && !syncs_of(here.in, true).empty();
  const Side& from = turned ? here : other;
  const Side& to = turned ? other : here;
  const std::vector<Sync> posts = syncs_of(from.in, true);
  if (posts.empty())
    return fmt::format("neither posts a semaphore, and no later post of {} is waited for before {}'s {}", from.name,
                       to.name, to.verb);
  std::string list;
  bool waited = false;
  for (const Sync& p : posts) {
    list += fmt::format("{}s{}{}", list.empty() ? "" : " and ", p.sem, p.away ? " of another core" : "");
    for (const Sync& w : syncs_of(to.in, false)) waited = waited || w.sem == p.sem;
  }
  if (waited)
    return fmt::format("{}'s {} posts {}, for which {} waits here, but other posts are enough for that wait", from.name,
                       from.verb, list, to.name);
  return fmt::format("{}'s {} posts {}, for which nothing waits on {}'s way to its {}", from.name, from.verb, list,
                     to.name, to.verb);
}

void RaceChecker::add_race(const Current& current, const exec::Place& place, const isa::View* view, const char* what,
                           bool write, const Conflict& conflict) {
  const Findings::Pair pair{"HDL-RACE-01", pc_of(conflict.earlier), current.pc};
  if (!findings_.is_new(pair)) return;
  Finding f;
  f.id = pair.id;
  f.first = end_of(conflict.earlier, conflict.earlier_writes ? "writes" : "reads");
  f.second = end_of(current.stamp, write ? "writes" : "reads");
  f.memory = isa::name(place.space);
  if (place.space != isa::Space::hbm && memory_.cores() != 1) f.memory += fmt::format(" of core {}", place.core);
  f.ranges = conflict.ranges;
  f.bytes = conflict.bytes;
  f.cycle = current.cycle;
  f.what = fmt::format("a race on {} bytes {}{}: nothing orders", f.memory, text_of(f.ranges, f.bytes),
                       f.cycle < 0 ? "" : fmt::format(" at cycle {}", f.cycle));
  if (view != nullptr)
    f.second.operand = fmt::format("{}, {} from {:#x}, element {}", what, exec::shape_text(*view), view->base,
                                   element_at(*view, conflict.ranges.front().begin));
  f.missing = missing_edge(current, write, conflict);
  findings_.add(pair, std::move(f));
}

// Only what the array itself summed counts: a bias that the VPU put there may be read before.
void RaceChecker::add_early_read(const Current& current, const exec::Place& place, const Conflict& conflict) {
  const auto writer = pc_of(conflict.sums);
  if (!writer || moment_of(conflict.sums) <= launch_ ||
      isa::decode(image_->code[*writer]).op != isa::Opcode::mxu_matmul)
    return;
  const Findings::Pair pair{"HDL-ACC-01", pc_of(conflict.earlier), current.pc};
  if (!findings_.is_new(pair)) return;
  Finding f;
  f.id = pair.id;
  f.first = end_of(conflict.earlier, "reads");
  f.second = end_of(current.stamp, "adds to it");
  f.memory = isa::name(place.space);
  if (memory_.cores() != 1) f.memory += fmt::format(" of core {}", place.core);
  f.ranges = conflict.ranges;
  f.bytes = conflict.bytes;
  f.cycle = current.cycle;
  f.what = fmt::format("sums in {} bytes {} are read before the last product is added to them{}", f.memory,
                       text_of(f.ranges, f.bytes), f.cycle < 0 ? "" : fmt::format(", at cycle {}", f.cycle));
  f.missing = "read after the last mxu.matmul of the sum; a new sum begins with one that overwrites";
  findings_.add(pair, std::move(f));
}

void RaceChecker::add_second_waiter(const Current& current, std::uint32_t core, std::uint32_t sem, Stamp other) {
  const Findings::Pair pair{"HDL-SEM-05", pc_of(other), current.pc};
  if (!findings_.is_new(pair)) return;
  Finding f;
  f.id = pair.id;
  f.first = end_of(other, "waits");
  f.second = end_of(current.stamp, "waits");
  f.memory = fmt::format("s{}", sem);
  if (memory_.cores() != 1) f.memory += fmt::format(" of core {}", core);
  f.cycle = current.cycle;
  f.what = fmt::format("{} has two waiters that nothing orders: which of them gets a unit depends on timing", f.memory);
  f.missing = "give each waiter a semaphore of its own";
  findings_.add(pair, std::move(f));
}

}  // namespace heddle::check
