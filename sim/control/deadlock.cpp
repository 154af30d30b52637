// SPDX-License-Identifier: Apache-2.0
#include "sim/control/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/asm/disassembler.hpp"
#include "isa/base/error.hpp"
#include "isa/codec/codec.hpp"
#include "sim/control/wait_graph.hpp"

namespace heddle::control {
namespace {

using F = isa::FieldId;

std::string place(const isa::ProgramImage& image, std::uint32_t pc) {
  const isa::SourceLine line = isa::source_of(image, pc);
  return line.file.empty() ? fmt::format("instruction {}", pc)
                           : fmt::format("{}:{}, instruction {}", line.file, line.line, pc);
}

std::string text_of(const isa::ProgramImage& image, std::uint32_t pc) {
  return isa::format_instruction(isa::decode(image.code[pc]), &image);
}

std::string engine_name(isa::Unit unit, std::uint32_t engine) {
  switch (unit) {
    case isa::Unit::mxu:
      return fmt::format("mxu{}", engine);
    case isa::Unit::vpu:
      return fmt::format("vpu{}", engine);
    case isa::Unit::dma:
      return fmt::format("dma{}", engine);
    default:
      return "sequencer";
  }
}

// "dma0", or "core 1's dma0" where it is not of the core `home`.
std::string agent_name(const Waiting& w, std::uint32_t home) {
  const std::string name = engine_name(w.unit, w.engine);
  return w.core == home ? name : fmt::format("core {}'s {}", w.core, name);
}

// Where a posting instruction is stuck: "itself waiting", ...
std::string stuck_text(const Edge& e, const Waiting& by, std::uint32_t home) {
  switch (e.how) {
    case Stuck::waits:
      return "itself waiting";
    case Stuck::queued:
      return fmt::format("in the queue of {} behind it", agent_name(by, home));
    default:
      return fmt::format("not issued: {} waits", agent_name(by, home));
  }
}

// "posted by dma.copy at f.cpp:57; by ...", each with where it is stuck.
std::string posters(const isa::ProgramImage& image, std::uint32_t sem, std::span<const Edge> edges,
                    std::span<const Waiting> waiting, std::uint32_t home) {
  constexpr std::size_t most = 6;
  std::string out;
  std::size_t found = 0;
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    const isa::Instruction in = isa::decode(image.code[pc]);
    if (!posts(in, sem)) continue;
    if (++found > most) continue;
    out += fmt::format("{}{} at {}", out.empty() ? "posted by " : "; by ", isa::info(in.op).mnemonic, place(image, pc));
    for (const Edge& e : edges)
      if (e.sem == sem && e.pc == pc && e.how <= Stuck::not_issued) {
        out += fmt::format(" ({})", stuck_text(e, waiting[e.to], home));
        break;
      }
  }
  if (found == 0) return "no instruction of the program posts it";
  if (found > most) out += fmt::format("; and {} more", found - most);
  return out;
}

std::string whose(const Waiting& w, std::span<const Waiting> waiting) {
  const bool several =
      std::any_of(waiting.begin(), waiting.end(), [&](const Waiting& o) { return o.core != waiting.front().core; });
  return several ? fmt::format("core {} {}", w.core, engine_name(w.unit, w.engine)) : engine_name(w.unit, w.engine);
}

// One line for each who waits: for what, and which instruction of the next one would give it.
std::string describe_circle(const isa::ProgramImage& image, std::span<const Waiting> waiting,
                            const std::vector<WaitGraph::Step>& circle) {
  std::string out = "\n  the circle:";
  for (const WaitGraph::Step& s : circle) {
    const Waiting& w = waiting[s.from];
    const std::string next = whose(waiting[s.edge.to], waiting);
    out += fmt::format("\n    {} at {} ", whose(w, waiting), place(image, w.pc));
    switch (s.edge.how) {
      case Stuck::waits:
        out +=
            fmt::format("waits for s{}, which {}'s {} posts when it ends", s.edge.sem, next, place(image, s.edge.pc));
        break;
      case Stuck::queued:
        out += fmt::format("waits for s{}, which {} posts, behind what {} waits in", s.edge.sem,
                           place(image, s.edge.pc), next);
        break;
      case Stuck::not_issued:
        out += fmt::format("waits for s{}, which {} posts, to which {} has not come", s.edge.sem,
                           place(image, s.edge.pc), next);
        break;
      case Stuck::full_queue:
        out += fmt::format("waits for room in the queue of {}", next);
        break;
      case Stuck::busy:
        out += fmt::format("waits until {} is idle", next);
        break;
    }
  }
  return out;
}

}  // namespace

Waiting waiting_of(std::vector<exec::EngineOp> queue, const std::function<std::int64_t(std::uint32_t sem)>& value) {
  const exec::EngineOp& op = queue.front();
  Waiting w;
  w.core = op.core;
  w.unit = op.unit;
  w.engine = op.engine;
  w.pc = op.pc;
  const auto need = [&](std::uint32_t sem, std::int64_t n) { return Waiting::Need{sem, n, n == 0 ? 0 : value(sem)}; };
  const auto& [a, b] = op.wait;
  if (a.sem == b.sem && a.count != 0 && b.count != 0)
    w.needs = {need(a.sem, a.count + b.count), {}};
  else
    w.needs = {need(a.sem, a.count), need(b.sem, b.count)};
  w.queue = std::move(queue);
  return w;
}

std::string describe_waiting(const isa::ProgramImage& image, std::span<const Waiting> waiting) {
  const WaitGraph graph(image, waiting);
  std::string out;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Waiting& w = waiting[i];
    out += fmt::format("\n  core {}{} {}: {} ({})", w.core, w.chip == 0 ? "" : fmt::format(" of chip {}", w.chip),
                       engine_name(w.unit, w.engine), text_of(image, w.pc), place(image, w.pc));
    if (w.reason == Waiting::Reason::queue_full)
      out += fmt::format("\n    cannot issue: the queue of {} is full", engine_name(w.full_unit, w.full_engine));
    if (w.reason == Waiting::Reason::fence) out += "\n    waits until every engine of the core is idle";
    if (w.reason != Waiting::Reason::semaphore) continue;
    for (const Waiting::Need& n : w.needs)
      if (n.needed != 0 && n.has < n.needed)
        out += fmt::format("\n    waits for {} of s{}, which holds {}; {}", n.needed, n.sem, n.has,
                           posters(image, n.sem, graph.edges(i), waiting, w.core));
  }
  return out;
}

std::string describe_deadlock(const isa::ProgramImage& image, std::span<const Waiting> waiting) {
  const WaitGraph graph(image, waiting);
  std::string out = describe_waiting(image, waiting);
  // What nobody is left to do is the cause where there is such a thing; a circle through other posts would be chance.
  bool hopeless = false;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (const auto sem = graph.hopeless(i)) {
      hopeless = true;
      out += fmt::format("\n  the end of it: {} at {} waits for s{}, and nobody who is left posts it",
                         whose(waiting[i], waiting), place(image, waiting[i].pc), *sem);
    }
  if (const auto circle = graph.circle(); !hopeless && !circle.empty()) out += describe_circle(image, waiting, circle);
  return out;
}

void fail_deadlock(const isa::ProgramImage& image, std::span<const Waiting> waiting, std::int64_t cycle) {
  const isa::SourceLine line = waiting.empty() ? isa::SourceLine{} : isa::source_of(image, waiting.front().pc);
  fail_at({line.file, line.line, 0}, ErrorKind::program, "HDL-SEM-01",
          "deadlock{}: {} wait and nothing can go on (docs/errors/HDL-SEM-01.md){}",
          cycle < 0 ? "" : fmt::format(" at cycle {}", cycle),
          waiting.size() == 1 ? "1 instruction" : fmt::format("{} instructions", waiting.size()),
          describe_deadlock(image, waiting));
}

void require_zero_at_exit(const isa::ProgramImage& image, const Semaphores& semaphores, std::uint32_t chip,
                          std::uint32_t core) {
  if (semaphores.all_zero()) return;
  std::string list;
  for (std::uint32_t sem = 0; sem < semaphores.size(); ++sem)
    if (semaphores.value(sem) != 0)
      list += fmt::format("\n  s{} holds {}; {}", sem, semaphores.value(sem), posters(image, sem, {}, {}, core));
  fail(ErrorKind::program, "HDL-SEM-02", "core {}{} ended with semaphores that are not zero{}", core,
       chip == 0 ? "" : fmt::format(" of chip {}", chip), list);
}

}  // namespace heddle::control
