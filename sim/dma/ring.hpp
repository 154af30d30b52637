// SPDX-License-Identifier: Apache-2.0
// A queue in one block of memory that grows and never shrinks.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::dma {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return slots_[(first_ + i) & (slots_.size() - 1)]; }
  const T& operator[](std::size_t i) const { return slots_[(first_ + i) & (slots_.size() - 1)]; }
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    ++size_;
    back() = std::move(value);
  }
  void pop_front() {
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }
  std::vector<T> slots_ = std::vector<T>(8);  // a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle::dma
