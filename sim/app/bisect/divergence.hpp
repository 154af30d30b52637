// SPDX-License-Identifier: Apache-2.0
// The first result of a run that is not what a reference says, and what lies behind it.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/app/bisect/replay.hpp"
#include "sim/app/bisect/run_log.hpp"

namespace heddle::app {

// |got - want| / max(|want|, scale); a NaN on one side only counts as infinite.
double relative_error(double got, double want, double scale);
// The root mean square of the finite ones.
double scale_of(const std::vector<double>& values);

// A dense tensor in HBM.
struct PlacedTensor {
  std::string name;
  DType dtype = DType::fp32;
  std::vector<std::int64_t> dims;
  std::uint64_t address = 0;

  std::int64_t elements() const;
  std::uint64_t half(std::int64_t element) const {  // as in Elements
    return 2 * address + static_cast<std::uint64_t>(element * bits(dtype) / 4);
  }
  std::string element_text(std::int64_t element) const;  // "c[3, 17]"
};

// What it must hold.
struct Expected {
  PlacedTensor tensor;
  std::vector<double> want;
  double tolerance = 0;  // largest |got - want| / max(|want|, root mean square of want)
};

// The coordinates that a view reaches, first and last of each dimension.
struct Box {
  std::string tensor;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::string text() const;  // "a[0..63, 128..191]"
  friend bool operator==(const Box&, const Box&) = default;
};
// Nothing where the view lies in none of the tensors.
std::optional<Box> box_of(const isa::View& view, const std::vector<PlacedTensor>& tensors);

// An instruction of a run, for people.
struct Site {
  StepId id = 0;
  std::uint32_t core = 0;
  std::uint32_t pc = 0;
  std::int64_t cycle = -1;  // negative: no time exists
  std::string engine;       // "dma0"
  std::string instruction;  // as assembly
  std::string place;        // "kernels/gemm/gemm.cpp:57", "instruction 12" where the image has no line
  std::string text() const;
};
Site site_of(const RunLog& log, StepId id);

// A step of the slice behind a wrong element, or several executions of one instruction.
struct Link {
  Site first;
  std::size_t times = 1;
  std::vector<Box> read, written;  // of tensors, in order; neighbours joined
  double deviation = 0;            // from the same in double: largest |got - want| / max(|want|, rms)
};

// Where the machine's numbers leave those of the same instructions in double.
struct Deviation {
  Site site;
  std::string element;  // "[3, 17] of the result"
  double got = 0, want = 0, error = 0;
};

enum class Cause {
  unknown,    // the steps behind it are too many to repeat in double
  precision,  // the same instructions in double give what the reference says
  program,    // they do not
  not_finite  // an infinity or NaN came out of finite numbers
};

struct Divergence {
  PlacedTensor tensor;
  std::int64_t element = 0;
  double got = 0, want = 0, error = 0, tolerance = 0;
  std::optional<Site> by;   // nobody wrote the element: none
  std::optional<Box> tile;  // that the instruction wrote
  std::int64_t tile_elements = 0, tile_wrong = 0;
  std::int64_t wrong = 0;      // of all outputs
  std::int64_t unwritten = 0;  // of them
  Cause cause = Cause::unknown;
  std::optional<double> in_double;     // the element by the same instructions, rounded once
  std::optional<Deviation> deviation;  // precision, not_finite: the first
  std::vector<Box> not_read;           // of inputs: the reference needs it, nothing behind the element read it
  std::vector<Link> behind;            // latest first; without the store itself
};

// Compares what lies in memory now. The first in program order of the instructions that wrote a wrong element, and its
// first such element; where nobody wrote one, that.
std::optional<Divergence> find_divergence(const RunLog& log, const std::vector<Expected>& expected);
// Adds what the repeated run shows: `replay` holds log.slice() of the divergence's instruction.
void explain(Divergence& d, const RunLog& log, const Replay& replay, const std::vector<PlacedTensor>& tensors);

nlohmann::json json_number(double v);  // a text for what JSON has no number for
nlohmann::json to_json(const Site& s);
std::string to_text(const Divergence& d);
nlohmann::json to_json(const Divergence& d);

}  // namespace heddle::app
