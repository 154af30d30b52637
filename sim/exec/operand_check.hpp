// SPDX-License-Identifier: Apache-2.0
// The rules about operands that validate() puts together for each instruction. What passes takes a few nanoseconds;
// what does not is explained out of line.
#pragma once
#include <cstdint>
#include <string>

#include "isa/base/error.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/exec/dims.hpp"
#include "sim/exec/engine_op.hpp"

namespace heddle::exec {

template <class... Args>
[[noreturn]] void refuse(const char* id, fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorKind::program, id, text, std::forward<Args>(args)...);
}

// "bf16 [4, 64]"
std::string shape_text(const isa::View& v);

inline bool is_empty(const isa::View& v) {
  return v.size[0] == 0 || v.size[1] == 0 || v.size[2] == 0 || v.size[3] == 0;
}

inline constexpr unsigned in_spm = 1u << static_cast<unsigned>(isa::Space::spm);
inline constexpr unsigned in_acc = 1u << static_cast<unsigned>(isa::Space::acc);
inline constexpr unsigned in_smem = 1u << static_cast<unsigned>(isa::Space::smem);
inline constexpr unsigned anywhere = ~0u;

// A non-empty operand that passed: its view, its sizes from the last dimension, and the bytes it spans.
struct Reached {
  const isa::View& view;
  const char* what;
  Dims dims;
  std::int64_t begin;
  std::int64_t end;  // one past the last
};

class OperandCheck {
 public:
  OperandCheck(const EngineOp& op, const config::ChipSpec& chip) : op_(op), chip_(chip) {}

  // The operand exists, lies in one of `spaces`, inside its memory, aligned. HDL-EXEC-01, -04, -05, -10.
  Reached reach(const isa::View& v, const char* what, unsigned spaces) const;
  // The same for a destination, whose elements are distinct where a stride says so (HDL-EXEC-05).
  Reached reach_destination(const isa::View& v, const char* what, unsigned spaces) const;

  // HDL-EXEC-03:
  static void same_dtype(const Reached& a, const Reached& b);
  static void same_sizes(const Reached& to, const Reached& from);
  static void repeats(const Reached& to, const Reached& from);  // from's sizes are to's, or 1
  // to's sizes are from's but for the last, which is `last`.
  static void reduces(const Reached& to, const Reached& from, std::uint32_t last);
  static void require_int32(const Reached& r);

  // HDL-EXEC-05 where the two share a byte. same_ok: an elementwise instruction may work in place, element on element.
  void apart(const Reached& to, const Reached& from, bool same_ok) const;

 private:
  const EngineOp& op_;
  const config::ChipSpec& chip_;
};

}  // namespace heddle::exec
