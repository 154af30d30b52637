// SPDX-License-Identifier: Apache-2.0
// The pages under docs/isa are true.
#include "isa/asm/reference.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "isa/asm/assembler.hpp"
#include "isa/asm/disassembler.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle::isa;

namespace {

const std::string source = HEDDLE_SOURCE_DIR;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("docs/isa/instructions.md is what the table says") {
  const std::string now = instruction_reference();
  const bool same = read(source + "/docs/isa/instructions.md") == now;
  if (!same) {
    std::ofstream("instructions.md.new", std::ios::binary) << now;
    WARN("the new text is in " << std::filesystem::absolute("instructions.md.new").string());
  }
  CHECK(same);
}

TEST_CASE("every example in docs/isa/assembly.md assembles and comes back from its disassembly") {
  const std::string page = read(source + "/docs/isa/assembly.md");
  int examples = 0;
  for (std::size_t at = 0; (at = page.find("```asm\n", at)) != std::string::npos; ++examples) {
    at += 7;
    const std::size_t end = page.find("```", at);
    REQUIRE(end != std::string::npos);
    const std::string text = page.substr(at, end - at);
    INFO(text);
    const ProgramImage image = assemble(text, "example.s");
    CHECK(serialize(assemble(disassemble(image), "again.s")) == serialize(image));
    at = end + 3;
  }
  CHECK(examples >= 1);
}

TEST_CASE("every program under testbench/system/programs assembles and comes back from its disassembly") {
  int programs = 0;
  for (const auto& file : std::filesystem::directory_iterator(source + "/testbench/system/programs")) {
    if (file.path().extension() != ".s") continue;
    INFO(file.path().string());
    const ProgramImage image = assemble_file(file.path().string());
    CHECK(serialize(assemble(disassemble(image), "again.s")) == serialize(image));
    ++programs;
  }
  CHECK(programs >= 1);
}
