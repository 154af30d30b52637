// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/prints.hpp"

#include <fmt/ranges.h>

#include <limits>

#include "isa/asm/operands.hpp"
#include "isa/base/nearest.hpp"

namespace heddle::isa {
namespace {

constexpr std::int64_t max_u32 = std::numeric_limits<std::uint32_t>::max();

// x0 .. x31 and t0 .. t65535.
PrintValue scalar(Cursor& c, std::string_view what) {
  const Token& t = c.peek();
  if (t.kind == TokenKind::name) {
    if (const auto x = numbered(t.spelling, 'x', first_print_register)) return c.next(), *x;
    if (const auto kept = numbered(t.spelling, 't', max_print_registers)) return c.next(), first_print_register + *kept;
  }
  c.expected(fmt::format("a scalar register, x0 .. x31 or t0 .. t{}, as {}", max_print_registers - 1, what));
}

std::uint32_t number(Cursor& c, const Program& p, std::string_view what) {
  return static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 0, max_u32, what));
}

PrintStep begin(Cursor& c, Program& p) {
  p.last_print = c.peek().place;
  if (p.image.prints.size() == max_print_steps)
    p.text.fail(p.last_print, "HDL-ASM-08", "more than {} prints and kept values", max_print_steps);
  PrintStep s;
  s.instruction = p.here();
  return s;
}

// `from=[fall, 12, 40]`: control falls in from the instruction before, or jumps here from these.
void from(Cursor& c, const Program& p, PrintStep& s) {
  s.anyhow = false;
  c.expect('[', "before the list");
  while (!c.accept(']')) {
    if (c.peek().is("fall")) {
      s.falls = true;
      c.next();
    } else {
      s.jumps.push_back(number(c, p, "instruction"));
    }
    if (!c.peek().is(']')) c.expect(',', "or ']'");
  }
}

void view_option(Cursor& c, const Program& p, PrintStep& s, const Token& key) {
  const auto dimension = [&](std::string_view name) { return key.spelling == name; };
  for (std::size_t d = 0; d < max_rank; ++d) {
    if (dimension(fmt::format("size{}", d))) return void(s.size[d] = scalar(c, "size"));
    if (dimension(fmt::format("stride{}", d))) return void(s.stride[d] = scalar(c, "stride"));
  }
  if (key.is("base")) {
    s.a = scalar(c, "base");
  } else if (key.is("offset")) {
    s.imm = evaluate_integer(c, p.symbols, std::numeric_limits<std::int32_t>::min(),
                             std::numeric_limits<std::int32_t>::max(), "offset");
  } else if (key.is("core") || key.is("chip")) {
    s.remote = true;
    (key.is("core") ? s.core : s.chip) = scalar(c, key.spelling);
  } else {
    p.text.fail(key.place, "HDL-ASM-04", "a print has no '{}'{}", key.spelling.substr(0, 64),
                did_you_mean(key.spelling,
                             {"full", "line", "file", "from", "base", "offset", "size0", "stride0", "core", "chip"}));
  }
}

void options(Cursor& c, Program& p, PrintStep& s) {
  while (c.accept(',')) {
    const Token key = c.next();
    if (key.is("full")) {
      s.full = true;
      continue;
    }
    if (key.kind != TokenKind::name) p.text.fail(key.place, "HDL-ASM-02", "expected an option such as full or from=");
    c.expect('=', "after the option");
    if (key.is("from")) {
      from(c, p, s);
    } else if (key.is("line") && s.kind != PrintStep::Kind::keep) {
      s.line = number(c, p, "line");
    } else if (key.is("file") && s.kind != PrintStep::Kind::keep) {
      s.file = number(c, p, "file");
    } else if (s.kind == PrintStep::Kind::view) {
      view_option(c, p, s, key);
    } else {
      p.text.fail(key.place, "HDL-ASM-04", "there is no option '{}' here", key.spelling.substr(0, 64));
    }
  }
}

std::uint32_t template_number(Cursor& c, const Program& p) {
  if (c.peek().kind != TokenKind::name && c.peek().kind != TokenKind::text) return number(c, p, "view");
  const Place place = c.peek().place;
  const std::string name = c.expect_name("a view");
  const auto found = p.symbols.views.find(name);
  if (found == p.symbols.views.end())
    p.text.fail(place, "HDL-ASM-04", "unknown view '{}'{}", name.substr(0, 64),
                did_you_mean(name, p.symbols.view_names()));
  return found->second.index;
}

