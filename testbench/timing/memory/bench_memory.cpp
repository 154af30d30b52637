// SPDX-License-Identifier: Apache-2.0
// Host speed of the memory models. items_per_second is requests; "per_64B" is the host time of 64 bytes moved, and
// "peak" the share of the peak bandwidth that the simulated time came to.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "sim/memory/i_memory_model.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

struct Load {
  const char* standard = "HBM2";
  std::int64_t channels = 8;
  const char* mapping = "rorabgbachco";
  const char* model = "bank";
  bool random = false;
  std::uint32_t bytes = 64;
  int batch = 1;     // requests that one engine sends at once
  int engines = 1;   // each with a contiguous stream of its own
  int window = 512;  // most outstanding
};

void closed_loop(benchmark::State& state, const Load& load) {
  config::MemorySpec spec;
  spec.standard = load.standard;
  spec.channels = load.channels;
  spec.mapping = load.mapping;
  spec.model = load.model;
  const auto memory = make_memory_model(spec);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> at(static_cast<std::size_t>(load.engines));
  for (std::size_t e = 0; e < at.size(); ++e) at[e] = e * ((std::uint64_t{1} << 24) + 80 * 1024);
  std::vector<Completion> done;
  TimeFs now{};
  std::int64_t sent = 0, outstanding = 0;
  std::size_t engine = 0;
  for (auto _ : state) {
    while (outstanding + load.batch > load.window) {
      now = memory->next_decision();
      done.clear();
      memory->advance(now, done);
      outstanding -= static_cast<std::int64_t>(done.size());
    }
    engine = (engine + 1) % at.size();
    for (int i = 0; i < load.batch; ++i, ++sent, at[engine] += load.bytes) {
      const std::uint64_t address =
          load.random ? random() % (std::uint64_t{1} << 33) / load.bytes * load.bytes : at[engine];
      memory->push({static_cast<std::uint64_t>(sent), address, load.bytes, false, now});
    }
    outstanding += load.batch;
  }
  const double total = static_cast<double>(sent) * load.bytes;
  state.SetItemsProcessed(sent);
  state.counters["per_64B"] = benchmark::Counter(total / 64, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  if (now > TimeFs{})
    state.counters["peak"] =
        total / (static_cast<double>(now.value()) * 1e-15) / static_cast<double>(memory->peak_bytes_per_second());
}

}  // namespace

BENCHMARK_CAPTURE(closed_loop, ideal_64B, Load{.model = "ideal"});
BENCHMARK_CAPTURE(closed_loop, hbm2_sequential_64B, Load{});
BENCHMARK_CAPTURE(closed_loop, hbm2_random_64B, Load{.random = true});
BENCHMARK_CAPTURE(closed_loop, hbm2_4_engines_16x512B, Load{.bytes = 512, .batch = 16, .engines = 4, .window = 128});
BENCHMARK_CAPTURE(closed_loop, hbm2_8_engines_4KiB, Load{.bytes = 4096, .batch = 4, .engines = 8, .window = 64});
BENCHMARK_CAPTURE(closed_loop, lpddr5_4_engines_16x512B,
                  Load{.standard = "LPDDR5-6400", .bytes = 512, .batch = 16, .engines = 4, .window = 128});
BENCHMARK_CAPTURE(closed_loop, hbm3_8_engines_16x512B,
                  Load{.standard = "HBM3", .channels = 64, .bytes = 512, .batch = 16, .engines = 8, .window = 1024});

BENCHMARK_MAIN();
