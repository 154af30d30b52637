// SPDX-License-Identifier: Apache-2.0
// Chains against a plain copy of every chain's whole history.
#include <random>

#include "sim/trace/chains.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::trace {
namespace {

struct Both {
  Chains::Ref ref;
  std::map<ChainKey, std::int64_t> all;
};

TEST_CASE("a chain's sums are those of its whole history, and its nodes no more than twice the references") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 50; ++round) {
    Chains chains;
    std::vector<Both> live{{chains.begin(TimeFs(0)), {}}};
    for (int i = 0; i < 400; ++i) {
      Both next = live[below(static_cast<std::uint32_t>(live.size()))];
      std::vector<ChainItem> items;
      for (std::uint32_t n = below(3); n > 0; --n) items.push_back({{0, below(6), 0, 0, 0}, 1 + below(9)});
      next.ref = chains.extend(next.ref, TimeFs(i), items);
      for (const ChainItem& item : items) next.all[item.key] += item.amount;
      if (below(2) == 0 || live.size() == 1)
        live.push_back(std::move(next));
      else
        live[below(static_cast<std::uint32_t>(live.size()))] = std::move(next);
      if (live.size() > 12) live.erase(live.begin() + below(12));
      REQUIRE(chains.nodes() <= 2 * live.size());
    }
    for (const Both& b : live) CHECK(chains.sums(b.ref) == b.all);
    live.clear();
    CHECK(chains.nodes() == 0);
  }
}

TEST_CASE("a million steps of one chain are one node") {
  Chains chains;
  Chains::Ref chain = chains.begin(TimeFs(0));
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    const ChainItem item{{0, i % 5, 0, 0, 0}, 1};
    chain = chains.extend(chain, TimeFs(i), {&item, 1});
  }
  CHECK(chains.nodes() == 1);
  for (const auto& [key, amount] : chains.sums(chain)) CHECK(amount == 200'000);
}

}  // namespace
}  // namespace heddle::trace
