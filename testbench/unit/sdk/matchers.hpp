// SPDX-License-Identifier: Apache-2.0
// Matchers under the names that Catch2 versions 2 and 3 share.
#pragma once
#include <string>

#include "testbench/support/catch.hpp"

namespace heddle::sdk::test {

inline auto has(const std::string& text) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(text);
#else
  return Catch::Matchers::Contains(text);
#endif
}

}  // namespace heddle::sdk::test
