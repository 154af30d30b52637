// SPDX-License-Identifier: Apache-2.0
// pipeline(): loads ahead, waits, body, stores.
#include "sdk/arch/state.hpp"
#include "sdk/pipeline/kernel_builder.hpp"

namespace heddle::sdk {
namespace {

bool varies(const Recorder& k, const Tensor& t, const Scalar& step) {
  bool v = k.depends_on(t.address(), step);
  for (int d = 0; d < t.rank(); ++d) v = v || k.depends_on(t.size(d), step) || k.depends_on(t.stride(d), step);
  return v;
}

// The sizes for which an input's slots are laid out.
Shape capacity_shape(const Tensor& t) {
  Shape s;
  for (int d = 0; d < t.rank(); ++d) s.append(t.extent(d).capacity);
  return s;
}

}  // namespace

void KernelBuilder::record_pipeline(Plan plan, int slots, const Body& body) {
  at(plan.loc);
  for (const In& input : plan.inputs) {
    if (!input.count) continue;
    if (!plan.count || (!plan.count->is_constant() && input.count->is_constant())) {
      plan.count = input.count;
    } else if (plan.count->is_constant() && input.count->is_constant() &&
               plan.count->constant() != input.count->constant()) {
      error("HDL-SDK-22",
            fmt::format("inputs of {} and {} blocks in one pipeline", plan.count->constant(), input.count->constant()));
    }
  }
  if (!plan.count) error("HDL-SDK-22", "a pipeline needs its number of steps: give it first, or an input in blocks");
  const Scalar n = *plan.count;
  if (n.is_constant() && n.constant() <= 0) return;

  struct Input {
    const In* in;
    Pipe<Space::spm> pipe;
    bool varies;
    std::vector<DmaEngine> engines;
    void load(const Scalar& i) {
      if (engines.size() == 1)
        pipe.load(in->tile(i), in->loc);
      else
        pipe.load(in->tile(i), engines, in->loc);
    }
  };
  std::vector<Input> inputs;
  for (const In& input : plan.inputs) {
    begin_discarded();
    const Scalar step = placeholder();
    const Tensor sample = input.tile(step);
    const bool moves = varies(*this, sample, step);
    end_discarded();
    if (input.engines < 1 || input.engines > target().dma_engines)
      error("HDL-SDK-18",
            fmt::format("an input split over {} engines: a core has {}", input.engines, target().dma_engines));
    inputs.push_back(
        {&input, pipe(capacity_shape(sample), sample.dtype(), moves ? slots : 1, {}, input.loc), moves, {}});
    inputs.back().engines.push_back(inputs.back().pipe.dma());
    while (static_cast<int>(inputs.back().engines.size()) < input.engines)
      inputs.back().engines.push_back({pick_dma(false, {}, input.loc)});
  }

  const auto load_step = [&](const Scalar& i) {
    for (Input& input : inputs)
      if (input.varies) input.load(i);
  };
  const auto guarded = [&](const Cond& condition, const Scalar& i) {
    if_(
        condition, [&] { load_step(i); }, plan.loc);
  };

  // An input that every step uses as it is: loaded before the first, given back after the last.
  std::vector<std::pair<std::size_t, Slot<Space::spm>>> fixed;
  for (std::size_t x = 0; x < inputs.size(); ++x)
    if (!inputs[x].varies) inputs[x].load(0);
  const int ahead = slots - 1;
  for (int j = 0; j < ahead; ++j) guarded(Scalar(j) < n, j);
  for (std::size_t x = 0; x < inputs.size(); ++x)
    if (!inputs[x].varies) fixed.emplace_back(x, inputs[x].pipe.wait(inputs[x].in->tile(0).shape(), inputs[x].in->loc));

  loop(
      n,
      [&](Scalar i) {
        if (ahead == 0)
          load_step(i);
        else if (!n.is_constant() || n.constant() > ahead)
          guarded(i < n - ahead, i + ahead);
        std::vector<Slot<Space::spm>> taken;
        taken.reserve(inputs.size());
        std::vector<Spm> tiles(inputs.size());
        for (auto& [x, slot] : fixed) tiles[x] = slot;
        for (std::size_t x = 0; x < inputs.size(); ++x) {
          if (!inputs[x].varies) continue;
          taken.push_back(inputs[x].pipe.wait(inputs[x].in->tile(i).shape(), inputs[x].in->loc));
          tiles[x] = taken.back();
        }
        std::vector<std::pair<Tensor, Spm>> results;
        for (const Out& o : plan.outputs) {
          const Tensor to = o.tile(i);
          results.emplace_back(to, spm(to.shape(), o.dtype.value_or(to.dtype()), Depth{slots < 2 ? 1 : 2}, o.loc));
          tiles.push_back(results.back().second);
        }
        body(tiles, Step(i, n));
        taken.clear();
        for (std::size_t o = 0; o < results.size(); ++o)
          store(results[o].first, results[o].second, {}, plan.outputs[o].loc);
      },
      plan.loc);
}

}  // namespace heddle::sdk
