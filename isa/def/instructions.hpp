// SPDX-License-Identifier: Apache-2.0
// The instruction table as C++: opcodes, their rows, and the decoded form of one instruction.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/def/fields.hpp"

namespace heddle::isa {

enum class Unit : std::uint8_t { control, scalar, branch, smem, view, dma, mxu, vpu };
constexpr bool is_engine(Unit u) { return u == Unit::dma || u == Unit::mxu || u == Unit::vpu; }

enum class TimingClass : std::uint8_t {
  alu,
  multiply,
  divide,
  branch,
  smem_load,
  smem_store,
  sync,
  dma_copy,
  dma_gather,
  dma_transpose,
  mxu_load,
  mxu_matmul,
  engine_sync,
  vpu_simple,
  vpu_divide,
  vpu_transcendental,
  vpu_reduce,
  vpu_topk,
  vpu_fused
};

enum class Opcode : std::uint8_t {
#define HEDDLE_INSTRUCTION(id, mnemonic, opcode, format, unit, timing, summary) id = (opcode),
#include "isa/def/instructions.def"
#undef HEDDLE_INSTRUCTION
};

struct InstructionInfo {
  Opcode op{};
  std::string_view name;  // C++ identifier
  std::string_view mnemonic;
  FormatId format{};
  Unit unit{};
  TimingClass timing{};
  std::string_view summary;
};

inline constexpr std::array instruction_table{
#define HEDDLE_INSTRUCTION(id, mnemonic, opcode, format, unit, timing, summary) \
  InstructionInfo{Opcode::id, #id, mnemonic, FormatId::format, Unit::unit, TimingClass::timing, summary},
#include "isa/def/instructions.def"
#undef HEDDLE_INSTRUCTION
};

namespace detail {
consteval bool table_is_sound() {
  for (std::size_t i = 0; i < instruction_table.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (instruction_table[i].op == instruction_table[j].op ||
          instruction_table[i].mnemonic == instruction_table[j].mnemonic)
        return false;
  return true;
}
static_assert(table_is_sound(), "two instructions share an opcode or a mnemonic");

// Row of each opcode byte, or -1.
consteval std::array<std::int16_t, 256> rows_by_opcode() {
  std::array<std::int16_t, 256> rows{};
  rows.fill(-1);
  for (std::size_t i = 0; i < instruction_table.size(); ++i)
    rows[static_cast<std::uint8_t>(instruction_table[i].op)] = static_cast<std::int16_t>(i);
  return rows;
}
inline constexpr auto opcode_rows = rows_by_opcode();
}  // namespace detail

constexpr const InstructionInfo* find_instruction(std::uint8_t opcode) {
  const int row = detail::opcode_rows[opcode];
  return row < 0 ? nullptr : &instruction_table[static_cast<std::size_t>(row)];
}
constexpr const InstructionInfo& info(Opcode op) { return *find_instruction(static_cast<std::uint8_t>(op)); }

// A decoded instruction. Fields that its format lacks are zero. Register, semaphore and template numbers as encoded;
// immediates sign-extended; fimm holds the 32 raw bits.
struct Instruction {
  Opcode op = Opcode::nop;
  std::array<std::int64_t, field_count> fields{};

  constexpr std::int64_t operator[](FieldId f) const { return fields[static_cast<std::size_t>(f)]; }
  constexpr std::int64_t& operator[](FieldId f) { return fields[static_cast<std::size_t>(f)]; }
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

}  // namespace heddle::isa
