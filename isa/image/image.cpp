// SPDX-License-Identifier: Apache-2.0
// The image as bytes. Layout, all little-endian: magic (8), ISA version (u32), section count (u32), hash of the
// instruction table (u64), file size (u64), then each section as id (u32), zero (u32), length (u64), payload, in rising
// id; last an FNV-1a checksum (u64) of everything before it. One image has one serialisation: a section that need not
// be there is there only where it has something in it.
#include "isa/image/image.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/base/error.hpp"
#include "isa/image/bytes.hpp"
#include "isa/image/sections.hpp"

namespace heddle::isa {
namespace {

// As in PNG: a byte above 127, a name, both line ends, end-of-file: a transfer in text mode damages it visibly.
constexpr std::array<std::uint8_t, 8> magic{0x89, 'H', 'D', 'I', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t header_bytes = 8 + 4 + 4 + 8 + 8;
constexpr std::size_t checksum_bytes = 8;

template <class... Args>
[[noreturn]] void damaged(fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorKind::bad_input, "HDL-IMG-03", "image is damaged: {}", fmt::format(text, std::forward<Args>(args)...));
}

template <std::size_t N>
std::uint64_t hash_names(std::uint64_t h, const std::array<std::string_view, N>& names) {
  for (std::string_view n : names) h = fnv(h, n);
  return h;
}

void put_templates(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.templates.size()));
  for (std::size_t i = 0; i < image.templates.size(); ++i) {
    const ViewTemplate& t = image.templates[i];
    out.u8(static_cast<std::uint8_t>(t.space));
    out.u8(static_cast<std::uint8_t>(t.dtype));
    out.u8(t.rank);
    out.u64(t.base);
    for (auto s : t.size) out.u32(s);
    for (auto s : t.stride) out.u64(static_cast<std::uint64_t>(s));
    out.text(image.template_names.empty() ? std::string_view() : std::string_view(image.template_names[i]));
  }
}
void get_templates(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(3 + 8 + max_rank * 12 + 4);
  bool named = false;
  for (std::size_t i = 0; i < n; ++i) {
    ViewTemplate t;
    t.space = static_cast<Space>(in.u8());
    t.dtype = static_cast<DType>(in.u8());
    t.rank = in.u8();
    t.base = in.u64();
    for (auto& s : t.size) s = in.u32();
    for (auto& s : t.stride) s = static_cast<std::int64_t>(in.u64());
    image.templates.push_back(t);
    image.template_names.push_back(in.text());
    named = named || !image.template_names.back().empty();
  }
  if (!named) image.template_names.clear();
}

void put_constants(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.constants.size()));
  for (const Constant& c : image.constants) {
    out.text(c.name);
    out.u32(static_cast<std::uint32_t>(c.bytes.size()));
    out.raw(c.bytes);
  }
}
void get_constants(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(8);
  for (std::size_t i = 0; i < n; ++i) {
    Constant c;
    c.name = in.text();
    const std::size_t size = in.u32();
    const std::uint8_t* p = in.take(size);
    c.bytes.assign(p, p + size);
    image.constants.push_back(std::move(c));
  }
}

void put_code(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.code.size()));
  for (const Word& w : image.code) {
    out.u64(w.lo);
    out.u64(w.hi);
  }
}
void get_code(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(16);
  image.code.resize(n);
  for (Word& w : image.code) {
    w.lo = in.u64();
    w.hi = in.u64();
  }
}

void put_entries(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.entries.size()));
  for (const Entry& e : image.entries) {
    out.text(e.name);
    out.u32(e.instruction);
    out.u32(e.arguments);
  }
}
void get_entries(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(12);
  for (std::size_t i = 0; i < n; ++i) {
    Entry e;
    e.name = in.text();
    e.instruction = in.u32();
    e.arguments = in.u32();
    image.entries.push_back(std::move(e));
  }
}

void put_files(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.files.size()));
  for (const auto& f : image.files) out.text(f);
}
void get_files(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(4);
  for (std::size_t i = 0; i < n; ++i) image.files.push_back(in.text());
}

void put_lines(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.lines.size()));
  for (const DebugLine& l : image.lines) {
    out.u32(l.instruction);
    out.u32(l.file);
    out.u32(l.line);
  }
}
void get_lines(ByteReader& in, ProgramImage& image) {
  image.lines.resize(in.count(12));
  for (DebugLine& l : image.lines) {
    l.instruction = in.u32();
    l.file = in.u32();
    l.line = in.u32();
  }
}

