// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "isa/base/error.hpp"
#include "models/session/sampler.hpp"
#include "testbench/support/catch.hpp"

using heddle::models::Sampler;
using heddle::models::SamplingParams;

namespace {

std::vector<int> histogram(SamplingParams params, const std::vector<float>& logits, int draws) {
  Sampler sampler(params);
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(sampler.next(logits))];
  return counts;
}

}  // namespace

TEST_CASE("greedy takes the first of the largest, and never a NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Sampler greedy({});
  CHECK(greedy.next(std::vector<float>{1, 3, 3, 2}) == 1);
  CHECK(greedy.next(std::vector<float>{nan, -5, nan}) == 1);
  CHECK(greedy.next(std::vector<float>{0}) == 0);
  CHECK(greedy.next(std::vector<float>{-INFINITY, -INFINITY}) == 0);
  CHECK_THROWS_AS(greedy.next(std::vector<float>{nan, nan}), heddle::Error);
  CHECK_THROWS_AS(greedy.next(std::vector<float>{}), heddle::Error);
}

TEST_CASE("temperature 1 draws by softmax") {
  // ln of 1, 2, 5: probabilities 1/8, 2/8, 5/8.
  const std::vector<float> logits{std::log(1.f), std::log(2.f), std::log(5.f)};
  const auto counts = histogram({1.0, 0, 1.0, 7}, logits, 80000);
  CHECK(counts[0] == Approx(10000).epsilon(0.05));
  CHECK(counts[1] == Approx(20000).epsilon(0.05));
  CHECK(counts[2] == Approx(50000).epsilon(0.05));
}

TEST_CASE("temperature 2 takes the square root of the odds") {
  const auto counts = histogram({2.0, 0, 1.0, 7}, {0.f, std::log(9.f)}, 40000);
  CHECK(counts[0] == Approx(10000).epsilon(0.05));
}

TEST_CASE("top-k keeps k and prefers the lower index among equals") {
  const auto counts = histogram({1.0, 2, 1.0, 1}, {1, 1, 1, 0}, 1000);
  CHECK(counts[0] > 0);
  CHECK(counts[1] > 0);
  CHECK(counts[2] + counts[3] == 0);
}

TEST_CASE("top-p keeps the token that crosses the bound and drops the rest") {
  // Probabilities 0.5, 0.3, 0.2: 0.6 needs the first two, 0.5 the first alone.
  const std::vector<float> logits{std::log(5.f), std::log(3.f), std::log(2.f)};
  CHECK(histogram({1.0, 0, 0.6, 3}, logits, 1000)[2] == 0);
  CHECK(histogram({1.0, 0, 0.6, 3}, logits, 1000)[1] > 0);
  CHECK(histogram({1.0, 0, 0.45, 3}, logits, 1000)[1] == 0);
}

TEST_CASE("the same seed draws the same tokens, another seed others") {
  const std::vector<float> logits(50, 0.f);
  const auto run = [&](std::uint64_t seed) {
    Sampler s({1.0, 0, 1.0, seed});
    std::vector<int> tokens;
    for (int i = 0; i < 20; ++i) tokens.push_back(s.next(logits));
    return tokens;
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("parameters out of range are named") {
  CHECK_THROWS_WITH(Sampler({-1.0, 0, 1.0, 0}), contains("temperature is -1"));
  CHECK_THROWS_WITH(Sampler({1.0, -3, 1.0, 0}), contains("top_k is -3"));
  CHECK_THROWS_WITH(Sampler({1.0, 0, 0.0, 0}), contains("top_p is 0"));
  CHECK_THROWS_AS(Sampler({std::nan(""), 0, 1.0, 0}), heddle::Error);
}
