// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/bisect_model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/base/error.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

std::string where_text(const ModelDivergence& m) {
  return fmt::format(
      "  in the launch of      {}, launch {}: positions {} to {}\n  operation             {}{} ({}), {} of {}\n",
      m.program, m.launch, m.position, m.position + m.tokens - 1, m.layer < 0 ? "" : fmt::format("layer {}: ", m.layer),
      m.operation, m.kernel, m.number, m.of);
}

}  // namespace

ModelBisection bisect_model(const hdl_api* api, sdk::OpenOptions device_options, const weights::ModelFile& model,
                            const models::SessionOptions& options, std::span<const std::int32_t> prompt,
                            std::int64_t new_tokens, const models::SamplingParams& sampling,
                            std::optional<double> tolerance) {
  device_options.host_threads = 1;  // memory is looked at while the program runs
  ModelBisection result;
  result.model = model.path();
  result.dtype = options.dtype;
  result.mode = options.mode;
  result.prompt_tokens = static_cast<std::int64_t>(prompt.size());
  // Runs until the watch has enough; then `done` while the device is there.
  const auto run = [&](exec::IRunWatch& watch, auto&& opened, auto&& done) {
    const exec::WatchInstalled installed(&watch);
    sdk::Device device(api, device_options);
    result.chip = device.target().name;
    models::Session session(device, model, options);
    opened(session);
    try {
      result.new_tokens = static_cast<std::int64_t>(session.generate(prompt, new_tokens, sampling).tokens.size());
      done();
    } catch (const Error& e) {
      if (e.id() != enough_id) throw;
      done();
    }
  };
  ModelWatch watch(tolerance);
  run(
      watch, [&](const models::Session& s) { watch.set_layout(s.layout()); }, [&] { watch.finish(); });
  result.launches = watch.launches();
  result.operations = watch.operations();
  result.instructions = watch.log().end() - 1;
  result.divergence = std::move(watch.found());
  if (!result.divergence || result.divergence->slice.empty()) return result;
  Replay replay(result.divergence->slice, true);
  run(
      replay, [](const models::Session&) {},
      [&] {
        replay.finish();
        watch.log().use_image(replay.image());
        explain(result.divergence->divergence, watch.log(), replay, result.divergence->tensors);
      });
  return result;
}

std::string ModelBisection::text() const {
  std::string out = fmt::format(
      "{} in {} on {}, {} mode: {} launches, {} operations, {} engine instructions followed\n", model, name(dtype),
      chip, name(mode), launches, grouped(static_cast<std::uint64_t>(operations)), grouped(instructions));
  if (!divergence)
    return out +
           fmt::format(
               "  no divergence: every operation gives what the model's mathematics says; {} prompt tokens, {} new\n",
               prompt_tokens, new_tokens);
  return out + where_text(*divergence) + to_text(divergence->divergence);
}

nlohmann::json ModelBisection::json() const {
  nlohmann::json json{{"schema", result_schema}, {"model", model},           {"chip", chip},
                      {"dtype", name(dtype)},    {"mode", name(mode)},       {"prompt_tokens", prompt_tokens},
                      {"launches", launches},    {"operations", operations}, {"instructions", instructions},
                      {"correct", !divergence},  {"divergence", nullptr}};
  if (!divergence) {
    json["new_tokens"] = new_tokens;
    return json;
  }
  const ModelDivergence& m = *divergence;
  json["divergence"] = to_json(m.divergence);
  nlohmann::json& d = json["divergence"];
  d["launch"] = m.launch;
  d["program"] = m.program;
  d["position"] = m.position;
  d["tokens"] = m.tokens;
  d["layer"] = m.layer < 0 ? nlohmann::json() : nlohmann::json(m.layer);
  d["operation"] = m.operation;
  d["kernel"] = m.kernel;
  d["operation_number"] = m.number;
  return json;
}

}  // namespace heddle::app
