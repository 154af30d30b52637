// SPDX-License-Identifier: Apache-2.0
// The bare RTL with a memory that always answers: instructions one after the other, events by cycle.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/rtl/i_matrix_rtl.hpp"

namespace heddle::testing {

// A load, or a matmul with its operand's rows; lanes as the RTL takes them.
struct BenchStep {
  rtl::Instruction instruction;
  std::vector<std::vector<std::uint32_t>> rows;  // weight-stationary: of either operand
  std::vector<std::vector<std::uint32_t>> a, b;  // output-stationary: by step of a fold; columns of A, rows of B
};

struct BenchEvents {
  std::vector<std::int64_t> starts;               // of each instruction
  std::vector<std::int64_t> weights_in, rows_in;  // cycle of each row's entry
  std::vector<std::int64_t> rows_out;             // ... of each result's exit
  std::vector<std::vector<std::uint32_t>> results;
};

// Runs them to the end; fails after `limit` cycles. accumulators: what an accumulating matmul adds to, for every row.
BenchEvents run_bench(rtl::IMatrixRtl& rtl, const std::vector<BenchStep>& steps, bool background_load = true,
                      const std::vector<std::uint32_t>& accumulators = {}, std::int64_t limit = 10'000'000);

// The variant of that name.
std::unique_ptr<rtl::IMatrixRtl> make_variant(const std::string& name);

}  // namespace heddle::testing
