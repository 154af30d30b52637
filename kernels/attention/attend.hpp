// SPDX-License-Identifier: Apache-2.0
// What flash and paged attention share: everything but where keys and values lie.
#pragma once
#include <functional>

#include "sdk/sdk.hpp"

namespace heddle::kernels {

struct Attention {
  sdk::Tensor q, o;           // [tokens, q_heads, head_dim]
  std::int64_t kv_heads = 1;  // divides q_heads
  DType compute = DType::bf16;
  bool causal = true;        // token t sees positions 0 .. position + t; else all of kv_len
  sdk::Scalar position = 0;  // of token 0
  sdk::Scalar kv_len = 0;    // read only if not causal
  std::int64_t page = 1;     // blocks of keys begin at multiples of it
  // Puts positions [first, first + n) of heads `head` .. into the rows of to [block, heads · head_dim], through `dma`.
  using Load = std::function<void(const sdk::Spm& to, sdk::Scalar head, sdk::Scalar first, const sdk::Extent& n,
                                  sdk::DmaEngine dma)>;
  Load load_keys, load_values;

  std::int64_t head_dim() const { return q.extent(2).capacity; }
  std::int64_t group() const { return q.extent(1).capacity / kv_heads; }  // query heads a key/value head
  bool decode() const { return q.extent(0).is_static() && q.extent(0).capacity == 1; }
};

// How the work is cut, from the machine's numbers and the sizes alone.
struct AttentionPlan {
  std::int64_t pack = 1;    // key/value heads side by side in one stationary tile
  std::int64_t heads = 1;   // key/value heads a core takes at once; a multiple of pack
  std::int64_t tokens = 1;  // query tokens a core takes at once
  std::int64_t block = 1;   // positions a step
  int slots = 6;            // blocks of keys (and of values) on the chip
};
// Rows that the query heads of a key/value head take, for each token: ragged paged attention keeps them in pairs, since
// two of 16 bits share a sublane.
std::int64_t group_rows(const sdk::Target& target, const Attention& a);
AttentionPlan plan_attention(const sdk::Target& target, const Attention& a);

void attend(sdk::KernelBuilder& k, const Attention& a);

}  // namespace heddle::kernels
