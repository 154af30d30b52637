// SPDX-License-Identifier: Apache-2.0
// Any bytes as a program image, as they are and with size, table hash and checksum made right, so that mutations reach
// what lies behind them: a refusal, or an image that has no other serialisation and disassembles to itself.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "isa/asm/assembler.hpp"
#include "isa/asm/disassembler.hpp"
#include "isa/base/error.hpp"
#include "isa/image/bytes.hpp"

using heddle::Error;
using heddle::ErrorKind;
namespace isa = heddle::isa;

namespace {

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t v) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::uint8_t>(v >> (8 * i));
}

void load(const std::vector<std::uint8_t>& bytes) {
  isa::ProgramImage image;
  try {
    image = isa::deserialize(bytes.data(), bytes.size());
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::bad_input || e.id().rfind("HDL-IMG-", 0) != 0) std::abort();
    return;
  }
  if (isa::serialize(image) != bytes) std::abort();
  if (isa::serialize(isa::assemble(isa::disassemble(image), "again.s")) != bytes) std::abort();
  for (std::uint32_t i = 0; i <= image.code.size(); ++i) isa::source_of(image, i);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  load(bytes);
  if (bytes.size() >= 40) {
    put(bytes, 16, isa::table_hash());
    put(bytes, 24, bytes.size());
    put(bytes, bytes.size() - 8, isa::fnv(isa::fnv_start, bytes.data(), bytes.size() - 8));
    load(bytes);
  }
  return 0;
}
