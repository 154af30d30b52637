// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/recorder.hpp"

#include <algorithm>

#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

Node instruction(Opcode op, std::int64_t imm = 0) {
  Node n;
  n.in.op = op;
  n.in[FieldId::imm] = imm;
  return n;
}

}  // namespace

bool is_engine_node(const Node& node) {
  return node.kind == NodeKind::instruction && isa::is_engine(isa::info(node.in.op).unit);
}

EngineKey key_of(const Node& node) {
  if (!is_engine_node(node)) return sequencer_key;
  return engine_key(isa::info(node.in.op).unit, static_cast<int>(node.in[FieldId::engine]));
}

Recorder::Recorder(Target target, std::string name, Loc loc) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.target = std::move(target);
  s.program.name = std::move(name);
  begin_entry("main", loc);
  s.entry_open = false;
}

Recorder::~Recorder() = default;

const Target& Recorder::target() const { return state_->target; }

void Recorder::at(const Loc& loc) {
  State& s = *state_;
  const auto [entry, is_new] =
      s.file_numbers.try_emplace(loc.file_name(), static_cast<std::uint32_t>(s.program.files.size()));
  if (is_new) s.program.files.push_back(entry->first);
  s.file = entry->second;
  s.line = loc.line();
}

Node& Recorder::append(Node node) {
  State& s = *state_;
  if (s.finished) error("HDL-SDK-06", "the program is finished; nothing can be recorded any more");
  node.file = s.file;
  node.line = s.line;
  s.block().nodes.push_back(std::move(node));
  return s.block().nodes.back();
}

void Recorder::error(std::string id, const std::string& message) const {
  throw Error(ErrorKind::program, std::move(id), message, {state_->program.files[state_->file], state_->line, 0});
}

void Recorder::error_at(const Loc& loc, std::string id, const std::string& message) {
  throw Error(ErrorKind::program, std::move(id), message, {loc.file_name(), loc.line(), 0});
}
Scalar Recorder::arg(int i, Loc loc) {
  at(loc);
  if (i < 0 || i >= max_arguments)
    error("HDL-SDK-07", fmt::format("launch argument {}: there are {} at most", i, max_arguments));
  EntryInfo& entry = state_->program.entries[state_->entry];
  entry.arguments = std::max(entry.arguments, i + 1);
  Node n = instruction(Opcode::ld, i * 8);
  n.rd = state_->program.new_value({false, Opcode::ld, 0, 0, i * 8});
  n.pure = n.movable = true;
  const ValueId rd = n.rd;
  append(std::move(n));
  return {*this, rd};
}

Scalar Recorder::core_id(Loc loc) { return emitter_.csr_read(isa::Csr::core_id, loc); }
Scalar Recorder::num_cores(Loc loc) { return emitter_.csr_read(isa::Csr::num_cores, loc); }
Scalar Recorder::chip_id(Loc loc) { return emitter_.csr_read(isa::Csr::chip_id, loc); }
Scalar Recorder::num_chips(Loc loc) { return emitter_.csr_read(isa::Csr::num_chips, loc); }

Scalar Recorder::constant(std::string name, std::span<const std::uint8_t> bytes, Loc loc) {
  at(loc);
  auto& all = state_->program.constants;
  std::int64_t offset = 0;
  for (const isa::Constant& c : all) {
    if (std::equal(c.bytes.begin(), c.bytes.end(), bytes.begin(), bytes.end())) break;
    offset += (static_cast<std::int64_t>(c.bytes.size()) + 63) / 64 * 64;
  }
  const bool known = std::any_of(all.begin(), all.end(), [&](const isa::Constant& c) {
    return std::equal(c.bytes.begin(), c.bytes.end(), bytes.begin(), bytes.end());
  });
  if (!known) all.push_back({std::move(name), {bytes.begin(), bytes.end()}});
  return Scalar(*this, constants_base_value) + offset;
}

SemRef Recorder::semaphore(Loc loc) {
  at(loc);
  return SemRef(state_->program.new_semaphore(state_->kernel));
}

isa::ProgramImage Recorder::finish(Loc loc) {
  State& s = *state_;
  at(loc);
  if (s.finished) error("HDL-SDK-06", "the program is finished already");
  if (s.frames.size() != 1 || s.entry_open) error("HDL-SDK-09", "the program is finished inside a scope");
  s.finished = true;
  // "main" goes when only named entries were recorded.
  auto& entries = s.program.entries;
  if (entries.size() > 1 && entries.front().body->nodes.empty()) entries.erase(entries.begin());
  place_pipe_events(s.program);
  name_tiles(s.program);
  order_tiles(s.program);
  share_and_hoist(s.program, s.changed_views);
  return assemble(s.program, s.target);
}

}  // namespace heddle::sdk
