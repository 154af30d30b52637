// SPDX-License-Identifier: Apache-2.0
// heddle debug, with the commands that a person would type: stops, what they show, and that no cycle moves.
#include <nlohmann/json.hpp>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

const std::string program = "testbench/system/programs/debug.s";

// `commands` come from a file, one a line.
Ran debug(const std::string& what, const std::string& commands, const std::string& more = "") {
  const TempFolder temp;
  const std::string file = temp.file("commands", commands);
  return heddle("debug " + what + " " + more + " --commands " + file);
}

bool has(const Ran& r, const std::string& text) { return r.out.find(text) != std::string::npos; }

int cycles_of(const std::string& arguments) {
  const TempFolder temp;
  const std::string json = temp.path() + "/r.json";
  const Ran r = heddle(arguments + " --quiet --json " + json);
  CAPTURE(arguments, r.out, r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(read_file(json)).at("cycles").get<int>();
}

}  // namespace

TEST_CASE("debug: lines, labels, scopes, instructions and cycles stop a program") {
  const Ran r = debug(program,
                      "break debug.s:13\ncontinue\ndelete 1\nbreak next\ncontinue\ndelete all\nbreak turns\n"
                      "continue\nbreak instruction 12\nbreak cycle 2050\ninfo\ncontinue\ncontinue\ncontinue\n",
                      "--set cores=1");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(has(r, "breakpoint 1 at debug.s:13: instruction 7 ("));
  CHECK(has(r, "stopped: debug.s:13\n"));
  CHECK(has(r, "stopped: next\n"));
  CHECK(has(r, "stopped: turns\n"));
  CHECK(has(r, "stopped: instruction 12\n"));
  CHECK(has(r, "stopped: cycle 2050\ncycle 2050\n"));
  CHECK(has(r, "(heddle) info\n3  turns\n4  instruction 12\n5  cycle 2050\n"));
}

TEST_CASE("debug: what the machine holds at a stop, as the hand works it out") {
  const Ran r = debug(program,
                      "break turns\ncontinue\nregisters\nviews\nprint x5\nprint v1\nprint tile\nmemory spm 0x0 4\n"
                      "semaphores\nqueues\nuntil vpu0 idle\nprint copy\nwaits\nlist\nwhere\n",
                      "--set cores=1");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(has(r, "  x5                      7  0x7\n"));
  CHECK(has(r, "  v1   spm fp32 [2, 4] at 0x0\n"));
  CHECK(has(r, "(heddle) print x5\nx5 = 7 (0x7)\n"));
  CHECK(has(r, "v1 = spm fp32 [2, 4] at 0x0\n     7  8  9 10\n     7  8  9 10\n    min 7, max 10, mean 8.5\n"));
  CHECK(has(r, "tile = spm fp32 [2, 4] at 0x0\n"));
  CHECK(has(r, "spm fp32 [4] at 0x0\n     7  8  9 10\n"));
  CHECK(has(r, "  core 0  s0   1\n"));
  CHECK(has(r, "    at work since cycle 2014: vpu.add v2, v1, v1"));
  CHECK(has(r, "stopped: vpu0 is idle\ncycle 2023\n"));
  CHECK(has(r, "copy = spm fp32 [2, 4] at 0x100\n    14 16 18 20\n    14 16 18 20\n"));
  CHECK(has(r, "waits for 1 of s3, which holds 0; posted by dma.copy at " + program + ":17, instruction 10"));
  CHECK(has(r, ">    18          sem.wait s3, 1\n"));
}

TEST_CASE("debug: neither breakpoints nor steps move a cycle") {
  const TempFolder temp;
  std::string steps = "break turns\nbreak cycle 30\n";
  for (int i = 0; i < 200; ++i) steps += "step\nqueues\nwaits\n";
  const std::string file = temp.file("steps", steps + "delete all\ncontinue\n");
  for (const std::string& what : {program + " --set cores=1", program + " --set cores=2",
                                  std::string("gemm --shape m=96,k=96,n=96 --no-check")}) {
    const std::string command = what[0] == 't' ? "run " : "bench ";
    CHECK(cycles_of(command + what) == cycles_of("debug " + what + " --commands " + file));
  }
}

