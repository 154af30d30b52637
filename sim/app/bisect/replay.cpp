// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/replay.hpp"

#include <array>
#include <map>
#include <memory>

#include "isa/base/error.hpp"

namespace heddle::app {
namespace {

// Doubles at the places of the machine's elements.
class WideMemory {
 public:
  // The double that was last written there as this type, if nothing was written over part of it.
  const double* find(std::size_t memory, std::uint64_t half, DType dtype) {
    Page& p = page(memory, half);
    const std::size_t i = half % page_size;
    return p.type[i] == static_cast<std::uint8_t>(dtype) + 1 ? &p.value[i] : nullptr;
  }
  void write(std::size_t memory, std::uint64_t half, DType dtype, double value) {
    const auto width = static_cast<std::uint64_t>(bits(dtype) / 4);
    Page& p = page(memory, half);
    const std::size_t i = half % page_size;
    std::fill_n(p.type.begin() + static_cast<std::ptrdiff_t>(i), std::min<std::uint64_t>(width, page_size - i), 0);
    p.value[i] = value;
    p.type[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(dtype) + 1);
  }

 private:
  static constexpr std::size_t page_size = 1024;  // half bytes; elements are aligned to their size
  struct Page {
    std::array<double, page_size> value;
    std::array<std::uint8_t, page_size> type{};  // 0: none
  };
  Page& page(std::size_t memory, std::uint64_t half) {
    const auto key = std::pair(memory, half / page_size);
    if (last_ == nullptr || key != last_key_) {
      std::unique_ptr<Page>& p = pages_[key];
      if (p == nullptr) p = std::make_unique<Page>();
      last_ = p.get();
      last_key_ = key;
    }
    return *last_;
  }
  std::map<std::pair<std::size_t, std::uint64_t>, std::unique_ptr<Page>> pages_;
  std::pair<std::size_t, std::uint64_t> last_key_;
  Page* last_ = nullptr;
};

}  // namespace

void Replay::opened(const config::ChipSpec&, const exec::MachineMemory& memory) { memory_ = &memory; }

void Replay::begin_launch(const isa::ProgramImage* image) {
  finish();
  image_ = image;
}

void Replay::finish() {
  if (!open_) return;
  open_ = false;
  for (Captured& r : steps_.back().results) r.device = values_of(r.elements, *memory_);
}

void Replay::start(const exec::EngineOp& op, std::int64_t) {
  if (!moves_data(op)) return;
  finish();
  if (stop_ && at_ == wanted_.size()) fail(ErrorKind::program, enough_id, "all steps have been seen");
  const StepId id = next_++;
  if (at_ == wanted_.size() || wanted_[at_] != id) return;
  ++at_;
  for (const isa::View* v : sources_of(op)) elements_ += v->elements();
  for (const isa::View* v : results_of(op)) elements_ += v->elements();
  if (!complete()) return steps_.clear();
  Step step{id, op, {}, {}};
  for (const isa::View* v : sources_of(op)) {
    step.sources.push_back({elements_of(op, *v, *memory_), {}});
    step.sources.back().device = values_of(step.sources.back().elements, *memory_);
  }
  for (const isa::View* v : results_of(op)) step.results.push_back({elements_of(op, *v, *memory_), {}});
  steps_.push_back(std::move(step));
  open_ = true;
}

void Replay::run(const Told& told) const {
  WideMemory wide;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ExactTile> tiles;  // by core and array
  for (const Step& step : steps_) {
    std::vector<Exact> sources, results;
    for (const Captured& s : step.sources) {
      Exact x{s.elements.size, s.device};
      const std::size_t memory = memory_number(s.elements.place);
      for (std::size_t i = 0; i < x.values.size(); ++i)
        if (const double* v = wide.find(memory, s.elements.half[i], s.elements.dtype)) x.values[i] = *v;
      sources.push_back(std::move(x));
    }
    for (const Captured& r : step.results)
      results.push_back({r.elements.size, std::vector<double>(r.elements.half.size())});
    exact(step.op, sources, tiles[{step.op.core, step.op.engine}], results);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const Elements& to = step.results[r].elements;
      for (std::size_t i = 0; i < to.half.size(); ++i)
        wide.write(memory_number(to.place), to.half[i], to.dtype, results[r].values[i]);
    }
    told(step, results);
  }
}

}  // namespace heddle::app
