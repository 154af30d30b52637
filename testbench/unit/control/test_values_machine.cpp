// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/control/rig.hpp"

using heddle::test::Rig;

namespace {

// y += a x, as docs/isa/assembly.md has it.
constexpr const char* axpy = R"(
        .entry  axpy, 4
        .const  tile = 16
        .view   x_hbm, hbm, fp32, [tile]
        .view   y_hbm, hbm, fp32, [tile]
        .view   x_spm, spm, fp32, [tile]
        .view   y_spm, spm, fp32, [tile], base=tile*4
axpy:   ld      x4, x0, 0
        ld      x5, x0, 8
        ld      x6, x0, 16
        ld      x7, x0, 24
loop:   bge     x0, x6, done
        mini    x8, x6, tile
        view    v1, x_hbm, base=x4, size0=x8
        view    v2, y_hbm, base=x5, size0=x8
        view    v3, x_spm, size0=x8
        view    v4, y_spm, size0=x8
        dma.copy  v3, v1                          post s0
        dma.copy  v4, v2                          post s0
        vpu.mul.x v3, v3, x7        wait s0:2
        vpu.add   v4, v4, v3                      post s1
        dma.copy  v2, v4            wait s1,      post s2
        sem.wait  s2, 1
        addi    x4, x4, tile*4
        addi    x5, x5, tile*4
        sub     x6, x6, x8
        jal     x0, loop
done:   halt
)";

}  // namespace

TEST_CASE("axpy over full, ragged and empty lengths") {
  const unsigned threads = GENERATE(1u, 2u);
  for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 100u}) {
    Rig rig(axpy, 1, threads);
    std::vector<float> x(n + 1);
    std::vector<float> y(n + 1);
    std::iota(x.begin(), x.end(), 1.0f);
    std::iota(y.begin(), y.end(), 100.0f);
    rig.put(0x1000, x);
    rig.put(0x2000, y);
    const auto counts = rig.run({0x1000, 0x2000, n, 0x40000000});  // a = 2
    const auto got = rig.get<float>(0x2000, n + 1);
    for (std::size_t i = 0; i < n; ++i)
      REQUIRE(got[i] == 100.0f + static_cast<float>(i) + 2.0f * static_cast<float>(i + 1));
    REQUIRE(got[n] == 100.0f + static_cast<float>(n));  // one past the end stays
    REQUIRE(counts.engine_instructions == (n + 15) / 16 * 5);
  }
}

TEST_CASE("a tiled matrix product with a second core's share") {
  // C[32,16] = A[32,16] B[16,16]; core c takes rows 16 c and on.
  Rig rig(R"(
        .view a_hbm, hbm, fp32, [16, 16]
        .view a_spm, spm, fp32, [16, 16]
        .view b_spm, spm, fp32, [16, 16], base=1024
        .view c_acc, acc, fp32, [16, 16]
start:  csrr  x1, core_id
        muli  x3, x1, 1024
        li    x4, 0x1000
        li    x5, 0x4000
        li    x6, 0x6000
        add   x4, x4, x3
        add   x6, x6, x3
        view  v1, a_hbm, base=x4
        view  v2, a_hbm, base=x5
        view  v3, a_hbm, base=x6
        view  v4, a_spm
        view  v5, b_spm
        view  v6, c_acc
        dma.copy v4, v1            post s0
        dma.copy v5, v2, on=1       post s1
        mxu.load v5                wait s1
        mxu.matmul v6, v4          wait s0, post s2
        dma.copy v3, v6            wait s2
        fence
        halt
)",
          2);
  std::vector<float> a(32 * 16);
  std::vector<float> b(16 * 16);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3.0f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2.0f;
  rig.put(0x1000, a);
  rig.put(0x4000, b);
  rig.run();
  const auto c = rig.get<float>(0x6000, 32 * 16);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      float want = 0;
      for (std::size_t k = 0; k < 16; ++k) want += a[i * 16 + k] * b[k * 16 + j];  // small integers: exact
      REQUIRE(c[i * 16 + j] == want);
    }
}

