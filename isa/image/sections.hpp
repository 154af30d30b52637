// SPDX-License-Identifier: Apache-2.0
// Parts of an image that files of their own read, write and verify.
#pragma once
#include "isa/image/bytes.hpp"
#include "isa/image/image.hpp"

namespace heddle::isa {

void put_prints(ByteWriter& out, const ProgramImage& image);
void get_prints(ByteReader& in, ProgramImage& image);
// HDL-IMG-04: outside the code, a register, template or file that does not exist, an operation that cannot be kept.
void verify_prints(const ProgramImage& image);

}  // namespace heddle::isa
