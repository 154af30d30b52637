// SPDX-License-Identifier: Apache-2.0
// The critical path of programs whose path is known: by hand, or by how they are made.
#include <fmt/format.h>

#include <string>

#include "sim/trace/critical_path.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::Machine;
using trace::PathKind;

namespace {

const std::string plain = HEDDLE_SOURCE_DIR "/testbench/timing/engines/plain.yaml";

// A run and its path; times in cycles, which are nanoseconds on this chip.
struct Run {
  explicit Run(const std::string& text, const std::vector<std::string>& overrides = {}) {
    trace::Recorder recorder(programs);
    recorder.add(&path);
    const trace::Installed installed(&recorder);
    Machine m(plain, HDL_MODE_TIMING, overrides);
    cycles = static_cast<std::int64_t>(m.cycles(text));
  }
  // Of one kind, in cycles; of all times when none is named.
  std::int64_t time(std::optional<PathKind> kind = {}) const {
    std::int64_t sum = 0;
    for (const auto& [key, amount] : path.sums())
      if (kind ? key.kind == static_cast<std::uint8_t>(*kind) : key.kind < trace::path_time_kinds) sum += amount;
    REQUIRE(sum % path.period().value() == 0);
    return sum / path.period().value();
  }
  double share(PathKind kind) const { return static_cast<double>(time(kind)) / static_cast<double>(cycles); }
  // How often the path went from an instruction of one unit to one of another.
  std::int64_t handoffs(const std::string& from, const std::string& to, PathKind how = PathKind::post) const {
    std::int64_t sum = 0;
    for (const auto& [key, amount] : path.sums()) {
      const trace::ProgramInfo& p = programs[key.program];
      if (key.kind == static_cast<std::uint8_t>(how) && p.engine(key.from).starts_with(from) &&
          p.engine(key.pc).starts_with(to))
        sum += amount;
    }
    return sum;
  }
  std::int64_t on_core(std::uint16_t core, PathKind kind) const {
    std::int64_t sum = 0;
    for (const auto& [key, amount] : path.sums())
      if (key.core == core && key.kind == static_cast<std::uint8_t>(kind)) sum += amount;
    return sum / path.period().value();
  }

  trace::Programs programs;
  trace::CriticalPath path{programs};
  std::int64_t cycles = 0;
};

}  // namespace

TEST_CASE("load, multiply, store: every link of the only chain there is") {
  // One transfer brings W and X (1 KiB, 16 packets), the array multiplies, another engine stores 1 KiB of fp32.
  const Run r(R"(
        .view both, spm, bf16, [32, 16]
        .view from, hbm, bf16, [32, 16]
        .view w, spm, bf16, [16, 16]
        .view x, spm, bf16, [16, 16], base=512
        .view c, acc, fp32, [16, 16]
        .view to, hbm, fp32, [16, 16], base=4096
        view v1, both
        view v2, from
        view v3, w
        view v4, x
        view v5, c
        view v6, to
        dma.copy v1, v2 post s0
        mxu.load v3 wait s0
        mxu.matmul v5, v4 post s1
        dma.copy v6, v5, on=1 wait s1
        halt)");
  CHECK(r.time() == r.cycles);
  CHECK(r.time(PathKind::sequencer) == 7);  // six views and the first copy
  CHECK(r.time(PathKind::dma_start) == 100 + 100);
  CHECK(r.time(PathKind::weight_load) == 16);
  CHECK(r.time(PathKind::mxu) == 16);
  CHECK(r.time(PathKind::pipeline) == 30);  // from the last row's entry to its exit
  CHECK(r.handoffs("dma0", "mxu0") == 1);
  CHECK(r.handoffs("mxu0", "dma1") == 1);
  // 512 B a batch of two, all the rest is on the way: 100 ns of the memory's latency each way at least.
  CHECK(r.time(PathKind::hbm) >= 100 + 100);
  CHECK(r.time(PathKind::hbm) + r.time(PathKind::noc) + r.time(PathKind::dma_issue) + r.time(PathKind::dma_data) ==
        r.cycles - 7 - 200 - 32 - 30);
}

namespace {

// A ring of `depth` buffers: a transfer of `bytes` fills one, a matmul of `rows` rows uses it up.
std::string ring(int depth, int rounds, int bytes, int rows) {
  return fmt::format(R"(
        .view far, hbm, bf16, [{0}]
        .view near, spm, bf16, [{0}], base=65536
        .view w, spm, bf16, [16, 16]
        .view x, spm, bf16, [{1}, 16], base=65536
        .view c, acc, fp32, [{1}, 16]
        view v1, near
        view v2, far
        view v3, w
        view v4, x
        view v5, c
        mxu.load v3
        sem.post s1, {2}
        li x4, {3}
loop:   dma.copy v1, v2     wait s1, post s0
        mxu.matmul v5, v4   wait s0, post s1
        addi x4, x4, -1
        bne x4, x0, loop
        fence
        sem.wait s1, {2}
        halt)",
                     bytes / 2, rows, depth, rounds);
}

}  // namespace

