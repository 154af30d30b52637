// SPDX-License-Identifier: Apache-2.0
// Vector operations.
#include <bit>
#include <cmath>

#include "sdk/arch/state.hpp"
#include "sdk/tile/tile_builder.hpp"

namespace heddle::sdk {

using isa::FieldId;
using isa::Opcode;

namespace {

// The form `vd = va op scalar`; `swapped`: `vd = scalar op va`. nop where there is none.
Opcode scalar_form(Opcode op, bool swapped) {
  switch (op) {
    case Opcode::vpu_add:
      return Opcode::vpu_add_x;
    case Opcode::vpu_sub:
      return swapped ? Opcode::vpu_rsub_x : Opcode::vpu_sub_x;
    case Opcode::vpu_mul:
      return Opcode::vpu_mul_x;
    case Opcode::vpu_div:
      return swapped ? Opcode::vpu_rdiv_x : Opcode::vpu_div_x;
    case Opcode::vpu_max:
      return Opcode::vpu_max_x;
    case Opcode::vpu_min:
      return Opcode::vpu_min_x;
    case Opcode::vpu_lt:
      return swapped ? Opcode::vpu_gt_x : Opcode::vpu_lt_x;
    case Opcode::vpu_le:
      return swapped ? Opcode::vpu_ge_x : Opcode::vpu_le_x;
    case Opcode::vpu_eq:
      return Opcode::vpu_eq_x;
    case Opcode::vpu_ne:
      return Opcode::vpu_ne_x;
    default:
      return Opcode::nop;
  }
}
// The constant form of each lies 0x10 above its register form.
Opcode constant_form(Opcode register_form) {
  return static_cast<Opcode>(static_cast<std::uint8_t>(register_form) + 0x10);
}
static_assert(static_cast<int>(Opcode::vpu_add_i) == static_cast<int>(Opcode::vpu_add_x) + 0x10);
static_assert(static_cast<int>(Opcode::vpu_ne_i) == static_cast<int>(Opcode::vpu_ne_x) + 0x10);

bool reduces(Opcode op) {
  return op == Opcode::vpu_sum || op == Opcode::vpu_rowmax || op == Opcode::vpu_rowmin || op == Opcode::vpu_sumsq ||
         op == Opcode::vpu_argmax;
}

Shape reduced(const Shape& s) {
  Shape r = s;
  r[r.rank() - 1] = 1;
  return r;
}

std::uint32_t number_bits(double v, bool integers) {
  return integers ? static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(v)))
                  : std::bit_cast<std::uint32_t>(static_cast<float>(v));
}

}  // namespace

Node& TileBuilder::vector_op(Opcode op, V to, V a, V b, V c, std::vector<Access> accesses) {
  Node n;
  n.in.op = op;
  n.in[FieldId::engine] = vpu_;
  n.vd = to.id();
  n.va = a.id();
  n.vb = b.id();
  n.vc = c.id();
  n.accesses = std::move(accesses);
  return append(std::move(n));
}

void TileBuilder::unary(Opcode op, const Tile& to, const Tile& a, const Loc& loc) {
  at(loc);
  check_match(to.shape(), reduces(op) ? reduced(a.shape()) : a.shape(), !reduces(op),
              std::string(isa::info(op).mnemonic).c_str());
  std::vector<Access> accesses;
  note(accesses, a, false);
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(a);
  vector_op(op, vd, va, {}, {}, std::move(accesses));
}

Spm TileBuilder::convert(const Tile& a, DType dtype, Loc loc) {
  const Spm to = spm(a.shape(), dtype, Depth{2}, loc);
  unary(Opcode::vpu_mov, to, a, loc);
  return to;
}

void TileBuilder::binary_op(Opcode op, const Tile& to, const Src& a, const Src& b, const Loc& loc) {
  at(loc);
  const std::string what(isa::info(op).mnemonic);
  std::vector<Access> accesses;
  for (const Src* s : {&a, &b})
    if (s->tile()) {
      check_match(to.shape(), s->tile()->shape(), true, what.c_str());
      note(accesses, *s->tile(), false);
    }
  note(accesses, to, true);
  if (!a.tile() && !b.tile()) error("HDL-SDK-15", fmt::format("{}: one source at least is a tile", what));
  if (a.tile() && b.tile()) {
    const V vd = view_here(to), va = view_here(*a.tile()), vb = view_here(*b.tile());
    vector_op(op, vd, va, vb, {}, std::move(accesses));
    return;
  }
  const bool swapped = !a.tile();
  const Tile& tile = swapped ? *b.tile() : *a.tile();
  const Src& scalar = swapped ? a : b;
  const bool integers = !is_float(to.dtype()) && !is_float(tile.dtype());
  const Opcode with_register = scalar_form(op, swapped);
  const V vd = view_here(to), va = view_here(tile);
  if (scalar.number() || scalar.bits().is_constant()) {
    const std::uint32_t bits_of = scalar.number() ? number_bits(*scalar.number(), integers)
                                                  : static_cast<std::uint32_t>(scalar.bits().constant());
    vector_op(constant_form(with_register), vd, va, {}, {}, std::move(accesses)).in[FieldId::fimm] = bits_of;
    return;
  }
  const ValueId value = materialise(scalar.bits());
  vector_op(with_register, vd, va, {}, {}, std::move(accesses)).rs1 = value;
}

