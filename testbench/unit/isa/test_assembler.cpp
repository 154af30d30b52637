// SPDX-License-Identifier: Apache-2.0
// What assembly text means beyond single instructions: labels, constants, views, data, scopes, debug lines, entries.
#include "isa/asm/assembler.hpp"

#include <string>
#include <vector>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::isa;

namespace {

ProgramImage from(const std::string& text) { return assemble(text, "dir/prog.s"); }
std::int64_t field(const ProgramImage& image, std::size_t i, FieldId f) { return decode(image.code.at(i))[f]; }
std::int64_t number(const std::string& expression) {
  return field(from(".const k = 7\nli x1, " + expression), 0, FieldId::imm64);
}

}  // namespace

TEST_CASE("the smallest program") {
  const ProgramImage image = from("halt");
  REQUIRE(image.code.size() == 1);
  CHECK(image.code[0] == Word{1, 0});
  CHECK(image.name == "prog");
  REQUIRE(image.entries.size() == 1);
  CHECK(image.entries[0].name == "start");
  CHECK(image.entries[0].instruction == 0);
  CHECK(image.entries[0].arguments == 0);
  CHECK(source_of(image, 0).file == "dir/prog.s");
  CHECK(source_of(image, 0).line == 1);
}

TEST_CASE("line ends and white space and comments do not matter") {
  const auto plain = from("add x1, x2, x3\nhalt\n").code;
  CHECK(from("add x1,x2,x3\r\nhalt\r\n").code == plain);
  CHECK(from("\n\n;c\n\tadd\tx1 , x2 ,x3;halt\n  halt ; \x01 \xc3\xa9 anything").code == plain);
  CHECK(from("a: b:c: add x1, x2, x3\nd:\n\nhalt").code == plain);
}

TEST_CASE("labels stand before and after their use and several at one place") {
  const ProgramImage image =
      from("start: jal x0, end\nloop: again: bne x1, x2, loop\n beq x1, x2, again\nend:\n halt\n jal x0, 4");
  CHECK(field(image, 0, FieldId::target) == 3);
  CHECK(field(image, 1, FieldId::target) == 1);
  CHECK(field(image, 2, FieldId::target) == 1);
  CHECK(field(image, 4, FieldId::target) == 4);
}

TEST_CASE("names may look like registers or words where only a name fits") {
  const ProgramImage image =
      from(".view x1, spm, fp32, [1]\nx1: view v1, x1\nwait: jal x0, wait\n\"a b\": jal x0, \"a b\"\njal x0, x1");
  CHECK(field(image, 1, FieldId::target) == 1);
  CHECK(field(image, 2, FieldId::target) == 2);
  CHECK(field(image, 3, FieldId::target) == 0);
}

TEST_CASE("expressions") {
  CHECK(number("1 + 2 * 3") == 7);
  CHECK(number("(1 + 2) * 3") == 9);
  CHECK(number("-k - -k") == 0);
  CHECK(number("10 - 3 - 2") == 5);
  CHECK(number("2*k*k+1") == 99);
  CHECK(number("0x10") == 16);
  CHECK(number("-0x10") == -16);
  CHECK(number("0xffffffffffffffff") == -1);
  CHECK(number("9223372036854775807") == INT64_MAX);
  CHECK(number("-9223372036854775807 - 1") == INT64_MIN);
}

TEST_CASE("constants build on constants and labels and data are numbers too") {
  const ProgramImage image = from(
      ".const n = 64\n.const m = n * 2\n.const half = 0.5\n.const one_third = 0x3eaaaaab\n"
      ".data a: .zero 65\n.data b: .bytes 1\n.data c:\n.word 7\n"
      "start: li x1, m\nli x2, start + 1\nli x3, b\nli x4, c + 4\nvpu.mul.i v1, v2, half\nvpu.mul.i v1, v2, -half * 3\n"
      "vpu.mul.i v1, v2, n\nvpu.mul.i v1, v2, one_third\nvpu.mul.i v1, v2, int(n)\nvpu.mul.i v1, v2, int(-1)\n");
  CHECK(field(image, 0, FieldId::imm64) == 128);
  CHECK(field(image, 1, FieldId::imm64) == 1);
  CHECK(field(image, 2, FieldId::imm64) == 128);
  CHECK(field(image, 3, FieldId::imm64) == 196);
  CHECK(field(image, 4, FieldId::fimm) == 0x3f000000);
  CHECK(field(image, 5, FieldId::fimm) == 0xbfc00000);
  CHECK(field(image, 6, FieldId::fimm) == 0x42800000);
  CHECK(field(image, 7, FieldId::fimm) == 0x3eaaaaab);
  CHECK(field(image, 8, FieldId::fimm) == 64);
  CHECK(field(image, 9, FieldId::fimm) == 0xffffffff);
  CHECK(image.constant_offset(1) == 128);
}

