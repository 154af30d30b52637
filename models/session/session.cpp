// SPDX-License-Identifier: Apache-2.0
#include "models/session/session.hpp"

#include <algorithm>
#include <chrono>

#include "isa/base/error.hpp"
#include "models/decoder/step.hpp"
#include "models/gpt2/gpt2.hpp"
#include "models/llama/llama.hpp"

namespace heddle::models {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::int64_t largest_chunk = 256;

isa::ProgramImage record(const sdk::Target& target, const Layout& layout, bool decode) {
  return layout.config.family == weights::ModelFamily::gpt2 ? record_gpt2(target, layout, decode)
                                                            : record_llama(target, layout, decode);
}

void require_supported(const weights::ModelFile& model, const SessionOptions& o) {
  const weights::ModelConfig& c = model.config();
  if (o.dtype != DType::fp32 && o.dtype != DType::bf16)
    fail(ErrorKind::unsupported, "HDL-MDL-01", "models run in fp32 or bf16, not in {}", name(o.dtype));
  if (o.positions < 1 || o.positions > c.context)
    fail(ErrorKind::bad_input, "HDL-MDL-02",
         "{}: {} positions (prompt and new tokens) asked for; the model's context is {}", model.path(), o.positions,
         c.context);
  if (c.sliding_window && *c.sliding_window < o.positions)
    fail(ErrorKind::unsupported, "HDL-MDL-04",
         "{}: attention over a sliding window of {} positions; at most that many are supported", model.path(),
         *c.sliding_window);
  if (c.family == weights::ModelFamily::llama && c.activation != weights::Activation::silu)
    fail(ErrorKind::unsupported, "HDL-MDL-04", "{}: activation {} in a gated feed-forward layer; supported is silu",
         model.path(), name(c.activation));
  if (c.family == weights::ModelFamily::llama && c.mlp_bias)
    fail(ErrorKind::unsupported, "HDL-MDL-04", "{}: biases in the gated feed-forward layer are not supported",
         model.path());
  if (c.family == weights::ModelFamily::gpt2 && c.activation != weights::Activation::gelu_tanh)
    fail(ErrorKind::unsupported, "HDL-MDL-04", "{}: activation {}; supported for gpt2 is gelu_tanh", model.path(),
         name(c.activation));
}

}  // namespace

Session::Session(sdk::Device& device, const weights::ModelFile& model, const SessionOptions& options)
    : device_(device), options_(options), end_tokens_(model.config().eos_ids) {
  require_supported(model, options);
  const std::int64_t chunk = std::clamp<std::int64_t>(options.prompt, 1, largest_chunk);
  layout_ = plan_layout(model.config(), options.dtype, {options.positions, chunk, options.page});
  const std::int64_t logit_rows = options.all_logits ? chunk : 1;
  const auto logit_bytes = static_cast<std::uint64_t>(logit_rows * layout_.config.vocab * 4);

  const std::uint64_t needed = layout_.weight_bytes + layout_.kv_bytes + layout_.workspace_bytes + logit_bytes;
  if (needed > device.chip().hbm_bytes)
    fail(ErrorKind::bad_input, "HDL-MDL-03",
         "{} needs {:.1f} MiB of device memory (weights {:.1f}, KV cache {:.1f}, rest {:.1f}); chip {} has {:.1f} MiB",
         model.path(), static_cast<double>(needed) / 1048576, static_cast<double>(layout_.weight_bytes) / 1048576,
         static_cast<double>(layout_.kv_bytes) / 1048576,
         static_cast<double>(layout_.workspace_bytes + logit_bytes) / 1048576, device.target().name,
         static_cast<double>(device.chip().hbm_bytes) / 1048576);

  weights_ = device.allocate(layout_.weight_bytes, 4096);
  kv_cache_ = device.allocate(layout_.kv_bytes, 4096);
  workspace_ = device.allocate(layout_.workspace_bytes, 4096);
  logits_ = device.allocate(logit_bytes, 4096);
  token_ids_ = device.allocate(static_cast<std::uint64_t>(chunk) * 4);
  next_token_ = device.allocate(static_cast<std::uint64_t>(logit_rows) * 4);
  std::vector<std::int32_t> table(static_cast<std::size_t>(layout_.pages));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int32_t>(i);
  block_table_ = device.upload(table);

  const auto start = Clock::now();
  if (options.mode != HDL_MODE_TIMING) {
    upload_weights(model);
    clear_kv_cache();
  }
  load_seconds_ = seconds_since(start);
  prefill_ = device.load(record(device.target(), layout_, false));
  decode_ = device.load(record(device.target(), layout_, true));
}

std::uint64_t Session::device_bytes() const {
  return weights_.bytes() + kv_cache_.bytes() + workspace_.bytes() + logits_.bytes() + token_ids_.bytes() +
         next_token_.bytes() + block_table_.bytes();
}

