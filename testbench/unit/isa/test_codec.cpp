// SPDX-License-Identifier: Apache-2.0
// Properties of encode and decode over every row of the table. Exact bits: test_encodings.cpp.
#include "isa/codec/codec.hpp"

#include <string>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/isa/random_program.hpp"

using namespace heddle;
using namespace heddle::isa;

namespace {

template <class F>
std::string id_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.id();
  }
  return "none";
}

}  // namespace

TEST_CASE("every instruction decodes to what was encoded") {
  test::Random r(1);
  for (const InstructionInfo& row : instruction_table) {
    CAPTURE(row.mnemonic);
    for (int i = 0; i < 500; ++i) {
      const Instruction in = test::random_instruction(r, row, 0xffffffff, 0x10000);
      if (!(decode(encode(in)) == in)) FAIL("round trip of " << row.mnemonic);
    }
  }
}

TEST_CASE("each bit of a word either means something or is refused") {
  test::Random r(2);
  for (const InstructionInfo& row : instruction_table) {
    CAPTURE(row.mnemonic);
    for (int i = 0; i < 20; ++i) {
      const Word word = encode(test::random_instruction(r, row, 0xffffffff, 0x10000));
      for (int bit = 0; bit < 128; ++bit) {
        Word flipped = word;
        (bit < 64 ? flipped.lo : flipped.hi) ^= 1ull << (bit % 64);
        try {
          if (!(encode(decode(flipped)) == flipped)) FAIL("bit " << bit << " of " << row.mnemonic << " is lost");
        } catch (const Error& e) {
          if (e.id().substr(0, 8) != "HDL-ISA-") FAIL("bit " << bit << ": " << e.what());
        }
      }
    }
  }
}

TEST_CASE("random words decode to something that encodes back or are refused") {
  test::Random r(3);
  int decoded = 0;
  for (int i = 0; i < 200000; ++i) {
    Word word{r() & r() & r(), r() & r() & r() & r()};
    try {
      const Instruction in = decode(word);
      ++decoded;
      if (!(encode(in) == word)) FAIL(word.hi << ":" << word.lo);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::bad_input) FAIL(e.what());
    }
  }
  CHECK(decoded > 100);
}

TEST_CASE("what cannot be encoded is refused") {
  Instruction in;
  in.op = Opcode::addi;
  in[FieldId::imm] = std::int64_t{1} << 31;
  CHECK(id_of([&] { encode(in); }) == "HDL-ISA-02");
  in[FieldId::imm] = -(std::int64_t{1} << 31);
  CHECK(id_of([&] { encode(in); }) == "none");
  in[FieldId::imm] -= 1;
  CHECK(id_of([&] { encode(in); }) == "HDL-ISA-02");
  in[FieldId::imm] = 0;
  in[FieldId::rd] = 32;
  CHECK(id_of([&] { encode(in); }) == "HDL-ISA-02");
  in[FieldId::rd] = -1;
  CHECK(id_of([&] { encode(in); }) == "HDL-ISA-02");
  in[FieldId::rd] = 0;
  in[FieldId::vd] = 1;  // addi has no view register
  CHECK(id_of([&] { encode(in); }) == "HDL-ISA-02");
  in[FieldId::vd] = 0;
  in.op = static_cast<Opcode>(0xff);
  CHECK(id_of([&] { encode(in); }) == "HDL-ISA-01");
}

TEST_CASE("what no encoder makes is not decoded") {
  CHECK(id_of([] { decode({0, 0}); }) == "HDL-ISA-01");  // all zero is no instruction
  CHECK(id_of([] { decode({0xff, 0}); }) == "HDL-ISA-01");
  CHECK(id_of([] { decode({0x01 | 0x100, 0}); }) == "HDL-ISA-03");  // halt has no fields
  CHECK(id_of([] { decode({0x01, 1ull << 63}); }) == "HDL-ISA-03");
  CHECK(id_of([] { decode({0x08 | (4ull << 13), 0}); }) == "HDL-ISA-04");    // csrr of number 4
  CHECK(id_of([] { decode({0xc8, 18ull << (84 - 64)}); }) == "HDL-ISA-04");  // vpu.fused with function 18
  CHECK(id_of([] { decode({0xc8, 3ull << (90 - 64)}); }) == "HDL-ISA-04");   // ... with reduction 3
  CHECK(id_of([] { decode({0xc8, 33ull << (77 - 64)}); }) == "HDL-ISA-04");  // ... with row view 32
  CHECK(id_of([] { decode({0x55 | (5ull << 12), 0}); }) == "HDL-ISA-05");    // wait for s5, zero times
  CHECK(id_of([] { decode({0x55 | (5ull << 12) | (1ull << 18), 0}); }) == "none");
}

TEST_CASE("range_of covers the width of a field") {
  for (const Field& f : fields_of(FormatId::load_immediate))
    if (f.kind == FieldKind::imm_signed) {
      CHECK(range_of(f).low == std::numeric_limits<std::int64_t>::min());
      CHECK(range_of(f).high == std::numeric_limits<std::int64_t>::max());
    } else {
      CHECK(range_of(f).low == 0);
      CHECK(range_of(f).high == 31);
    }
}
