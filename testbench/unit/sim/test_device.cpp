// SPDX-License-Identifier: Apache-2.0
// The simulator behind the device ABI: memory, images, launches, modes, errors.
#include <cstring>
#include <string>

#include "sim/top/hbm_allocator.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/machine.hpp"
#include "testbench/unit/sim/programs.hpp"

using namespace heddle;
using heddle::testing::DeviceFailure;
using heddle::testing::failure_of;
using heddle::testing::Machine;

namespace {
const hdl_mode all_modes[] = {HDL_MODE_VALUES, HDL_MODE_TIMING, HDL_MODE_FULL};
}

TEST_CASE("the allocator: alignment, first fit, joining, exhaustion") {
  top::HbmAllocator hbm(1 << 20);
  const std::uint64_t a = hbm.allocate(100, 64);
  CHECK(a == 4096);
  const std::uint64_t b = hbm.allocate(1, 4096);
  CHECK(b == 8192);
  const std::uint64_t c = hbm.allocate(10, 2);
  CHECK(c == 4196);  // the gap between them
  CHECK_THROWS_WITH(hbm.allocate(1 << 20, 64), contains("HDL-HBM-01") && contains("1048576 bytes"));
  CHECK_THROWS_WITH(hbm.allocate(1, 3), contains("HDL-HBM-02"));
  CHECK_THROWS_WITH(hbm.release(5), contains("HDL-HBM-03"));
  hbm.release(a);
  hbm.release(c);
  hbm.release(b);
  CHECK_THROWS_WITH(hbm.release(b), contains("HDL-HBM-03"));
  CHECK(hbm.available() == (1 << 20) - 4096);
  CHECK(hbm.allocate((1 << 20) - 4096, 64) == 4096);
  CHECK_THROWS_WITH(hbm.allocate(1, 1), contains("0 are free"));
}

TEST_CASE("host memory access in every mode") {
  for (const hdl_mode mode : all_modes) {
    Machine m("edge", mode);
    const std::uint64_t at = m.upload(std::vector<std::uint32_t>{1, 2, 3});
    CHECK(m.download<std::uint32_t>(at, 3) == std::vector<std::uint32_t>{1, 2, 3});
    std::uint8_t byte = 0;
    CHECK(m.api()->read(m.device(), ~0ull - 2, &byte, 1) == HDL_BAD_INPUT);
    CHECK(m.api()->write(m.device(), 4ull << 30, &byte, 1) == HDL_BAD_INPUT);
    CHECK(m.api()->release(m.device(), at + 1) == HDL_BAD_INPUT);
    CHECK(m.api()->release(m.device(), at) == HDL_OK);
  }
}

