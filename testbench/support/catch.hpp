// SPDX-License-Identifier: Apache-2.0
// Catch2 as installed: version 2 (Debian 12) or 3 (Debian 13).
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace Catch {  // version 2's name for the matcher of substrings
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
inline auto StartsWith(const std::string& text) { return Matchers::StartsWith(text); }
inline auto EndsWith(const std::string& text) { return Matchers::EndsWith(text); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif
