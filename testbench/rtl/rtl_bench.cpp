// SPDX-License-Identifier: Apache-2.0
#include "testbench/rtl/rtl_bench.hpp"

#include <deque>
#include <stdexcept>

namespace heddle::testing {

std::unique_ptr<rtl::IMatrixRtl> make_variant(const std::string& name) {
  for (const rtl::Variant& v : rtl::variants())
    if (v.name == name) return v.make();
  throw std::runtime_error("no variant " + name);
}

BenchEvents run_bench(rtl::IMatrixRtl& rtl, const std::vector<BenchStep>& steps, bool background_load,
                      const std::vector<std::uint32_t>& accumulators, std::int64_t limit) {
  const rtl::Geometry& g = rtl.geometry();
  const auto lanes = static_cast<std::size_t>(std::max(g.rows, g.cols));
  BenchEvents out;
  std::deque<const std::vector<std::uint32_t>*> weights, stream;  // rows to be asked for
  std::size_t pushed = 0;
  std::size_t done = 0;
  rtl.reset(background_load, 1);
  for (std::int64_t cycle = 0; done < steps.size(); ++cycle) {
    if (cycle > limit) throw std::runtime_error("the RTL does not come to an end");
    rtl::Inputs in;
    in.go = true;
    if (pushed < steps.size() && pushed - out.starts.size() < static_cast<std::size_t>(g.queue) - 1)
      in.push = &steps[pushed++].instruction;
    rtl::Outputs o = rtl.evaluate(in);
    if (o.start) {
      const BenchStep& s = steps[out.starts.size()];
      auto& rows = s.instruction.operation == rtl::Operation::load ? weights : stream;
      for (const auto& row : s.rows) rows.push_back(&row);
      for (const auto& row : s.a) stream.push_back(&row);
      for (const auto& row : s.b) weights.push_back(&row);
      out.starts.push_back(cycle);
    }
    const auto feed = [&](std::deque<const std::vector<std::uint32_t>*>& rows, auto put) {
      std::vector<std::uint32_t> row = *rows.front();
      row.resize(lanes);
      put(row);
      rows.pop_front();
    };
    if (o.stream_fetch) {
      in.stream_grant = in.stream_feed = true;
      feed(stream, [&](const auto& row) { rtl.row(row); });
      out.rows_in.push_back(cycle);
    }
    if (o.weight_fetch) {
      in.weight_grant = in.weight_feed = true;
      feed(weights, [&](const auto& row) { rtl.weights(row); });
      out.weights_in.push_back(cycle);
    }
    if (!accumulators.empty()) rtl.accumulators(accumulators);
    o = rtl.evaluate(in);
    if (o.result) {
      out.rows_out.push_back(cycle);
      out.results.emplace_back(static_cast<std::size_t>(g.cols));
      rtl.result(out.results.back());
    }
    done += static_cast<std::size_t>(o.load_done) + static_cast<std::size_t>(o.matmul_done);
    rtl.clock();
  }
  return out;
}

}  // namespace heddle::testing
