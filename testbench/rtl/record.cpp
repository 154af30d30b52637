// SPDX-License-Identifier: Apache-2.0
#include "testbench/rtl/record.hpp"

#include <fmt/format.h>

#include <cstring>

#include "sim/compute/mxu_timing.hpp"
#include "sim/exec/operand.hpp"
#include "sim/exec/validate.hpp"

namespace heddle::testing {
namespace {

std::string name_of(const exec::EngineOp& op) {
  if (op.op == isa::Opcode::mxu_load)
    return fmt::format("load {} [{}, {}]{}", name(op.va.dtype), op.va.size[0], op.va.size[1],
                       op.transposed ? " transposed" : "");
  return fmt::format("matmul {} [{}, {}] x [.., {}]{}", name(op.va.dtype), op.va.size[0], op.va.size[1], op.vd.size[1],
                     op.accumulate ? " accumulate" : "");
}

}  // namespace

void ModelRecorder::ran(const exec::EngineOp& op, TimeFs start, TimeFs fed, TimeFs end) {
  const config::ChipSpec& chip = device_->chip();
  const config::MxuSpec& mxu = chip.core.mxu;
  const TimeFs period(chip.period_fs());
  Course c{name_of(op), start / period, fed / period, end / period, {}, {}, {}};
  if (op.op == isa::Opcode::mxu_matmul && !exec::is_empty(op)) {
    const std::int64_t m = op.va.size[0];
    const std::int64_t k = op.va.size[1];
    const std::int64_t latency = chip.core.scratchpad.latency_cycles;
    if (mxu.dataflow == config::Dataflow::weight_stationary) {
      for (std::int64_t i = 0; i < m; ++i) {
        c.rows_in.push_back(c.start + latency + ((i + 1) * (c.fed - c.start) + m - 1) / m - 1);
        c.rows_out.push_back(c.rows_in.back() + compute::mxu_drain_cycles(mxu));
      }
    } else {
      // Step s of all folds comes when its share of the steps' cycles is over; a fold's rows leave as it drains.
      const std::int64_t drain = compute::mxu_drain_cycles(mxu);
      const std::int64_t folds = (m + mxu.rows - 1) / mxu.rows;
      const std::int64_t cycles = c.end - latency - c.start - folds * drain;
      for (std::int64_t s = 0; s < folds * k; ++s)
        c.rows_in.push_back(c.start + latency + s / k * drain + ((s + 1) * cycles + folds * k - 1) / (folds * k) - 1);
      for (std::int64_t i = 0; i < m; ++i)
        c.rows_out.push_back(c.rows_in[static_cast<std::size_t>((i / mxu.rows + 1) * k - 1)] + mxu.rows + mxu.cols - 1 +
                             i % mxu.rows);
    }
    const exec::Operand to(op.vd, op, device_->memory());
    for (std::int64_t i = 0; i < m; ++i) {
      c.bits.emplace_back(to.size[3]);
      for (std::uint32_t j = 0; j < to.size[3]; ++j)
        std::memcpy(&c.bits.back()[j], to.at(i * to.stride[2] + j * to.stride[3]), 4);
    }
  }
  courses[op.sequence] = std::move(c);
}

void RtlRecorder::ran(const exec::EngineOp& op, TimeFs start, TimeFs fed, TimeFs end) {
  Course& c = courses[op.sequence];
  c.what = name_of(op);
  c.start = cycle(start);
  c.fed = cycle(fed);
  c.end = cycle(end);
}

void RtlRecorder::entered(const exec::EngineOp& op, std::uint32_t, TimeFs at) {
  courses[op.sequence].rows_in.push_back(cycle(at));
}

void RtlRecorder::left(const exec::EngineOp& op, std::uint32_t, TimeFs at, std::span<const std::uint32_t> bits) {
  courses[op.sequence].rows_out.push_back(cycle(at));
  courses[op.sequence].bits.emplace_back(bits.begin(), bits.end());
}

std::string difference(const Courses& model, const Courses& rtl) {
  if (model.size() != rtl.size())
    return fmt::format("{} instructions in the model, {} in RTL", model.size(), rtl.size());
  for (auto m = model.begin(), r = rtl.begin(); m != model.end(); ++m, ++r) {
    const auto say = [&](const std::string& event, std::int64_t a, std::int64_t b) {
      return fmt::format("instruction {} ({}; in RTL instruction {}, {}): {}: model {}, RTL {}", m->first,
                         m->second.what, r->first, r->second.what, event, a, b);
    };
    const Course& a = m->second;
    const Course& b = r->second;
    if (m->first != r->first || a.what != b.what) return say("another instruction", 0, 0);
    if (a.start != b.start) return say("starts in cycle", a.start, b.start);
    if (a.rows_in.size() != b.rows_in.size())
      return say("rows that enter", static_cast<std::int64_t>(a.rows_in.size()),
                 static_cast<std::int64_t>(b.rows_in.size()));
    for (std::size_t i = 0; i < a.rows_in.size(); ++i)
      if (a.rows_in[i] != b.rows_in[i])
        return say(fmt::format("row {} enters in cycle", i), a.rows_in[i], b.rows_in[i]);
    if (a.fed != b.fed) return say("weights ready, or stream free, in cycle", a.fed, b.fed);
    if (a.rows_out.size() != b.rows_out.size())
      return say("rows that leave", static_cast<std::int64_t>(a.rows_out.size()),
                 static_cast<std::int64_t>(b.rows_out.size()));
    for (std::size_t i = 0; i < a.rows_out.size(); ++i) {
      if (a.rows_out[i] != b.rows_out[i])
        return say(fmt::format("row {} leaves in cycle", i), a.rows_out[i], b.rows_out[i]);
      for (std::size_t j = 0; j < a.bits[i].size(); ++j)
        if (a.bits[i][j] != b.bits[i][j]) return say(fmt::format("bits of [{}, {}]", i, j), a.bits[i][j], b.bits[i][j]);
    }
    if (a.end != b.end) return say("is complete in cycle", a.end, b.end);
  }
  return {};
}

}  // namespace heddle::testing
