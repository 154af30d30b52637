// SPDX-License-Identifier: Apache-2.0
// What a host program sees when something is wrong, and what it can measure when nothing is.
#include "sim/top/simulator_api.h"
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/run_support.hpp"

using namespace heddle;
using namespace heddle::sdk;
using namespace heddle::sdk::test;

TEST_CASE("A device that cannot be opened says why", "[sdk][run]") {
  REQUIRE_THROWS_AS(open_edge(HDL_MODE_VALUES, 1, {"coers=2"}), Error);
  try {
    open_edge(HDL_MODE_VALUES, 1, {"coers=2"});
  } catch (const Error& e) {
    REQUIRE(e.kind() == ErrorKind::bad_input);
    REQUIRE_THAT(e.what(), contains("coers"));
  }
  REQUIRE_THROWS_WITH(Device(nullptr, {}), contains("HDL-SDK-61"));
  hdl_api other = *hdl_simulator_api();
  other.abi_version = 99;
  REQUIRE_THROWS_WITH(Device(&other, {}), contains("HDL-SDK-61"));
}

TEST_CASE("A program error names the kernel's line", "[sdk][run]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  Device device = open_edge(mode, 1);
  Buffer y = device.allocate(256);
  unsigned line = 0;
  try {
    run(device,
        [&](KernelBuilder& k) {
          const Spm never_written = k.spm({64}, fp32);
          k.store(Tensor(k.arg(0), fp32, {64}), never_written), line = __LINE__;
        },
        {y});
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    REQUIRE(e.id() == "HDL-EXEC-02");
    REQUIRE(e.kind() == ErrorKind::program);
    REQUIRE(e.where().line == line);
    REQUIRE_THAT(e.where().file, contains("testbench/unit/sdk/test_run_errors.cpp"));
  }
}

TEST_CASE("The padding of a partly filled slot is not what an earlier turn left there", "[sdk][run]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const bool cut = GENERATE(false, true);
  Device device = open_edge(mode, 1);
  Buffer x = device.upload(std::vector<float>(5 * 64, 1.0f)), y = device.allocate(6 * 64 * 4);
  // Five rows in blocks of two: the last slot has one row of this turn, and one of two turns before.
  const auto body = [&](KernelBuilder& k) {
    const Tensor tx(k.arg(0), fp32, {5, 64}), ty(k.arg(1), fp32, {6, 64});
    auto scope = k.kernel("padded");
    auto pipe = k.pipe({2, 64}, fp32, 1);
    k.loop(3, [&](Scalar i) {
      const Extent rows(min(Scalar(5) - i * 2, 2), 2);
      pipe.load(tx.slice(0, i * 2, rows));
      const auto slot = cut ? pipe.wait({rows, 64}) : pipe.wait();
      const Spm out = k.spm({2, 64}, fp32);
      k.exp(cut ? out.rows(0, rows) : out, slot);
      k.store(ty.slice(0, i * 2, cut ? rows : Extent(2)), cut ? out.rows(0, rows) : out);
    });
  };
  if (cut)
    REQUIRE_NOTHROW(run(device, body, {x, y}));
  else
    REQUIRE_THROWS_WITH(run(device, body, {x, y}), contains("HDL-EXEC-02") && contains("spm byte 0x100"));
}

TEST_CASE("A tile does not begin with what the kernel before left in its memory", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  const bool overwrites = GENERATE(false, true);
  const auto body = [&](KernelBuilder& k) {
    for (int kernel = 0; kernel < 2; ++kernel) {
      auto scope = k.kernel("product");
      const Spm a = k.spm({16, 16}, bf16), w = k.spm({16, 16}, bf16);
      k.fill(a, 1);
      k.fill(w, 1);
      const Acc sum = k.acc({16, 16}, fp32);
      k.matmul(sum, a, w, kernel == 0 || overwrites ? overwrite : accumulate);
    }
  };
  if (overwrites)
    REQUIRE_NOTHROW(run(device, body, {}));
  else
    REQUIRE_THROWS_WITH(run(device, body, {}), contains("HDL-EXEC-02") && contains("acc byte 0x0"));
}

TEST_CASE("A view that leaves its tile is found where it is used", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  // The sizes that the run gives are larger than what was promised.
  const auto body = [&](KernelBuilder& k) {
    const Spm a = k.spm({4, 64}, fp32), b = k.spm({4, 64}, fp32);
    k.fill(b, 0);
    k.fill(a.slice(0, k.arg(0), Extent(1)), 1);
  };
  REQUIRE_NOTHROW(run(device, body, {3}));
  REQUIRE_THROWS_WITH(run(device, body, {4}), contains("HDL-BOUND-01") && contains("the tile is: spm [0x0, 0x400)"));
}

