// SPDX-License-Identifier: Apache-2.0
// The files that fill a table of kernels, each for the instruction set that Highway has chosen at present.
#pragma once
#include "sim/exec/kernels.hpp"

namespace heddle::exec {

void fill_convert_kernels(Kernels* k);
void fill_math_kernels(Kernels* k);
void fill_reduce_kernels(Kernels* k);
void fill_transpose_kernels(Kernels* k);
void fill_matmul_kernels(Kernels* k);

}  // namespace heddle::exec
