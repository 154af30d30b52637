// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/model_watch.hpp"

#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"
#include "sim/app/bisect/operands.hpp"

namespace heddle::app {

void ModelWatch::opened(const config::ChipSpec& chip, const exec::MachineMemory& memory) {
  memory_ = &memory;
  core_at_.resize(memory.cores());
  log_.opened(chip, memory);
}

void ModelWatch::begin_launch(const isa::ProgramImage* image) {
  finish();
  image_ = image;
  decode_ = image->name.ends_with("decode");
  ++launch_;
  have_arguments_ = false;
  current_ = -1;
  issued_.clear();
  std::fill(core_at_.begin(), core_at_.end(), 0);
  log_.begin_launch(image);
}

// They lie in SMEM when the first instruction is issued.
void ModelWatch::read_arguments() {
  have_arguments_ = true;
  const std::uint8_t* smem = memory_->region(isa::Space::smem, 0, 0).data;
  std::memcpy(arguments_.data(), smem, sizeof(arguments_));
  ops_layer_ = -1;
  place(0);
  find_kernels(*image_);
}

// The kernels of the program in order, each with the operation that it is (a part of).
void ModelWatch::find_kernels(const isa::ProgramImage& image) {
  std::vector<const isa::Scope*> kernels;
  std::uint32_t end = 0;
  for (const isa::Scope& s : image.scopes) {
    if (s.name == "layer" || s.name == "head" || s.begin < end) continue;
    kernels.push_back(&s);
    end = s.end;
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const isa::Scope* a, const isa::Scope* b) { return a->begin < b->begin; });
  kind_of_.assign(image.code.size(), -1);
  kernel_of_.clear();
  std::size_t at = 0;
  for (const std::vector<ModelOp>* ops : {&ops_.before, &ops_.layer, &ops_.after})
    for (const ModelOp& op : *ops) {
      for (int part = 0; part < op.kernels; ++part, ++at) {
        if (at == kernels.size()) break;
        std::fill(kind_of_.begin() + kernels[at]->begin, kind_of_.begin() + kernels[at]->end,
                  static_cast<std::int64_t>(kernel_of_.size()));
      }
      kernel_of_.push_back(at == 0 ? "" : kernels[std::min(at, kernels.size()) - 1]->name);
    }
  if (at != kernels.size())
    fail(ErrorKind::internal, "HDL-INT-01", "{} has {} kernels, a step of its model has {}", image.name, kernels.size(),
         at);
}

std::int64_t ModelWatch::count() const {
  return static_cast<std::int64_t>(ops_.before.size() + ops_.after.size() +
                                   ops_.layer.size() * static_cast<std::size_t>(layout_->config.layers));
}

ModelWatch::Place ModelWatch::place(std::int64_t number) {
  const std::int64_t layers = layout_->config.layers;
  const auto of_layer = [&](std::int64_t n) {
    if (n == ops_layer_) return;
    ops_ = ops_of_step(*layout_, memory_->region(isa::Space::hbm, 0, 0).data, arguments_, decode_, n, tolerance_);
    ops_layer_ = n;
  };
  if (ops_layer_ < 0) of_layer(0);
  const auto before = static_cast<std::int64_t>(ops_.before.size()),
             each = static_cast<std::int64_t>(ops_.layer.size());
  if (number < before) return {-1, &ops_.before[static_cast<std::size_t>(number)]};
  if (number >= before + layers * each)
    return {-1, &ops_.after[static_cast<std::size_t>(number - before - layers * each)]};
  const std::int64_t layer = (number - before) / each;
  of_layer(layer);
  return {layer, &ops_.layer[static_cast<std::size_t>((number - before) % each)]};
}

// The first operation of this kind that is not before `from`.
std::int64_t ModelWatch::next(std::int64_t from, std::int64_t kind) const {
  const auto before = static_cast<std::int64_t>(ops_.before.size()),
             each = static_cast<std::int64_t>(ops_.layer.size());
  if (kind < before) return kind;
  if (kind >= before + each) return kind + (layout_->config.layers - 1) * each;
  const std::int64_t turns = from <= kind ? 0 : (from - kind + each - 1) / each;
  return kind + turns * each;
}

void ModelWatch::issue(const exec::EngineOp& op) {
  if (!have_arguments_) read_arguments();
  std::int64_t& at = core_at_[op.core];
  if (const std::int64_t kind = kind_of_[op.pc]; kind >= 0) at = std::max(at, next(at, kind));
  issued_[std::uint64_t{op.core} << 40 | op.sequence] = at;
}

void ModelWatch::start(const exec::EngineOp& op, std::int64_t cycle) {
  const auto at = issued_.find(std::uint64_t{op.core} << 40 | op.sequence);
  std::int64_t number = current_;
  if (at != issued_.end()) {
    number = at->second;
    issued_.erase(at);
  }
  // Operations that nothing was done for are held against their mathematics too.
  while (current_ < number) {
    close();
    begin(current_ + 1);
  }
  log_.start(op, cycle);
}

void ModelWatch::begin(std::int64_t number) {
  current_ = number;
  log_.forget();
  expected_ = place(number).op->expected();
  ++operations_;
}

void ModelWatch::close() {
  if (current_ < 0 || found_) return;
  std::optional<Divergence> d = find_divergence(log_, expected_);
  expected_.clear();
  if (!d) return;
  const Place p = place(current_);
  ModelDivergence m;
  m.launch = launch_;
  m.program = image_->name;
  m.position = static_cast<std::int64_t>(arguments_[models::StepArguments::position]);
  m.tokens = static_cast<std::int64_t>(arguments_[models::StepArguments::tokens]);
  m.layer = p.layer;
  m.operation = p.op->name;
  const auto before = static_cast<std::int64_t>(ops_.before.size()),
             each = static_cast<std::int64_t>(ops_.layer.size());
  const std::int64_t kind = p.layer >= 0        ? before + (current_ - before) % each
                            : current_ < before ? current_
                                                : current_ - (layout_->config.layers - 1) * each;
  m.kernel = kernel_of_[static_cast<std::size_t>(kind)];
  m.number = current_ + 1;
  m.of = count();
  if (d->by) m.slice = log_.slice({d->by->id});
  m.tensors = tensors_of_step(*layout_, arguments_, p.layer);
  m.divergence = std::move(*d);
  found_ = std::move(m);
  fail(ErrorKind::program, enough_id, "the first divergence is found");
}

void ModelWatch::finish() {
  if (image_ == nullptr || !have_arguments_ || found_) return;
  while (current_ + 1 < count()) {
    close();
    begin(current_ + 1);
  }
  close();
  current_ = -1;
  have_arguments_ = false;
}

}  // namespace heddle::app
