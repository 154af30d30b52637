// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/missing.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace heddle::app {
namespace {

// Of a reference that runs some hundred times: a second or two.
constexpr double most_macs = 2e7, most_bytes = 4e6;

using Indices = std::vector<std::int64_t>;

Indices unread(const PlacedTensor& t, const Replay& replay) {
  std::vector<bool> read(static_cast<std::size_t>(t.elements()));
  const std::uint64_t begin = t.half(0), end = t.half(t.elements());
  const auto halves = static_cast<std::uint64_t>(bits(t.dtype) / 4);
  for (const Replay::Step& step : replay.steps())
    for (const Replay::Captured& s : step.sources) {
      if (s.elements.place.space != isa::Space::hbm) continue;
      for (const std::uint64_t half : s.elements.half)
        if (half >= begin && half < end) read[(half - begin) / halves] = true;
    }
  Indices out;
  for (std::size_t i = 0; i < read.size(); ++i)
    if (!read[i]) out.push_back(static_cast<std::int64_t>(i));
  return out;
}

class Reference {
 public:
  Reference(const kernels::KernelDef& kernel, const kernels::Shape& shape,
            const std::vector<kernels::HostTensor>& tensors, std::size_t output, std::int64_t element)
      : kernel_(kernel), shape_(shape), tensors_(tensors), output_(output), element_(element) {
    plain_ = run(tensors);
  }
  // Whether the element changes when these elements of an input do.
  bool needs(std::size_t input, std::span<const std::int64_t> elements) const {
    // By a little, which a softmax feels, and by much, which a sum that is rounded feels.
    for (const double factor : {3.0, 300.0}) {
      std::vector<kernels::HostTensor> changed = tensors_;
      for (const std::int64_t i : elements) changed[input].set(i, factor * (0.7 - changed[input].get(i)));
      const double other = run(changed);
      if (other != plain_ && !(std::isnan(other) && std::isnan(plain_))) return true;
    }
    return false;
  }

 private:
  double run(std::vector<kernels::HostTensor> tensors) const {
    kernel_.reference(shape_, tensors);
    return tensors[output_].get(element_);
  }
  const kernels::KernelDef& kernel_;
  const kernels::Shape& shape_;
  const std::vector<kernels::HostTensor>& tensors_;
  std::size_t output_;
  std::int64_t element_;
  double plain_ = 0;
};

Indices index_of(const PlacedTensor& t, std::int64_t element) {
  Indices out(t.dims.size());
  for (std::size_t d = out.size(); d-- > 0; element /= t.dims[d]) out[d] = element % t.dims[d];
  return out;
}

Box box_between(const PlacedTensor& t, std::int64_t first, std::int64_t last) {
  const Indices a = index_of(t, first), b = index_of(t, last);
  Box box{t.name, {}};
  bool outer_same = true;
  for (std::size_t d = 0; d < a.size(); ++d) {
    box.ranges.emplace_back(outer_same || a[d] == b[d] ? std::pair(a[d], b[d])
                                                       : std::pair(std::int64_t{0}, t.dims[d] - 1));
    outer_same = outer_same && a[d] == b[d];
  }
  return box;
}

}  // namespace

std::vector<Box> missing_inputs(const kernels::KernelDef& kernel, const kernels::Shape& shape, DType dtype,
                                const std::vector<kernels::HostTensor>& tensors,
                                const std::vector<PlacedTensor>& placed, const Divergence& d, const Replay& replay) {
  const kernels::Work work = kernel.work(shape, dtype);
  if (!replay.complete() || work.macs > most_macs || work.hbm_bytes > most_bytes) return {};
  const auto output = static_cast<std::size_t>(
      std::find_if(placed.begin(), placed.end(), [&](const PlacedTensor& t) { return t.name == d.tensor.name; }) -
      placed.begin());
  const Reference reference(kernel, shape, tensors, output, d.element);
  std::vector<Box> out;
  for (std::size_t t = 0; t < placed.size(); ++t) {
    const kernels::Role role = tensors[t].spec().role;
    if (role != kernels::Role::input || placed[t].dtype == DType::int32) continue;
    const Indices candidates = unread(placed[t], replay);
    const std::span all(candidates);
    if (all.empty() || !reference.needs(t, all)) continue;
    // The shortest part from the left that matters ends with the first needed element; from the right, with the last.
    const auto shortest = [&](auto&& part) {
      std::size_t no = 0, yes = all.size();
      while (no + 1 < yes) {
        const std::size_t middle = (no + yes) / 2;
        (reference.needs(t, part(middle)) ? yes : no) = middle;
      }
      return yes;
    };
    const std::size_t left = shortest([&](std::size_t n) { return all.first(n); });
    const std::size_t right = shortest([&](std::size_t n) { return all.last(n); });
    out.push_back(box_between(placed[t], all[left - 1], all[all.size() - right]));
  }
  return out;
}

}  // namespace heddle::app
