// SPDX-License-Identifier: Apache-2.0
// Races: found where one edge is missing, in both modes and whatever this run's timing was; not found where nothing is.
#include <string>

#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"

using namespace heddle;
using heddle::testing::DeviceFailure;
using heddle::testing::Machine;

namespace {

const hdl_mode modes[] = {HDL_MODE_VALUES, HDL_MODE_FULL};

// The id of the error with which the program ends, "" for none.
std::string outcome(hdl_mode mode, const std::string& text, const std::vector<std::string>& overrides = {"cores=1"},
                    std::string* message = nullptr) {
  Machine m("edge", mode, overrides);
  try {
    m.run(m.assemble(text));
  } catch (const DeviceFailure& e) {
    if (message != nullptr) *message = e.what();
    return e.id;
  }
  return "";
}

void every_mode(const std::string& text, const std::string& id,
                const std::vector<std::string>& overrides = {"cores=1"}) {
  for (const hdl_mode mode : modes) {
    INFO(text);
    std::string message;
    const std::string got = outcome(mode, text, overrides, &message);
    INFO(message);
    CHECK(got == id);
  }
}

const std::string views =
    ".view a, spm, fp32, [4, 64]\n"
    ".view b, spm, fp32, [4, 64], base=4096\n"
    ".view c, spm, fp32, [4, 64], base=8192\n"
    ".view acol, spm, fp32, [4, 1], strides=[64, 1], base=12\n"
    ".view evens, spm, fp32, [4, 32], strides=[64, 2]\n"
    ".view odds, spm, fp32, [4, 32], strides=[64, 2], base=4\n"
    "start:\n"
    "view v1, a\nview v2, b\nview v3, c\nview v4, acol\nview v5, evens\nview v6, odds\n";

}  // namespace

TEST_CASE("a write that nobody waits for before the read is a race, with both ends named") {
  std::string message;
  const std::string text = views +
                           "dma.fill v1, 1.0 post s0\n"
                           "vpu.exp v2, v1\n"
                           "sem.wait s0, 1\nfence\nhalt\n";
  // In values mode the fill happens to come first or the read meets bytes that nobody wrote; the race is there alike.
  for (const hdl_mode mode : modes) {
    Machine m("edge", mode, {"cores=1", "check=races"});
    try {
      m.run(m.assemble(text));
      FAIL("no error");
    } catch (const DeviceFailure& e) {
      CHECK(e.id == "HDL-RACE-01");
      CHECK_THAT(e.what(), contains("dma0 writes: dma.fill") && contains("vpu0 reads: vpu.exp"));
      CHECK_THAT(e.what(), contains("spm bytes [0x0, 0x") && contains("test.s:14") && contains("test.s:15"));
      CHECK_THAT(e.what(), contains("posts s0") && contains("element [0, 0]"));
    }
  }
}

TEST_CASE("the same program with its wait has no race") {
  every_mode(views + "dma.fill v1, 1.0 post s0\nvpu.exp v2, v1 wait s0\nfence\nhalt\n", "");
}

TEST_CASE("write after read and write after write need an edge as well") {
  every_mode(views + "dma.fill v1, 1.0 post s0\nvpu.exp v2, v1 wait s0\ndma.fill v1, 2.0\nfence\nhalt\n",
             "HDL-RACE-01");
  every_mode(
      views + "dma.fill v1, 1.0 post s0\nvpu.exp v2, v1 wait s0, post s1\ndma.fill v1, 2.0 wait s1\nfence\nhalt\n", "");
  every_mode(views + "dma.fill v1, 1.0\ndma.fill v1, 2.0, on=1\nfence\nhalt\n", "HDL-RACE-01");
  every_mode(views + "dma.fill v1, 1.0\nfence\ndma.fill v1, 2.0, on=1\nfence\nhalt\n", "");
  every_mode(views + "dma.fill v1, 1.0\ndma.fill v1, 2.0\nfence\nhalt\n", "");  // one engine
}

TEST_CASE("two readers, and a writer that waits for one of them only") {
  const std::string two = views +
                          "dma.fill v1, 1.0 post s0, s3\n"
                          "vpu.exp v2, v1 wait s0, post s1\n"
                          "dma.copy v3, v1, on=1 wait s3, post s2\n";
  every_mode(two + "dma.fill v1, 2.0 wait s1, s2\nfence\nhalt\n", "");
  every_mode(two + "dma.fill v1, 2.0 wait s1\nsem.wait s2, 1\nfence\nhalt\n", "HDL-RACE-01");
  every_mode(two + "dma.fill v1, 2.0 wait s2\nsem.wait s1, 1\nfence\nhalt\n", "HDL-RACE-01");
}

TEST_CASE("strided views are compared byte by byte, not by their boxes") {
  every_mode(views + "dma.fill v5, 1.0\ndma.fill v6, 2.0, on=1\nfence\nhalt\n", "");
  every_mode(views + "dma.fill v6, 1.0\ndma.fill v4, 2.0, on=1\nfence\nhalt\n", "HDL-RACE-01");  // element 3 is odd
  every_mode(views + "dma.fill v5, 1.0\ndma.fill v4, 2.0, on=1\nfence\nhalt\n", "");
}

TEST_CASE("the sequencer's own loads and stores count") {
  const std::string smem = ".view w, smem, int32, [2], base=256\nstart: view v1, w\nli x5, 7\n";
  every_mode(smem + "dma.fill v1, 3 post s0\nlw x6, x0, 256\nsem.wait s0, 1\nhalt\n", "HDL-RACE-01",
             {"cores=1", "check=races"});
  every_mode(smem + "dma.fill v1, 3 post s0\nsem.wait s0, 1\nlw x6, x0, 256\nhalt\n", "");
  every_mode(smem + "sw x5, x0, 256\nsw x5, x0, 260\ndma.fill v1, 3\nfence\nhalt\n", "");  // before the issue
  every_mode(smem + "dma.fill v1, 3\nsw x5, x0, 260\nfence\nhalt\n", "HDL-RACE-01");
}

