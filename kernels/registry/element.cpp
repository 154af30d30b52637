// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry/element.hpp"

#include <cstring>

#include "isa/base/float_convert.hpp"

namespace heddle::kernels {
namespace {

template <class T>
T load(const std::uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

double read_element(const std::uint8_t* bytes, DType dtype, std::int64_t i) {
  const std::uint8_t* p = bytes + i * bits(dtype) / 8;
  switch (dtype) {
    case DType::fp32:
      return static_cast<double>(load<float>(p));
    case DType::bf16:
      return static_cast<double>(bf16_to_fp32(load<std::uint16_t>(p)));
    case DType::fp16:
      return static_cast<double>(fp16_to_fp32(load<std::uint16_t>(p)));
    case DType::fp8_e4m3:
      return static_cast<double>(fp8_e4m3_to_fp32(*p));
    case DType::fp8_e5m2:
      return static_cast<double>(fp8_e5m2_to_fp32(*p));
    case DType::int32:
      return load<std::int32_t>(p);
    case DType::int8:
      return static_cast<std::int8_t>(*p);
    case DType::int4:
      return static_cast<std::int8_t>((i % 2 != 0 ? *p >> 4 : *p & 15) << 4) / 16;
  }
  return 0;
}

}  // namespace heddle::kernels
