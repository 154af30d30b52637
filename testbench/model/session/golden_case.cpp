// SPDX-License-Identifier: Apache-2.0
#include "testbench/model/session/golden_case.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/top/simulator_api.h"
#include "testbench/support/catch.hpp"

namespace heddle::testing {

GoldenCase golden_case(const std::string& name) {
  const std::string path = in_tree("testbench/golden/" + name);
  std::ifstream text(path + ".json");
  REQUIRE(text);
  const auto json = nlohmann::json::parse(text);
  GoldenCase g;
  g.tokens = json["tokens"].get<Tokens>();
  g.positions = json["positions"].get<std::vector<std::int64_t>>();
  g.vocab = json["vocab"].get<std::int64_t>();
  g.greedy = json["greedy"].get<Tokens>();
  g.greedy_text = json["greedy_text"].get<std::string>();
  g.range = json["logits_max"].get<double>() - json["logits_min"].get<double>();
  g.logits.resize(g.positions.size() * static_cast<std::size_t>(g.vocab));
  std::ifstream data(path + ".bin", std::ios::binary);
  REQUIRE(data.read(reinterpret_cast<char*>(g.logits.data()), static_cast<std::streamsize>(g.logits.size() * 4)));
  REQUIRE(g.range > 1);
  return g;
}

OpenModel::OpenModel(const std::string& path, models::SessionOptions options, std::vector<std::string> overrides,
                     unsigned host_threads)
    : file(weights::load_model(path)),
      device(hdl_simulator_api(), {"edge", std::move(overrides), options.mode, host_threads}),
      session(device, file, options) {}

models::SessionOptions options_for(std::size_t prompt, std::size_t new_tokens) {
  models::SessionOptions o;
  o.mode = HDL_MODE_VALUES;
  o.dtype = DType::fp32;
  o.prompt = static_cast<std::int64_t>(prompt);
  o.positions = static_cast<std::int64_t>(prompt + new_tokens);
  return o;
}

std::vector<float> score(const std::string& path, const Tokens& tokens, models::SessionOptions options) {
  options.all_logits = true;
  OpenModel m(path, options);
  return m.session.score(tokens);
}

Difference compare(const GoldenCase& golden, std::span<const float> all) {
  const auto vocab = static_cast<std::size_t>(golden.vocab);
  REQUIRE(all.size() == golden.tokens.size() * vocab);
  Difference d;
  std::size_t agree = 0;
  for (std::size_t i = 0; i < golden.positions.size(); ++i) {
    const auto theirs = std::span(golden.logits).subspan(i * vocab, vocab);
    const auto ours = all.subspan(static_cast<std::size_t>(golden.positions[i]) * vocab, vocab);
    d.of_range = std::max(d.of_range, largest_difference(ours, theirs) / golden.range);
    const auto their_best = std::max_element(theirs.begin(), theirs.end()) - theirs.begin();
    const auto our_best = std::max_element(ours.begin(), ours.end()) - ours.begin();
    const double lead = static_cast<double>(theirs[static_cast<std::size_t>(their_best)]) -
                        static_cast<double>(theirs[static_cast<std::size_t>(our_best)]);
    agree += their_best == our_best ? 1 : 0;
    d.worst_lead = std::max(d.worst_lead, lead);
  }
  d.top1 = static_cast<double>(agree) / static_cast<double>(golden.positions.size());
  return d;
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    // Not a maximum: a NaN must not be lost.
    if (!(d <= most)) most = std::isnan(d) ? HUGE_VAL : d;
  }
  return most;
}

}  // namespace heddle::testing
