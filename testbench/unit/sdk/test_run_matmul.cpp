// SPDX-License-Identifier: Apache-2.0
// The tiled GEMM of the guide, over shapes, dtypes, tilings and cores.
#include "testbench/support/catch.hpp"
#include "testbench/unit/sdk/run_support.hpp"

using namespace heddle;
using namespace heddle::sdk;
using namespace heddle::sdk::test;

namespace {

struct Tiling {
  std::int64_t m, k, n;
};

// C[m,n] = A[m,k] · B[k,n]. A tile of B rests in the array while rows of A stream through it; both arrive
// double-buffered.
void gemm(KernelBuilder& k, Tensor a, Tensor b, Tensor c, Tiling t) {
  auto scope = k.kernel("gemm");
  k.for_each_tile(c.tiled(t.m, t.n), [&](Tensor out) {
    const Acc sum = k.acc(out.shape(), fp32, depth(2));
    k.pipeline<2>(in(a.row_block(out, t.k)), in(b.col_block(out, t.k)),
                  [&](Spm x, Spm w, Step s) { k.matmul(sum, x, w, s.mode()); });
    k.store(out, sum);
  });
}

struct Case {
  int m, k, n;
  Tiling tiling;
};

}  // namespace

TEST_CASE("GEMM gives the product for every shape class, on 1, 2 and 4 cores", "[sdk][run][matmul]") {
  const auto c = GENERATE(Case{64, 64, 64, {64, 64, 64}}, Case{1, 64, 64, {64, 64, 64}}, Case{1, 1, 1, {64, 64, 64}},
                          Case{130, 70, 90, {64, 64, 64}}, Case{100, 300, 200, {64, 128, 128}},
                          Case{192, 256, 128, {128, 128, 128}});
  const hdl_mode mode = GENERATE(HDL_MODE_VALUES, HDL_MODE_FULL);
  const int cores = GENERATE(1, 2, 4);
  const bool sizes_at_run_time = GENERATE(false, true);
  Device device = open_edge(mode, cores);
  const auto a = small_integers(static_cast<std::size_t>(c.m * c.k), 1);
  const auto b = small_integers(static_cast<std::size_t>(c.k * c.n), 2);
  Buffer da = device.upload(to_bf16(a)), db = device.upload(to_bf16(b));
  Buffer dc = device.allocate(static_cast<std::uint64_t>(c.m * c.n) * 4);
  std::vector<std::uint64_t> arguments{da, db, dc};
  if (sizes_at_run_time)
    for (const int size : {c.m, c.k, c.n}) arguments.push_back(static_cast<std::uint64_t>(size));
  run(
      device,
      [&](KernelBuilder& k) {
        const auto size = [&](int host, int argument) { return sizes_at_run_time ? k.arg(argument) : Scalar(host); };
        const Scalar m = size(c.m, 3), kk = size(c.k, 4), n = size(c.n, 5);
        gemm(k, Tensor(k.arg(0), bf16, {m, kk}), Tensor(k.arg(1), bf16, {kk, n}), Tensor(k.arg(2), fp32, {m, n}),
             c.tiling);
      },
      arguments);
  REQUIRE(dc.read_as<float>() == multiply(a, b, c.m, c.k, c.n));
}

TEST_CASE("GEMM results can be narrower than the accumulators", "[sdk][run][matmul]") {
  Device device = open_edge(HDL_MODE_FULL, 2);
  const auto a = small_integers(100 * 64, 5), b = small_integers(64 * 130, 6);
  Buffer da = device.upload(to_bf16(a)), db = device.upload(to_bf16(b)), dc = device.allocate(100 * 130 * 2);
  run(device,
      [](KernelBuilder& k) {
        gemm(k, Tensor(k.arg(0), bf16, {100, 64}), Tensor(k.arg(1), bf16, {64, 130}),
             Tensor(k.arg(2), bf16, {100, 130}), {64, 64, 64});
      },
      {da, db, dc});
  REQUIRE(dc.read_as<std::uint16_t>() == to_bf16(multiply(a, b, 100, 64, 130)));
}

TEST_CASE("A stationary tile can be given transposed", "[sdk][run][matmul]") {
  Device device = open_edge(HDL_MODE_VALUES, 1);
  const auto a = small_integers(32 * 100, 7), bt = small_integers(70 * 100, 8);
  std::vector<float> b(100 * 70);
  for (std::size_t i = 0; i < 70; ++i)
    for (std::size_t j = 0; j < 100; ++j) b[j * 70 + i] = bt[i * 100 + j];
  Buffer da = device.upload(to_bf16(a)), db = device.upload(to_bf16(bt)), dc = device.allocate(32 * 70 * 4);
  run(device,
      [](KernelBuilder& k) {
        const Spm x = k.spm({32, 100}, bf16), w = k.spm({70, 100}, bf16);
        const Acc sum = k.acc({32, 70});
        k.load(x, Tensor(k.arg(0), bf16, {32, 100}));
        k.load(w, Tensor(k.arg(1), bf16, {70, 100}));
        k.matmul(sum, x, transposed(w), overwrite);
        k.store(Tensor(k.arg(2), fp32, {32, 70}), sum);
      },
      {da, db, dc});
  REQUIRE(dc.read_as<float>() == multiply(a, b, 32, 100, 70));
}

TEST_CASE("Loads run while the array works", "[sdk][run][matmul]") {
  // 512^3: alone, the array needs 64 tiles of B times 512 rows = 32768 cycles, and the loads of A and B some 80 % of
  // it.
  Device device = open_edge(HDL_MODE_FULL, 1);
  const auto a = small_integers(512 * 512, 1), b = small_integers(512 * 512, 2);
  Buffer da = device.upload(to_bf16(a)), db = device.upload(to_bf16(b)), dc = device.allocate(512 * 512 * 4);
  const Counters before = device.counters();
  run(device,
      [](KernelBuilder& k) {
        gemm(k, Tensor(k.arg(0), bf16, {512, 512}), Tensor(k.arg(1), bf16, {512, 512}),
             Tensor(k.arg(2), fp32, {512, 512}), {256, 128, 128});
      },
      {da, db, dc});
  REQUIRE(dc.read_as<float>() == multiply(a, b, 512, 512, 512));
  const Counters spent = device.counters() - before;
  std::uint64_t dma = 0;
  for (const auto& [name, counter] : spent.rows)
    if (name.find("dma") != std::string::npos && name.find("busy") != std::string::npos) dma += counter.value;
  const std::uint64_t mxu = spent["core0.mxu0.busy"];
  INFO("cycles " << spent["cycles"] << " mxu " << mxu << " dma " << dma);
  REQUIRE(mxu > 0);
  REQUIRE(dma > 0);
  REQUIRE(spent["cycles"] < (mxu + dma) * 9 / 10);
}
