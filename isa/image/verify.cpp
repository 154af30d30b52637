// SPDX-License-Identifier: Apache-2.0
// What makes an image meaningful. Whoever holds a verified image need not check its indices again.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "isa/base/error.hpp"
#include "isa/image/hazards.hpp"
#include "isa/image/image.hpp"
#include "isa/image/sections.hpp"

namespace heddle::isa {
namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorKind::bad_input, "HDL-IMG-04", text, std::forward<Args>(args)...);
}

void verify_code(const ProgramImage& image) {
  for (std::size_t i = 0; i < image.code.size(); ++i) {
    Instruction in;
    try {
      in = decode(image.code[i]);
    } catch (const Error& e) {
      refuse("instruction {}: {} ({})", i, e.message(), e.id());
    }
    const InstructionInfo& row = info(in.op);
    for (const Field& f : fields_of(row.format)) {
      const auto value = static_cast<std::uint64_t>(in[f.id]);
      if (f.kind == FieldKind::code_target && value >= image.code.size())
        refuse("instruction {}: {} to {}, outside the {} instructions", i, row.mnemonic, value, image.code.size());
      if (f.kind == FieldKind::view_template && value >= image.templates.size())
        refuse("instruction {}: {} of template {}, but there are {}", i, row.mnemonic, value, image.templates.size());
    }
  }
}

void verify_templates(const ProgramImage& image) {
  for (std::size_t i = 0; i < image.templates.size(); ++i) try {
      verify(image.templates[i]);
    } catch (const Error& e) {
      refuse("view template {}: {}", i, e.message());
    }
}

void verify_names(const ProgramImage& image) {
  if (!image.template_names.empty() && image.template_names.size() != image.templates.size())
    refuse("{} template names for {} templates", image.template_names.size(), image.templates.size());
  const auto check = [](const std::string& name, std::string_view what) {
    if (name.size() > max_name_bytes) refuse("a {} name of {} bytes (at most {})", what, name.size(), max_name_bytes);
  };
  check(image.name, "program");
  for (const auto& n : image.template_names) check(n, "template");
  for (const auto& c : image.constants) check(c.name, "constant");
  for (const auto& f : image.files) check(f, "file");
  for (const auto& s : image.scopes) check(s.name, "scope");
  for (const auto& e : image.entries) check(e.name, "entry");
}

void verify_entries(const ProgramImage& image) {
  if (image.entries.empty()) refuse("no entry point");
  std::set<std::string_view> seen;
  for (const Entry& e : image.entries) {
    if (e.name.empty()) refuse("an entry point without a name");
    if (!seen.insert(e.name).second) refuse("two entry points are called '{}'", e.name);
    if (e.instruction >= image.code.size())
      refuse("entry '{}' at instruction {}, outside the {} instructions", e.name, e.instruction, image.code.size());
  }
}

// Ranges of instructions, by their beginnings, that nest or are disjoint.
template <class Range, class Text>
void verify_ranges(const ProgramImage& image, const std::vector<Range>& ranges, Text text) {
  std::vector<std::uint32_t> open;  // ends of those around the next one
  std::uint32_t last_begin = 0;
  for (const Range& r : ranges) {
    if (r.begin > r.end || r.end > image.code.size())
      refuse("{}: [{}, {}) is not inside the {} instructions", text(r), r.begin, r.end, image.code.size());
    if (r.begin < last_begin) refuse("{} begins before the one listed before it", text(r));
    last_begin = r.begin;
    while (!open.empty() && open.back() <= r.begin) open.pop_back();
    if (!open.empty() && r.end > open.back()) refuse("{} overlaps another without nesting in it", text(r));
    open.push_back(r.end);
  }
}

void verify_debug(const ProgramImage& image) {
  for (std::size_t i = 0; i < image.lines.size(); ++i) {
    const DebugLine& l = image.lines[i];
    if (l.instruction >= image.code.size() || (i > 0 && l.instruction <= image.lines[i - 1].instruction))
      refuse("debug line {}: instruction {} does not rise or is outside the code", i, l.instruction);
    if (l.file >= image.files.size()) refuse("debug line {}: file {}, but there are {}", i, l.file, image.files.size());
  }
  verify_ranges(image, image.scopes, [](const Scope& s) { return fmt::format("scope '{}'", s.name); });
}

void verify_place(const ProgramImage& image, std::uint32_t file, std::uint32_t line, std::string_view what) {
  if (line == 0 ? file != 0 : file >= image.files.size())
    refuse("{} of file {}, but there are {}", what, file, image.files.size());
}

