// SPDX-License-Identifier: Apache-2.0
// Which line of an edited source file is which of the file before the edit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::diff {

// A line that has instructions.
struct Site {
  std::uint32_t line = 0;
  std::set<std::string> mnemonics;
  std::string text;  // of the source; empty where it is not known
};

// Pairs {index in before, index in after}, both ascending: lines keep their order. Of all such pairings, the one that
// agrees most: lines of the same text first, then of the same instructions, then with some of them; among equals the
// one whose lines moved least. A line without a partner is in no pair. Both sides are sorted by line.
// Work and memory grow with the product of the sizes; past 4 million, lines pair by their number alone.
std::vector<std::pair<std::size_t, std::size_t>> match_lines(const std::vector<Site>& before,
                                                             const std::vector<Site>& after);

}  // namespace heddle::diff
