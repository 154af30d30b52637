// SPDX-License-Identifier: Apache-2.0
// Prints in an image: their bytes, and what makes them meaningful.
#include "isa/image/print.hpp"

#include <algorithm>

#include "isa/image/sections.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint8_t flag_anyhow = 1, flag_falls = 2, flag_full = 4, flag_remote = 8;
constexpr std::uint8_t all_flags = flag_anyhow | flag_falls | flag_full | flag_remote;
constexpr std::size_t smallest = 2 + 4 + 4 + 1 + 3 * 4 + 8 + 4 + 4 + 2 * max_rank * 4 + 4 * 4;  // bytes of a step

template <class... Args>
[[noreturn]] void refuse(std::size_t step, fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorKind::bad_input, "HDL-IMG-04", "print step {}: {}", step, fmt::format(text, std::forward<Args>(args)...));
}

std::uint8_t flags_of(const PrintStep& s) {
  return static_cast<std::uint8_t>((s.anyhow ? flag_anyhow : 0) | (s.falls ? flag_falls : 0) |
                                   (s.full ? flag_full : 0) | (s.remote ? flag_remote : 0));
}

// What a kind does not have is zero, so that one step has one form.
PrintStep only_what_it_has(const PrintStep& s) {
  PrintStep out;
  out.kind = s.kind;
  out.instruction = s.instruction;
  out.anyhow = s.anyhow;
  if (!s.anyhow) {
    out.falls = s.falls;
    out.jumps = s.jumps;
  }
  if (s.kind == PrintStep::Kind::keep) {
    out.op = s.op;
    out.target = s.target;
    out.a = s.a;
    out.b = s.b;
    out.imm = s.imm;
    return out;
  }
  out.label = s.label;
  out.full = s.full;
  out.file = s.line == 0 ? 0 : s.file;
  out.line = s.line;
  if (s.kind == PrintStep::Kind::scalar) {
    out.a = s.a;
    return out;
  }
  out.view = s.view;
  if (s.kind == PrintStep::Kind::view_register) return out;
  out.a = s.a;
  out.imm = s.imm;
  out.size = s.size;
  out.stride = s.stride;
  out.remote = s.remote;
  if (s.remote) {
    out.core = s.core;
    out.chip = s.chip;
  }
  return out;
}

void verify(const ProgramImage& image, const PrintStep& s, std::size_t number) {
  if (s.kind > PrintStep::Kind::view) refuse(number, "kind {} has no meaning", static_cast<int>(s.kind));
  if (s.instruction >= image.code.size())
    refuse(number, "at instruction {}, outside the {} instructions", s.instruction, image.code.size());
  for (std::size_t i = 0; i < s.jumps.size(); ++i)
    if (s.jumps[i] >= image.code.size() || (i > 0 && s.jumps[i] <= s.jumps[i - 1]))
      refuse(number, "jump {} does not rise or is outside the code", s.jumps[i]);
  const auto check = [&](PrintValue v) {
    if (v >= first_print_register + max_print_registers)
      refuse(number, "register t{}; there are {}", v - first_print_register, max_print_registers);
  };
  for (const PrintValue v : {s.a, s.b, s.core, s.chip}) check(v);
  for (const PrintValue v : s.size) check(v);
  for (const PrintValue v : s.stride) check(v);
  if (s.kind == PrintStep::Kind::keep) {
    check(s.target);
    if (s.target < first_print_register) refuse(number, "it would change x{}", s.target);
    if (!is_print_operation(s.op)) refuse(number, "{} is nothing that it can keep", info(s.op).mnemonic);
    if (s.op == Opcode::ld && (s.a != 0 || s.imm < 0 || s.imm >= 64 * 8 || s.imm % 8 != 0))
      refuse(number, "ld of SMEM byte {}; it loads launch arguments only", s.imm);
    if (s.op == Opcode::csr_read && (s.imm < 0 || static_cast<std::size_t>(s.imm) >= csr_names.size()))
      refuse(number, "csrr of {}, which does not exist", s.imm);
  } else {
    if (s.label.size() > max_name_bytes)
      refuse(number, "a label of {} bytes (at most {})", s.label.size(), max_name_bytes);
    if (s.line != 0 && s.file >= image.files.size())
      refuse(number, "file {}, but there are {}", s.file, image.files.size());
    if (s.kind == PrintStep::Kind::view_register && s.view > 31)
      refuse(number, "view register v{}; there are 32", s.view);
    if (s.kind == PrintStep::Kind::view && s.imm != static_cast<std::int32_t>(s.imm))
      refuse(number, "offset {} is beyond 32 bits", s.imm);
    if (s.kind == PrintStep::Kind::view && s.view >= image.templates.size())
      refuse(number, "template {}, but there are {}", s.view, image.templates.size());
  }
  if (only_what_it_has(s) != s) refuse(number, "a field that its kind does not have is not zero");
}

}  // namespace