TEST_CASE("a float literal is rounded to fp32 once") {
  // 1 + 2^-24 + 2^-54: through a double it would lose the last term and then tie down to 1.
  CHECK(field(from("vpu.mul.i v1, v2, 1.0000000596046448308"), 0, FieldId::fimm) == 0x3f800001);
  CHECK(field(from("vpu.mul.i v1, v2, 1.000000059604644775390625"), 0, FieldId::fimm) == 0x3f800000);
}

TEST_CASE("views") {
  const ProgramImage image = from(
      ".view a, spm, bf16, [128, 64]\n.view b, acc, int4, [3, 5, 7, 9], base=0x40\n"
      ".view c, hbm, fp8_e4m3, [10, 1], strides=[-20, 0]\n.view d, smem, int32, [0, 8], base=8, strides=[8, 1]\n"
      "view v1, c\nview v2, 1, size1=x4, dim1=3, base=x5\n");
  REQUIRE(image.templates.size() == 4);
  const ViewTemplate& a = image.templates[0];
  CHECK(a.space == Space::spm);
  CHECK(a.dtype == DType::bf16);
  CHECK(a.rank == 2);
  CHECK(a.size == std::array<std::uint32_t, 4>{128, 64, 1, 1});
  CHECK(a.stride == std::array<std::int64_t, 4>{64, 1, 0, 0});
  CHECK(a.base == 0);
  const ViewTemplate& b = image.templates[1];
  CHECK(b.rank == 4);
  CHECK(b.stride == std::array<std::int64_t, 4>{315, 63, 9, 1});
  CHECK(b.base == 0x40);
  CHECK(image.templates[2].stride == std::array<std::int64_t, 4>{-20, 0, 0, 0});
  CHECK(image.templates[3].size[0] == 0);
  CHECK(image.template_names == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(field(image, 0, FieldId::view_template) == 2);
  CHECK(field(image, 1, FieldId::view_template) == 1);
}

TEST_CASE("data is little-endian and goes on until the next .data") {
  const ProgramImage image = from(
      ".data t: .bytes 1, 0xff, -1\n.half 0x1234, -2\n.word 0x89abcdef, -3\n.dword -4\n.fp32 1.5, -inf, 0x7fc00001, "
      "int(3)\n"
      ".data z: .zero 3\n.data e:\nhalt");
  REQUIRE(image.constants.size() == 3);
  CHECK(image.constants[0].bytes ==
        std::vector<std::uint8_t>{1,    0xff, 0xff, 0x34, 0x12, 0xfe, 0xff, 0xef, 0xcd, 0xab, 0x89, 0xfd, 0xff,
                                  0xff, 0xff, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0,    0,    0xc0,
                                  0x3f, 0,    0,    0x80, 0xff, 1,    0,    0xc0, 0x7f, 3,    0,    0,    0});
  CHECK(image.constants[1].bytes == std::vector<std::uint8_t>{0, 0, 0});
  CHECK(image.constants[2].bytes.empty());
}

TEST_CASE("entries") {
  const ProgramImage image = from(".entry prefill, 7\n.entry decode\nprefill: nop\ndecode: halt");
  REQUIRE(image.entries.size() == 2);
  CHECK(image.entries[0].name == "prefill");
  CHECK(image.entries[0].arguments == 7);
  CHECK(image.entries[1].name == "decode");
  CHECK(image.entries[1].instruction == 1);
  CHECK(from("nop\nstart: halt").entries[0].instruction == 1);
}

TEST_CASE("scopes nest") {
  const ProgramImage image =
      from("nop\n.scope \"layer 0\"\n.scope gemm\nnop\nnop\n.endscope\n.scope empty\n.endscope\nnop\n.endscope\nhalt");
  REQUIRE(image.scopes.size() == 3);
  CHECK(image.scopes[0].name == "layer 0");
  CHECK(image.scopes[0].begin == 1);
  CHECK(image.scopes[0].end == 4);
  CHECK(image.scopes[1].begin == 1);
  CHECK(image.scopes[1].end == 3);
  CHECK(image.scopes[2].begin == 3);
  CHECK(image.scopes[2].end == 3);
}

TEST_CASE("allowed hazards are ranges with a reason and the place where it stands") {
  const ProgramImage image = from(
      "nop\n.allow \"HDL-RACE-01\", \"both write zeros\"\nnop\n.allow \"HDL-SEM-05\", known\nnop\n.endallow\nnop\n"
      ".endallow\nhalt");
  REQUIRE(image.allows.size() == 2);
  CHECK(image.allows[0].hazard == "HDL-RACE-01");
  CHECK(image.allows[0].reason == "both write zeros");
  CHECK(image.allows[0].begin == 1);
  CHECK(image.allows[0].end == 4);
  CHECK(image.allows[0].line == 2);
  CHECK(image.allows[1].hazard == "HDL-SEM-05");
  CHECK(image.allows[1].begin == 2);
  CHECK(image.allows[1].end == 3);
  CHECK(image.allows[1].line == 4);
  CHECK(from(".lines none\n.allow \"HDL-SEM-05\", known\nhalt\n.endallow").allows[0].line == 0);
}

TEST_CASE("tiles, and the operands that stay in them") {
  const ProgramImage image = from(
      ".tile spm, 0x40, 128, 2\n.tile acc, 0, 64, 1\nnop\n.within vb=0, va=1\n.fresh vd=0\nvpu.add v1, v2, v3\nhalt");
  REQUIRE(image.tiles.size() == 2);
  CHECK(image.tiles[0].space == Space::spm);
  CHECK(image.tiles[0].base == 0x40);
  CHECK(image.tiles[0].slot_bytes == 128);
  CHECK(image.tiles[0].slots == 2);
  CHECK(image.tiles[1].line == 2);
  const auto uses = uses_of(image, 1);
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].operand == ViewOperand::vd);
  CHECK(uses[0].fresh);
  CHECK(uses[1].operand == ViewOperand::va);
  CHECK(uses[1].tile == 1);
  CHECK(uses[2].operand == ViewOperand::vb);
  CHECK_FALSE(uses[2].fresh);
  CHECK(uses_of(image, 0).empty());
  CHECK(uses_of(image, 2).empty());
}

