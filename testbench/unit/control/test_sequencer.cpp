// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "isa/base/error.hpp"
#include "sim/control/sequencer.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/control/rig.hpp"

using heddle::control::Event;
using heddle::control::EventKind;
using heddle::control::Program;
using heddle::control::Sequencer;

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

struct Scalar {
  explicit Scalar(std::string_view text, std::int64_t cores = 3)
      : chip(heddle::test::small_chip(cores)),
        memory(chip, true),
        program(heddle::isa::assemble(text, "k.s")),
        core(chip, memory, nullptr, 0, 0) {
    memory.begin_launch({});
    core.start(program, 0, 0x12340);
  }
  std::int64_t x(int i) {
    while (core.run().kind != EventKind::halt) {
    }
    return core.x(i);
  }
  heddle::config::ChipSpec chip;
  heddle::exec::MachineMemory memory;
  Program program;
  Sequencer core;
};

std::int64_t eval(const std::string& line, std::int64_t a, std::int64_t b) {
  return Scalar("start: li x4, " + std::to_string(a) + "\n li x5, " + std::to_string(b) + "\n " + line + "\n halt\n")
      .x(6);
}

}  // namespace

TEST_CASE("arithmetic is 64-bit two's complement") {
  REQUIRE(eval("add x6, x4, x5", std::numeric_limits<std::int64_t>::max(), 1) == lowest);
  REQUIRE(eval("sub x6, x4, x5", -9223372036854775807, 2) == std::numeric_limits<std::int64_t>::max());
  REQUIRE(eval("mul x6, x4, x5", 0x100000001, 0x100000001) == 0x200000001);
  REQUIRE(eval("div x6, x4, x5", -7, 2) == -3);
  REQUIRE(eval("rem x6, x4, x5", -7, 2) == -1);
  REQUIRE(eval("rem x6, x4, x5", 7, -2) == 1);
  REQUIRE(eval("and x6, x4, x5", 12, 10) == 8);
  REQUIRE(eval("or x6, x4, x5", 12, 10) == 14);
  REQUIRE(eval("xor x6, x4, x5", 12, 10) == 6);
  REQUIRE(eval("sll x6, x4, x5", 1, 65) == 2);
  REQUIRE(eval("srl x6, x4, x5", -1, 60) == 15);
  REQUIRE(eval("sra x6, x4, x5", -16, 2) == -4);
  REQUIRE(eval("slt x6, x4, x5", -1, 0) == 1);
  REQUIRE(eval("sltu x6, x4, x5", -1, 0) == 0);
  REQUIRE(eval("min x6, x4, x5", -1, 3) == -1);
  REQUIRE(eval("max x6, x4, x5", -1, 3) == 3);
  REQUIRE(eval("muli x6, x4, -3", 5, 0) == -15);
  REQUIRE(eval("divi x6, x4, -3", 10, 0) == -3);
  REQUIRE(eval("remi x6, x4, -3", 10, 0) == 1);
  REQUIRE(eval("andi x6, x4, -2", 7, 0) == 6);
  REQUIRE(eval("slli x6, x4, 63", 1, 0) == lowest);
  REQUIRE(eval("srli x6, x4, 63", -1, 0) == 1);
  REQUIRE(eval("srai x6, x4, 63", -1, 0) == -1);
  REQUIRE(eval("slti x6, x4, 3", 2, 0) == 1);
  REQUIRE(eval("mini x6, x4, 3", 2, 0) == 2);
  REQUIRE(eval("maxi x6, x4, 3", 2, 0) == 3);
}

TEST_CASE("the most negative number over -1 wraps instead of crashing the host") {
  const std::string build = "li x4, 1\n slli x4, x4, 63\n li x5, -1\n ";
  REQUIRE(Scalar("start: " + build + "div x6, x4, x5\n halt\n").x(6) == lowest);
  REQUIRE(Scalar("start: " + build + "rem x6, x4, x5\n halt\n").x(6) == 0);
  REQUIRE(Scalar("start: " + build + "divi x6, x4, -1\n halt\n").x(6) == lowest);
}

TEST_CASE("x0 ignores writes; x2 holds the constants' address") {
  REQUIRE(Scalar("start: li x0, 9\n add x6, x0, x0\n halt\n").x(6) == 0);
  REQUIRE(Scalar("start: add x6, x2, x0\n halt\n").x(6) == 0x12340);
}

