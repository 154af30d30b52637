// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/tracer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heddle::trace {
namespace {

constexpr std::uint32_t chip_process = 1;

// "bf16 spm [128, 512]"
std::string view_text(const isa::View& v) {
  std::string sizes;
  for (int d = 0; d < v.rank; ++d)
    sizes += fmt::format("{}{}", d == 0 ? "" : ", ", v.size[static_cast<std::size_t>(d)]);
  std::string out = fmt::format("{} {} [{}]", name(v.dtype), name(v.space), sizes);
  if (v.remote) out += fmt::format(" of core {}", v.core);
  return out;
}

std::int64_t bytes_of(const isa::View& v) { return static_cast<std::int64_t>(v.elements()) * bits(v.dtype) / 8; }

// What kind of view operands an instruction has.
bool has_field(isa::Opcode op, isa::FieldId id) {
  for (const isa::Field& f : isa::fields_of(isa::info(op).format))
    if (f.id == id) return true;
  return false;
}

}  // namespace

std::uint32_t Tracer::add_track(std::uint32_t process, const std::string& name) {
  sink_->track(next_number_, process, name);
  return next_number_++;
}

void Tracer::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>& links,
                    const memory::MemoryStats& memory) {
  cores_.clear();
  sink_->process(chip_process, chip.name);
  launch_track_ = add_track(chip_process, "launches");
  counters_.open(*sink_, chip_process, links, memory, next_number_);
  for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(chip.cores); ++c) {
    Core core;
    core.process = chip_process + 1 + c;
    sink_->process(core.process, fmt::format("core {}", c));
    core.scope_track = add_track(core.process, "kernels");
    core.sequencer_track = add_track(core.process, "sequencer stalls");
    const auto add = [&](std::string_view unit, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        Engine e;
        e.name = fmt::format("{}{}", unit, i);
        const bool mxu = unit == "mxu";
        e.lanes.push_back({add_track(core.process, mxu ? e.name + " matmul" : e.name)});
        if (mxu) e.lanes.push_back({add_track(core.process, e.name + " load")});
        e.queue = counters_.add_level(*sink_, core.process, e.name + " queue", "instructions", next_number_);
        core.engines.push_back(std::move(e));
      }
    };
    add("mxu", chip.core.mxu.count);
    add("vpu", chip.core.vpu.count);
    add("dma", chip.core.dma.engines);
    core.used = {counters_.add_level(*sink_, core.process, "scratchpad used", "bytes", next_number_),
                 counters_.add_level(*sink_, core.process, "accumulators used", "bytes", next_number_)};
    cores_.push_back(std::move(core));
  }
  occupancy_.emplace(static_cast<std::uint32_t>(chip.cores),
                     [this](std::uint32_t core, std::size_t space, TimeFs time, std::int64_t by) {
                       counters_.change(cores_[core].used[space], time, by);
                     });
}

void Tracer::watch_channels(const memory::IMemoryModel& memory) {
  counters_.add_channels(*sink_, chip_process, memory, next_number_);
}

void Tracer::launch_began(std::uint32_t program, std::string_view entry, TimeFs launch, TimeFs start) {
  program_ = program;
  launch_ = launch;
  for (Core& core : cores_) core.at = start;
  occupancy_->begin_launch(program, programs_[program]);
  sink_->begin(launch_track_, launch, fmt::format("{}: {}", programs_[program].image.name, entry));
  if (start > launch) sink_->slice({launch_track_, launch, start, "launch overhead", {}, 0, {}, {}, {}});
}

void Tracer::launch_ended(TimeFs end) {
  sink_->end(launch_track_, end);
  occupancy_->end_launch(end);
  counters_.flush(*sink_, end);
}

void Tracer::pass(const Core& core) {
  const ScopeWalk& w = core.walk;
  for (std::size_t i = w.kept(); i < w.before().size(); ++i) sink_->end(core.scope_track, core.at);
  for (std::size_t i = w.kept(); i < w.open().size(); ++i)
    sink_->begin(core.scope_track, core.at, programs_[program_].image.scopes[w.open()[i]].name);
}

void Tracer::executed(std::uint32_t number, std::uint32_t pc, TimeFs local) {
  Core& core = cores_[number];
  if (core.walk.move(programs_[program_], pc)) pass(core);
  core.at = local;
}

void Tracer::halted(std::uint32_t number, TimeFs at) {
  Core& core = cores_[number];
  core.at = at;
  if (core.walk.leave()) pass(core);
}

std::string Tracer::poster(const Cause& cause) const {
  const ProgramInfo& program = programs_[program_];
  return fmt::format("core {} {} {}", cause.by.core, program.engine(cause.by.pc), program.place(cause.by.pc));
}

