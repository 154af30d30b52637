// SPDX-License-Identifier: Apache-2.0
// A timeline's tracks: exact while there is room, then coarser by a rule; memory that does not grow with the run.
#include <array>

#include "sim/trace/timeline.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::trace {
namespace {

std::vector<std::pair<std::int64_t, std::uint32_t>> of(const TimelineTracks& t, std::size_t track) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> out;
  for (const TimelineSlice& s : t.slices(track)) out.emplace_back(s.length.value(), s.label);
  return out;
}

using Slices = std::vector<std::pair<std::int64_t, std::uint32_t>>;

TEST_CASE("slices are kept as they are while there is room") {
  TimelineTracks t(4);
  const std::size_t a = t.add(), b = t.add();
  t.append(a, TimeFs(5), 1);
  t.append(a, TimeFs(0), 2);
  t.append(a, TimeFs(7), 1);  // another instruction with the same label
  t.append(b, TimeFs(3), 2);
  t.append(b, TimeFs(1), 3);
  CHECK(of(t, a) == Slices{{5, 1}, {7, 1}});
  CHECK(of(t, b) == Slices{{3, 2}, {1, 3}});
  CHECK(t.count() == 4);
  CHECK(t.grain() == TimeFs(0));
}

TEST_CASE("beyond it, neighbours below the grain become one with the label of the longest") {
  TimelineTracks t(5);
  t.set_first_grain(TimeFs(10));
  const std::size_t a = t.add();
  // 4 + 9 are merged, 9 wins; so are 3 of label 1 and 4 of label 2 and another 2 of label 1, which sum to 5; 100 stays.
  for (const auto& [length, label] : Slices{{4, 7}, {9, 8}, {100, 9}, {3, 1}, {4, 2}})
    t.append(a, TimeFs(length), label);
  CHECK(t.count() == 5);
  t.append(a, TimeFs(12), 1);
  // Five were too many: to half of them, by doubling the grain. 10: [13, 8] [100, 9] [7, 2] [12, 1]. 20: the last two.
  // 40: nothing more. 80: nothing. 160: all in one.
  CHECK(t.grain() == TimeFs(160));
  CHECK(of(t, a) == Slices{{132, 9}});
}

TEST_CASE("millions of slices fit into the bound, and the same ones come out each time") {
  constexpr std::size_t most = 20'000, tracks = 8;
  const auto record = [&] {
    TimelineTracks t(most);
    t.set_first_grain(TimeFs(1000));
    for (std::size_t i = 0; i < tracks; ++i) t.add();
    std::array<std::int64_t, tracks> sums{};
    std::uint64_t random = 1;
    std::size_t largest = 0;
    for (int i = 0; i < 4'000'000; ++i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      const std::size_t track = (random >> 33) % tracks;
      const std::int64_t length = 1 + static_cast<std::int64_t>(random >> 40) % 5000;
      t.append(track, TimeFs(length), static_cast<std::uint32_t>(random >> 60));
      sums[track] += length;
      largest = std::max(largest, t.count());
    }
    CHECK(largest <= most);
    CHECK(t.count() > most / 4);
    CHECK(t.grain() > TimeFs(1000));
    std::size_t held = 0;
    for (std::size_t i = 0; i < tracks; ++i) {
      std::int64_t sum = 0;
      for (const TimelineSlice& s : t.slices(i)) sum += s.length.value();
      CHECK(sum == sums[i]);
      held += t.slices(i).capacity();
    }
    CHECK(held <= 2 * most);
    return t;
  };
  const TimelineTracks first = record(), second = record();
  for (std::size_t i = 0; i < tracks; ++i) CHECK(of(first, i) == of(second, i));
}

TEST_CASE("long slices survive among short ones") {
  TimelineTracks t(100);
  t.set_first_grain(TimeFs(10));
  const std::size_t a = t.add();
  for (int i = 0; i < 1000; ++i) {
    t.append(a, TimeFs(3), 1);
    t.append(a, TimeFs(4), 2);
    if (i % 100 == 50) t.append(a, TimeFs(1'000'000), 3);
  }
  int long_ones = 0;
  for (const TimelineSlice& s : t.slices(a))
    if (s.label == 3) {
      ++long_ones;
      CHECK(s.length == TimeFs(1'000'000));
    } else {
      CHECK(s.label == 2);  // the longer of the two kinds that were merged
    }
  CHECK(long_ones == 10);
}

}  // namespace
}  // namespace heddle::trace
