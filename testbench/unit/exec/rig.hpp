// SPDX-License-Identifier: Apache-2.0
// A small machine, views and instructions in one line each, and element access that knows nothing of vectors.
#pragma once
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "isa/base/float_convert.hpp"
#include "sim/config/chip_spec.hpp"
#include "sim/exec/execute.hpp"
#include "sim/exec/machine_memory.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::test {

using exec::EngineOp;
using isa::Opcode;
using isa::Space;
using isa::View;

inline config::ChipSpec exec_chip() {
  config::ChipSpec c;
  c.clock_hz = 1'000'000'000;
  c.cores = 2;
  c.core.scratchpad.size_bytes = 1 << 20;
  c.core.accumulator.size_bytes = 1 << 20;
  c.core.smem.size_bytes = 4 << 10;
  c.core.mxu.rows = 64;
  c.core.mxu.cols = 48;
  c.core.mxu.count = 2;
  c.core.mxu.rate.fill({1, 1});
  c.core.vpu.count = 1;
  c.core.dma.engines = 2;
  c.memory.capacity_bytes = 1 << 20;
  return c;
}

// Row-major unless strides are given.
inline View view(Space space, DType t, std::uint64_t base, std::vector<std::uint32_t> size,
                 std::vector<std::int64_t> stride = {}) {
  View v;
  v.space = space;
  v.dtype = t;
  v.base = base;
  v.rank = static_cast<std::uint8_t>(size.size());
  std::uint64_t step = 1;  // may wrap where strides are given
  for (std::size_t d = size.size(); d-- > 0;) {
    v.size[d] = size[d];
    v.stride[d] = stride.empty() ? static_cast<std::int64_t>(step) : stride[d];
    step *= size[d];
  }
  return v;
}
inline View spm(DType t, std::uint64_t base, std::vector<std::uint32_t> size, std::vector<std::int64_t> stride = {}) {
  return view(Space::spm, t, base, std::move(size), std::move(stride));
}

inline EngineOp make(Opcode op, View vd, View va = {}, View vb = {}, View vc = {}) {
  EngineOp o;
  o.op = op;
  o.unit = isa::info(op).unit;
  o.vd = vd;
  o.va = va;
  o.vb = vb;
  o.vc = vc;
  return o;
}

struct Rig {
  config::ChipSpec chip = exec_chip();
  exec::MachineMemory memory;
  exec::Executor executor;
  explicit Rig(bool track = true) : memory(chip, track), executor(chip, memory) {}

  void run(const EngineOp& op) {
    exec::validate(op, chip);
    executor.execute(op);
  }

  static std::int64_t element(const View& v, const std::array<std::uint32_t, 4>& i) {
    std::int64_t e = 0;
    for (std::size_t d = 0; d < v.rank; ++d) e += static_cast<std::int64_t>(i[d]) * v.stride[d];
    return e;
  }
  // Calls f(index) in row-major order.
  template <class F>
  static void each(const View& v, F&& f) {
    std::array<std::uint32_t, 4> i{};
    for (i[0] = 0; i[0] < v.size[0]; ++i[0])
      for (i[1] = 0; i[1] < v.size[1]; ++i[1])
        for (i[2] = 0; i[2] < v.size[2]; ++i[2])
          for (i[3] = 0; i[3] < v.size[3]; ++i[3]) f(i);
  }

  std::uint8_t* byte(const View& v, std::int64_t element_offset) {
    return memory.data(v.space, v.chip, v.core) + v.base + (element_offset * bits(v.dtype) >> 3);
  }
  double get(const View& v, const std::array<std::uint32_t, 4>& i) {
    const std::int64_t e = element(v, i);
    const std::uint8_t* p = byte(v, e);
    const auto as = [&](auto zero) {
      std::memcpy(&zero, p, sizeof(zero));
      return zero;
    };
    switch (v.dtype) {
      case DType::fp32:
        return as(0.0f);
      case DType::bf16:
        return bf16_to_fp32(as(std::uint16_t{}));
      case DType::fp16:
        return fp16_to_fp32(as(std::uint16_t{}));
      case DType::fp8_e4m3:
        return fp8_e4m3_to_fp32(*p);
      case DType::fp8_e5m2:
        return fp8_e5m2_to_fp32(*p);
      case DType::int32:
        return as(std::int32_t{});
      case DType::int8:
        return as(std::int8_t{});
      case DType::int4:
        return (((*p >> ((e & 1) * 4)) & 15) ^ 8) - 8;
    }
    return 0;
  }
  // Stores through the isa conversions and marks the byte written.
  void set(const View& v, const std::array<std::uint32_t, 4>& i, float f) {
    const std::int64_t e = element(v, i);
    std::uint8_t* p = byte(v, e);
    const auto store = [&](auto value) { std::memcpy(p, &value, sizeof(value)); };
    switch (v.dtype) {
      case DType::fp32:
        store(f);
        break;
      case DType::bf16:
        store(fp32_to_bf16(f));
        break;
      case DType::fp16:
        store(fp32_to_fp16(f));
        break;
      case DType::fp8_e4m3:
        store(fp32_to_fp8_e4m3(f));
        break;
      case DType::fp8_e5m2:
        store(fp32_to_fp8_e5m2(f));
        break;
      case DType::int32:
        store(fp32_to_int32(f));
        break;
      case DType::int8:
        store(fp32_to_int8(f));
        break;
      case DType::int4: {
        const int nibble = static_cast<int>(f) & 15;
        *p = static_cast<std::uint8_t>((e & 1) == 0 ? (*p & 0xf0) | nibble : (*p & 0x0f) | (nibble << 4));
        break;
      }
    }
    const std::int64_t width = bits(v.dtype) < 8 ? 1 : bits(v.dtype) / 8;
    memory.mark_written({v.space, v.chip, v.core, v.base + static_cast<std::uint64_t>(e * bits(v.dtype) >> 3),
                         static_cast<std::uint64_t>(width)});
  }
  void put(const View& v, const std::vector<float>& values) {
    std::size_t n = 0;
    each(v, [&](const auto& i) { set(v, i, values.at(n++)); });
  }
  std::vector<double> all(const View& v) {
    std::vector<double> out;
    each(v, [&](const auto& i) { out.push_back(get(v, i)); });
    return out;
  }
};

// A fixed pseudo-random sequence (xorshift), the same on every host.
struct Random {
  std::uint64_t state = 0x9e3779b97f4a7c15ull;
  std::uint32_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::uint32_t>(state >> 32);
  }
  std::uint32_t below(std::uint32_t n) { return next() % n; }
  float number() { return static_cast<float>(static_cast<std::int32_t>(next())) * 0x1p-30f; }  // [-2, 2)
};

inline std::vector<float> random_numbers(Random& random, std::size_t n) {
  std::vector<float> out(n);
  for (float& f : out) f = random.number();
  return out;
}

}  // namespace heddle::test
