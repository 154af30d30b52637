// SPDX-License-Identifier: Apache-2.0
// Pipes and pipelines in odd places: nested loops, any depth, several producers and consumers, no steps at all.
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/run_support.hpp"

using namespace heddle;
using namespace heddle::sdk;
using namespace heddle::sdk::test;

TEST_CASE("A pipeline of any depth and number of steps sums its blocks", "[sdk][run][pipe]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const std::uint64_t steps = GENERATE(0, 1, 2, 3, 7);
  const bool at_run_time = GENERATE(false, true);
  Device device = open_edge(mode, 1);
  const auto x = small_integers(7 * 64 + 1, 1);
  Buffer dx = device.upload(x), dy = device.allocate(4 * 64 * 4);
  std::vector<std::uint64_t> arguments{dx, dy};
  if (at_run_time) arguments.push_back(steps);
  run(
      device,
      [&](KernelBuilder& k) {
        const Tensor in_blocks(k.arg(0), fp32, {7, 64}), y(k.arg(1), fp32, {4, 64});
        const Scalar n = at_run_time ? k.arg(2) : Scalar(steps);
        const auto sum_with = [&]<int Depth>() {
          const Spm sum = k.spm({1, 64}, fp32);
          k.fill(sum, 0);
          k.pipeline<Depth>(Steps(n), in([&](Scalar i) { return in_blocks.slice(0, i, 1); }),
                            [&](Spm block) { k.add(sum, sum, block); });
          k.store(y.slice(0, Depth - 1, 1), sum);
        };
        sum_with.template operator()<1>();
        sum_with.template operator()<2>();
        sum_with.template operator()<3>();
        sum_with.template operator()<4>();
      },
      arguments);
  const auto y = dy.read_as<float>();
  for (std::size_t d = 0; d < 4; ++d)
    for (std::size_t j = 0; j < 64; ++j) {
      float sum = 0;
      for (std::size_t i = 0; i < steps; ++i) sum += x[i * 64 + j];
      REQUIRE(y[d * 64 + j] == sum);
    }
}

TEST_CASE("A pipeline in a loop keeps its slots, and an input that stays is loaded once", "[sdk][run][pipe]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  Device device = open_edge(mode, 1);
  const auto x = small_integers(15 * 32, 1), w = small_integers(32, 2);
  Buffer dx = device.upload(x), dw = device.upload(w), dy = device.allocate(15 * 32 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Tensor tx(k.arg(0), fp32, {5, 3, 32}), tw(k.arg(1), fp32, {32}), ty(k.arg(2), fp32, {5, 3, 32});
        k.loop(5, [&](Scalar row) {
          k.pipeline<2>(Steps(3), in([&](Scalar i) { return tx[row][i]; }), in(tw),
                        out([&](Scalar i) { return ty[row][i]; }),
                        [&](Spm a, Spm scale, Spm result) { k.mul(result, a, scale); });
        });
      },
      {dx, dw, dy});
  const auto y = dy.read_as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == x[i] * w[i % 32]);
}

TEST_CASE("An input can be split over DMA engines, ragged or not", "[sdk][run][pipe]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const std::uint64_t rows = GENERATE(1, 5, 16, 37);
  Device device = open_edge(mode, 2);
  const auto x = small_integers(rows * 64, 3);
  Buffer dx = device.upload(x), dy = device.allocate(rows * 64 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Scalar n = k.arg(2);
        const Tensor tx(k.arg(0), fp32, {n, 64}), ty(k.arg(1), fp32, {n, 64});
        k.if_(k.core_id() == 0, [&] {
          k.pipeline<3>(in(tx.blocks(0, 8)).split(3), out(ty.blocks(0, 8)), [&](Spm a, Spm b) { k.add(b, a, 1); });
        });
      },
      {dx, dy, rows});
  const auto y = dy.read_as<float>();
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == x[i] + 1);
}

TEST_CASE("A pipe feeds two engines and is filled by two", "[sdk][run][pipe]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  Device device = open_edge(mode, 1);
  const auto x = small_integers(6 * 32 * 32, 4);
  Buffer dx = device.upload(to_bf16(x)), dy = device.allocate(6 * 32 * 32 * 4), dz = device.allocate(6 * 32 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Tensor tx(k.arg(0), bf16, {6, 32, 32}), ty(k.arg(1), fp32, {6, 32, 32}), tz(k.arg(2), fp32, {6, 32, 1});
        auto pipe = k.pipe({32, 32}, bf16, 2);
        const auto load = [&](Scalar i) {
          auto slot = pipe.acquire();
          k.load(slot, tx[i], pipe.dma());
          k.add(slot.row(0), slot.row(0), 1);  // by the VPU, in the slot
        };
        load(0);
        k.loop(6, [&](Scalar i) {
          k.if_(i < 5, [&] { load(i + 1); });
          auto slot = pipe.wait();
          const Acc product = k.acc({32, 32}, fp32, depth(2));
          k.matmul(product, slot, slot, overwrite);
          const Spm sums = k.spm({32, 1}, fp32, depth(2));
          k.sum(sums, slot);
          k.store(ty[i], product);
          k.store(tz[i], sums);
        });
      },
      {dx, dy, dz});
  const auto y = dy.read_as<float>(), z = dz.read_as<float>();
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<float> a(x.begin() + static_cast<std::ptrdiff_t>(i * 1024),
                         x.begin() + static_cast<std::ptrdiff_t>((i + 1) * 1024));
    for (std::size_t j = 0; j < 32; ++j) a[j] += 1;
    const auto product = multiply(a, a, 32, 32, 32);
    for (std::size_t j = 0; j < 1024; ++j) REQUIRE(y[i * 1024 + j] == product[j]);
    for (std::size_t r = 0; r < 32; ++r) {
      float sum = 0;
      for (std::size_t j = 0; j < 32; ++j) sum += a[r * 32 + j];
      REQUIRE(z[i * 32 + r] == sum);
    }
  }
}

TEST_CASE("Pages are found through a table in SMEM and gathered by an index", "[sdk][run][pipe]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  Device device = open_edge(mode, 1);
  const auto pages = small_integers(8 * 4 * 32, 5);
  const std::vector<std::int32_t> table{6, 1, 7, 0, 3};
  Buffer dp = device.upload(pages), dt = device.upload(table), dy = device.allocate(5 * 4 * 32 * 4),
         dg = device.allocate(5 * 4 * 32 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Scalar n = k.arg(4);
        const Tensor tp(k.arg(0), fp32, {8, 4, 32}), ty(k.arg(2), fp32, {5, 4, 32});
        const Smem tab = k.smem({up_to(n, 16)});
        k.load(tab, Tensor(k.arg(1), int32, {n}));
        k.pipeline<2>(Steps(n), in([&](Scalar i) { return tp[k.read(tab, i)]; }), out([&](Scalar i) { return ty[i]; }),
                      [&](Spm page, Spm result) { k.mov(result, page); });
        const Spm all = k.spm({up_to(n, 16), 4, 32}, fp32);
        k.gather(all, tp, tab);
        k.copy(Tensor(k.arg(3), fp32, {n, 4, 32}), all);
      },
      {dp, dt, dy, dg, 5});
  const auto y = dy.read_as<float>(), g = dg.read_as<float>();
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 128; ++j) {
      REQUIRE(y[i * 128 + j] == pages[static_cast<std::size_t>(table[i]) * 128 + j]);
      REQUIRE(g[i * 128 + j] == y[i * 128 + j]);
    }
}

TEST_CASE("An image may hold several entries, and kernels use memory one after the other", "[sdk][run][pipe]") {
  Device device = open_edge(HDL_MODE_FULL, 2);
  KernelBuilder k(device.target(), "two");
  const auto add = [&](float what) {
    const Tensor y(k.arg(0), fp32, {64, 1024});
    for (int part = 0; part < 12; ++part) {  // 12 times 256 KiB would not fit at once
      auto scope = k.kernel("part");
      k.if_(k.core_id() == 0, [&] {
        const Spm s = k.spm({64, 1024}, fp32);
        k.load(s, y);
        k.add(s, s, what);
        k.store(y, s);
      });
    }
  };
  k.entry("up", [&] { add(1); });
  k.entry("down", [&] { add(-2); });
  const LoadedImage image = device.load(k.finish());
  Buffer y = device.upload(std::vector<float>(64 * 1024, 5.0f));
  device.run(image, "up", {y});
  device.run(image, "down", {y});
  device.run(image, "down", {y});
  const auto v = y.read_as<float>();
  for (const float e : v) REQUIRE(e == 5 + 12 - 48);
}
