// SPDX-License-Identifier: Apache-2.0
#include "sim/compute/agenda.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::compute {

Agenda::Agenda(sc_core::sc_module_name name, Failure& failure) : sc_module(name), failure_(failure) {
  SC_METHOD(due);
  sensitive << event_;
  dont_initialize();
}

void Agenda::add(AgentId id, IAgent* agent) {
  if (id >= max_agents) fail(ErrorKind::unsupported, "HDL-TOP-02", "a core has more than {} engines", max_agents - 1);
  if (agents_.size() <= id) agents_.resize(id + 1u, nullptr);
  agents_[id] = agent;
}

void Agenda::settle() {
  if (settling_ || failure_.set()) return;
  settling_ = true;
  try {
    while (marked_ != 0) {
      const int id = __builtin_ctzll(marked_);
      marked_ &= marked_ - 1;
      agents_[static_cast<std::size_t>(id)]->run();
    }
  } catch (...) {
    failure_.keep(std::current_exception());
  }
  settling_ = false;
}

void Agenda::push(Entry entry) {
  entry.order = order_++;
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end());
  if (heap_.front().order == entry.order) event_.notify(to_sc_time(entry.time - now()));
}

void Agenda::wake_at(AgentId id, TimeFs time) {
  if (time <= now()) {
    mark(id);
    return;
  }
  push({time, 0, 0, id, {}});
}

void Agenda::post_at(TimeFs time, std::uint8_t sem, std::int64_t n, PostOrigin origin) {
  push({std::max(time, now()), 0, n, sem, origin});
}

void Agenda::due() {
  if (failure_.set()) return;
  ++activations_;
  const TimeFs t = now();
  while (!heap_.empty() && heap_.front().time <= t) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Entry entry = heap_.back();
    heap_.pop_back();
    if (entry.n == 0) {
      mark(entry.index);
      continue;
    }
    try {
      sink_->deliver(entry.index, entry.n, t, entry.origin);
    } catch (...) {
      failure_.keep(std::current_exception());
      return;
    }
  }
  settle();
  if (!heap_.empty()) event_.notify(to_sc_time(heap_.front().time - t));
}

void Agenda::clear() {
  heap_.clear();
  marked_ = 0;
  event_.cancel();
}

}  // namespace heddle::compute
