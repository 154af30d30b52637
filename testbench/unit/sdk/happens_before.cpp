// SPDX-License-Identifier: Apache-2.0
#include "testbench/unit/sdk/happens_before.hpp"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

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

// The bytes that were touched, in pages.
class Shadow {
 public:
  Byte& operator[](std::int64_t at) {
    const std::int64_t number = at / page_bytes;
    if (number != last_) {
      auto& page = pages_[number];
      if (!page) page = std::make_unique<std::array<Byte, page_bytes>>();
      last_ = number;
      page_ = page.get();
    }
    return (*page_)[static_cast<std::size_t>(at % page_bytes)];
  }

 private:
  static constexpr std::int64_t page_bytes = 4096;
  std::unordered_map<std::int64_t, std::unique_ptr<std::array<Byte, page_bytes>>> pages_;
  std::int64_t last_ = -1;
  std::array<Byte, page_bytes>* page_ = nullptr;
};

class Checker {
 public:
  explicit Checker(OrderReport& report) : report_(report) {}

  // Into its engine's queue, with the sequencer's clock at that moment.
  void issue(const exec::EngineOp& op) {
    auto& queue = queues_[static_cast<std::size_t>(engine_of(op))];
    go_on();
    if (queue.size() >= queue_depth) fault("instruction " + std::to_string(op.pc) + " finds its queue full for ever");
    queue.push_back({op, clocks_[0]});
    go_on();
  }

  void sequencer_take(std::uint32_t sem, std::int64_t n, std::uint32_t pc) {
    go_on();
    if (static_cast<std::int64_t>(tokens_[sem].size()) < n)
      return fault("the sequencer waits at instruction " + std::to_string(pc) + " for ever");
    take(sem, n, clocks_[0]);
  }
  void sequencer_post(std::uint32_t sem, std::int64_t n) {
    ++clocks_[0][0];
    post(sem, n, clocks_[0]);
  }
  void fence() {
    drain();
    for (const Clock& c : clocks_) merge(clocks_[0], c);
  }
  void end() {
    drain();
    for (const auto& [sem, tokens] : tokens_)
      if (!tokens.empty())
        report_.faults.push_back("s" + std::to_string(sem) + " holds " + std::to_string(tokens.size()) + " at the end");
  }

 private:
  struct Queued {
    exec::EngineOp op;
    Clock issued;
  };

  void fault(const std::string& what) { report_.faults.push_back(what); }

  // Executes whatever can be executed.
  void go_on() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& queue : queues_)
        while (!queue.empty() && can_start(queue.front().op)) {
          execute(queue.front());
          queue.pop_front();
          moved = true;
        }
    }
  }
  void drain() {
    go_on();
    for (auto& queue : queues_) {
      if (!queue.empty()) fault("instruction " + std::to_string(queue.front().op.pc) + " waits for ever");
      queue.clear();
    }
  }

  bool can_start(const exec::EngineOp& op) {
    std::map<std::uint32_t, std::size_t> needed;
    for (const exec::SemCount& w : op.wait) needed[w.sem] += w.count;
    for (const auto& [sem, n] : needed)
      if (tokens_[sem].size() < n) return false;
    return true;
  }

  void take(std::uint32_t sem, std::int64_t n, Clock& clock) {
    auto& tokens = tokens_[sem];
    for (; n > 0; --n) {
      merge(clock, tokens.front());
      tokens.pop_front();
    }
  }
  void post(std::uint32_t sem, std::int64_t n, const Clock& clock) {
    for (; n > 0; --n) tokens_[sem].push_back(clock);
  }

  void execute(const Queued& queued) {
    const exec::EngineOp& op = queued.op;
    const auto e = static_cast<std::size_t>(engine_of(op));
    Clock& clock = clocks_[e];
    merge(clock, queued.issued);
    for (const exec::SemCount& w : op.wait) take(w.sem, w.count, clock);
    ++clock[e];
    using isa::Opcode;
    const bool sync = op.op == Opcode::dma_sync || op.op == Opcode::mxu_sync || op.op == Opcode::vpu_sync;
    if (!sync) {
      for (const isa::Field& f : isa::fields_of(isa::info(op.op).format)) {
        if (f.id == isa::FieldId::va) access(op.va, false, e, clock, op.pc);
        if (f.id == isa::FieldId::vb) access(op.vb, false, e, clock, op.pc);
        if (f.id == isa::FieldId::vc && f.access == isa::Access::read) access(op.vc, false, e, clock, op.pc);
      }
      if (op.has_bias) access(op.vb, false, e, clock, op.pc);
      if (op.has_row || op.op == Opcode::vpu_topk) access(op.vc, true, e, clock, op.pc);
      if (op.op != Opcode::mxu_load) access(op.vd, true, e, clock, op.pc);
    }
    for (const exec::SemCount& p : op.post) post(p.sem, p.count, clock);
    ++report_.engine_instructions;
  }

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
  static constexpr std::size_t queue_depth = 16;
  std::array<Clock, clock_size> clocks_{};
  std::array<std::deque<Queued>, clock_size> queues_;
  std::map<std::uint32_t, std::deque<Clock>> tokens_;
  std::array<Shadow, 4> memory_;
};

}  // namespace

OrderReport check_order(const isa::ProgramImage& image, const std::vector<std::uint64_t>& arguments,
                        const std::string& preset) {
  OrderReport report;
  const auto chip =
      config::load_chip(std::string(HEDDLE_SOURCE_DIR) + "/configs/chip/" + preset + ".yaml", {"cores=1"});
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
