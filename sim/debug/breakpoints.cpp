// SPDX-License-Identifier: Apache-2.0
#include "sim/debug/breakpoints.hpp"

#include <algorithm>
#include <charconv>

#include "isa/base/error.hpp"

namespace heddle::debug {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "a/b.cpp" is meant by "b.cpp" and by itself, not by "xb.cpp".
bool names_file(const std::string& given, const std::string& file) {
  return file == given || file.ends_with("/" + given);
}

[[noreturn]] void refuse(const std::string& where) {
  fail(ErrorKind::bad_input, "HDL-DBG-03",
       "\"{}\" is no place; write FILE:LINE, a scope, entry or label, instruction N, cycle N or end", where);
}

}  // namespace

Breakpoint& Breakpoints::add(const std::string& where, const isa::ProgramImage* program, Sources& sources) {
  Breakpoint b;
  b.text = where;
  const auto after = [&](std::string_view word) -> std::optional<std::int64_t> {
    if (!where.starts_with(word)) return std::nullopt;
    const auto n = number_of(std::string_view(where).substr(word.size()));
    if (!n) refuse(where);
    return n;
  };
  const std::size_t colon = where.rfind(':');
  if (const auto n = after("instruction ")) {
    b.kind = Breakpoint::Kind::instruction;
    b.value = *n;
  } else if (const auto c = after("cycle ")) {
    b.kind = Breakpoint::Kind::cycle;
    b.value = *c;
  } else if (where == "end") {
    b.kind = Breakpoint::Kind::end;
  } else if (colon != std::string::npos && number_of(std::string_view(where).substr(colon + 1))) {
    b.kind = Breakpoint::Kind::line;
    b.file = where.substr(0, colon);
    b.line = static_cast<std::uint32_t>(*number_of(std::string_view(where).substr(colon + 1)));
  } else if (where.empty() || number_of(where)) {
    refuse(where);
  }
  if (program != nullptr) resolve(b, *program, sources);
  b.number = ++last_;
  all_.push_back(std::move(b));
  return all_.back();
}

bool Breakpoints::remove(int number) {
  return std::erase_if(all_, [&](const Breakpoint& b) { return b.number == number; }) != 0;
}

void Breakpoints::resolve(const isa::ProgramImage& program, Sources& sources) {
  for (Breakpoint& b : all_) resolve(b, program, sources);
}

void Breakpoints::resolve(Breakpoint& b, const isa::ProgramImage& program, Sources& sources) {
  b.at.clear();
  const auto code_size = static_cast<std::int64_t>(program.code.size());
  if (b.kind == Breakpoint::Kind::instruction && b.value < code_size)
    b.at.push_back(static_cast<std::uint32_t>(b.value));
  if (b.kind == Breakpoint::Kind::line) {
    // The first instruction of each run of them that the line gave.
    for (const isa::DebugLine& l : program.lines)
      if (l.line == b.line && names_file(b.file, program.files[l.file])) b.at.push_back(l.instruction);
  }
  if (b.kind != Breakpoint::Kind::name) return;
  for (const isa::Scope& s : program.scopes)
    if (s.name == b.text && s.begin < code_size) b.at.push_back(s.begin);
  for (const isa::Entry& e : program.entries)
    if (e.name == b.text) b.at.push_back(e.instruction);
  if (b.at.empty())
    for (std::uint32_t f = 0; f < program.files.size() && b.at.empty(); ++f)
      if (const auto line = sources.label(program.files[f], b.text)) {
        const auto first = std::find_if(program.lines.begin(), program.lines.end(),
                                        [&](const isa::DebugLine& l) { return l.file == f && l.line >= *line; });
        if (first != program.lines.end()) b.at.push_back(first->instruction);
      }
  std::sort(b.at.begin(), b.at.end());
  b.at.erase(std::unique(b.at.begin(), b.at.end()), b.at.end());
}

const Breakpoint* Breakpoints::at(std::uint32_t pc) const {
  for (const Breakpoint& b : all_)
    if (std::binary_search(b.at.begin(), b.at.end(), pc)) return &b;
  return nullptr;
}

const Breakpoint* Breakpoints::next_cycle(std::int64_t after) const {
  const Breakpoint* first = nullptr;
  for (const Breakpoint& b : all_)
    if (b.kind == Breakpoint::Kind::cycle && b.value > after && (first == nullptr || b.value < first->value))
      first = &b;
  return first;
}

const Breakpoint* Breakpoints::end() const {
  for (const Breakpoint& b : all_)
    if (b.kind == Breakpoint::Kind::end) return &b;
  return nullptr;
}

}  // namespace heddle::debug
