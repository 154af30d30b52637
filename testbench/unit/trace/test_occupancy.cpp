// SPDX-License-Identifier: Apache-2.0
// Bytes in use, worked by hand: views that overlap, have gaps, belong to an outer scope, lie in another core.
#include "isa/asm/assembler.hpp"
#include "sim/control/program.hpp"
#include "sim/trace/occupancy.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::trace {
namespace {

struct Changed {
  std::uint32_t core = 0;
  std::size_t space = 0;
  std::int64_t time = 0, by = 0;
  friend bool operator==(const Changed&, const Changed&) = default;
};

isa::View bytes(isa::Space space, std::uint64_t base, std::uint32_t count) {
  isa::View v;
  v.space = space;
  v.dtype = DType::int8;
  v.base = base;
  v.size[0] = count;
  v.stride[0] = 1;
  return v;
}

// Instructions 0 to 3 and 5 in the scope outer, 4 in inner, 6 in the next scope, 7 in none.
struct Bench {
  control::Program program{isa::assemble(
      "start: .scope outer\n dma.sync\n dma.sync\n dma.sync\n dma.sync\n .scope inner\n dma.sync\n .endscope\n"
      " dma.sync\n .endscope\n .scope next\n dma.sync\n .endscope\n halt\n",
      "scopes.s")};
  ProgramInfo info{program};
  std::vector<Changed> seen;
  Occupancy occupancy{2, [this](std::uint32_t core, std::size_t space, TimeFs time, std::int64_t by) {
                        seen.push_back({core, space, time.value(), by});
                      }};
  Bench() { occupancy.begin_launch(0, info); }

  // A copy of core 0's first DMA engine, issued and begun.
  void begin(std::uint32_t pc, const isa::View& to, const isa::View& from, std::int64_t start) {
    exec::EngineOp op;
    op.op = isa::Opcode::dma_copy;
    op.pc = pc;
    op.vd = to;
    op.va = from;
    occupancy.issued({0, 3}, pc);
    occupancy.began({0, 3}, op, TimeFs(start));
  }
  void end(std::int64_t start, std::int64_t end) { occupancy.ran({0, 3}, TimeFs(start), TimeFs(end)); }
};

const isa::View memory = bytes(isa::Space::hbm, 0, 1000);

TEST_CASE("a byte counts once, from its first use to the end of the scope") {
  Bench b;
  b.begin(0, bytes(isa::Space::spm, 100, 50), memory, 10);
  b.begin(1, bytes(isa::Space::spm, 100, 50), memory, 11);                          // the same again
  b.begin(2, bytes(isa::Space::spm, 140, 30), bytes(isa::Space::spm, 80, 40), 12);  // 150 .. 170, 80 .. 100
  b.begin(3, bytes(isa::Space::acc, 0, 16), bytes(isa::Space::spm, 90, 70), 13);    // inside
  CHECK(b.seen == std::vector<Changed>{{0, 0, 10, 50}, {0, 0, 12, 20}, {0, 0, 12, 20}, {0, 1, 13, 16}});
  b.seen.clear();
  for (const std::int64_t t : {10, 11, 12, 13}) b.end(t, t + 20);
  CHECK(b.seen.empty());  // the sequencer may still be inside
  b.begin(6, bytes(isa::Space::spm, 0, 8), memory, 40);
  CHECK(b.seen == std::vector<Changed>{{0, 0, 33, -90}, {0, 1, 33, -16}, {0, 0, 40, 8}});
}

TEST_CASE("rows with gaps count their own bytes") {
  Bench b;
  isa::View v = bytes(isa::Space::spm, 0, 4);
  v.rank = 2;
  v.size = {4, 10, 1, 1};
  v.stride = {32, 1, 0, 0};
  b.begin(0, v, memory, 1);
  CHECK(b.seen == std::vector<Changed>{{0, 0, 1, 40}});
  b.begin(1, bytes(isa::Space::spm, 0, 128), memory, 2);
  CHECK(b.seen.back() == Changed{0, 0, 2, 128 - 40});
}

TEST_CASE("what an inner scope uses of an outer one's stays until the outer one ends") {
  Bench b;
  b.begin(0, bytes(isa::Space::spm, 0, 100), memory, 1);
  b.begin(4, bytes(isa::Space::spm, 50, 100), memory, 2);  // 50 of them its own
  b.begin(5, bytes(isa::Space::spm, 0, 10), memory, 3);
  b.end(1, 5);
  b.end(2, 6);  // the end of inner
  CHECK(b.seen == std::vector<Changed>{{0, 0, 1, 100}, {0, 0, 2, 50}, {0, 0, 6, -50}});
  b.end(3, 9);
  b.occupancy.end_launch(TimeFs(20));
  CHECK(b.seen.back() == Changed{0, 0, 9, -100});
}

TEST_CASE("what the next scope uses before the last one ended is its own from then on") {
  Bench b;
  b.begin(0, bytes(isa::Space::spm, 0, 100), memory, 1);
  b.begin(6, bytes(isa::Space::spm, 20, 30), memory, 2);
  b.end(1, 8);
  CHECK(b.seen == std::vector<Changed>{{0, 0, 1, 100}, {0, 0, 8, -70}});
  b.end(2, 9);
  b.occupancy.end_launch(TimeFs(20));
  CHECK(b.seen.back() == Changed{0, 0, 9, -30});
}

TEST_CASE("another core's scratchpad, and what is outside of scopes, until the launch ends") {
  Bench b;
  isa::View far = bytes(isa::Space::spm, 0, 64);
  far.remote = true;
  far.core = 1;
  b.begin(7, far, memory, 1);
  b.end(1, 2);
  CHECK(b.seen == std::vector<Changed>{{1, 0, 1, 64}});
  b.occupancy.end_launch(TimeFs(20));
  CHECK(b.seen.back() == Changed{1, 0, 20, -64});
}

}  // namespace
}  // namespace heddle::trace
