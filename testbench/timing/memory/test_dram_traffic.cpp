// SPDX-License-Identifier: Apache-2.0
// Random traffic over every preset and policy: no pair of commands may break a constraint, and each constraint that the
// traffic can reach has to be met exactly somewhere, or the model waits longer than the standard asks.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <random>

#include "sim/memory/bank_memory.hpp"
#include "testbench/support/catch.hpp"
#include "testbench/support/dram_checker.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

struct Traffic {
  int requests = 1500;
  double write_fraction = 0.3;
  std::uint32_t most_bytes = 1024;
  std::uint64_t span = std::uint64_t{1} << 24;  // small: rows are hit again
  double gap_ns = 2;
  double jump = 0.3;  // chance that a request does not follow the one before it
};

testbench::DramCheck drive(const config::MemorySpec& spec, const Traffic& t, unsigned seed) {
  BankMemory memory(spec);
  std::vector<Command> trace;
  memory.watch(&trace);
  std::mt19937_64 random(seed);
  std::vector<Completion> out;
  std::int64_t now = 0;
  std::uint64_t address = 0;
  for (int i = 0; i < t.requests; ++i) {
    now += static_cast<std::int64_t>(random() % 1000) * static_cast<std::int64_t>(2'000 * t.gap_ns);
    if (static_cast<double>(random() % 1000) < 1000 * t.jump) address = random() % t.span;
    const auto bytes = static_cast<std::uint32_t>(1 + random() % t.most_bytes);
    const bool write = static_cast<double>(random() % 1000) < 1000 * t.write_fraction;
    memory.push({static_cast<std::uint64_t>(i), address, bytes, write, TimeFs(now)});
    address += bytes;
    if (i % 64 == 0) memory.advance(TimeFs(now - 1), out);
  }
  memory.advance(TimeFs(now + 1'000'000'000'000), out);
  REQUIRE(out.size() == static_cast<std::size_t>(t.requests));
  return testbench::check_commands(memory.setup().dram, std::move(trace));
}

void require_clean(const testbench::DramCheck& check) {
  for (const std::string& v : check.violations) UNSCOPED_INFO(v);
  REQUIRE(check.violations.empty());
  REQUIRE(check.commands > 500);
}

}  // namespace

TEST_CASE("Random traffic obeys every constraint on every preset, mapping, policy and refresh") {
  unsigned seed = 1;
  for (const std::string& preset : config::dram_presets())
    for (const char* mapping : {"rorabgbachco", "rorabacochbg", "rocorabgbach", "rochrababgco"})
      for (const char* page : {"open", "closed"})
        for (const char* refresh : {"all_bank", "per_bank", "none"}) {
          config::MemorySpec spec;
          spec.standard = preset;
          spec.mapping = mapping;
          spec.page_policy = page;
          spec.refresh = refresh;
          spec.channels = 2;
          INFO(preset << " " << mapping << " " << page << " " << refresh);
          Traffic t;
          t.requests = 700;
          require_clean(drive(spec, t, seed++));
        }
}

// Whoever sleeps until next_decision() and does nothing else is woken for every completion, and not after it.
TEST_CASE("next_decision() alone leads to every completion and comes after none") {
  for (const std::string& preset : config::dram_presets())
    for (const char* page : {"open", "closed"})
      for (const char* refresh : {"all_bank", "per_bank"})
        for (const double writes : {0.0, 0.5, 1.0}) {
          INFO(preset << " " << page << " " << refresh << " writes " << writes);
          config::MemorySpec spec;
          spec.standard = preset;
          spec.page_policy = page;
          spec.refresh = refresh;
          spec.channels = 2;
          spec.mapping = "rorabacochbg";
          const std::unique_ptr<IMemoryModel> memory = make_memory_model(spec);
          std::mt19937_64 random(7);
          constexpr std::uint64_t requests = 400;
          for (std::uint64_t i = 0; i < requests; ++i)
            memory->push({i, random() % (std::uint64_t{1} << 19), static_cast<std::uint32_t>(1 + random() % 300),
                          static_cast<double>(random() % 1000) < 1000 * writes,
                          TimeFs(static_cast<std::int64_t>(i) * 2'000'000)});
          std::vector<Completion> out;
          for (std::size_t looks = 0; out.size() < requests && looks < 100 * requests; ++looks) {
            const TimeFs at = memory->next_decision();
            REQUIRE(at < TimeFs(std::numeric_limits<std::int64_t>::max()));
            const std::size_t before = out.size();
            memory->advance(at, out);
            for (std::size_t i = before; i < out.size(); ++i) REQUIRE(out[i].time == at);
          }
          CHECK(out.size() == requests);
        }
}

