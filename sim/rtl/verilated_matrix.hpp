// SPDX-License-Identifier: Apache-2.0
// IMatrixRtl over a class that Verilator made of mxu_top. Included once for each of them, by a generated file.
#pragma once
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "sim/rtl/i_matrix_rtl.hpp"

namespace heddle::rtl {

// 32-bit lanes of a port, which is 32 bits, 64, or words: lane i is word i of it on a little-endian host.
template <class Port>
void put_lanes(Port& port, std::span<const std::uint32_t> lanes) {
  std::memcpy(&port, lanes.data(), std::min(sizeof(port), lanes.size_bytes()));
}
template <class Port>
void get_lanes(const Port& port, std::span<std::uint32_t> lanes) {
  std::memcpy(lanes.data(), &port, std::min(sizeof(port), lanes.size_bytes()));
}

template <class Model>
class VerilatedMatrix final : public IMatrixRtl {
 public:
  explicit VerilatedMatrix(const Geometry& geometry)
      : geometry_(geometry), context_(std::make_unique<VerilatedContext>()), top_(context_.get()) {}

  const Geometry& geometry() const override { return geometry_; }

  void reset(bool background_load, std::uint8_t issue_cycles) override {
    top_.cfg_background = background_load;
    top_.cfg_issue = issue_cycles;
    top_.rst = 1;
    evaluate({});
    for (std::int64_t i = 0; i < geometry_.rows + geometry_.cols; ++i) {
      clock();
      top_.eval();
    }
    top_.rst = 0;
  }
  void weights(std::span<const std::uint32_t> lanes) override { put_lanes(top_.w_data, lanes); }
  void row(std::span<const std::uint32_t> lanes) override { put_lanes(top_.a_data, lanes); }
  void accumulators(std::span<const std::uint32_t> lanes) override { put_lanes(top_.acc_data, lanes); }
  void result(std::span<std::uint32_t> lanes) const override { get_lanes(top_.s_data, lanes); }

  Outputs evaluate(const Inputs& in) override {
    top_.q_push = in.push != nullptr;
    if (in.push != nullptr) {
      top_.q_op = static_cast<std::uint8_t>(in.push->operation);
      top_.q_transposed = in.push->transposed;
      top_.q_accumulate = in.push->accumulate;
      top_.q_integer = in.push->integer;
      top_.q_rows = in.push->rows;
      top_.q_k = in.push->k;
      top_.q_beats = in.push->beats;
    }
    top_.head_go = in.go;
    top_.w_grant = in.weight_grant;
    top_.w_feed = in.weight_feed;
    top_.a_grant = in.stream_grant;
    top_.a_feed = in.stream_feed;
    top_.eval();
    Outputs out;
    out.issue_free = top_.issue_free;
    out.could = top_.head_could;
    out.start = top_.head_start;
    out.weight_fetch = top_.w_fetch;
    out.stream_fetch = top_.a_fetch;
    out.result = top_.s_live;
    out.result_last = top_.s_last;
    out.result_accumulates = top_.s_accumulate;
    out.load_done = top_.load_done;
    out.matmul_done = top_.matmul_done;
    return out;
  }
  void clock() override {
    top_.clk = 1;
    top_.eval();
    top_.clk = 0;  // seen by the next evaluate()
  }

 private:
  Geometry geometry_;
  std::unique_ptr<VerilatedContext> context_;
  Model top_;
};

}  // namespace heddle::rtl
