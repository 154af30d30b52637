// SPDX-License-Identifier: Apache-2.0
// Operands against the tile or buffer that they belong to, reads of what a tile held before its turn, and sums in ACC
// that are read too early.
#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::failure_of;
using heddle::testing::Machine;

namespace {

// With what it ends: "" or the message.
std::string outcome(const std::string& text, hdl_mode mode = HDL_MODE_FULL, const std::string& check = "all") {
  Machine m("edge", mode, {"cores=1", "check=" + check});
  return failure_of([&] { m.run(m.assemble(text)); });
}

// A tile of two slots of 1024 bytes; a view of `rows` rows of 256 bytes from `base` on.
std::string fill(int rows, int base) {
  return ".tile spm, 1024, 1024, 2\n.view a, spm, fp32, [" + std::to_string(rows) +
         ", 64], base=" + std::to_string(base) + "\nstart: view v1, a\n.within vd=0\ndma.fill v1, 1.0\nfence\nhalt\n";
}

}  // namespace

TEST_CASE("an operand lies in one slot of its tile") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  CHECK(outcome(fill(4, 1024), mode).empty());
  CHECK(outcome(fill(4, 2048), mode).empty());
  CHECK(outcome(fill(2, 1536), mode).empty());
  CHECK_THAT(outcome(fill(4, 960), mode), contains("test.s:5: HDL-BOUND-01") && contains("spm bytes [0x3c0, 0x7c0)") &&
                                              contains("spm [0x400, 0xc00), 2 slots of 0x400 bytes (test.s:1)"));
  CHECK_THAT(outcome(fill(5, 1024), mode), contains("HDL-BOUND-01"));  // into the next slot
  CHECK_THAT(outcome(fill(4, 2112), mode), contains("HDL-BOUND-01"));  // past the last
  CHECK_THAT(outcome(fill(8, 1024), mode), contains("HDL-BOUND-01"));  // both of them
  CHECK(outcome(fill(5, 1024), mode, "races,uninit").empty());
  CHECK(outcome(fill(5, 1024), HDL_MODE_TIMING).empty());
}

TEST_CASE("strides back and forth are measured from the first byte to the last") {
  const auto backwards = [](int base) {
    return ".tile spm, 1024, 1024, 1\n.view a, spm, fp32, [4, 64], strides=[-64, -1], base=" + std::to_string(base) +
           "\nstart: view v1, a\n.within vd=0\ndma.fill v1, 1.0\nfence\nhalt\n";
  };
  CHECK(outcome(backwards(2044)).empty());
  CHECK_THAT(outcome(backwards(2040)), contains("HDL-BOUND-01"));
  CHECK_THAT(outcome(backwards(2048)), contains("HDL-BOUND-01"));
}

TEST_CASE("an operand in HBM lies in one of the host's buffers") {
  const std::string text =
      ".entry start, 1\n.view x, hbm, fp32, [256]\n.view a, spm, fp32, [256]\n"
      "start: ld x3, x0, 0\nview v1, x, base=x3\nview v2, a\ndma.fill v2, 1.0 post s0\ndma.copy v1, v2, on=1 wait s0\n"
      "fence\nhalt\n";
  for (const hdl_mode mode : {HDL_MODE_VALUES, HDL_MODE_FULL}) {
    Machine m("edge", mode, {"cores=1"});
    const hdl_image image = m.assemble(text);
    const std::uint64_t exact = m.allocate(1024), beside = m.allocate(1000);
    m.allocate(4096);
    CHECK(failure_of([&] { m.run(image, {exact}); }).empty());
    CHECK_THAT(failure_of([&] { m.run(image, {exact + 4}); }), contains("test.s:8: HDL-BOUND-02"));
    CHECK_THAT(failure_of([&] { m.run(image, {exact - 4}); }), contains("HDL-BOUND-02") && contains("nothing there"));
    CHECK_THAT(failure_of([&] { m.run(image, {beside}); }), contains("HDL-BOUND-02"));
  }
  Machine nothing_allocated("edge", HDL_MODE_FULL, {"cores=1"});
  CHECK(failure_of([&] { nothing_allocated.run(nothing_allocated.assemble(text), {0x10000}); }).empty());
}

namespace {

// Fills a whole tile, then, in the next turn, 64 * `rows` elements of it, and reads 64 * `read` of them with `reader`.
std::string second_turn(bool fresh, int rows, const std::string& reader) {
  return ".tile spm, 0, 1024, 1\n.view whole, spm, fp32, [4, 64]\n.view part, spm, fp32, [" + std::to_string(rows) +
         ", 64]\n.view out, spm, fp32, [4, 64], base=4096\n.view col, spm, fp32, [4, 1], base=4096\n"
         ".view mask, spm, fp32, [4, 64], base=8192\n"
         "start: view v1, whole\nview v2, part\nview v3, out\nview v4, col\nview v5, mask\n"
         "dma.fill v5, 0.0\ndma.fill v1, 1.0\nfence\n" +
         (fresh ? ".fresh" : ".within") + " vd=0\ndma.fill v2, 2.0\nfence\n" + reader + "\nfence\nhalt\n";
}

}  // namespace

