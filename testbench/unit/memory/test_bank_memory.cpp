// SPDX-License-Identifier: Apache-2.0
// The contract of i_memory_model.hpp, held to by the bank model, and times that can be worked out by hand.
#include "sim/memory/bank_memory.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

constexpr std::int64_t ns = 1'000'000;
constexpr TimeFs forever(std::numeric_limits<std::int64_t>::max());

config::MemorySpec hbm2(std::int64_t channels = 0) {
  config::MemorySpec spec;
  spec.standard = "HBM2";
  spec.channels = channels;
  return spec;
}

std::vector<Request> traffic(unsigned seed, int n, std::int64_t most_gap_ns = 4) {
  std::mt19937_64 random(seed);
  std::vector<Request> list;
  std::int64_t now = 0;
  std::uint64_t address = 0;
  for (int i = 0; i < n; ++i) {
    if (random() % 8 != 0) now += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most_gap_ns * ns));
    if (random() % 3 == 0) address = random() % (1u << 24);
    const auto bytes = static_cast<std::uint32_t>(1 + random() % (random() % 4 == 0 ? 5000 : 600));
    list.push_back({static_cast<std::uint64_t>(i), address, bytes, random() % 3 == 0, TimeFs(now)});
    address += bytes;
  }
  return list;
}

struct Outcome {
  std::vector<Completion> completions;
  MemoryStats stats;
};

bool same(const Outcome& a, const Outcome& b) {
  const auto equal = [](const Completion& x, const Completion& y) { return x.tag == y.tag && x.time == y.time; };
  return a.completions.size() == b.completions.size() &&
         std::equal(a.completions.begin(), a.completions.end(), b.completions.begin(), equal) &&
         a.stats.row_hits == b.stats.row_hits && a.stats.row_misses == b.stats.row_misses &&
         a.stats.row_conflicts == b.stats.row_conflicts && a.stats.refreshes == b.stats.refreshes &&
         a.stats.busy == b.stats.busy;
}

constexpr TimeFs well_after(1'000'000'000'000);

Outcome all_at_once(const config::MemorySpec& spec, const std::vector<Request>& list) {
  BankMemory memory(spec);
  for (const Request& r : list) memory.push(r);
  Outcome o;
  memory.advance(list.back().arrival + well_after, o.completions);
  o.stats = memory.stats();
  return o;
}

// Each request is pushed as late as it may be, and time goes on in random steps.
Outcome step_by_step(const config::MemorySpec& spec, const std::vector<Request>& list, unsigned seed) {
  BankMemory memory(spec);
  std::mt19937_64 random(seed);
  Outcome o;
  std::int64_t now = 0;
  std::size_t next = 0;
  const std::int64_t end = (list.back().arrival + well_after).value();
  while (now < end) {
    const std::int64_t step = random() % 2 == 0 ? 1 + static_cast<std::int64_t>(random() % (3 * ns))
                                                : static_cast<std::int64_t>(random() % (200 * ns));
    std::int64_t to = std::min(end, now + step);
    if (next == list.size()) to = end;
    while (next < list.size() && list[next].arrival.value() < to) {
      if (list[next].arrival.value() > now) {
        now = list[next].arrival.value();
        memory.advance(TimeFs(now), o.completions);  // at the very time of the arrival, before it is known
      }
      memory.push(list[next++]);
    }
    now = to;
    memory.advance(TimeFs(now), o.completions);
  }
  o.stats = memory.stats();
  return o;
}

Outcome by_next_decision(const config::MemorySpec& spec, const std::vector<Request>& list,
                         std::size_t* wakes = nullptr) {
  BankMemory memory(spec);
  Outcome o;
  std::size_t next = 0, n = 0;
  for (;;) {
    const TimeFs decision = memory.next_decision();
    const TimeFs arrival = next < list.size() ? list[next].arrival : forever;
    if (decision == forever && arrival == forever) break;
    REQUIRE(++n < list.size() * 100);
    if (arrival < decision) {
      memory.advance(arrival, o.completions);
      memory.push(list[next++]);
      continue;
    }
    const std::size_t before = o.completions.size();
    memory.advance(decision - TimeFs(1), o.completions);
    REQUIRE(o.completions.size() == before);  // nothing completes before the decision
    memory.advance(decision, o.completions);
  }
  if (wakes != nullptr) *wakes = n;
  memory.advance(list.back().arrival + well_after, o.completions);
  o.stats = memory.stats();
  return o;
}

}  // namespace

