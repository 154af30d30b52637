// SPDX-License-Identifier: Apache-2.0
#include "sim/app/bisect/divergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/asm/disassembler.hpp"
#include "isa/codec/codec.hpp"
#include "sim/app/report.hpp"

namespace heddle::app {
namespace {

constexpr exec::Place hbm{isa::Space::hbm, 0, 0};

}  // namespace

double relative_error(double got, double want, double scale) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double error =
      std::fabs(got - want) / std::fmax(std::fmax(std::fabs(want), scale), std::numeric_limits<double>::min());
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double scale_of(const std::vector<double>& values) {
  double squares = 0;
  std::size_t finite = 0;
  for (const double v : values)
    if (std::isfinite(v)) squares += v * v, ++finite;
  return finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
}

std::int64_t PlacedTensor::elements() const {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

std::string PlacedTensor::element_text(std::int64_t element) const {
  std::string out;
  for (std::size_t d = dims.size(); d-- > 0;) {
    out = fmt::format("{}{}{}", element % dims[d], out.empty() ? "" : ", ", out);
    element /= dims[d];
  }
  return name + "[" + out + "]";
}

std::string Box::text() const {
  std::string out;
  for (const auto& [first, last] : ranges) {
    out += out.empty() ? "" : ", ";
    out += first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
  }
  return tensor + "[" + out + "]";
}

std::optional<Box> box_of(const isa::View& view, const std::vector<PlacedTensor>& tensors) {
  if (view.space != isa::Space::hbm) return std::nullopt;
  const auto at = std::find_if(tensors.begin(), tensors.end(), [&](const PlacedTensor& t) {
    return view.base >= t.address && 2 * view.base < t.half(t.elements());
  });
  if (at == tensors.end() || view.dtype != at->dtype) return std::nullopt;
  Box box{at->name, std::vector<std::pair<std::int64_t, std::int64_t>>(at->dims.size(), {INT64_MAX, INT64_MIN})};
  const auto first = static_cast<std::int64_t>(view.base - at->address) * 8 / bits(view.dtype);
  for (unsigned corner = 0; corner < 1u << view.rank; ++corner) {
    std::int64_t element = first;
    for (unsigned d = 0; d < view.rank; ++d)
      if ((corner >> d & 1) != 0) element += (static_cast<std::int64_t>(view.size[d]) - 1) * view.stride[d];
    for (std::size_t d = at->dims.size(); d-- > 0; element /= at->dims[d]) {
      const std::int64_t index = element % at->dims[d];
      box.ranges[d] = {std::min(box.ranges[d].first, index), std::max(box.ranges[d].second, index)};
    }
  }
  return box;
}

std::string Site::text() const {
  std::string out = instruction;
  if (!place.empty()) out += "   " + place;
  out += fmt::format("   core {}, {}", core, engine);
  if (cycle >= 0) out += fmt::format(", cycle {}", grouped(static_cast<std::uint64_t>(cycle)));
  return out;
}

Site site_of(const RunLog& log, StepId id) {
  const RunLog::Step& step = log.step(id);
  const isa::ProgramImage& image = log.image_of(id);
  Site s{id, step.op.core, step.op.pc, step.cycle, {}, {}, {}};
  const char* unit = step.op.unit == isa::Unit::dma ? "dma" : step.op.unit == isa::Unit::mxu ? "mxu" : "vpu";
  s.engine = fmt::format("{}{}", unit, step.op.engine);
  s.instruction = isa::format_instruction(isa::decode(image.code[step.op.pc]), &image);
  const isa::SourceLine line = isa::source_of(image, step.op.pc);
  s.place = line.file.empty() ? fmt::format("instruction {}", step.op.pc) : fmt::format("{}:{}", line.file, line.line);
  return s;
}

std::optional<Divergence> find_divergence(const RunLog& log, const std::vector<Expected>& expected) {
  const std::uint8_t* data = log.memory().region(isa::Space::hbm, 0, 0).data;
  Divergence d;
  const Expected* at = nullptr;
  StepId first = 0;
  for (const Expected& e : expected) {
    const double scale = scale_of(e.want);
    for (std::int64_t i = 0; i < e.tensor.elements(); ++i) {
      const std::uint64_t half = e.tensor.half(i);
      const double got = value_at(data, e.tensor.dtype, half), want = e.want[static_cast<std::size_t>(i)];
      const double error = relative_error(got, want, scale);
      if (error <= e.tolerance) continue;
      ++d.wrong;
      StepId by = log.writer(hbm, half / 2);
      if (!log.knows(by)) by = 0, ++d.unwritten;
      // A store comes before nobody.
      if (at != nullptr && (by == 0 || (first != 0 && by >= first))) continue;
      at = &e;
      first = by;
      d.element = i;
      d.got = got, d.want = want, d.error = error;
    }
  }
  if (at == nullptr) return std::nullopt;
  d.tensor = at->tensor;
  d.tolerance = at->tolerance;
  if (first == 0) return d;
  d.by = site_of(log, first);
  const double scale = scale_of(at->want);
  for (std::int64_t i = 0; i < at->tensor.elements(); ++i) {
    const std::uint64_t half = at->tensor.half(i);
    if (log.writer(hbm, half / 2) != first) continue;
    ++d.tile_elements;
    const double got = value_at(data, at->tensor.dtype, half);
    d.tile_wrong += relative_error(got, at->want[static_cast<std::size_t>(i)], scale) > at->tolerance ? 1 : 0;
  }
  for (const isa::View* v : results_of(log.step(first).op)) {
    const std::optional<Box> box = box_of(*v, {at->tensor});
    if (box) d.tile = box;
  }
  return d;
}

}  // namespace heddle::app
