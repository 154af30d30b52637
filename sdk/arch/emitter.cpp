// SPDX-License-Identifier: Apache-2.0
#include "sdk/arch/emitter.hpp"

#include <bit>

#include "sdk/arch/state.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

Node node_of(Opcode op, std::int64_t imm = 0) {
  Node n;
  n.in.op = op;
  n.in[FieldId::imm] = imm;
  return n;
}

}  // namespace

std::uint32_t Emitter::view_template(const isa::ViewTemplate& shape) {
  return template_number(recorder_->state().program.templates, shape);
}

std::uint32_t template_number(std::vector<isa::ViewTemplate>& all, const isa::ViewTemplate& shape) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == shape) return static_cast<std::uint32_t>(i);
  all.push_back(shape);
  return static_cast<std::uint32_t>(all.size() - 1);
}

void Emitter::plain(Opcode op, std::int64_t imm, const Loc& loc) {
  recorder_->at(loc);
  recorder_->append(node_of(op, imm));
}

void Emitter::semaphore(Opcode op, SemRef s, int count, X plus, X core, X chip, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op, count);
  n.rs1 = recorder_->materialise(plus);
  n.rs2 = recorder_->materialise(core);
  n.rs3 = recorder_->materialise(chip);
  (op == Opcode::sem_wait ? n.waits : n.posts).push_back({s.id(), 0});
  recorder_->append(std::move(n));
}

X Emitter::read_csr(isa::Csr csr, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(Opcode::csr_read);
  n.in[FieldId::csr] = static_cast<std::int64_t>(csr);
  n.rd = recorder_->state().program.new_value({false, Opcode::csr_read, 0, 0, static_cast<std::int64_t>(csr)});
  n.pure = n.movable = true;
  const ValueId rd = n.rd;
  recorder_->append(std::move(n));
  return {*recorder_, rd};
}

X Emitter::scalar_r(Opcode op, X a, X b, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op);
  n.rs1 = recorder_->materialise(a);
  n.rs2 = recorder_->materialise(b);
  n.rd = recorder_->state().program.new_value({false, op, n.rs1, n.rs2, 0});
  n.pure = true;
  // Division by a register may trap: it stays where the program wrote it.
  n.movable = op != Opcode::div && op != Opcode::rem;
  const ValueId rd = n.rd;
  recorder_->append(std::move(n));
  return {*recorder_, rd};
}

X Emitter::scalar_i(Opcode op, X a, std::int32_t imm, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op, imm);
  n.rs1 = recorder_->materialise(a);
  n.rd = recorder_->state().program.new_value({false, op, n.rs1, 0, imm});
  n.pure = n.movable = true;
  const ValueId rd = n.rd;
  recorder_->append(std::move(n));
  return {*recorder_, rd};
}

X Emitter::load_immediate(std::int64_t imm, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(Opcode::li);
  n.in[FieldId::imm64] = imm;
  n.rd = recorder_->state().program.new_value({false, Opcode::li, 0, 0, imm});
  n.pure = n.movable = true;
  const ValueId rd = n.rd;
  recorder_->append(std::move(n));
  return {*recorder_, rd};
}

X Emitter::load(Opcode op, X address, std::int32_t offset, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op, offset);
  n.rs1 = recorder_->materialise(address);
  n.rd = recorder_->state().program.new_value({false, op, n.rs1, 0, offset});
  const ValueId rd = n.rd;
  recorder_->append(std::move(n));
  return {*recorder_, rd};
}

void Emitter::store(Opcode op, X value, X address, std::int32_t offset, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op, offset);
  n.rs2 = recorder_->materialise(value);
  n.rs1 = recorder_->materialise(address);
  recorder_->append(std::move(n));
}

V Emitter::make_view(std::uint32_t tmpl, X base, std::int32_t offset, ViewSize s0, ViewSize s1, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(Opcode::view, offset);
  n.kind = NodeKind::view;
  n.in[FieldId::view_template] = tmpl;
  n.rs1 = recorder_->materialise(base);
  n.size0 = recorder_->materialise(s0.size);
  n.size1 = recorder_->materialise(s1.size);
  if (n.size0 != 0) n.in[FieldId::dim0] = s0.dim;
  if (n.size1 != 0) n.in[FieldId::dim1] = s1.dim;
  n.vd = recorder_->state().program.views++;
  const ViewId id = n.vd;
  recorder_->append(std::move(n));
  return V(id);
}

