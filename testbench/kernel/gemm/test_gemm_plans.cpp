// SPDX-License-Identifier: Apache-2.0
// Tiles and streams that the GEMM kernels choose: on any machine and for any sizes they fit the memories, cover the
// whole product, and the program is recorded without running out.
#include <algorithm>

#include "isa/base/error.hpp"
#include "kernels/gemm/decode.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/staged.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::kernels;

namespace {

sdk::Target machine(int array, int arrays, int cores, std::int64_t spm, std::int64_t acc) {
  sdk::Target t = sdk::small_target();
  t.mxu_rows = t.mxu_cols = array;
  t.mxu_count = arrays;
  t.cores = cores;
  t.spm_bytes = spm;
  t.acc_bytes = acc;
  for (double& rate : t.macs_per_cycle) rate = static_cast<double>(array) * array * arrays;
  if (t.hbm_bytes_per_second == 0) t.hbm_bytes_per_second = 100'000'000'000;
  if (t.clock_hz == 0) t.clock_hz = 1'000'000'000;
  return t;
}

const std::int64_t kib = 1024, mib = 1024 * kib;
const std::vector<sdk::Target> machines{machine(64, 1, 2, 2 * mib, 256 * kib),  machine(16, 1, 1, 256 * kib, 32 * kib),
                                        machine(128, 4, 8, 8 * mib, 4 * mib),   machine(256, 2, 1, 128 * mib, 16 * mib),
                                        machine(32, 2, 3, 512 * kib, 64 * kib), machine(8, 1, 4, 64 * kib, 8 * kib)};

struct Sizes {
  std::int64_t m, k, n;
};
const std::vector<Sizes> sizes{{1, 1, 1},       {1, 576, 576},    {1, 576, 49152},  {8, 8192, 8192},
                               {9, 65, 67},     {23, 576, 960},   {64, 1536, 576},  {65, 100, 3},
                               {512, 512, 512}, {1000, 333, 777}, {4096, 64, 4096}, {4096, 4096, 4096}};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

TEST_CASE("Chosen GEMM tiles fit the accumulator and the scratchpad and cut the product") {
  for (const sdk::Target& target : machines)
    for (const Sizes& s : sizes)
      for (const DType dtype : {DType::bf16, DType::fp32, DType::int8})
        for (const int matrices : {1, 2}) {
          const TilingOptions options{matrices == 2, matrices, 8, matrices == 1};
          const GemmTiling t = choose_tiling(target, s.m, s.k, s.n, dtype, options);
          INFO(target.mxu_rows << " x " << target.mxu_count << ": " << s.m << " " << s.k << " " << s.n);
          // Counted here from what the kernel declares: sums, rings of three, the epilogue's two slots.
          const std::int64_t slots = 3, element = bits(dtype);
          CHECK(matrices * t.accumulators * t.m * t.n * 4 <= target.acc_bytes);
          const std::int64_t a = t.resident ? t.panels * t.m * s.k : slots * t.m * t.k;
          const std::int64_t spm = (a + matrices * slots * t.n * t.k) * element / 8 + 8 * t.m * t.n;
          CHECK(spm <= target.spm_bytes);
          CHECK((t.m >= 1 && t.m <= s.m));
          CHECK((t.n >= 1 && t.n <= s.n));
          CHECK((t.k >= 1 && t.k <= s.k));
          CHECK((t.k % target.mxu_rows == 0 || t.k == s.k));
          if (t.resident) {
            CHECK(t.panel_n >= t.n);
            // Two places for rows of A wherever a core has a second panel.
            const std::int64_t panels = ceil_div(s.m, t.m) * ceil_div(s.n, t.panel_n);
            CHECK(t.panels == (panels > target.cores ? 2 : 1));
          }
        }
}

TEST_CASE("A size that only the launch knows has tiles too") {
  const GemmTiling t = choose_tiling(machines[0], 0x7fffffff, 576, 1536, DType::bf16);
  CHECK(t.m >= 64);
  CHECK(fits(machines[0], 576, DType::bf16, {}, t));
}

TEST_CASE("Streams of weights fit the memories and cover every column") {
  for (const sdk::Target& target : machines)
    for (const Sizes& s : sizes)
      for (const DType dtype : {DType::bf16, DType::fp32, DType::int8})
        for (const bool transposed : {true, false})
          for (const int matrices : {1, 2}) {
            const StreamPlan p = plan_stream(target, s.m, s.k, s.n, dtype, transposed, matrices);
            if (!p.fits) continue;
            INFO(target.mxu_rows << " x " << target.mxu_count << ": " << s.m << " " << s.k << " " << s.n);
            CHECK(p.share * target.cores >= s.n);
            CHECK(p.steps * p.step >= (transposed ? p.share : s.k));
            CHECK(p.step >= 1);
            CHECK(p.step <= (transposed ? target.mxu_cols * target.mxu_count : target.mxu_rows));
            CHECK(p.engines * matrices <= std::max(matrices, target.dma_engines - 1));
            const std::int64_t line = transposed ? s.k * matrices : p.share;
            CHECK(p.spm_bytes >= (s.m * s.k + stream_slots * p.step * line) * bits(dtype) / 8);
            CHECK(p.spm_bytes <= target.spm_bytes);
            CHECK(p.acc_bytes <= target.acc_bytes);
          }
}

TEST_CASE("Few rows stream, many are tiled") {
  CHECK(plan_stream(machines[0], 1, 576, 3072, DType::bf16, true).fits);
  CHECK(plan_stream(machines[0], 1, 576, 3072, DType::bf16, false).fits);
  CHECK(plan_stream(machines[0], 64, 576, 3072, DType::bf16, true).fits);
  CHECK_FALSE(plan_stream(machines[0], 65, 576, 3072, DType::bf16, true).fits);
  // Rows of weights too long for the rings of a small scratchpad.
  CHECK_FALSE(plan_stream(machines[5], 1, 8192, 64, DType::bf16, true).fits);
}

TEST_CASE("Programs are recorded for every machine and size") {
  using namespace sdk;
  for (const Target& target : machines)
    for (const Sizes& s : sizes)
      for (const bool transposed : {true, false}) {
        INFO(target.mxu_rows << " x " << target.mxu_count << ": " << s.m << " " << s.k << " " << s.n);
        KernelBuilder k(target, "gemm");
        const Tensor a(k.arg(0), bf16, {s.m, s.k}), c(k.arg(2), bf16, {s.m, s.n});
        const Tensor b(k.arg(1), bf16, {transposed ? s.n : s.k, transposed ? s.k : s.n});
        CHECK_NOTHROW(gemm(k, {a, b, c, transposed, add_residual(c)}));
        if (transposed) CHECK_NOTHROW(swiglu_gemm(k, a, b, b, c));
        CHECK_NOTHROW(k.finish());
      }
}

TEST_CASE("Products as an operator compiler makes them fit the memories, and weights rest while they may") {
  for (sdk::Target target : machines)
    for (const Sizes& s : sizes) {
      target.stage_bytes = target.spm_bytes * 3 / 4;
      GemmArgs g;
      g.a = sdk::Tensor(0, DType::bf16, {s.m, s.k});
      g.b = sdk::Tensor(0, DType::bf16, {s.k, s.n});
      g.c = sdk::Tensor(0, DType::bf16, {s.m, s.n});
      const StagedPlan p = plan_staged(target, g);
      const GemmTiling& t = p.tiling;
      INFO(target.mxu_rows << " x " << target.mxu_count << ": " << s.m << " " << s.k << " " << s.n);
      CHECK(p.applies);
      CHECK(p.b == (s.m >= 8 && 2 * s.k * s.n <= target.stage_bytes));
      CHECK((!p.a || p.b || 2 * s.m * s.k <= target.stage_bytes));  // A alone rests where B is too large
      CHECK((t.m >= 1 && t.m <= s.m && t.n >= 1 && t.n <= s.n && t.k >= 1 && t.k <= s.k));
      // Two tiles of sums; what rests; what passes by (two panels of A, two blocks of B with all of k, two tiles' steps
      // with all of k, rings of three of shorter ones); two tiles of the result.
      CHECK(2 * 4 * t.m * t.n <= target.acc_bytes);
      const std::int64_t with_b = s.k * s.n + (p.a ? s.m * s.k : 2 * t.m * s.k), with_a = s.m * s.k + 2 * s.k * t.n;
      const std::int64_t passing = (t.k == s.k ? 2 : 3) * t.k * (t.m + t.n);
      CHECK(2 * (p.b ? with_b : p.a ? with_a : passing) + 4 * t.m * t.n <= target.spm_bytes);
    }
  sdk::Target without = machines[0];
  CHECK(!plan_staged(without, {sdk::Tensor(0, DType::bf16, {8, 8}),
                               sdk::Tensor(0, DType::bf16, {8, 8}),
                               sdk::Tensor(0, DType::bf16, {8, 8}),
                               false,
                               {}})
             .applies);
}