TEST_CASE("Idle latencies by hand: closed, hit, conflict") {
  // Controller: seen at the next clock, moved to the bank in it, the first command one clock later. Then tRCD 14 if the
  // row is closed, tRP 14 before if another is open; CL 14 and two clocks of data. The reference measured 18 for a hit,
  // 32 closed, 46 for a conflict.
  BankMemory memory(hbm2());
  std::vector<Completion> out;
  const auto latency = [&](std::uint64_t address, std::int64_t at) {
    out.clear();
    memory.push({0, address, 64, false, TimeFs(at)});
    memory.advance(TimeFs(at + 200 * ns), out);
    REQUIRE(out.size() == 1);
    return (out[0].time.value() - at) / ns;
  };
  CHECK(latency(0, 100 * ns) == 32);
  CHECK(latency(64, 400 * ns) == 18);
  CHECK(latency(std::uint64_t{1} << 18, 700 * ns) == 46);                  // the next row of the same bank
  CHECK(latency((std::uint64_t{1} << 18) + 64, 1000 * ns + 7) == 18 - 1);  // between two clock edges
}

TEST_CASE("The path to the controller is paid both ways") {
  config::MemorySpec spec = hbm2();
  spec.latency = TimeFs(50 * ns);
  BankMemory memory(spec);
  std::vector<Completion> out;
  memory.push({0, 0, 64, false, TimeFs(100 * ns)});
  memory.push({1, 4096, 64, true, TimeFs(100 * ns)});
  memory.advance(TimeFs(1000 * ns), out);
  REQUIRE(out.size() == 2);
  CHECK(out[0].tag == 1);  // accepted a clock after it was seen
  CHECK(out[0].time == TimeFs(202 * ns));
  CHECK(out[1].time == TimeFs(232 * ns));
}

