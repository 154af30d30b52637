// SPDX-License-Identifier: Apache-2.0
// Two passes: the first finds labels and carries out directives, the second encodes instructions with every name known.
#include "isa/asm/assembler.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "isa/asm/operands.hpp"
#include "isa/asm/program.hpp"
#include "isa/base/nearest.hpp"
#include "isa/base/read_file.hpp"

namespace heddle::isa {
namespace {

bool at_label(const Cursor& c) {
  return (c.peek().kind == TokenKind::name || c.peek().kind == TokenKind::text) && c.peek(1).is(':');
}

void scan_line(Program& p, std::uint32_t number) {
  Cursor c(p.text, tokenize(p.text, number));
  std::uint32_t skip = 0;
  for (; at_label(c); skip += 2) {
    const Place place = c.peek().place;
    const std::string name = c.expect_name("a label");
    c.expect(':', "after the label");
    // What stands above the label is passed by those who jump to it.
    for (auto s = p.image.prints.rbegin(); s != p.image.prints.rend() && s->instruction == p.here(); ++s)
      if (s->anyhow) {
        s->anyhow = false;
        s->falls = true;
      }
    const auto [at, fresh] = p.symbols.labels.try_emplace(name, Symbols::Label{p.here(), place});
    if (!fresh) p.text.fail(place, "HDL-ASM-07", "label '{}' is already on line {}", name, at->second.place.line);
  }
  if (c.at_end()) return;
  if (c.peek().kind != TokenKind::name) c.expected("a label, an instruction or a directive");
  if (c.peek().spelling.front() == '.') return run_directive(c, p);
  if (p.instructions.size() == max_instructions)
    p.text.fail(c.peek().place, "HDL-ASM-08", "more than {} instructions", max_instructions);
  p.instructions.push_back({number, skip});
}

void place_data(Program& p) {
  std::uint64_t offset = 0;
  for (const Constant& c : p.image.constants) {
    p.symbols.data_offsets.push_back(offset);
    offset += (c.bytes.size() + 63) / 64 * 64;
  }
}

void encode_all(Program& p) {
  for (std::uint32_t i = 0; i < p.here(); ++i) {
    const auto [line, skip] = p.instructions[i];
    Cursor c(p.text, tokenize(p.text, line));
    for (std::uint32_t t = 0; t < skip; ++t) c.next();
    p.image.code.push_back(encode(parse_instruction(c, p.symbols, p.here(), p.image.templates.size())));
    if (p.lines_from_source) p.image.lines.push_back({i, 0, line});
  }
}

void resolve_entries(Program& p) {
  if (p.entries.empty()) {
    const auto start = p.symbols.labels.find("start");
    const std::uint32_t at = start == p.symbols.labels.end() ? 0 : start->second.instruction;
    p.entries.push_back({"start", 0, start == p.symbols.labels.end() ? Place{} : start->second.place});
    if (start == p.symbols.labels.end()) p.symbols.labels.emplace("start", Symbols::Label{at, Place{}});
  }
  for (const auto& e : p.entries) {
    const auto found = p.symbols.labels.find(e.name);
    if (found == p.symbols.labels.end())
      p.text.fail(e.place, "HDL-ASM-04", "entry '{}' has no label of that name{}", e.name.substr(0, 64),
                  did_you_mean(e.name, p.symbols.label_names()));
    if (found->second.instruction >= p.here())
      p.text.fail(e.place, "HDL-ASM-09", "no instruction follows the label of entry '{}'", e.name.substr(0, 64));
    p.image.entries.push_back({e.name, found->second.instruction, e.arguments});
  }
}

}  // namespace

ProgramImage assemble(std::string_view text, const std::string& file_name) {
  if (text.size() > max_source_bytes)
    fail_at({file_name}, ErrorKind::bad_input, "HDL-ASM-08", "{} bytes of text (at most {})", text.size(),
            max_source_bytes);
  const SourceText source(text, file_name);
  Program p(source);
  p.image.name = std::filesystem::path(file_name).stem().string();
  for (std::uint32_t n = 1; n <= source.line_count(); ++n) scan_line(p, n);
  if (!p.scopes.empty())
    source.fail(p.scopes.back().place, "HDL-ASM-09", "this scope is never closed (expected .endscope)");
  if (!p.allows.empty())
    source.fail(p.allows.back().place, "HDL-ASM-09", "this .allow is never closed (expected .endallow)");
  if (p.instructions.empty()) fail_at({file_name}, ErrorKind::bad_input, "HDL-ASM-09", "the file has no instruction");
  if (!p.image.prints.empty() && p.image.prints.back().instruction == p.here())
    source.fail(p.last_print, "HDL-ASM-09", "no instruction follows this one, so nothing ever comes here");
  place_data(p);
  if (p.lines_from_source) p.image.files.push_back(file_name);
  encode_all(p);
  resolve_entries(p);
  try {
    verify(p.image);
  } catch (const Error& e) {
    throw Error(e.kind(), e.id(), e.message(), {file_name});
  }
  return std::move(p.image);
}

ProgramImage assemble_file(const std::string& path) {
  const std::optional<std::string> text = read_file(path, max_source_bytes);
  if (!text) fail_at({path}, ErrorKind::bad_input, "HDL-ASM-10", "cannot read the file: {}", std::strerror(errno));
  return assemble(*text, path);
}

}  // namespace heddle::isa
