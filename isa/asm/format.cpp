// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/format.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace heddle::isa {
namespace {

std::string one_of(std::string_view name, std::int64_t value) {
  return name.empty() ? fmt::format("{}", value) : std::string(name);
}

template <std::size_t N>
std::string_view name_at(const std::array<std::string_view, N>& names, std::int64_t i) {
  return static_cast<std::uint64_t>(i) < N ? names[static_cast<std::size_t>(i)] : std::string_view();
}

std::string format_value(const Field& f, std::int64_t v, const OperandNames& names) {
  switch (f.kind) {
    case FieldKind::x_reg:
      return fmt::format("x{}", v);
    case FieldKind::v_reg:
      return fmt::format("v{}", v);
    case FieldKind::v_reg_optional:
      return fmt::format("v{}", v - 1);
    case FieldKind::sem:
      return fmt::format("s{}", v);
    case FieldKind::fp32_bits:
      return format_float_bits(static_cast<std::uint32_t>(v));
    case FieldKind::code_target:
      return names.label(v);
    case FieldKind::view_template:
      return names.view(v);
    case FieldKind::enum_csr:
      return one_of(name_at(csr_names, v), v);
    case FieldKind::enum_fn:
      return one_of(name_at(vpu_fn_names, v), v);
    case FieldKind::enum_reduce:
      return one_of(name_at(row_reduce_names, v), v);
    default:
      return fmt::format("{}", v);
  }
}

std::string semaphore(std::int64_t sem, std::int64_t count) {
  if (count == 0) return "_";
  return count == 1 ? fmt::format("s{}", sem) : fmt::format("s{}:{}", sem, count);
}

std::string clause(std::string_view word, std::int64_t sem0, std::int64_t n0, std::int64_t sem1, std::int64_t n1) {
  if (n0 == 0 && n1 == 0) return {};
  std::string out = fmt::format("{} {}", word, semaphore(sem0, n0));
  if (n1 != 0) out += ", " + semaphore(sem1, n1);
  return out;
}

}  // namespace

std::string signature(const InstructionInfo& row) {
  std::string positional;
  std::string rest;
  bool sync = false;
  for (const Field& f : fields_of(row.format)) {
    if (f.syntax == Syntax::positional) positional += fmt::format("{}{}", positional.empty() ? "" : ", ", f.name);
    if (f.syntax == Syntax::keyed) rest += fmt::format(" [{}=]", f.name);
    if (f.syntax == Syntax::word) rest += fmt::format(" [{}]", f.name);
    sync = sync || f.syntax == Syntax::sync;
  }
  if (sync) rest += " [wait] [post]";
  if (positional.empty() && rest.empty()) return "no operands";
  return positional.empty() ? rest.substr(1) : positional + rest;
}

std::string format_float_bits(std::uint32_t bits) {
  const auto f = std::bit_cast<float>(bits);
  if (std::isnan(f)) return fmt::format("{:#x}", bits);
  if (std::isinf(f)) return f > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", f);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string format_with(const Instruction& in, const OperandNames& names) {
  const InstructionInfo& row = info(in.op);
  std::string out(row.mnemonic);
  bool first = true;
  const auto add = [&](const std::string& operand) {
    out += (first ? " " : ", ") + operand;
    first = false;
  };
  for (const Field& f : fields_of(row.format)) {
    const std::int64_t v = in[f.id];
    if (f.syntax == Syntax::positional) add(format_value(f, v, names));
    if (f.syntax == Syntax::keyed && v != static_cast<std::int64_t>(f.usual))
      add(fmt::format("{}={}", f.name, format_value(f, v, names)));
    if (f.syntax == Syntax::word && v != 0) add(std::string(f.name));
  }
  using F = FieldId;
  const std::string waits = clause("wait", in[F::wait0_sem], in[F::wait0_n], in[F::wait1_sem], in[F::wait1_n]);
  const std::string posts = clause("post", in[F::post0_sem], in[F::post0_n], in[F::post1_sem], in[F::post1_n]);
  if (!waits.empty()) out += "  " + waits;
  if (!posts.empty()) out += (waits.empty() ? "  " : ", ") + posts;
  return out;
}

}  // namespace heddle::isa
