// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/reference_mxu.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "isa/base/float_convert.hpp"
#include "sim/exec/engine_values.hpp"
#include "sim/exec/operand.hpp"

namespace heddle::exec {
namespace {

template <class T>
T bytes_as(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

float as_float(DType t, const std::uint8_t* at) {
  switch (t) {
    case DType::bf16:
      return bf16_to_fp32(bytes_as<std::uint16_t>(at));
    case DType::fp16:
      return fp16_to_fp32(bytes_as<std::uint16_t>(at));
    case DType::fp8_e4m3:
      return fp8_e4m3_to_fp32(*at);
    case DType::fp8_e5m2:
      return fp8_e5m2_to_fp32(*at);
    default:
      return bytes_as<float>(at);
  }
}

// Element [row, column] of the last two dimensions; the value of a float or an integer dtype.
template <class T>
T element(const Operand& o, std::uint32_t row, std::uint32_t column) {
  const std::int64_t offset = row * o.stride[2] + column * o.stride[3];
  if constexpr (std::is_same_v<T, float>) {
    return as_float(o.dtype, o.at(offset));
  } else {
    if (o.element_bits == 4) {
      const std::int64_t bit = o.base * 8 + offset * 4;
      return ((o.region.data[bit / 8] >> (bit % 8) & 15) ^ 8) - 8;
    }
    return o.element_bits == 8 ? bytes_as<std::int8_t>(o.at(offset)) : bytes_as<std::int32_t>(o.at(offset));
  }
}

float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
std::int32_t multiply_add(std::int32_t a, std::int32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(c) + static_cast<std::uint32_t>(a * b));
}
float sum(float a, float b) { return a + b; }
std::int32_t sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
float stored(float v) { return std::isnan(v) ? std::bit_cast<float>(0x7fc00000u) : v; }
std::int32_t stored(std::int32_t v) { return v; }

struct Tile {
  RestingTile about;  // dtype, k, n
  std::vector<float> floats;
  std::vector<std::int32_t> integers;
};

template <class T>
void load(const Operand& from, bool transposed, const RestingTile& tile, std::vector<T>& weights) {
  weights.clear();
  for (std::uint32_t k = 0; k < tile.k; ++k)
    for (std::uint32_t n = 0; n < tile.n; ++n)
      weights.push_back(transposed ? element<T>(from, n, k) : element<T>(from, k, n));
}

template <class T>
void matmul(const EngineOp& op, const Operand& to, const Operand& from, const RestingTile& tile,
            const std::vector<T>& weights) {
  for (std::uint32_t m = 0; m < to.size[2]; ++m)
    for (std::uint32_t n = 0; n < tile.n; ++n) {
      T s = 0;
      for (std::uint32_t k = 0; k < tile.k; ++k) s = multiply_add(element<T>(from, m, k), weights[k * tile.n + n], s);
      const T result = stored(op.accumulate ? sum(element<T>(to, m, n), s) : s);
      std::memcpy(to.at(m * to.stride[2] + n * to.stride[3]), &result, sizeof(result));
    }
}

class ReferenceMxus final : public IMxuExecutor {
 public:
  void begin_launch() override { tiles_.clear(); }

  void execute(const EngineOp& op, MachineMemory& memory) override {
    Tile& tile = tiles_[{op.chip, op.core, op.engine}];
    const Operand from(op.va, op, memory);
    require_all_written(from);
    if (op.op == isa::Opcode::mxu_load) {
      tile.about.loaded = true;
      tile.about.dtype = from.dtype;
      tile.about.k = op.transposed ? from.size[3] : from.size[2];
      tile.about.n = op.transposed ? from.size[2] : from.size[3];
      if (is_float(from.dtype))
        load(from, op.transposed, tile.about, tile.floats);
      else
        load(from, op.transposed, tile.about, tile.integers);
      return;
    }
    require_matching_tile(op, tile.about);
    const Operand to(op.vd, op, memory);
    if (op.accumulate) require_all_written(to);
    if (is_float(from.dtype))
      matmul(op, to, from, tile.about, tile.floats);
    else
      matmul(op, to, from, tile.about, tile.integers);
    mark_all_written(to);
  }

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Tile> tiles_;
};

}  // namespace

std::unique_ptr<IMxuExecutor> make_reference_mxus() { return std::make_unique<ReferenceMxus>(); }

}  // namespace heddle::exec
