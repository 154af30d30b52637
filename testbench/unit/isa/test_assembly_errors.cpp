// SPDX-License-Identifier: Apache-2.0
// Wrong text: the place, the identifier and the words of each error.
#include <string>
#include <vector>

#include "isa/asm/assembler.hpp"
#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::isa;

namespace {

struct Wrong {
  std::string text;
  std::string place;  // "line:column"
  std::string id;
  std::string words;  // somewhere in the message
};

const std::vector<Wrong> wrongs = {
    {"  mxu.matmull v4, v1\n", "1:3", "HDL-ASM-03", "did you mean 'mxu.matmul'?"},
    {"halt\n\n .vew a, spm, fp32, [1]", "3:2", "HDL-ASM-03", "did you mean '.view'?"},
    {"start: halt\n jal x0, strt", "2:10", "HDL-ASM-04", "unknown label 'strt'; did you mean 'start'?"},
    {".view tile, spm, fp32, [1]\nview v1, tlie", "2:10", "HDL-ASM-04", "did you mean 'tile'?"},
    {".const count = 3\nli x1, cuont", "2:8", "HDL-ASM-04", "did you mean 'count'?"},
    {"li x1, a\n.data a: .zero 1\n.data a: .zero 1", "1:8", "HDL-ASM-07", "names 2 pieces"},
    {"view v1, a\n.view a, spm, int8, [1]\n.view a, spm, int8, [2]", "1:10", "HDL-ASM-07", "names 2 views"},
    {".entry main\nstart: halt", "1:8", "HDL-ASM-04", "no label"},
    {".entry main\nhalt\nmain:", "1:8", "HDL-ASM-09", "no instruction follows"},
    {".entry a\n.entry a\na: halt", "2:8", "HDL-ASM-07", "line 1"},
    {"a: nop\na: halt", "2:1", "HDL-ASM-07", "already on line 1"},
    {".const a = 1\n.const a = 1\nhalt", "2:8", "HDL-ASM-07", "line 1"},
    {"li x1, b\n.const a = b\n.const b = 1", "2:12", "HDL-ASM-04", "'b'"},
    {"mxu.matmul v4", "1:14", "HDL-ASM-05", "lacks 1 of its operands; it takes vd, va"},
    {"dma.copy v1, v2, v3", "1:18", "HDL-ASM-05", "it takes vd, va"},
    {"halt 3", "1:6", "HDL-ASM-05", "no operands"},
    {"dma.copy v1 v2", "1:13", "HDL-ASM-02", "expected ','"},
    {"dma.copy v1, v32", "1:14", "HDL-ASM-02", "v0 .. v31"},
    {"dma.copy v1, v01", "1:14", "HDL-ASM-02", "v0 .. v31"},
    {"add x1, x2, v3", "1:13", "HDL-ASM-02", "x0 .. x31"},
    {"sem.wait s64, 1", "1:10", "HDL-ASM-02", "s0 .. s63"},
    {"csrr x1, cores", "1:10", "HDL-ASM-02", "num_cores"},
    {"add x1, x2, ", "1:13", "HDL-ASM-02", "found the end of the line"},
    {"add x1, , x2", "1:9", "HDL-ASM-02", "found ','"},
    {"vpu.fused v1, v2, fnn=exp", "1:19", "HDL-ASM-05", "did you mean 'fn'?"},
    {"vpu.fused v1, v2, fn=exp, fn=log", "1:27", "HDL-ASM-05", "given twice"},
    {"mxu.matmul v1, v2, accumulate, accumulate", "1:32", "HDL-ASM-05", "given twice"},
    {"dma.sync wait s1, wait s2", "1:19", "HDL-ASM-05", "given twice"},
    {"dma.sync wait s1, s2, s3", "1:23", "HDL-ASM-05", "two places"},
    {"dma.sync wait", "1:14", "HDL-ASM-02", "a semaphore"},
    {"dma.sync wait s1:0", "1:18", "HDL-ASM-06", "1 .. 15"},
    {"dma.sync wait s1:16", "1:18", "HDL-ASM-06", "1 .. 15"},
    {"dma.sync on=16", "1:13", "HDL-ASM-06", "0 .. 15"},
    {"addi x1, x2, 3 wait s1", "1:16", "HDL-ASM-02", "found 'wait'"},
    {"addi x1, x2, 2147483648", "1:14", "HDL-ASM-06", "-2147483648 .. 2147483647"},
    {"addi x1, x2, 1.5", "1:14", "HDL-ASM-06", "must be an integer"},
    {"view.size v1, 4, x2", "1:15", "HDL-ASM-06", "0 .. 3"},
    {"view v1, 0", "1:10", "HDL-ASM-06", "template number"},
    {"jal x0, 1", "1:9", "HDL-ASM-06", "past the last of 1"},
    {"jal x0, end\nend:", "1:9", "HDL-ASM-06", "past the last of 1"},
    {"li x1, 9223372036854775808", "1:8", "HDL-ASM-01", "out of range"},
    {"li x1, 0x10000000000000000", "1:8", "HDL-ASM-01", "out of range"},
    {"li x1, 9223372036854775807 + 1", "1:28", "HDL-ASM-06", "64 bits"},
    {"li x1, 4611686018427387904 * 2", "1:28", "HDL-ASM-06", "64 bits"},
    {"li x1, 12ab", "1:8", "HDL-ASM-01", "not a number"},
    {"li x1, 0x", "1:8", "HDL-ASM-01", "not a number"},
    {"li x1, (1", "1:10", "HDL-ASM-02", "')'"},
    {"li x1, " + std::string(1000, '('), "1:73", "HDL-ASM-08", "too deeply"},
    {"li x1, " + std::string(1000, '-') + "1", "1:73", "HDL-ASM-08", "too deeply"},
    {"vpu.mul.i v1, v2, 1e39", "1:19", "HDL-ASM-01", "out of range of fp32"},
    {"vpu.mul.i v1, v2, 0x100000000", "1:19", "HDL-ASM-06", "32 bits"},
    {"vpu.mul.i v1, v2, int(1.5)", "1:23", "HDL-ASM-06", "integer"},
    {"halt @", "1:6", "HDL-ASM-01", "'@'"},
    {"halt \x80", "1:6", "HDL-ASM-01", "0x80"},
    {".scope \"a", "1:8", "HDL-ASM-01", "does not end"},
    {".scope \"a\\q\"", "1:8", "HDL-ASM-01", "escape"},
    {".scope \"" + std::string(5000, 'a') + "\"\n", "1:8", "HDL-ASM-08", "4096"},
    {std::string(5000, 'a') + ": halt\n", "1:1", "HDL-ASM-08", "4096"},
    {".scope a\nhalt", "1:8", "HDL-ASM-09", "never closed"},
    {"halt\n.endscope", "2:10", "HDL-ASM-09", "without an open"},
    {"halt\n.file \"a\"", "2:7", "HDL-ASM-09", "before the first instruction"},
    {".allow \"HDL-RACE-1\", \"why\"\nhalt", "1:8", "HDL-ASM-04", "did you mean 'HDL-RACE-01'"},
    {".allow \"HDL-SEM-01\", \"why\"\nhalt", "1:8", "HDL-ASM-04", "no hazard that can be allowed"},
    {".allow \"HDL-RACE-01\"\nhalt", "1:21", "HDL-ASM-02", "before the reason"},
    {".allow \"HDL-RACE-01\", \"  \"\nhalt", "1:23", "HDL-ASM-02", "needs a reason"},
    {".allow \"HDL-RACE-01\", why\nhalt", "1:8", "HDL-ASM-09", "never closed"},
    {"halt\n.endallow", "2:10", "HDL-ASM-09", "without an open"},
    {".allow \"HDL-RACE-01\", why, 3, 0\nhalt", "1:8", "HDL-ASM-09", "before any .file"},
    {".tile hbm, 0, 64, 1\nhalt", "1:7", "HDL-ASM-02", "spm, acc or smem"},
    {".tile spm, 0, 0, 1\nhalt", "1:15", "HDL-ASM-06", "number of bytes"},
    {".tile spm, 0, 64, 0\nhalt", "1:19", "HDL-ASM-06", "number of slots"},
    {".within vd=0\ndma.sync", "1:9", "HDL-ASM-09", "before any .tile"},
    {".tile spm, 0, 64, 1\n.within vd=1\ndma.sync", "2:12", "HDL-ASM-06", "number of a tile"},
    {".tile spm, 0, 64, 1\n.within ve=0\ndma.sync", "2:9", "HDL-ASM-02", "vd, va, vb, vc"},
    {".tile spm, 0, 64, 1\n.within vd=0\n.fresh vd=0\ndma.sync", "3:8", "HDL-ASM-07", "has a tile already"},
    {".allow \"HDL-RACE-01\", why\n.file a\n.endallow\nhalt", "2:7", "HDL-ASM-09", "print, .allow and .tile"},
    {".line 3\nhalt", "1:7", "HDL-ASM-09", "before any .file"},
    {".file a\n.line 3\n.line 4\nhalt", "3:7", "HDL-ASM-09", "two .line"},
    {".file a\n.line 3, 1\nhalt", "2:10", "HDL-ASM-06", "file"},
    {".bytes 1\nhalt", "1:8", "HDL-ASM-09", ".data"},
    {".data a: .bytes 256", "1:17", "HDL-ASM-06", "-128 .. 255"},
    {".data a: .bytes -129", "1:17", "HDL-ASM-06", "-128 .. 255"},
    {".data a: .word 4294967296", "1:16", "HDL-ASM-06", "value"},
    {".data a: .zero 4000000000\nhalt", "1:16", "HDL-ASM-08", "268435456"},
    {".data a: .data b: .zero 1", "1:7", "HDL-ASM-09", "inside another"},
    {".data a: halt", "1:10", "HDL-ASM-02", ".fp32"},
    {".view a, sram, fp32, [1]", "1:10", "HDL-ASM-02", "hbm, spm, acc, smem"},
    {".view a, spm, fp64, [1]", "1:15", "HDL-ASM-02", "fp8_e4m3"},
    {".view a, spm, fp32, []", "1:22", "HDL-ASM-02", "a number"},
    {".view a, spm, fp32, [1,1,1,1,1]", "1:30", "HDL-ASM-08", "4 dimensions"},
    {".view a, spm, fp32, [4294967296]", "1:22", "HDL-ASM-06", "size"},
    {".view a, spm, fp32, [-1]", "1:22", "HDL-ASM-06", "size"},
    {".view a, spm, fp32, [4294967295, 4294967295]", "1:7", "HDL-ASM-08", "2^48"},
    {".view a, spm, fp32, [0, 4294967295, 4294967295, 4294967295]", "1:7", "HDL-ASM-08", "2^48"},
    {".view a, spm, fp32, [1], strides=[1, 1]", "1:26", "HDL-ASM-05", "2 strides for 1"},
    {".view a, spm, fp32, [65536], strides=[8589934592]", "1:7", "HDL-ASM-08", "2^48"},
    {".view a, spm, fp32, [1], stride=[1]", "1:26", "HDL-ASM-02", "strides="},
    {"3 halt", "1:1", "HDL-ASM-02", "a label, an instruction or a directive"},
};

}  // namespace

