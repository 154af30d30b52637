// SPDX-License-Identifier: Apache-2.0
#include "sim/app/run_model.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "isa/base/dtype.hpp"
#include "isa/base/error.hpp"
#include "isa/image/bytes.hpp"
#include "models/session/session.hpp"
#include "models/tokenizer/chat_template.hpp"
#include "models/tokenizer/tokenizer.hpp"
#include "models/weights/model_file.hpp"
#include "sim/app/bisect/bisect_model.hpp"
#include "sim/app/hazards.hpp"
#include "sim/app/instruments.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/top/simulator_api.h"

namespace heddle::app {
namespace {

using Tokens = std::vector<std::int32_t>;

struct ModelFiles {
  explicit ModelFiles(const RunSpec& spec)
      : model(weights::load_model(spec.model)), tokenizer(tokenizer::load_tokenizer(spec.model)) {}
  weights::ModelFile model;
  tokenizer::Tokenizer tokenizer;
};

models::SessionOptions session_options(const RunSpec& spec, std::size_t prompt, std::int64_t new_tokens) {
  models::SessionOptions o;
  o.mode = parse_mode(spec.mode);
  o.dtype = *parse_dtype(spec.dtype);
  o.prompt = static_cast<std::int64_t>(prompt);
  o.positions = o.prompt + new_tokens;
  return o;
}

models::SamplingParams sampling_of(const RunSpec& spec) {
  return {spec.sampling.temperature, spec.sampling.top_k, spec.sampling.top_p,
          static_cast<std::uint64_t>(spec.sampling.seed)};
}

// What a run needs before it can start, each part made from the ones above it.
struct Loaded : ModelFiles {
  explicit Loaded(const ModelRun& run)
      : ModelFiles(run.spec),
        mode(parse_mode(run.spec.mode)),
        device(hdl_simulator_api(), {run.spec.chip, run.spec.chip_overrides, mode, run.common.host_threads}) {}

