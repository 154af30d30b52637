// SPDX-License-Identifier: Apache-2.0
// Lines of an edited file find the lines they were.
#include "sim/app/diff/match_lines.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::diff {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Site site(std::uint32_t line, std::set<std::string> mnemonics, std::string text = {}) {
  return {line, std::move(mnemonics), std::move(text)};
}

TEST_CASE("lines that an edit above moved are the same lines") {
  // Nearest alone would take 12 for 12 and lose 10 and 14.
  const std::vector<Site> before{site(10, {"dma.copy"}), site(12, {"dma.copy"}), site(20, {"mxu.matmul"})};
  const std::vector<Site> after{site(12, {"dma.copy"}), site(14, {"dma.copy"}), site(22, {"mxu.matmul"})};
  CHECK(match_lines(before, after) == Pairs{{0, 0}, {1, 1}, {2, 2}});
}

TEST_CASE("a line that came in has no partner, and takes none away") {
  const std::vector<Site> before{site(10, {"dma.copy"}), site(20, {"mxu.load", "mxu.matmul"})};
  const std::vector<Site> after{site(10, {"dma.copy"}), site(15, {"vpu.add"}), site(21, {"mxu.load", "mxu.matmul"})};
  CHECK(match_lines(before, after) == Pairs{{0, 0}, {1, 2}});
}

TEST_CASE("the text of a line counts for more than its number and its instructions") {
  const std::vector<Site> before{site(10, {"dma.copy"}, "  k.copy(x, a);"), site(11, {"dma.copy"}, "  k.copy(y, b);")};
  const std::vector<Site> after{site(10, {"dma.copy"}, "  k.copy(z, c);"), site(11, {"dma.copy"}, "    k.copy(x, a);"),
                                site(12, {"dma.copy", "dma.sync"}, "    k.copy(y, b);")};
  CHECK(match_lines(before, after) == Pairs{{0, 1}, {1, 2}});
}

TEST_CASE("among equals the nearest") {
  const std::vector<Site> before{site(50, {"dma.copy"})};
  const std::vector<Site> after{site(10, {"dma.copy"}), site(49, {"dma.copy"}), site(90, {"dma.copy"})};
  CHECK(match_lines(before, after) == Pairs{{0, 1}});
}

TEST_CASE("lines that share no instruction are never the same, unless their text is") {
  CHECK(match_lines({site(1, {"dma.copy"})}, {site(1, {"vpu.add"})}).empty());
  CHECK(match_lines({site(1, {"dma.copy"}, "f();")}, {site(9, {"vpu.add"}, "f();")}) == Pairs{{0, 0}});
  CHECK(match_lines({}, {site(1, {"vpu.add"})}).empty());
  CHECK(match_lines({site(1, {"vpu.add"})}, {}).empty());
}

TEST_CASE("files too long to align pair their lines by number") {
  std::vector<Site> before, after;
  for (std::uint32_t i = 0; i < 3000; ++i) before.push_back(site(i, {"dma.copy"}));
  for (std::uint32_t i = 1000; i < 4000; ++i) after.push_back(site(i, {"dma.copy"}));
  const Pairs pairs = match_lines(before, after);
  REQUIRE(pairs.size() == 2000);
  CHECK(pairs.front() == std::pair<std::size_t, std::size_t>{1000, 0});
}

}  // namespace
}  // namespace heddle::diff
