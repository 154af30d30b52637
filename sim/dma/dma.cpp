// SPDX-License-Identifier: Apache-2.0
#include "sim/dma/dma.hpp"

#include <algorithm>
#include <cstring>

#include "isa/base/error.hpp"

namespace heddle::dma {

Dma::Dma(sc_core::sc_module_name name, compute::CoreContext& context, std::uint32_t index, compute::AgentId id)
    : Engine(name, context, isa::Unit::dma, index, id),
      socket("socket"),
      spec_(context.chip.core.dma),
      batch_packets_(static_cast<std::uint32_t>(spec_.batch > 0
                                                    ? std::min(spec_.batch, spec_.in_flight)
                                                    : std::clamp<std::int64_t>(spec_.in_flight / 4, 1, 16))) {
  socket.register_nb_transport_bw(this, &Dma::backward);
  watch_every_push();
  const std::int64_t packet_cycles = (spec_.packet_bytes + spec_.bytes_per_cycle - 1) / spec_.bytes_per_cycle;
  bytes_per_core_cycle_ = std::max<std::int64_t>(1, context.period * spec_.bytes_per_cycle / period_);
  window_ = cycles(batch_packets_ * packet_cycles);
}

Dma::~Dma() = default;

void Dma::begin_launch(TimeFs start) {
  Engine::begin_launch(start);
  taken_.clear();
  active_.clear();
  issuing_ = false;
  for (Credits& c : credits_) {
    c.queue.clear();
    c.free = 0;
  }
  credits_[0].add({start, static_cast<std::uint32_t>(spec_.in_flight)});
  if (spec_.write_in_flight > 0) credits_[1].add({start, static_cast<std::uint32_t>(spec_.write_in_flight)});
  issue_free_ = path_free_ = last_take_ = start;
  wake_ = TimeFs{};
}

bool Dma::is_far(const isa::View& v) const {
  if (v.space == isa::Space::hbm) return true;
  return v.remote && v.core != context_.core;
}

TimeFs Dma::path_time(const exec::EngineOp& op, std::int64_t bytes) const {
  const std::int64_t rate =
      op.op == isa::Opcode::dma_transpose ? spec_.transpose_bytes_per_cycle : spec_.bytes_per_cycle;
  return cycles((bytes + rate - 1) / rate);
}

// Towards far memory, to the fraction of a cycle where the rate is one.
TimeFs Dma::write_path_time(const exec::EngineOp& op, std::int64_t bytes) const {
  const config::Ratio& rate = spec_.write_bytes_per_cycle;
  if (rate.num == 0 || op.op == isa::Opcode::dma_transpose) return path_time(op, bytes);
  return TimeFs((period_.value() * bytes * rate.den + rate.num - 1) / rate.num);
}

TimeFs Dma::Credits::time_of(std::uint32_t want) const {
  TimeFs at{};
  std::uint32_t found = 0;
  for (std::size_t i = 0; found < want; ++i) {
    found += queue[i].packets;
    at = std::max(at, queue[i].time);
  }
  return at;
}

void Dma::Credits::take(std::uint32_t want) {
  free -= want;
  while (want > 0) {
    const std::uint32_t part = std::min(want, queue.front().packets);
    want -= part;
    queue.front().packets -= part;
    if (queue.front().packets == 0) queue.pop_front();
  }
}

void Dma::wake(TimeFs time) {
  const TimeFs now = context_.agenda.now();
  if (wake_ > now && wake_ <= time) return;
  wake_ = time;
  context_.agenda.wake_at(id(), time);
}

void Dma::run() {
  take_waits();
  while (issuing_ ? issue_batch() : begin_next()) {
  }
  finish_transfers();
}

void Dma::take_waits() {
  while (taken_.size() < queued()) {
    const Entry& e = entry(taken_.size());
    const TimeFs could = std::max(e.ready, last_take_);
    const std::optional<TimeFs> taken = context_.semaphores.take(id(), e.op.wait, could);
    if (!taken) return;
    const TimeFs at = delayed(*taken, e.op, control::Delay::start);
    stats_.waiting += *taken - could;
    tell_started(e, could + (at - *taken), at);
    last_take_ = at;
    taken_.push_back(at);
  }
}

bool Dma::begin_next() {
  if (taken_.empty()) return false;
  const exec::EngineOp& op = head().op;
  const bool moves = op.op != isa::Opcode::dma_sync && op.vd.elements() != 0 &&
                     (op.op != isa::Opcode::dma_scatter || op.va.elements() != 0);
  TimeFs first = taken_.front();
  bool behind = false;
  if (moves) {
    const bool write = is_far(op.vd) && (op.op == isa::Opcode::dma_fill || !is_far(op.va));
    const TimeFs ready = first + spec_.start + cycles(write ? spec_.write_start_cycles : 0);
    behind = issue_free_ > ready;
    first = context_.align(std::max(ready, issue_free_));
  }
  if (first > context_.agenda.now() + window_) {
    wake(first - window_);
    return false;
  }
  if (too_early(first)) return false;
  Transfer& t = new_transfer(op, first);
  if (context_.observer != nullptr) context_.observer->transfer_began(agent(), first, behind);
  context_.submit(op, first);
  taken_.pop_front();
  pop(first);
  if (!moves) return true;

  try {
    std::vector<std::int32_t> indices;
    if (t.op.op == isa::Opcode::dma_gather || t.op.op == isa::Opcode::dma_scatter) indices = read_indices(t.op);
    t.far.source = t.op.op != isa::Opcode::dma_fill && is_far(t.op.va);
    t.far.destination = is_far(t.op.vd);
    t.cursor = RunCursor(t.op, t.far, std::move(indices), spec_.merge_rows);
  } catch (const Error& e) {
    throw context_.locate(e, t.op.pc, first);
  }
  stats_.bytes += static_cast<std::uint64_t>(t.cursor.total_bytes());
  if (fills_spm(t)) context_.spm.banks().begin_transfer(t.op.vd);
  if (touches_spm(t)) context_.spm.hold(id(), bytes_per_core_cycle_, first);
  if (!t.far.source && !t.far.destination) {
    run_near(t);
    return true;
  }
  const std::int64_t packets_a_run = (t.cursor.run_bytes() + spec_.packet_bytes - 1) / spec_.packet_bytes;
  t.packets_left = static_cast<std::uint64_t>(t.cursor.runs() * packets_a_run);
  if (spec_.aligned_packet_bytes > 0) t.packets_left = t.packets_left > 0 ? 1 : 0;
  // Whole runs where several fit a batch: a run cut in two costs the memory twice.
  t.batch = batch_packets_;
  if (packets_a_run < batch_packets_) t.batch -= batch_packets_ % static_cast<std::uint32_t>(packets_a_run);
  issuing_ = true;
  return true;
}

bool Dma::touches_spm(const Transfer& t) const {
  const auto near_spm = [&](const isa::View& v) { return v.space == isa::Space::spm && !is_far(v); };
  return near_spm(t.op.vd) || (t.op.op != isa::Opcode::dma_fill && near_spm(t.op.va));
}

// From outside the core into its scratchpad.
bool Dma::fills_spm(const Transfer& t) const {
  return t.far.source && !is_far(t.op.vd) && t.op.vd.space == isa::Space::spm;
}

// All bytes through the data path, descriptors beside it, and the way out and in of a scratchpad.
void Dma::run_near(Transfer& t) {
  const TimeFs path = path_time(t.op, t.cursor.total_bytes());
  // A transpose inside a core is one descriptor: its rate says what turning rows into columns costs.
  const std::int64_t runs = t.op.op == isa::Opcode::dma_transpose ? 1 : t.cursor.runs();
  const TimeFs descriptors = cycles((runs - 1) * spec_.descriptor_cycles);
  const TimeFs begin = std::max(t.first, path_free_);
  tell_path(begin, begin + path);
  issue_free_ = path_free_ = begin + std::max(path, descriptors);
  t.done = path_free_ + context_.cycles(context_.chip.core.scratchpad.latency_cycles);
  if (context_.observer != nullptr) context_.observer->moved_near(agent(), begin, path_free_, t.done);
}

std::vector<std::int32_t> Dma::read_indices(const exec::EngineOp& op) const {
  // In queue order all that writes the list has been submitted; this instruction reads it, nothing later changes it
  // before it completes.
  context_.values.sync();
  const bool gather = op.op == isa::Opcode::dma_gather;
  const std::uint32_t count = op.vb.size[0];
  const std::int64_t rows = gather ? op.va.size[0] : op.vd.size[0];
  const std::uint8_t* bytes = context_.memory.data(op.vb.space, 0, context_.core) + op.vb.base;
  std::vector<std::int32_t> out(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::memcpy(&out[i], bytes + static_cast<std::int64_t>(i) * op.vb.stride[0] * 4, 4);
    if (out[i] < 0 || out[i] >= rows)
      fail(ErrorKind::program, "HDL-EXEC-06", "index {} is {}, outside 0 .. {}", i, out[i], rows - 1);
  }
  return out;
}

Dma::Transfer& Dma::new_transfer(const exec::EngineOp& op, TimeFs first) {
  std::unique_ptr<Transfer> t;
  if (free_transfers_.empty()) {
    t = std::make_unique<Transfer>();
  } else {
    t = std::move(free_transfers_.back());
    free_transfers_.pop_back();
  }
  t->op = op;
  t->far = {};
  t->packets_left = 0;
  t->first_run = true;
  t->outstanding = 0;
  t->first = t->done = first;
  active_.push_back(std::move(t));
  return *active_.back();
}

Dma::Batch& Dma::free_batch() {
  if (free_batches_.empty()) {
    batches_.push_back(std::make_unique<Batch>());
    Batch& b = *batches_.back();
    b.packets.slot = static_cast<std::uint32_t>(batches_.size() - 1);
    b.packets.core = context_.core;
    b.payload.set_extension(&b.packets);
    free_batches_.push_back(&b);
  }
  Batch& b = *free_batches_.back();
  free_batches_.pop_back();
  b.packets.runs.clear();
  b.writes.clear();
  b.count = b.bytes = 0;
  b.path = TimeFs{};
  return b;
}

bool Dma::issue_batch() {
  Transfer& t = *active_.back();
  const bool write = !t.far.source;
  Credits& credits = credits_of(write);
  const auto want = static_cast<std::uint32_t>(std::min<std::uint64_t>(t.batch, t.packets_left));
  if (credits.free < want) return false;  // a batch that comes back marks us
  const TimeFs credit = credits.time_of(want);
  const TimeFs at = context_.align(std::max({issue_free_, t.first, credit}));
  if (at > context_.agenda.now() + window_) {
    wake(at - window_);
    return false;
  }
  const TimeFs after = issue_free_;
  credits.take(want);

  Batch& b = free_batch();
  b.transfer = &t;
  b.count = want;
  b.issued = at;
  TimeFs issue = at;
  for (std::uint32_t i = 0; i < want; ++i) {
    Piece p;
    if (spec_.aligned_packet_bytes > 0)
      p = aligned_piece(t, write);
    else
      p = t.cursor.next(static_cast<std::uint32_t>(spec_.packet_bytes));
    if (p.starts_run && !t.first_run) issue += cycles(spec_.descriptor_cycles);
    t.first_run = false;
    b.bytes += p.bytes;
    b.last_path = write ? write_path_time(t.op, p.bytes) : path_time(t.op, p.bytes);
    if (write && p.useful < p.bytes) b.last_path += cycles(spec_.partial_write_cycles);
    b.path += b.last_path;
    if (t.far.source) {
      add_packet(b.packets.runs, p.source, p.bytes, issue);
      if (t.far.destination) add_packet(b.writes, p.destination, p.useful, TimeFs{});
      b.near = p.destination;
      b.near_bytes = p.useful;
    } else {
      const TimeFs begin = std::max(path_free_, issue);
      path_free_ = begin + b.last_path;
      tell_path(begin, path_free_);
      add_packet(b.packets.runs, p.destination, p.bytes, path_free_);
    }
    issue += period_;
  }
  issue_free_ = issue;
  if (spec_.aligned_packet_bytes == 0)
    t.packets_left -= want;
  else
    t.packets_left = t.cursor.done() ? 0 : 1;
  ++t.outstanding;
  if (t.packets_left == 0) issuing_ = false;
  if (context_.observer != nullptr) {
    using enum trace::BatchIssue::Bound;
    const auto bound = credit > std::max(after, t.first) ? packets : after > t.first ? order : transfer;
    context_.observer->batch_issued(agent(), {b.packets.slot, bound, write, at, path_free_});
  }
  send(b, write, write ? t.op.vd : t.op.va);
  return true;
}

void Dma::send(Batch& b, bool write, const isa::View& far) {
  PacketBatch& p = b.packets;
  p.write = write;
  p.to_core = far.space != isa::Space::hbm;
  p.target_core = far.core;
  p.pace = write ? b.last_path : period_;
  b.payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  b.payload.set_address(p.runs.front().address);
  if (context_.observer != nullptr && !p.to_core) {
    std::int64_t bytes = 0;
    for (const PacketRun& run : p.runs) bytes += run.bytes;
    context_.observer->memory_asked(agent(), b.transfer->op, write, bytes);
  }
  b.payload.set_data_length(b.bytes);
  b.payload.set_data_ptr(nullptr);
  b.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (socket->nb_transport_fw(b.payload, phase, delay) == tlm::TLM_COMPLETED) came_back(b);
}

tlm::tlm_sync_enum Dma::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  PacketBatch* packets = nullptr;
  payload.get_extension(packets);
  came_back(*batches_[packets->slot]);
  context_.agenda.mark(id());
  context_.agenda.settle();
  return tlm::TLM_COMPLETED;
}

