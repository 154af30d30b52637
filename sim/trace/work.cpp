// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/work.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::trace {
namespace {

double per_second(const config::Ratio& rate, double units, std::int64_t period_fs) {
  return units * static_cast<double>(rate.num) / static_cast<double>(rate.den) /
         (static_cast<double>(period_fs) * 1e-15);
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  for (std::size_t t = 0; t < macs.size(); ++t) macs[t] += other.macs[t];
  vpu_elements += other.vpu_elements;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  return *this;
}

std::uint64_t Work::all_macs() const { return std::accumulate(macs.begin(), macs.end(), std::uint64_t{0}); }

std::uint64_t vpu_elements(const exec::EngineOp& op) {
  switch (isa::info(op.op).timing) {
    case isa::TimingClass::engine_sync:
      return 0;
    case isa::TimingClass::vpu_reduce:
    case isa::TimingClass::vpu_topk:
      return static_cast<std::uint64_t>(op.va.elements());
    default:
      return static_cast<std::uint64_t>(op.vd.elements());
  }
}

void WorkCounts::opened(const config::ChipSpec& chip, const std::vector<noc::LinkStats>&, const memory::MemoryStats&) {
  const config::MxuSpec& mxu = chip.core.mxu;
  const auto arrays = static_cast<double>(chip.cores * mxu.count * mxu.rows * mxu.cols);
  for (std::size_t t = 0; t < rates_.macs.size(); ++t)
    rates_.macs[t] = per_second(mxu.rate_of(static_cast<DType>(t)), arrays, chip.period_fs(mxu.clock_hz));
  const config::VpuSpec& vpu = chip.core.vpu;
  const auto width = static_cast<double>(chip.cores * vpu.count * vpu.lanes * vpu.sublanes);
  for (const config::Ratio& rate : {vpu.simple, vpu.divide, vpu.transcendental, vpu.reduce})
    rates_.vpu_elements = std::max(rates_.vpu_elements, per_second(rate, width, chip.period_fs(vpu.clock_hz)));
}

void WorkCounts::launch_began(std::uint32_t program, std::string_view entry, TimeFs, TimeFs) {
  counting_ = entry_.empty() || entry == entry_;
  if (!counting_) return;
  ++launches_;
  program_ = program;
  spans_.begin_launch(program, programs_[program]);
}

void WorkCounts::launch_ended(TimeFs) {
  if (counting_) spans_.end_launch();
  counting_ = false;
}

void WorkCounts::issued(Agent agent, const exec::EngineOp& op, TimeFs) {
  if (counting_) spans_.issued(agent, op.pc);
}

void WorkCounts::ran(const Record& r) {
  if (!counting_) return;
  spans_.ran(r.agent, r.start, r.course.end);
  if (r.op.op == isa::Opcode::mxu_matmul)
    own_of(r.op.pc).macs[static_cast<std::size_t>(r.op.va.dtype)] +=
        static_cast<std::uint64_t>(r.op.va.elements()) * r.op.vd.size[1];
  else if (r.op.unit == isa::Unit::vpu)
    own_of(r.op.pc).vpu_elements += vpu_elements(r.op);
}

void WorkCounts::memory_asked(Agent, const exec::EngineOp& op, bool write, std::int64_t bytes) {
  if (!counting_) return;
  Work& work = own_of(op.pc);
  (write ? work.bytes_written : work.bytes_read) += static_cast<std::uint64_t>(bytes);
}

}  // namespace heddle::trace
