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

void Pass::decide(const Cell& cell) {
  conflicting_.clear();
  conflict(cell.writer, true);
  const bool several = (cell.reader & History::special) != 0;
  const std::vector<Stamp>* set = several ? history_.find_set(cell.reader) : nullptr;
  if (access_.write) {
    if (!several) conflict(cell.reader, false);
    if (set != nullptr)
      for (const Stamp s : *set) conflict(s, false);
    const Stamp reader = set != nullptr ? set->front() : several ? 0 : cell.reader;
    if (access_.adds && reader != 0 && covered(reader)) conflicting_.push_back({reader, false, cell.writer, 0, {}});
    after_ = {access_.stamp, 0};
    return;
  }
  after_ = {cell.writer, access_.stamp};
  if (set == nullptr && (several || covered(cell.reader))) return;
  std::vector<Stamp> readers;
  if (set != nullptr)
    for (const Stamp s : *set)
      if (!covered(s)) readers.push_back(s);
  if (!several) readers.push_back(cell.reader);
  if (readers.empty()) return;
  readers.push_back(access_.stamp);
  after_.reader = history_.new_set(std::move(readers));
}

// Bytes that share before_, and so the accesses in conflicting_.
void Pass::found(std::uint64_t begin, std::uint64_t end) {
  for (const Conflict& u : conflicting_) {
    auto known = std::find_if(conflicts_.begin(), conflicts_.end(), [&](const Conflict& c) {
      return c.earlier == u.earlier && c.earlier_writes == u.earlier_writes && c.sums == u.sums;
    });
    if (known == conflicts_.end()) known = conflicts_.insert(known, u);
    known->bytes += end - begin;
    std::vector<ByteRange>& ranges = known->ranges;
    if (!ranges.empty() && ranges.back().end == begin)
      ranges.back().end = end;
    else if (ranges.size() < Findings::most_ranges)
      ranges.push_back({begin, end});
  }
}

ShadowMemory::ShadowMemory(std::uint64_t capacity)
    : owned_((capacity + granule_bytes - 1) / granule_bytes * sizeof(Cell)),
      cells_(reinterpret_cast<Cell*>(owned_.data())) {}

void Pass::touch(std::uint64_t begin, std::uint64_t end) {
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
      if (!apply(granule)) found(at, at + granule_bytes);
    } else {
      if (detail == nullptr) {
        granule = {history_.new_detail(granule), 0};
        detail = history_.find_detail(granule.writer);
      }
      for (std::uint64_t b = first; b < last; ++b)
        if (!apply((*detail)[b])) found(at - first + b, at - first + b + 1);
      if (whole && access_.write) {
        history_.free_detail(granule.writer);
        granule = {access_.stamp, 0};
      }
    }
    at += last - first;
  }
}

}  // namespace heddle::check
