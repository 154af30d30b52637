// SPDX-License-Identifier: Apache-2.0
#include "isa/asm/operands.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "isa/asm/format.hpp"
#include "isa/base/nearest.hpp"
#include "isa/codec/codec.hpp"

namespace heddle::isa {

std::optional<std::uint32_t> numbered(std::string_view text, char prefix, std::uint32_t count) {
  if (text.size() < 2 || text.size() > 6 || text[0] != prefix) return std::nullopt;
  std::uint32_t n = 0;
  for (char c : text.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (n >= count || (text.size() > 2 && text[1] == '0')) return std::nullopt;
  return n;
}

namespace {

class Parser {
 public:
  Parser(Cursor& cursor, const Symbols& symbols, std::size_t code_size, std::size_t template_count)
      : cursor_(cursor), symbols_(symbols), code_size_(code_size), template_count_(template_count) {}

  Instruction run() {
    mnemonic_ = cursor_.peek();
    row_ = find_mnemonic(cursor_.expect_name("an instruction"));
    if (row_ == nullptr) unknown_mnemonic();
    in_.op = row_->op;
    fields_ = fields_of(row_->format);
    for (const Field& f : fields_) {
      in_[f.id] = f.usual;
      has_sync_ = has_sync_ || f.syntax == Syntax::sync;
    }
    bool first = true;
    while (!cursor_.at_end()) {
      const bool comma = !first && cursor_.accept(',');
      if (has_sync_ && (cursor_.peek().is("wait") || cursor_.peek().is("post"))) {
        clause();
      } else {
        if (!first && !comma)
          cursor_.expected(has_sync_ ? "',', 'wait', 'post' or the end of the line" : "',' or the end of the line");
        operand();
      }
      first = false;
    }
    check_complete();
    return in_;
  }

 private:
  [[noreturn]] void unknown_mnemonic() {
    std::vector<std::string_view> names;
    for (const InstructionInfo& r : instruction_table) names.push_back(r.mnemonic);
    cursor_.text().fail(mnemonic_.place, "HDL-ASM-03", "unknown instruction '{}'{}", mnemonic_.spelling.substr(0, 64),
                        did_you_mean(mnemonic_.spelling, names));
  }

  void operand() {
    const Token& t = cursor_.peek();
    if (t.kind == TokenKind::name && cursor_.peek(1).is('=')) return keyed();
    if (t.kind == TokenKind::name)
      for (const Field& f : fields_)
        if (f.syntax == Syntax::word && f.name == t.spelling) {
          claim(f, t.place);
          cursor_.next();
          in_[f.id] = 1;
          return;
        }
    std::size_t seen = 0;
    for (const Field& f : fields_) {
      if (f.syntax != Syntax::positional || seen++ != positional_) continue;
      ++positional_;
      in_[f.id] = value(f);
      return;
    }
    cursor_.text().fail(t.place, "HDL-ASM-05", "{} has no operand here; it takes {}", row_->mnemonic, signature(*row_));
  }

  void keyed() {
    const Token& key = cursor_.next();
    const auto field = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) {
      return f.syntax == Syntax::keyed && f.name == key.spelling;
    });
    if (field == fields_.end()) {
      std::vector<std::string_view> names;
      for (const Field& f : fields_)
        if (f.syntax == Syntax::keyed) names.push_back(f.name);
      cursor_.text().fail(key.place, "HDL-ASM-05", "{} has no operand '{}='; it takes {}{}", row_->mnemonic,
                          key.spelling.substr(0, 64), signature(*row_), did_you_mean(key.spelling, names));
    }
    claim(*field, key.place);
    cursor_.expect('=', "after the operand's name");
    in_[field->id] = value(*field);
  }

  void claim(const Field& f, Place place) {
    bool& taken = given_[static_cast<std::size_t>(f.id)];
    if (taken) cursor_.text().fail(place, "HDL-ASM-05", "'{}' is given twice", f.name);
    taken = true;
  }

  std::int64_t value(const Field& f) {
    const FieldRange range = range_of(f);
    switch (f.kind) {
      case FieldKind::x_reg:
        return reg('x', 32, f, "a scalar register, x0 .. x31,");
      case FieldKind::v_reg:
        return reg('v', 32, f, "a view register, v0 .. v31,");
      case FieldKind::v_reg_optional:
        return reg('v', 32, f, "a view register, v0 .. v31,") + 1;
      case FieldKind::sem:
        return reg('s', 64, f, "a semaphore, s0 .. s63,");
      case FieldKind::fp32_bits:
        return evaluate_float_bits(cursor_, symbols_);
      case FieldKind::enum_csr:
        return one_of(csr_names, f);
      case FieldKind::enum_fn:
        return one_of(vpu_fn_names, f);
      case FieldKind::enum_reduce:
        return one_of(row_reduce_names, f);
      case FieldKind::view_template:
        return view_template();
      case FieldKind::code_target:
        return target(f);
      default:
        return evaluate_integer(cursor_, symbols_, range.low, range.high, f.name);
    }
  }

  std::int64_t reg(char prefix, std::uint32_t count, const Field& f, std::string_view what) {
    const Token& t = cursor_.peek();
    const auto n = t.kind == TokenKind::name ? numbered(t.spelling, prefix, count) : std::nullopt;
    if (!n) cursor_.expected(fmt::format("{} as {}", what, f.name));
    cursor_.next();
    return *n;
  }

  template <std::size_t N>
  std::int64_t one_of(const std::array<std::string_view, N>& names, const Field& f) {
    const Token& t = cursor_.peek();
    for (std::size_t i = 0; t.kind == TokenKind::name && i < N; ++i)
      if (t.spelling == names[i]) {
        cursor_.next();
        return static_cast<std::int64_t>(i);
      }
    cursor_.expected(fmt::format("{} as {}", fmt::join(names, ", "), f.name));
  }

  std::int64_t view_template() {
    const Token& t = cursor_.peek();
    if (t.kind != TokenKind::name && t.kind != TokenKind::text) {
      const auto last = static_cast<std::int64_t>(template_count_) - 1;
      return evaluate_integer(cursor_, symbols_, 0, last, "template number");
    }
    const std::string name = cursor_.expect_name("a view's name");
    const auto found = symbols_.views.find(name);
    if (found == symbols_.views.end())
      cursor_.text().fail(t.place, "HDL-ASM-04", "unknown view '{}' (expected a name from a .view directive){}",
                          name.substr(0, 64), did_you_mean(name, symbols_.view_names()));
    if (found->second.times > 1)
      cursor_.text().fail(t.place, "HDL-ASM-07", "'{}' names {} views (use a view's number)", name.substr(0, 64),
                          found->second.times);
    return found->second.index;
  }

  std::int64_t target(const Field& f) {
    const Token t = cursor_.peek();
    std::int64_t at = 0;
    if (t.kind == TokenKind::name || t.kind == TokenKind::text) {
      const std::string name = cursor_.expect_name("a label");
      const auto found = symbols_.labels.find(name);
      if (found == symbols_.labels.end())
        cursor_.text().fail(t.place, "HDL-ASM-04", "unknown label '{}'{}", name.substr(0, 64),
                            did_you_mean(name, symbols_.label_names()));
      at = found->second.instruction;
    } else {
      at = evaluate_integer(cursor_, symbols_, 0, range_of(f).high, f.name);
    }
    if (static_cast<std::size_t>(at) >= code_size_)
      cursor_.text().fail(t.place, "HDL-ASM-06", "target {} is past the last of {} instructions", at, code_size_);
    return at;
  }

  bool at_semaphore(std::size_t ahead) const {
    const Token& t = cursor_.peek(ahead);
    return t.kind == TokenKind::name && (t.is("_") || numbered(t.spelling, 's', 64));
  }

  // `wait s1:2, s3`; `_` leaves a place empty. A count that is not given is 1.
  void clause() {
    const Token& word = cursor_.next();
    const bool waits = word.is("wait");
    bool& taken = waits ? waits_given_ : posts_given_;
    if (taken) cursor_.text().fail(word.place, "HDL-ASM-05", "'{}' is given twice", word.spelling);
    taken = true;
    static constexpr std::array<std::array<FieldId, 4>, 2> places{
        {{FieldId::post0_sem, FieldId::post0_n, FieldId::post1_sem, FieldId::post1_n},
         {FieldId::wait0_sem, FieldId::wait0_n, FieldId::wait1_sem, FieldId::wait1_n}}};
    const auto& ids = places[waits ? 1 : 0];
    for (std::size_t i = 0;; i += 2) {
      if (i == 4)
        cursor_.text().fail(cursor_.peek().place, "HDL-ASM-05", "an instruction has two places to {}", word.spelling);
      if (!at_semaphore(0)) cursor_.expected("a semaphore, s0 .. s63, or _ for none");
      const Token& t = cursor_.next();
      if (!t.is("_")) {
        in_[ids[i]] = *numbered(t.spelling, 's', 64);
        in_[ids[i + 1]] = cursor_.accept(':') ? count(ids[i + 1]) : 1;
      }
      if (!cursor_.peek().is(',') || !at_semaphore(1)) return;
      cursor_.next();
    }
  }

  std::int64_t count(FieldId id) {
    const auto field = std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.id == id; });
    return evaluate_integer(cursor_, symbols_, 1, range_of(*field).high, "count");
  }

  void check_complete() {
    std::size_t wanted = 0;
    for (const Field& f : fields_) wanted += f.syntax == Syntax::positional ? 1u : 0u;
    if (positional_ != wanted)
      cursor_.text().fail(cursor_.peek().place, "HDL-ASM-05", "{} lacks {} of its operands; it takes {}",
                          row_->mnemonic, wanted - positional_, signature(*row_));
  }

  Cursor& cursor_;
  const Symbols& symbols_;
  std::size_t code_size_;
  std::size_t template_count_;
  Token mnemonic_;
  const InstructionInfo* row_ = nullptr;
  std::span<const Field> fields_;
  Instruction in_;
  std::array<bool, field_count> given_{};
  std::size_t positional_ = 0;
  bool has_sync_ = false;
  bool waits_given_ = false;
  bool posts_given_ = false;
};

}  // namespace

const InstructionInfo* find_mnemonic(std::string_view mnemonic) {
  static const auto rows = [] {
    std::map<std::string_view, const InstructionInfo*> map;
    for (const InstructionInfo& r : instruction_table) map.emplace(r.mnemonic, &r);
    return map;
  }();
  const auto found = rows.find(mnemonic);
  return found == rows.end() ? nullptr : found->second;
}

Instruction parse_instruction(Cursor& cursor, const Symbols& symbols, std::size_t code_size,
                              std::size_t template_count) {
  return Parser(cursor, symbols, code_size, template_count).run();
}

}  // namespace heddle::isa
