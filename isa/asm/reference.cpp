// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/reference.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "isa/asm/format.hpp"
#include "isa/def/instructions.hpp"

namespace heddle::isa {
namespace {

struct Names {
  std::string_view format;
  std::string_view unit;
  std::string_view timing;
};
constexpr std::array row_names{
#define HEDDLE_INSTRUCTION(id, mnemonic, opcode, format, unit, timing, summary) Names{#format, #unit, #timing},
#include "isa/def/instructions.def"
#undef HEDDLE_INSTRUCTION
};
static_assert(row_names.size() == instruction_table.size());

std::string_view heading(Unit unit) {
  switch (unit) {
    case Unit::control:
      return "Control and semaphores";
    case Unit::scalar:
      return "Scalar arithmetic";
    case Unit::branch:
      return "Branches";
    case Unit::smem:
      return "Scalar memory";
    case Unit::view:
      return "View registers";
    case Unit::dma:
      return "DMA";
    case Unit::mxu:
      return "Matrix unit";
    case Unit::vpu:
      return "Vector unit";
  }
  return {};
}

std::string_view kind_text(FieldKind kind) {
  switch (kind) {
    case FieldKind::x_reg:
      return "scalar register";
    case FieldKind::v_reg:
      return "view register";
    case FieldKind::v_reg_optional:
      return "view register + 1, or 0 for none";
    case FieldKind::imm_signed:
      return "signed number";
    case FieldKind::imm_unsigned:
      return "unsigned number";
    case FieldKind::fp32_bits:
      return "fp32 bits";
    case FieldKind::code_target:
      return "instruction index";
    case FieldKind::view_template:
      return "view template number";
    case FieldKind::sem:
      return "semaphore";
    case FieldKind::count:
      return "count, or 0 for none";
    case FieldKind::engine:
      return "engine number";
    case FieldKind::flag:
      return "flag";
    case FieldKind::enum_csr:
      return "machine number";
    case FieldKind::enum_fn:
      return "function";
    case FieldKind::enum_reduce:
      return "row reduction";
  }
  return {};
}

std::string_view access_text(Access access) {
  switch (access) {
    case Access::none:
      return "";
    case Access::read:
      return "read";
    case Access::write:
      return "written";
    case Access::read_write:
      return "read, written";
  }
  return {};
}

std::string_view syntax_text(const Field& f) {
  switch (f.syntax) {
    case Syntax::positional:
      return "by position";
    case Syntax::keyed:
      return "name=value";
    case Syntax::word:
      return "bare word";
    case Syntax::sync:
      return f.id >= FieldId::post0_sem ? "in `post`" : "in `wait`";
  }
  return {};
}

std::string escape_bars(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void put_instructions(std::string& out) {
  const InstructionInfo* before = nullptr;
  for (std::size_t i = 0; i < instruction_table.size(); ++i) {
    const InstructionInfo& row = instruction_table[i];
    if (before == nullptr || before->unit != row.unit) {
      out += fmt::format("\n## {}\n\n", heading(row.unit));
      out += "| opcode | instruction | operands | meaning | format | timing class |\n|---|---|---|---|---|---|\n";
    }
    before = &row;
    out += fmt::format("| `{:#04x}` | `{}` | `{}` | {} | [{}](#{}) | `{}` |\n", static_cast<int>(row.op), row.mnemonic,
                       signature(row), escape_bars(row.summary), row_names[i].format, row_names[i].format,
                       row_names[i].timing);
  }
}

void put_names(std::string& out, std::string_view what, const std::string_view* names, std::size_t count) {
  out += fmt::format("- {}:", what);
  for (std::size_t i = 0; i < count; ++i) out += fmt::format("{} {} `{}`", i == 0 ? "" : ",", i, names[i]);
  out += ".\n";
}

void put_formats(std::string& out) {
  std::vector<bool> done(static_cast<std::size_t>(FormatId::count_));
  for (std::size_t i = 0; i < instruction_table.size(); ++i) {
    const FormatId format = instruction_table[i].format;
    if (done[static_cast<std::size_t>(format)]) continue;
    done[static_cast<std::size_t>(format)] = true;
    out += fmt::format("\n### {}\n\n| bits | field | holds | access | written |\n|---|---|---|---|---|\n",
                       row_names[i].format);
    out += "| 7..0 | opcode | | | |\n";
    for (const Field& f : fields_of(format)) {
      const int high = f.lsb + f.width - 1;
      const std::string bits = high == f.lsb ? fmt::format("{}", high) : fmt::format("{}..{}", high, f.lsb);
      const std::string usual =
          f.kind == FieldKind::fp32_bits && f.usual != 0 ? fmt::format(", usually {}", format_float_bits(f.usual)) : "";
      out += fmt::format("| {} | {} | {} | {} | {}{} |\n", bits, f.name, kind_text(f.kind), access_text(f.access),
                         syntax_text(f), usual);
    }
  }
}

}  // namespace

std::string instruction_reference() {
  std::string out =
      "# Instruction reference\n\n"
      "Generated from `isa/def/instructions.def` and `isa/def/formats.hpp`; a test compares it with them. What the "
      "words "
      "mean in full\nis in [semantics.md](semantics.md), how programs are written in [assembly.md](assembly.md). "
      "Cycles "
      "are not here: a timing class\nnames a rule, the chip's YAML holds its numbers.\n\n"
      "An instruction is a 128-bit word, stored as two little-endian halves, low half first. Bits that a format does "
      "not "
      "name are\nreserved: they are zero, and a decoder refuses anything else.\n";
  put_instructions(out);
  out += "\n## Named values\n\n";
  put_names(out, "Machine numbers", csr_names.data(), csr_names.size());
  put_names(out, "Functions", vpu_fn_names.data(), vpu_fn_names.size());
  put_names(out, "Row reductions", row_reduce_names.data(), row_reduce_names.size());
  out += "\n## Formats\n";
  put_formats(out);
  return out;
}

}  // namespace heddle::isa