TEST_CASE("More views of run-time sizes than registers are made again where they are used", "[sdk][run]") {
  const int count = GENERATE(16, 31, 40, 70);
  Device device = open_edge(HDL_MODE_VALUES, 1);
  const auto x = small_integers(64, 1);
  Buffer dx = device.upload(x), dy = device.allocate(64 * 4);
  run(device,
      [&](KernelBuilder& k) {
        const Extent n(k.arg(2), 64);
        std::vector<Spm> tiles;
        for (int i = 0; i < count; ++i) tiles.push_back(k.spm({n}, fp32));
        k.loop(2, [&](Scalar) {
          k.load(tiles.front(), Tensor(k.arg(0), fp32, {n}));
          for (std::size_t i = 1; i < tiles.size(); ++i) k.add(tiles[i], tiles[i - 1], 1);
          for (std::size_t i = 1; i < tiles.size(); ++i) k.sub(tiles[i - 1], tiles[i], tiles[i - 1]);
          k.store(Tensor(k.arg(1), fp32, {n}), tiles.back());
        });
      },
      {dx, dy, 50});
  const auto y = dy.read_as<float>();
  for (std::size_t i = 0; i < 50; ++i) REQUIRE(y[i] == x[i] + static_cast<float>(count - 1));
}

TEST_CASE("More acquires than slots and no release is a deadlock that is reported", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  Buffer x = device.upload(std::vector<float>(64, 1.0f));
  REQUIRE_THROWS_WITH(run(device,
                          [](KernelBuilder& k) {
                            auto pipe = k.pipe({64}, fp32, 2);
                            for (int i = 0; i < 3; ++i) pipe.load(Tensor(k.arg(0), fp32, {64}));
                            k.fence();  // the sequencer waits for a load that waits for a release behind the fence
                            for (int i = 0; i < 3; ++i) {
                              auto slot = pipe.wait();
                              k.exp(slot, slot);
                            }
                          },
                          {x}),
                      contains("HDL-SEM-01"));
}

TEST_CASE("Buffers keep to their bounds and counters to what was run", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_FULL, 1);
  Buffer b = device.allocate(16);
  const std::vector<float> five(5, 1.0f);
  REQUIRE_THROWS_WITH(b.write(five), contains("HDL-SDK-60"));
  REQUIRE_THROWS_WITH(b.write(std::vector<float>(2, 0.0f), 12), contains("HDL-SDK-60"));
  b.write(std::vector<float>{1, 2, 3, 4});
  REQUIRE(b.read_as<float>(8) == std::vector<float>{3, 4});
  Buffer moved = std::move(b);
  REQUIRE(moved.bytes() == 16);
  REQUIRE(b.bytes() == 0);  // NOLINT: a moved-from buffer is empty
  const Counters before = device.counters();
  run(device, [](KernelBuilder& k) { k.fill(k.spm({64}, fp32), 1); }, {});
  const Counters spent = device.counters() - before;
  REQUIRE(spent["cycles"] > 0);
  REQUIRE(spent["no such counter"] == 0);
  REQUIRE((device.counters() - device.counters())["cycles"] == 0);
}

TEST_CASE("An image for an entry that is not there is refused", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  KernelBuilder k(device.target(), "t");
  k.arg(2);
  const LoadedImage image = device.load(k.finish());
  REQUIRE_THROWS_AS(device.run(image, "other", {}), Error);
  REQUIRE_THROWS_AS(device.run(image, "main", {1, 2}), Error);
  device.run(image, "main", {1, 2, 3});
}

TEST_CASE("Variables carry values through loops and branches", "[sdk][run]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  Device device = open_edge(mode, 1);
  Buffer y = device.allocate(4 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Smem out = k.smem({4});
        Var sum = k.var(0), last = k.var(-1);
        const Scalar before = sum;
        k.loop(k.arg(1), [&](Scalar i) {
          const Scalar old = sum;
          sum += i * i;
          k.if_(
              i % 3 == 0, [&] { last = old; }, [&] { sum -= 1; });
        });
        k.write(out, 0, sum);
        k.write(out, 1, last);
        k.write(out, 2, before);
        k.write(out, 3, k.select(sum.get() > 100, 1, 2));
        k.copy(Tensor(k.arg(0), int32, {4}), out);
      },
      {y, 8});
  int sum = 0, last = -1;
  for (int i = 0; i < 8; ++i) {
    const int old = sum;
    sum += i * i;
    if (i % 3 == 0)
      last = old;
    else
      sum -= 1;
  }
  REQUIRE(y.read_as<std::int32_t>() == std::vector<std::int32_t>{sum, last, 0, sum > 100 ? 1 : 2});
}
