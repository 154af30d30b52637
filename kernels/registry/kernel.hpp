// SPDX-License-Identifier: Apache-2.0
// One kernel, described once: declaration, tests and `heddle bench` all read this description.
// A kernel's .cpp registers it with a static KernelRegistration; link heddle_kernels to get them all.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/dtype.hpp"
#include "isa/image/image.hpp"
#include "kernels/registry/host_tensor.hpp"
#include "sdk/arch/target.hpp"

namespace heddle::kernels {

// Named sizes, such as {m: 4096, k: 4096, n: 4096}.
using Shape = std::map<std::string, std::int64_t, std::less<>>;

struct ShapeParam {
  std::string_view name;
  std::int64_t standard;  // taken when the user names none
  std::int64_t least;     // smallest value that makes sense
  std::string_view doc;
};

// What the problem needs at least, whatever the kernel does: the roofline's two sides.
struct Work {
  double macs = 0;  // multiply-accumulates on the MXU, in `mac_dtype`
  DType mac_dtype = DType::fp32;
  double hbm_bytes = 0;  // each input read once, each output written once
};

struct KernelDef {
  std::string name;
  std::string summary;
  std::vector<ShapeParam> params;
  std::vector<DType> dtypes;  // first: the standard one
  bool uses_mxu = false;      // the dtype must then have a rate on the chip's MXU

  // Operands in the order of the launch arguments: argument i is the address of tensor i.
  std::function<std::vector<TensorSpec>(const Shape&, DType)> tensors;
  // Launch arguments after the addresses (sizes known only at launch); may be empty.
  std::function<std::vector<std::uint64_t>(const Shape&)> extra_arguments;
  // The program; its entry "main" is what is timed. Where operands lie in the scratchpads, an entry "prepare" puts them
  // there before, and "collect" takes them out afterwards; both have main's arguments. Throws HDL-SDK-* or unsupported
  // where the chip cannot hold it.
  std::function<isa::ProgramImage(const sdk::Target&, const Shape&, DType)> build;
  // Plain loops in double over the same (already rounded) inputs; fills outputs.
  std::function<void(const Shape&, std::vector<HostTensor>&)> reference;
  std::function<Work(const Shape&, DType)> work;

  // Largest |got - want| / max(|want|, scale of the tensor) that passes, by dtype of the kernel.
  std::function<double(DType)> tolerance;
  // Shape classes for the tests: one, odd, ragged, typical; small enough for a second each.
  std::vector<Shape> test_shapes;
};

// Throws bad_input HDL-KRN-01 naming the unknown kernel and the nearest known ones.
const KernelDef& find_kernel(std::string_view name);
std::vector<const KernelDef*> all_kernels();  // by name

// "m=1,k=8192,n=8192" over the kernel's standard sizes. HDL-KRN-02: unknown name, not a number, below the least.
Shape parse_shape(const KernelDef& kernel, std::string_view text);
std::string to_string(const KernelDef& kernel, const Shape& shape);

struct KernelRegistration {
  explicit KernelRegistration(KernelDef def);
};

}  // namespace heddle::kernels
