// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "isa/asm/prints.hpp"
#include "isa/asm/program.hpp"
#include "isa/base/nearest.hpp"

namespace heddle::isa {
namespace {

constexpr std::int64_t max_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t reach = static_cast<std::int64_t>(max_template_reach);

[[noreturn]] void misplaced(const Program& p, Place place, std::string_view what) {
  p.text.fail(place, "HDL-ASM-09", "{}", what);
}

void entry(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  Program::PendingEntry e{c.expect_name("the entry's label"), 0, place};
  if (e.name.empty()) p.text.fail(place, "HDL-ASM-02", "an entry's name cannot be empty");
  if (c.accept(','))
    e.arguments = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 0, max_u32, "number of arguments"));
  for (const auto& other : p.entries)
    if (other.name == e.name)
      p.text.fail(place, "HDL-ASM-07", "entry '{}' is already declared on line {}", e.name, other.place.line);
  if (p.entries.size() == 256) p.text.fail(place, "HDL-ASM-08", "more than 256 entries");
  p.entries.push_back(std::move(e));
}

std::vector<std::int64_t> number_list(Cursor& c, Program& p, std::int64_t low, std::int64_t high,
                                      std::string_view what) {
  std::vector<std::int64_t> out;
  c.expect('[', "before the list");
  do {
    if (out.size() == max_rank) p.text.fail(c.peek().place, "HDL-ASM-08", "a view has at most {} dimensions", max_rank);
    out.push_back(evaluate_integer(c, p.symbols, low, high, what));
  } while (c.accept(','));
  c.expect(']', "after the list");
  return out;
}

template <class Names, class Name>
std::size_t one_of(Cursor& c, const Names& names, Name name_of, std::string_view what) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (c.peek().is(name_of(names[i]))) {
      c.next();
      return i;
    }
    all += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(names[i]));
  }
  c.expected(fmt::format("{} ({})", what, all));
}

void row_major(ViewTemplate& t) {
  std::uint64_t step = 1;  // no overflow: run only on sizes whose product is bounded
  for (std::size_t d = t.rank; d-- > 0;) {
    t.stride[d] = static_cast<std::int64_t>(step);
    step *= t.size[d];
  }
}

void check(Program& p, Place place, const ViewTemplate& t) {
  try {
    verify(t);
  } catch (const Error& e) {
    p.text.fail(place, "HDL-ASM-08", "view: {}", e.message());
  }
}

void view(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  const std::string name = c.expect_name("the view's name");
  if (p.image.templates.size() == max_templates) p.text.fail(place, "HDL-ASM-08", "more than {} views", max_templates);
  ViewTemplate t;
  const auto itself = [](std::string_view s) { return s; };
  c.expect(',', "before the space");
  t.space = static_cast<Space>(one_of(c, space_names, itself, "a space"));
  c.expect(',', "before the dtype");
  t.dtype = static_cast<DType>(one_of(
      c, dtype_infos, [](const DTypeInfo& d) { return d.name; }, "a dtype"));
  c.expect(',', "before the sizes");
  const auto sizes = number_list(c, p, 0, max_u32, "size");
  t.rank = static_cast<std::uint8_t>(sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d) t.size[d] = static_cast<std::uint32_t>(sizes[d]);
  check(p, place, t);  // before sizes are multiplied
  row_major(t);
  while (c.accept(',')) {
    const Place key = c.peek().place;
    if (c.peek().is("strides") && c.peek(1).is('=')) {
      c.next();
      c.next();
      const auto strides = number_list(c, p, -reach, reach, "stride");
      if (strides.size() != sizes.size())
        p.text.fail(key, "HDL-ASM-05", "{} strides for {} sizes", strides.size(), sizes.size());
      for (std::size_t d = 0; d < strides.size(); ++d) t.stride[d] = strides[d];
    } else if (c.peek().is("base") && c.peek(1).is('=')) {
      c.next();
      c.next();
      t.base = static_cast<std::uint64_t>(evaluate_integer(c, p.symbols, 0, reach, "base"));
    } else {
      c.expected("strides=[...], base=... or the end of the line");
    }
  }
  check(p, place, t);
  const auto index = static_cast<std::uint32_t>(p.image.templates.size());
  if (!name.empty()) {
    const auto [at, fresh] = p.symbols.views.try_emplace(name, Symbols::Listed{index, 1});
    if (!fresh) ++at->second.times;
  }
  p.image.templates.push_back(t);
  p.image.template_names.push_back(name);
}

void constant(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  const std::string name = c.expect_name("the constant's name");
  c.expect('=', "before the value");
  const Value v = evaluate(c, p.symbols);
  const auto [at, fresh] = p.symbols.constants.try_emplace(name, Symbols::Const{v, place});
  if (!fresh)
    p.text.fail(place, "HDL-ASM-07", "constant '{}' is already defined on line {}", name, at->second.place.line);
}

std::vector<std::uint8_t>& open_data(Program& p, Place place) {
  if (p.image.constants.empty()) misplaced(p, place, "data before any .data directive gave it a name");
  return p.image.constants.back().bytes;
}

void check_room(Program& p, Place place, std::size_t more) {
  const std::size_t size = p.image.constants.back().bytes.size() + more;
  if (size > max_constant_bytes || p.constant_bytes + (size + 63) / 64 * 64 > max_constant_bytes)
    p.text.fail(place, "HDL-ASM-08", "more than {} bytes of data", max_constant_bytes);
}

void append(std::vector<std::uint8_t>& out, std::uint64_t v, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
}