void TileBuilder::fused(const Tile& to, const Tile& a, const Fused& f, Loc loc) {
  at(loc);
  check_match(to.shape(), a.shape(), true, "vpu.fused");
  if (f.scale.tile()) error("HDL-SDK-16", "the scale of fused is a number; multiply by a tile first");
  if (f.row.has_value() != (f.reduce != isa::RowReduce::none))
    error("HDL-SDK-16", "fused: a row result and a reduction go together");
  std::vector<Access> accesses;
  note(accesses, a, false);
  if (f.bias) {
    check_match(to.shape(), f.bias->shape(), true, "vpu.fused, bias");
    note(accesses, *f.bias, false);
  }
  if (f.row) {
    check_match(f.row->shape(), reduced(to.shape()), false, "vpu.fused, row");
    note(accesses, *f.row, true);
  }
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(a);
  const ViewId bias = f.bias ? view_here(*f.bias).id() : 0;
  const ViewId row = f.row ? view_here(*f.row).id() : 0;
  const bool in_register = !f.scale.number() && !f.scale.bits().is_constant();
  const ValueId scale = in_register ? materialise(f.scale.bits()) : 0;
  Node& n = vector_op(Opcode::vpu_fused, vd, va, {}, {}, std::move(accesses));
  n.rs1 = scale;
  n.bias = bias;
  n.row = row;
  n.in[FieldId::fn] = static_cast<std::int64_t>(f.fn);
  n.in[FieldId::reduce] = static_cast<std::int64_t>(f.reduce);
  if (!in_register)
    n.in[FieldId::fimm] = f.scale.number() ? number_bits(*f.scale.number(), false)
                                           : static_cast<std::uint32_t>(f.scale.bits().constant());
}

void TileBuilder::select(const Tile& to, const Tile& mask, const Tile& a, const Tile& b, Loc loc) {
  at(loc);
  std::vector<Access> accesses;
  for (const Tile* t : {&mask, &a, &b}) {
    check_match(to.shape(), t->shape(), true, "vpu.select");
    note(accesses, *t, false);
  }
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(mask), vb = view_here(a), vc = view_here(b);
  vector_op(Opcode::vpu_select, vd, va, vb, vc, std::move(accesses));
}

void TileBuilder::affine_select(const Tile& to, const Tile& a, Scalar start, int ci, int cj, float fill, Loc loc) {
  at(loc);
  check_match(to.shape(), a.shape(), true, "vpu.affine_select");
  if (ci < -128 || ci > 127 || cj < -128 || cj > 127)
    error("HDL-SDK-16", fmt::format("affine_select: coefficients {} and {} do not fit 8 bits", ci, cj));
  std::vector<Access> accesses;
  note(accesses, a, false);
  note(accesses, to, true);
  const V vd = view_here(to), va = view_here(a);
  const ValueId first = materialise(start);
  Node& n = vector_op(Opcode::vpu_affine_select, vd, va, {}, {}, std::move(accesses));
  n.rs1 = first;
  n.in[FieldId::coef_i] = ci;
  n.in[FieldId::coef_j] = cj;
  n.in[FieldId::fimm] = is_float(to.dtype()) || is_float(a.dtype())
                            ? std::bit_cast<std::uint32_t>(fill)
                            : static_cast<std::uint32_t>(static_cast<std::int32_t>(fill));
}

void TileBuilder::iota(const Tile& to, Scalar start, std::int32_t step, Loc loc) {
  at(loc);
  std::vector<Access> accesses;
  note(accesses, to, true);
  const V vd = view_here(to);
  const ValueId first = materialise(start);
  Node& n = vector_op(Opcode::vpu_iota, vd, {}, {}, {}, std::move(accesses));
  n.rs1 = first;
  n.in[FieldId::imm] = step;
}

void TileBuilder::topk(const Tile& values, const Tile& indices, const Tile& a, Loc loc) {
  at(loc);
  check_match(values.shape(), indices.shape(), false, "vpu.topk");
  std::vector<Access> accesses;
  note(accesses, a, false);
  note(accesses, values, true);
  note(accesses, indices, true);
  const V vd = view_here(values), va = view_here(a), vc = view_here(indices);
  vector_op(Opcode::vpu_topk, vd, va, {}, vc, std::move(accesses));
}

}  // namespace heddle::sdk
