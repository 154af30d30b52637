// SPDX-License-Identifier: Apache-2.0
// Any bytes as assembly text: a located error, or an image that survives its file and its disassembly.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "isa/asm/assembler.hpp"
#include "isa/asm/disassembler.hpp"
#include "isa/base/error.hpp"

using heddle::Error;
using heddle::ErrorKind;
namespace isa = heddle::isa;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isa::ProgramImage image;
  try {
    image = isa::assemble({reinterpret_cast<const char*>(data), size}, "fuzz.s");
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::bad_input || e.where().file != "fuzz.s") std::abort();
    return 0;
  }
  // What assembled must do the rest without an error: one that escapes here is a finding.
  const std::vector<std::uint8_t> bytes = isa::serialize(image);
  if (bytes.size() > (1u << 20)) return 0;  // .zero makes large images of short text: keep the rounds quick
  if (isa::serialize(isa::deserialize(bytes.data(), bytes.size())) != bytes) std::abort();
  if (isa::serialize(isa::assemble(isa::disassemble(image), "again.s")) != bytes) std::abort();
  return 0;
}
