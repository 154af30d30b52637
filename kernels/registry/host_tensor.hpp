// SPDX-License-Identifier: Apache-2.0
// Operands of a kernel on the host: what they look like, what they hold, and how far two of them are apart.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/base/dtype.hpp"

namespace heddle::kernels {

// workspace: memory that the kernel uses between its passes; uninitialised before, not looked at afterwards.
enum class Role : std::uint8_t { input, output, inout, workspace };

struct TensorSpec {
  std::string name;
  DType dtype = DType::fp32;
  std::vector<std::int64_t> dims;  // outermost first, dense
  Role role = Role::input;
  // Element i (flat) from a 64-bit random number; empty: roughly normal with deviation 1 (floats), -127..127 (int8),
  // -7..7 (int4), 0 (int32). Outputs start uninitialised.
  std::function<double(std::int64_t i, std::uint64_t random)> fill;

  std::int64_t elements() const;
  std::int64_t bytes() const { return bytes_of(dtype, elements()); }
};

class HostTensor {
 public:
  explicit HostTensor(TensorSpec spec);  // zero bytes

  const TensorSpec& spec() const { return spec_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  // Element by flat index, widened to double; set() rounds to the dtype (nearest even, integers saturate).
  double get(std::int64_t i) const;
  void set(std::int64_t i, double value);

  // Fills by spec().fill; the same seed gives the same bytes on every host.
  void randomize(std::uint64_t seed);

 private:
  TensorSpec spec_;
  std::vector<std::uint8_t> bytes_;
};

struct Difference {
  double max_abs = 0;
  double max_rel = 0;        // |got - want| / max(|want|, root mean square of want)
  std::int64_t at = 0;       // flat index of the largest relative one
  double got = 0, want = 0;  // there
};

// A NaN on one side only counts as an infinite difference.
Difference compare(const HostTensor& got, const HostTensor& want);

}  // namespace heddle::kernels
