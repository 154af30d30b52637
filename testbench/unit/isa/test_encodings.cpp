// SPDX-License-Identifier: Apache-2.0
// The assembler and the codec against encodings.txt, whose words come from a layout of their own (make_encodings.py).
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/asm/assembler.hpp"
#include "isa/asm/disassembler.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::isa;

namespace {

struct Case {
  std::string text;
  Word word;
};

std::vector<Case> read_cases() {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR) + "/testbench/unit/isa/encodings.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    Case c;
    c.word.hi = std::stoull(line.substr(0, 16), nullptr, 16);
    c.word.lo = std::stoull(line.substr(17, 16), nullptr, 16);
    c.text = line.substr(35);
    cases.push_back(c);
  }
  return cases;
}

std::string preamble() {
  std::string text;
  for (int i = 0; i <= 43981; ++i) text += ".view \"\", spm, fp32, [1]\n";
  return text;
}

std::string hex(const Word& w) { return fmt::format("{:016x}:{:016x}", w.hi, w.lo); }

}  // namespace

TEST_CASE("text assembles to the words worked out independently") {
  const auto cases = read_cases();
  REQUIRE(cases.size() > 150);
  std::string text = preamble();
  for (const Case& c : cases) text += c.text + "\n";
  const ProgramImage image = assemble(text, "encodings.s");
  REQUIRE(image.code.size() == cases.size());
  std::set<int> opcodes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].text);
    CHECK(hex(image.code[i]) == hex(cases[i].word));
    opcodes.insert(static_cast<int>(cases[i].word.lo & 0xff));
  }
  for (const InstructionInfo& row : instruction_table) {
    INFO(row.mnemonic);
    CHECK(opcodes.count(static_cast<int>(row.op)) == 1);
  }
  CHECK(opcodes.size() == instruction_table.size());
}

TEST_CASE("the words decode to text that means the same") {
  std::string text = preamble();
  const auto cases = read_cases();
  for (const Case& c : cases) text += format_instruction(decode(c.word), nullptr) + "\n";
  INFO(text.substr(text.size() - 2000));
  const ProgramImage image = assemble(text, "again.s");
  REQUIRE(image.code.size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].text);
    CHECK(hex(image.code[i]) == hex(cases[i].word));
  }
}