TEST_CASE("each mistake is reported where it is") {
  for (const Wrong& w : wrongs) {
    INFO(w.text.substr(0, 200));
    try {
      assemble(w.text, "f.s");
      FAIL("accepted");
    } catch (const Error& e) {
      INFO(e.what());
      CHECK(e.kind() == ErrorKind::bad_input);
      CHECK(e.id() == w.id);
      CHECK(fmt::format("{}:{}", e.where().line, e.where().column) == w.place);
      CHECK(e.where().file == "f.s");
      CHECK(e.message().find(w.words) != std::string::npos);
    }
  }
}

TEST_CASE("files without any instruction") {
  for (const char* text : {"", "\n", "; nothing", ".const a = 1", "start:"}) {
    INFO(text);
    CHECK_THROWS_WITH(assemble(text, "f.s"), contains("f.s: HDL-ASM-09: the file has no instruction"));
  }
}

TEST_CASE("an error shows the line and a caret under the place") {
  const auto message = [](const std::string& text) {
    try {
      assemble(text, "k.s");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(message("halt\n\tmxu.lod v1\n") ==
        "k.s:2:2: HDL-ASM-03: unknown instruction 'mxu.lod'; did you mean 'mxu.load'?\n"
        "     2 | \tmxu.lod v1\n"
        "       | \t^~~~~~~");
  // A long line is shown around the mistake; control characters do not reach the terminal.
  const std::string longest = message("; \x1b[31m" + std::string(100, ' ') + "\nli x1, 1" + std::string(500, ' ') +
                                      "\x1b" + std::string(500, ' '));
  CHECK(longest.size() < 500);
  CHECK(longest.find('\x1b') == std::string::npos);
  CHECK(longest.find("0x1b") != std::string::npos);
}

TEST_CASE("a file that cannot be read") {
  CHECK_THROWS_WITH(assemble_file("/nonexistent/a.s"), contains("HDL-ASM-10"));
  CHECK_THROWS_WITH(assemble_file("/"), contains("HDL-ASM-10"));
}
