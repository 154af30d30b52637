// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/flat.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

std::vector<ValueId*> Flat::scalar_uses() {
  std::vector<ValueId*> uses;
  for (ValueId* v : {&rs1, &rs2, &rs3, &size0, &size1})
    if (*v > constants_base_value) uses.push_back(v);
  return uses;
}
std::vector<ViewId*> Flat::view_uses() {
  std::vector<ViewId*> uses;
  for (ViewId* v : {&va, &vb, &vc, &bias, &row})
    if (*v != 0) uses.push_back(v);
  if (vd != 0 && !view_definition) uses.push_back(&vd);
  return uses;
}

namespace {

// The branch that is taken where the condition does not hold.
Opcode opposite(Cond::Kind condition) {
  constexpr Opcode branches[] = {Opcode::bne, Opcode::beq, Opcode::bge, Opcode::blt};
  return branches[static_cast<int>(condition)];
}

class Flattener {
 public:
  Flattener(Program& program, const std::set<ViewId>& sunk) : program_(program), sunk_(sunk) {}

  std::vector<Flat> run() {
    for (std::uint32_t i = 0; i < program_.entries.size(); ++i) {
      Flat mark;
      mark.kind = FlatKind::entry;
      mark.entry = i;
      line_.push_back(std::move(mark));
      visit(*program_.entries[i].body);
      Flat halt;
      halt.in.op = Opcode::halt;
      line_.push_back(std::move(halt));
    }
    return with_captures(std::move(line_));
  }

 private:
  Flat& add(Opcode op, const Node& from) {
    Flat f;
    f.in.op = op;
    f.file = from.file;
    f.line = from.line;
    line_.push_back(std::move(f));
    return line_.back();
  }
  void mark(FlatKind kind, std::uint32_t label = 0, std::string name = {}) {
    Flat f;
    f.kind = kind;
    f.label = label;
    f.name = std::move(name);
    line_.push_back(std::move(f));
  }
  void branch(Opcode op, ValueId a, ValueId b, std::uint32_t label, const Node& from) {
    Flat& f = add(op, from);
    f.rs1 = a;
    f.rs2 = b;
    f.label = label;
  }

  void visit(Block& block) {
    for (Node& n : block.nodes) visit(n);
  }

  void visit(Node& n) {
    switch (n.kind) {
      case NodeKind::instruction:
        if (n.shown)
          line_.push_back(keep_step(n));
        else
          instruction(n);
        break;
      case NodeKind::print:
        line_.push_back(print_step(n));
        break;
      case NodeKind::view:
        if (sunk_.count(n.vd) != 0)
          sunk_nodes_[n.vd] = &n;
        else
          view(n, n.vd);
        break;
      case NodeKind::loop:
        loop(n);
        break;
      case NodeKind::branch:
        choice(n);
        break;
      case NodeKind::kernel:
      case NodeKind::scope:
        if (!n.name.empty()) mark(FlatKind::scope_begin, 0, n.name);
        if (n.allow != 0) {
          mark(FlatKind::allow_begin);
          line_.back().allow = n.allow;
        }
        visit(*n.body);
        if (n.allow != 0) mark(FlatKind::allow_end);
        if (!n.name.empty()) mark(FlatKind::scope_end);
        break;
      default:
        break;  // pipe events have become waits and posts
    }
  }

  bool is_fixed(const Node& n) const {
    if (!n.pure) return false;
    bool fixed = true;
    const auto check = [&](ValueId v) { fixed = fixed && !program_.values[v].variable; };
    for (const ValueId v : {n.rs1, n.size0, n.size1}) check(v);
    for (const ViewChange& c : n.changes) {
      check(c.a);
      check(c.b);
    }
    return fixed;
  }

