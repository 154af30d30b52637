// SPDX-License-Identifier: Apache-2.0
#include "sim/config/describe_chip.hpp"

namespace heddle::config {
namespace {

constexpr std::int64_t kib = 1024, gib = kib * kib * kib, tib = gib * kib;
constexpr std::int64_t mega = 1'000'000, giga = 1000 * mega, tera = 1000 * giga, peta = 1000 * tera;
constexpr std::int64_t millisecond = 1'000'000'000'000;  // in femtoseconds
constexpr std::int64_t most_cycles = 1'000'000;
constexpr std::string_view own_clock =
    "Of these engines, if not the core's: all cycles of this part are of it; 0: the core's";
constexpr std::string_view instant =
    "For what-ifs: instructions take no time, whatever else is said here. Programs are told of the chip without it";

}  // namespace

void describe(Fields& f, SequencerSpec& s) {
  f.number("queue_depth", s.queue_depth, Unit::none, {1, 4096}, optional,
           "Entries of each engine's instruction queue; a full queue stalls the sequencer");
  f.number("cycles_per_instruction", s.cycles_per_instruction, Unit::cycles, {1, most_cycles}, optional,
           "Of an instruction that has no number of its own here");
  f.number("branch_taken_cycles", s.branch_taken_cycles, Unit::cycles, {1, most_cycles}, optional,
           "Of a taken branch, in all");
  f.number("smem_load_cycles", s.smem_load_cycles, Unit::cycles, {1, most_cycles}, optional,
           "Until a value loaded from SMEM can be used");
  f.number("multiply_cycles", s.multiply_cycles, Unit::cycles, {1, most_cycles}, optional, "Of a scalar multiply");
  f.number("divide_cycles", s.divide_cycles, Unit::cycles, {1, most_cycles}, optional,
           "Of a scalar divide or remainder");
  f.flag("instant", s.instant, optional, instant);
}

void describe(Fields& f, ScratchpadSpec& s) {
  f.number("size", s.size_bytes, Unit::bytes, {1 * kib, 4 * gib}, required, "Capacity, per core");
  f.number("banks", s.banks, Unit::none, {1, 4096}, optional, "Banks, each serving one access a cycle; a power of two");
  f.number("width", s.width_bytes, Unit::bytes, {4, 64 * kib}, optional,
           "Bytes of one bank a cycle; consecutive widths lie in consecutive banks; a power of two");
  f.number("latency", s.latency_cycles, Unit::cycles, {0, most_cycles}, optional,
           "From a request to its first data, without conflicts");
  f.flag(
      "linear_banks", s.linear_banks, optional,
      "A bank is one contiguous range of addresses with one port: a stationary load waits while rows stream from the "
      "same bank. false: consecutive widths lie in consecutive banks");
  f.flag("write_first", s.write_first, optional,
         "With linear_banks: the array's reads wait while DMA engines write to the same bank");
}

void describe(Fields& f, AccumulatorSpec& s) {
  f.number("size", s.size_bytes, Unit::bytes, {1 * kib, 4 * gib}, required, "Capacity of fp32 accumulators, per core");
}

void describe(Fields& f, SmemSpec& s) {
  f.number("size", s.size_bytes, Unit::bytes, {1 * kib, 64 * kib * kib}, optional,
           "Capacity of the scalar memory, per core");
}

void describe(Fields& f, MxuSpec& s) {
  static constexpr std::string_view dataflows[] = {"weight_stationary", "output_stationary"};
  f.number("count", s.count, Unit::none, {1, 64}, optional, "Arrays in a core");
  f.number("rows", s.rows, Unit::none, {1, 1024}, required,
           "Rows of cells: the K a stationary tile may have; output-stationary: the rows of results of a fold");
  f.number("cols", s.cols, Unit::none, {1, 1024}, required, "Columns of cells: the N a stationary tile may have");
  f.choice("dataflow", s.dataflow, dataflows, optional, "What rests in the cells");
  f.number(
      "fold_drain_cycles", s.fold_drain_cycles, Unit::cycles, {0, most_cycles}, optional,
      "Output-stationary: from a fold's last product to the next fold; 0: results leave row by row, one cycle each");
  f.flag("background_load", s.background_load, optional,
         "A stationary load may overlap the matmul before it (double-buffered weights)");
  f.ratio("load_rows_per_cycle", s.load_rows_per_cycle, {1, 1024}, optional,
          "Stationary rows loaded a cycle; columns when the tile is loaded transposed");
  f.rates("rate", s.rate, {0, 1024}, required,
          "Streamed rows a cycle; MACs a cycle are rows * cols * rate; a dtype not named is not supported");
  f.number("phases", s.phases, Unit::none, {1, 16}, optional,
           "Passes over the operands of a product, for multipliers narrower than the dtype: the rate is of one");
  f.ratio(
      "stream_share", s.stream_share, {0, 1}, optional,
      "Part of a stream's cycles in which rows enter; the rest goes to handshakes with what feeds the array and takes "
      "its sums. The peak does not count it");
  f.number(
      "issue_cycles", s.issue_cycles, Unit::cycles, {0, most_cycles}, optional,
      "At least, between the start of one instruction and the next; 0: a load may start with the matmul before it");
  f.number("least_load_cycles", s.least_load_cycles, Unit::cycles, {0, most_cycles}, optional,
           "Of a stationary load, however small its tile (arrays that shift a whole tile in); output-stationary: of "
           "shifting initial sums in, with overlap_folds");
  f.number("least_stream_cycles", s.least_stream_cycles, Unit::cycles, {0, most_cycles}, optional,
           "Weight-stationary: of the rows of one matmul, however few");
  f.number("least_fold_cycles", s.least_fold_cycles, Unit::cycles, {0, most_cycles}, optional,
           "Output-stationary: of one fold of rows, however small its k");
  f.flag("overlap_folds", s.overlap_folds, optional,
         "Output-stationary: results shift out, and initial sums in, while the next fold runs");
  f.flag(
      "skew", s.skew, optional,
      "Operands cross the array cell by cell, so that a row takes rows + cols - 2 cycles from its entry to its exit; "
      "false: adder trees, every cell at once");
  f.number(
      "pipeline_cycles", s.pipeline_cycles, Unit::cycles, {0, most_cycles}, optional,
      "Registers from the scratchpad through the array into the accumulator, beside the array's own skew: a matmul "
      "completes that much later, its rate stays");
  f.flag("instant", s.instant, optional, instant);
  f.number("clock", s.clock_hz, Unit::hertz, {0, 100 * giga}, optional, own_clock);
}

void describe(Fields& f, VpuSpec& s) {
  f.number("count", s.count, Unit::none, {1, 64}, optional, "Vector units in a core");
  f.number("lanes", s.lanes, Unit::none, {1, 64 * kib}, required, "Elements side by side along a row");
  f.number("sublanes", s.sublanes, Unit::none, {1, kib}, optional,
           "Rows side by side; elements a cycle of a simple operation are lanes * sublanes");
  f.number("start_cycles", s.start_cycles, Unit::cycles, {0, most_cycles}, optional, "Fixed cost of an instruction");
  f.ratio("simple", s.simple, {1, 64}, optional,
          "Passes a cycle of add, multiply, maximum, compare, select, convert, copy, iota");
  f.ratio("divide", s.divide, {1, 64}, optional, "Passes a cycle of divide, sqrt, rsqrt, reciprocal");
  f.ratio("transcendental", s.transcendental, {1, 64}, optional,
          "Passes a cycle of exp, log, tanh, erf, sigmoid, sin, cos, gelu, silu");
  f.ratio("reduce", s.reduce, {1, 64}, optional, "Passes a cycle of a row reduction");
  f.ratio("topk", s.topk, {1, 64}, optional, "Passes a cycle for each of the k outputs of a top-k");
  f.ratio("two_sources", s.two_sources, {0, 64}, optional,
          "Passes a cycle at most, where two sources have the result's shape (one read port); 0: no such bound");
  f.rates("read", s.read, {0, 64}, optional,
          "Passes a cycle at most with a source of the dtype (converted in software); not named: no such bound");
  f.rates("write", s.write, {0, 64}, optional, "The same with a result of the dtype");
  f.flag("instant", s.instant, optional, instant);
  f.number("clock", s.clock_hz, Unit::hertz, {0, 100 * giga}, optional, own_clock);
}

void describe(Fields& f, DmaSpec& s) {
  f.number("engines", s.engines, Unit::none, {1, 256}, optional, "DMA engines in a core");
  f.time("start", s.start, {0, millisecond}, required,
         "Fixed cost before the first packet of a transfer leaves (a time, or cycles)");
  f.number("write_start_cycles", s.write_start_cycles, Unit::cycles, {0, most_cycles}, optional,
           "On top of start where a transfer goes from the core to memory outside: reading its first data");
  f.number("descriptor_cycles", s.descriptor_cycles, Unit::cycles, {0, most_cycles}, optional,
           "For each contiguous run, or gathered row, after the first");
  f.flag("merge_rows", s.merge_rows, optional,
         "Rows that follow each other in memory are one contiguous run; false: each row of a view's last dimension has "
         "packets of its own");
  f.number("in_flight", s.in_flight, Unit::none, {1, 64 * kib}, optional, "Packets an engine may have outstanding");
  f.number("write_in_flight", s.write_in_flight, Unit::none, {0, 64 * kib}, optional,
           "The same for packets written, beside those read; 0: both share in_flight");
  f.number(
      "batch", s.batch, Unit::none, {0, 16}, optional,
      "Packets that the model sends together, and frees together when the last is back; 0: a quarter of in_flight, "
      "16 at most. 1: each by itself, exact and slower to simulate");
  f.number("packet", s.packet_bytes, Unit::bytes, {8, 1024 * kib}, optional, "Largest packet");
  f.number(
      "aligned_packet", s.aligned_packet_bytes, Unit::bytes, {0, 1024 * kib}, optional,
      "0: packets begin and end anywhere. Else each is a naturally aligned power of two from this size to packet, as "
      "on a TileLink bus: the one that covers most of what is left, the smallest such; the memory moves all of it");
  f.number("bytes_per_cycle", s.bytes_per_cycle, Unit::bytes, {1, 64 * kib}, optional,
           "An engine's own data path, a cycle");
  f.ratio("write_bytes_per_cycle", s.write_bytes_per_cycle, {0, 64 * kib}, optional,
          "The same for what goes to memory outside the core; 0: bytes_per_cycle");
  f.number("partial_write_cycles", s.partial_write_cycles, Unit::cycles, {0, most_cycles}, optional,
           "More, for a write that does not fill its aligned packet: the memory reads, merges and writes back");
  f.number("transpose_bytes_per_cycle", s.transpose_bytes_per_cycle, Unit::bytes, {1, 64 * kib}, optional,
           "The same while it transposes");
  f.number("clock", s.clock_hz, Unit::hertz, {0, 100 * giga}, optional, own_clock);
}

void describe(Fields& f, CoreSpec& s) {
  f.part("scratchpad", s.scratchpad, required, "SPM, the banked scratchpad");
  f.part("accumulator", s.accumulator, required, "ACC, the accumulators of the MXU");
  f.part("smem", s.smem, optional, "SMEM, the scalar memory");
  f.part("mxu", s.mxu, required, "The systolic arrays");
  f.part("vpu", s.vpu, required, "The vector units");
  f.part("dma", s.dma, required, "The DMA engines");
  f.part("sequencer", s.sequencer, optional, "The scalar processor that issues to the engines");
  f.number("semaphores", s.semaphores, Unit::none, {1, 64}, optional,
           "Counting semaphores, per core; the ISA names 64");
}

void describe(Fields& f, NocSpec& s) {
  f.text("topology", s.topology, optional,
         "A registered network: crossbar, mesh2d; instant, for what-ifs: every packet is there when it is sent");
  f.number("width", s.width_bytes, Unit::bytes, {1, 64 * kib}, optional, "Bytes of one link a cycle");
  f.number("hop", s.hop_cycles, Unit::cycles, {0, most_cycles}, optional, "Latency of one hop");
  f.number("header", s.header_bytes, Unit::bytes, {0, kib}, optional, "Added to each packet");
  f.number("columns", s.columns, Unit::none, {0, kib}, optional, "Nodes a row of a mesh2d; 0: the squarest that fits");
}

void describe(Fields& f, MemorySpec& s) {
  f.text("standard", s.standard, required,
         "A DRAM preset under configs/dram, such as HBM2, HBM3, DDR4-3200, LPDDR5-6400");
  f.text(
      "model", s.model, optional,
      "A registered memory model: bank; ideal, one pipe of its bandwidth; instant, for what-ifs: it answers at once");
  f.number("channels", s.channels, Unit::none, {0, 4 * kib}, optional,
           "Independent channels; 0: as many as one stack or device of the standard has");
  f.number("capacity", s.capacity_bytes, Unit::bytes, {64 * kib, 64 * tib}, required, "Size of global memory");
  f.number("bandwidth", s.bandwidth_bytes_per_second, Unit::bytes_per_second, {0, peta}, optional,
           "Peak of all channels; 0: the standard's own, else the channels' clock is scaled to give it");
  f.text("mapping", s.mapping, optional,
         "Address bits, most to least significant: ro row, ra rank, bg bank group, ba bank, ch channel, co column");
  f.text("page_policy", s.page_policy, optional, "open or closed");
  f.text("refresh", s.refresh, optional, "all_bank, per_bank or none");
  f.number("queue_depth", s.queue_depth, Unit::none, {1, 64 * kib}, optional,
           "Requests a channel looks at to choose the next");
  f.time("latency", s.latency, {0, millisecond}, optional,
         "Fixed path between the network and the controller, each way");
  f.number("interleave", s.interleave_bytes, Unit::bytes, {0, gib}, optional,
           "Bytes on one channel before the next; 0: as the mapping says");
  f.flag("hash", s.hash, optional,
         "The address bits above the channel's permute the channels, so that rows at a power of two apart meet all of "
         "them");
  f.flag("hash_turned", s.hash_turned, optional,
         "With `hash`, each group of address bits is turned by one more than the group below it, so that rows a little "
         "more than a power of two apart, which move two groups alike, meet all channels too");
}

void describe(Fields& f, LinkSpec& s) {
  f.text("topology", s.topology, optional, "How chips are joined: none, ring, torus2d, fully_connected");
  f.number("bandwidth", s.bandwidth_bytes_per_second, Unit::bytes_per_second, {0, peta}, optional,
           "Of one link, each way");
  f.time("latency", s.latency, {0, millisecond}, optional, "Of one link");
}

void describe(Fields& f, SoftwareSpec& s) {
  f.flag(
      "applies", s.applies, optional,
      "Kernels run as the rest of this part says; false: by their own plans. heddle validate turns it on for rows that "
      "were measured with that software");
  f.number(
      "stage_operands", s.stage_bytes, Unit::bytes, {0, 4 * gib}, optional,
      "Matrix products run as an operator compiler makes them: weights of up to so many bytes, and the other operand "
      "if it fits beside them, are copied whole into SPM before the first product; with larger weights both "
      "stream by for each tile of the result; 0: the kernels' own plans");
  static constexpr std::string_view attention[] = {"own", "ragged"};
  f.choice("attention", s.attention, attention, optional,
           "own: the kernels' own plan; ragged: as JAX's ragged paged attention for TPUs runs, which computes what a "
           "causal mask hides, keeps an even number of query heads a group, and takes large blocks of keys");
}

void describe(Fields& f, ChipSpec& s) {
  f.number("clock", s.clock_hz, Unit::hertz, {1 * mega, 100 * giga}, required, "Of the cores and the network");
  f.cycles_are_of(s.clock_hz);
  f.number("cores", s.cores, Unit::none, {1, 1024}, optional, "Cores of the chip");
  f.time("launch_overhead", s.launch_overhead, {0, 1000 * millisecond}, optional,
         "Once a launch, before the first instruction (a time, or cycles)");
  f.part("core", s.core, required, "One core; all are alike");
  f.part("noc", s.noc, optional, "The network on chip between cores and memory");
  f.part("memory", s.memory, required, "Global memory");
  f.number("chips", s.chips, Unit::none, {1, 1024}, optional, "Chips of the system");
  f.part("links", s.links, optional, "The links that join chips");
  f.part("software", s.software, optional, "What programs compiled for this machine do where it leaves the choice");
}

}  // namespace heddle::config
