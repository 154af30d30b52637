// SPDX-License-Identifier: Apache-2.0
#include "sim/app/diff/match_lines.hpp"

#include <algorithm>

namespace heddle::diff {
namespace {

constexpr std::size_t most_cells = 4'000'000;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// 0: the two cannot be the same line.
std::int64_t likeness(const Site& a, const Site& b) {
  constexpr std::int64_t step = 1 << 12;  // more than nearness can outweigh
  std::int64_t kind = 0;
  if (!trimmed(a.text).empty() && trimmed(a.text) == trimmed(b.text)) {
    kind = 16;
  } else if (a.mnemonics == b.mnemonics) {
    kind = 4;
  } else {
    for (const std::string& m : a.mnemonics) kind = std::max<std::int64_t>(kind, b.mnemonics.contains(m) ? 1 : 0);
  }
  if (kind == 0) return 0;
  const std::int64_t moved = std::abs(static_cast<std::int64_t>(a.line) - static_cast<std::int64_t>(b.line));
  return kind * step - std::min<std::int64_t>(moved, step / 2);
}

std::vector<std::pair<std::size_t, std::size_t>> by_number(const std::vector<Site>& a, const std::vector<Site>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].line == b[j].line)
      pairs.emplace_back(i++, j++);
    else
      ++(a[i].line < b[j].line ? i : j);
  }
  return pairs;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> match_lines(const std::vector<Site>& a, const std::vector<Site>& b) {
  if (b.empty() || a.size() > most_cells / b.size()) return by_number(a, b);
  // best[i][j]: of a's lines from i on against b's from j on.
  const std::size_t width = b.size() + 1;
  std::vector<std::int64_t> best((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;) {
      const std::int64_t like = likeness(a[i], b[j]);
      best[i * width + j] = std::max(
          {best[(i + 1) * width + j], best[i * width + j + 1], like > 0 ? like + best[(i + 1) * width + j + 1] : 0});
    }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t like = likeness(a[i], b[j]);
    if (like > 0 && best[i * width + j] == like + best[(i + 1) * width + j + 1])
      pairs.emplace_back(i++, j++);
    else
      ++(best[i * width + j] == best[(i + 1) * width + j] ? i : j);
  }
  return pairs;
}

}  // namespace heddle::diff
