// SPDX-License-Identifier: Apache-2.0
// Faults that are known are found where they are, and nowhere where there is none.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "isa/codec/codec.hpp"
#include "sim/app/bisect/bisect_kernel.hpp"
#include "sim/top/simulator_api.h"
#include "testbench/kernel/bisect/faulty_gemm.hpp"
#include "testbench/kernel/mutation/mutate.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::bisect_test {
namespace {

app::KernelBisection bisect(const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype = DType::bf16,
                            hdl_mode mode = HDL_MODE_VALUES, std::vector<std::string> overrides = {"cores=1"}) {
  return app::bisect_kernel(hdl_simulator_api(), {"edge", std::move(overrides), mode, 1}, kernel, shape, dtype, 1);
}

kernels::Shape sizes(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {{"m", m}, {"k", k}, {"n", n}, {"batch", 1}, {"bias", 1}, {"bt", 0}};
}

std::string at_line(int line) { return "faulty_gemm.cpp:" + std::to_string(line); }

TEST_CASE("a kernel without a fault has no divergence") {
  const auto found = bisect(faulty_gemm(Fault::none), sizes(130, 200, 140));
  CHECK(!found.divergence);
  CHECK_THAT(found.text(), contains("no divergence"));
}

// Tile [0, 0] is the first that is stored: every element of it lacks the last block of K.
TEST_CASE("a wrong block of K shows in the first tile, and in what was loaded for it") {
  const auto found = bisect(faulty_gemm(Fault::last_k_block), sizes(128, 256, 128));
  REQUIRE(found.divergence);
  const app::Divergence& d = *found.divergence;
  CAPTURE(found.text());
  REQUIRE(d.by);
  CHECK_THAT(d.by->place, contains(at_line(faulty_gemm_lines().store)));
  REQUIRE(d.tile);
  CHECK(d.tile->text() == "c[0, 0..63, 0..63]");
  CHECK(d.tensor.element_text(d.element) == "c[0, 0, 0]");
  CHECK(d.cause == app::Cause::program);
  CHECK(d.unwritten == 0);
  const auto loads = std::find_if(d.behind.begin(), d.behind.end(),
                                  [](const app::Link& l) { return !l.read.empty() && l.read.front().tensor == "a"; });
  REQUIRE(loads != d.behind.end());
  CHECK_THAT(loads->first.place, contains(at_line(faulty_gemm_lines().load_a)));
  REQUIRE(d.not_read.size() == 1);
  CHECK(d.not_read[0].text() == "a[0, 0, 192..255]");
}

// Right for the first column of tiles, so the first wrong tile is the second one.
TEST_CASE("a wrong epilogue is named by the first tile that it spoils") {
  const auto found = bisect(faulty_gemm(Fault::bias_columns), sizes(128, 64, 128));
  REQUIRE(found.divergence);
  const app::Divergence& d = *found.divergence;
  CAPTURE(found.text());
  REQUIRE(d.tile);
  CHECK(d.tile->text() == "c[0, 0..63, 64..127]");
  CHECK(d.cause == app::Cause::program);
  REQUIRE(d.not_read.size() == 1);
  CHECK(d.not_read[0].text() == "bias[64]");
}

TEST_CASE("a tile that nobody computes is said to be written by nobody") {
  const auto found = bisect(faulty_gemm(Fault::missing_tile), sizes(128, 64, 100));
  REQUIRE(found.divergence);
  const app::Divergence& d = *found.divergence;
  CAPTURE(found.text());
  CHECK(!d.by);
  CHECK(d.tensor.element_text(d.element) == "c[0, 64, 64]");
  CHECK(d.unwritten > 64 * 36 * 9 / 10);  // a few should be near zero, which is what lies there
  CHECK(d.unwritten <= 64 * 36);
  CHECK(d.wrong == d.unwritten);
}

TEST_CASE("sums in a narrow type are a matter of precision, from the first sum that is off") {
  const auto found = bisect(faulty_gemm(Fault::bf16_sums), sizes(64, 4096, 64));
  REQUIRE(found.divergence);
  const app::Divergence& d = *found.divergence;
  CAPTURE(found.text());
  CHECK(d.cause == app::Cause::precision);
  REQUIRE(d.deviation);
  CHECK_THAT(d.deviation->site.place, contains(at_line(faulty_gemm_lines().sum)));
}

TEST_CASE("a NaN is followed to the instruction that made it of numbers") {
  const auto found = bisect(faulty_gemm(Fault::log_of_negative), sizes(64, 64, 64));
  REQUIRE(found.divergence);
  const app::Divergence& d = *found.divergence;
  CAPTURE(found.text());
  CHECK(d.cause == app::Cause::not_finite);
  REQUIRE(d.deviation);
  CHECK(std::isnan(d.deviation->got));
  CHECK_THAT(d.deviation->site.instruction, contains("vpu.log"));
  CHECK_THAT(d.deviation->site.place, contains(at_line(faulty_gemm_lines().sum)));
  CHECK(found.json()["divergence"]["got"].is_string());
}

// The mask of the scores is one vpu.affine_select: without its part that falls with the column, all keys are seen.
TEST_CASE("a wrong attention mask is a matter of the program") {
  kernels::KernelDef kernel = kernels::find_kernel("flash_attention");
  bool spoilt = false;
  kernel.build = [&, build = kernel.build](const sdk::Target& target, const kernels::Shape& s, DType dtype) {
    isa::ProgramImage image = build(target, s, dtype);
    for (isa::Word& w : image.code) {
      isa::Instruction in = isa::decode(w);
      if (in.op != isa::Opcode::vpu_affine_select) continue;
      in[isa::FieldId::coef_j] = 0;
      w = isa::encode(in);
      spoilt = true;
    }
    return image;
  };
  const auto found =
      bisect(kernel, {{"q_heads", 2}, {"kv_heads", 1}, {"q_len", 67}, {"kv_len", 67}, {"head_dim", 64}, {"causal", 1}});
  REQUIRE(spoilt);
  REQUIRE(found.divergence);
  CAPTURE(found.text());
  CHECK(found.divergence->cause == app::Cause::program);
  CHECK(std::any_of(found.divergence->behind.begin(), found.divergence->behind.end(), [](const app::Link& l) {
    return l.first.instruction.find("vpu.affine_select") != std::string::npos;
  }));
}

// The waits and posts of one semaphore are gone: the checkers would end the run first, so they are off.
TEST_CASE("a race is a matter of the program, and the instruction that stored its result is named") {
  const kernels::Shape shape = sizes(64, 256, 64);
  const kernels::KernelDef right = faulty_gemm(Fault::none);
  const isa::ProgramImage image = right.build(
      sdk::Device(hdl_simulator_api(), {"edge", {"cores=1"}, HDL_MODE_VALUES, 1}).target(), shape, DType::bf16);
  int wrong = 0;
  for (const mutation::Mutant& m : mutation::mutants_of(image)) {
    if (m.changes.size() < 2) continue;
    kernels::KernelDef racy = right;
    racy.build = [&](const sdk::Target&, const kernels::Shape&, DType) { return mutation::apply(image, m); };
    try {
      const auto found = bisect(racy, shape, DType::bf16, HDL_MODE_VALUES, {"cores=1", "check=none"});
      if (!found.divergence) continue;
      CAPTURE(m.what, found.text());
      ++wrong;
      CHECK(found.divergence->cause == app::Cause::program);
      REQUIRE(found.divergence->by);
      CHECK_THAT(found.divergence->by->place, contains(at_line(faulty_gemm_lines().store)));
    } catch (const Error& e) {
      CHECK_THAT(e.id(), contains("HDL-"));
    }
  }
  CHECK(wrong > 1);
}

// Each at its smallest and its largest class of shapes: what follows the run follows every instruction that they use.
TEST_CASE("no shipped kernel has a divergence") {
  for (const kernels::KernelDef* kernel : kernels::all_kernels()) {
    if (kernel->test_shapes.empty()) continue;
    for (const kernels::Shape* shape : {&kernel->test_shapes.front(), &kernel->test_shapes.back()}) {
      CAPTURE(kernel->name, kernels::to_string(*kernel, *shape));
      try {
        CHECK(!bisect(*kernel, *shape, kernel->dtypes.front()).divergence);
      } catch (const Error& e) {
        if (e.kind() != ErrorKind::unsupported && e.kind() != ErrorKind::bad_input) throw;  // not on this chip
      }
    }
  }
}

}  // namespace
}  // namespace heddle::bisect_test
