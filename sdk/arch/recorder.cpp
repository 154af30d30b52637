// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/recorder.hpp"

#include <algorithm>
#include <limits>

#include "sdk/arch/state.hpp"

#ifndef HEDDLE_SOURCE_ROOT
#define HEDDLE_SOURCE_ROOT ""
#endif

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

// As the reader of a report knows it: relative to the source tree where it lies inside.
std::string short_name(const char* file) {
  const std::string_view name = file;
  const std::string_view root = HEDDLE_SOURCE_ROOT;
  return std::string(!root.empty() && name.substr(0, root.size()) == root ? name.substr(root.size()) : name);
}

bool fits_immediate(std::int64_t v) {
  return v >= std::numeric_limits<std::int32_t>::min() && v <= std::numeric_limits<std::int32_t>::max();
}

// The form of a register operation that takes a 32-bit constant, or nop where there is none.
Opcode immediate_form(Opcode op) {
  switch (op) {
    case Opcode::add:
      return Opcode::addi;
    case Opcode::mul:
      return Opcode::muli;
    case Opcode::div:
      return Opcode::divi;
    case Opcode::rem:
      return Opcode::remi;
    case Opcode::and_:
      return Opcode::andi;
    case Opcode::or_:
      return Opcode::ori;
    case Opcode::xor_:
      return Opcode::xori;
    case Opcode::sll:
      return Opcode::slli;
    case Opcode::srl:
      return Opcode::srli;
    case Opcode::sra:
      return Opcode::srai;
    case Opcode::slt:
      return Opcode::slti;
    case Opcode::min:
      return Opcode::mini;
    case Opcode::max:
      return Opcode::maxi;
    default:
      return Opcode::nop;
  }
}

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

ScopeGuard::~ScopeGuard() { recorder_->end_scope(kernel_); }

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
      s.file_numbers.try_emplace(short_name(loc.file_name()), static_cast<std::uint32_t>(s.program.files.size()));
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
  throw Error(ErrorKind::program, std::move(id), message, {short_name(loc.file_name()), loc.line(), 0});
}

ValueId Recorder::materialise(Scalar s) {
  if (!s.is_constant()) {
    if (s.recorder() != this) error("HDL-SDK-03", "a scalar of another program is used");
    return s.value();
  }
  if (s.constant() == 0) return 0;
  Node n = instruction(Opcode::li);
  n.in[FieldId::imm64] = s.constant();
  n.rd = state_->program.new_value({false, Opcode::li, 0, 0, s.constant()});
  n.pure = n.movable = true;
  const ValueId rd = n.rd;
  append(std::move(n));
  return rd;
}

Scalar Recorder::binary(Opcode op, const Scalar& a, const Scalar& b) {
  auto& values = state_->program.values;
  const Opcode with_constant = immediate_form(op);
  if (b.is_constant() && with_constant != Opcode::nop && fits_immediate(b.constant())) {
    ValueId base = materialise(a);
    std::int64_t imm = b.constant();
    // (x + c) + d = x + (c + d)
    if (with_constant == Opcode::addi && values[base].op == Opcode::addi && !values[values[base].a].variable &&
        fits_immediate(values[base].imm + imm)) {
      imm += values[base].imm;
      base = values[base].a;
      if (imm == 0) return {*this, base};
    }
    Opcode form = with_constant;
    // (x * c) * d = x * (c * d)
    const auto factor = [](Opcode o, std::int64_t v) -> std::int64_t {
      return o == Opcode::muli ? v : o == Opcode::slli && v >= 0 && v < 31 ? std::int64_t{1} << v : 0;
    };
    const std::int64_t outer = factor(form, imm), inner = factor(values[base].op, values[base].imm);
    if (outer != 0 && inner != 0 && !values[values[base].a].variable) {
      std::int64_t product = 0;
      if (!__builtin_mul_overflow(outer, inner, &product) && fits_immediate(product) && product > 0) {
        const bool power = (product & (product - 1)) == 0;
        form = power ? Opcode::slli : Opcode::muli;
        imm = power ? __builtin_ctzll(static_cast<unsigned long long>(product)) : product;
        base = values[base].a;
      }
    }
    Node n = instruction(form, imm);
    n.rs1 = base;
    n.rd = state_->program.new_value({false, form, base, 0, imm});
    n.pure = n.movable = true;
    const ValueId rd = n.rd;
    append(std::move(n));
    return {*this, rd};
  }
  Node n = instruction(op);
  n.rs1 = materialise(a);
  n.rs2 = materialise(b);
  n.rd = state_->program.new_value({false, op, n.rs1, n.rs2, 0});
  n.pure = true;
  n.movable = op != Opcode::div && op != Opcode::rem;  // may trap
  const ValueId rd = n.rd;
  append(std::move(n));
  return {*this, rd};
}

std::pair<Scalar, std::int64_t> Recorder::split(const Scalar& s) {
  if (s.is_constant()) return {0, s.constant()};
  const ValueInfo& v = state_->program.values[s.value()];
  if (v.op == Opcode::addi && !state_->program.values[v.a].variable) return {Scalar(*this, v.a), v.imm};
  return {s, 0};
}