TEST_CASE("division by zero, wild jumps and running off the end are program errors") {
  REQUIRE_THROWS_WITH(eval("div x6, x4, x0", 1, 1), contains("k.s:3: HDL-EXEC-08") && contains("divided by zero"));
  REQUIRE_THROWS_WITH(eval("remi x6, x4, 0", 1, 1), contains("HDL-EXEC-08"));
  REQUIRE_THROWS_WITH(eval("jalr x6, x4, 0", 99, 1), contains("HDL-EXEC-08") && contains("jumps to 99"));
  REQUIRE_THROWS_WITH(eval("jalr x6, x4, 0", -1, 1), contains("HDL-EXEC-08"));
  Scalar off("start: nop\n");
  REQUIRE_THROWS_WITH(off.core.run(), contains("HDL-EXEC-08") && contains("left the code"));
  REQUIRE_THROWS_WITH(eval("trap 42", 0, 0), contains("HDL-EXEC-09") && contains("trap 42"));
}

TEST_CASE("jal and jalr link") {
  Scalar s(R"(
start:  jal  x1, sub
        addi x6, x6, 100
        halt
sub:    li   x6, 5
        jalr x0, x1, 0
)");
  REQUIRE(s.x(6) == 105);
}

TEST_CASE("SMEM: sizes, signs, alignment, bounds, unwritten bytes") {
  REQUIRE(eval("sd x4, x0, 8\n lb x6, x0, 8", 0xf0, 0) == -16);
  REQUIRE(eval("sd x4, x0, 8\n lbu x6, x0, 8", 0xf0, 0) == 0xf0);
  REQUIRE(eval("sd x4, x0, 8\n lw x6, x0, 12", lowest + 1, 0) == std::numeric_limits<std::int32_t>::min());
  REQUIRE(eval("sd x4, x0, 8\n lwu x6, x0, 8", -1, 0) == 0xffffffff);
  REQUIRE(eval("sb x4, x0, 1\n sb x5, x0, 0\n sb x0, x0, 2\n sb x0, x0, 3\n lw x6, x0, 0", 1, 2) == 258);
  REQUIRE_THROWS_WITH(eval("ld x6, x0, 4", 0, 0), contains("HDL-EXEC-08") && contains("not aligned"));
  REQUIRE_THROWS_WITH(eval("ld x6, x0, 4096", 0, 0), contains("HDL-EXEC-08"));
  REQUIRE_THROWS_WITH(eval("ld x6, x4, 0", -8, 0), contains("HDL-EXEC-08"));
  REQUIRE_THROWS_WITH(eval("sw x4, x0, 8\n ld x6, x0, 8", 0, 0), contains("HDL-EXEC-02") && contains("smem byte 0xc"));
}

TEST_CASE("csrr") {
  REQUIRE(Scalar("start: csrr x6, num_cores\n halt\n").x(6) == 3);
  REQUIRE(Scalar("start: csrr x6, num_chips\n halt\n").x(6) == 1);
}

TEST_CASE("views: base, offset, sizes within the template, stride, advance, remote") {
  Scalar s(R"(
        .view t, spm, bf16, [8, 6], base=0x100
start:  li   x4, 0x40
        li   x5, 3
        view v1, t, base=x4, offset=-32, dim0=0, size0=x5, dim1=1, size1=x0
        view.stride v1, 0, x4
        view.advance v1, x5, offset=4
        li   x6, 2
        view.remote v1, x6, x0
        view.size v1, 1, x5
        halt
)");
  s.x(1);
  const auto& v = s.core.v(1);
  REQUIRE(v.base == 0x100 + 0x40 - 32 + 3 + 4);
  REQUIRE(v.size[0] == 3);
  REQUIRE(v.size[1] == 3);
  REQUIRE(v.stride[0] == 0x40);
  REQUIRE(v.stride[1] == 1);
  REQUIRE(v.remote);
  REQUIRE(v.core == 2);
}

