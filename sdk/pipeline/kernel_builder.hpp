// SPDX-License-Identifier: Apache-2.0
// Level 2, and the class kernels are written with. A kernel is a function that takes a KernelBuilder& and records:
//
//   void double_it(KernelBuilder& k, Tensor x, Tensor y) {
//     auto scope = k.kernel("double_it");
//     k.for_each_tile(y.tiled(64, 128), [&](Tensor out) { ... });
//   }
#pragma once
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sdk/pipeline/pipe.hpp"
#include "sdk/pipeline/steps.hpp"

namespace heddle::sdk {

class KernelBuilder : public TileBuilder {
 public:
  using TileBuilder::TileBuilder;

  // ---- Work shared by the cores
  // body(Scalar i) for the i of 0 .. n-1 that are this core's: i = core_id, core_id + num_cores, ...
  template <class F>
  void for_each(Scalar n, F&& body, Loc loc = Loc::current()) {
    loop(core_id(loc), n, num_cores(loc), body, loc);
  }
  // body(Tensor tile) for this core's share of the grid.
  template <class F>
  void for_each_tile(const TileGrid& grid, F&& body, Loc loc = Loc::current()) {
    for_each(
        grid.count(), [&](Scalar i) { body(grid[i]); }, loc);
  }

  // ---- Pipes
  template <Space S = Space::spm>
  Pipe<S> pipe(const Shape& shape, DType dtype, int slots = 2, DmaEngine dma = {}, Loc loc = Loc::current());
  // The same for one engine, which puts something by for itself for some turns. Nothing has to wait: the kernel sees to
  // it that no more than `slots` are filled and not yet given back.
  template <Space S = Space::spm>
  Pipe<S> ring(const Shape& shape, DType dtype, int slots = 2, Loc loc = Loc::current());

  // ---- Pipelines
  // pipeline<Depth>([steps,] in(...)..., out(...)..., body): body(Spm in..., Spm out..., Step) for each step. Loads run
  // Depth - 1 steps ahead; outputs are stored while the next steps run. The number of steps comes from the inputs that
  // are Blocks (equal for all of them), or is given first. Nothing happens when it is 0. A pipeline in a loop keeps its
  // slots from one turn to the next.
  template <int Depth = 2, class... Parts>
  void pipeline(Parts&&... parts) {
    static_assert(Depth >= 1 && Depth <= 8, "a pipeline holds 1 to 8 slots of each input");
    static_assert(sizeof...(Parts) >= 2, "a pipeline needs inputs or outputs, and a body");
    run_pipeline<Depth>(std::forward_as_tuple(parts...), std::make_index_sequence<sizeof...(Parts) - 1>{});
  }

 private:
  struct Plan {  // a pipeline being recorded
    std::optional<Scalar> count;
    std::vector<In> inputs;
    std::vector<Out> outputs;
    Loc loc;
  };
  static void add_part(Plan& p, const In& i) {
    p.inputs.push_back(i);
    p.loc = i.loc;
  }
  static void add_part(Plan& p, const Out& o) {
    p.outputs.push_back(o);
    p.loc = o.loc;
  }
  static void add_part(Plan& p, const Steps& s) {
    p.count = s.count;
    p.loc = s.loc;
  }
  using Body = std::function<void(const std::vector<Spm>&, const Step&)>;
  void record_pipeline(Plan plan, int slots, const Body& body);
  template <Space S>
  Pipe<S> make_pipe(const Shape& shape, DType dtype, int slots, int dma, bool one_engine, const Loc& loc);

  template <int Depth, class Tuple, std::size_t... I>
  void run_pipeline(Tuple parts, std::index_sequence<I...>) {
    constexpr std::size_t tiles = ((std::is_same_v<std::remove_cvref_t<std::tuple_element_t<I, Tuple>>, In> ||
                                    std::is_same_v<std::remove_cvref_t<std::tuple_element_t<I, Tuple>>, Out>)+... +
                                   std::size_t{0});
    Plan plan;
    (add_part(plan, std::get<I>(parts)), ...);
    auto& body = std::get<sizeof...(I)>(parts);
    record_pipeline(std::move(plan), Depth, [&](const std::vector<Spm>& t, const Step& s) {
      call(body, t, s, std::make_index_sequence<tiles>{});
    });
  }
  template <class F, std::size_t... I>
  static void call(F& body, const std::vector<Spm>& t, const Step& s, std::index_sequence<I...>) {
    if constexpr (std::is_invocable_v<F&, decltype((void(I), t[0]))..., const Step&>)
      body(t[I]..., s);
    else
      body(t[I]...);
  }
};

}  // namespace heddle::sdk
