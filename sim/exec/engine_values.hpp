// SPDX-License-Identifier: Apache-2.0
// The three engines' values, behind Executor. Each call gets an instruction with no empty operand that validate()
// passed.
#pragma once
#include <vector>

#include "sim/exec/engine_op.hpp"
#include "sim/exec/machine_memory.hpp"

namespace heddle::exec {

// The tile that rests in one MXU, captured at its load: rows of k, `row_elements` apart (a multiple of 16), as fp32,
// bf16 or int8 (the other dtypes widened to one of these, exactly).
struct RestingTile {
  bool loaded = false;
  DType dtype = DType::fp32;   // as loaded
  DType stored = DType::fp32;  // fp32, bf16 or int8
  std::uint32_t k = 0;
  std::uint32_t n = 0;
  std::size_t row_elements = 0;
  std::vector<std::uint32_t> storage;  // words, for alignment

  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(storage.data()); }
};

// HDL-EXEC-07: the tile is not what the matmul needs.
void require_matching_tile(const EngineOp& op, const RestingTile& tile);

class MxuValues {
 public:
  void load(const EngineOp& op, MachineMemory& memory, RestingTile& tile);
  void matmul(const EngineOp& op, MachineMemory& memory, RestingTile& tile);

 private:
  template <class Element>
  void stream(const EngineOp& op, MachineMemory& memory, RestingTile& tile);
  std::vector<std::uint32_t> rows_;    // of A, widened
  std::vector<std::uint32_t> result_;  // of C, where its columns are not neighbours in ACC
};

void execute_dma(const EngineOp& op, MachineMemory& memory);
void execute_vpu(const EngineOp& op, MachineMemory& memory);

}  // namespace heddle::exec
