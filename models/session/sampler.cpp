// SPDX-License-Identifier: Apache-2.0
#include "models/session/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "isa/base/error.hpp"

namespace heddle::models {

void check(const SamplingParams& p) {
  if (!(p.temperature >= 0) || !std::isfinite(p.temperature))
    fail(ErrorKind::bad_input, "HDL-MDL-20", "temperature is {}; expected 0 (greedy) or more", p.temperature);
  if (p.top_k < 0) fail(ErrorKind::bad_input, "HDL-MDL-20", "top_k is {}; expected 0 (all) or more", p.top_k);
  if (!(p.top_p > 0 && p.top_p <= 1))
    fail(ErrorKind::bad_input, "HDL-MDL-20", "top_p is {}; expected more than 0 and at most 1", p.top_p);
}

Sampler::Sampler(const SamplingParams& params) : params_(params), engine_(params.seed) { check(params); }

std::int32_t Sampler::next(std::span<const float> logits) {
  candidates_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i])) candidates_.push_back({logits[i], static_cast<std::int32_t>(i)});
  if (candidates_.empty()) fail(ErrorKind::internal, "HDL-MDL-21", "no token to choose from: every logit is NaN");

  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  };
  const auto likeliest = std::min_element(candidates_.begin(), candidates_.end(), likelier);
  if (params_.greedy() || std::isinf(likeliest->logit)) return likeliest->token;

  std::size_t kept = candidates_.size();
  if (params_.top_k > 0) kept = std::min(kept, static_cast<std::size_t>(params_.top_k));
  // Without a limit the order does not matter to the draw, but a fixed one keeps the draw the same everywhere.
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(kept), candidates_.end(),
                    likelier);

  const double top = candidates_.front().logit;
  weights_.resize(kept);
  double total = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    weights_[i] = std::exp((static_cast<double>(candidates_[i].logit) - top) / params_.temperature);
    total += weights_[i];
  }
  if (params_.top_p < 1) {
    double reached = 0;
    std::size_t n = 0;
    while (n < kept && reached < params_.top_p * total) reached += weights_[n++];
    kept = n;
    total = reached;
  }
  // 53 random bits make a uniform number in [0, 1): std::uniform_real_distribution differs between libraries.
  const double at = static_cast<double>(engine_() >> 11) * 0x1.0p-53 * total;
  double sum = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    sum += weights_[i];
    if (at < sum) return candidates_[i].token;
  }
  return candidates_[kept - 1].token;
}

}  // namespace heddle::models