TEST_CASE("debug lines are the file's own or those that directives give") {
  const ProgramImage own = from("\nnop\n\nhalt");
  CHECK(source_of(own, 0).line == 2);
  CHECK(source_of(own, 1).line == 4);
  CHECK(source_of(own, 2).file.empty());
  const ProgramImage given =
      from(".file \"a.cpp\"\n.file \"b.cpp\"\nnop\n.line 57, 0\nnop\nnop\n.line 63\nhalt\n.name \"my program\"");
  CHECK(given.name == "my program");
  CHECK(source_of(given, 0).file.empty());
  CHECK(source_of(given, 1).file == "a.cpp");
  CHECK(source_of(given, 2).line == 57);
  CHECK(source_of(given, 3).file == "b.cpp");
  CHECK(source_of(given, 3).line == 63);
  CHECK(from(".lines none\nhalt").lines.empty());
}

TEST_CASE("wait and post clauses") {
  using F = FieldId;
  const std::vector<std::string> same = {
      "dma.sync wait s1:2, s3, post s4, s5:15", "dma.sync wait s1:2, s3 post s4:1, s5:15",
      "dma.sync post s4, s5:15, wait s1:2, s3:1", "dma.sync on=0, wait s1:2,s3,post s4,s5:15"};
  for (const auto& text : same) {
    INFO(text);
    CHECK(from(text).code == from(same[0]).code);
  }
  const ProgramImage image = from(same[0]);
  CHECK(field(image, 0, F::wait0_sem) == 1);
  CHECK(field(image, 0, F::wait0_n) == 2);
  CHECK(field(image, 0, F::wait1_sem) == 3);
  CHECK(field(image, 0, F::wait1_n) == 1);
  CHECK(field(image, 0, F::post0_sem) == 4);
  CHECK(field(image, 0, F::post1_n) == 15);
  const ProgramImage second = from("dma.sync post _, s5");
  CHECK(field(second, 0, F::post0_n) == 0);
  CHECK(field(second, 0, F::post1_sem) == 5);
}

TEST_CASE("a kernel-shaped program") {
  const ProgramImage image = from(R"(
; y[128,128] += x[128,128] * w[128,128]; arguments: x4 = &x, x5 = &w, x6 = &y, x7 = row blocks
        .view   x_tile, spm, bf16, [128, 128]
        .view   acc,    acc, fp32, [128, 128]
start:  view       v1, x_tile, base=x10
        dma.copy   v1, v8                 post s1
        mxu.load   v2                     wait s2
        mxu.matmul v4, v1, accumulate     wait s1, post s3
        addi       x7, x7, -1
        bne        x7, x0, start
        halt
)");
  CHECK(image.code.size() == 7);
  CHECK(field(image, 3, FieldId::accumulate) == 1);
  CHECK(field(image, 5, FieldId::target) == 0);
  CHECK(source_of(image, 3).line == 8);
}