TEST_CASE("one buffer: transfer and product take turns, and the path passes through all of them") {
  const int rounds = 10;
  const Run r(ring(1, rounds, 512, 16));
  CHECK(r.time() == r.cycles);
  CHECK(r.handoffs("dma0", "mxu0") == rounds);
  CHECK(r.handoffs("mxu0", "dma0") == rounds - 1);
  CHECK(r.time(PathKind::dma_start) == rounds * 100);
  CHECK(r.time(PathKind::mxu) == rounds * 16);
  CHECK(r.time(PathKind::pipeline) == rounds * 30);
}

TEST_CASE("two buffers and long transfers: the path stays in the memory") {
  const int rounds = 20;
  const Run r(ring(2, rounds, 64 << 10, 16));  // 1024 cycles of the memory's bandwidth for 16 of the array
  CHECK(r.time() == r.cycles);
  CHECK(r.share(PathKind::hbm) > 0.9);
  CHECK(r.time(PathKind::mxu) == 16);  // the last one
  CHECK(r.handoffs("mxu0", "dma0") == 0);
}

TEST_CASE("two buffers and long products: the path stays in the array") {
  const int rounds = 20;
  const Run r(ring(2, rounds, 512, 1024));
  CHECK(r.time() == r.cycles);
  CHECK(r.time(PathKind::mxu) == rounds * 1024);
  CHECK(r.time(PathKind::dma_start) == 100);  // the first one
  CHECK(r.handoffs("dma0", "mxu0") == 1);
}

TEST_CASE("two buffers that hide half of the latency: the path takes turns") {
  // A round trip of more than 200 ns and a product of 64: two of each a turn, so the array cannot be all of it.
  const Run r(ring(2, 40, 512, 64));
  CHECK(r.time() == r.cycles);
  CHECK(r.handoffs("mxu0", "dma0") >= 19);
  CHECK(r.handoffs("dma0", "mxu0") >= 19);
}

TEST_CASE("a slow sequencer is the path, and a full queue is not") {
  const std::string head = ".view a, acc, fp32, [16, 16]\nview v1, a\nli x4, 3\n";
  std::string text = head;
  for (int i = 0; i < 20; ++i) text += "div x5, x4, x4\nvpu.relu v1, v1\n";  // 17 cycles for 8 of work
  const Run slow(text + "halt");
  CHECK(slow.time() == slow.cycles);
  CHECK(slow.time(PathKind::sequencer) == 2 + 20 * 17);
  CHECK(slow.time(PathKind::vpu) == 8);

  text = head;
  for (int i = 0; i < 20; ++i) text += "vpu.relu v1, v1\n";
  const Run full(text + "halt");
  CHECK(full.time() == full.cycles);
  CHECK(full.time(PathKind::vpu) == 20 * 8);
  CHECK(full.time(PathKind::sequencer) == 3);
}

TEST_CASE("a launch that ends with its sequencer, which a full queue held up") {
  // Four places: the seventh relu enters when the third starts, and 100 cycles follow.
  std::string text = ".view a, acc, fp32, [16, 16]\nview v1, a\n";
  for (int i = 0; i < 7; ++i) text += "vpu.relu v1, v1\n";
  for (int i = 0; i < 100; ++i) text += "nop\n";
  const Run r(text + "halt");
  CHECK(r.time() == r.cycles);
  CHECK(r.cycles == 18 + 101);  // the seventh enters at 18 (testbench/timing/engines/test_queues.cpp)
  CHECK(r.handoffs("vpu0", "vpu0", PathKind::queue) == 1);
  CHECK(r.time(PathKind::vpu) == 16);
}

TEST_CASE("a fence hands over from the engine that ended last") {
  const Run r(".view a, acc, fp32, [16, 16]\nview v1, a\nvpu.relu v1, v1\nfence\nnop\nhalt");
  CHECK(r.time() == r.cycles);
  CHECK(r.time(PathKind::vpu) == 8);
  CHECK(r.time(PathKind::sequencer) == 2 + 2);  // view, relu; then nop, halt
}

TEST_CASE("a post to another core: the path changes cores and pays the way") {
  const Run r(R"(
        .view a, acc, fp32, [64, 64]
        csrr x4, core_id
        view v1, a
        beq x4, x0, first
        vpu.relu v1, v1     post s0
        sem.wait s0, 1
        sem.post.remote s1, 1, x0, x0
        halt
first:  sem.wait s1, 1
        vpu.relu v1, v1
        halt)",
              {"cores=2"});
  CHECK(r.time() == r.cycles);
  const std::int64_t relu = 4 + 64 * 64 / 64;
  CHECK(r.on_core(1, PathKind::vpu) == relu);
  CHECK(r.on_core(0, PathKind::vpu) == relu);
  CHECK(r.time(PathKind::noc) == 2);  // a hop and the packet's own cycle
}

TEST_CASE("a long run needs no more memory than a short one") {
  const Run brief(ring(2, 200, 512, 64)), lengthy(ring(2, 20000, 512, 64));
  CHECK(lengthy.time() == lengthy.cycles);
  CHECK(lengthy.path.most_nodes() <= brief.path.most_nodes() + 8);
  CHECK(lengthy.path.most_nodes() < 100);
}