void verify_tiles(const ProgramImage& image) {
  for (const TileInfo& t : image.tiles) {
    if (static_cast<std::size_t>(t.space) >= space_names.size() || t.space == Space::hbm)
      refuse("a tile in space {}", static_cast<int>(t.space));
    if (t.slots == 0 || t.slot_bytes == 0 || t.base > max_template_reach || t.slot_bytes > max_template_reach / t.slots)
      refuse("a tile of {} slots of {} bytes from {:#x}", t.slots, t.slot_bytes, t.base);
    verify_place(image, t.file, t.line, "a tile");
  }
  for (std::size_t i = 0; i < image.uses.size(); ++i) {
    const TileUse& u = image.uses[i];
    if (u.tile >= image.tiles.size()) refuse("use {} of tile {}, but there are {}", i, u.tile, image.tiles.size());
    if (static_cast<std::size_t>(u.operand) >= view_operand_names.size() || u.instruction >= image.code.size() ||
        !is_engine(info(decode(image.code[u.instruction]).op).unit))
      refuse("use {} of a tile by operand {} of instruction {}", i, static_cast<int>(u.operand), u.instruction);
    if (i == 0) continue;
    const TileUse& last = image.uses[i - 1];
    if (std::pair(u.instruction, u.operand) <= std::pair(last.instruction, last.operand))
      refuse("use {} of a tile does not follow the one before", i);
  }
}

void verify_allows(const ProgramImage& image) {
  for (const Allow& a : image.allows) {
    if (!is_allowable(a.hazard))
      refuse("'{}' is no hazard that can be allowed; those are {}", a.hazard.substr(0, 64),
             fmt::join(allowable_hazards, ", "));
    if (!is_reason(a.reason)) refuse("an allowed {} without a reason", a.hazard);
    if (a.reason.size() > max_name_bytes)
      refuse("an allowed {} with a reason of {} bytes (at most {})", a.hazard, a.reason.size(), max_name_bytes);
    verify_place(image, a.file, a.line, "an allowed hazard");
  }
  verify_ranges(image, image.allows, [](const Allow& a) { return fmt::format("allowed {}", a.hazard); });
}

}  // namespace

// Bounds small enough that addresses computed from a template in 64 bits cannot overflow.
void verify(const ViewTemplate& t) {
  if (static_cast<std::size_t>(t.space) >= space_names.size())
    refuse("space {} has no meaning", static_cast<int>(t.space));
  if (static_cast<int>(t.dtype) >= dtype_count) refuse("dtype {} has no meaning", static_cast<int>(t.dtype));
  if (t.rank < 1 || t.rank > max_rank) refuse("rank {} (expected 1 to {})", t.rank, max_rank);
  if (t.base > max_template_reach) refuse("base {:#x} is above {:#x}", t.base, max_template_reach);
  std::uint64_t reach = 0;
  std::uint64_t elements = 1;
  for (std::size_t d = 0; d < max_rank; ++d) {
    const std::uint64_t size = t.size[d];
    if (d >= t.rank && (size != 1 || t.stride[d] != 0))
      refuse("dimension {} is past rank {} but has size {}, stride {} (expected 1 and 0)", d, t.rank, size,
             t.stride[d]);
    const auto stride = static_cast<std::uint64_t>(t.stride[d]);
    const std::uint64_t step = t.stride[d] < 0 ? 0 - stride : stride;
    const std::uint64_t steps = size > 1 ? size - 1 : 0;
    if (step > max_template_reach || (steps != 0 && step > (max_template_reach - reach) / steps) ||
        (size != 0 && elements > max_template_reach / size))
      refuse("it spans more than 2^48 elements");
    reach += step * steps;
    elements *= std::max<std::uint64_t>(size, 1);
  }
}

void verify(const ProgramImage& image) {
  if (image.code.empty()) refuse("no instructions");
  if (image.code.size() > max_instructions) refuse("{} instructions (at most {})", image.code.size(), max_instructions);
  if (image.templates.size() > max_templates)
    refuse("{} view templates (at most {})", image.templates.size(), max_templates);
  std::uint64_t constant_bytes = 0;
  for (const Constant& c : image.constants) constant_bytes += (c.bytes.size() + 63) / 64 * 64;
  if (constant_bytes > max_constant_bytes)
    refuse("{} bytes of constants (at most {})", constant_bytes, max_constant_bytes);
  verify_names(image);
  verify_templates(image);
  verify_code(image);
  verify_entries(image);
  verify_debug(image);
  verify_prints(image);
  verify_allows(image);
  verify_tiles(image);
}

}  // namespace heddle::isa