TEST_CASE("A packet of a whole row: one activate, then a burst every two clocks") {
  BankMemory memory(hbm2());
  std::vector<Completion> out;
  memory.push({0, 0, 2048, false, TimeFs(0)});
  memory.push({1, 2040, 16, false, TimeFs(10'000 * ns)});  // one byte range over two rows of two channels
  memory.advance(TimeFs(20'000 * ns), out);
  REQUIRE(out.size() == 2);
  CHECK(out[0].time == TimeFs((32 + 31 * 2) * ns));
  CHECK(memory.stats().row_misses == 3);  // refresh had closed the rows
  CHECK(memory.stats().row_hits == 31);
  CHECK(memory.stats().busy == TimeFs(34 * 2 * ns));
}

TEST_CASE("Every request completes once, in order of time, whatever its size") {
  const std::vector<Request> list = traffic(1, 3000);
  const Outcome o = all_at_once(hbm2(), list);
  REQUIRE(o.completions.size() == list.size());
  std::vector<bool> seen(list.size());
  for (std::size_t i = 0; i < o.completions.size(); ++i) {
    const Completion& c = o.completions[i];
    REQUIRE(!seen[c.tag]);
    seen[c.tag] = true;
    REQUIRE(c.time > list[c.tag].arrival);
    if (i > 0) REQUIRE(c.time >= o.completions[i - 1].time);
  }
  BankMemory memory(hbm2());
  std::vector<Completion> out;
  memory.push({9, 12345, 100'000'000, false, TimeFs(0)});
  memory.advance(well_after, out);
  REQUIRE(out.size() == 1);
  CHECK(out[0].time.value() > 100'000'000 / 256 * ns);
}

TEST_CASE("Steps, late pushes and waking at next_decision() change nothing") {
  for (const char* standard : {"HBM2", "HBM3", "DDR4-3200", "LPDDR5-6400"})
    for (const char* refresh : {"all_bank", "per_bank"})
      for (std::int64_t gap : {3, 3000}) {
        config::MemorySpec spec = hbm2(2);
        spec.standard = standard;
        spec.refresh = refresh;
        spec.latency = TimeFs(gap == 3 ? 20 * ns : 0);
        if (spec.standard == "HBM3") spec.mapping = "rorababg1cochbg1co2";
        if (spec.standard == "DDR4-3200") spec.page_policy = "closed";
        INFO(standard << " " << refresh << " " << gap);
        const std::vector<Request> list = traffic(static_cast<unsigned>(gap), gap == 3 ? 1500 : 300, gap);
        const Outcome whole = all_at_once(spec, list);
        REQUIRE(whole.completions.size() == list.size());
        CHECK(same(whole, all_at_once(spec, list)));
        CHECK(same(whole, step_by_step(spec, list, 5)));
        CHECK(same(whole, by_next_decision(spec, list)));
      }
}

TEST_CASE("Arrivals may be pushed out of order") {
  const std::vector<Request> list = traffic(3, 800);
  std::vector<Request> shuffled = list;
  std::stable_sort(shuffled.begin(), shuffled.end(),
                   [](const Request& a, const Request& b) { return a.tag % 7 < b.tag % 7; });
  BankMemory memory(hbm2(1));
  for (const Request& r : shuffled) memory.push(r);
  std::vector<Completion> out;
  memory.advance(list.back().arrival + well_after, out);
  CHECK(out.size() == list.size());
  // A request that arrived before what is decided counts as arriving now.
  memory.push({1, 0, 64, false, TimeFs(0)});
  const TimeFs now = list.back().arrival + well_after;
  out.clear();
  memory.advance(now + TimeFs(100 * ns), out);
  REQUIRE(out.size() == 1);
  CHECK(out[0].time > now);
}

TEST_CASE("Watching the commands changes no time, and skipped idle refreshes are counted") {
  std::vector<Request> list;
  for (int i = 0; i < 40; ++i)
    list.push_back({static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(i) * 777'777, 300, i % 3 == 0,
                    TimeFs((i * i * 1237) * ns)});
  for (const char* refresh : {"all_bank", "per_bank"}) {
    config::MemorySpec spec = hbm2(1);
    spec.refresh = refresh;
    const Outcome plain = all_at_once(spec, list);
    BankMemory watched(spec);
    std::vector<Command> trace;
    watched.watch(&trace);
    for (const Request& r : list) watched.push(r);
    Outcome o;
    watched.advance(list.back().arrival + well_after, o.completions);
    o.stats = watched.stats();
    CHECK(same(plain, o));
    const std::int64_t interval = spec.refresh == "per_bank" ? 3900 / 16 : 3900;
    const std::int64_t due = list.back().arrival.value() / ns / interval;
    CHECK(std::llabs(static_cast<std::int64_t>(o.stats.refreshes) - due) <= 1);
  }
}

TEST_CASE("Batches of packets from several engines reach 90 % of the peak") {
  struct Case {
    const char* standard;
    std::int64_t channels;
    const char* mapping;
    unsigned engines;
  };
  for (const Case& c : {Case{"HBM2", 8, "rorabgbachco", 4}, Case{"LPDDR5-6400", 4, "rorabgbachco", 4},
                        Case{"LPDDR5-6400", 4, "rorababg1cochbg1co3", 1}, Case{"HBM3", 16, "rorababg1cochbg1co3", 8}}) {
    config::MemorySpec spec = hbm2(c.channels);
    spec.standard = c.standard;
    spec.mapping = c.mapping;
    BankMemory memory(spec);
    const std::size_t total = 20'000;
    std::vector<std::uint64_t> at(c.engines);
    std::vector<std::size_t> in_flight(c.engines);
    for (unsigned e = 0; e < c.engines; ++e) at[e] = e * (std::uint64_t{1} << 26) + e * 40 * 2048;
    std::vector<Completion> out;
    std::size_t sent = 0, finished = 0;
    TimeFs now{};
    while (finished < total) {
      for (unsigned e = 0; e < c.engines; ++e)
        while (sent < total && in_flight[e] <= 48) {
          for (int i = 0; i < 16; ++i, ++sent, at[e] += 512) memory.push({e, at[e], 512, false, now});
          in_flight[e] += 16;
        }
      now = memory.next_decision();
      out.clear();
      memory.advance(now, out);
      for (const Completion& done : out) --in_flight[done.tag];
      finished += out.size();
    }
    const double share = static_cast<double>(total) * 512 / (static_cast<double>(now.value()) * 1e-15) /
                         static_cast<double>(memory.peak_bytes_per_second());
    INFO(c.standard << " " << c.mapping << " " << c.engines << " engines: " << share);
    CHECK(share >= (std::string(c.standard) == "HBM3" ? 0.88 : 0.90));
    CHECK(share <= 1.0);
  }
}

TEST_CASE("The ends of address space and time") {
  config::MemorySpec spec = hbm2();
  spec.latency = TimeFs(10 * ns);
  BankMemory memory(spec);
  REQUIRE_THROWS_WITH(memory.push({0, 0, 0, false, TimeFs(0)}), contains("HDL-MEM-04"));
  REQUIRE_THROWS_WITH(memory.push({0, ~std::uint64_t{0}, 2, false, TimeFs(0)}), contains("HDL-MEM-05"));
  memory.push({1, ~std::uint64_t{0}, 1, false, TimeFs(0)});
  memory.push({2, 5, 3000, true, TimeFs(0)});
  std::vector<Completion> out;
  memory.advance(forever, out);
  CHECK(out.size() == 2);
  CHECK(memory.next_decision() == forever);
}