TEST_CASE("a view's size stays within its template's; it may be restored") {
  const std::string head = "        .view t, spm, bf16, [8, 6]\nstart:  li x4, 9\n li x5, 4\n li x6, -1\n li x7, 8\n";
  const auto run = [&](const std::string& body) { Scalar(head + body + "\n halt\n").x(1); };
  REQUIRE_THROWS_WITH(run("view v1, t, size0=x4"), contains("HDL-EXEC-05") && contains("holds 0 to 8"));
  REQUIRE_THROWS_WITH(run("view v1, t, size0=x6"), contains("HDL-EXEC-05"));
  REQUIRE_THROWS_WITH(run("view v1, t\n view.size v1, 0, x4"), contains("HDL-EXEC-05"));
  REQUIRE_THROWS_WITH(run("view.size v1, 0, x4"), contains("HDL-EXEC-03") && contains("before any view"));
  REQUIRE_THROWS_WITH(run("view v1, t\n view.remote v1, x7, x0"), contains("HDL-EXEC-10"));
  REQUIRE_THROWS_WITH(run("view v1, t\n view.remote v1, x0, x5"), contains("HDL-EXEC-10"));
  run("view v1, t, size0=x5\n view.size v1, 0, x7");
}

TEST_CASE("engine instructions carry their registers as they were at issue") {
  Scalar s(R"(
        .view t, spm, fp32, [4]
start:  view v1, t
        li   x4, 0x3f800000
        vpu.fused v1, v1, fn=exp, scale_x=x4 wait s1:2, s3 post s4
        li   x4, 7
        vpu.affine_select v1, v1, x4, ci=-1, cj=2, fill=-inf
        vpu.add.i v1, v1, 1.5
        halt
)");
  Event e = s.core.run();
  REQUIRE(e.kind == EventKind::issue);
  REQUIRE(e.op->scalar == 0x3f800000);
  REQUIRE(e.op->fn == heddle::isa::VpuFn::exp);
  REQUIRE(e.op->wait[0].sem == 1);
  REQUIRE(e.op->wait[0].count == 2);
  REQUIRE(e.op->wait[1].sem == 3);
  REQUIRE(e.op->post[0].sem == 4);
  REQUIRE(e.op->sequence == 0);
  REQUIRE_FALSE(e.op->has_bias);
  e = s.core.run();
  REQUIRE(e.op->offset == 7);
  REQUIRE(e.op->coef_i == -1);
  REQUIRE(e.op->coef_j == 2);
  REQUIRE(e.op->scalar == 0xff800000);
  REQUIRE(e.op->sequence == 1);
  e = s.core.run();
  REQUIRE(e.op->scalar == 0x3fc00000);
  REQUIRE(s.core.run().kind == EventKind::halt);
}

TEST_CASE("cycles follow the chip's sequencer") {
  Scalar s(R"(
start:  li   x4, 2
loop:   addi x4, x4, -1
        bne  x4, x0, loop
        sd   x4, x0, 0
        ld   x5, x0, 0
        mul  x5, x5, x5
        divi x5, x5, 3
        sem.wait s1, 1
        halt
)");
  s.chip.core.sequencer = {16, 1, 2, 3, 5, 7};
  const Event e = s.core.run();
  REQUIRE(e.kind == EventKind::sem_wait);
  // li 1, two addi 2, bne taken 2 and not taken 1, sd 1, ld 3, mul 5, divi 7, sem.wait 1
  REQUIRE(e.cycles == 1 + 2 + 2 + 1 + 1 + 3 + 5 + 7 + 1);
  REQUIRE(e.instructions == 10);
  REQUIRE(s.core.run().cycles == 1);
}

TEST_CASE("a budget stops an endless loop and loses nothing") {
  Scalar s("start: addi x6, x6, 1\n jal x0, start\n");
  const Event e = s.core.run(1001);
  REQUIRE(e.kind == EventKind::budget);
  REQUIRE(e.instructions == 1001);
  REQUIRE(s.core.x(6) == 501);
}

TEST_CASE("a wait or post of nothing is no event; counts add a register") {
  Scalar s("start: li x4, 3\n sem.wait s1, -3, plus=x4\n sem.post s2, 4, plus=x4\n halt\n");
  const Event e = s.core.run();
  REQUIRE(e.kind == EventKind::sem_post);
  REQUIRE(e.n == 7);
  REQUIRE(e.sem == 2);
}

TEST_CASE("an error knows the cycle when the caller does") {
  Scalar s("start: nop\n nop\n trap 1\n");
  REQUIRE_THROWS_WITH(s.core.run(~0ull, 100), contains("cycle 102"));
}
