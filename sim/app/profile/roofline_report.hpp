// SPDX-License-Identifier: Apache-2.0
// The roofline of a run and of each of its kernels and layers: work for each byte of HBM and the rates reached, against
// the chip's ceilings.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/trace/stalls.hpp"
#include "sim/trace/work.hpp"

namespace heddle::app {

inline constexpr std::string_view roofline_schema = "heddle.roofline/1";

struct RooflinePoint {
  std::optional<trace::WorkCounts::ScopeId> id;  // none: the run
  bool has_inner = false;                        // scopes inside: a layer, not a kernel
  std::uint64_t passes = 0;                      // of the run: launches
  TimeFs time{};                                 // of the run: its launches; else see trace::ScopeSpans
  TimeFs inside{};                               // core 0's sequencer
  trace::Work work, own;                         // with inner scopes, without
};

class RooflineReport {
 public:
  // hbm: bytes a second.
  RooflineReport(const trace::Stalls& stalls, const trace::WorkCounts& work, std::uint64_t hbm);
  // The run, then the scopes in order of their programs and of their place there, outer before inner.
  const std::vector<RooflinePoint>& points() const { return points_; }
  // The run's bytes against what the memory's bandwidth allows in its time, 0 .. 1.
  double hbm_share() const;
  // "schema", "ridge", "hbm_bytes_per_s", "ceilings", "points".
  nlohmann::json json() const;
  // The run's line and a table of the scopes that took longest; empty without work.
  std::string text() const;

 private:
  // The least seconds that the chip needs for the work, and which part of it.
  struct Bound {
    double seconds = 0;
    const char* by = nullptr;
  };
  Bound bound(const trace::Work& work) const;
  std::string ceiling(const trace::Work& work) const;  // that applies; empty: none
  double highest() const;                              // OP a second
  double share(const RooflinePoint& p) const;          // of its bound, 0 .. 1
  std::string path(const RooflinePoint& p) const;
  nlohmann::json point_json(const RooflinePoint& p) const;

  const trace::Programs& programs_;
  trace::Rates rates_;
  double hbm_;
  TimeFs period_;
  std::vector<RooflinePoint> points_;
};

}  // namespace heddle::app
