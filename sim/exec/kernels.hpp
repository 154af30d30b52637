// SPDX-License-Identifier: Apache-2.0
// The inner loops over contiguous numbers, one table for each vector instruction set that this program was built for.
// Every table computes the same bits: the sequences of fp32 operations are fixed, each rounds to nearest even, a
// multiply-add rounds once, and a NaN is made canonical (0x7fc00000) where it is stored.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/base/dtype.hpp"

namespace heddle::exec {

// What vpu.fused can apply, under the same numbers, then what only an instruction of its own does.
enum class Unary : std::uint8_t {
#define HEDDLE_VPU_FUNCTION(name) name,
#include "isa/def/vpu_functions.def"
#undef HEDDLE_VPU_FUNCTION
  floor,
  round
};
enum class Binary : std::uint8_t { add, sub, mul, div, max, min, lt, le, eq, ne };

// C[m,n] (+)= A[m,k] W[k,n], each output one chain of fused multiply-adds in rising k, then one addition.
// W's rows are ldw elements apart, ldw >= n rounded up to 16; what stands beyond n does not matter, but is readable.
// Float: A and C are float, W float or bf16. Integer: A and C are int32, W int8. All leading dimensions in elements.
struct MatmulArgs {
  const void* a = nullptr;
  const void* w = nullptr;
  void* c = nullptr;
  std::size_t m = 0, k = 0, n = 0;
  std::size_t lda = 0, ldw = 0, ldc = 0;
  bool accumulate = false;
};

struct Kernels {
  std::string target;

  // fp32 from n consecutive elements of any dtype; integers round to nearest even, int4 begins at the low nibble.
  void (*widen)(DType from, const std::uint8_t* source, float* to, std::size_t n) = nullptr;
  // The other way: nearest even, saturating integers (NaN: 0), NaN to the dtype's positive quiet NaN. An odd count of
  // int4 leaves the last byte's high nibble as it is.
  void (*narrow)(DType to, const float* source, std::uint8_t* result, std::size_t n) = nullptr;

  void (*unpack_int4)(const std::uint8_t* from, std::int8_t* to, std::size_t n) = nullptr;

  void (*unary)(Unary fn, const float* a, float* r, std::size_t n) = nullptr;
  void (*binary)(Binary fn, const float* a, const float* b, float* r, std::size_t n) = nullptr;
  // Row r of `to` is `columns` copies of column[r]; 32-bit words. The column may be the last `rows` words of `to`.
  void (*spread)(const std::uint32_t* column, std::uint32_t* to, std::size_t rows, std::size_t columns) = nullptr;
  // r = mask != 0 ? b : c
  void (*select)(const float* mask, const float* b, const float* c, float* r, std::size_t n) = nullptr;
  // r = fma(a, scale, bias), or a * scale where bias is null.
  void (*scale)(const float* a, float scale, const float* bias, float* r, std::size_t n) = nullptr;

  // Partial j takes the elements i with i mod 16 == j; every call but the last of a row has n a multiple of 16.
  void (*sum)(const float* a, std::size_t n, float* partial16) = nullptr;
  void (*sumsq)(const float* a, std::size_t n, float* partial16) = nullptr;
  // The larger (smaller) of `so_far` and all of a, numbers before NaN, +0 above -0.
  float (*row_max)(const float* a, std::size_t n, float so_far) = nullptr;
  float (*row_min)(const float* a, std::size_t n, float so_far) = nullptr;

  // to[c][r] = from[r][c] for elements of 1, 2 or 4 bytes; rows are row_step bytes apart, elements of a row neighbours.
  void (*transpose)(std::size_t width, const std::uint8_t* from, std::int64_t from_row_step, std::uint8_t* to,
                    std::int64_t to_row_step, std::size_t rows, std::size_t columns) = nullptr;

  void (*matmul_fp32)(const MatmulArgs& args) = nullptr;
  void (*matmul_bf16)(const MatmulArgs& args) = nullptr;
  void (*matmul_int8)(const MatmulArgs& args) = nullptr;
};

// The best table that this host can run.
const Kernels& kernels();
// All tables that this host can run, for tests.
std::vector<Kernels> all_kernels();

// partial j += partial j+8, j+4, j+2, j+1: the end of sum and sumsq.
inline float fold_partials(float* p) {
  for (int half : {8, 4, 2, 1})
    for (int j = 0; j < half; ++j) p[j] += p[j + half];
  return p[0];
}

}  // namespace heddle::exec