TEST_CASE("debug: a deadlock is looked at where it stands") {
  const TempFolder temp;
  const std::string stuck = temp.file(
      "stuck.s", ".view t, spm, fp32, [4]\nview v1, t\ndma.fill v1, 2.0  wait s3, post s4\nsem.wait s4, 2\nhalt\n");
  const Ran r = debug(stuck, "continue\nwaits\nprint v1\ncontinue\n", "--set cores=1");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 2);
  CHECK(has(r, "the launch fails: "));
  CHECK(has(r, "core 0 sequencer: sem.wait s4, 2"));
  CHECK(has(r, "waits for 1 of s3, which holds 0; no instruction of the program posts it"));
  CHECK(has(r, "8 of 8 never written") == false);
  CHECK(has(r, "4 of 4 never written"));
  CHECK(has(r, "the launch has failed; it cannot go on"));
  CHECK(r.err.find("HDL-SEM-01") != std::string::npos);
}

TEST_CASE("debug: several cores, each in its own place") {
  const Ran r = debug(program, "break turns\ncontinue\ncore 1\nstep 3\nregisters\nuntil core0.vpu0 idle\nquit\n",
                      "--set cores=2");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(has(r, "* core 0: "));
  CHECK(has(r, "* core 1: "));
}

TEST_CASE("debug: a kernel's outputs against its reference") {
  const Ran r =
      debug("add --shape tokens=16,hidden=64",
            "break end\nmemory hbm 0x3000 4 bf16\ncontinue\nmemory hbm 0x3000 4 bf16\nquit\n", "--set cores=1");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(has(r, "stopped: end\n"));
  CHECK(has(r, "4 of 4 elements differ from the reference's final values, first at "));
  CHECK(has(r, "    all 4 elements are "));
}

TEST_CASE("debug: the model of a run file stops in every launch") {
  const Ran r = debug("configs/run/first-light.yaml", "break end\ncontinue\nwhere\nquit\n", "--mode timing");
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(has(r, "stopped: end\n"));
}

TEST_CASE("debug: mistakes end a script with one line and exit code 2") {
  const auto mistake = [](const std::string& commands, const std::string& text) {
    const Ran r = debug(program, commands, "--set cores=1");
    CAPTURE(commands, r.out, r.err);
    CHECK(r.status == 2);
    CHECK(r.err.find(text) != std::string::npos);
    CHECK(lines(r.err) == 1);
  };
  mistake("\n\nbraek 12\n", "commands:3: HDL-DBG-02: no command 'braek'; did you mean 'break'?");
  mistake("break 12\n", "HDL-DBG-03");
  mistake("break instruction x\n", "HDL-DBG-03");
  mistake("break cycle -1\n", "HDL-DBG-03");
  mistake("step -1\n", "HDL-DBG-02");
  mistake("step 99999999999999999999999\n", "HDL-DBG-02");
  mistake("print\n", "HDL-DBG-02: this instruction has no views");
  mistake("print v32\n", "HDL-DBG-02");
  mistake("print v1\n", "no view has been put into v1 of core 0 yet");
  mistake("print tlie\n", "did you mean 'tile'?");
  mistake("memory spm 0x0\n", "HDL-DBG-02: write memory SPACE");
  mistake("memory rom 0 1\n", "no memory 'rom'");
  mistake("memory spm 0 1 fp31\n", "no dtype 'fp31'");
  mistake("until gpu0 idle\n", "no engine 'gpu0'; a core has mxu0");
  mistake("core 7\n", "HDL-DBG-02");
  mistake("delete 3\n", "there is no breakpoint 3");
  CHECK(debug(program, "break cycle 9000000000000000000\ncontinue\n", "--set cores=1").status == 0);
  CHECK(debug(program, "memory spm 0xffffffffff 4\nmemory spm 1 4\nquit # done\n", "--set cores=1").status == 0);
}

TEST_CASE("debug: wrong uses of the command line") {
  CHECK(heddle("debug " + program + " --mode values").status == 2);
  CHECK(heddle("debug " + program + " --commands none/there").status == 2);
  CHECK(heddle("debug " + program + " --profile").status == 2);
  CHECK(heddle("debug " + program + " --json -").status == 2);
  CHECK(heddle("debug gemm --arg 3").status == 2);
  CHECK(heddle("debug").status == 2);
}

}  // namespace heddle::system_test
