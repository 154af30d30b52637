// SPDX-License-Identifier: Apache-2.0
// Runs one kernel on one device: inputs up, launch, outputs down, compared with the reference, time against the
// roofline.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry/kernel.hpp"
#include "sdk/runtime/device.hpp"

namespace heddle::kernels {

struct Roofline {
  double compute_seconds = 0;  // macs / (cores · MACs a cycle · clock)
  double memory_seconds = 0;   // compulsory bytes / HBM bandwidth
  double bound_seconds() const { return compute_seconds > memory_seconds ? compute_seconds : memory_seconds; }
  bool compute_bound() const { return compute_seconds > memory_seconds; }
};

Roofline roofline(const Work& work, const sdk::Target& target);

struct TensorError {
  std::string tensor;
  Difference difference;
  bool within = true;  // the kernel's tolerance
};

struct CaseResult {
  std::string kernel, shape, chip;
  DType dtype = DType::fp32;
  hdl_mode mode = HDL_MODE_FULL;
  std::uint64_t cycles = 0;  // of the core clock, launch included; 0 in values mode
  double seconds = 0;        // simulated
  double host_seconds = 0;   // of the launch alone
  double host_reference_seconds = 0;
  Work work;
  Roofline roof;
  sdk::Counters counters;                    // of the launch
  std::vector<TensorError> errors;           // one an output; empty in timing mode
  std::vector<HostTensor> outputs;           // in the same order
  std::optional<std::uint64_t> values_hash;  // FNV-1a of the outputs' bytes; only where they were checked
  bool correct() const;
  double roofline_share() const { return seconds > 0 ? roof.bound_seconds() / seconds : 0; }
};

// A kernel's operands, program and launch arguments, ready on a device.
struct PlacedCase {
  std::vector<TensorSpec> specs;
  std::vector<HostTensor> tensors;  // inputs drawn from the seed; what no launch needs has no elements
  isa::ProgramImage program;
  sdk::LoadedImage image;
  std::vector<sdk::Buffer> buffers;  // one a tensor
  std::vector<std::uint64_t> arguments;
  bool has(std::string_view entry) const;
};
// Throws as run_case().
PlacedCase place_case(sdk::Device& device, hdl_mode mode, const KernelDef& kernel, const Shape& shape, DType dtype,
                      std::uint64_t seed);

// Throws HDL-KRN-03 when the kernel does not come in that dtype, or the chip does not compute in it. `check` off skips
// the reference (slow for large shapes). In timing mode only int32 operands are uploaded: bulk values are not computed.
CaseResult run_case(sdk::Device& device, hdl_mode mode, const KernelDef& kernel, const Shape& shape, DType dtype,
                    std::uint64_t seed = 1, bool check = true);

}  // namespace heddle::kernels
