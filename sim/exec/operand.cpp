// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/operand.hpp"

#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"
#include "sim/exec/kernels.hpp"

namespace heddle::exec {
namespace {

constexpr std::size_t block = 1024;  // elements of a strided run gathered at a time

void check_bytes(const Operand& o, std::int64_t begin, std::int64_t bytes) {
  const auto b = static_cast<std::uint64_t>(begin);
  const auto n = static_cast<std::uint64_t>(bytes);
  const std::uint64_t first = first_clear_bit(o.region.written, b, n);
  if (first != b + n)
    fail(ErrorKind::program, "HDL-EXEC-02", "reads {} byte {:#x}, which nobody has written", isa::name(o.space), first);
}

template <class T>
void gather(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, std::uint8_t* to) {
  const auto* from = reinterpret_cast<const T*>(o.at(offset));
  auto* out = reinterpret_cast<T*>(to);
  for (std::size_t i = 0; i < n; ++i) out[i] = from[static_cast<std::int64_t>(i) * stride];
}
template <class T>
void scatter(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const std::uint8_t* from) {
  auto* to = reinterpret_cast<T*>(o.at(offset));
  const auto* in = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < n; ++i) to[static_cast<std::int64_t>(i) * stride] = in[i];
}
// int4 more than one apart: validate() has seen to it that each lies in the low nibble of its own byte.
void gather_nibbles(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, std::uint8_t* to) {
  const std::uint8_t* from = o.at(offset);
  for (std::size_t i = 0; i < n; ++i) {
    const int nibble = from[static_cast<std::int64_t>(i) * stride / 2] & 15;
    to[i / 2] = static_cast<std::uint8_t>(i % 2 == 0 ? nibble : to[i / 2] | (nibble << 4));
  }
}
void scatter_nibbles(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n,
                     const std::uint8_t* from) {
  std::uint8_t* to = o.at(offset);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint8_t& b = to[static_cast<std::int64_t>(i) * stride / 2];
    b = static_cast<std::uint8_t>((b & 0xf0) | ((from[i / 2] >> (i % 2 * 4)) & 15));
  }
}
void gather_any(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, std::uint8_t* to) {
  if (o.element_bits == 32) return gather<std::uint32_t>(o, offset, stride, n, to);
  if (o.element_bits == 16) return gather<std::uint16_t>(o, offset, stride, n, to);
  if (o.element_bits == 4) return gather_nibbles(o, offset, stride, n, to);
  gather<std::uint8_t>(o, offset, stride, n, to);
}
void scatter_any(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const std::uint8_t* from) {
  if (o.element_bits == 32) return scatter<std::uint32_t>(o, offset, stride, n, from);
  if (o.element_bits == 16) return scatter<std::uint16_t>(o, offset, stride, n, from);
  if (o.element_bits == 4) return scatter_nibbles(o, offset, stride, n, from);
  scatter<std::uint8_t>(o, offset, stride, n, from);
}

void convert(DType from, const std::uint8_t* source, float* to, std::size_t n) { kernels().widen(from, source, to, n); }
void convert(DType from, const std::uint8_t* source, std::int32_t* to, std::size_t n) {
  if (from == DType::int32) {
    std::memcpy(to, source, n * sizeof(std::int32_t));
  } else if (from == DType::int8) {
    const auto* s = reinterpret_cast<const std::int8_t*>(source);
    for (std::size_t i = 0; i < n; ++i) to[i] = s[i];
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = (((source[i / 2] >> (i % 2 * 4)) & 15) ^ 8) - 8;
  }
}
void convert(DType to, const float* source, std::uint8_t* result, std::size_t n) {
  kernels().narrow(to, source, result, n);
}
void convert(DType to, const std::int32_t* source, std::uint8_t* result, std::size_t n) {
  if (to == DType::int32) {
    std::memcpy(result, source, n * sizeof(std::int32_t));
  } else if (to == DType::int8) {
    for (std::size_t i = 0; i < n; ++i) result[i] = static_cast<std::uint8_t>(std::clamp(source[i], -128, 127));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const int nibble = std::clamp(source[i], -8, 7) & 15;
      std::uint8_t& b = result[i / 2];
      b = static_cast<std::uint8_t>(i % 2 == 0 ? (b & 0xf0) | nibble : (b & 0x0f) | (nibble << 4));
    }
  }
}

