// SPDX-License-Identifier: Apache-2.0
// What a document shows is what the program prints: the commands of its blocks are run, and the lines quoted beneath
// each must come out, in that order. "..." stands for what is left out; "$ cat NAME" shows a file, which is written for
// the commands that follow.
#include <fstream>
#include <sstream>
#include <vector>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

struct Quote {
  std::string command;  // behind "$ heddle "
  int status = 0;       // "$ echo $?" and its answer follow where it is another
  std::vector<std::string> lines;
};

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' '), last = line.find_last_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

std::vector<Quote> quotes_of(const std::string& document, const std::string& folder) {
  std::vector<Quote> out;
  std::istringstream text(document);
  bool block = false, status = false, quoting = false;
  std::ofstream shown;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      block = !block;
      quoting = status = false;
      shown.close();
    } else if (block && line.starts_with("$ cat ")) {
      shown.open(folder + "/" + line.substr(6));
    } else if (block && shown.is_open() && !line.starts_with("$ ")) {
      shown << line << '\n';
    } else if (block && line.starts_with("$ heddle ")) {
      shown.close();
      out.push_back({line.substr(9), 0, {}});
      quoting = true;
    } else if (block && quoting && line == "$ echo $?") {
      status = true;
    } else if (block && quoting && status) {
      out.back().status = std::stoi(line);
      status = false;
    } else if (block && quoting && trimmed(line) != "..." && !trimmed(line).empty()) {
      out.back().lines.push_back(trimmed(line));
    }
  }
  return out;
}

// Whether the line is what is quoted; "..." in it stands for any text.
bool matches(const std::string& line, const std::string& quoted) {
  std::size_t at = 0, begin = 0;
  for (;;) {
    const std::size_t gap = quoted.find("...", begin);
    const std::string part = quoted.substr(begin, gap == std::string::npos ? gap : gap - begin);
    if (gap == std::string::npos)
      return begin == 0 ? line == part : line.size() >= at + part.size() && line.ends_with(part);
    const std::size_t found = line.find(part, at);
    if (found == std::string::npos || (begin == 0 && found != 0)) return false;
    at = found + part.size();
    begin = gap + 3;
  }
}

TEST_CASE("docs/debugging-a-kernel.md shows what comes out") {
  const TempFolder folder;
  const std::vector<Quote> quotes =
      quotes_of(read_file(HEDDLE_SOURCE_DIR "/docs/debugging-a-kernel.md"), folder.path());
  REQUIRE(quotes.size() > 5);
  for (const Quote& q : quotes) {
    const Ran r = heddle(q.command, folder.path());
    CAPTURE(q.command, r.out, r.err);
    CHECK(r.status == q.status);
    std::istringstream output(r.out + r.err);
    std::string line;
    for (const std::string& quoted : q.lines) {
      bool found = false;
      while (!found && std::getline(output, line)) found = matches(trimmed(line), quoted);
      CAPTURE(quoted);
      CHECK(found);
      if (!found) break;
    }
  }
}

}  // namespace
}  // namespace heddle::system_test
