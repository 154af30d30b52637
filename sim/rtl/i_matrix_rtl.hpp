// SPDX-License-Identifier: Apache-2.0
// A matrix unit in RTL, seen pin by pin: what a clocked model must offer to stand in an Mxu's place.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::rtl {

// What it was built as.
struct Geometry {
  std::int64_t rows = 0, cols = 0;
  bool output_stationary = false;
  int mantissa = 0;  // bits of float operands: 7 takes bf16, 23 what widens to fp32; 0: no float unit
  bool int8 = false;
  int queue = 0;  // entries
};

enum class Operation : std::uint8_t { load = 0, matmul = 1 };

struct Instruction {
  Operation operation = Operation::load;
  bool transposed = false;
  bool accumulate = false;
  bool integer = false;
  std::uint32_t rows =
      0;  // of the operand that come from memory: k of a tile (n if transposed), m of a stream; 0: nothing to do
  std::uint16_t k = 0;      // of a matmul
  std::uint16_t beats = 1;  // cycles a row takes to come, at least
};

struct Inputs {
  const Instruction* push = nullptr;  // into the queue, in this cycle
  bool go = false;                    // the head of the queue may start
  bool weight_grant = false, weight_feed = false;
  bool stream_grant = false, stream_feed = false;
};

struct Outputs {
  bool issue_free = false;  // an instruction could start in this cycle, whatever it were
  bool could = false;       // the head of the queue could
  bool start = false;       // and does
  bool weight_fetch = false, stream_fetch = false;
  bool result = false, result_last = false, result_accumulates = false;
  bool load_done = false, matmul_done = false;
};

// Contract. A cycle is: evaluate() any number of times, with inputs that may follow from outputs, then clock(). Data
// lanes are 32 bits each: a float's sign, exponent and mantissa from the lowest used bit on, or an integer's low byte.
class IMatrixRtl {
 public:
  virtual ~IMatrixRtl() = default;
  virtual const Geometry& geometry() const = 0;
  // Clears everything under way. background_load and issue_cycles as in the chip's description.
  virtual void reset(bool background_load, std::uint8_t issue_cycles) = 0;
  virtual void weights(std::span<const std::uint32_t> lanes) = 0;       // C lanes; transposed: R
  virtual void row(std::span<const std::uint32_t> lanes) = 0;           // R lanes
  virtual void accumulators(std::span<const std::uint32_t> lanes) = 0;  // C lanes
  virtual Outputs evaluate(const Inputs& inputs) = 0;
  virtual void result(std::span<std::uint32_t> lanes) const = 0;  // C lanes, after evaluate()
  virtual void clock() = 0;
};

// Those that this program was built with; empty without Verilator.
struct Variant {
  std::string name;
  Geometry geometry;
  std::unique_ptr<IMatrixRtl> (*make)();
};
const std::vector<Variant>& variants();

}  // namespace heddle::rtl
