// SPDX-License-Identifier: Apache-2.0
// A run file (heddle.run/1): which model, on which chip, with which prompt.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/describe.hpp"

namespace heddle::app {

inline constexpr std::string_view run_schema = "heddle.run/1";

struct SamplingSpec {
  double temperature = 0;  // 0: always the most likely token
  std::int64_t top_k = 0;  // 0: all
  double top_p = 1;
  std::int64_t seed = 1;
};

struct RunSpec {
  std::string model;
  std::string chip = "edge";
  std::string mode = "full";
  std::string dtype = "bf16";
  std::string prompt;
  bool chat = true;  // through the model's chat template, if it has one
  std::int64_t max_new_tokens = 32;
  SamplingSpec sampling;

  std::vector<std::string> chip_overrides;  // the overrides whose key is the chip's
};

void describe(config::Fields& f, SamplingSpec& s);
void describe(config::Fields& f, RunSpec& s);

// Reads a run file. An override whose first part is a key of the run file changes it; the others are the chip's.
// A relative path of the model, or of the chip's file, starts at the run file's own folder.
// Throws bad_input with the place, as load_chip() does.
RunSpec load_run(const std::string& path, const std::vector<std::string>& overrides = {});

// docs/config.md: chips and run files.
std::string config_reference_page();

}  // namespace heddle::app
