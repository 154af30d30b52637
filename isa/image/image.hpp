// SPDX-License-Identifier: Apache-2.0
// The program image: the only contract between whoever writes programs (SDK, assembler) and whoever runs them.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/codec/codec.hpp"
#include "isa/image/print.hpp"
#include "isa/image/view.hpp"

namespace heddle::isa {

inline constexpr std::uint32_t isa_version = 1;

// What an image may hold at most; verify() refuses more.
inline constexpr std::size_t max_instructions = std::size_t{1} << 24;
inline constexpr std::size_t max_templates = std::size_t{1} << 16;       // the width of the template field
inline constexpr std::size_t max_constant_bytes = std::size_t{1} << 28;  // each constant rounded up to 64
inline constexpr std::size_t max_name_bytes = std::size_t{1} << 12;
inline constexpr std::size_t max_image_bytes = std::size_t{1} << 30;
inline constexpr std::uint64_t max_template_reach = 1ull << 48;  // bytes of base; elements spanned

// Bytes placed in HBM when the image is loaded; x2 holds the address of the first one at launch, each aligned to 64.
struct Constant {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

struct Entry {
  std::string name;
  std::uint32_t instruction = 0;
  std::uint32_t arguments = 0;  // 64-bit words it expects in the argument block
};

// Instructions from `instruction` on, up to the next row, come from files[file]:line.
struct DebugLine {
  std::uint32_t instruction = 0;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

// A named range [begin, end) of instructions: a kernel, a layer, a step. Scopes nest or are disjoint.
struct Scope {
  std::string name;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Findings of `hazard` (isa/image/hazards.hpp) of which one end lies in the instructions [begin, end) are known to the
// program's author and do no harm: reports count them, with the reason. Said at files[file]:line; line 0: nobody knows
// where. Nest or are disjoint, as scopes.
struct Allow {
  std::string hazard;
  std::string reason;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

// Memory of each core that the program's author set aside as one thing: a tile, or the equal slots of a pipe. Declared
// at files[file]:line; line 0: nobody knows where.
struct TileInfo {
  Space space = Space::spm;  // not hbm
  std::uint64_t base = 0;
  std::uint64_t slot_bytes = 0;
  std::uint32_t slots = 1;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

// An operand that has to lie inside one slot of a tile. fresh: the instruction is the first to touch the slot in its
// turn, so that nothing which the slot held before is meant to be read.
struct TileUse {
  std::uint32_t instruction = 0;
  ViewOperand operand{};
  bool fresh = false;
  std::uint32_t tile = 0;
};

struct ProgramImage {
  std::string name;
  std::vector<Word> code;
  std::vector<ViewTemplate> templates;
  std::vector<std::string> template_names;  // same length as templates, or empty
  std::vector<Constant> constants;
  std::vector<Entry> entries;
  std::vector<std::string> files;
  std::vector<DebugLine> lines;   // rising instruction
  std::vector<Scope> scopes;      // outer before inner
  std::vector<PrintStep> prints;  // rising instruction
  std::vector<Allow> allows;      // outer before inner
  std::vector<TileInfo> tiles;
  std::vector<TileUse> uses;  // rising instruction, then operand

  // Offset of constant i from x2.
  std::uint64_t constant_offset(std::size_t i) const {
    std::uint64_t offset = 0;
    for (std::size_t c = 0; c < i; ++c) offset += (constants[c].bytes.size() + 63) / 64 * 64;
    return offset;
  }
};

// Of mnemonics, opcodes, field layouts and the names and numbers of enums: what an image's bits mean.
std::uint64_t table_hash();

// File format: magic, ISA version, hash of the instruction table, sections with lengths, checksum of the whole. Calls
// verify() first. Absent template names and empty ones are the same thing.
std::vector<std::uint8_t> serialize(const ProgramImage& image);

// Throws HDL-IMG-01 (not an image), -02 (other ISA version or table), -03 (damaged: short, bad checksum, lengths that
// do not add up), -04 (well-formed but meaningless: undecodable word, branch target, template, scope or line out of
// range). Allocates at most a small multiple of `size`, whatever the bytes say.
ProgramImage deserialize(const std::uint8_t* data, std::size_t size);

// Checks everything that -04 covers; the assembler and the SDK call it before they hand an image out. At least one
// instruction and one entry; entry names differ; template bases and spans at most max_template_reach.
void verify(const ProgramImage& image);

// The part of it about one template: rank, space and dtype that exist, unused dimensions of size 1 and stride 0, and
// at most max_template_reach elements spanned.
void verify(const ViewTemplate& view);

// Written to a temporary name, then renamed. Both throw HDL-IMG-05 when the system refuses.
void write_image(const ProgramImage& image, const std::string& path);
ProgramImage read_image(const std::string& path);

// "file:line" of an instruction, or an empty location.
struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
};
SourceLine source_of(const ProgramImage& image, std::uint32_t instruction);

// The rows of image.uses that are of the instruction.
std::span<const TileUse> uses_of(const ProgramImage& image, std::uint32_t instruction);

}  // namespace heddle::isa
