// SPDX-License-Identifier: Apache-2.0
#include "models/decoder/layout.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::models {
namespace {

constexpr std::uint64_t alignment = 4096;  // a DRAM page: tensors start on one

std::uint64_t aligned(std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; }

std::uint64_t bytes(const Placement& p) {
  std::int64_t n = 1;
  for (std::int64_t d : p.shape) n *= d;
  return static_cast<std::uint64_t>(bytes_of(p.dtype, n));
}

// Appends tensors one behind the other and gives each its offset.
class Placer {
 public:
  explicit Placer(std::vector<Placement>& list) : list_(list) {}
  void add(std::string name, std::vector<std::string> sources, DType dtype, std::vector<std::int64_t> shape) {
    list_.push_back({std::move(name), std::move(sources), dtype, std::move(shape), end_});
    end_ = aligned(end_ + bytes(list_.back()));
  }
  // fp32, as vectors are kept.
  void vector(const std::string& name, std::int64_t size) { add(name, {name}, DType::fp32, {size}); }
  std::uint64_t end() const { return end_; }

 private:
  std::vector<Placement>& list_;
  std::uint64_t end_ = 0;
};

std::uint64_t place_layer(Layout& l) {
  const weights::ModelConfig& c = l.config;
  const bool gpt2 = c.family == weights::ModelFamily::gpt2;
  Placer p(l.per_layer);
  p.vector("attention_norm.weight", c.hidden);
  if (gpt2) p.vector("attention_norm.bias", c.hidden);
  p.add("qkv.weight", {"attention.q.weight", "attention.k.weight", "attention.v.weight"}, l.dtype,
        {l.qkv_width(), c.hidden});
  if (c.qkv_bias)
    p.add("qkv.bias", {"attention.q.bias", "attention.k.bias", "attention.v.bias"}, DType::fp32, {l.qkv_width()});
  if (c.qk_norm) {
    p.vector("attention.q_norm.weight", c.head_dim);
    p.vector("attention.k_norm.weight", c.head_dim);
  }
  p.add("attention.o.weight", {"attention.o.weight"}, l.dtype, {c.hidden, l.q_width()});
  if (c.o_bias) p.vector("attention.o.bias", c.hidden);
  p.vector("mlp_norm.weight", c.hidden);
  if (gpt2) p.vector("mlp_norm.bias", c.hidden);
  if (!gpt2) p.add("mlp.gate.weight", {"mlp.gate.weight"}, l.dtype, {c.intermediate, c.hidden});
  p.add("mlp.up.weight", {"mlp.up.weight"}, l.dtype, {c.intermediate, c.hidden});
  if (c.mlp_bias) p.vector("mlp.up.bias", c.intermediate);
  p.add("mlp.down.weight", {"mlp.down.weight"}, l.dtype, {c.hidden, c.intermediate});
  if (c.mlp_bias) p.vector("mlp.down.bias", c.hidden);
  return p.end();
}

std::uint64_t place_globals(Layout& l) {
  const weights::ModelConfig& c = l.config;
  const bool gpt2 = c.family == weights::ModelFamily::gpt2;
  Placer p(l.globals);
  p.add("embed.weight", {"embed.weight"}, l.dtype, {c.vocab, c.hidden});
  if (!c.tie_embeddings) p.add("lm_head.weight", {"lm_head.weight"}, l.dtype, {c.vocab, c.hidden});
  if (gpt2)
    p.add("position.weight", {"position.weight"}, DType::fp32, {std::min(c.context, l.limits.context), c.hidden});
  p.vector("final_norm.weight", c.hidden);
  if (gpt2) p.vector("final_norm.bias", c.hidden);
  if (!gpt2) p.add("rope", {}, DType::fp32, {l.limits.context, c.head_dim});
  return p.end();
}

void place_workspace(Layout& l) {
  const weights::ModelConfig& c = l.config;
  std::uint64_t end = 0;
  const auto take = [&](std::uint64_t& offset, std::int64_t width, DType dtype) {
    offset = end;
    end = aligned(end + static_cast<std::uint64_t>(bytes_of(dtype, width * l.limits.chunk)));
  };
  take(l.residual, c.hidden, DType::fp32);
  take(l.normed, c.hidden, l.dtype);
  take(l.qkv, l.qkv_width(), DType::fp32);
  take(l.attended, l.q_width(), l.dtype);
  take(l.activated, c.intermediate, l.dtype);
  take(l.last, c.hidden, l.dtype);
  l.workspace_bytes = end;
}

const Placement& find(const std::vector<Placement>& list, std::string_view name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const Placement& p) { return p.name == name; });
  if (it == list.end()) fail(ErrorKind::internal, "HDL-MDL-00", "the layout has no tensor '{}'", name);
  return *it;
}

}  // namespace

const Placement& Layout::global(std::string_view name) const { return find(globals, name); }
const Placement& Layout::layer(std::string_view name) const { return find(per_layer, name); }
bool Layout::has_layer(std::string_view name) const {
  return std::any_of(per_layer.begin(), per_layer.end(), [&](const Placement& p) { return p.name == name; });
}

Layout plan_layout(const weights::ModelConfig& config, DType dtype, const Limits& limits) {
  Layout l;
  l.config = config;
  l.dtype = dtype;
  l.limits = limits;
  l.first_layer = place_globals(l);
  l.layer_stride = place_layer(l);
  l.weight_bytes = l.first_layer + l.layer_stride * static_cast<std::uint64_t>(config.layers);
  l.pages = (limits.context + limits.page - 1) / limits.page;
  l.kv_part_bytes = aligned(static_cast<std::uint64_t>(bytes_of(dtype, l.pages * limits.page * l.kv_width())));
  l.kv_bytes = 2 * l.kv_part_bytes * static_cast<std::uint64_t>(config.layers);
  place_workspace(l);
  return l;
}

}  // namespace heddle::models
