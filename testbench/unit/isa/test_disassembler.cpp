// SPDX-License-Identifier: Apache-2.0
// Disassembly assembles back to the same bytes, whatever an image holds.
#include "isa/asm/disassembler.hpp"

#include <string>

#include "isa/asm/assembler.hpp"
#include "isa/asm/format.hpp"
#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/isa/random_program.hpp"

using namespace heddle;
using namespace heddle::isa;

TEST_CASE("random images survive disassembly") {
  test::Random r(5);
  for (int i = 0; i < 1000; ++i) {
    const ProgramImage image = test::random_image(r);
    const std::string text = disassemble(image);
    try {
      if (serialize(assemble(text, "again.s")) != serialize(image)) FAIL("image " << i << " changed:\n" << text);
    } catch (const Error& e) {
      FAIL("image " << i << ": " << e.what() << "\n" << text);
    }
  }
}

TEST_CASE("a disassembly a person can read") {
  const ProgramImage image = assemble(
      "; comment\n.const n = 2\n.view tile, spm, bf16, [n, 64], base=0x80\n.data one: .fp32 1.0\n"
      "start: view v1, tile, base=x4\n.scope \"inner loop\"\n"
      "loop: mxu.matmul v4, v1, accumulate wait s1:n, post s3\nbne x7, x0, loop\n.endscope\nhalt",
      "k.s");
  CHECK(disassemble(image) ==
        "        .name \"k\"\n"
        "        .lines none\n"
        "        .entry start\n"
        "        .file \"k.s\"  ; 0\n"
        "        .view tile, spm, bf16, [2, 64], base=0x80\n"
        "        .data one:\n"
        "        .bytes 0x00, 0x00, 0x80, 0x3f\n"
        "        .line 5, 0\n"
        "start:\n"
        "        view v1, tile, base=x4\n"
        "        .scope \"inner loop\"\n"
        "        .line 7, 0\n"
        "L1:\n"
        "        mxu.matmul v4, v1, accumulate  wait s1:2, post s3\n"
        "        .line 8, 0\n"
        "        bne x7, x0, L1\n"
        "        .endscope\n"
        "        .line 10, 0\n"
        "        halt\n");
}

TEST_CASE("allowed hazards go back to text with the place where they stand") {
  const ProgramImage image =
      assemble("start: nop\n.allow \"HDL-RACE-01\", \"both write zeros\"\nhalt\n.endallow", "k.s");
  const std::string text = disassemble(image);
  INFO(text);
  CHECK(text.find("        .allow \"HDL-RACE-01\", \"both write zeros\", 2, 0\n") != std::string::npos);
  CHECK(text.find("        halt\n        .endallow\n") != std::string::npos);
  CHECK(serialize(assemble(text, "again.s")) == serialize(image));
}

TEST_CASE("made-up labels keep clear of entries and two views of one name go by number") {
  ProgramImage image = assemble(
      ".entry L1\n.view a, spm, int8, [1]\n.view a, spm, int8, [2]\n"
      "L1: view v1, 1\njal x0, 1\nview v1, 0",
      "k.s");
  image.entries.push_back({"L1_", 2, 0});
  const std::string text = disassemble(image);
  INFO(text);
  CHECK(text.find("jal x0, L1__") != std::string::npos);
  CHECK(serialize(assemble(text, "again.s")) == serialize(image));
}

TEST_CASE("one instruction as text with and without its image") {
  const ProgramImage image =
      assemble(".view \"odd name\", spm, int8, [1]\nstart: view v1, 0\nbeq x1, x2, start\njal x0, 1", "k.s");
  CHECK(format_instruction(decode(image.code[0]), &image) == "view v1, \"odd name\"");
  CHECK(format_instruction(decode(image.code[0]), nullptr) == "view v1, 0");
  CHECK(format_instruction(decode(image.code[1]), &image) == "beq x1, x2, start");
  CHECK(format_instruction(decode(image.code[1]), nullptr) == "beq x1, x2, 0");
  CHECK(format_instruction(decode(image.code[2]), &image) == "jal x0, 1");
  Instruction far;
  far.op = Opcode::view;
  far[FieldId::view_template] = 99;
  CHECK(format_instruction(far, &image) == "view v0, 99");
}

TEST_CASE("floats are written so that they come back") {
  CHECK(format_float_bits(0x3f800000) == "1.0");
  CHECK(format_float_bits(0x80000000) == "-0.0");
  CHECK(format_float_bits(0x3dcccccd) == "0.1");
  CHECK(format_float_bits(0x7f800000) == "inf");
  CHECK(format_float_bits(0xff800000) == "-inf");
  CHECK(format_float_bits(0x7fc00001) == "0x7fc00001");
  CHECK(format_float_bits(0x00000001) == "1e-45");
  test::Random r(6);
  std::string text;
  std::vector<std::uint32_t> bits = {0, 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x4b000001, 0x4b7fffff};
  for (int i = 0; i < 20000; ++i) bits.push_back(static_cast<std::uint32_t>(r()));
  for (std::uint32_t b : bits) text += "vpu.mul.i v1, v2, " + format_float_bits(b) + "\n";
  const ProgramImage image = assemble(text, "floats.s");
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (decode(image.code[i])[FieldId::fimm] != bits[i]) FAIL(format_float_bits(bits[i]));
}

TEST_CASE("an image without meaning is not disassembled") {
  CHECK_THROWS_WITH(disassemble(ProgramImage{}), contains("HDL-IMG-04"));
}
