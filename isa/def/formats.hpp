// SPDX-License-Identifier: Apache-2.0
// Bit layout of every format, checked at compile time: fields do not overlap and stay inside 128 bits.
// Bits 0..7 are the opcode in all of them; engine formats share bits 8..51.
#pragma once
#include <array>
#include <cstddef>

#include "isa/def/fields.hpp"

namespace heddle::isa::layout {

using enum FieldKind;
using enum Access;
using F = FieldId;
using S = Syntax;

constexpr Field x(F id, std::string_view name, std::uint8_t lsb, Access access, S syntax = S::positional) {
  return {id, name, lsb, 5, x_reg, access, syntax};
}
constexpr Field v(F id, std::string_view name, std::uint8_t lsb, Access access) {
  return {id, name, lsb, 5, v_reg, access, S::positional};
}
constexpr Field imm32(S syntax = S::positional, std::string_view name = "imm") {
  return {F::imm, name, 96, 32, imm_signed, Access::none, syntax};
}
constexpr Field fimm(std::string_view name, S syntax = S::positional, std::uint32_t usual = 0) {
  return {F::fimm, name, 96, 32, fp32_bits, Access::none, syntax, usual};
}

inline constexpr std::array<Field, 9> engine_fields{{
    {F::engine, "on", 8, 4, engine, Access::none, S::keyed},
    {F::wait0_sem, "wait0", 12, 6, sem, Access::none, S::sync},
    {F::wait0_n, "wait0_n", 18, 4, count, Access::none, S::sync},
    {F::wait1_sem, "wait1", 22, 6, sem, Access::none, S::sync},
    {F::wait1_n, "wait1_n", 28, 4, count, Access::none, S::sync},
    {F::post0_sem, "post0", 32, 6, sem, Access::none, S::sync},
    {F::post0_n, "post0_n", 38, 4, count, Access::none, S::sync},
    {F::post1_sem, "post1", 42, 6, sem, Access::none, S::sync},
    {F::post1_n, "post1_n", 48, 4, count, Access::none, S::sync},
}};

template <std::size_t N, std::size_t M>
constexpr std::array<Field, N + M> join(const std::array<Field, N>& a, const std::array<Field, M>& b) {
  std::array<Field, N + M> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = a[i];
  for (std::size_t i = 0; i < M; ++i) out[N + i] = b[i];
  return out;
}
template <std::size_t N>
constexpr auto on_engine(const std::array<Field, N>& own) {
  return join(own, engine_fields);
}

inline constexpr std::array<Field, 0> none_{};
inline constexpr std::array<Field, 1> trap{{imm32()}};
inline constexpr std::array<Field, 3> sem_wait{
    {{F::sem, "sem", 8, 6, sem, Access::read_write, S::positional}, imm32(), x(F::rs1, "plus", 14, read, S::keyed)}};
inline constexpr std::array<Field, 3> sem_post = sem_wait;
inline constexpr std::array<Field, 5> sem_post_remote{{{F::sem, "sem", 8, 6, sem, Access::read_write, S::positional},
                                                       imm32(),
                                                       x(F::rs2, "core", 19, read),
                                                       x(F::rs3, "chip", 24, read),
                                                       x(F::rs1, "plus", 14, read, S::keyed)}};
inline constexpr std::array<Field, 2> csr{
    {x(F::rd, "rd", 8, write), {F::csr, "csr", 13, 8, enum_csr, Access::none, S::positional}}};
inline constexpr std::array<Field, 3> scalar_r{
    {x(F::rd, "rd", 8, write), x(F::rs1, "rs1", 13, read), x(F::rs2, "rs2", 18, read)}};
inline constexpr std::array<Field, 3> scalar_i{{x(F::rd, "rd", 8, write), x(F::rs1, "rs1", 13, read), imm32()}};
inline constexpr std::array<Field, 2> load_immediate{
    {x(F::rd, "rd", 8, write), {F::imm64, "imm", 64, 64, imm_signed, Access::none, S::positional}}};
inline constexpr Field target{F::target, "target", 96, 32, code_target, Access::none, S::positional};
inline constexpr std::array<Field, 3> branch{{x(F::rs1, "rs1", 13, read), x(F::rs2, "rs2", 18, read), target}};
inline constexpr std::array<Field, 2> jump{{x(F::rd, "rd", 8, write), target}};
inline constexpr std::array<Field, 3> jump_register = scalar_i;
inline constexpr std::array<Field, 3> smem_load = scalar_i;
inline constexpr std::array<Field, 3> smem_store{{x(F::rs2, "rs2", 18, read), x(F::rs1, "rs1", 13, read), imm32()}};

inline constexpr std::array<Field, 8> view{{
    v(F::vd, "vd", 8, write),
    {F::view_template, "template", 13, 16, view_template, Access::none, S::positional},
    x(F::rs1, "base", 29, read, S::keyed),
    imm32(S::keyed, "offset"),
    {F::dim0, "dim0", 34, 2, imm_unsigned, Access::none, S::keyed},
    x(F::size0, "size0", 36, read, S::keyed),  // x0: no override
    {F::dim1, "dim1", 41, 2, imm_unsigned, Access::none, S::keyed},
    x(F::size1, "size1", 43, read, S::keyed),
}};
inline constexpr std::array<Field, 3> view_dim{{v(F::vd, "vd", 8, read_write),
                                                {F::dim0, "dim", 34, 2, imm_unsigned, Access::none, S::positional},
                                                x(F::rs1, "rs1", 29, read)}};
inline constexpr std::array<Field, 3> view_advance{
    {v(F::vd, "vd", 8, read_write), x(F::rs1, "rs1", 29, read), imm32(S::keyed, "offset")}};
inline constexpr std::array<Field, 3> view_remote{
    {v(F::vd, "vd", 8, read_write), x(F::rs1, "core", 29, read), x(F::rs2, "chip", 34, read)}};

// With remote_post, post1 goes to the core (and chip) that vd names instead of this one.
inline constexpr Field remote_post{F::remote_post, "remote_post", 82, 1, flag, Access::none, S::word};
inline constexpr auto engine_only = on_engine(std::array<Field, 0>{});
inline constexpr auto dma_2 = on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), remote_post});
inline constexpr auto dma_3 = on_engine(
    std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), v(F::vb, "index", 62, read), remote_post});