template <class T>
void read_any(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, T* to) {
  require_written(o, offset, stride, n);
  if (stride == 1 || n == 1) return convert(o.dtype, o.at(offset), to, n);
  if (stride == 0) {
    convert(o.dtype, o.at(offset), to, 1);
    std::fill(to + 1, to + n, to[0]);
    return;
  }
  alignas(64) std::uint8_t raw[block * 4];
  for (std::size_t done = 0; done < n; done += block) {
    const std::size_t count = std::min(block, n - done);
    gather_any(o, offset + static_cast<std::int64_t>(done) * stride, stride, count, raw);
    convert(o.dtype, raw, to + done, count);
  }
}

template <class T>
void write_any(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const T* from) {
  if (stride == 1 || n == 1) {
    convert(o.dtype, from, o.at(offset), n);
  } else {
    alignas(64) std::uint8_t raw[block * 4];
    for (std::size_t done = 0; done < n; done += block) {
      const std::size_t count = std::min(block, n - done);
      convert(o.dtype, from + done, raw, count);
      scatter_any(o, offset + static_cast<std::int64_t>(done) * stride, stride, count, raw);
    }
  }
  mark_written(o, offset, stride, n);
}

template <class F>
void for_each_run(const Operand& o, F&& f) {
  if (o.size[0] == 1 && o.size[1] == 1) {  // nearly always
    if (o.size[2] == 1 || o.stride[2] == o.stride[3] * o.size[3])
      return f(o, 0, o.stride[3], static_cast<std::size_t>(o.size[2]) * o.size[3]);
    if (o.size[3] != 1) {
      for (std::int64_t i = 0; i < o.size[2]; ++i) f(o, i * o.stride[2], o.stride[3], o.size[3]);
      return;
    }
  }
  LoopNest<1> nest{o.size, {o.stride}};
  nest.collapse();
  const Strides& s = nest.stride[0];
  for (std::int64_t i0 = 0; i0 < nest.size[0]; ++i0)
    for (std::int64_t i1 = 0; i1 < nest.size[1]; ++i1)
      for (std::int64_t i2 = 0; i2 < nest.size[2]; ++i2)
        f(o, i0 * s[0] + i1 * s[1] + i2 * s[2], s[3], static_cast<std::size_t>(nest.size[3]));
}

}  // namespace

Operand::Operand(const isa::View& view, const EngineOp& op, const MachineMemory& memory)
    : space(view.space), dtype(view.dtype), element_bits(bits(view.dtype)), base(static_cast<std::int64_t>(view.base)) {
  const Place place = place_of(view, op.chip, op.core);
  region = memory.region(place.space, place.chip, place.core);
  const Dims d(view);
  size = d.size;
  stride = d.stride;
}

void Operand::repeat_to(const Sizes& to) {
  for (std::size_t d = 0; d < 4; ++d) {
    if (size[d] == 1) stride[d] = 0;
    size[d] = to[d];
  }
}

void require_written(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n) {
  if (o.region.written == nullptr || n == 0) return;
  if (stride == 0) n = 1;
  const auto count = static_cast<std::int64_t>(n);
  if (stride == 1 || n == 1) return check_bytes(o, o.byte(offset), (count * o.element_bits + 7) / 8);
  for (std::int64_t i = 0; i < count; ++i) check_bytes(o, o.byte(offset + i * stride), o.element_bytes());
}

void mark_written(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n) {
  if (o.region.written == nullptr || n == 0) return;
  if (stride == 0) n = 1;
  const auto count = static_cast<std::int64_t>(n);
  const auto mark = [&](std::int64_t begin, std::int64_t bytes) {
    set_bits(o.region.written, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(bytes));
  };
  if (stride == 1 || n == 1) return mark(o.byte(offset), (count * o.element_bits + 7) / 8);
  for (std::int64_t i = 0; i < count; ++i) mark(o.byte(offset + i * stride), o.element_bytes());
}

void require_all_written(const Operand& o) {
  if (o.region.written != nullptr) for_each_run(o, require_written);
}
void mark_all_written(const Operand& o) {
  if (o.region.written != nullptr) for_each_run(o, mark_written);
}

void read_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, float* to) {
  read_any(o, offset, stride, n, to);
}
void read_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, std::int32_t* to) {
  read_any(o, offset, stride, n, to);
}
void write_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const float* from) {
  write_any(o, offset, stride, n, from);
}
void write_run(const Operand& o, std::int64_t offset, std::int64_t stride, std::size_t n, const std::int32_t* from) {
  write_any(o, offset, stride, n, from);
}

}  // namespace heddle::exec