bool Recorder::depends_on(const Scalar& s, const Scalar& on) const {
  if (s.is_constant()) return false;
  const auto& values = state_->program.values;
  std::vector<ValueId> open{s.value()};
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    // What a variable or a load holds is not known here: it may come from anywhere.
    const Opcode op = values[v].op;
    const bool from_memory = op == Opcode::lw || op == Opcode::lwu || op == Opcode::lb || op == Opcode::lbu;
    if (v == on.value() || values[v].variable || from_memory) return true;
    if (values[v].a != 0) open.push_back(values[v].a);
    if (values[v].b != 0) open.push_back(values[v].b);
  }
  return false;
}

Scalar Recorder::placeholder() { return {*this, state_->program.new_value()}; }

void Recorder::begin_discarded() {
  Frame f;
  f.kind = NodeKind::scope;
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  state_->frames.push_back(std::move(f));
}
void Recorder::end_discarded() { state_->frames.pop_back(); }

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

Var Recorder::var(Scalar initial, Loc loc) {
  at(loc);
  return Var(*this, initial);
}

Var::Var(Recorder& recorder, Scalar initial)
    : recorder_(&recorder), value_(recorder.state().program.new_value({true, Opcode::nop, 0, 0, 0})) {
  *this = initial;
}

void Var::operator=(Scalar value) {
  Node n = instruction(Opcode::addi);
  if (value.is_constant()) {
    n = instruction(Opcode::li);
    n.in[FieldId::imm64] = value.constant();
  } else {
    n.rs1 = recorder_->materialise(value);
  }
  n.rd = value_;
  recorder_->append(std::move(n));
}

void Var::operator+=(Scalar value) {
  Node n = instruction(Opcode::add);
  if (value.is_constant() && fits_immediate(value.constant()))
    n = instruction(Opcode::addi, value.constant());
  else
    n.rs2 = recorder_->materialise(value);
  n.rs1 = n.rd = value_;
  recorder_->append(std::move(n));
}

Scalar Var::get() const {
  // A copy: what was read stays what it was when the variable changes.
  Node n = instruction(Opcode::addi);
  n.rs1 = value_;
  n.rd = recorder_->state().program.new_value({false, Opcode::addi, value_, 0, 0});
  n.pure = n.movable = true;
  const ValueId rd = n.rd;
  recorder_->append(std::move(n));
  return {*recorder_, rd};
}

Scalar Recorder::select(const Cond& condition, Scalar a, Scalar b, Loc loc) {
  at(loc);
  if (condition.is_constant()) return condition.constant() ? a : b;
  return b + (a - b) * Scalar(condition);
}

Scalar Recorder::begin_loop(Scalar begin, Scalar end, Scalar step, const Loc& loc) {
  at(loc);
  State& s = *state_;
  if (step.is_constant() && step.constant() <= 0) error("HDL-SDK-08", "the step of a loop must be above 0");
  Frame f;
  f.node.file = s.file;
  f.node.line = s.line;
  const bool one_turn = begin.is_constant() && end.is_constant() && step.is_constant() &&
                        begin.constant() < end.constant() && end.constant() - begin.constant() <= step.constant();
  f.kind = f.node.kind = one_turn ? NodeKind::scope : NodeKind::loop;
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  if (!one_turn) {
    f.node.rs1 = materialise(begin);
    f.node.rs2 = materialise(end);
    const bool immediate = step.is_constant() && fits_immediate(step.constant());
    f.node.rs3 = immediate ? 0 : materialise(step);
    f.node.in[FieldId::imm] = immediate ? step.constant() : 0;
    f.node.runs = begin.is_constant() && end.is_constant() && begin.constant() < end.constant();
    f.node.rd = s.program.new_value({false, Opcode::nop, 0, 0, 0});
    f.node.serial = s.program.loops++;
  }
  const ValueId index = f.node.rd;
  s.frames.push_back(std::move(f));
  return one_turn ? begin : Scalar(*this, index);
}

void Recorder::end_loop(const Loc& loc) {
  State& s = *state_;
  Frame f = std::move(s.frames.back());
  if (f.kind != NodeKind::loop && f.kind != NodeKind::scope)
    error_at(loc, "HDL-SDK-09", "a scope opened inside a loop outlives it");
  for (Node& n : f.at_end) append(std::move(n));
  s.frames.pop_back();
  s.block().nodes.push_back(std::move(f.node));
  at(loc);
}

void Recorder::begin_if(const Cond& c, const Loc& loc) {
  at(loc);
  State& s = *state_;
  Frame f;
  f.kind = f.node.kind = NodeKind::branch;
  f.node.condition = c.kind;
  f.node.rs1 = materialise(c.a);
  f.node.rs2 = materialise(c.b);
  f.node.file = s.file;
  f.node.line = s.line;
  f.node.body = std::make_unique<Block>();
  f.node.other = std::make_unique<Block>();
  f.block = f.node.body.get();
  s.frames.push_back(std::move(f));
}

