// SPDX-License-Identifier: Apache-2.0
// The name that a misspelt one was probably meant to be, for "did you mean" in errors.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The candidate with the smallest edit distance to `name`, if that is at most a third of the longer length plus one;
// else empty. Ties go to the earlier candidate. Names longer than 64 characters are compared by their first 64.
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

// "; did you mean 'x'?" or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace heddle
