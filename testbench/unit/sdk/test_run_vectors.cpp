// SPDX-License-Identifier: Apache-2.0
// Vector work over several cores, ragged edges, sizes from launch arguments.
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/run_support.hpp"

using namespace heddle;
using namespace heddle::sdk;
using namespace heddle::sdk::test;

namespace {

// y = a + b over n elements, n from argument 3; each core takes every other block of 256.
void add_vectors(KernelBuilder& k) {
  auto scope = k.kernel("add_vectors");
  const Scalar n = k.arg(3);
  const Tensor a(k.arg(0), fp32, {n}), b(k.arg(1), fp32, {n}), y(k.arg(2), fp32, {n});
  k.for_each_tile(y.tiled(256), [&](Tensor out) {
    const Spm s = k.spm({256}, fp32), t = k.spm({256}, fp32);
    k.load(s, a.slice(0, out.begin(0), out.extent(0)));
    k.load(t, b.slice(0, out.begin(0), out.extent(0)));
    const Spm r = s.first(out.shape());
    k.add(r, r, t.first(out.shape()));
    k.store(out, r);
  });
}

}  // namespace

TEST_CASE("Vectors are added by 1, 2 and 4 cores, whatever their length", "[sdk][run]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const int cores = GENERATE(1, 2, 4);
  const std::size_t n = GENERATE(std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{1000});
  Device device = open_edge(mode, cores);
  const auto a = small_integers(n, 1), b = small_integers(n, 2);
  Buffer da = device.upload(a), db = device.upload(b), dy = device.allocate(n * 4);
  run(device, add_vectors, {da, db, dy, n});
  const auto y = dy.read_as<float>();
  for (std::size_t i = 0; i < n; ++i) REQUIRE(y[i] == a[i] + b[i]);
}

TEST_CASE("A launch argument can be a number that vectors are scaled by", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  const auto a = small_integers(100, 3);
  Buffer da = device.upload(a), dy = device.allocate(400);
  run(device,
      [](KernelBuilder& k) {
        const Spm s = k.spm({100}, fp32);
        k.load(s, Tensor(k.arg(0), fp32, {100}));
        k.mul(s, k.arg(2), s);
        k.sub(s, 1.5f, s);
        k.store(Tensor(k.arg(1), fp32, {100}), s);
      },
      {da, dy, float_argument(0.25f)});
  const auto y = dy.read_as<float>();
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(y[i] == 1.5f - a[i] * 0.25f);
}

TEST_CASE("Cores see what others stored once they met at a barrier", "[sdk][run]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const int cores = GENERATE(1, 2, 4);
  Device device = open_edge(mode, cores);
  Buffer x = device.allocate(64 * 4 * 4), y = device.allocate(64 * 4 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Tensor px(k.arg(0), fp32, {4, 64}), py(k.arg(1), fp32, {4, 64});
        k.loop(3, [&](Scalar turn) {
          {
            auto scope = k.kernel("write");
            k.for_each(4, [&](Scalar i) {
              const Spm s = k.spm({64}, fp32);
              k.iota(s, i * 1000 + turn, 1);
              k.store(px[i], s);
            });
          }
          k.barrier();
          {
            auto scope = k.kernel("read");
            k.for_each(4, [&](Scalar i) {
              const Spm s = k.spm({64}, fp32);
              k.load(s, px[3 - i]);
              k.store(py[i], s);
            });
          }
          k.barrier();
        });
      },
      {x, y});
  const auto v = y.read_as<float>();
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 64; ++j) REQUIRE(v[i * 64 + j] == static_cast<float>((3 - i) * 1000 + 2 + j));
}

TEST_CASE("The sequencer reads and writes SMEM, and branches on what it read", "[sdk][run]") {
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  Device device = open_edge(mode, 1);
  const std::vector<std::int32_t> table{3, 0, 2, 7};
  Buffer t = device.upload(table), y = device.allocate(4 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Smem in = k.smem({4}), out = k.smem({4});
        k.copy(in, Tensor(k.arg(0), int32, {4}));
        k.loop(4, [&](Scalar i) {
          const Scalar v = k.read(in, i);
          k.if_(
              v > 2, [&] { k.write(out, i, v * 10); }, [&] { k.write(out, i, v - 1); });
        });
        k.copy(Tensor(k.arg(1), int32, {4}), out);
      },
      {t, y});
  REQUIRE(y.read_as<std::int32_t>() == std::vector<std::int32_t>{30, -1, 1, 70});
}

TEST_CASE("More scalars than registers are kept in SMEM", "[sdk][run]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  Buffer y = device.allocate(60 * 4);
  run(device,
      [](KernelBuilder& k) {
        std::vector<Scalar> values;
        const Scalar x = k.arg(1);
        for (int i = 0; i < 60; ++i) values.push_back((x + i) * (x + 2 * i));
        const Smem out = k.smem({60});
        k.loop(2, [&](Scalar turn) {
          for (int i = 0; i < 60; ++i) k.write(out, i, values[static_cast<std::size_t>(i)] + turn);
        });
        k.copy(Tensor(k.arg(0), int32, {60}), out);
      },
      {y, 5});
  const auto v = y.read_as<std::int32_t>();
  for (int i = 0; i < 60; ++i) REQUIRE(v[static_cast<std::size_t>(i)] == (5 + i) * (5 + 2 * i) + 1);
}
