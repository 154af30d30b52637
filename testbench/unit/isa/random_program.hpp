// SPDX-License-Identifier: Apache-2.0
// Random instructions and images that satisfy verify(): the stimulus of the round-trip tests.
#pragma once
#include <random>
#include <string>

#include "isa/image/hazards.hpp"
#include "isa/image/image.hpp"

namespace heddle::isa::test {

using Random = std::mt19937_64;

// `low`..`high`, both included. Not std::uniform_int_distribution: its values differ between standard libraries.
inline std::uint64_t between(Random& r, std::uint64_t low, std::uint64_t high) { return low + r() % (high - low + 1); }

// Any encodable instruction of a row; targets below `code_size`, templates below `templates`.
inline Instruction random_instruction(Random& r, const InstructionInfo& row, std::size_t code_size,
                                      std::size_t templates) {
  Instruction in;
  in.op = row.op;
  for (const Field& f : fields_of(row.format)) {
    const FieldRange range = range_of(f);
    std::uint64_t v = r();
    if (r() % 8 == 0) v = 0;
    const auto width = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
    std::int64_t value = width + 1 == 0
                             ? static_cast<std::int64_t>(v)
                             : static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) + v % (width + 1));
    if (f.kind == FieldKind::code_target) value = static_cast<std::int64_t>(v % code_size);
    if (f.kind == FieldKind::view_template) value = static_cast<std::int64_t>(v % templates);
    if (f.kind == FieldKind::enum_csr) value = static_cast<std::int64_t>(v % csr_names.size());
    if (f.kind == FieldKind::enum_fn) value = static_cast<std::int64_t>(v % vpu_fn_names.size());
    if (f.kind == FieldKind::enum_reduce) value = static_cast<std::int64_t>(v % row_reduce_names.size());
    if (f.kind == FieldKind::v_reg_optional) value = static_cast<std::int64_t>(v % 33);
    in[f.id] = value;
  }
  using F = FieldId;
  for (const auto& [sem, n] : {std::pair{F::wait0_sem, F::wait0_n},
                               {F::wait1_sem, F::wait1_n},
                               {F::post0_sem, F::post0_n},
                               {F::post1_sem, F::post1_n}})
    if (in[n] == 0) in[sem] = 0;
  return in;
}

inline std::string random_text(Random& r, bool may_be_empty) {
  static const std::string plain = "abcXYZ_.09";
  using namespace std::string_literals;  // a length that counts the zero byte by itself
  static const std::string any = "a \"\\;:,\t\n\r\x01\x7f\xc3\xa9[]=#-\0"s;
  const std::string& from = r() % 2 == 0 ? plain : any;
  std::string out;
  for (std::uint64_t n = between(r, may_be_empty ? 0 : 1, 8); n > 0; --n) out += from[r() % from.size()];
  return out;
}

inline ViewTemplate random_template(Random& r) {
  ViewTemplate t;
  t.space = static_cast<Space>(r() % space_names.size());
  t.dtype = static_cast<DType>(r() % dtype_count);
  t.rank = static_cast<std::uint8_t>(between(r, 1, max_rank));
  if (r() % 2 == 0) t.base = r() % 100000;
  std::int64_t step = 1;
  for (std::size_t d = t.rank; d-- > 0;) {
    t.size[d] = static_cast<std::uint32_t>(r() % 100);
    t.stride[d] = step;
    step *= t.size[d];
  }
  if (r() % 3 == 0)
    for (std::size_t d = 0; d < t.rank; ++d) t.stride[d] = static_cast<std::int64_t>(r() % 2000) - 1000;
  return t;
}

inline void add_scopes(Random& r, ProgramImage& image, std::uint32_t begin, std::uint32_t end, int depth) {
  while (depth > 0 && r() % 3 != 0) {
    const auto from = static_cast<std::uint32_t>(between(r, begin, end));
    const auto to = static_cast<std::uint32_t>(between(r, from, end));
    image.scopes.push_back({random_text(r, true), from, to});
    add_scopes(r, image, from, to, depth - 1);
    begin = to;
  }
}

inline PrintStep random_print(Random& r, const ProgramImage& image, std::uint32_t at) {
  const auto value = [&]() { return static_cast<PrintValue>(r() % 3 == 0 ? 0 : r() % 100); };
  PrintStep s;
  s.kind = static_cast<PrintStep::Kind>(r() % 4);
  s.instruction = at;
  s.anyhow = r() % 2 == 0;
  if (!s.anyhow) {
    s.falls = r() % 2 == 0;
    for (std::uint32_t j = 0; j < image.code.size(); ++j)
      if (r() % 8 == 0) s.jumps.push_back(j);
  }
  if (s.kind == PrintStep::Kind::keep) {
    do {
      s.op = instruction_table[r() % instruction_table.size()].op;
    } while (!is_print_operation(s.op));
    s.target = static_cast<PrintValue>(between(r, 32, 99));
    s.a = s.op == Opcode::ld ? 0 : value();
    s.b = value();
    s.imm = s.op == Opcode::ld         ? static_cast<std::int64_t>(r() % 64 * 8)
            : s.op == Opcode::csr_read ? static_cast<std::int64_t>(r() % csr_names.size())
                                       : static_cast<std::int64_t>(r());
    return s;
  }
  s.label = random_text(r, true);
  s.full = r() % 2 == 0;
  if (!image.files.empty() && r() % 2 == 0) {
    s.file = static_cast<std::uint32_t>(r() % image.files.size());
    s.line = static_cast<std::uint32_t>(between(r, 1, 9999));
  }
  s.view = static_cast<std::uint32_t>(s.kind == PrintStep::Kind::view ? r() % image.templates.size() : r() % 32);
  if (s.kind == PrintStep::Kind::scalar) s.view = 0;
  if (s.kind != PrintStep::Kind::view_register) s.a = value();
  if (s.kind != PrintStep::Kind::view) return s;
  s.imm = static_cast<std::int32_t>(r());
  for (PrintValue& v : s.size) v = value();
  for (PrintValue& v : s.stride) v = value();
  s.remote = r() % 2 == 0;
  if (s.remote) {
    s.core = value();
    s.chip = value();
  }
  return s;
}

