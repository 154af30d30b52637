// SPDX-License-Identifier: Apache-2.0
#include "testbench/kernel/mutation/mutate.hpp"

#include <fmt/format.h>

#include "isa/codec/codec.hpp"

namespace heddle::mutation {
namespace {

using F = isa::FieldId;
using isa::Opcode;

struct Sync {
  const char* name;
  F sem, n;
};
constexpr Sync waits[] = {{"wait0", F::wait0_sem, F::wait0_n}, {"wait1", F::wait1_sem, F::wait1_n}};
constexpr Sync posts[] = {{"post0", F::post0_sem, F::post0_n}, {"post1", F::post1_sem, F::post1_n}};

constexpr std::int64_t slot_shift = 64;  // bytes

bool on_engine(const isa::Instruction& in) { return isa::is_engine(isa::info(in.op).unit); }

class Mutator {
 public:
  explicit Mutator(const isa::ProgramImage& image) : image_(image) {
    for (const isa::Word& w : image.code) code_.push_back(isa::decode(w));
  }

  std::vector<Mutant> run() {
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      scalar(pc);
      if (!on_engine(code_[pc])) continue;
      for (const Sync& s : waits) one_sync(pc, s, waits, +1, "one instruction late");
      for (const Sync& s : posts) one_sync(pc, s, posts, -1, "one instruction early");
    }
    for (std::int64_t sem = 0; sem < 64; ++sem) no_semaphore(sem);
    return std::move(out_);
  }

 private:
  using Changes = std::vector<std::pair<std::uint32_t, isa::Instruction>>;

  void add(std::uint32_t pc, const std::string& what, Changes changes) {
    out_.push_back(
        {fmt::format("instruction {} ({}): {}", pc, isa::info(code_[pc].op).mnemonic, what), std::move(changes)});
  }

  void scalar(std::uint32_t pc) {
    const isa::Instruction& in = code_[pc];
    if (in.op == Opcode::fence) add(pc, "dropped", {{pc, {}}});
    if (in.op == Opcode::sem_wait || in.op == Opcode::sem_post || in.op == Opcode::sem_post_remote) {
      add(pc, "dropped", {{pc, {}}});
      isa::Instruction weak = in;
      weak[F::imm] = in[F::imm] - 1;
      if (in[F::imm] > 1) add(pc, "one unit less", {{pc, weak}});
    }
    if (in.op == Opcode::view) {
      const isa::Space space = image_.templates[static_cast<std::size_t>(in[F::view_template])].space;
      isa::Instruction moved = in;
      moved[F::imm] = in[F::imm] + slot_shift;
      if (space == isa::Space::spm || space == isa::Space::acc) add(pc, "64 bytes on", {{pc, moved}});
    }
  }

  void one_sync(std::uint32_t pc, const Sync& s, const Sync (&places)[2], int step, const char* moved) {
    const isa::Instruction& in = code_[pc];
    if (in[s.n] == 0) return;
    isa::Instruction changed = in;
    changed[s.n] = in[s.n] - 1;
    if (in[s.n] > 1) add(pc, fmt::format("{} one unit less", s.name), {{pc, changed}});
    changed[s.n] = changed[s.sem] = 0;
    add(pc, fmt::format("{} dropped", s.name), {{pc, changed}});
    // To the engine's neighbour, where that has a place and no branch lies between.
    for (std::int64_t at = std::int64_t{pc} + step; at >= 0 && at < static_cast<std::int64_t>(code_.size());
         at += step) {
      const auto to = static_cast<std::uint32_t>(at);
      const isa::Instruction& other = code_[to];
      if (other.op >= Opcode::beq && other.op <= Opcode::jalr) return;
      if (other.op == Opcode::halt || other.op == Opcode::fence) return;
      if (!on_engine(other) || isa::info(other.op).unit != isa::info(in.op).unit || other[F::engine] != in[F::engine])
        continue;
      for (const Sync& place : places) {
        if (other[place.n] != 0) continue;
        isa::Instruction took = other;
        took[place.sem] = in[s.sem];
        took[place.n] = in[s.n];
        return add(pc, fmt::format("{} {}", s.name, moved), {{pc, changed}, {to, took}});
      }
      return;
    }
  }

  void no_semaphore(std::int64_t sem) {
    Changes changes;
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      isa::Instruction in = code_[pc];
      if ((in.op == Opcode::sem_wait || in.op == Opcode::sem_post || in.op == Opcode::sem_post_remote) &&
          in[F::sem] == sem)
        in = {};
      if (on_engine(in))
        for (const auto* places : {&waits, &posts})
          for (const Sync& s : *places)
            if (in[s.n] != 0 && in[s.sem] == sem) in[s.n] = in[s.sem] = 0;
      if (in != code_[pc]) changes.emplace_back(pc, in);
    }
    if (changes.empty()) return;
    const std::uint32_t first = changes.front().first;
    add(first, fmt::format("s{} everywhere dropped", sem), std::move(changes));
  }

  const isa::ProgramImage& image_;
  std::vector<isa::Instruction> code_;
  std::vector<Mutant> out_;
};

}  // namespace

std::vector<Mutant> mutants_of(const isa::ProgramImage& image) { return Mutator(image).run(); }

isa::ProgramImage apply(const isa::ProgramImage& image, const Mutant& mutant) {
  isa::ProgramImage changed = image;
  for (const auto& [pc, in] : mutant.changes) changed.code[pc] = isa::encode(in);
  return changed;
}

}  // namespace heddle::mutation
