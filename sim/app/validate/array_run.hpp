// SPDX-License-Identifier: Apache-2.0
// An array's own time, for adapters of machines that were measured without a memory and without instructions: what a
// program takes more than the same program without the products. Everything else is in both.
#pragma once
#include <string>

#include "sim/app/validate/adapter.hpp"

namespace heddle::validate {

// Cycles of `with` less those of `without`, both assembly text, on the case's chip. For the difference to be the
// array's, both have to keep it busy until the sequencer waits.
double own_cycles(const Case& c, const std::string& with, const std::string& without);

}  // namespace heddle::validate
