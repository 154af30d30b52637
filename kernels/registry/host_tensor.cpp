// SPDX-License-Identifier: Apache-2.0
#include "kernels/registry/host_tensor.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/base/float_convert.hpp"
#include "kernels/registry/element.hpp"

namespace heddle::kernels {
namespace {

// splitmix64 (public domain algorithm by S. Vigna): a full-period mix of a counter.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Sum of four 16-bit uniforms: close to normal, and exact, so the same on every host.
double roughly_normal(std::uint64_t random) {
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<std::int64_t>((random >> (16 * i)) & 0xffff);
  return (static_cast<double>(sum) - 131070.0) / 37837.0;  // deviation of the sum: 65536 * sqrt(4 / 12)
}

double standard_fill(DType dtype, std::uint64_t random) {
  switch (dtype) {
    case DType::int8:
      return static_cast<double>(static_cast<std::int64_t>(random % 255) - 127);
    case DType::int4:
      return static_cast<double>(static_cast<std::int64_t>(random % 15) - 7);
    case DType::int32:
      return 0;
    default:
      return roughly_normal(random);
  }
}

template <class T>
void store(std::uint8_t* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

}  // namespace

std::int64_t TensorSpec::elements() const {
  std::int64_t n = 1;
  for (std::int64_t d : dims) n *= d;
  return n;
}

HostTensor::HostTensor(TensorSpec spec) : spec_(std::move(spec)), bytes_(static_cast<std::size_t>(spec_.bytes())) {}

double HostTensor::get(std::int64_t i) const { return read_element(bytes_.data(), spec_.dtype, i); }

void HostTensor::set(std::int64_t i, double value) {
  std::uint8_t* p = bytes_.data() + i * bits(spec_.dtype) / 8;
  const auto f = static_cast<float>(value);
  switch (spec_.dtype) {
    case DType::fp32:
      store(p, f);
      break;
    case DType::bf16:
      store(p, fp32_to_bf16(f));
      break;
    case DType::fp16:
      store(p, fp32_to_fp16(f));
      break;
    case DType::fp8_e4m3:
      *p = fp32_to_fp8_e4m3(f);
      break;
    case DType::fp8_e5m2:
      *p = fp32_to_fp8_e5m2(f);
      break;
    case DType::int32:
      store(p, static_cast<std::int32_t>(std::llrint(std::fmin(std::fmax(value, -2147483648.0), 2147483647.0))));
      break;
    case DType::int8:
      *p = static_cast<std::uint8_t>(fp32_to_int8(f));
      break;
    case DType::int4: {
      const int v = static_cast<int>(std::fmin(std::fmax(std::nearbyint(value), -8.0), 7.0)) & 15;
      *p = static_cast<std::uint8_t>(i % 2 != 0 ? (*p & 15) | (v << 4) : (*p & 0xf0) | v);
      break;
    }
  }
}

void HostTensor::randomize(std::uint64_t seed) {
  const std::int64_t n = spec_.elements();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t random = mix(mix(seed) ^ static_cast<std::uint64_t>(i));
    set(i, spec_.fill ? spec_.fill(i, random) : standard_fill(spec_.dtype, random));
  }
}

Difference compare(const HostTensor& got, const HostTensor& want) {
  Difference d;
  const std::int64_t n = want.spec().elements();
  double squares = 0;
  std::int64_t finite = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double w = want.get(i);
    if (std::isfinite(w)) {
      squares += w * w;
      ++finite;
    }
  }
  const double scale = finite > 0 ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double g = got.get(i);
    const double w = want.get(i);
    if (g == w || (std::isnan(g) && std::isnan(w))) continue;
    double abs = std::fabs(g - w);
    double rel = abs / std::fmax(std::fmax(std::fabs(w), scale), std::numeric_limits<double>::min());
    if (std::isnan(abs)) abs = rel = std::numeric_limits<double>::infinity();
    d.max_abs = std::fmax(d.max_abs, abs);
    if (rel > d.max_rel) {
      d.max_rel = rel;
      d.at = i;
      d.got = g;
      d.want = w;
    }
  }
  return d;
}

}  // namespace heddle::kernels
