// SPDX-License-Identifier: Apache-2.0
// What a program tells the checkers: hazards that its author allows, and the memory that operands have to stay in.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "isa/asm/program.hpp"
#include "isa/base/nearest.hpp"
#include "isa/image/hazards.hpp"

namespace heddle::isa {
namespace {

constexpr std::int64_t max_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t reach = static_cast<std::int64_t>(max_template_reach);

// Where the directive stands; or `, LINE, FILE` as of .line, at the cursor.
template <class Row>
void place_of(Cursor& c, Program& p, Place place, Row& row) {
  row.line = p.lines_from_source ? place.line : 0;
  if (!c.accept(',')) return;
  if (p.image.files.empty() || p.lines_from_source) p.text.fail(place, "HDL-ASM-09", "a place before any .file");
  row.line = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 1, max_u32, "line"));
  c.expect(',', "before the file");
  const auto files = static_cast<std::int64_t>(p.image.files.size());
  row.file = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 0, files - 1, "file"));
}

// `vd=0, va=3`: operands of the instruction that follows, and their tiles.
void uses(Cursor& c, Program& p, bool fresh) {
  do {
    const Place place = c.peek().place;
    const auto name = std::find_if(view_operand_names.begin(), view_operand_names.end(),
                                   [&](std::string_view n) { return c.peek().is(n); });
    if (name == view_operand_names.end()) c.expected(fmt::format("{}", fmt::join(view_operand_names, ", ")));
    c.next();
    c.expect('=', "before the number of a tile");
    const auto tiles = static_cast<std::int64_t>(p.image.tiles.size());
    if (tiles == 0) p.text.fail(place, "HDL-ASM-09", "an operand's tile before any .tile");
    const auto tile = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 0, tiles - 1, "number of a tile"));
    const TileUse use{p.here(), static_cast<ViewOperand>(name - view_operand_names.begin()), fresh, tile};
    auto at = p.image.uses.end();
    for (; at != p.image.uses.begin() && (at - 1)->instruction == use.instruction; --at) {
      if ((at - 1)->operand == use.operand) p.text.fail(place, "HDL-ASM-07", "{} has a tile already", *name);
      if ((at - 1)->operand < use.operand) break;
    }
    p.image.uses.insert(at, use);
  } while (c.accept(','));
}

}  // namespace

// `.allow "HDL-RACE-01", "reason"` up to `.endallow`.
void allow_directive(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  Allow a{c.expect_name("the hazard's identifier"), {}, p.here(), p.here(), 0, 0};
  if (!is_allowable(a.hazard))
    p.text.fail(place, "HDL-ASM-04", "'{}' is no hazard that can be allowed; those are {}{}", a.hazard.substr(0, 64),
                fmt::join(allowable_hazards, ", "),
                did_you_mean(a.hazard, {allowable_hazards.begin(), allowable_hazards.end()}));
  c.expect(',', "before the reason");
  const Place reason = c.peek().place;
  a.reason = c.expect_name("the reason");
  if (!is_reason(a.reason)) p.text.fail(reason, "HDL-ASM-02", "an allowed hazard needs a reason");
  place_of(c, p, place, a);
  p.allows.push_back({p.image.allows.size(), place});
  p.image.allows.push_back(std::move(a));
}

void end_allow_directive(Cursor& c, Program& p) {
  if (p.allows.empty()) p.text.fail(c.peek().place, "HDL-ASM-09", ".endallow without an open .allow");
  p.image.allows[p.allows.back().index].end = p.here();
  p.allows.pop_back();
}

// `.tile space, base, bytes, slots`: the number of a tile is its place among them, from 0.
void tile_directive(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  TileInfo t;
  const auto name =
      std::find_if(space_names.begin(), space_names.end(), [&](std::string_view n) { return c.peek().is(n); });
  if (name == space_names.end() || static_cast<Space>(name - space_names.begin()) == Space::hbm)
    c.expected("spm, acc or smem");
  c.next();
  t.space = static_cast<Space>(name - space_names.begin());
  c.expect(',', "before the base");
  t.base = static_cast<std::uint64_t>(evaluate_integer(c, p.symbols, 0, reach, "base"));
  c.expect(',', "before the bytes of a slot");
  t.slot_bytes = static_cast<std::uint64_t>(evaluate_integer(c, p.symbols, 1, reach, "number of bytes"));
  c.expect(',', "before the number of slots");
  const std::int64_t most = std::min(max_u32, reach / static_cast<std::int64_t>(t.slot_bytes));
  t.slots = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 1, most, "number of slots"));
  place_of(c, p, place, t);
  p.image.tiles.push_back(t);
}

void within_directive(Cursor& c, Program& p) { uses(c, p, false); }
void fresh_directive(Cursor& c, Program& p) { uses(c, p, true); }

}  // namespace heddle::isa