bool is_print_operation(Opcode op) {
  const FormatId f = info(op).format;
  return f == FormatId::scalar_r || f == FormatId::scalar_i || f == FormatId::load_immediate || f == FormatId::csr ||
         op == Opcode::ld;
}

void put_prints(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.prints.size()));
  for (const PrintStep& s : image.prints) {
    out.u8(static_cast<std::uint8_t>(s.kind));
    out.u8(flags_of(s));
    out.u32(s.instruction);
    out.u32(static_cast<std::uint32_t>(s.jumps.size()));
    for (const std::uint32_t j : s.jumps) out.u32(j);
    out.u8(static_cast<std::uint8_t>(s.op));
    for (const std::uint32_t v : {s.target, s.a, s.b}) out.u32(v);
    out.u64(static_cast<std::uint64_t>(s.imm));
    out.text(s.label);
    out.u32(s.view);
    for (const PrintValue v : s.size) out.u32(v);
    for (const PrintValue v : s.stride) out.u32(v);
    for (const std::uint32_t v : {s.core, s.chip, s.file, s.line}) out.u32(v);
  }
}

void get_prints(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(smallest);
  for (std::size_t i = 0; i < n; ++i) {
    PrintStep s;
    s.kind = static_cast<PrintStep::Kind>(in.u8());
    const std::uint8_t flags = in.u8();
    if ((flags & ~all_flags) != 0) refuse(i, "flags {:#x} have no meaning", flags);
    s.anyhow = (flags & flag_anyhow) != 0;
    s.falls = (flags & flag_falls) != 0;
    s.full = (flags & flag_full) != 0;
    s.remote = (flags & flag_remote) != 0;
    s.instruction = in.u32();
    s.jumps.resize(in.count(4));
    for (std::uint32_t& j : s.jumps) j = in.u32();
    const std::uint8_t op = in.u8();
    if (find_instruction(op) == nullptr) refuse(i, "opcode {:#x} does not exist", op);
    s.op = static_cast<Opcode>(op);
    for (std::uint32_t* v : {&s.target, &s.a, &s.b}) *v = in.u32();
    s.imm = static_cast<std::int64_t>(in.u64());
    s.label = in.text();
    s.view = in.u32();
    for (PrintValue& v : s.size) v = in.u32();
    for (PrintValue& v : s.stride) v = in.u32();
    for (std::uint32_t* v : {&s.core, &s.chip, &s.file, &s.line}) *v = in.u32();
    image.prints.push_back(std::move(s));
  }
}

void verify_prints(const ProgramImage& image) {
  if (image.prints.size() > max_print_steps)
    fail(ErrorKind::bad_input, "HDL-IMG-04", "{} print steps (at most {})", image.prints.size(), max_print_steps);
  for (std::size_t i = 0; i < image.prints.size(); ++i) {
    verify(image, image.prints[i], i);
    if (i > 0 && image.prints[i].instruction < image.prints[i - 1].instruction)
      refuse(i, "at instruction {}, before the step listed before it", image.prints[i].instruction);
  }
}

}  // namespace heddle::isa