void put_scopes(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.scopes.size()));
  for (const Scope& s : image.scopes) {
    out.text(s.name);
    out.u32(s.begin);
    out.u32(s.end);
  }
}
void get_scopes(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(12);
  for (std::size_t i = 0; i < n; ++i) {
    Scope s;
    s.name = in.text();
    s.begin = in.u32();
    s.end = in.u32();
    image.scopes.push_back(std::move(s));
  }
}

void put_allows(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.allows.size()));
  for (const Allow& a : image.allows) {
    out.text(a.hazard);
    out.text(a.reason);
    for (const std::uint32_t v : {a.begin, a.end, a.file, a.line}) out.u32(v);
  }
}
void get_allows(ByteReader& in, ProgramImage& image) {
  const std::size_t n = in.count(24);
  for (std::size_t i = 0; i < n; ++i) {
    Allow a;
    a.hazard = in.text();
    a.reason = in.text();
    for (std::uint32_t* v : {&a.begin, &a.end, &a.file, &a.line}) *v = in.u32();
    image.allows.push_back(std::move(a));
  }
}

void put_tiles(ByteWriter& out, const ProgramImage& image) {
  out.u32(static_cast<std::uint32_t>(image.tiles.size()));
  for (const TileInfo& t : image.tiles) {
    out.u8(static_cast<std::uint8_t>(t.space));
    out.u64(t.base);
    out.u64(t.slot_bytes);
    for (const std::uint32_t v : {t.slots, t.file, t.line}) out.u32(v);
  }
  out.u32(static_cast<std::uint32_t>(image.uses.size()));
  for (const TileUse& u : image.uses) {
    out.u32(u.instruction);
    out.u8(static_cast<std::uint8_t>(u.operand));
    out.u8(u.fresh ? 1 : 0);
    out.u32(u.tile);
  }
}
void get_tiles(ByteReader& in, ProgramImage& image) {
  const std::size_t tiles = in.count(29);
  for (std::size_t i = 0; i < tiles; ++i) {
    TileInfo t;
    t.space = static_cast<Space>(in.u8());
    t.base = in.u64();
    t.slot_bytes = in.u64();
    for (std::uint32_t* v : {&t.slots, &t.file, &t.line}) *v = in.u32();
    image.tiles.push_back(t);
  }
  const std::size_t uses = in.count(10);
  for (std::size_t i = 0; i < uses; ++i) {
    TileUse u;
    u.instruction = in.u32();
    u.operand = static_cast<ViewOperand>(in.u8());
    const std::uint8_t fresh = in.u8();
    if (fresh > 1) damaged("a tile's use is marked {}", fresh);
    u.fresh = fresh == 1;
    u.tile = in.u32();
    image.uses.push_back(u);
  }
}

void put_name(ByteWriter& out, const ProgramImage& image) { out.text(image.name); }
void get_name(ByteReader& in, ProgramImage& image) { image.name = in.text(); }

struct Section {
  std::string_view name;
  void (*put)(ByteWriter&, const ProgramImage&);
  void (*get)(ByteReader&, ProgramImage&);
  bool (*absent)(const ProgramImage&) = nullptr;  // null: it is always there
};
// A section's id is its place here, from 1.
constexpr std::array<Section, 11> sections{
    {{"name", put_name, get_name},
     {"code", put_code, get_code},
     {"view templates", put_templates, get_templates},
     {"constants", put_constants, get_constants},
     {"entries", put_entries, get_entries},
     {"files", put_files, get_files},
     {"debug lines", put_lines, get_lines},
     {"scopes", put_scopes, get_scopes},
     {"prints", put_prints, get_prints, [](const ProgramImage& image) { return image.prints.empty(); }},
     {"allowed hazards", put_allows, get_allows, [](const ProgramImage& image) { return image.allows.empty(); }},
     {"tiles", put_tiles, get_tiles, [](const ProgramImage& image) { return image.tiles.empty(); }}}};

bool is_absent(const Section& section, const ProgramImage& image) {
  return section.absent != nullptr && section.absent(image);
}

}  // namespace

std::uint64_t table_hash() {
  static const std::uint64_t hash = [] {
    std::uint64_t h = fnv_start;
    for (const InstructionInfo& row : instruction_table) {
      h = fnv_step(fnv(h, row.mnemonic), static_cast<std::uint8_t>(row.op));
      for (const Field& f : fields_of(row.format)) {
        h = fnv(h, f.name);
        for (int v :
             {static_cast<int>(f.id), static_cast<int>(f.lsb), static_cast<int>(f.width), static_cast<int>(f.kind)})
          h = fnv_step(h, static_cast<std::uint8_t>(v));
      }
    }
    h = hash_names(hash_names(hash_names(hash_names(h, csr_names), vpu_fn_names), row_reduce_names), space_names);
    for (const DTypeInfo& d : dtype_infos) h = fnv(h, d.name);
    return h;
  }();
  return hash;
}