TEST_CASE("chip_info says what a program must know") {
  Machine m("edge", HDL_MODE_VALUES);
  hdl_chip_info info;
  REQUIRE(m.api()->chip_info(m.device(), &info) == HDL_OK);
  CHECK(std::string(info.name) == "edge");
  CHECK(info.cores == 2);
  CHECK(info.mxu_rows == 64);
  CHECK(info.spm_bytes == 2u << 20);
  CHECK(info.macs_per_cycle[1] == 4096.0);  // bf16
  CHECK(info.macs_per_cycle[0] == 1024.0);  // fp32 at a quarter
  CHECK(info.macs_per_cycle[5] == 0.0);     // int32: none
  CHECK(info.hbm_bytes_per_second == 102'400'000'000ull);
}

TEST_CASE("opening: bad chip, bad key, bad mode, twice") {
  hdl_device* device = nullptr;
  const hdl_api* api = hdl_simulator_api();
  CHECK(api->abi_version == HDL_ABI_VERSION);
  hdl_open_options options{"no-such-chip", nullptr, 0, HDL_MODE_VALUES, 1};
  CHECK(api->open(&options, &device) == HDL_BAD_INPUT);
  CHECK(device == nullptr);
  CHECK_THAT(api->last_error(nullptr).message, contains("no-such-chip"));
  options.chip = "edge";
  const char* override = "coers=3";
  options.overrides = &override;
  options.override_count = 1;
  CHECK(api->open(&options, &device) == HDL_BAD_INPUT);
  CHECK_THAT(api->last_error(nullptr).message, contains("cores"));
  options.override_count = 0;
  const int unknown_mode = 7;
  std::memcpy(&options.mode, &unknown_mode, sizeof(unknown_mode));
  CHECK(api->open(&options, &device) == HDL_BAD_INPUT);
  CHECK(api->open(nullptr, &device) == HDL_BAD_INPUT);

  Machine first("edge", HDL_MODE_TIMING);
  options.mode = HDL_MODE_FULL;
  CHECK(api->open(&options, &device) == HDL_UNSUPPORTED);
  CHECK_THAT(api->last_error(nullptr).message, contains("HDL-TOP-01"));
  Machine values("edge", HDL_MODE_VALUES);  // has no clock, so it does not mind
  first.close();
  Machine second("edge", HDL_MODE_FULL);  // a fresh elaboration
  CHECK(second.cycles("halt") == first_halt_cycles);
}

TEST_CASE("launching: unknown image, entry, arguments, order") {
  for (const hdl_mode mode : all_modes) {
    Machine m("edge", mode);
    const hdl_image image = m.assemble(".entry start, 1\nstart: halt");
    CHECK_THAT(failure_of([&] { m.run(99, {1}); }), contains("image 99"));
    CHECK_THAT(failure_of([&] { m.run(image, {}); }), contains("takes 1 arguments, 0 are given"));
    CHECK_THAT(failure_of([&] { m.run(image, {1}, "begin"); }), contains("begin"));
    const std::uint64_t one = 1;
    CHECK(m.api()->launch(m.device(), image, "start", &one, 1) == HDL_OK);
    CHECK(m.api()->launch(m.device(), image, "start", &one, 1) == HDL_BAD_INPUT);
    CHECK(m.api()->unload_image(m.device(), image) == HDL_BAD_INPUT);
    CHECK(m.api()->wait(m.device()) == HDL_OK);
    CHECK(m.api()->wait(m.device()) == HDL_OK);
    CHECK(m.api()->unload_image(m.device(), image) == HDL_OK);
    CHECK(m.api()->unload_image(m.device(), image) == HDL_BAD_INPUT);
    const std::uint8_t junk[5] = {1, 2, 3, 4, 5};
    hdl_image bad = 7;
    CHECK(m.api()->load_image(m.device(), junk, sizeof(junk), &bad) == HDL_BAD_INPUT);
    CHECK(m.api()->load_image(m.device(), nullptr, 0, &bad) == HDL_BAD_INPUT);
  }
}

TEST_CASE("constants of an image lie in memory while it is loaded") {
  for (const hdl_mode mode : {HDL_MODE_VALUES, HDL_MODE_FULL}) {
    Machine m("edge", mode, {"cores=1"});
    const std::uint64_t out = m.allocate(8);
    m.run(m.assemble(".entry start, 1\n.data a:\n.word 1\n.data b:\n.word 0x1234, 0x5678\n.view c, hbm, int32, [2]\n"
                     "start: ld x4, x0, 0\nview v1, c, base=x2, offset=b\nview v2, c, base=x4\n"
                     "dma.copy v2, v1 post s0\nsem.wait s0, 1\nhalt"),
          {out});
    CHECK(m.download<std::uint32_t>(out, 2) == std::vector<std::uint32_t>{0x1234, 0x5678});
  }
}

TEST_CASE("simulated time goes on over launches, and each costs the same") {
  Machine m("edge", HDL_MODE_FULL);
  const std::string text = ".view a, acc, fp32, [16, 16]\nview v1, a\nvpu.iota v1, x0, 1\nhalt";
  const std::uint64_t once = m.cycles(text);
  CHECK(m.cycles(text) == once);
  CHECK(m.counter("launches") == 2);
  CHECK(m.counter("cycles") == 2 * once);
  CHECK(m.counter("time_fs") == 2 * once * 1'000'000);
}

TEST_CASE("values are the same bits in values and full mode, on 1, 2 and 4 cores, with 1 and 2 host threads") {
  std::vector<float> expected;
  std::uint64_t cycles[5] = {};
  for (const int cores : {1, 2, 4}) {
    for (const hdl_mode mode : {HDL_MODE_VALUES, HDL_MODE_FULL, HDL_MODE_FULL}) {
      for (const std::uint32_t threads : {1u, 2u}) {
        Machine m("edge", mode, {"cores=" + std::to_string(cores)}, threads);
        const std::vector<float> y = run_gemm(m);
        if (expected.empty()) expected = gemm_reference();
        REQUIRE(y.size() == expected.size());
        CHECK(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0);
        if (mode != HDL_MODE_FULL) continue;
        if (cycles[cores] == 0) cycles[cores] = m.counter("cycles");
        CHECK(m.counter("cycles") == cycles[cores]);
      }
    }
    Machine timing("edge", HDL_MODE_TIMING, {"cores=" + std::to_string(cores)});
    run_gemm(timing);
    CHECK(timing.counter("cycles") == cycles[cores]);  // leaving bulk values out changes no cycle
  }
  Machine mesh("edge", HDL_MODE_FULL, {"cores=4", "noc.topology=mesh2d"});
  const std::vector<float> y = run_gemm(mesh);
  CHECK(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0);
  CHECK(mesh.counter("cycles") != cycles[4]);
  CHECK(cycles[2] < cycles[1]);
  CHECK(cycles[4] < cycles[2]);
}
