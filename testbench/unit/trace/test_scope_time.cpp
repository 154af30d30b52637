// SPDX-License-Identifier: Apache-2.0
// Scopes in time: what spans cover, how a sequencer's way through loops becomes passes, and how long the engines worked
// for each scope.
#include "isa/asm/assembler.hpp"
#include "sim/control/program.hpp"
#include "sim/trace/scope_spans.hpp"
#include "sim/trace/scope_walk.hpp"
#include "sim/trace/union_time.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::trace {
namespace {

TEST_CASE("spans that overlap count once, in whatever order they come") {
  UnionTime u;
  u.add(TimeFs(100), TimeFs(200));
  u.add(TimeFs(300), TimeFs(400));
  CHECK(u.total() == TimeFs(200));
  u.add(TimeFs(50), TimeFs(120));
  CHECK(u.total() == TimeFs(250));
  u.add(TimeFs(150), TimeFs(350));  // joins the two
  CHECK(u.total() == TimeFs(350));
  u.add(TimeFs(60), TimeFs(60));
  u.add(TimeFs(90), TimeFs(70));
  CHECK(u.total() == TimeFs(350));
  u.add(TimeFs(400), TimeFs(410));  // touches
  CHECK(u.total() == TimeFs(360));
  // More pieces than are kept: the sum stays right, and what lies before the pieces that are closed is not counted
  // again.
  for (std::int64_t i = 0; i < 3000; ++i) u.add(TimeFs(1000 + 10 * i), TimeFs(1005 + 10 * i));
  CHECK(u.total() == TimeFs(360 + 3000 * 5));
  u.add(TimeFs(0), TimeFs(500));
  CHECK(u.total() == TimeFs(360 + 3000 * 5));
}

// Instructions: 0 li, layer [1, 6) with a [1, 2) and, in a loop of its own, b [2, 4); 4 bne to 2; 5 addi; then 6 bne to
// 1 outside of it.
isa::ProgramImage looped() {
  return isa::assemble(
      "start: li x5, 0\n"
      "        .scope layer\n"
      "turn:\n"
      "        .scope a\n"
      "        addi x6, x0, 1\n"
      "        .endscope\n"
      "again:\n"
      "        .scope b\n"
      "        addi x7, x0, 1\n"
      "        addi x7, x7, 1\n"
      "        .endscope\n"
      "        bne x7, x0, again\n"
      "        addi x5, x5, 1\n"
      "        .endscope\n"
      "        bne x5, x6, turn\n"
      "        halt\n",
      "looped.s");
}

TEST_CASE("each turn of a loop around a scope is a pass of it, a turn of a loop inside is none") {
  const control::Program program(looped());
  const ProgramInfo info(program);
  REQUIRE(info.path(0) == "layer");
  REQUIRE(info.path(1) == "layer/a");
  REQUIRE(info.path(2) == "layer/b");
  const std::vector<std::uint32_t> in_layer{0}, in_a{0, 1}, in_b{0, 2};
  ScopeWalk w;
  CHECK(!w.move(info, 0));
  CHECK(w.move(info, 1));
  CHECK(w.open() == in_a);
  CHECK(w.kept() == 0);
  CHECK(w.move(info, 2));
  CHECK(w.before() == in_a);
  CHECK(w.open() == in_b);
  CHECK(w.kept() == 1);
  CHECK(!w.move(info, 3));
  SECTION("the inner loop leaves b and stays in the layer") {
    CHECK(w.move(info, 2));
    CHECK(w.open() == in_b);
    CHECK(w.kept() == 1);
  }
  SECTION("the outer loop leaves the layer, though nothing was seen outside of it") {
    CHECK(w.move(info, 5));
    CHECK(w.open() == in_layer);
    CHECK(w.move(info, 1));
    CHECK(w.open() == in_a);
    CHECK(w.kept() == 0);
  }
  SECTION("the end") {
    CHECK(w.leave());
    CHECK(w.before() == in_b);
    CHECK(!w.leave());
  }
}

TEST_CASE("scopes of one name in the same one are told apart") {
  const isa::ProgramImage image = isa::assemble(
      "start: .scope g\n halt\n .endscope\n .scope g\n halt\n .scope g\n halt\n .endscope\n .endscope\n", "same.s");
  const ProgramInfo info{control::Program(image)};
  CHECK(info.path(0) == "g");
  CHECK(info.path(1) == "g#2");
  CHECK(info.path(2) == "g#2/g");
}

TEST_CASE("a scope's time is from its passes' first starts to their last ends, of all cores") {
  const control::Program program(looped());
  const ProgramInfo info(program);
  ScopeSpans spans;
  spans.begin_launch(7, info);
  const Agent dma{0, 3}, mxu{0, 1}, other{1, 3};
  // Pass 1 of a: 100 .. 200 and, out of the order of ends, 120 .. 180; then b: 150 .. 300; then a again: 400 .. 450.
  spans.issued(dma, 1);
  spans.issued(mxu, 1);
  spans.issued(dma, 2);
  spans.issued(dma, 1);
  spans.ran(mxu, TimeFs(120), TimeFs(180));
  spans.ran(dma, TimeFs(100), TimeFs(200));
  spans.ran(dma, TimeFs(150), TimeFs(300));
  spans.ran(dma, TimeFs(400), TimeFs(450));
  // Another core's pass lies partly beside them.
  spans.issued(other, 1);
  spans.ran(other, TimeFs(190), TimeFs(230));
  spans.end_launch();
  CHECK(spans.time({7, 1}) == TimeFs(130 + 50));
  CHECK(spans.time({7, 2}) == TimeFs(150));
  CHECK(spans.time({7, 0}) == TimeFs(200 + 50));  // two passes of the layer
  CHECK(spans.time({8, 0}) == TimeFs(0));
}

}  // namespace
}  // namespace heddle::trace