inline constexpr auto dma_fill = on_engine(std::array{v(F::vd, "vd", 52, write), fimm("value"), remote_post});
inline constexpr auto mxu_load = on_engine(
    std::array{v(F::va, "va", 57, read), Field{F::transposed, "transposed", 82, 1, flag, Access::none, S::word}});
inline constexpr auto mxu_matmul =
    on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read),
                         Field{F::accumulate, "accumulate", 83, 1, flag, Access::none, S::word}});
inline constexpr auto vpu_unary = on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read)});
inline constexpr auto vpu_binary =
    on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), v(F::vb, "vb", 62, read)});
inline constexpr auto vpu_scalar_x =
    on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), x(F::rs1, "s", 72, read)});
inline constexpr auto vpu_scalar_i =
    on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), fimm("s")});
inline constexpr auto vpu_topk =
    on_engine(std::array{v(F::vd, "values", 52, write), v(F::vc, "indices", 67, write), v(F::va, "va", 57, read)});
// scale: the register's low 32 bits as fp32 when rs1 is not x0, else the immediate.
inline constexpr auto vpu_fused = on_engine(std::array{
    v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), Field{F::fn, "fn", 84, 6, enum_fn, Access::none, S::keyed},
    x(F::rs1, "scale_x", 72, read, S::keyed), fimm("scale", S::keyed, 0x3f800000u),
    Field{F::bias, "bias", 62, 6, v_reg_optional, Access::read, S::keyed},
    Field{F::row, "row", 77, 6, v_reg_optional, Access::write, S::keyed},
    Field{F::reduce, "reduce", 90, 2, enum_reduce, Access::none, S::keyed}});
inline constexpr auto vpu_select = on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "mask", 57, read),
                                                        v(F::vb, "vb", 62, read), v(F::vc, "vc", 67, read)});
inline constexpr auto vpu_affine_select =
    on_engine(std::array{v(F::vd, "vd", 52, write), v(F::va, "va", 57, read), x(F::rs1, "rs1", 72, read),
                         Field{F::coef_i, "ci", 77, 8, imm_signed, Access::none, S::keyed},
                         Field{F::coef_j, "cj", 85, 8, imm_signed, Access::none, S::keyed}, fimm("fill", S::keyed)});
inline constexpr auto vpu_iota =
    on_engine(std::array{v(F::vd, "vd", 52, write), x(F::rs1, "start", 72, read), imm32(S::positional, "step")});

template <std::size_t N>
consteval bool sound(const std::array<Field, N>& fields) {
  std::array<bool, 128> owned{};
  for (int b = 0; b < 8; ++b) owned[static_cast<std::size_t>(b)] = true;
  for (const Field& f : fields) {
    if (f.width == 0 || f.lsb + f.width > 128) return false;
    // The codec reads a field from one 64-bit half.
    if (f.lsb / 64 != (f.lsb + f.width - 1) / 64 && f.width > 32) return false;
    for (int b = f.lsb; b < f.lsb + f.width; ++b) {
      if (owned[static_cast<std::size_t>(b)]) return false;
      owned[static_cast<std::size_t>(b)] = true;
    }
  }
  return true;
}
static_assert(sound(trap) && sound(sem_wait) && sound(sem_post) && sound(sem_post_remote) && sound(csr));
static_assert(sound(scalar_r) && sound(scalar_i) && sound(load_immediate) && sound(branch) && sound(jump));
static_assert(sound(smem_store) && sound(view) && sound(view_dim) && sound(view_advance) && sound(view_remote));
static_assert(sound(engine_only) && sound(dma_2) && sound(dma_3) && sound(dma_fill) && sound(mxu_load));
static_assert(sound(mxu_matmul) && sound(vpu_unary) && sound(vpu_binary) && sound(vpu_scalar_x) && sound(vpu_scalar_i));
static_assert(sound(vpu_topk) && sound(vpu_fused) && sound(vpu_select) && sound(vpu_affine_select) && sound(vpu_iota));

}  // namespace heddle::isa::layout
