// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "isa/base/error.hpp"
#include "sim/memory/i_memory_model.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::memory;

namespace {

constexpr std::int64_t ns = 1'000'000;

config::MemorySpec ideal(std::int64_t bandwidth) {
  config::MemorySpec spec;
  spec.model = "ideal";
  spec.bandwidth_bytes_per_second = bandwidth;
  spec.latency = TimeFs(50 * ns);
  return spec;
}

}  // namespace

TEST_CASE("Ideal memory: bytes over bandwidth, and the path both ways") {
  const auto memory = make_memory_model(ideal(64'000'000'000));  // 64 bytes a nanosecond
  CHECK(memory->next_decision() == TimeFs(std::numeric_limits<std::int64_t>::max()));
  memory->push({1, 0, 640, false, TimeFs(1000 * ns)});
  memory->push({2, 640, 64, true, TimeFs(1000 * ns)});
  memory->push({3, 0, 64, false, TimeFs(5000 * ns)});
  CHECK(memory->next_decision() == TimeFs(1110 * ns));
  std::vector<Completion> out;
  memory->advance(TimeFs(1110 * ns - 1), out);
  CHECK(out.empty());
  memory->advance(TimeFs(10000 * ns), out);
  REQUIRE(out.size() == 3);
  CHECK((out[0].tag == 1 && out[0].time == TimeFs(1110 * ns)));
  CHECK((out[1].tag == 2 && out[1].time == TimeFs(1111 * ns)));
  CHECK((out[2].tag == 3 && out[2].time == TimeFs(5101 * ns)));
  CHECK(memory->stats().bytes_read == 704);
  CHECK(memory->stats().bytes_written == 64);
  CHECK(memory->stats().busy == TimeFs(12 * ns));
  CHECK(memory->peak_bytes_per_second() == 64'000'000'000);
}

// 8 channels that are busy for 10 ns each, as the bank model would count them.
TEST_CASE("Ideal memory is busy on all its channels at once") {
  config::MemorySpec spec;
  spec.model = "ideal";
  spec.standard = "HBM2";
  const auto memory = make_memory_model(spec);
  memory->push({1, 0, 2560, false, TimeFs(0)});  // 256 bytes a nanosecond
  CHECK(memory->channels() == 8);
  CHECK(memory->stats().busy == TimeFs(8 * 10 * ns));
}

TEST_CASE("Ideal memory carries fractions of a femtosecond over a busy period") {
  const auto memory = make_memory_model(ideal(7));  // one byte: 142857142857142.857 fs
  for (std::uint64_t i = 0; i < 21; ++i) memory->push({i, i, 1, false, TimeFs(0)});
  std::vector<Completion> out;
  memory->advance(TimeFs(std::numeric_limits<std::int64_t>::max()), out);
  REQUIRE(out.size() == 21);
  CHECK(out[0].time.value() == 142'857'142'857'142 + 100 * ns);
  CHECK(out[20].time.value() == 3'000'000'000'000'000 + 100 * ns);
}

TEST_CASE("Ideal memory takes its bandwidth from the standard when none is given") {
  config::MemorySpec spec;
  spec.model = "ideal";
  spec.standard = "HBM2";
  const auto memory = make_memory_model(spec);
  CHECK(memory->peak_bytes_per_second() == 256'000'000'000);
  CHECK(memory->channels() == 8);
}

TEST_CASE("Models by name; an unknown one is named with those there are") {
  config::MemorySpec spec;
  spec.standard = "HBM2";
  spec.model = "banks";
  REQUIRE_THROWS_WITH(make_memory_model(spec),
                      contains("HDL-MEM-01") && contains("'banks'") && contains("bank, ideal"));
  spec.model = "ideal";
  REQUIRE_THROWS_WITH(make_memory_model(spec)->push({0, 0, 0, false, TimeFs(0)}), contains("HDL-MEM-04"));
}
