// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/codec.hpp"

#include "isa/base/error.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint64_t low_mask(int width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

std::uint64_t extract(Word w, const Field& f) {
  std::uint64_t v = 0;
  if (f.lsb >= 64) {
    v = w.hi >> (f.lsb - 64);
  } else {
    v = w.lo >> f.lsb;
    if (f.lsb + f.width > 64) v |= w.hi << (64 - f.lsb);
  }
  return v & low_mask(f.width);
}

void insert(Word& w, const Field& f, std::uint64_t v) {
  if (f.lsb >= 64) {
    w.hi |= v << (f.lsb - 64);
  } else {
    w.lo |= v << f.lsb;
    if (f.lsb + f.width > 64) w.hi |= v >> (64 - f.lsb);
  }
}

bool is_signed(const Field& f) { return f.kind == FieldKind::imm_signed; }

bool fits(const Field& f, std::int64_t v) {
  const FieldRange range = range_of(f);
  return v >= range.low && v <= range.high;
}

std::int64_t sign_extend(std::uint64_t v, int width) {
  if (width >= 64) return static_cast<std::int64_t>(v);
  const std::uint64_t sign = 1ull << (width - 1);
  return static_cast<std::int64_t>((v ^ sign) - sign);
}

// Number of named values of an enum field, or 0 when every value is fine.
std::size_t names_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::enum_csr:
      return csr_names.size();
    case FieldKind::enum_fn:
      return vpu_fn_names.size();
    case FieldKind::enum_reduce:
      return row_reduce_names.size();
    case FieldKind::v_reg_optional:
      return 33;  // absent, or one of 32
    default:
      return 0;
  }
}

// A count of zero means "no wait": its semaphore number must then be zero, so that each meaning has one encoding.
void check_sync(const Instruction& in, FieldId sem, FieldId n) {
  if (in[n] == 0 && in[sem] != 0)
    fail(ErrorKind::bad_input, "HDL-ISA-05", "{}: semaphore s{} with a count of zero", info(in.op).mnemonic, in[sem]);
}

void check_values(const Instruction& in) {
  for (const Field& f : fields_of(info(in.op).format)) {
    const std::size_t names = names_of(f.kind);
    if (names != 0 && static_cast<std::uint64_t>(in[f.id]) >= names)
      fail(ErrorKind::bad_input, "HDL-ISA-04", "{}: {} = {} has no meaning (expected below {})", info(in.op).mnemonic,
           f.name, in[f.id], names);
  }
  check_sync(in, FieldId::wait0_sem, FieldId::wait0_n);
  check_sync(in, FieldId::wait1_sem, FieldId::wait1_n);
  check_sync(in, FieldId::post0_sem, FieldId::post0_n);
  check_sync(in, FieldId::post1_sem, FieldId::post1_n);
}

}  // namespace

FieldRange range_of(const Field& f) {
  if (is_signed(f)) {
    const auto high = static_cast<std::int64_t>(low_mask(f.width - 1));
    return {-high - 1, high};
  }
  return {0, static_cast<std::int64_t>(low_mask(f.width))};
}

Word encode(const Instruction& in) {
  Word w{static_cast<std::uint8_t>(in.op), 0};
  const InstructionInfo* row = find_instruction(static_cast<std::uint8_t>(in.op));
  if (row == nullptr)
    fail(ErrorKind::bad_input, "HDL-ISA-01", "unknown opcode {:#04x}", static_cast<std::uint8_t>(in.op));
  std::array<bool, field_count> known{};
  for (const Field& f : fields_of(row->format)) {
    known[static_cast<std::size_t>(f.id)] = true;
    if (!fits(f, in[f.id]))
      fail(ErrorKind::bad_input, "HDL-ISA-02", "{}: {} = {} does not fit {} bits", row->mnemonic, f.name, in[f.id],
           f.width);
    insert(w, f, static_cast<std::uint64_t>(in[f.id]) & low_mask(f.width));
  }
  for (std::size_t i = 0; i < field_count; ++i)
    if (!known[i] && in.fields[i] != 0)
      fail(ErrorKind::bad_input, "HDL-ISA-02", "{}: sets a field that its format does not have", row->mnemonic);
  check_values(in);
  return w;
}

Instruction decode(Word w) {
  const auto opcode = static_cast<std::uint8_t>(w.lo & 0xff);
  const InstructionInfo* row = find_instruction(opcode);
  if (row == nullptr) fail(ErrorKind::bad_input, "HDL-ISA-01", "unknown opcode {:#04x}", opcode);
  Instruction in;
  in.op = row->op;
  Word rest = w;
  rest.lo &= ~0xffull;
  for (const Field& f : fields_of(row->format)) {
    const std::uint64_t raw = extract(w, f);
    in[f.id] = is_signed(f) ? sign_extend(raw, f.width) : static_cast<std::int64_t>(raw);
    Word owned;
    insert(owned, f, low_mask(f.width));
    rest.lo &= ~owned.lo;
    rest.hi &= ~owned.hi;
  }
  if (rest != Word{})
    fail(ErrorKind::bad_input, "HDL-ISA-03", "{}: reserved bits set ({:#x}:{:#x})", row->mnemonic, rest.hi, rest.lo);
  check_values(in);
  return in;
}

}  // namespace heddle::isa
