// SPDX-License-Identifier: Apache-2.0
// Whole parts of sizes known on the host (sdk::ceil_div and sdk::round_up do the same in the program).
#pragma once
#include <cstdint>

namespace heddle::kernels {

// a / b, rounded up. a >= 0, b > 0.
constexpr std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
// The next multiple that is not below value.
constexpr std::int64_t up(std::int64_t value, std::int64_t multiple) { return ceil_of(value, multiple) * multiple; }

}  // namespace heddle::kernels
