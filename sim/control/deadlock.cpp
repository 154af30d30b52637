// SPDX-License-Identifier: Apache-2.0
#include "sim/control/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isa/asm/disassembler.hpp"
#include "isa/base/error.hpp"
#include "isa/codec/codec.hpp"

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

bool posts(const isa::Instruction& in, std::uint32_t sem) {
  if (in.op == isa::Opcode::sem_post || in.op == isa::Opcode::sem_post_remote) return in[F::sem] == sem;
  return (in[F::post0_n] != 0 && in[F::post0_sem] == sem) || (in[F::post1_n] != 0 && in[F::post1_sem] == sem);
}

// "posted by dma.copy at f.cpp:57; by ..."; an instruction that itself waits is marked.
std::string posters(const isa::ProgramImage& image, std::uint32_t sem, std::span<const Waiting> waiting) {
  constexpr std::size_t most = 6;
  std::string out;
  std::size_t found = 0;
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc) {
    const isa::Instruction in = isa::decode(image.code[pc]);
    if (!posts(in, sem)) continue;
    if (++found > most) continue;
    const bool waits = std::any_of(waiting.begin(), waiting.end(), [&](const Waiting& w) { return w.pc == pc; });
    out += fmt::format("{}{} at {}{}", out.empty() ? "posted by " : "; by ", isa::info(in.op).mnemonic,
                       place(image, pc), waits ? " (itself waiting)" : "");
  }
  if (found == 0) return "no instruction of the program posts it";
  if (found > most) out += fmt::format("; and {} more", found - most);
  return out;
}

}  // namespace

Waiting waiting_of(const exec::EngineOp& op, const std::function<std::int64_t(std::uint32_t sem)>& value) {
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
  return w;
}

std::string describe_deadlock(const isa::ProgramImage& image, std::span<const Waiting> waiting) {
  std::string out;
  for (const Waiting& w : waiting) {
    out += fmt::format("\n  core {}{} {}: {} ({})", w.core, w.chip == 0 ? "" : fmt::format(" of chip {}", w.chip),
                       engine_name(w.unit, w.engine), text_of(image, w.pc), place(image, w.pc));
    if (w.reason == Waiting::Reason::queue_full)
      out += fmt::format("\n    cannot issue: the queue of {} is full", engine_name(w.full_unit, w.full_engine));
    if (w.reason == Waiting::Reason::fence) out += "\n    waits until every engine of the core is idle";
    if (w.reason != Waiting::Reason::semaphore) continue;
    for (const Waiting::Need& n : w.needs)
      if (n.needed != 0 && n.has < n.needed)
        out += fmt::format("\n    waits for {} of s{}, which holds {}; {}", n.needed, n.sem, n.has,
                           posters(image, n.sem, waiting));
  }
  return out;
}

void fail_deadlock(const isa::ProgramImage& image, std::span<const Waiting> waiting, std::int64_t cycle) {
  const isa::SourceLine line = waiting.empty() ? isa::SourceLine{} : isa::source_of(image, waiting.front().pc);
  fail_at({line.file, line.line, 0}, ErrorKind::program, "HDL-SEM-01", "deadlock{}: {} wait and nothing can go on{}",
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
      list += fmt::format("\n  s{} holds {}; {}", sem, semaphores.value(sem), posters(image, sem, {}));
  fail(ErrorKind::program, "HDL-SEM-02", "core {}{} ended with semaphores that are not zero{}", core,
       chip == 0 ? "" : fmt::format(" of chip {}", chip), list);
}

}  // namespace heddle::control