void Session::check_prompt(std::span<const std::int32_t> prompt, std::int64_t extra) const {
  if (prompt.empty()) fail(ErrorKind::bad_input, "HDL-MDL-05", "the prompt has no tokens");
  const auto n = static_cast<std::int64_t>(prompt.size());
  if (n + extra > options_.positions)
    fail(ErrorKind::bad_input, "HDL-MDL-05",
         "a prompt of {} tokens and {} new ones do not fit the session's {} positions", n, extra, options_.positions);
  check_tokens(prompt);
}

void Session::check_tokens(std::span<const std::int32_t> tokens) const {
  for (std::int32_t t : tokens)
    if (t < 0 || t >= layout_.config.vocab)
      fail(ErrorKind::bad_input, "HDL-MDL-05", "the prompt names token {}; the vocabulary has {}", t,
           layout_.config.vocab);
}

void Session::step(std::span<const std::int32_t> tokens, std::int64_t position, std::int64_t logit_rows, bool decode,
                   PhaseStats& stats) {
  const auto start = Clock::now();
  token_ids_.write(std::as_bytes(tokens));
  using A = StepArguments;
  std::vector<std::uint64_t> arguments(A::count);
  arguments[A::weights] = weights_;
  arguments[A::kv_cache] = kv_cache_;
  arguments[A::workspace] = workspace_;
  arguments[A::block_table] = block_table_;
  arguments[A::token_ids] = token_ids_;
  arguments[A::tokens] = tokens.size();
  arguments[A::position] = static_cast<std::uint64_t>(position);
  arguments[A::logit_rows] = static_cast<std::uint64_t>(logit_rows);
  arguments[A::logits] = logits_;
  arguments[A::next_token] = next_token_;
  device_.run(decode ? decode_ : prefill_, "main", arguments);
  stats.host_seconds += seconds_since(start);
  stats.tokens += static_cast<std::int64_t>(tokens.size());
  ++stats.launches;
}

std::int32_t Session::choose(Sampler& sampler, bool greedy) {
  if (options_.mode == HDL_MODE_TIMING) return 0;
  if (!greedy) return sampler.next(last_logits());
  std::int32_t token = 0;
  next_token_.read(std::as_writable_bytes(std::span(&token, 1)));
  return token;
}

std::vector<float> Session::last_logits() const {
  std::vector<float> row(static_cast<std::size_t>(layout_.config.vocab));
  logits_.read(std::as_writable_bytes(std::span(row)));
  return row;
}

Generation Session::run(std::span<const std::int32_t> prompt, std::int64_t count, bool stops,
                        const std::function<std::int32_t(std::int64_t)>& next) {
  check_prompt(prompt, count);
  Generation g;
  sdk::Counters mark = device_.counters();
  const auto close = [&](PhaseStats& phase) {
    const sdk::Counters now = device_.counters();
    phase.counters = now - mark;
    phase.seconds = static_cast<double>(phase.counters["time_fs"]) * 1e-15;
    mark = now;
  };

  const auto n = static_cast<std::int64_t>(prompt.size());
  for (std::int64_t at = 0; at < n; at += layout_.limits.chunk) {
    const std::int64_t part = std::min(layout_.limits.chunk, n - at);
    step(prompt.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(part)), at, at + part == n ? 1 : 0,
         false, g.prefill);
  }
  close(g.prefill);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t token = next(i);
    g.tokens.push_back(token);
    g.ended = stops && std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end();
    if (g.ended || i + 1 == count) break;
    step(std::span(&token, 1), n + i, 1, true, g.decode);
  }
  close(g.decode);
  return g;
}

Generation Session::generate(std::span<const std::int32_t> prompt, std::int64_t count, const SamplingParams& sampling,
                             const std::function<void(std::int32_t)>& on_token) {
  Sampler sampler(sampling);
  return run(prompt, count, options_.mode != HDL_MODE_TIMING, [&](std::int64_t) {
    const std::int32_t token = choose(sampler, sampling.greedy());
    if (on_token) on_token(token);
    return token;
  });
}

Generation Session::follow(std::span<const std::int32_t> prompt, std::span<const std::int32_t> tokens) {
  check_tokens(tokens);
  return run(prompt, static_cast<std::int64_t>(tokens.size()), false,
             [&](std::int64_t i) { return tokens[static_cast<std::size_t>(i)]; });
}

std::vector<float> Session::score(std::span<const std::int32_t> tokens) {
  check_prompt(tokens, 0);
  if (!options_.all_logits) fail(ErrorKind::internal, "HDL-MDL-00", "score() needs a session opened with all_logits");
  const auto vocab = static_cast<std::size_t>(layout_.config.vocab);
  std::vector<float> all(tokens.size() * vocab);
  PhaseStats stats;
  const auto chunk = static_cast<std::size_t>(layout_.limits.chunk);
  for (std::size_t at = 0; at < tokens.size(); at += chunk) {
    const std::size_t part = std::min(chunk, tokens.size() - at);
    step(tokens.subspan(at, part), static_cast<std::int64_t>(at), static_cast<std::int64_t>(part), false, stats);
    logits_.read(std::as_writable_bytes(std::span(all).subspan(at * vocab, part * vocab)));
  }
  return all;
}

}  // namespace heddle::models
