// SPDX-License-Identifier: Apache-2.0
// A model on a device: loads weights, keeps the KV cache, launches prefill and decode, gives tokens and logits.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/decoder/layout.hpp"
#include "models/session/sampler.hpp"
#include "models/weights/model_file.hpp"
#include "sdk/runtime/device.hpp"

namespace heddle::models {

struct SessionOptions {
  hdl_mode mode = HDL_MODE_FULL;
  DType dtype = DType::bf16;   // bf16 or fp32
  std::int64_t positions = 0;  // prompt and new tokens together; at most the model's context
  std::int64_t prompt = 0;     // tokens of the prompt; decides the size of a prefill launch
  std::int64_t page = 64;      // positions of a KV page
  bool all_logits = false;     // keep room for the logits of every prompt position
};

// What one phase of a run took: simulated and host time, and the device's counters.
struct PhaseStats {
  std::int64_t tokens = 0;
  std::int64_t launches = 0;
  double seconds = 0;  // simulated; 0 in values mode
  double host_seconds = 0;
  sdk::Counters counters;
};

struct Generation {
  std::vector<std::int32_t> tokens;  // new ones; an end token that stopped the run is the last
  bool ended = false;                // by an end token
  PhaseStats prefill, decode;        // the first new token comes from prefill
  double time_to_first_token() const { return prefill.seconds; }
  double seconds_per_token() const {
    return decode.tokens > 0 ? decode.seconds / static_cast<double>(decode.tokens) : 0;
  }
};

class Session {
 public:
  // Uploads the weights (not in timing mode, where bulk values are not computed). Throws HDL-MDL-01 unsupported dtype,
  // HDL-MDL-02 more positions than the model's context, HDL-MDL-03 more memory than the chip has, HDL-MDL-04 a feature
  // of the model that is not supported.
  Session(sdk::Device& device, const weights::ModelFile& model, const SessionOptions& options);

  // Feeds the prompt, then draws up to `count` tokens; stops after an end token. `on_token` sees each new one as it
  // comes. In timing mode token 0 stands for every new token. Throws HDL-MDL-05 for a prompt that is empty, too long
  // for the session or names a token outside the vocabulary.
  Generation generate(std::span<const std::int32_t> prompt, std::int64_t count, const SamplingParams& sampling,
                      const std::function<void(std::int32_t)>& on_token = {});

  // The same with the new tokens given instead of drawn: what a run costs and computes whose tokens are known. The last
  // one is not fed back, as the last one drawn is not.
  Generation follow(std::span<const std::int32_t> prompt, std::span<const std::int32_t> tokens);

  // Logits behind the last token that the program saw, [vocab]. Not in timing mode.
  std::vector<float> last_logits() const;

  // Logits of every position of `tokens`, [tokens, vocab]; needs options.all_logits. Starts from an empty cache.
  std::vector<float> score(std::span<const std::int32_t> tokens);

  const Layout& layout() const { return layout_; }
  double load_seconds() const { return load_seconds_; }  // host time of the upload
  // Bytes of device memory in use: weights, KV cache, activations, logits.
  std::uint64_t device_bytes() const;

 private:
  void upload_weights(const weights::ModelFile& model);
  void upload_tensor(const weights::ModelFile& model, const Placement& p, const std::string& prefix,
                     std::uint64_t base);
  void upload_rope();
  void clear_kv_cache();
  void check_prompt(std::span<const std::int32_t> prompt, std::int64_t extra) const;
  void check_tokens(std::span<const std::int32_t> tokens) const;
  // One launch over `tokens` at `position`; the last `logit_rows` rows get logits.
  void step(std::span<const std::int32_t> tokens, std::int64_t position, std::int64_t logit_rows, bool decode,
            PhaseStats& stats);
  std::int32_t choose(Sampler& sampler, bool greedy);
  // Prefill, then `count` times next(i) for the i-th new token; after an end token no further where `stops`.
  Generation run(std::span<const std::int32_t> prompt, std::int64_t count, bool stops,
                 const std::function<std::int32_t(std::int64_t)>& next);

  sdk::Device& device_;
  SessionOptions options_;
  Layout layout_;
  std::vector<std::int64_t> end_tokens_;
  sdk::LoadedImage prefill_, decode_;
  sdk::Buffer weights_, kv_cache_, workspace_, block_table_, token_ids_, logits_, next_token_;
  double load_seconds_ = 0;
};

}  // namespace heddle::models
