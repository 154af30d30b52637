// SPDX-License-Identifier: Apache-2.0
#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/unit/exec/rig.hpp"

using heddle::exec::first_clear_bit;
using heddle::exec::MachineMemory;
using heddle::exec::MemoryRange;
using heddle::exec::set_bits;
using namespace heddle::test;

TEST_CASE("set_bits and first_clear_bit agree with one bit at a time") {
  Random random;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> bits(6, 0);
    std::vector<bool> plain(6 * 64, false);
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t begin = random.below(384);
      const std::uint32_t n = random.below(384 - begin + 1);
      set_bits(bits.data(), begin, n);
      for (std::uint32_t i = begin; i < begin + n; ++i) plain[i] = true;
    }
    const std::uint32_t begin = random.below(384);
    const std::uint32_t n = random.below(384 - begin + 1);
    std::uint32_t want = begin;
    while (want < begin + n && plain[want]) ++want;
    REQUIRE(first_clear_bit(bits.data(), begin, n) == want);
  }
}

TEST_CASE("every space of every core is its own memory") {
  MachineMemory m(exec_chip(), true);
  std::vector<std::uint8_t*> all;
  for (std::uint32_t core = 0; core < 2; ++core)
    for (Space s : {Space::spm, Space::acc, Space::smem}) all.push_back(m.data(s, 0, core));
  all.push_back(m.data(Space::hbm, 0, 0));
  REQUIRE(m.data(Space::hbm, 0, 0) == m.data(Space::hbm, 0, 1));
  std::sort(all.begin(), all.end());
  REQUIRE(std::adjacent_find(all.begin(), all.end()) == all.end());
  REQUIRE(m.capacity(Space::smem) == 4096);
}

TEST_CASE("a byte is written or it is not, and the error names the first that is not") {
  MachineMemory m(exec_chip(), true);
  const MemoryRange range{Space::spm, 0, 1, 100, 60};
  m.mark_written(range);
  REQUIRE_NOTHROW(m.check_written(range));
  REQUIRE_NOTHROW(m.check_written({Space::spm, 0, 1, 500, 0}));
  REQUIRE_THROWS_WITH(m.check_written({Space::spm, 0, 1, 101, 60}),
                      contains("HDL-EXEC-02") && contains("spm byte 0xa0"));
  REQUIRE_THROWS_WITH(m.check_written({Space::spm, 0, 0, 100, 1}), contains("0x64"));
}

TEST_CASE("without tracking nothing is unwritten") {
  MachineMemory m(exec_chip(), false);
  REQUIRE_NOTHROW(m.check_written({Space::hbm, 0, 0, 0, 1 << 20}));
  REQUIRE_FALSE(m.tracks_written());
}

TEST_CASE("the host reads and writes HBM within its capacity") {
  MachineMemory m(exec_chip(), true);
  const std::uint32_t value = 0x12345678;
  m.host_write(0, (1 << 20) - 4, &value, 4);
  std::uint32_t back = 0;
  m.host_read(0, (1 << 20) - 4, &back, 4);
  REQUIRE(back == value);
  REQUIRE_THROWS_WITH(m.host_write(0, (1 << 20) - 3, &value, 4), contains("HDL-EXEC-01"));
  REQUIRE_THROWS_WITH(m.host_read(0, ~0ull, &back, 4), contains("HDL-EXEC-01"));
  m.host_read(0, 0, &back, 4);
  REQUIRE(back == 0);
}

TEST_CASE("a launch clears SMEM and puts the arguments there") {
  MachineMemory m(exec_chip(), true);
  m.data(Space::smem, 0, 1)[100] = 9;
  m.mark_written({Space::smem, 0, 1, 0, 4096});
  const std::vector<std::uint64_t> arguments{7, 8};
  m.begin_launch(arguments);
  REQUIRE(m.data(Space::smem, 0, 1)[100] == 0);
  REQUIRE(m.data(Space::smem, 0, 1)[8] == 8);
  REQUIRE_NOTHROW(m.check_written({Space::smem, 0, 1, 0, 16}));
  REQUIRE_THROWS(m.check_written({Space::smem, 0, 1, 16, 1}));
  REQUIRE_THROWS_WITH(m.begin_launch(std::vector<std::uint64_t>(513)), contains("HDL-EXEC-01"));
}

TEST_CASE("a large HBM costs nothing until it is touched") {
  auto chip = exec_chip();
  chip.memory.capacity_bytes = std::int64_t{1} << 38;  // 256 GiB
  MachineMemory m(chip, true);
  m.data(Space::hbm, 0, 0)[(std::uint64_t{1} << 38) - 1] = 1;
  REQUIRE(m.capacity(Space::hbm) == std::uint64_t{1} << 38);
}