// Little-endian integers of `Bytes` bytes, signed or unsigned.
template <int Bytes>
void integers(Cursor& c, Program& p) {
  auto& out = open_data(p, c.peek().place);
  do {
    const Place place = c.peek().place;
    check_room(p, place, Bytes);
    const std::int64_t low =
        Bytes == 8 ? std::numeric_limits<std::int64_t>::min() : -(std::int64_t{1} << (8 * Bytes - 1));
    const std::int64_t high =
        Bytes == 8 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (8 * Bytes % 64)) - 1;
    append(out, static_cast<std::uint64_t>(evaluate_integer(c, p.symbols, low, high, "value")), Bytes);
  } while (c.accept(','));
}

void floats(Cursor& c, Program& p) {
  auto& out = open_data(p, c.peek().place);
  do {
    check_room(p, c.peek().place, 4);
    append(out, evaluate_float_bits(c, p.symbols), 4);
  } while (c.accept(','));
}

void zeros(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  auto& out = open_data(p, place);
  const std::int64_t n = evaluate_integer(c, p.symbols, 0, max_u32, "number of bytes");
  check_room(p, place, static_cast<std::size_t>(n));
  out.resize(out.size() + static_cast<std::size_t>(n));
}

void data(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  const std::string name = c.expect_name("the data's name");
  c.expect(':', "after the data's name");
  if (!p.image.constants.empty()) p.constant_bytes += (p.image.constants.back().bytes.size() + 63) / 64 * 64;
  const auto index = static_cast<std::uint32_t>(p.image.constants.size());
  if (!name.empty()) {
    const auto [at, fresh] = p.symbols.data.try_emplace(name, Symbols::Listed{index, 1});
    if (!fresh) ++at->second.times;
  }
  p.image.constants.push_back({name, {}});
  if (c.at_end()) return;
  if (c.peek().kind != TokenKind::name || c.peek().spelling.front() != '.')
    c.expected(".bytes, .half, .word, .dword, .fp32, .zero or the end of the line");
  if (c.peek().is(".data")) misplaced(p, place, "a .data directive inside another");
  run_directive(c, p);
}

void scope(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  const std::string name = c.expect_name("the scope's name");
  p.scopes.push_back({p.image.scopes.size(), place});
  p.image.scopes.push_back({name, p.here(), p.here()});
}

void end_scope(Cursor& c, Program& p) {
  if (p.scopes.empty()) misplaced(p, c.peek().place, ".endscope without an open .scope");
  p.image.scopes[p.scopes.back().index].end = p.here();
  p.scopes.pop_back();
}

void own_lines(Cursor& c, Program& p) {
  const bool begun = p.here() != 0 || !p.image.prints.empty() || !p.image.allows.empty() || !p.image.tiles.empty();
  if (p.lines_from_source && begun)
    misplaced(p, c.peek().place, "debug lines must be declared before the first instruction, print, .allow and .tile");
  p.lines_from_source = false;
}

// `.lines none` alone gives an image without debug lines.
void lines(Cursor& c, Program& p) {
  own_lines(c, p);
  if (!c.peek().is("none")) c.expected("none");
  c.next();
}

void file(Cursor& c, Program& p) {
  own_lines(c, p);
  p.image.files.push_back(c.expect_name("the file's name"));
}

// `.line N` or `.line N, FILE`: the instructions from here on come from line N of the last .file, or of file number
// FILE.
void line(Cursor& c, Program& p) {
  const Place place = c.peek().place;
  if (p.image.files.empty() || p.lines_from_source) misplaced(p, place, ".line before any .file");
  DebugLine row{p.here(), static_cast<std::uint32_t>(p.image.files.size() - 1), 0};
  row.line = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 0, max_u32, "line"));
  if (c.accept(',')) row.file = static_cast<std::uint32_t>(evaluate_integer(c, p.symbols, 0, row.file, "file"));
  if (!p.image.lines.empty() && p.image.lines.back().instruction == row.instruction)
    misplaced(p, place, "two .line directives for one instruction");
  p.image.lines.push_back(row);
}

void program_name(Cursor& c, Program& p) { p.image.name = c.expect_name("the program's name"); }

struct Directive {
  std::string_view name;
  void (*run)(Cursor&, Program&);
};
constexpr std::array<Directive, 23> directives{{{".entry", entry},
                                                {".view", view},
                                                {".const", constant},
                                                {".data", data},
                                                {".bytes", integers<1>},
                                                {".half", integers<2>},
                                                {".word", integers<4>},
                                                {".dword", integers<8>},
                                                {".fp32", floats},
                                                {".zero", zeros},
                                                {".scope", scope},
                                                {".endscope", end_scope},
                                                {".print", print_directive},
                                                {".keep", keep_directive},
                                                {".allow", allow_directive},
                                                {".endallow", end_allow_directive},
                                                {".tile", tile_directive},
                                                {".within", within_directive},
                                                {".fresh", fresh_directive},
                                                {".lines", lines},
                                                {".file", file},
                                                {".line", line},
                                                {".name", program_name}}};

}  // namespace

void run_directive(Cursor& cursor, Program& program) {
  const Token word = cursor.next();
  for (const Directive& d : directives)
    if (word.spelling == d.name) {
      d.run(cursor, program);
      cursor.expect_end();
      return;
    }
  std::vector<std::string_view> names;
  for (const Directive& d : directives) names.push_back(d.name);
  program.text.fail(word.place, "HDL-ASM-03", "unknown directive '{}'{}", word.spelling.substr(0, 64),
                    did_you_mean(word.spelling, names));
}

}  // namespace heddle::isa
