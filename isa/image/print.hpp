// SPDX-License-Identifier: Apache-2.0
// What a program's author wants to see while it runs. A print stands beside the code: it is no instruction, costs no
// cycle and changes nothing. What it needs and the code does not keep, such as the base of a view whose register has
// been given to another, is kept in registers of its own, t0, t1, ..., which only such steps read and write.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/def/instructions.hpp"
#include "isa/image/view.hpp"

namespace heddle::isa {

inline constexpr std::size_t max_print_steps = std::size_t{1} << 16;
inline constexpr std::uint32_t max_print_registers = 1u << 16;

// Number of a scalar that a step reads: x0..x31 are 0..31, t0 is 32.
using PrintValue = std::uint32_t;
inline constexpr PrintValue first_print_register = 32;

struct PrintStep {
  enum class Kind : std::uint8_t {
    keep = 0,           // t register `target` = op(a, b, imm), as the instruction of that name computes it
    scalar = 1,         // shows a
    view_register = 2,  // shows what view register `view` names
    view = 3,           // shows what template `view` names at base a + imm, with the sizes and strides given
  };
  Kind kind = Kind::scalar;

  // When: control has come to this instruction and not executed it yet; of several steps, in their order.
  std::uint32_t instruction = 0;
  // From where: `anyhow`, or where `falls` from the instruction before it, or by a jump of one of `jumps` (rising).
  bool anyhow = true;
  bool falls = false;
  std::vector<std::uint32_t> jumps;

  Opcode op = Opcode::addi;
  PrintValue target = 0;
  PrintValue a = 0;
  PrintValue b = 0;
  std::int64_t imm = 0;

  std::string label;
  bool full = false;  // every element, not the corners alone
  std::uint32_t view = 0;
  std::array<PrintValue, max_rank> size{};    // 0: the template's
  std::array<PrintValue, max_rank> stride{};  // 0: the template's
  bool remote = false;                        // in the memory of core `core` of chip `chip`
  PrintValue core = 0;
  PrintValue chip = 0;
  std::uint32_t file = 0;  // written at files[file]:line; line 0: nobody knows where
  std::uint32_t line = 0;

  friend bool operator==(const PrintStep&, const PrintStep&) = default;
};

// Whether a `keep` may compute it: arithmetic, csrr, li, and ld of a launch argument (a is x0, imm its byte).
bool is_print_operation(Opcode op);

}  // namespace heddle::isa
