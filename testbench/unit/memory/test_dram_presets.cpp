// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/base/error.hpp"
#include "sim/memory/bank_memory.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::memory;

TEST_CASE("Presets have the bandwidth that their standards publish") {
  const std::vector<std::pair<std::string, double>> published{
      {"DDR3-1600", 12.8e9}, {"DDR4-3200", 25.6e9}, {"GDDR6", 56e9},         {"HBM2", 256e9},
      {"HBM2E", 409.6e9},    {"HBM3", 819.2e9},     {"LPDDR5-6400", 12.8e9}, {"LPDDR5-6400-8B", 12.8e9}};
  const std::vector<std::string> names = config::dram_presets();
  for (const auto& [name, bytes_per_second] : published) {
    INFO(name);
    REQUIRE(std::count(names.begin(), names.end(), name) == 1);
    config::MemorySpec spec;
    spec.standard = name;
    CHECK(static_cast<double>(make_dram_setup(spec).peak_bytes_per_second) == Approx(bytes_per_second).epsilon(2e-4));
    CHECK(!config::load_dram(name).source.empty());
  }
}

TEST_CASE("HBM2 is the device of the measured table's header") {
  const config::DramSpec s = config::load_dram("HBM2");
  CHECK(s.clock_period == TimeFs(1'000'000));
  CHECK(s.burst_bytes() == 64);
  CHECK(s.burst_clocks() == 2);
  CHECK(s.banks_in_channel() == 16);
  const config::DramTiming& t = s.timing;
  CHECK((t.cl == 14 && t.cwl == 4 && t.rcd_rd == 14 && t.rcd_wr == 14 && t.rp == 14 && t.ras == 34));
  CHECK((t.rfc_ab == 260 && t.refi == 3900 && t.rrd_s == 4 && t.rrd_l == 6 && t.faw == 30 && t.wr == 16));
  CHECK((t.wtr_s == 6 && t.wtr_l == 8 && t.ccd_s == 1 && t.ccd_l == 2));
}

TEST_CASE("A bandwidth scales the clock") {
  config::MemorySpec spec;
  spec.standard = "HBM2";
  spec.channels = 16;
  spec.bandwidth_bytes_per_second = 1'024'000'000'000;
  const DramSetup setup = make_dram_setup(spec);
  CHECK(setup.clock_fs == 500'000);
  CHECK(setup.peak_bytes_per_second == 1'024'000'000'000);
}

TEST_CASE("Values of a memory that cannot be are refused") {
  const auto refuse = [](auto change, const char* id) {
    config::MemorySpec spec;
    spec.standard = "HBM2";
    change(spec);
    REQUIRE_THROWS_WITH(make_memory_model(spec), contains(id));
  };
  refuse([](auto& s) { s.standard = "HBM9"; }, "HDL-DRAM-01");
  refuse([](auto& s) { s.standard = "/nowhere/x.yaml"; }, "HDL-");
  refuse([](auto& s) { s.channels = -1; }, "HDL-MEM-02");
  refuse([](auto& s) { s.queue_depth = 0; }, "HDL-MEM-02");
  refuse([](auto& s) { s.queue_depth = 1000; }, "HDL-MEM-02");
  refuse([](auto& s) { s.page_policy = "ajar"; }, "HDL-MEM-02");
  refuse([](auto& s) { s.refresh = "often"; }, "HDL-MEM-02");
  refuse([](auto& s) { s.mapping = "rorabgbachcox"; }, "HDL-MEM-03");
}

TEST_CASE("A preset whose values do not fit together is refused") {
  const std::string good = R"(schema: heddle.dram/1
source: made up
clock_period: 1ns
organization: {width_bits: 64, burst_length: 8, bank_groups: 4, banks: 4, page: 2KiB}
timing: {CL: 14, CWL: 4, tRCD_RD: 14, tRCD_WR: 14, tRP: 14, tRAS: 34, tRRD_S: 4, tRRD_L: 6, tFAW: 30, tCCD_S: 4,
         tCCD_L: 6, tWTR_S: 6, tWTR_L: 8, tRTP: 6, tWR: 16, tRTRS: 2, tRFC: 260, tRFC_pb: 160, tREFI: 3900, tRREFD: 8}
)";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return config::parse_dram(text, "made-up", "made-up.yaml");
  };
  CHECK(with("CL: 14", "CL: 15").timing.cl == 15);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"width_bits: 64", "width_bits: 48"},
                                                        {" banks: 4,", " banks: 3,"},
                                                        {"page: 2KiB", "page: 3KiB"},
                                                        {"bank_groups: 4", "bank_groups: 3"},
                                                        {"tCCD_L: 6", "tCCD_L: 3"},
                                                        {"tREFI: 3900", "tREFI: 300"},
                                                        {"tCCD_S: 4", "tCDD_S: 4"},
                                                        {"clock_period: 1ns", "clock_period: 1"},
                                                        {"CL: 14", "CL: 0"}}) {
    const std::string a = from, b = to;
    INFO(b);
    REQUIRE_THROWS_AS(with(a, b), Error);
  }
}