std::string value_text(PrintValue v) {
  return v < first_print_register ? fmt::format("x{}", v) : fmt::format("t{}", v - first_print_register);
}

std::string from_text(const PrintStep& s) {
  if (s.anyhow) return "";
  return fmt::format(", from=[{}{}{}]", s.falls ? "fall" : "", s.falls && !s.jumps.empty() ? ", " : "",
                     fmt::join(s.jumps, ", "));
}

}  // namespace

void print_directive(Cursor& c, Program& p) {
  PrintStep s = begin(c, p);
  if (p.lines_from_source) s.line = c.peek().place.line;
  const Token& what = c.peek();
  if (what.is("view")) {
    c.next();
    s.kind = PrintStep::Kind::view;
    s.view = template_number(c, p);
  } else if (const auto v = what.kind == TokenKind::name ? numbered(what.spelling, 'v', 32) : std::nullopt) {
    c.next();
    s.kind = PrintStep::Kind::view_register;
    s.view = *v;
  } else {
    s.a = scalar(c, "what to print; or a view register, v0 .. v31, or view and its name");
  }
  c.expect(',', "before the label");
  s.label = c.expect_name("the label");
  options(c, p, s);
  p.image.prints.push_back(std::move(s));
}

void keep_directive(Cursor& c, Program& p) {
  PrintStep s = begin(c, p);
  s.kind = PrintStep::Kind::keep;
  const Token& t = c.peek();
  const auto target = t.kind == TokenKind::name ? numbered(t.spelling, 't', max_print_registers) : std::nullopt;
  if (!target) c.expected(fmt::format("a register that keeps it, t0 .. t{}", max_print_registers - 1));
  c.next();
  s.target = first_print_register + *target;
  c.expect(',', "before the operation");
  const Place place = c.peek().place;
  const InstructionInfo* const row = find_mnemonic(c.expect_name("an operation"));
  if (row == nullptr || !is_print_operation(row->op))
    p.text.fail(place, "HDL-ASM-03", "not an operation whose result can be kept (scalar arithmetic, li, csrr, ld)");
  s.op = row->op;
  c.expect(',', "before the first operand");
  s.a = scalar(c, "first operand");
  c.expect(',', "before the second operand");
  s.b = scalar(c, "second operand");
  c.expect(',', "before the constant");
  s.imm = evaluate_integer(c, p.symbols, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max(), "constant");
  options(c, p, s);
  p.image.prints.push_back(std::move(s));
}

std::string print_text(const PrintStep& s, const std::function<std::string(std::int64_t)>& view) {
  if (s.kind == PrintStep::Kind::keep)
    return fmt::format(".keep {}, {}, {}, {}, {}{}", value_text(s.target), info(s.op).mnemonic, value_text(s.a),
                       value_text(s.b), s.imm, from_text(s));
  std::string out = ".print ";
  if (s.kind == PrintStep::Kind::scalar) out += value_text(s.a);
  if (s.kind == PrintStep::Kind::view_register) out += fmt::format("v{}", s.view);
  if (s.kind == PrintStep::Kind::view) out += "view " + view(s.view);
  out += ", " + quoted(s.label);
  if (s.kind == PrintStep::Kind::view) {
    if (s.a != 0) out += ", base=" + value_text(s.a);
    if (s.imm != 0) out += fmt::format(", offset={}", s.imm);
    for (std::size_t d = 0; d < max_rank; ++d) {
      if (s.size[d] != 0) out += fmt::format(", size{}={}", d, value_text(s.size[d]));
      if (s.stride[d] != 0) out += fmt::format(", stride{}={}", d, value_text(s.stride[d]));
    }
    if (s.remote) out += fmt::format(", core={}, chip={}", value_text(s.core), value_text(s.chip));
  }
  if (s.full) out += ", full";
  if (s.line != 0) out += fmt::format(", line={}, file={}", s.line, s.file);
  return out + from_text(s);
}

}  // namespace heddle::isa
