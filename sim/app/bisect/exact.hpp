// SPDX-License-Identifier: Apache-2.0
// What docs/isa/semantics.md says of an instruction, in double and without the roundings between: what the machine's
// result would be if its floats were wide. Shares no arithmetic with sim/exec.
#pragma once
#include <array>
#include <vector>

#include "sim/exec/engine_op.hpp"
#include "sim/exec/operand.hpp"

namespace heddle::app {

// Elements in the order of their indices.
struct Exact {
  exec::Sizes size{1, 1, 1, 1};
  std::vector<double> values;
};

// The tile that rests in an array, [k, n].
struct ExactTile {
  std::size_t k = 0, n = 0;
  std::vector<double> values;
};

// `sources` are sources_of(op) in order, `results` have the sizes of results_of(op). Of gather and scatter, only the
// rows that are moved.
void exact(const exec::EngineOp& op, const std::vector<Exact>& sources, ExactTile& tile, std::vector<Exact>& results);

}  // namespace heddle::app