TEST_CASE("cores meet in HBM, and a remote post orders them") {
  const std::string two =
      ".view shared, hbm, fp32, [64], base=8192\n.view here, spm, fp32, [64]\n"
      "start: csrr x5, core_id\nview v1, shared\nview v2, here\nview.remote v1, x0, x0\n";
  // Both write the same bytes.
  every_mode(two + "dma.fill v1, 1.0\nfence\nhalt\n", "HDL-RACE-01", {"cores=2"});
  // Core 0 writes, tells core 1, which reads.
  const std::string tell = two +
                           "li x6, 1\nbne x5, x0, one\ndma.fill v1, 1.0 post s0\nsem.wait s0, 1\n"
                           "sem.post.remote s1, 1, x6, x0\nhalt\n";
  every_mode(tell + "one: dma.copy v2, v1 wait s1\nfence\nhalt\n", "", {"cores=2"});
  every_mode(tell + "one: dma.copy v2, v1\nsem.wait s1, 1\nfence\nhalt\n", "HDL-RACE-01", {"cores=2", "check=races"});
}

TEST_CASE("a lucky schedule does not hide a race") {
  // The read stands far behind the write in time: thousands of cycles of another engine's work and no edge.
  std::string text = views + "dma.fill v1, 1.0\ndma.fill v2, 1.0, on=1 post s0\n";
  for (int i = 0; i < 20; ++i) text += "vpu.exp v3, v2" + std::string(i == 0 ? " wait s0\n" : "\n");
  every_mode(text + "vpu.exp v3, v1\nfence\nhalt\n", "HDL-RACE-01");
}

TEST_CASE("gathered rows count one by one") {
  const std::string rows =
      ".view table, spm, fp32, [8, 64]\n.view row0, spm, fp32, [1, 64]\n.view row7, spm, fp32, [1, 64], base=7*256\n"
      ".view got, spm, fp32, [2, 64], base=65536\n.view list, smem, int32, [2], base=256\n"
      "start: view v1, table\nview v2, row0\nview v3, row7\nview v4, got\nview v5, list\n"
      "li x5, 1\nsw x5, x0, 256\nli x5, 7\nsw x5, x0, 260\n"
      "dma.fill v1, 1.0\nfence\n"
      "dma.gather v4, v1, v5\n";
  every_mode(rows + "dma.fill v2, 2.0, on=1\nfence\nhalt\n", "");
  every_mode(rows + "dma.fill v3, 2.0, on=1\nfence\nhalt\n", "HDL-RACE-01");
}

TEST_CASE("one launch is ordered before the next") {
  for (const hdl_mode mode : modes) {
    Machine m("edge", mode, {"cores=1"});
    const hdl_image first = m.assemble(views + "dma.fill v1, 1.0\nhalt\n");
    const hdl_image second = m.assemble(views + "dma.fill v1, 2.0, on=1\nhalt\n");
    m.run(first);
    CHECK_NOTHROW(m.run(second));
  }
}

TEST_CASE("checkers go off by name, and never move a cycle") {
  const std::string race = views + "dma.fill v1, 1.0\ndma.fill v1, 2.0, on=1\nfence\nhalt\n";
  every_mode(race, "", {"cores=1", "check=uninit"});
  every_mode(race, "", {"cores=1", "check=none"});
  CHECK(outcome(HDL_MODE_TIMING, race) == "");
  const std::string uninit = views + "vpu.exp v2, v1\nfence\nhalt\n";
  every_mode(uninit, "HDL-EXEC-02");
  every_mode(uninit, "", {"cores=1", "check=races"});
  CHECK_THROWS_WITH(Machine("edge", HDL_MODE_VALUES, {"check=luck"}), contains("HDL-CHECK-01") && contains("luck"));
  const std::string good = views + "dma.fill v1, 1.0 post s0\nvpu.exp v2, v1 wait s0\nfence\nhalt\n";
  std::vector<std::uint64_t> cycles;
  for (const char* list : {"check=all", "check=none"}) {
    Machine m("edge", HDL_MODE_FULL, {"cores=1", list});
    cycles.push_back(m.cycles(good));
    m.close();
  }
  CHECK(cycles[0] == cycles[1]);
}

TEST_CASE("two waiters, and two posters that can be exchanged") {
  const std::string both = views + "dma.fill v1, 1.0 post s0:2\n";
  every_mode(both + "vpu.exp v2, v1 wait s0\ndma.copy v3, v1, on=1 wait s0\nfence\nhalt\n", "HDL-SEM-05");
  // The first may hand over to the second.
  every_mode(both + "vpu.exp v2, v1 wait s0, post s1\ndma.copy v3, v1, on=1 wait s1, s0\nfence\nhalt\n", "");
  // Two units of one engine or one of each: the wait for 2 needs both only if each posts once.
  every_mode(views +
                 "dma.fill v1, 1.0 post s0\ndma.fill v2, 1.0, on=1 post s0\nvpu.add v3, v1, v2 wait s0:2\n"
                 "fence\nhalt\n",
             "");
  every_mode(views +
                 "dma.fill v1, 1.0 post s0\ndma.fill v2, 1.0, on=1 post s0\nvpu.exp v3, v1 wait s0\n"
                 "vpu.exp v3, v2 wait s0\nfence\nhalt\n",
             "HDL-RACE-01");
}
