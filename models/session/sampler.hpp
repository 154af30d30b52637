// SPDX-License-Identifier: Apache-2.0
// From logits to the next token: greedy, or temperature, then top-k, then top-p, then one draw. The order is the one
// that Hugging Face's generation uses.
#pragma once
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace heddle::models {

struct SamplingParams {
  double temperature = 0;  // 0: greedy, the others are then ignored
  std::int64_t top_k = 0;  // keep the k likeliest; 0: all
  double top_p = 1;        // keep the likeliest tokens until their probabilities reach it; 1: all
  std::uint64_t seed = 0;

  bool greedy() const { return temperature == 0; }
};

// Throws bad_input HDL-MDL-20 for a temperature below 0 or not finite, top_k below 0, top_p outside (0, 1].
void check(const SamplingParams& params);

class Sampler {
 public:
  explicit Sampler(const SamplingParams& params);

  // Index of the token drawn from logits[vocabulary]. Equal logits: the lower index counts as likelier. NaN counts as
  // impossible; all impossible (or an empty span) is an internal error.
  std::int32_t next(std::span<const float> logits);

 private:
  struct Candidate {
    float logit;
    std::int32_t token;
  };
  SamplingParams params_;
  std::mt19937_64 engine_;  // its sequence is fixed by the C++ standard
  std::vector<Candidate> candidates_;
  std::vector<double> weights_;
};

}  // namespace heddle::models