  void view(const Node& n, ViewId as) {
    Flat& f = add(Opcode::view, n);
    f.in = n.in;
    f.rs1 = n.rs1;
    f.size0 = n.size0;
    f.size1 = n.size1;
    f.vd = as;
    f.view_definition = true;
    f.fixed_view = as == n.vd && is_fixed(n);  // a copy made for one use is not made again
    for (const ViewChange& c : n.changes) {
      Flat& g = add(c.op, n);
      g.vd = as;
      g.rs1 = c.a;
      g.rs2 = c.b;
      if (c.op != Opcode::view_remote) g.in[FieldId::dim0] = c.dim;
    }
  }

  ViewId resolve(ViewId v) {
    if (v == 0 || sunk_.count(v) == 0) return v;
    const ViewId made = program_.views++;
    view(*sunk_nodes_.at(v), made);
    return made;
  }

  void instruction(const Node& n) {
    Flat f;
    f.in = n.in;
    f.rd = n.rd;
    f.rs1 = n.rs1;
    f.rs2 = n.rs2;
    f.rs3 = n.rs3;
    f.vd = resolve(n.vd);
    f.va = n.va == n.vd ? f.vd : resolve(n.va);
    f.vb = n.vb == n.va ? f.va : n.vb == n.vd ? f.vd : resolve(n.vb);
    f.vc = resolve(n.vc);
    f.bias = resolve(n.bias);
    f.row = resolve(n.row);
    f.tiles = n.tiles;
    f.fresh = n.fresh;
    f.waits = n.waits;
    f.posts = n.posts;
    f.file = n.file;
    f.line = n.line;
    f.constant_source = n.pure && n.rs1 == 0 && n.rs2 == 0 &&
                        (n.in.op == Opcode::li || n.in.op == Opcode::csr_read || n.in.op == Opcode::ld);
    if (!n.run_decides) {
      line_.push_back(std::move(f));
      return;
    }
    // The usual case, accumulation, takes one taken branch.
    const std::uint32_t usual = next_label_++, end = next_label_++;
    branch(opposite(n.condition), n.rs1, n.rs2, usual, n);
    f.rs1 = f.rs2 = 0;
    f.in[FieldId::accumulate] = 0;
    line_.push_back(f);
    add(Opcode::jal, n).label = end;
    mark(FlatKind::label, usual);
    f.in[FieldId::accumulate] = 1;
    line_.push_back(std::move(f));
    mark(FlatKind::label, end);
  }

  void loop(Node& n) {
    const std::uint32_t top = next_label_++, exit = next_label_++;
    Flat& start = add(Opcode::addi, n);
    start.rd = n.rd;
    start.rs1 = n.rs1;
    if (!n.runs) branch(Opcode::bge, n.rd, n.rs2, exit, n);
    mark(FlatKind::loop_begin);
    mark(FlatKind::label, top);
    visit(*n.body);
    Flat& step = add(n.rs3 == 0 ? Opcode::addi : Opcode::add, n);
    step.rd = step.rs1 = n.rd;
    step.rs2 = n.rs3;
    step.in[FieldId::imm] = n.rs3 == 0 ? n.in[FieldId::imm] : 0;
    branch(Opcode::blt, n.rd, n.rs2, top, n);
    mark(FlatKind::loop_end);
    mark(FlatKind::label, exit);
  }

  void choice(Node& n) {
    const std::uint32_t otherwise = next_label_++, end = next_label_++;
    branch(opposite(n.condition), n.rs1, n.rs2, otherwise, n);
    visit(*n.body);
    if (!n.other->nodes.empty()) add(Opcode::jal, n).label = end;
    mark(FlatKind::label, otherwise);
    visit(*n.other);
    mark(FlatKind::label, end);
  }

  Program& program_;
  const std::set<ViewId>& sunk_;
  std::map<ViewId, const Node*> sunk_nodes_;
  std::vector<Flat> line_;
  std::uint32_t next_label_ = 1;
};

}  // namespace

std::vector<Flat> flatten(Program& program, const std::set<ViewId>& sunk) { return Flattener(program, sunk).run(); }

}  // namespace heddle::sdk