TEST_CASE("Traffic of one-burst requests, long packets, only writes and only reads obeys every constraint") {
  config::MemorySpec spec;
  spec.standard = GENERATE(as<std::string>{}, "HBM2", "HBM3", "DDR4-3200", "LPDDR5-6400");
  spec.channels = 1;
  spec.mapping = GENERATE(as<std::string>{}, "rorabgbachco", "rorabacochbg", "rocorabgbach", "rorababg1cochbg1co2");
  Traffic t;
  t.requests = 2500;
  SECTION("one burst, all over") {
    t.most_bytes = 1;
    t.jump = 1;
    t.gap_ns = 0.2;
    t.span = std::uint64_t{1} << 32;
  }
  SECTION("packets") {
    t.most_bytes = 4096;
    t.gap_ns = 20;
  }
  SECTION("writes") { t.write_fraction = 1; }
  SECTION("reads") { t.write_fraction = 0; }
  SECTION("sparse") { t.gap_ns = 500; }
  INFO(spec.standard << " " << spec.mapping);
  require_clean(drive(spec, t, 7));
}

TEST_CASE("Constraints are met exactly, not with a margin") {
  config::MemorySpec spec;
  spec.standard = "HBM2E";
  spec.channels = 1;
  Traffic t;
  t.most_bytes = 64;
  t.jump = 0.5;
  t.gap_ns = 0.5;
  t.requests = 20000;
  t.span = std::uint64_t{1} << 20;
  const testbench::DramCheck mixed = drive(spec, t, 3);
  require_clean(mixed);
  for (const char* constraint :
       {"tCCD_S", "tCCD_L", "tWTR_S", "tWTR_L", "tRRD_S", "tRCD_RD", "tRCD_WR", "tRTP", "tWR", "tRP", "tRFC"}) {
    INFO(constraint);
    REQUIRE(mixed.closest.count(constraint) == 1);
    CHECK(mixed.closest.at(constraint) == 0);
  }
  t.jump = 1;
  t.write_fraction = 0;
  t.span = std::uint64_t{1} << 32;
  const testbench::DramCheck spread = drive(spec, t, 4);
  require_clean(spread);
  for (const char* constraint : {"tFAW", "tRRD_S", "tRAS"}) {
    INFO(constraint);
    CHECK(spread.closest.at(constraint) == 0);
  }
  spec.refresh = "per_bank";
  const testbench::DramCheck per_bank = drive(spec, t, 5);
  require_clean(per_bank);
  CHECK(per_bank.closest.at("tRFC_pb") == 0);
}

TEST_CASE("The checker sees a command one clock too early") {
  const config::DramSpec spec = config::load_dram("HBM2");
  const auto violations = [&](std::vector<Command> trace) {
    return testbench::check_commands(spec, std::move(trace)).violations.size();
  };
  const Command open0{Op::activate, 0, 0, 5, 100};
  CHECK(violations({open0, {Op::read, 0, 0, 5, 114}}) == 0);
  CHECK(violations({open0, {Op::read, 0, 0, 5, 113}}) == 1);
  CHECK(violations({open0, {Op::read, 0, 0, 6, 114}}) == 1);
  CHECK(violations({open0, {Op::precharge, 0, 0, 0, 134}, {Op::activate, 0, 0, 6, 148}}) == 0);
  CHECK(violations({open0, {Op::precharge, 0, 0, 0, 133}, {Op::activate, 0, 0, 6, 148}}) == 1);
  CHECK(violations({open0, {Op::precharge, 0, 0, 0, 134}, {Op::activate, 0, 0, 6, 147}}) == 2);  // tRP and tRC
  CHECK(violations({open0, {Op::activate, 0, 1, 5, 106}}) == 0);
  CHECK(violations({open0, {Op::activate, 0, 1, 5, 105}}) == 1);
  CHECK(violations({open0, {Op::activate, 0, 4, 5, 104}}) == 0);
  CHECK(violations({open0, {Op::activate, 0, 4, 5, 103}}) == 1);
}
