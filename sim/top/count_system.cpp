// SPDX-License-Identifier: Apache-2.0
// The counters of a system, under their stable names.
#include <algorithm>
#include <string>

#include "sim/top/system.hpp"

namespace heddle::top {
namespace {

std::uint64_t u(std::int64_t v) { return static_cast<std::uint64_t>(v); }

std::string unit_name(isa::Unit unit) {
  return unit == isa::Unit::mxu ? "mxu" : unit == isa::Unit::vpu ? "vpu" : "dma";
}

void count_core(trace::Counters& out, const Core& core, std::size_t number, TimeFs period) {
  const std::string prefix = "core" + std::to_string(number) + ".";
  const auto cycles = [&](TimeFs t) { return u(t / period); };
  const SequencerStats& s = core.sequencer().stats();
  out.add(prefix + "sequencer.instructions", "instructions", "executed by this core's sequencer", s.instructions);
  out.add(prefix + "sequencer.busy", "cycles", "the sequencer executed instructions", cycles(s.busy));
  out.add(prefix + "sequencer.queue_full", "cycles", "the sequencer stood before a full engine queue",
          cycles(s.queue_full));
  out.add(prefix + "sequencer.sem_wait", "cycles", "the sequencer stood in sem.wait", cycles(s.semaphore));
  out.add(prefix + "sequencer.fence", "cycles", "the sequencer stood in fence", cycles(s.fence));
  for (const compute::Engine* engine : core.engines()) {
    const compute::EngineStats& e = engine->stats();
    const std::string name = prefix + unit_name(engine->unit()) + std::to_string(engine->index()) + ".";
    out.add(name + "instructions", "instructions", "put into this engine's queue", e.instructions);
    out.add(name + "busy", "cycles", "the engine worked on an instruction", cycles(e.busy));
    out.add(name + "waiting", "cycles", "the engine was free and its next instruction waited for a semaphore",
            cycles(e.waiting));
    if (engine->unit() == isa::Unit::mxu) {
      out.add(name + "macs", "operations", "multiply-accumulates asked for", e.macs);
      out.add(name + "streaming", "cycles", "rows entered the array", cycles(e.streaming));
      out.add(name + "loading", "cycles", "weights were loaded while no rows entered", cycles(e.loading));
      out.add(name + "weight_waiting", "cycles", "the array stood still before a load that waited for a semaphore",
              cycles(e.weight_waiting));
    }
    if (engine->unit() == isa::Unit::dma) out.add(name + "bytes", "bytes", "moved by this engine", e.bytes);
  }
  out.add(prefix + "spm.stretched", "cycles", "by which accesses took longer because other engines used the banks",
          cycles(core.spm().stretched()));
}

}  // namespace

void System::count(trace::Counters& out) const {
  std::uint64_t instructions = 0;
  std::uint64_t tile_instructions = 0;
  std::uint64_t activations = stack_->activations();
  for (const auto& core : cores_) {
    instructions += core->sequencer().stats().instructions;
    tile_instructions += core->sequencer().stats().engine_instructions;
    activations += core->agenda().activations();
  }
  out.add("cycles", "cycles", "core clock cycles in launches, from each launch to its end", u(launched_ / period_));
  out.add("time_fs", "fs", "simulated time in launches", u(launched_.value()));
  out.add("launches", "launches", "that ended well", launches_);
  out.add("instructions", "instructions", "executed by all sequencers", instructions);
  out.add("tile_instructions", "instructions", "put into engine queues, all cores", tile_instructions);
  for (std::size_t c = 0; c < cores_.size(); ++c) count_core(out, *cores_[c], c, period_);

  const memory::MemoryStats& m = stack_->model().stats();
  out.add("hbm.bytes_read", "bytes", "read from the memory stack", m.bytes_read);
  out.add("hbm.bytes_written", "bytes", "written to the memory stack", m.bytes_written);
  out.add("hbm.row_hits", "bursts", "that found their row open", m.row_hits);
  out.add("hbm.row_misses", "bursts", "that found their bank closed", m.row_misses);
  out.add("hbm.row_conflicts", "bursts", "that found another row open", m.row_conflicts);
  out.add("hbm.refreshes", "refreshes", "of all channels", m.refreshes);
  out.add("hbm.busy", "fs", "the data bus carried data, mean over the channels",
          u(m.busy.value() / std::max(1, stack_->model().channels())));
  for (const noc::LinkStats& link : fabric_->model().links()) {
    std::string name = "noc." + link.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    out.add(name + ".bytes", "bytes", "payload and headers over this link", link.bytes);
    out.add(name + ".packets", "packets", "over this link", link.packets);
    out.add(name + ".busy", "cycles", "the link was held", u(link.busy / period_));
  }
  out.add("simulator.activations", "activations", "of SystemC processes", activations);
}

}  // namespace heddle::top
