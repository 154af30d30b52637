// SPDX-License-Identifier: Apache-2.0
// A prompt in, text out, on a simulated chip: what heddle generate and a run file ask for.
#pragma once
#include <optional>
#include <string>

#include "sim/app/command.hpp"
#include "sim/app/run_file.hpp"

namespace heddle::app {

struct ModelRun {
  RunSpec spec;                     // spec.chip and spec.mode are what counts; the same in `common` were merged in
  CommonOptions common;             // --json, --quiet
  std::string command;              // what the result says it came from: "run", "generate"
  bool bisect = false;              // look for the first divergence instead
  std::optional<double> tolerance;  // of that; else each operation's own
};

// --bisect, --tolerance
void add_bisect_options(CLI::App& sub, bool& bisect, std::optional<double>& tolerance);

// Streams the text to stdout as it comes, then the table; or the JSON result alone for --json -.
ExitCode run_model(const ModelRun& run);

// Feeds the prompt as it is, without drawing tokens, and writes the logits of every position: little-endian fp32
// [positions, vocab] to `logits_file`, and {"positions", "vocab", "tokens"} to `logits_file`.json.
ExitCode score_prompt(const ModelRun& run, const std::string& logits_file);

}  // namespace heddle::app
