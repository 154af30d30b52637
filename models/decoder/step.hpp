// SPDX-License-Identifier: Apache-2.0
// What a recorded step of a decoder-only model works on, and how it is launched: one image for prefill (a chunk of
// tokens, how many is known at launch) and one for decode (one token), with the loop over layers inside.
#pragma once
#include "isa/image/image.hpp"
#include "models/decoder/layout.hpp"
#include "sdk/sdk.hpp"

namespace heddle::models {

// Launch arguments, by number.
struct StepArguments {
  enum : int {
    weights,
    kv_cache,
    workspace,
    block_table,
    token_ids,
    tokens,
    position,
    logit_rows,
    logits,
    next_token,
    count
  };
};

// The tensors of one step as the recorder sees them.
class Step {
 public:
  // `tokens`: 1 for a decode image; else the run-time count, at most the layout's chunk.
  Step(sdk::KernelBuilder& k, const Layout& layout, bool decode_image);

  sdk::KernelBuilder& k;
  const Layout& layout;
  bool decode;  // one token
  sdk::Extent tokens;
  sdk::Scalar position;  // of the first token

  sdk::Tensor global(std::string_view name) const;
  // A tensor of the layer whose weights begin at byte `base`.
  sdk::Tensor layer(std::string_view name, sdk::Scalar base) const;
  sdk::Tensor k_pages(sdk::Scalar layer_number) const;  // [pages, kv_heads, page, head_dim]
  sdk::Tensor v_pages(sdk::Scalar layer_number) const;

  sdk::Tensor residual;   // [tokens, hidden] fp32
  sdk::Tensor normed;     // [tokens, hidden]
  sdk::Tensor qkv;        // [tokens, (heads + 2 kv_heads) · head_dim] fp32
  sdk::Tensor attended;   // [tokens, heads · head_dim]
  sdk::Tensor activated;  // [tokens, intermediate]
  sdk::Tensor ids;        // [tokens] int32
  sdk::Tensor table;      // [pages] int32
  sdk::Tensor last;       // [logit rows, hidden]: the last rows of the residual, normed
  sdk::Tensor logits;     // [logit rows, vocab] fp32
  sdk::Tensor next;       // [logit rows] int32

  // Heads of the qkv rows as [tokens, n, head_dim], from head `first` on.
  sdk::Tensor heads(std::int64_t first, std::int64_t n) const;
  // The last `logit rows` rows of the residual.
  sdk::Tensor residual_tail() const;
  // body(layer number, base of its weights) for every layer, one loop in the program.
  void for_each_layer(const std::function<void(sdk::Scalar, sdk::Scalar)>& body) const;
};

// Puts this step's keys and values into the cache, as they are; every core waits for that.
void append(const Step& s, sdk::Scalar layer_number);
// The same for one token, whose queries and keys turn first (RoPE): kernels::rope and append() in one pass.
void turn_and_append(const Step& s, sdk::Scalar layer_number);
// Attention over the cache: attend, project, add to the residual. Common to the families.
void record_attention(const Step& s, sdk::Scalar layer_number, sdk::Scalar base);
// Logits of the last rows and their argmax, from `last`.
void record_head(const Step& s);

}  // namespace heddle::models
