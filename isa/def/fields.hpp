// SPDX-License-Identifier: Apache-2.0
// The fields of a 128-bit instruction word and the formats made of them. Bits that no field of a format owns are
// reserved: they encode as zero and a decoder refuses anything else.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::isa {

// Every field that any format has; an Instruction holds one value for each.
enum class FieldId : std::uint8_t {
  engine,
  wait0_sem,
  wait0_n,
  wait1_sem,
  wait1_n,
  post0_sem,
  post0_n,
  post1_sem,
  post1_n,
  rd,
  rs1,
  rs2,
  rs3,
  imm,
  imm64,
  target,
  csr,
  sem,
  vd,
  va,
  vb,
  vc,
  bias,
  row,
  view_template,
  dim0,
  size0,
  dim1,
  size1,
  transposed,
  accumulate,
  remote_post,
  fn,
  reduce,
  fimm,
  coef_i,
  coef_j,
  count_
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(FieldId::count_);

enum class FieldKind : std::uint8_t {
  x_reg,           // scalar register number
  v_reg,           // view register number
  v_reg_optional,  // 0: absent, n+1: view register n
  imm_signed,
  imm_unsigned,
  fp32_bits,      // 32 bits, written as a float or as raw 0x...
  code_target,    // instruction index
  view_template,  // index into the image's templates
  sem,            // semaphore number
  count,          // of a wait or post; 0: the wait or post is absent and its sem is zero
  engine,         // which of the unit's engines
  flag,           // one bit, written as a bare word
  enum_csr,
  enum_fn,
  enum_reduce,
};

enum class Access : std::uint8_t { none, read, write, read_write };

// How assembly text shows it: by position, as name=value (left out when zero), as a bare word, or in a wait/post
// clause.
enum class Syntax : std::uint8_t { positional, keyed, word, sync };

struct Field {
  FieldId id{};
  std::string_view name;
  std::uint8_t lsb = 0;
  std::uint8_t width = 0;
  FieldKind kind{};
  Access access = Access::none;
  Syntax syntax = Syntax::positional;
  std::uint32_t usual = 0;  // what a keyed field holds when assembly text leaves it out
};

enum class FormatId : std::uint8_t {
  none,
  trap,
  sem_wait,
  sem_post,
  sem_post_remote,
  csr,
  scalar_r,
  scalar_i,
  load_immediate,
  branch,
  jump,
  jump_register,
  smem_load,
  smem_store,
  view,
  view_dim,
  view_advance,
  view_remote,
  engine_only,
  dma_2,
  dma_3,
  dma_fill,
  mxu_load,
  mxu_matmul,
  vpu_unary,
  vpu_binary,
  vpu_scalar_x,
  vpu_scalar_i,
  vpu_topk,
  vpu_fused,
  vpu_select,
  vpu_affine_select,
  vpu_iota,
  count_
};

// The fields of a format in assembly order (positional ones first).
std::span<const Field> fields_of(FormatId format);

enum class Csr : std::uint8_t { core_id, num_cores, chip_id, num_chips };
inline constexpr std::array<std::string_view, 4> csr_names{"core_id", "num_cores", "chip_id", "num_chips"};

// Functions of vpu.fused; each means what the unary instruction of that name means.
enum class VpuFn : std::uint8_t {
#define HEDDLE_VPU_FUNCTION(name) name,
#include "isa/def/vpu_functions.def"
#undef HEDDLE_VPU_FUNCTION
};
inline constexpr auto vpu_fn_names = std::to_array<std::string_view>({
#define HEDDLE_VPU_FUNCTION(name) #name,
#include "isa/def/vpu_functions.def"
#undef HEDDLE_VPU_FUNCTION
});

enum class RowReduce : std::uint8_t { none, sum, max };
inline constexpr std::array<std::string_view, 3> row_reduce_names{"none", "sum", "max"};

}  // namespace heddle::isa
