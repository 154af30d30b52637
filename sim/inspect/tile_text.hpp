// SPDX-License-Identifier: Apache-2.0
// A tile as a table for people.
#pragma once
#include <string>

#include "sim/inspect/tile_snapshot.hpp"

namespace heddle::inspect {

// "spm bf16 [64, 128] at 0x4000", with the owner where the view is another core's.
std::string describe(const isa::View& view);

// The elements as lines that begin with `indent`. Of more than 8 rows or columns the outer three on each side, of
// leading dimensions the first and the last index; all of them if `full`. An element that nobody wrote is a dot.
std::string table_text(const TileSnapshot& tile, bool full, const std::string& indent);

// "min -1.5, max 2, mean 0.25; 2 NaN, 1 infinite, 7 of 64 never written".
std::string statistics_text(const Statistics& s);

// Six significant digits, an integer as it is.
std::string number_text(double value, DType dtype);

}  // namespace heddle::inspect
