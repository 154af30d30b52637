// SPDX-License-Identifier: Apache-2.0
#include "sim/control/program.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "isa/base/error.hpp"

namespace heddle::control {
namespace {

Micro micro_of(const isa::Instruction& in) {
  using F = isa::FieldId;
  const auto byte = [&](F f) { return static_cast<std::uint8_t>(in[f]); };
  Micro m;
  m.op = in.op;
  m.rd = byte(F::rd);
  m.rs1 = byte(F::rs1);
  m.rs2 = byte(F::rs2);
  m.rs3 = byte(F::rs3);
  m.vd = byte(F::vd);
  m.va = byte(F::va);
  m.vb = byte(F::vb);
  m.vc = byte(F::vc);
  m.dim0 = byte(F::dim0);
  m.size0 = byte(F::size0);
  m.dim1 = byte(F::dim1);
  m.size1 = byte(F::size1);
  m.engine = byte(F::engine);
  m.sem = byte(F::sem);
  m.csr = byte(F::csr);
  m.wait0 = byte(F::wait0_sem);
  m.wait0_n = byte(F::wait0_n);
  m.wait1 = byte(F::wait1_sem);
  m.wait1_n = byte(F::wait1_n);
  m.post0 = byte(F::post0_sem);
  m.post0_n = byte(F::post0_n);
  m.post1 = byte(F::post1_sem);
  m.post1_n = byte(F::post1_n);
  m.fn = byte(F::fn);
  m.reduce = byte(F::reduce);
  m.coef_i = static_cast<std::int8_t>(in[F::coef_i]);
  m.coef_j = static_cast<std::int8_t>(in[F::coef_j]);
  m.view_template = static_cast<std::uint16_t>(in[F::view_template]);
  m.target = static_cast<std::uint32_t>(in[F::target]);
  m.scalar = static_cast<std::uint32_t>(in[F::fimm]);
  m.imm = in.op == isa::Opcode::li ? in[F::imm64] : in[F::imm];
  const auto flag = [&](F f, std::uint8_t bit) {
    if (in[f] != 0) m.flags = static_cast<std::uint8_t>(m.flags | bit);
  };
  flag(F::transposed, flag_transposed);
  flag(F::accumulate, flag_accumulate);
  flag(F::remote_post, flag_remote_post);
  for (const isa::Field& f : isa::fields_of(isa::info(in.op).format)) {
    if (f.id == F::vd) m.uses |= uses_vd;
    if (f.id == F::va) m.uses |= uses_va;
    if (f.id == F::vb) m.uses |= uses_vb;
    if (f.id == F::vc) m.uses |= uses_vc;
  }
  if (in[F::bias] != 0) {  // register number + 1
    m.vb = static_cast<std::uint8_t>(in[F::bias] - 1);
    m.uses |= uses_vb;
  }
  if (in[F::row] != 0) {
    m.vc = static_cast<std::uint8_t>(in[F::row] - 1);
    m.uses |= uses_vc;
  }
  return m;
}

}  // namespace

Program::Program(isa::ProgramImage image) : image_(std::move(image)) {
  code_.reserve(image_.code.size());
  for (const isa::Word& w : image_.code) code_.push_back(micro_of(isa::decode(w)));
  for (const isa::TileUse& u : image_.uses)
    if (u.fresh) code_[u.instruction].flags |= flag_fresh;
  const auto use = [&](isa::PrintValue v) {
    if (v >= isa::first_print_register)
      print_registers_ = std::max<std::size_t>(print_registers_, v - isa::first_print_register + 1);
  };
  for (const isa::PrintStep& s : image_.prints) {
    for (const isa::PrintValue v : {s.target, s.a, s.b, s.core, s.chip}) use(v);
    for (const isa::PrintValue v : s.size) use(v);
    for (const isa::PrintValue v : s.stride) use(v);
  }
}

std::span<const isa::PrintStep> Program::prints(std::uint32_t instruction) const {
  const auto first = std::lower_bound(image_.prints.begin(), image_.prints.end(), instruction,
                                      [](const isa::PrintStep& s, std::uint32_t at) { return s.instruction < at; });
  const auto last = std::upper_bound(first, image_.prints.end(), instruction,
                                     [](std::uint32_t at, const isa::PrintStep& s) { return at < s.instruction; });
  return {first, last};
}

const isa::Entry& Program::entry(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const isa::Entry& e : image_.entries) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  fail(ErrorKind::bad_input, "HDL-IMG-06", "image '{}' has no entry '{}'; it has: {}", image_.name, name,
       fmt::join(names, ", "));
}

}  // namespace heddle::control