void Emitter::change_view(Opcode op, V v, int dim, X a, X b, std::int32_t offset, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op, offset);
  n.in[FieldId::dim0] = dim;
  n.vd = v.id();
  recorder_->state().changed_views.insert(v.id());
  n.rs1 = recorder_->materialise(a);
  n.rs2 = recorder_->materialise(b);
  recorder_->append(std::move(n));
}

Node& Emitter::engine(Opcode op, const On& o, V vd, V va, V vb, V vc, const Loc& loc) {
  recorder_->at(loc);
  Node n = node_of(op);
  if (o.waits.size() > 2 || o.posts.size() > 2)
    recorder_->error("HDL-SDK-05", "an instruction carries at most two waits and two posts");
  n.in[FieldId::engine] = o.engine;
  for (const Wait& w : o.waits) n.waits.push_back({w.sem.id(), static_cast<std::uint32_t>(w.count)});
  for (const Post& p : o.posts) n.posts.push_back({p.sem.id(), static_cast<std::uint32_t>(p.count)});
  n.vd = vd.id();
  n.va = va.id();
  n.vb = vb.id();
  n.vc = vc.id();
  return recorder_->append(std::move(n));
}

void Emitter::dma(Opcode op, const On& o, V vd, V va, V index, bool remote_post, const Loc& loc) {
  engine(op, o, vd, va, index, {}, loc).in[FieldId::remote_post] = remote_post;
}

void Emitter::fill(Opcode op, const On& o, V vd, std::uint32_t bits, bool remote_post, const Loc& loc) {
  Node& n = engine(op, o, vd, {}, {}, {}, loc);
  n.in[FieldId::fimm] = bits;
  n.in[FieldId::remote_post] = remote_post;
}

void Emitter::mxu_load_tile(const On& o, V va, bool transposed, const Loc& loc) {
  engine(Opcode::mxu_load, o, {}, va, {}, {}, loc).in[FieldId::transposed] = transposed;
}

void Emitter::matmul(const On& o, V vd, V va, bool accumulate, const Loc& loc) {
  engine(Opcode::mxu_matmul, o, vd, va, {}, {}, loc).in[FieldId::accumulate] = accumulate;
}

void Emitter::vpu_scalar(Opcode op, const On& o, V vd, V va, X s, std::uint32_t bits, const Loc& loc) {
  const ValueId register_value = recorder_->materialise(s);
  Node& n = engine(op, o, vd, va, {}, {}, loc);
  n.rs1 = register_value;
  n.in[FieldId::fimm] = bits;
}

void Emitter::fused(const On& o, V vd, V va, const FusedFields& f, const Loc& loc) {
  ValueId scale = 0;
  if (f.scale_x) {
    scale = recorder_->materialise(*f.scale_x);
    // x0 means "the immediate"; the constant zero is the immediate 0.
    if (scale == 0 && !f.scale_x->is_constant()) recorder_->error("HDL-SDK-01", "a scale without a register");
  }
  Node& n = engine(Opcode::vpu_fused, o, vd, va, {}, {}, loc);
  n.rs1 = scale;
  n.in[FieldId::fimm] = scale != 0 ? 0 : f.scale_x ? 0 : std::bit_cast<std::uint32_t>(f.scale);
  n.in[FieldId::fn] = static_cast<std::int64_t>(f.fn);
  n.in[FieldId::reduce] = static_cast<std::int64_t>(f.reduce);
  if (f.bias) n.bias = f.bias->id();
  if (f.row) n.row = f.row->id();
}

void Emitter::affine_select(const On& o, V vd, V va, X start, int ci, int cj, std::uint32_t fill_bits, const Loc& loc) {
  const ValueId first = recorder_->materialise(start);
  Node& n = engine(Opcode::vpu_affine_select, o, vd, va, {}, {}, loc);
  n.rs1 = first;
  n.in[FieldId::coef_i] = ci;
  n.in[FieldId::coef_j] = cj;
  n.in[FieldId::fimm] = fill_bits;
}

void Emitter::iota(const On& o, V vd, X start, std::int32_t step, const Loc& loc) {
  const ValueId first = recorder_->materialise(start);
  Node& n = engine(Opcode::vpu_iota, o, vd, {}, {}, {}, loc);
  n.rs1 = first;
  n.in[FieldId::imm] = step;
}

}  // namespace heddle::sdk
