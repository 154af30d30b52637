// SPDX-License-Identifier: Apache-2.0
// What an engine instruction reads and writes, byte by byte and element by element.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/exec/dims.hpp"
#include "sim/exec/engine_op.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/operand.hpp"

namespace heddle::app {

// False for instructions that only wait and post, and for those with an empty operand.
bool moves_data(const exec::EngineOp& op);

// Its operands; the index list of gather and scatter is among the sources, the stationary tile of a matmul is not.
std::vector<const isa::View*> sources_of(const exec::EngineOp& op);
std::vector<const isa::View*> results_of(const exec::EngineOp& op);

// One number for each memory: HBM, then SPM, ACC and SMEM of each core.
std::size_t memory_number(const exec::Place& place);

// Calls f(first byte, bytes) for the runs of bytes of an operand; of the table of a gather or scatter, only the rows
// that the index list names (it lies in memory).
void for_each_run(const exec::EngineOp& op, const isa::View& view, const exec::MachineMemory& memory,
                  const std::function<void(std::uint64_t, std::uint64_t)>& f);

// The elements of an operand in the order of its indices, last dimension fastest. The table of a gather (scatter) has
// the rows that the index list names, in the list's order.
struct Elements {
  exec::Place place{};
  DType dtype = DType::fp32;
  exec::Sizes size{1, 1, 1, 1};     // dimensions that the view lacks stand on the left
  std::vector<std::uint64_t> half;  // of each element: twice its byte, plus 1 for a high nibble
};
Elements elements_of(const exec::EngineOp& op, const isa::View& view, const exec::MachineMemory& memory);

// Where its element `i` stands: "[3, 17]".
std::string index_text(const Elements& elements, std::size_t i);

// An element's value; `half` as in Elements.
double value_at(const std::uint8_t* memory, DType dtype, std::uint64_t half);
// The nearest number that the type has.
double rounded(DType dtype, double value);
std::vector<double> values_of(const Elements& elements, const exec::MachineMemory& memory);

}  // namespace heddle::app
