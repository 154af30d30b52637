// SPDX-License-Identifier: Apache-2.0
// Prints: from nodes to the steps of the image. The code is the same with and without them.
#include <algorithm>
#include <map>

#include "sdk/arch/flat.hpp"
#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;
using isa::PrintStep;

namespace {

constexpr int last_scalar_register = 31;  // through which values pass that are kept in SMEM

isa::PrintValue kept(ValueId v) { return v == 0 ? 0 : v == constants_base_value ? 2 : isa::first_print_register + v; }

// Each t register that a step names.
template <class F>
void each_kept(PrintStep& s, F&& f) {
  const auto see = [&](isa::PrintValue& v) {
    if (v >= isa::first_print_register) f(v);
  };
  for (isa::PrintValue* v : {&s.target, &s.a, &s.b, &s.core, &s.chip}) see(*v);
  for (isa::PrintValue& v : s.size) see(v);
  for (isa::PrintValue& v : s.stride) see(v);
}

Flat step_flat(const Node& n, PrintStep::Kind kind) {
  Flat f;
  f.kind = FlatKind::print;
  f.step.kind = kind;
  f.file = n.file;
  f.line = n.line;
  return f;
}

std::int64_t constant_of(const isa::Instruction& in) {
  if (in.op == Opcode::li) return in[FieldId::imm64];
  return in.op == Opcode::csr_read ? in[FieldId::csr] : in[FieldId::imm];
}

Flat capture(const Flat& f) {
  Flat c;
  c.kind = FlatKind::print;
  c.step.kind = PrintStep::Kind::keep;
  c.step.target = kept(f.rd);
  c.file = f.file;
  c.line = f.line;
  if (f.constant_source) {  // may have no register at all
    c.step.op = f.in.op;
    c.step.imm = constant_of(f.in);
  } else {
    c.captured = f.rd;
  }
  return c;
}

// How control comes to a place in the line between two instructions.
class Arrivals {
 public:
  explicit Arrivals(const std::vector<Flat>& line) {
    std::uint32_t pc = 0;
    for (const Flat& f : line)
      if (f.kind == FlatKind::instruction) {
        if (f.label != 0) jumps_[f.label].push_back(pc);
        ++pc;
      }
  }

  void see_instruction(const Flat& f) {
    labels_.clear();
    falls_ = f.in.op != Opcode::jal && f.in.op != Opcode::jalr && f.in.op != Opcode::halt;
  }
  void see_label(std::uint32_t label) { labels_.push_back(label); }
  void see_entry() { falls_ = true; }
  std::size_t labels() const { return labels_.size(); }

  // Of a step that stands after the first `labels` of those at its instruction.
  void restrict(PrintStep& step, std::size_t labels) const {
    if (labels == labels_.size()) return;
    step.anyhow = false;
    step.falls = falls_;
    for (std::size_t i = 0; i < labels; ++i)
      if (const auto from = jumps_.find(labels_[i]); from != jumps_.end())
        step.jumps.insert(step.jumps.end(), from->second.begin(), from->second.end());
    std::sort(step.jumps.begin(), step.jumps.end());
  }

 private:
  std::map<std::uint32_t, std::vector<std::uint32_t>> jumps_;
  std::vector<std::uint32_t> labels_;
  bool falls_ = true;
};

}  // namespace

Flat print_step(const Node& n) {
  const bool scalar = n.in.op == Opcode::nop;
  Flat f = step_flat(n, scalar ? PrintStep::Kind::scalar : PrintStep::Kind::view);
  PrintStep& s = f.step;
  s.label = n.name;
  s.full = n.full;
  s.file = n.file;
  s.line = n.line;
  s.a = kept(n.rs1);
  if (scalar) return f;
  s.view = static_cast<std::uint32_t>(n.in[FieldId::view_template]);
  s.imm = n.in[FieldId::imm];
  if (n.size0 != 0) s.size[static_cast<std::size_t>(n.in[FieldId::dim0])] = kept(n.size0);
  if (n.size1 != 0) s.size[static_cast<std::size_t>(n.in[FieldId::dim1])] = kept(n.size1);
  for (const ViewChange& c : n.changes) {
    if (c.op == Opcode::view_remote) {
      s.remote = true;
      s.core = kept(c.a);
      s.chip = kept(c.b);
    } else {
      (c.op == Opcode::view_size ? s.size : s.stride)[static_cast<std::size_t>(c.dim)] = kept(c.a);
    }
  }
  return f;
}

Flat keep_step(const Node& n) {
  Flat f = step_flat(n, PrintStep::Kind::keep);
  f.step.op = n.in.op;
  f.step.target = kept(n.rd);
  f.step.a = kept(n.rs1);
  f.step.b = kept(n.rs2);
  f.step.imm = constant_of(n.in);
  return f;
}

std::vector<Flat> with_captures(std::vector<Flat> line) {
  std::map<isa::PrintValue, isa::PrintValue> numbers;
  for (Flat& f : line)
    if (f.kind == FlatKind::print) each_kept(f.step, [&](isa::PrintValue& v) { numbers.try_emplace(v, 0); });
  if (numbers.empty()) return line;
  isa::PrintValue next = isa::first_print_register;
  for (auto& [value, number] : numbers) number = next++;
  std::vector<Flat> out;
  const auto add = [&](Flat f) {
    if (f.kind == FlatKind::print) each_kept(f.step, [&](isa::PrintValue& v) { v = numbers.at(v); });
    out.push_back(std::move(f));
  };
  for (Flat& f : line) {
    const bool needed =
        f.kind == FlatKind::instruction && f.rd > constants_base_value && numbers.count(kept(f.rd)) != 0;
    Flat after = needed ? capture(f) : Flat{};
    add(std::move(f));
    if (needed) add(std::move(after));
  }
  return out;
}

void add_prints(isa::ProgramImage& image, const Program& program, const std::vector<Flat>& line,
                const std::vector<int>& scalar_registers) {
  Arrivals arrivals(line);
  std::vector<std::pair<PrintStep, std::size_t>> here;  // with how many labels before it, of those at its instruction
  std::uint32_t pc = 0;
  for (const Flat& f : line) {
    switch (f.kind) {
      case FlatKind::print: {
        PrintStep s = f.step;
        s.instruction = pc;
        if (s.kind == PrintStep::Kind::view) s.view = template_number(image.templates, program.print_templates[s.view]);
        if (f.captured != 0) {
          const int r = scalar_registers[f.captured];
          s.a = static_cast<isa::PrintValue>(r < 0 ? last_scalar_register : r);
        }
        here.emplace_back(std::move(s), arrivals.labels());
        break;
      }
      case FlatKind::label:
        arrivals.see_label(f.label);
        break;
      case FlatKind::entry:
        arrivals.see_entry();
        break;
      case FlatKind::instruction:
        for (auto& [step, labels] : here) {
          arrivals.restrict(step, labels);
          image.prints.push_back(std::move(step));
        }
        here.clear();
        arrivals.see_instruction(f);
        ++pc;
        break;
      default:
        break;
    }
  }
}

}  // namespace heddle::sdk
