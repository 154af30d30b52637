// SPDX-License-Identifier: Apache-2.0
// What pipeline() is told: how many steps, what each loads, what each stores.
#pragma once
#include <concepts>
#include <functional>
#include <optional>
#include <vector>

#include "sdk/tile/operand.hpp"
#include "sdk/tile/tensor.hpp"
#include "sdk/tile/tile.hpp"

namespace heddle::sdk {

// Where a pipeline stands, in its body.
class Step {
 public:
  Step(Scalar index, Scalar count) : index_(index), count_(count) {}
  Cond first() const { return index_ == 0; }
  Cond last() const { return index_ + 1 == count_; }
  // How a sum over the steps goes into its accumulator: overwrite in the first one, accumulate in the others.
  Mode mode() const { return overwrite_if(first()); }
  Scalar index() const { return index_; }
  operator Scalar() const { return index_; }  // NOLINT
  Scalar count() const { return count_; }

 private:
  Scalar index_, count_;
};

// Steps 0 .. count-1, where no input says how many there are.
struct Steps {
  template <class T>
  requires std::convertible_to<T, Scalar> Steps(T n, Loc where = Loc::current()) : count(n), loc(where) {}  // NOLINT
  Scalar count;
  Loc loc;
};

// An input: the tensor tile that step i loads. A tile that does not depend on i is loaded once.
struct In {
  std::function<Tensor(Scalar)> tile;
  std::optional<Scalar> count;
  Loc loc;
  int engines = 1;
  // Loads it through n DMA engines, a part of the first dimension each.
  In split(int n) const {
    In parts = *this;
    parts.engines = n;
    return parts;
  }
};
// An output: the tensor tile to which what the body wrote in step i is stored.
struct Out {
  std::function<Tensor(Scalar)> tile;
  std::optional<DType> dtype;  // of the tile in SPM, if not the tensor's: converted on the way out
  Loc loc;
};

inline In in(Blocks blocks, Loc loc = Loc::current()) {
  const Scalar n = blocks.count();
  return {[blocks](Scalar i) { return blocks[i]; }, n, loc, 1};
}
template <std::invocable<Scalar> F>
In in(F tile, Loc loc = Loc::current()) {
  return {tile, std::nullopt, loc, 1};
}
inline In in(Tensor always, Loc loc = Loc::current()) {
  return {[always](Scalar) { return always; }, std::nullopt, loc, 1};
}
inline Out out(Blocks blocks, Loc loc = Loc::current()) {
  return {[blocks](Scalar i) { return blocks[i]; }, std::nullopt, loc};
}
template <std::invocable<Scalar> F>
Out out(F tile, Loc loc = Loc::current()) {
  return {tile, std::nullopt, loc};
}

}  // namespace heddle::sdk