  hdl_mode mode;
  sdk::Device device;
};

bool uses_template(const RunSpec& spec, const ModelFiles& l) {
  return spec.chat && !l.model.config().chat_template.empty();
}

Tokens encode(const RunSpec& spec, const ModelFiles& l) {
  if (!uses_template(spec, l)) return l.tokenizer.encode_prompt(spec.prompt, tokenizer::SpecialTokens::as_text);
  const auto text_of = [&](const std::optional<tokenizer::TokenId>& id) {
    return id ? std::string(l.tokenizer.bytes_of(*id)) : std::string();
  };
  const tokenizer::ChatTemplate chat(l.model.config().chat_template, text_of(l.tokenizer.bos()),
                                     text_of(l.tokenizer.eos()));
  const tokenizer::ChatMessage message{"user", spec.prompt};
  return l.tokenizer.encode(chat.render({&message, 1}));
}

std::string table(const models::Generation& g, std::size_t prompt_tokens, const Report& total) {
  const double host = g.prefill.host_seconds + g.decode.host_seconds;
  const double rate = static_cast<double>(g.tokens.size()) / host;
  if (!total.timed())
    return fmt::format("  prompt {} tokens, {} new\n{} ({:.3g} tokens a host second)\n", prompt_tokens, g.tokens.size(),
                       totals_text(total), rate);
  std::string out = fmt::format("  prefill {:>6} tokens   {:>10} simulated    time to first token {}\n", prompt_tokens,
                                time_text(g.prefill.seconds * 1e9), time_text(g.time_to_first_token() * 1e9));
  if (g.decode.tokens > 0)
    out += fmt::format("  decode  {:>6} tokens   {:>10} a token      {:.1f} tokens/s\n", g.decode.tokens,
                       time_text(g.seconds_per_token() * 1e9), 1 / g.seconds_per_token());
  return out + utilization_text(total) + totals_text(total) + fmt::format(" ({:.3g} tokens a host second)\n", rate);
}

nlohmann::json phase_json(const models::PhaseStats& phase, const hdl_chip_info& chip, hdl_mode mode) {
  nlohmann::json json = to_json(make_report(phase.counters, chip, mode, phase.host_seconds), "");
  for (const char* key : {"schema", "command", "chip", "mode"}) json.erase(key);
  json["tokens"] = phase.tokens;
  json["launches"] = phase.launches;
  return json;
}

// `text` is empty in the timing mode, where tokens stand for nothing.
nlohmann::json result_json(const ModelRun& run, Loaded& l, const models::Session& session, const models::Generation& g,
                           const Tokens& prompt, const std::string& text, const Report& total) {
  nlohmann::json json = to_json(total, run.command);
  json["model"] = run.spec.model;
  json["dtype"] = run.spec.dtype;
  json["prompt"] = run.spec.prompt;
  json["prompt_tokens"] = prompt;
  json["tokens"] = g.tokens;
  json["text"] = text;
  json["ended"] = g.ended;
  json["time_to_first_token_ns"] = total.timed() ? nlohmann::json(g.time_to_first_token() * 1e9) : nlohmann::json();
  json["time_per_output_token_ns"] =
      total.timed() && g.decode.tokens > 0 ? nlohmann::json(g.seconds_per_token() * 1e9) : nlohmann::json();
  json["prefill"] = phase_json(g.prefill, l.device.chip(), l.mode);
  json["decode"] = phase_json(g.decode, l.device.chip(), l.mode);
  json["load_host_seconds"] = session.load_seconds();
  json["device_bytes"] = session.device_bytes();
  return json;
}

// Over the bits of every logit that a token was chosen by: two runs that agree in it agree in their values.
std::uint64_t hash_logits(std::uint64_t hash, const std::vector<float>& logits) {
  return isa::fnv(hash, reinterpret_cast<const std::uint8_t*>(logits.data()), logits.size() * sizeof(float));
}

void check_common(const ModelRun& run) {
  if (run.spec.prompt.empty()) fail(ErrorKind::bad_input, "HDL-APP-10", "the prompt is empty");
  require_writable(run.common.json);
  check_instruments(run.common, parse_mode(run.spec.mode));
}

// Each operation of the run against the model's mathematics.
ExitCode bisect_run(const ModelRun& run) {
  const RunSpec& spec = run.spec;
  const hdl_mode mode = parse_mode(spec.mode);
  if (mode == HDL_MODE_TIMING)
    fail(ErrorKind::bad_input, "HDL-APP-31", "--bisect needs values: --mode values or full, not timing");
  if (run.common.profile || !run.common.trace.empty())
    fail(ErrorKind::bad_input, "HDL-APP-31", "--bisect goes without --profile and --trace");
  const ModelFiles files(spec);
  const Tokens prompt = encode(spec, files);
  const ModelBisection found = bisect_model(hdl_simulator_api(), {spec.chip, spec.chip_overrides, mode, 1}, files.model,
                                            session_options(spec, prompt.size(), spec.max_new_tokens), prompt,
                                            spec.max_new_tokens, sampling_of(spec), run.tolerance);
  if (!run.common.json.empty()) {
    nlohmann::json json = found.json();
    json["command"] = run.command;
    write_json(run.common.json, json);
  }
  if (run.common.json != "-") print_result(found.text());
  if (!found.divergence) return success;
  fmt::print(stderr, "heddle {}: an operation differs from the model's mathematics by more than its tolerance\n",
             run.command);
  return failed;
}

}  // namespace

void add_bisect_options(CLI::App& sub, bool& bisect, std::optional<double>& tolerance) {
  CLI::Option* flag = sub.add_flag(
      "--bisect", bisect, "Name the first instruction whose result is off, with both values and what lies behind");
  sub.add_option("--tolerance", tolerance, "Of --bisect, relative, instead of the kernel's or operation's own")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("REL")
      ->needs(flag);
}

ExitCode run_model(const ModelRun& run) {
  check_common(run);
  if (run.bisect) return bisect_run(run);
  const RunSpec& spec = run.spec;
  Instruments instruments(run.common);
  Hazards hazards;
  Loaded l(run);
  const Tokens prompt = encode(spec, l);
  models::Session session(l.device, l.model, session_options(spec, prompt.size(), spec.max_new_tokens));

  const bool stream = run.common.json != "-" && l.mode != HDL_MODE_TIMING;
  // A text that is continued reads better from its beginning; an answer stands alone.
  if (stream && !uses_template(spec, l)) print_result(spec.prompt);
  Progress progress("generating", static_cast<double>(spec.max_new_tokens), run.common.quiet || stream);
  tokenizer::StreamDecoder decoder(l.tokenizer, true);
  std::string text;
  std::int64_t done = 0;
  std::uint64_t hash = isa::fnv_start;
  const auto on_token = [&](std::int32_t token) {
    progress.at(static_cast<double>(++done));
    if (l.mode == HDL_MODE_TIMING) return;
    if (!run.common.json.empty()) hash = hash_logits(hash, session.last_logits());
    const std::string piece = decoder.feed(token);
    text += piece;
    if (stream) print_result(piece);
  };
  const sdk::Counters before = l.device.counters();
  const models::Generation g = session.generate(prompt, spec.max_new_tokens, sampling_of(spec), on_token);
  instruments.finish();
  const std::string rest = decoder.finish();
  text += rest;
  if (stream) print_result(rest + "\n\n");

  const sdk::Counters spent = l.device.counters() - before;
  const Report total = make_report(spent, l.device.chip(), l.mode, g.prefill.host_seconds + g.decode.host_seconds);
  if (!run.common.json.empty()) {
    nlohmann::json json = result_json(run, l, session, g, prompt, text, total);
    json["values_hash"] = l.mode == HDL_MODE_TIMING ? nlohmann::json() : nlohmann::json(fmt::format("{:016x}", hash));
    add_jitter(json, run.common);
    instruments.add_profile(json, l.device.chip());
    instruments.add_prints(json);
    hazards.add_to(json);
    write_json(run.common.json, json);
  }
  if (run.common.json != "-")
    print_result(table(g, prompt.size(), total) + instruments.profile(l.device.chip()) + hazards.text());
  return hazards.report(success);
}

ExitCode score_prompt(const ModelRun& run, const std::string& logits_file) {
  check_common(run);
  require_writable(logits_file);
  const RunSpec& spec = run.spec;
  Instruments instruments(run.common);
  Hazards hazards;
  Loaded l(run);
  if (l.mode == HDL_MODE_TIMING)
    fail(ErrorKind::bad_input, "HDL-APP-11", "the timing mode computes no logits; use --mode values or full");
  const Tokens prompt = l.tokenizer.encode_prompt(spec.prompt, tokenizer::SpecialTokens::as_text);
  models::SessionOptions options = session_options(spec, prompt.size(), 0);
  options.all_logits = true;
  models::Session session(l.device, l.model, options);
  const std::vector<float> logits = session.score(prompt);
  instruments.finish();
  write_file(logits_file, {reinterpret_cast<const char*>(logits.data()), logits.size() * sizeof(float)});
  write_json(logits_file + ".json",
             {{"positions", prompt.size()}, {"vocab", l.model.config().vocab}, {"tokens", prompt}});
  return hazards.report(success);
}

}  // namespace heddle::app
