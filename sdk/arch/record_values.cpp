// SPDX-License-Identifier: Apache-2.0
// Scalars and variables as instructions.
#include <limits>

#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

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
    // min(min(x, c), d) = min(x, min(c, d)), and so for max.
    if ((with_constant == Opcode::mini || with_constant == Opcode::maxi) && values[base].op == with_constant &&
        !values[values[base].a].variable) {
      const std::int64_t inner = values[base].imm;
      const bool inner_decides = with_constant == Opcode::mini ? inner <= imm : inner >= imm;
      if (inner_decides) return {*this, base};
      base = values[base].a;
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

void Recorder::print(Scalar value, std::string label, Loc loc) {
  at(loc);
  Node n = instruction(Opcode::nop);
  n.kind = NodeKind::print;
  n.rs1 = materialise(value);
  n.name = std::move(label);
  append(std::move(n));
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

}  // namespace heddle::sdk