void Recorder::begin_else() {
  Frame& f = state_->frames.back();
  if (f.kind != NodeKind::branch) error("HDL-SDK-09", "a scope opened inside a branch outlives it");
  f.block = f.node.other.get();
}

void Recorder::end_if() {
  State& s = *state_;
  Frame f = std::move(s.frames.back());
  if (f.kind != NodeKind::branch) error("HDL-SDK-09", "a scope opened inside a branch outlives it");
  s.frames.pop_back();
  s.block().nodes.push_back(std::move(f.node));
}

void Recorder::fence(Loc loc) { emitter_.fence(loc); }

void Recorder::barrier(Loc loc) {
  fence(loc);
  const SemRef arrive(barrier_arrive), go(barrier_go);
  const Scalar others = num_cores(loc) - 1;
  const Scalar chip = chip_id(loc);
  if_(
      core_id(loc) == 0,
      [&] {
        emitter_.sem_wait(arrive, 0, others, loc);
        loop(
            1, others + 1, 1, [&](Scalar core) { emitter_.sem_post_remote(go, 1, core, chip, 0, loc); }, loc);
      },
      [&] {
        emitter_.sem_post_remote(arrive, 1, 0, chip, 0, loc);
        emitter_.sem_wait(go, 1, 0, loc);
      },
      loc);
}

void Recorder::trap(int code, Loc loc) { emitter_.trap(code, loc); }

ScopeGuard Recorder::scope(std::string name, Loc loc) {
  at(loc);
  State& s = *state_;
  Frame f;
  f.kind = f.node.kind = NodeKind::scope;
  f.node.name = std::move(name);
  f.node.file = s.file;
  f.node.line = s.line;
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  s.frames.push_back(std::move(f));
  return {*this, false};
}

ScopeGuard Recorder::kernel(std::string name, Loc loc) {
  at(loc);
  State& s = *state_;
  Frame f;
  f.kind = f.node.kind = NodeKind::kernel;
  f.node.name = std::move(name);
  f.node.file = s.file;
  f.node.line = s.line;
  f.node.serial = static_cast<std::uint32_t>(s.program.kernels.size());
  f.node.body = std::make_unique<Block>();
  f.block = f.node.body.get();
  f.previous_kernel = s.kernel;
  KernelInfo info;
  info.parent = s.kernel;
  info.memory_top = s.memory_top;
  s.program.kernels.push_back(std::move(info));
  s.kernel = f.node.serial;
  s.frames.push_back(std::move(f));
  return {*this, true};
}

void Recorder::end_scope(bool kernel) noexcept {
  State& s = *state_;
  const NodeKind kind = kernel ? NodeKind::kernel : NodeKind::scope;
  // While an exception passes, loops and branches inside may be open still: what was recorded is not used then.
  while (s.frames.size() > 1 && s.frames.back().kind != kind) s.frames.pop_back();
  if (s.frames.size() <= 1) return;
  Frame f = std::move(s.frames.back());
  s.frames.pop_back();
  if (kernel) {
    const auto& own = s.program.kernels[f.node.serial].inner_top;
    auto& outer = s.program.kernels[f.previous_kernel].inner_top;
    for (std::size_t i = 0; i < outer.size(); ++i) outer[i] = std::max({outer[i], own[i], s.memory_top[i]});
    s.memory_top = s.program.kernels[f.node.serial].memory_top;
    s.kernel = f.previous_kernel;
  }
  s.block().nodes.push_back(std::move(f.node));
}

void Recorder::begin_entry(std::string name, const Loc& loc) {
  State& s = *state_;
  at(loc);
  if (s.entry_open) error("HDL-SDK-09", "an entry is recorded inside another");
  if (!s.frames.empty() && s.frames.size() != 1) error("HDL-SDK-09", "an entry begins inside a loop, branch or scope");
  s.outer_frames = std::move(s.frames);
  s.frames.clear();
  EntryInfo entry;
  entry.name = std::move(name);
  entry.body = std::make_unique<Block>();
  entry.kernel = static_cast<std::uint32_t>(s.program.kernels.size());
  s.program.kernels.emplace_back();
  s.kernel = entry.kernel;
  s.outer_memory_top = s.memory_top;
  s.memory_top = {0, 0, 0, smem_reserved_bytes};
  s.entry = s.program.entries.size();
  Frame f;
  f.kind = NodeKind::kernel;
  f.block = entry.body.get();
  s.program.entries.push_back(std::move(entry));
  s.frames.push_back(std::move(f));
  s.entry_open = true;
}

void Recorder::end_entry() {
  State& s = *state_;
  if (s.frames.size() != 1) error("HDL-SDK-09", "a scope opened inside an entry outlives it");
  s.frames = std::move(s.outer_frames);
  s.outer_frames.clear();
  s.memory_top = s.outer_memory_top;
  s.entry = 0;
  s.kernel = s.program.entries.front().kernel;
  s.entry_open = false;
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
  order_tiles(s.program);
  share_and_hoist(s.program);
  return assemble(s.program, s.target);
}

}  // namespace heddle::sdk
