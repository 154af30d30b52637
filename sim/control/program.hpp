// SPDX-License-Identifier: Apache-2.0
// An image decoded once, for sequencers to run from.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/image/image.hpp"

namespace heddle::control {

// One instruction, its register numbers and immediates in place: a cache line.
struct Micro {
  isa::Opcode op{};
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
  std::uint8_t vd = 0, va = 0, vb = 0, vc = 0;  // vpu.fused: vb the bias, vc the row result
  std::uint8_t dim0 = 0, size0 = 0, dim1 = 0, size1 = 0;
  std::uint8_t engine = 0;
  std::uint8_t sem = 0;
  std::uint8_t csr = 0;
  std::uint8_t fn = 0;
  std::uint8_t reduce = 0;
  std::uint8_t wait0 = 0, wait0_n = 0, wait1 = 0, wait1_n = 0;
  std::uint8_t post0 = 0, post0_n = 0, post1 = 0, post1_n = 0;
  std::uint8_t flags = 0;
  std::uint8_t uses = 0;  // which views an engine instruction has
  std::int8_t coef_i = 0, coef_j = 0;
  std::uint16_t view_template = 0;
  std::uint32_t target = 0;
  std::uint32_t scalar = 0;  // fimm
  std::int64_t imm = 0;
};
static_assert(sizeof(Micro) <= 64);

inline constexpr std::uint8_t flag_transposed = 1, flag_accumulate = 2, flag_remote_post = 4;
inline constexpr std::uint8_t flag_fresh = 8;  // an operand is fresh (isa::TileUse)
inline constexpr std::uint8_t uses_vd = 1, uses_va = 2, uses_vb = 4, uses_vc = 8;

class Program {
 public:
  // Takes the image over; verify() has passed on it. Throws what decode() throws.
  explicit Program(isa::ProgramImage image);

  const isa::ProgramImage& image() const { return image_; }
  const std::vector<Micro>& code() const { return code_; }
  // First instruction of an entry; throws HDL-IMG-06 (kind bad_input) naming the entries there are.
  const isa::Entry& entry(std::string_view name) const;
  // The image's print steps at an instruction, and how many t registers they use.
  std::span<const isa::PrintStep> prints(std::uint32_t instruction) const;
  std::size_t print_registers() const { return print_registers_; }

 private:
  isa::ProgramImage image_;
  std::vector<Micro> code_;
  std::size_t print_registers_ = 0;
};

}  // namespace heddle::control
