// SPDX-License-Identifier: Apache-2.0
#include "models/tokenizer/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/tokenizer/utf8.hpp"

namespace heddle::tokenizer {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};
struct ClassRange {
  char32_t first;
  char32_t last;
  std::uint8_t value;
};
struct Decomposition {
  char32_t whole;
  char32_t first;
  char32_t second;  // 0: a singleton
  bool composes;    // false: excluded from composition
};
#include "models/tokenizer/unicode_tables.inc"

template <class T>
const T* find_range(std::span<const T> ranges, char32_t c) {
  const auto it = std::upper_bound(ranges.begin(), ranges.end(), c, [](char32_t v, const T& r) { return v < r.first; });
  return it != ranges.begin() && c <= std::prev(it)->last ? &*std::prev(it) : nullptr;
}

int combining_class(char32_t c) {
  const ClassRange* range = find_range<ClassRange>(combining_ranges, c);
  return range == nullptr ? 0 : range->value;
}

// Hangul syllables, section 3.12 of the standard.
constexpr char32_t s_base = 0xac00, l_base = 0x1100, v_base = 0x1161, t_base = 0x11a7;
constexpr char32_t l_count = 19, v_count = 21, t_count = 28, s_count = l_count * v_count * t_count;

void decompose(char32_t c, std::u32string& out) {
  if (c >= s_base && c < s_base + s_count) {
    const char32_t index = c - s_base;
    out.push_back(l_base + index / (v_count * t_count));
    out.push_back(v_base + index % (v_count * t_count) / t_count);
    if (index % t_count != 0) out.push_back(t_base + index % t_count);
    return;
  }
  const std::span<const Decomposition> all(decompositions);
  const auto it =
      std::lower_bound(all.begin(), all.end(), c, [](const Decomposition& d, char32_t v) { return d.whole < v; });
  if (it == all.end() || it->whole != c) {
    out.push_back(c);
    return;
  }
  decompose(it->first, out);
  if (it->second != 0) decompose(it->second, out);
}

// 0 where the two do not compose.
char32_t compose(char32_t a, char32_t b) {
  if (a >= l_base && a < l_base + l_count && b >= v_base && b < v_base + v_count)
    return s_base + ((a - l_base) * v_count + (b - v_base)) * t_count;
  if (a >= s_base && a < s_base + s_count && (a - s_base) % t_count == 0 && b > t_base && b < t_base + t_count)
    return a + (b - t_base);
  static const auto pairs = [] {
    std::unordered_map<std::uint64_t, char32_t> map;
    for (const Decomposition& d : decompositions)
      if (d.composes) map.emplace((std::uint64_t{d.first} << 32) | d.second, d.whole);
    return map;
  }();
  const auto it = pairs.find((std::uint64_t{a} << 32) | b);
  return it == pairs.end() ? 0 : it->second;
}

void append_nfc(std::string& out, const std::u32string& text) {
  std::u32string all;
  for (const char32_t c : text) decompose(c, all);
  // Canonical order: marks between two starters sorted by class, equal ones as they stood.
  std::vector<std::pair<int, char32_t>> chars;
  for (const char32_t c : all) chars.emplace_back(combining_class(c), c);
  for (auto it = chars.begin(); it != chars.end();) {
    const auto end = std::find_if(it + 1, chars.end(), [](const auto& x) { return x.first == 0; });
    std::stable_sort(it->first == 0 ? it + 1 : it, end, [](const auto& x, const auto& y) { return x.first < y.first; });
    it = end;
  }
  std::u32string composed;
  std::size_t starter = std::u32string::npos;
  int last_class = 0;  // of the last character kept after the starter
  for (const auto& [cls, c] : chars) {
    const bool adjacent = starter != std::u32string::npos && starter + 1 == composed.size();
    if (starter != std::u32string::npos && (adjacent || last_class < cls)) {
      if (const char32_t whole = compose(composed[starter], c)) {
        composed[starter] = whole;
        continue;
      }
    }
    if (cls == 0) starter = composed.size();
    last_class = cls;
    composed.push_back(c);
  }
  for (const char32_t c : composed) append_utf8(out, c);
}

}  // namespace

bool is_letter(char32_t c) { return find_range<Range>(letter_ranges, c) != nullptr; }
bool is_number(char32_t c) { return find_range<Range>(number_ranges, c) != nullptr; }
bool is_word_char(char32_t c) { return find_range<Range>(word_ranges, c) != nullptr; }

bool is_whitespace(char32_t c) {
  return (c >= 0x9 && c <= 0xd) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

std::string to_nfc(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::u32string pending;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.valid) {
      pending.push_back(c.value);
    } else {
      append_nfc(out, pending);
      pending.clear();
      out.push_back(text[0]);
    }
    text.remove_prefix(c.bytes);
  }
  append_nfc(out, pending);
  return out;
}

}  // namespace heddle::tokenizer
