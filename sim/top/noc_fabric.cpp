// SPDX-License-Identifier: Apache-2.0
#include "sim/top/noc_fabric.hpp"

#include <algorithm>
#include <bit>

namespace heddle::top {
namespace {

std::int64_t packet_size(const dma::PacketRun& run) { return (run.bytes + run.packets - 1) / run.packets; }

}  // namespace

NocFabric::NocFabric(sc_core::sc_module_name name, const config::ChipSpec& chip, int memory_ports)
    : sc_module(name),
      engines("engines"),
      memory("memory"),
      model_(noc::make_noc_model(chip.noc, static_cast<int>(chip.cores), memory_ports, TimeFs(chip.period_fs()))),
      ports_(memory_ports),
      interleave_(std::max<std::int64_t>(chip.core.dma.packet_bytes, 4096)),
      hash_(chip.memory.hash),
      period_(chip.period_fs()),
      width_(chip.noc.width_bytes),
      header_(chip.noc.header_bytes),
      remote_latency_(TimeFs(chip.period_fs()) * chip.core.scratchpad.latency_cycles) {
  engines.register_nb_transport_fw(this, &NocFabric::forward);
  memory.register_nb_transport_bw(this, &NocFabric::backward);
  const auto ports = static_cast<std::uint64_t>(ports_), interleave = static_cast<std::uint64_t>(interleave_);
  if (std::has_single_bit(ports) && std::has_single_bit(interleave)) {
    port_bits_ = std::countr_zero(ports);
    interleave_bits_ = std::countr_zero(interleave);
  }
  shortest_ = model_->idle_latency(model_->core(0), model_->memory(0), 0);
  for (int c = 0; c < model_->cores(); ++c)
    for (int p = 0; p < ports_; ++p)
      shortest_ = std::min(shortest_, model_->idle_latency(model_->core(c), model_->memory(p), 0));
}

TimeFs NocFabric::post_latency(std::uint32_t from_core, std::uint32_t to_core) const {
  return model_->idle_latency(model_->core(static_cast<int>(from_core)), model_->core(static_cast<int>(to_core)), 0);
}

noc::NodeId NocFabric::port_of(std::uint64_t address) const {
  const auto ports = static_cast<std::uint64_t>(ports_);
  if (port_bits_ >= 0) {  // the same without a division
    const std::uint64_t all = address >> interleave_bits_;
    std::uint64_t sum = all & (ports - 1);
    if (hash_ && ports > 1)
      for (std::uint64_t above = all >> port_bits_; above != 0; above >>= port_bits_) sum += above & (ports - 1);
    return model_->memory(static_cast<int>(sum & (ports - 1)));
  }
  const std::uint64_t piece = address / static_cast<std::uint64_t>(interleave_);
  std::uint64_t port = piece % ports;
  if (hash_ && ports > 1)
    for (std::uint64_t above = piece / ports; above != 0; above /= ports) port += above % ports;
  return model_->memory(static_cast<int>(port % ports));
}

noc::RunArrival NocFabric::carry(noc::NodeId from, noc::NodeId to, const dma::PacketRun& run, std::int64_t packet_bytes,
                                 TimeFs pace) {
  const std::int64_t n = run.packets;
  return model_->deliver_run(from, to, packet_bytes, n, run.time - pace * (n - 1), pace);
}

TimeFs NocFabric::answer(noc::NodeId from, noc::NodeId to, const dma::PacketRun& run) {
  const std::int64_t bytes = packet_size(run);
  const TimeFs pace = period_ * std::max<std::int64_t>(1, (bytes + header_ + width_ - 1) / width_);
  return carry(from, to, run, bytes, pace).at(run.packets - 1);
}

tlm::tlm_sync_enum NocFabric::forward(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
  dma::PacketBatch* batch = nullptr;
  payload.get_extension(batch);
  batch->route = id;
  if (batch->to_core) {
    through_core(*batch);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  const noc::NodeId from = model_->core(static_cast<int>(batch->core));
  batch->arrived = batch->served = TimeFs{};
  for (dma::PacketRun& run : batch->runs) {
    const noc::NodeId to = port_of(run.address);
    // What is written is there with its last packet; a read may begin with its first.
    run.time = batch->write ? carry(from, to, run, packet_size(run), batch->pace).at(run.packets - 1)
                            : carry(from, to, run, 0, batch->pace).at(0);
    batch->arrived = std::max(batch->arrived, run.time);
  }
  return memory->nb_transport_fw(payload, phase, delay);
}

void NocFabric::through_core(dma::PacketBatch& batch) {
  const noc::NodeId here = model_->core(static_cast<int>(batch.core));
  const noc::NodeId there = model_->core(static_cast<int>(batch.target_core));
  batch.done = batch.arrived = batch.served = TimeFs{};
  for (dma::PacketRun& run : batch.runs) {
    const std::int64_t size = packet_size(run);
    run.time = carry(here, there, run, batch.write ? size : 0, batch.pace).at(run.packets - 1) + remote_latency_;
    if (!batch.write) run.time = answer(there, here, run);
    batch.done = std::max(batch.done, run.time);
  }
  if (batch.write) batch.done = model_->deliver(there, here, 0, batch.done);
}

tlm::tlm_sync_enum NocFabric::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  dma::PacketBatch* batch = nullptr;
  payload.get_extension(batch);
  const noc::NodeId to = model_->core(static_cast<int>(batch->core));
  batch->done = TimeFs{};
  for (const dma::PacketRun& run : batch->runs) batch->served = std::max(batch->served, run.time);
  if (batch->write) {
    const dma::PacketRun* last = &batch->runs.front();
    for (const dma::PacketRun& run : batch->runs)
      if (run.time > last->time) last = &run;
    batch->done = model_->deliver(port_of(last->address), to, 0, last->time);
  } else {
    for (const dma::PacketRun& run : batch->runs)
      batch->done = std::max(batch->done, answer(port_of(run.address), to, run));
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return engines[batch->route]->nb_transport_bw(payload, phase, delay);
}

}  // namespace heddle::top