void Dma::came_back(Batch& b) {
  Transfer& t = *b.transfer;
  TimeFs done = b.packets.done, through = done;
  bool behind = false;
  if (!b.packets.write) {
    // Packets enter the data path as they arrive: it is held for all of them, and for the last one after it came.
    behind = path_free_ + b.path > done + b.last_path;
    done = path_free_ = through = std::max(path_free_ + b.path, done + b.last_path);
    tell_path(done - b.path, done);
    if (t.far.destination) {
      b.packets.runs.swap(b.writes);
      for (PacketRun& r : b.packets.runs) r.time = done;
      send(b, true, t.op.vd);
      return;
    }
    if (fills_spm(t)) context_.spm.banks().write(b.near, b.near_bytes, done, context_.period);
    done += context_.cycles(context_.chip.core.scratchpad.latency_cycles);
  }
  // The memory may have looked a little late.
  done = context_.align(std::max(done, context_.agenda.now()));
  if (context_.observer != nullptr) {
    context_.observer->batch_back(agent(), {b.issued, b.packets.arrived, b.packets.served, b.packets.done,
                                            b.packets.slot, behind, through, done});
    context_.observer->now(context_.agenda.now());
  }
  t.done = std::max(t.done, done);
  --t.outstanding;
  credits_of(!t.far.source).add({done, b.count});
  free_batches_.push_back(&b);
}

void Dma::finish_transfers() {
  while (!active_.empty()) {
    if (active_.front()->outstanding != 0 || active_.front()->packets_left != 0) return;
    std::unique_ptr<Transfer> t = std::move(active_.front());
    active_.pop_front();
    add_busy(t->first, t->done);
    if (t->cursor.runs() > 0 && fills_spm(*t)) context_.spm.banks().end_transfer(t->op.vd);
    if (active_.empty()) context_.spm.release(id(), t->done);
    const TimeFs end = delayed(t->done, t->op, control::Delay::completion);
    tell_finished(t->op, {t->first, t->done, end, TimeFs{}});
    complete(t->op, end);
    free_transfers_.push_back(std::move(t));
  }
}

}  // namespace heddle::dma
