// SPDX-License-Identifier: Apache-2.0
#include "isa/base/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace heddle {
namespace {

constexpr std::size_t longest = 64;

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one each.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, longest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  name = name.substr(0, longest);
  std::string_view best;
  std::size_t best_distance = 0;
  for (std::string_view candidate : candidates) {
    const std::string_view head = candidate.substr(0, longest);
    const std::size_t d = distance(name, head);
    if (d > std::max(name.size(), head.size()) / 3 + 1 || d >= std::max(name.size(), head.size())) continue;
    if (best.empty() || d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const std::string best = nearest_name(name, candidates);
  return best.empty() ? std::string() : "; did you mean '" + best + "'?";
}

}  // namespace heddle