inline void add_prints(Random& r, ProgramImage& image) {
  if (r() % 2 == 0) return;
  for (std::uint32_t i = 0; i < image.code.size(); ++i)
    for (int more = 0; r() % 4 == 0 && more < 3; ++more) image.prints.push_back(random_print(r, image, i));
}

inline void add_allows(Random& r, ProgramImage& image, std::uint32_t begin, std::uint32_t end, int depth) {
  while (depth > 0 && r() % 3 == 0) {
    const auto from = static_cast<std::uint32_t>(between(r, begin, end));
    const auto to = static_cast<std::uint32_t>(between(r, from, end));
    Allow a{std::string(allowable_hazards[r() % allowable_hazards.size()]), "r" + random_text(r, true), from, to, 0, 0};
    if (!image.files.empty() && r() % 2 == 0) {
      a.file = static_cast<std::uint32_t>(r() % image.files.size());
      a.line = static_cast<std::uint32_t>(between(r, 1, 0xffff'ffff));
    }
    image.allows.push_back(std::move(a));
    add_allows(r, image, from, to, depth - 1);
    begin = to;
  }
}

inline void add_tiles(Random& r, ProgramImage& image) {
  for (std::uint64_t n = r() % 4; n > 0; --n) {
    TileInfo t{static_cast<Space>(between(r, 1, space_names.size() - 1)),
               r() % 100000,
               between(r, 1, 100000),
               static_cast<std::uint32_t>(between(r, 1, 5)),
               0,
               0};
    if (!image.files.empty() && r() % 2 == 0) {
      t.file = static_cast<std::uint32_t>(r() % image.files.size());
      t.line = static_cast<std::uint32_t>(between(r, 1, 0xffff'ffff));
    }
    image.tiles.push_back(t);
  }
  for (std::uint32_t i = 0; !image.tiles.empty() && i < image.code.size(); ++i) {
    if (!is_engine(info(decode(image.code[i]).op).unit)) continue;
    for (int operand = 0; operand < 4; ++operand)
      if (r() % 3 == 0)
        image.uses.push_back(
            {i, static_cast<ViewOperand>(operand), r() % 3 == 0, static_cast<std::uint32_t>(r() % image.tiles.size())});
  }
}

inline ProgramImage random_image(Random& r) {
  ProgramImage image;
  image.name = random_text(r, true);
  const std::size_t code_size = between(r, 1, 60);
  const bool named = r() % 2 == 0;
  for (std::uint64_t n = between(r, 1, 6); n > 0; --n) {
    image.templates.push_back(random_template(r));
    if (named) image.template_names.push_back(random_text(r, true));
  }
  for (std::size_t i = 0; i < code_size; ++i)
    image.code.push_back(encode(
        random_instruction(r, instruction_table[r() % instruction_table.size()], code_size, image.templates.size())));
  for (std::uint64_t n = r() % 4; n > 0; --n) {
    Constant c{random_text(r, true), {}};
    for (std::uint64_t b = r() % 100; b > 0; --b) c.bytes.push_back(r() % 3 == 0 ? static_cast<std::uint8_t>(r()) : 0);
    image.constants.push_back(std::move(c));
  }
  for (std::uint64_t n = between(r, 1, 4); n > 0; --n)
    image.entries.push_back({random_text(r, false) + std::to_string(n), static_cast<std::uint32_t>(r() % code_size),
                             static_cast<std::uint32_t>(r() % 3)});
  for (std::uint64_t n = r() % 3; n > 0; --n) image.files.push_back(random_text(r, true));
  for (std::uint32_t i = 0; !image.files.empty() && i < code_size; ++i)
    if (r() % 3 == 0)
      image.lines.push_back({i, static_cast<std::uint32_t>(r() % image.files.size()), static_cast<std::uint32_t>(r())});
  add_scopes(r, image, 0, static_cast<std::uint32_t>(code_size), 3);
  add_prints(r, image);
  add_allows(r, image, 0, static_cast<std::uint32_t>(code_size), 3);
  add_tiles(r, image);
  return image;
}

}  // namespace heddle::isa::test
