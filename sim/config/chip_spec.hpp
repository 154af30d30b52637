// SPDX-License-Identifier: Apache-2.0
// What a chip is made of, as plain data. Immutable once loaded; every number here comes from YAML (see describe.hpp for
// names, units, ranges and docs) and none is invented elsewhere. Cycles are of the core clock unless a comment says so.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/base/dtype.hpp"
#include "isa/base/strong.hpp"

namespace heddle::config {

// A rate in elements or rows a cycle, kept exact: 1/4 is {1, 4}. Zero numerator: the dtype is not supported.
struct Ratio {
  std::int64_t num = 0;
  std::int64_t den = 1;
  // Cycles that n units take at this rate, rounded up.
  constexpr std::int64_t cycles_for(std::int64_t n) const { return (n * den + num - 1) / num; }
};

struct SequencerSpec {
  std::int64_t queue_depth = 16;  // entries of each engine's instruction queue
  std::int64_t cycles_per_instruction = 1;
  std::int64_t branch_taken_cycles = 2;  // of a taken branch, in all
  std::int64_t smem_load_cycles = 2;     // until the loaded value can be used
  std::int64_t multiply_cycles = 1;
  std::int64_t divide_cycles = 16;
  bool instant = false;  // for what-ifs: instructions take no time
};

struct ScratchpadSpec {  // SPM
  std::int64_t size_bytes = 0;
  std::int64_t banks = 16;
  std::int64_t width_bytes = 64;  // of one bank, a cycle; consecutive width_bytes lie in consecutive banks
  std::int64_t latency_cycles = 4;
  bool linear_banks = false;  // a bank is one range of addresses, with one port
  bool write_first = false;   // with linear_banks: what DMA engines write keeps the array waiting
};

struct AccumulatorSpec {  // ACC
  std::int64_t size_bytes = 0;
};

struct SmemSpec {
  std::int64_t size_bytes = 16 << 10;
};

enum class Dataflow : std::uint8_t { weight_stationary, output_stationary };

struct MxuSpec {
  std::int64_t count = 1;
  std::int64_t rows = 0;  // R: the K a stationary tile may have; output-stationary: the results' rows of a fold
  std::int64_t cols = 0;  // C: the N a stationary tile may have
  Dataflow dataflow = Dataflow::weight_stationary;
  std::int64_t fold_drain_cycles = 0;     // output-stationary: to take a fold's results out; 0: R
  bool background_load = true;            // a load may overlap the matmul before it
  Ratio load_rows_per_cycle{1, 1};        // stationary rows a cycle (columns when loaded transposed)
  std::array<Ratio, dtype_count> rate{};  // streamed rows a cycle, by operand dtype, in one phase
  Ratio stream_share{1, 1};               // of the cycles of a stream in which rows enter, by the array's own pace
  std::int64_t phases = 1;                // passes over the operands of a product: narrow multipliers add up its parts
  std::int64_t issue_cycles = 1;          // between an instruction's start and the next's, at least
  std::int64_t least_load_cycles = 0;     // of a stationary load, however small its tile
  std::int64_t least_stream_cycles = 0;   // of the rows of one matmul, however few
  std::int64_t least_fold_cycles = 0;     // output-stationary: of one fold, however small its k
  bool overlap_folds = false;             // output-stationary: results shift out while the next fold runs
  bool skew = true;                       // a row crosses the array cell by cell; false: adder trees, all cells at once
  std::int64_t pipeline_cycles = 0;       // registers before, between and behind the cells: only delays completion
  std::int64_t clock_hz = 0;              // of the arrays, whose cycles all of these are; 0: the core's
  bool instant = false;                   // for what-ifs: instructions take no time, whatever the rest says
  // Rows a cycle, all phases of a product counted; 0: not supported. MACs a cycle: rows * cols of that.
  constexpr Ratio rate_of(DType t) const {
    const Ratio r = rate[static_cast<std::size_t>(t)];
    return {r.num, r.den * phases};
  }
};

struct VpuSpec {
  std::int64_t count = 1;
  std::int64_t lanes = 0;         // elements a cycle of a simple fp32 op
  std::int64_t sublanes = 1;      // rows processed side by side; elements a cycle = lanes * sublanes
  std::int64_t start_cycles = 8;  // fixed cost of an instruction
  Ratio simple{1, 1};             // passes a cycle: add, mul, max, compare, select, convert, copy, iota
  Ratio divide{1, 4};             // divide, sqrt, rsqrt, reciprocal
  Ratio transcendental{1, 4};     // exp, log, tanh, erf, sigmoid, sin, cos, gelu, silu
  Ratio reduce{1, 1};
  Ratio topk{1, 8};         // passes a cycle for each of the k outputs
  Ratio two_sources{0, 1};  // passes a cycle at most, with two or more sources of the result's shape; 0: no such bound
  std::array<Ratio, dtype_count> read{};   // passes a cycle at most with a source of the dtype; 0: no such bound
  std::array<Ratio, dtype_count> write{};  // the same with a result of the dtype
  std::int64_t clock_hz = 0;               // of the units, whose cycles all of these are; 0: the core's
  bool instant = false;                    // for what-ifs: instructions take no time, whatever the rest says
};

struct DmaSpec {
  std::int64_t engines = 1;
  TimeFs start{};                       // fixed cost before the first packet of a transfer leaves
  std::int64_t write_start_cycles = 0;  // more of it where the transfer goes to memory outside the core
  std::int64_t descriptor_cycles = 1;   // for each contiguous run (or gathered row) after the first
  bool merge_rows = true;               // rows that follow each other in memory are one run
  std::int64_t in_flight = 32;          // packets outstanding, an engine
  std::int64_t write_in_flight = 0;     // of writes, beside in_flight of reads; 0: both share in_flight
  std::int64_t batch = 0;               // packets that leave together and come back together; 0: in_flight / 4, 1 to 16
  std::int64_t packet_bytes = 512;      // largest packet
  std::int64_t aligned_packet_bytes = 0;  // smallest packet of an engine whose packets are naturally aligned powers of
                                          // two; 0: packets begin and end anywhere
  std::int64_t bytes_per_cycle = 64;      // an engine's own data path
  Ratio write_bytes_per_cycle{0, 1};      // the same towards far memory; 0: bytes_per_cycle
  std::int64_t partial_write_cycles = 0;  // more, for a write that does not fill its aligned packet
  std::int64_t transpose_bytes_per_cycle = 16;
  std::int64_t clock_hz = 0;  // of the engines, whose cycles these are; 0: the core's
};

struct CoreSpec {
  SequencerSpec sequencer;
  ScratchpadSpec scratchpad;
  AccumulatorSpec accumulator;
  SmemSpec smem;
  MxuSpec mxu;
  VpuSpec vpu;
  DmaSpec dma;
  std::int64_t semaphores = 64;
};

struct NocSpec {
  std::string topology = "crossbar";  // a registered name: crossbar, mesh2d, instant
  std::int64_t width_bytes = 64;      // of one link, a cycle
  std::int64_t hop_cycles = 4;
  std::int64_t header_bytes = 0;  // added to each packet
  std::int64_t columns = 0;       // mesh2d: nodes a row; 0: the squarest that fits
};

struct MemorySpec {
  std::string standard;        // a DRAM preset's name, such as HBM2, HBM2E, HBM3, DDR4-3200, LPDDR5-6400
  std::string model = "bank";  // bank | ideal | instant
  std::int64_t channels = 0;
  std::int64_t capacity_bytes = 0;
  std::int64_t bandwidth_bytes_per_second = 0;  // 0: the standard's own; else the channel's clock is scaled to give it
  std::string mapping = "rorabgbachco";         // address bits, most to least significant (see dram_hbm2.csv)
  std::string page_policy = "open";             // open | closed
  std::string refresh = "all_bank";             // all_bank | per_bank | none
  std::int64_t queue_depth = 32;                // requests a channel looks at to choose the next
  TimeFs latency{};                             // fixed path between the NoC and the controller, each way
  std::int64_t interleave_bytes = 0;            // override of the mapping's channel interleave; 0: as the mapping says
  bool hash = false;                            // the address bits above the channel's permute the channels
  bool hash_turned =
      false;  // each group of address bits that permutes the channels is turned by one more than the last
};

struct LinkSpec {
  std::string topology = "none";  // none | ring | torus2d | fully_connected
  std::int64_t bandwidth_bytes_per_second = 0;
  TimeFs latency{};
};

// What the programs compiled for a machine do by habit, where its hardware leaves the choice: kernels follow it, so
// that a chip that others measured with their own software is simulated with the same.
enum class AttentionSoftware : std::uint8_t { own, ragged };
struct SoftwareSpec {
  bool applies = false;          // heddle validate turns it on for the rows that were measured with it
  std::int64_t stage_bytes = 0;  // operators run one at a time; operands of up to this are copied whole to SPM first
  AttentionSoftware attention = AttentionSoftware::own;
};

struct ChipSpec {
  std::string name;  // the file's stem
  std::string source_file;
  std::int64_t clock_hz = 0;
  std::int64_t cores = 1;
  TimeFs launch_overhead{};  // once a launch, before the first instruction
  CoreSpec core;
  NocSpec noc;
  MemorySpec memory;
  std::int64_t chips = 1;  // of the system; links join them
  LinkSpec links;
  SoftwareSpec software;

  // Femtoseconds a core cycle, rounded to the nearest: cycle n begins at n * period.
  std::int64_t period_fs() const { return period_fs(0); }
  // Of an engine with a clock of its own; 0: the core's.
  std::int64_t period_fs(std::int64_t own_hz) const {
    const std::int64_t hz = own_hz == 0 ? clock_hz : own_hz;
    return (1'000'000'000'000'000 + hz / 2) / hz;
  }
};

}  // namespace heddle::config
