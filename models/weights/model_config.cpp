// SPDX-License-Identifier: Apache-2.0
#include "models/weights/model_config.hpp"

#include <cmath>
#include <numbers>

#include "isa/base/error.hpp"

namespace heddle::weights {

std::string_view name(ModelFamily family) { return family == ModelFamily::llama ? "llama" : "gpt2"; }

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::silu:
      return "silu";
    case Activation::gelu:
      return "gelu";
    case Activation::gelu_tanh:
      return "gelu_tanh";
  }
  return "?";
}

std::vector<double> rope_frequencies(const ModelConfig& config) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < config.head_dim / 2; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(config.head_dim);
    const double divisor =
        config.rope_divisors.empty() ? 1.0 : static_cast<double>(config.rope_divisors[static_cast<std::size_t>(i)]);
    result.push_back(std::pow(config.rope_theta, exponent) / divisor);
  }
  return result;
}

std::vector<float> llama3_rope_divisors(double theta, std::int64_t head_dim, double factor, double low, double high,
                                        double original_context) {
  std::vector<float> result;
  for (std::int64_t i = 0; i < head_dim / 2; ++i) {
    const double frequency = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(head_dim));
    const double wavelength = 2.0 * std::numbers::pi / frequency;
    double divisor = 1.0;
    if (wavelength > original_context / low) {
      divisor = factor;
    } else if (wavelength >= original_context / high) {
      const double smooth = (original_context / wavelength - low) / (high - low);
      divisor = 1.0 / ((1.0 - smooth) / factor + smooth);
    }
    result.push_back(static_cast<float>(divisor));
  }
  return result;
}

void check(const ModelConfig& config, const std::string& path) {
  const auto in_range = [&](std::string_view field, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most)
      fail_at({path}, ErrorKind::bad_input, "HDL-WGT-12", "{} is {}, expected 1 to {}", field, value, most);
  };
  // Far above any model, low enough that products of two stay in 63 bits.
  in_range("the number of layers", config.layers, 10'000);
  in_range("the hidden size", config.hidden, 1 << 24);
  in_range("the number of heads", config.heads, 1 << 16);
  in_range("the number of key/value heads", config.kv_heads, 1 << 16);
  in_range("the head size", config.head_dim, 1 << 16);
  in_range("the intermediate size", config.intermediate, 1 << 26);
  in_range("the vocabulary size", config.vocab, 1 << 28);
  in_range("the context length", config.context, std::int64_t{1} << 32);
  if (config.heads % config.kv_heads != 0)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-12", "{} heads are no multiple of {} key/value heads", config.heads,
            config.kv_heads);
  if (config.family == ModelFamily::llama && config.head_dim % 2 != 0)
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-12", "the head size is {}, expected an even one", config.head_dim);
  if (!(config.norm_eps >= 0.0 && config.norm_eps < 1.0))
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-12", "the norm's epsilon is {}, expected 0 to 1", config.norm_eps);
  if (!(config.rope_theta > 0.0 && std::isfinite(config.rope_theta)))
    fail_at({path}, ErrorKind::bad_input, "HDL-WGT-12", "rope theta is {}, expected a positive number",
            config.rope_theta);
  for (const float divisor : config.rope_divisors)
    if (!(divisor > 0.0f && std::isfinite(divisor)))
      fail_at({path}, ErrorKind::bad_input, "HDL-WGT-12", "a rope scaling factor is {}, expected a positive number",
              divisor);
}

void unsupported_architecture(const std::string& path, std::string_view found) {
  fail_at({path}, ErrorKind::unsupported, "HDL-WGT-11",
          "architecture '{}' is not supported; supported are llama (Llama, SmolLM), mistral, qwen2, qwen3 and gpt2",
          found);
}

}  // namespace heddle::weights
