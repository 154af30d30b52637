// SPDX-License-Identifier: Apache-2.0
// Catch2 as installed: version 2 (Debian 12) or 3 (Debian 13). `contains(text)` is the substring matcher of either.
#pragma once
#include <string>
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
inline auto contains(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
#include <catch2/catch.hpp>
inline auto contains(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