std::vector<std::uint8_t> serialize(const ProgramImage& image) {
  verify(image);
  ByteWriter out;
  for (std::uint8_t b : magic) out.u8(b);
  out.u32(isa_version);
  out.u32(static_cast<std::uint32_t>(
      std::count_if(sections.begin(), sections.end(), [&](const Section& s) { return !is_absent(s, image); })));
  out.u64(table_hash());
  const std::size_t size_at = out.bytes().size();
  out.u64(0);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (is_absent(sections[i], image)) continue;
    out.u32(static_cast<std::uint32_t>(i + 1));
    out.u32(0);
    const std::size_t length_at = out.bytes().size();
    out.u64(0);
    sections[i].put(out, image);
    out.patch_u64(length_at, out.bytes().size() - length_at - 8);
  }
  out.patch_u64(size_at, out.bytes().size() + checksum_bytes);
  out.u64(fnv(fnv_start, out.bytes().data(), out.bytes().size()));
  return out.take();
}

ProgramImage deserialize(const std::uint8_t* data, std::size_t size) {
  if (size < magic.size() || !std::equal(magic.begin(), magic.end(), data))
    fail(ErrorKind::bad_input, "HDL-IMG-01", "not a Heddle program image (the first bytes are not its magic)");
  ByteReader in(data + magic.size(), size - magic.size(), "header");
  const std::uint32_t version = in.u32();
  const std::uint32_t section_count = in.u32();
  const std::uint64_t hash = in.u64();
  const std::uint64_t file_size = in.u64();
  if (version != isa_version || hash != table_hash())
    fail(ErrorKind::bad_input, "HDL-IMG-02",
         "image was made for ISA version {} (table {:016x}); this build has version {} (table {:016x})", version, hash,
         isa_version, table_hash());
  if (file_size != size) damaged("{} bytes long, but its header says {}", size, file_size);
  if (size < header_bytes + checksum_bytes) damaged("only {} bytes long", size);
  ByteReader tail(data + size - checksum_bytes, checksum_bytes, "checksum");
  if (tail.u64() != fnv(fnv_start, data, size - checksum_bytes)) damaged("the checksum does not match");
  if (section_count > sections.size()) damaged("{} sections (at most {})", section_count, sections.size());
  ByteReader body(data + header_bytes, size - header_bytes - checksum_bytes, "section list");
  ProgramImage image;
  std::size_t next = 0;  // section that may come
  for (std::uint32_t n = 0; n < section_count; ++n, ++next) {
    const std::uint32_t id = body.u32();
    const std::uint32_t zero = body.u32();
    const std::uint64_t length = body.u64();
    while (next < sections.size() && id > next + 1 && sections[next].absent != nullptr) ++next;
    if (next == sections.size() || id != next + 1 || zero != 0)
      damaged("section {} where {} was expected", id, next + 1);
    ByteReader section(body.take(length), length, sections[next].name);
    sections[next].get(section, image);
    section.expect_end();
    if (is_absent(sections[next], image)) damaged("an empty section of {}", sections[next].name);
  }
  for (; next < sections.size(); ++next)
    if (sections[next].absent == nullptr) damaged("section {} is missing", next + 1);
  body.expect_end();
  verify(image);
  return image;
}

std::span<const TileUse> uses_of(const ProgramImage& image, std::uint32_t instruction) {
  const auto before = [](const TileUse& u, std::uint32_t at) { return u.instruction < at; };
  const auto first = std::lower_bound(image.uses.begin(), image.uses.end(), instruction, before);
  auto last = first;
  while (last != image.uses.end() && last->instruction == instruction) ++last;
  return {first, last};
}

SourceLine source_of(const ProgramImage& image, std::uint32_t instruction) {
  if (instruction >= image.code.size()) return {};
  auto next = std::upper_bound(image.lines.begin(), image.lines.end(), instruction,
                               [](std::uint32_t at, const DebugLine& l) { return at < l.instruction; });
  if (next == image.lines.begin()) return {};
  --next;
  if (next->file >= image.files.size()) return {};
  return {image.files[next->file], next->line};
}

}  // namespace heddle::isa
