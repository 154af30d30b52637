// SPDX-License-Identifier: Apache-2.0
#include "testbench/unit/sdk/happens_before.hpp"

#include <array>
#include <deque>
#include <map>
#include <memory>

#include "sim/config/load_chip.hpp"
#include "sim/control/sequencer.hpp"

namespace heddle::sdk::test {
namespace {

constexpr int clock_size = 16;  // 0: the sequencer; then dma0.., mxu0.., vpu0..
using Clock = std::array<std::uint32_t, clock_size>;

int engine_of(const exec::EngineOp& op) {
  switch (op.unit) {
    case isa::Unit::dma:
      return 1 + op.engine;
    case isa::Unit::mxu:
      return 9 + op.engine;
    default:
      return 13 + op.engine;
  }
}
void merge(Clock& to, const Clock& from) {
  for (int i = 0; i < clock_size; ++i) {
    const auto x = static_cast<std::size_t>(i);
    if (from[x] > to[x]) to[x] = from[x];
  }
}

struct Byte {
  int writer = -1;
  std::uint32_t write_time = 0;
  Clock reads{};  // last read by each engine
};

class Checker {
 public:
  explicit Checker(OrderReport& report) : report_(report) {}

  void issue(const exec::EngineOp& op) {
    const auto e = static_cast<std::size_t>(engine_of(op));
    Clock& clock = clocks_[e];
    merge(clock, clocks_[0]);
    for (const exec::SemCount& w : op.wait) take(w.sem, w.count, clock, op.pc);
    ++clock[e];
    using isa::Opcode;
    const bool stationary = op.op == Opcode::mxu_load,
               sync = op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync;
    if (!sync) {
      const auto format = isa::info(op.op).format;
      for (const isa::Field& f : isa::fields_of(format)) {
        if (f.id == isa::FieldId::va) access(op.va, false, e, clock, op.pc);
        if (f.id == isa::FieldId::vb) access(op.vb, false, e, clock, op.pc);
        if (f.id == isa::FieldId::vc && f.access == isa::Access::read) access(op.vc, false, e, clock, op.pc);
      }
      if (op.has_bias) access(op.vb, false, e, clock, op.pc);
      if (op.has_row) access(op.vc, true, e, clock, op.pc);
      if (op.op == Opcode::vpu_topk) access(op.vc, true, e, clock, op.pc);
      if (!stationary) access(op.vd, true, e, clock, op.pc);
    }
    for (const exec::SemCount& p : op.post) post(p.sem, p.count, clock);
    ++report_.engine_instructions;
  }

  void take(std::uint32_t sem, std::int64_t n, Clock& clock, std::uint32_t pc) {
    auto& tokens = tokens_[sem];
    for (; n > 0; --n) {
      if (tokens.empty()) {
        report_.faults.push_back("instruction " + std::to_string(pc) + " waits for s" + std::to_string(sem) +
                                 ", which nothing before it posts");
        return;
      }
      merge(clock, tokens.front());
      tokens.pop_front();
    }
  }
  void sequencer_take(std::uint32_t sem, std::int64_t n, std::uint32_t pc) { take(sem, n, clocks_[0], pc); }
  void sequencer_post(std::uint32_t sem, std::int64_t n) {
    ++clocks_[0][0];
    post(sem, n, clocks_[0]);
  }
  void post(std::uint32_t sem, std::int64_t n, const Clock& clock) {
    for (; n > 0; --n) tokens_[sem].push_back(clock);
  }
  void fence() {
    for (const Clock& c : clocks_) merge(clocks_[0], c);
  }
  void end() {
    for (const auto& [sem, tokens] : tokens_)
      if (!tokens.empty())
        report_.faults.push_back("s" + std::to_string(sem) + " holds " + std::to_string(tokens.size()) + " at the end");
  }

 private:
  void access(const isa::View& v, bool write, std::size_t e, const Clock& clock, std::uint32_t pc) {
    if (v.space == isa::Space::hbm || v.elements() == 0) return;
    auto& memory = memory_[static_cast<std::size_t>(v.space)];
    const std::int64_t width = bits(v.dtype) / 8;
    std::array<std::uint32_t, 4> i{};
    for (;;) {
      std::int64_t at = static_cast<std::int64_t>(v.base);
      for (std::size_t d = 0; d < v.rank; ++d) at += static_cast<std::int64_t>(i[d]) * v.stride[d] * width;
      for (std::int64_t b = at; b < at + width; ++b) touch(memory[b], write, e, clock, pc, b, isa::name(v.space));
      int d = v.rank - 1;
      for (; d >= 0; --d) {
        const auto x = static_cast<std::size_t>(d);
        if (++i[x] < v.size[x]) break;
        i[x] = 0;
      }
      if (d < 0) return;
    }
  }

  void touch(Byte& b, bool write, std::size_t e, const Clock& clock, std::uint32_t pc, std::int64_t at,
             std::string_view space) {
    const auto race = [&](const char* what, int other) {
      if (report_.races.size() < 20)
        report_.races.push_back("instruction " + std::to_string(pc) + (write ? " writes " : " reads ") +
                                std::string(space) + " byte " + std::to_string(at) + " while engine " +
                                std::to_string(other) + what);
    };
    if (b.writer >= 0 && b.writer != static_cast<int>(e) && clock[static_cast<std::size_t>(b.writer)] < b.write_time)
      race(" may still write it", b.writer);
    if (write)
      for (std::size_t r = 0; r < clock_size; ++r)
        if (r != e && clock[r] < b.reads[r]) race(" may still read it", static_cast<int>(r));
    if (write) {
      b.writer = static_cast<int>(e);
      b.write_time = clock[e];
    } else {
      b.reads[e] = clock[e];
    }
  }

  OrderReport& report_;
  std::array<Clock, clock_size> clocks_{};
  std::map<std::uint32_t, std::deque<Clock>> tokens_;
  std::array<std::map<std::int64_t, Byte>, 4> memory_;
};

}  // namespace

OrderReport check_order(const isa::ProgramImage& image, const std::vector<std::uint64_t>& arguments) {
  OrderReport report;
  const auto chip = config::load_chip(std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/edge.yaml", {"cores=1"});
  exec::MachineMemory memory(chip, false);
  memory.begin_launch(arguments);
  control::Program program(image);
  control::Sequencer sequencer(chip, memory, nullptr, 0, 0);
  sequencer.start(program, program.entry("main").instruction, 0);
  Checker checker(report);
  for (;;) {
    const control::Event event = sequencer.run();
    switch (event.kind) {
      case control::EventKind::issue:
        checker.issue(*event.op);
        break;
      case control::EventKind::sem_wait:
        checker.sequencer_take(event.sem, event.n, event.pc);
        break;
      case control::EventKind::sem_post:
        checker.sequencer_post(event.sem, event.n);
        break;
      case control::EventKind::fence:
        checker.fence();
        break;
      case control::EventKind::budget:
        break;
      case control::EventKind::halt:
        checker.end();
        return report;
    }
  }
}

}  // namespace heddle::sdk::test