TEST_CASE("what a tile held before its turn counts as never written") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  // Whoever reads the padding of a partial tile: element by element, over rows, for their largest, under a mask.
  const std::string reader = GENERATE("vpu.exp v3, v1", "vpu.sum v4, v1", "vpu.rowmax v4, v1", "dma.copy v3, v1",
                                      "vpu.select v3, v5, v1, v5", "vpu.affine_select v3, v1, x0, cj=-1");
  CAPTURE(reader);
  CHECK_THAT(outcome(second_turn(true, 3, reader), mode), contains("HDL-EXEC-02") && contains("spm byte 0x300"));
  CHECK(outcome(second_turn(true, 4, reader), mode).empty());
  CHECK(outcome(second_turn(false, 3, reader), mode).empty());  // nobody said that a turn begins
  CHECK(outcome(second_turn(true, 3, reader), mode, "races,bounds").empty());
}

TEST_CASE("bytes that nobody wrote are found in every kind of reader") {
  const std::string views =
      ".view whole, spm, fp32, [4, 64]\n.view part, spm, fp32, [3, 64]\n.view out, spm, fp32, [4, 64], base=4096\n"
      ".view col, spm, fp32, [4, 1], base=4096\n.view mask, spm, fp32, [4, 64], base=8192\n"
      ".view index, spm, int32, [4, 2], base=12288\n.view two, spm, fp32, [4, 2], base=16384\n"
      "start: view v1, whole\nview v2, part\nview v3, out\nview v4, col\nview v5, mask\nview v6, index\nview v7, two\n"
      "dma.fill v5, 0.0\ndma.fill v2, 2.0\nfence\n";
  const std::string reader = GENERATE("vpu.mov v3, v1", "vpu.add v3, v5, v1", "vpu.rowmax v4, v1", "vpu.rowmin v4, v1",
                                      "vpu.argmax v6, v1", "vpu.topk v7, v6, v1", "vpu.select v3, v5, v5, v1",
                                      "vpu.select v3, v1, v5, v5", "vpu.fused v3, v5, bias=v1");
  CAPTURE(reader);
  std::string text = views + reader + "\nfence\nhalt\n";
  if (reader.find("argmax") != std::string::npos)
    text.replace(text.find(".view index, spm, int32, [4, 2]"), 31, ".view index, spm, int32, [4, 1]");
  CHECK_THAT(outcome(text), contains("HDL-EXEC-02") && contains("spm byte 0x300"));
}

namespace {

const std::string product =
    ".view w, spm, bf16, [16, 16]\n.view x, spm, bf16, [16, 16], base=1024\n.view y, spm, fp32, [16, 16], base=2048\n"
    ".view c, acc, fp32, [16, 16]\nstart: view v1, w\nview v2, x\nview v3, y\nview v4, c\n"
    "dma.fill v1, 1.0\ndma.fill v2, 1.0 post s0\nmxu.load v1 wait s0\n";

}  // namespace

TEST_CASE("an accumulation onto what nobody wrote, or onto the turn before, is found") {
  CHECK_THAT(outcome(product + "mxu.matmul v4, v2, accumulate\nfence\nhalt\n"),
             contains("HDL-EXEC-02") && contains("acc byte 0x0"));
  const std::string turns = ".tile acc, 0, 1024, 1\n" + product + "mxu.matmul v4, v2\nfence\n";
  CHECK(outcome(turns + ".within vd=0\nmxu.matmul v4, v2, accumulate\nfence\nhalt\n").empty());
  CHECK_THAT(outcome(turns + ".fresh vd=0\nmxu.matmul v4, v2, accumulate\nfence\nhalt\n"),
             contains("HDL-EXEC-02") && contains("acc byte 0x0"));
  CHECK(outcome(turns + ".fresh vd=0\nmxu.matmul v4, v2\nfence\nhalt\n").empty());
}

TEST_CASE("sums that are read before the last product is added are found, though all is ordered") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const std::string read = product + "mxu.matmul v4, v2 post s1\nvpu.mov v3, v4 wait s1, post s2\n";
  CHECK_THAT(
      outcome(read + "mxu.matmul v4, v2, accumulate wait s2\nfence\nhalt\n", mode),
      contains("test.s:14: HDL-ACC-01") && contains("vpu0 reads: vpu.mov") && contains("mxu0 adds to it: mxu.matmul"));
  CHECK(outcome(read + "mxu.matmul v4, v2 wait s2\nfence\nhalt\n", mode).empty());  // a new sum
  // The VPU scales the sums, as a softmax does: what it read it has written again.
  CHECK(outcome(product + "mxu.matmul v4, v2 post s1\nvpu.mul.i v4, v4, 0.5 wait s1, post s2\n"
                          "mxu.matmul v4, v2, accumulate wait s2\nfence\nhalt\n",
                mode)
            .empty());
  // A bias that the VPU put there is no sum yet.
  CHECK(outcome(product + "vpu.iota v4, x0, 0 post s1\ndma.copy v3, v4, on=1 wait s1, post s2\n"
                          "mxu.matmul v4, v2, accumulate wait s2\nfence\nhalt\n",
                mode)
            .empty());
}
