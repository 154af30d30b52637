// SPDX-License-Identifier: Apache-2.0
// A model on a simulated chip, and what Hugging Face transformers computes for it (testbench/model/oracle/README.md).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/session/session.hpp"

namespace heddle::testing {

using Tokens = std::vector<std::int32_t>;

inline std::string in_tree(const std::string& path) { return HEDDLE_SOURCE_DIR "/" + path; }
inline const std::string tiny_model = in_tree("models/tiny");

struct GoldenCase {
  Tokens tokens;
  std::vector<std::int64_t> positions;  // that have a row of logits
  std::int64_t vocab = 0;
  std::vector<float> logits;  // [positions, vocab]
  Tokens greedy;              // what follows, end tokens or not
  std::string greedy_text;    // of tokens and greedy together
  double range = 0;           // of the logits
};

// `name`: a path in testbench/golden, without extension.
GoldenCase golden_case(const std::string& name);

// A device with a model on it.
struct OpenModel {
  OpenModel(const std::string& path, models::SessionOptions options, std::vector<std::string> overrides = {},
            unsigned host_threads = 0);
  weights::ModelFile file;
  sdk::Device device;
  models::Session session;
};

// fp32 in values mode: the plainest way to run.
models::SessionOptions options_for(std::size_t prompt, std::size_t new_tokens);

// Logits of every position of `tokens`.
std::vector<float> score(const std::string& path, const Tokens& tokens, models::SessionOptions options);

struct Difference {
  double of_range = 0;    // the largest difference, as a share of the golden logits' range
  double top1 = 0;        // share of positions with the same most likely token
  double worst_lead = 0;  // where it differs: the golden lead of its token over ours, at most
};
// `all`: [tokens, vocab].
Difference compare(const GoldenCase& golden, std::span<const float> all);
// The largest difference of two equally long lists of numbers.
double largest_difference(std::span<const float> a, std::span<const float> b);

}  // namespace heddle::testing