TEST_CASE("cores reach each other: remote scratchpad, remote posts of both kinds") {
  // Core 0 writes its number into core 1's scratchpad, and tells it on arrival; core 1 stores it to HBM and answers.
  Rig rig(R"(
        .view cell, spm, int32, [1], base=64
        .view out,  hbm, int32, [1], base=0x1000
        .view word, spm, int32, [1]
start:  csrr  x1, core_id
        li    x3, 1
        bne   x1, x0, second
        view  v1, word
        vpu.iota v1, x3, 41                      post s5
        view  v2, cell
        view.remote v2, x3, x0
        dma.copy v2, v1, remote_post  wait s5, post _, s7
        sem.wait s9, 3
        halt
second: view  v1, cell
        view  v2, out
        dma.copy v2, v1  wait s7, post s8
        sem.wait s8, 1
        sem.post.remote s9, 3, x0, x0
        halt
)",
          2);
  rig.run();
  REQUIRE(rig.get<std::int32_t>(0x1000, 1)[0] == 1);
}

TEST_CASE("a program error names source line, instruction, core") {
  Rig rig(R"(
        .view t, spm, fp32, [4]
        .view h, hbm, fp32, [4]
start:  view v1, t
        view v2, h
        dma.copy v2, v1
        halt
)");
  try {
    rig.run();
    FAIL("nothing thrown");
  } catch (const heddle::Error& e) {
    REQUIRE(e.id() == "HDL-EXEC-02");
    REQUIRE(e.kind() == heddle::ErrorKind::program);
    REQUIRE(e.where().file == "k.s");
    REQUIRE(e.where().line == 6);
    REQUIRE(e.message() == "dma.copy (instruction 2, core 0): reads spm byte 0x0, which nobody has written");
  }
}

TEST_CASE("the first error in queue order wins, on one host thread and on two") {
  // The values of instruction 3 fail; the sequencer traps right behind it.
  const unsigned threads = GENERATE(1u, 2u);
  Rig rig(R"(
        .view t, spm, fp32, [4]
        .view h, hbm, fp32, [4]
start:  view v1, t
        view v2, h
        dma.copy v2, v1  post s1
        sem.wait s1, 1
        trap 7
)",
          1, threads);
  REQUIRE_THROWS_WITH(rig.run(), contains("HDL-EXEC-02"));
  SECTION("and the machine is fit for another launch") { REQUIRE_THROWS_WITH(rig.run(), contains("HDL-EXEC-02")); }
}

TEST_CASE("memories keep their contents between launches, SMEM and resting tiles do not") {
  Rig rig(R"(
        .view out, hbm, int32, [1], base=0x100
        .view w, spm, int32, [1]
start:  view v1, w
        view v2, out
        ld   x4, x0, 0
        beq  x4, x0, later
        vpu.iota v1, x4, 0   post s1
        sd   x4, x0, 16
        sem.wait s1, 1
        halt
later:  dma.copy v2, v1
        fence
        ld   x5, x0, 16
        halt
)");
  rig.run({77});
  REQUIRE_THROWS_WITH(rig.run({0}), contains("reads smem byte 0x10, which nobody has written"));
  REQUIRE(rig.get<std::int32_t>(0x100, 1)[0] == 77);
}

TEST_CASE("results do not depend on host threads") {
  const char* text = R"(
        .view t, spm, fp32, [32, 64]
        .view r, spm, fp32, [32, 1], base=0x4000
        .view h, hbm, fp32, [32, 64]
start:  view v1, t
        view v2, r
        view v3, h
        li   x4, 50
        vpu.iota v1, x4, 3
loop:   vpu.fused v1, v1, fn=tanh, scale=0.37, row=v2, reduce=sum
        vpu.sub v1, v1, v2
        vpu.exp v1, v1
        addi x4, x4, -1
        bne  x4, x0, loop
        vpu.sync post s1
        dma.copy v3, v1 wait s1
        halt
)";
  Rig one(text, 1, 1);
  Rig two(text, 1, 2);
  one.run();
  two.run();
  REQUIRE(one.get<std::uint32_t>(0, 2048) == two.get<std::uint32_t>(0, 2048));
}