void Tracer::stalled(std::uint32_t number, std::uint32_t pc, SequencerStall why, std::uint32_t which, TimeFs from,
                     TimeFs to, const Cause* cause) {
  Core& core = cores_[number];
  core.at = to;
  const isa::SourceLine source = isa::source_of(programs_[program_].image, pc);
  std::string name = "fence", by;
  std::array<Arg, 1> args;
  std::size_t count = 0;
  if (why == SequencerStall::queue_full) name = core.engines[which - 1].name + " queue full";
  if (why == SequencerStall::semaphore) {
    name = fmt::format("wait s{}", which);
    if (cause != nullptr) {
      by = poster(*cause);
      args[count++] = {"posted by", by};
    }
  }
  sink_->slice({core.sequencer_track, from, to, name, source.file, source.line, {args.data(), count}, {}, {}});
}

void Tracer::issued(Agent agent, const exec::EngineOp& op, TimeFs time) {
  counters_.change(engine(agent).queue, time, 1);
  occupancy_->issued(agent, op.pc);
}

void Tracer::started(Agent agent, const exec::EngineOp& op, TimeFs, TimeFs, TimeFs start) {
  counters_.change(engine(agent).queue, start, -1);
  occupancy_->began(agent, op, start);
}

Tracer::Lane& Tracer::lane_of(const Record& r, TimeFs begin) {
  Engine& e = engine(r.agent);
  if (r.op.unit == isa::Unit::mxu) return e.lanes[r.op.op == isa::Opcode::mxu_load ? 1 : 0];
  for (Lane& lane : e.lanes)
    if (lane.until <= begin) return lane;
  e.lanes.push_back({add_track(cores_[r.agent.core].process, fmt::format("{} ({})", e.name, e.lanes.size() + 1))});
  return e.lanes.back();
}

void Tracer::ran(const Record& r) {
  occupancy_->ran(r.agent, r.start, r.course.end);
  const exec::EngineOp& op = r.op;
  const ProgramInfo& program = programs_[program_];
  const bool dma = op.unit == isa::Unit::dma;
  const TimeFs begin = dma ? r.start : r.course.begin;
  const TimeFs end = dma ? r.course.end : r.course.free;
  Lane& lane = lane_of(r, begin);
  const isa::SourceLine source = isa::source_of(program.image, op.pc);

  if (const TimeFs from = std::max(r.could, lane.until); r.last != nullptr && r.start > from) {
    const std::string wait = fmt::format("wait s{}", r.last->sem), by = poster(*r.last);
    const std::array<Arg, 1> args{{{"posted by", by}}};
    sink_->slice({lane.track, from, r.start, wait, source.file, source.line, args, {}, {}});
  }

  std::array<std::string, 3> texts;
  std::array<Arg, 8> args;
  std::size_t count = 0;
  const auto view = [&](isa::FieldId field, std::string_view key, const isa::View& v, std::string& text) {
    if (!has_field(op.op, field)) return;
    text = view_text(v);
    args[count++] = {key, text};
  };
  view(isa::FieldId::vd, "vd", op.vd, texts[0]);
  view(isa::FieldId::va, "va", op.va, texts[1]);
  view(isa::FieldId::vb, "vb", op.vb, texts[2]);
  const auto number = [&](std::string_view key, std::int64_t value) { args[count++] = {key, {}, value}; };
  if (op.op == isa::Opcode::mxu_matmul)
    number("macs", static_cast<std::int64_t>(op.va.elements()) * op.vd.size[1]);
  else if (op.op == isa::Opcode::mxu_load)
    number("bytes", bytes_of(op.va));
  else if (has_field(op.op, isa::FieldId::vd))
    number("bytes", bytes_of(op.vd));
  number("queued_ns", (r.start - r.ready).value() / 1'000'000);
  if (r.course.conflict > TimeFs{}) number("bank_conflict_fs", r.course.conflict.value());
  number("duration_fs", (end - begin).value());
  if (r.course.end != end) number("completes_fs", (r.course.end - end).value());

  std::vector<std::uint64_t> out, in;
  for (std::size_t i = 0; i < op.post.size(); ++i) {
    const std::uint32_t to = i == 1 && op.remote_post && op.vd.remote ? op.vd.core : op.core;
    for (int unit = 0; unit < std::min<int>(op.post[i].count, Recorder::most_arrows); ++unit)
      out.push_back(Recorder::flow(recorder_.launch(), to, op.post[i].sem, {op.core, op.pc, op.sequence}, unit));
  }
  for (const Cause& c : r.causes)
    if (c.by.sequence != Poster::none) in.push_back(c.flow);
  sink_->slice(
      {lane.track, begin, end, program.mnemonic(op.pc), source.file, source.line, {args.data(), count}, out, in});
  lane.until = std::max(lane.until, end);
}

}  // namespace heddle::trace
