// SPDX-License-Identifier: Apache-2.0
#include "sim/check/shadow_memory.hpp"

#include <algorithm>

namespace heddle::check {

void History::forget(Moment base) {
  base_ = base;
  first_detail_ += used_details_;
  used_details_ = 0;
  free_.clear();
  first_set_ += sets_.size();
  sets_.clear();
}

Stamp History::new_detail(const Cell& cell) {
  std::size_t index = used_details_;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    if (used_details_ == details_.size()) details_.push_back(std::make_unique<Detail>());
    ++used_details_;
  }
  details_[index]->fill(cell);
  return special | (first_detail_ + index);
}

History::Detail* History::find_detail(Stamp name) {
  const std::uint64_t number = name & ~special;
  return number < first_detail_ ? nullptr : details_[number - first_detail_].get();
}

void History::free_detail(Stamp name) { free_.push_back((name & ~special) - first_detail_); }

Stamp History::new_set(std::vector<Stamp> readers) {
  sets_.push_back(std::move(readers));
  return special | (first_set_ + sets_.size() - 1);
}

const std::vector<Stamp>* History::find_set(Stamp name) const {
  const std::uint64_t number = name & ~special;
  return number < first_set_ ? nullptr : &sets_[number - first_set_];
}

bool Pass::conflict(Stamp s, bool writes) {
  earlier_ = s;
  earlier_writes_ = writes;
  return false;
}

bool Pass::decide(const Cell& cell) {
  if (!covered(cell.writer)) return conflict(cell.writer, true);
  const bool several = (cell.reader & History::special) != 0;
  const std::vector<Stamp>* set = several ? history_.find_set(cell.reader) : nullptr;
  if (access_.write) {
    if (!several && !covered(cell.reader)) return conflict(cell.reader, false);
    if (set != nullptr)
      for (const Stamp s : *set)
        if (!covered(s)) return conflict(s, false);
    after_ = {access_.stamp, 0};
    return true;
  }
  after_ = {cell.writer, access_.stamp};
  if (set == nullptr && (several || covered(cell.reader))) return true;
  std::vector<Stamp> readers;
  if (set != nullptr)
    for (const Stamp s : *set)
      if (!covered(s)) readers.push_back(s);
  if (!several) readers.push_back(cell.reader);
  if (readers.empty()) return true;
  readers.push_back(access_.stamp);
  after_.reader = history_.new_set(std::move(readers));
  return true;
}

ShadowMemory::ShadowMemory(std::uint64_t capacity)
    : owned_((capacity + granule_bytes - 1) / granule_bytes * sizeof(Cell)),
      cells_(reinterpret_cast<Cell*>(owned_.data())) {}

// As far as the history is the same, and so the other access.
Conflict Pass::found(std::uint64_t at, std::uint64_t end) {
  std::uint64_t last = at + 1;
  for (; last < end; ++last) {
    const Cell& granule = cells_[last / granule_bytes];
    const History::Detail* detail =
        (granule.writer & History::special) != 0 ? history_.find_detail(granule.writer) : nullptr;
    if ((detail != nullptr ? (*detail)[last % granule_bytes] : granule) != before_) break;
  }
  return {at, last, earlier_, earlier_writes_};
}

std::optional<Conflict> Pass::touch(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t at = begin; at < end;) {
    Cell& granule = cells_[at / granule_bytes];
    const std::uint64_t first = at % granule_bytes;
    const std::uint64_t last = std::min(granule_bytes, first + (end - at));
    const bool whole = first == 0 && last == granule_bytes;
    History::Detail* detail = nullptr;
    if ((granule.writer & History::special) != 0) {
      detail = history_.find_detail(granule.writer);
      if (detail == nullptr) granule = {};
    }
    if (detail == nullptr && whole) {
      if (!apply(granule)) return found(at, end);
    } else {
      if (detail == nullptr) {
        granule = {history_.new_detail(granule), 0};
        detail = history_.find_detail(granule.writer);
      }
      for (std::uint64_t b = first; b < last; ++b)
        if (!apply((*detail)[b])) return found(at - first + b, end);
      if (whole && access_.write) {
        history_.free_detail(granule.writer);
        granule = {access_.stamp, 0};
      }
    }
    at += last - first;
  }
  return std::nullopt;
}

}  // namespace heddle::check
