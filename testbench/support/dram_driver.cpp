// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/dram_driver.hpp"

#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::testbench {
namespace {

constexpr double most_credit = 64;
constexpr int most_injected = 8;  // a clock, where there is one queue

struct Access {
  std::uint64_t address = 0;
  bool write = false;
};

class Random {  // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

std::vector<Access> accesses(const DramRow& row, const memory::DramSetup& setup) {
  constexpr std::uint64_t rows = 32768;
  const auto bytes = static_cast<std::uint64_t>(row.bytes);
  const std::uint64_t capacity = static_cast<std::uint64_t>(setup.dram.organization.page_bytes) *
                                 static_cast<std::uint64_t>(setup.dram.banks_in_channel()) *
                                 static_cast<std::uint64_t>(setup.channels) * rows;
  const auto number_after = [&](const char* prefix) -> std::uint64_t {
    const std::string p = prefix;
    if (row.pattern.rfind(p, 0) != 0 || row.pattern.size() == p.size()) return 0;
    return std::stoull(row.pattern.substr(p.size()));
  };
  const bool two_streams = row.pattern.rfind("2stream", 0) == 0 || row.pattern.rfind("copy", 0) == 0;
  const bool other_group = row.pattern.back() == 'B';
  // The other stream lies half the rows away; for the B patterns also one bank group on, which in mappings that put the
  // bank group over everything but the row is a quarter of a row index.
  std::uint64_t offset = capacity / 2;
  if (other_group) offset += capacity / rows / static_cast<std::uint64_t>(setup.dram.organization.bank_groups);
  Random random(12345);
  std::vector<Access> list;
  std::uint64_t chunk = 0;
  for (std::int64_t n = 0; n < row.requests; ++n) {
    const auto i = static_cast<std::uint64_t>(n);
    Access a;
    if (row.pattern == "seq") {
      a.address = i * bytes;
    } else if (row.pattern == "rand") {
      a.address = random.next() % (capacity / bytes) * bytes;
    } else if (const std::uint64_t size = number_after("rand")) {
      if (i % (size / bytes) == 0) chunk = random.next() % (capacity / size) * size;
      a.address = chunk + i % (size / bytes) * bytes;
    } else if (const std::uint64_t stride = number_after("stride")) {
      a.address = i * stride % capacity;
    } else if (two_streams) {
      a.address = i / 2 * bytes + (i % 2 != 0 ? offset : 0);
      a.write = i % 2 != 0 && row.pattern[0] == 'c';
    } else {
      throw std::runtime_error("unknown pattern " + row.pattern);
    }
    if (row.write_fraction > 0) a.write = random.uniform() < row.write_fraction;
    list.push_back(a);
  }
  return list;
}

config::MemorySpec spec_of(const DramRow& row) {
  config::MemorySpec spec;
  spec.standard = row.ini.rfind("DDR4", 0) == 0 ? "DDR4-3200" : "HBM2";
  spec.mapping = row.mapping;
  if (row.ini.find("__1ch") != std::string::npos || row.ini.rfind("DDR4", 0) == 0) spec.channels = 1;
  if (row.ini.find("__closepage") != std::string::npos) spec.page_policy = "closed";
  if (row.ini.find("__norefresh") != std::string::npos) spec.refresh = "none";
  return spec;
}

}  // namespace

std::vector<DramRow> read_dram_rows(const std::string& csv_path) {
  std::ifstream in(csv_path);
  if (!in) throw std::runtime_error("cannot read " + csv_path);
  std::vector<DramRow> rows;
  std::string line;
  bool heading = true;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    if (heading) {
      heading = false;
      continue;
    }
    std::vector<std::string> cell;
    std::stringstream text(line);
    for (std::string c; std::getline(text, c, ',');) cell.push_back(c);
    if (cell.size() != 16) throw std::runtime_error("a row of " + std::to_string(cell.size()) + " cells: " + line);
    DramRow r;
    r.ini = cell[0];
    r.mapping = cell[1];
    r.pattern = cell[2];
    r.bytes = std::stoll(cell[3]);
    r.requests = std::stoll(cell[4]);
    r.write_fraction = std::stod(cell[5]);
    r.window = std::stoll(cell[6]);
    r.rate = std::stod(cell[7]);
    r.per_channel = cell[8] == "perch";
    r.cycles = std::stod(cell[9]);
    r.peak_percent = std::stod(cell[12]);
    r.latency_average = cell[13] == "posted" ? -1 : std::stod(cell[13]);
    r.latency_median = cell[14] == "posted" ? -1 : std::stod(cell[14]);
    rows.push_back(r);
  }
  return rows;
}

memory::DramSetup setup_of(const DramRow& row) {
  memory::DramSetup setup = memory::make_dram_setup(spec_of(row));
  if (row.ini.find("__tFAW1") != std::string::npos) setup.dram.timing.faw = 1;
  return setup;
}

// An offer that finds no room waits, up to most_credit of them; the queues of the channels are served in turn, another
// one first each clock.
DramResult replay(const DramRow& row) {
  const memory::DramSetup setup = setup_of(row);
  memory::BankMemory memory(spec_of(row), setup);
  const std::vector<Access> list = accesses(row, setup);
  const std::size_t fifos = row.per_channel ? static_cast<std::size_t>(setup.channels) : 1;
  std::vector<std::deque<std::size_t>> fifo(fifos);
  for (std::size_t i = 0; i < list.size(); ++i)
    fifo[row.per_channel ? static_cast<std::size_t>(memory.decode(list[i].address).channel) : 0].push_back(i);
  std::vector<std::int64_t> accepted(list.size());
  std::vector<double> latencies;
  std::vector<memory::Completion> completions;
  std::size_t finished = 0;
  std::int64_t outstanding = 0, clock = 0, last = 0;
  double credit = 0;
  for (; finished < list.size(); ++clock) {
    const TimeFs now(clock * setup.clock_fs);
    completions.clear();
    memory.advance(now, completions);
    for (const memory::Completion& c : completions) {
      const auto at = (c.time.value() + setup.clock_fs - 1) / setup.clock_fs;
      latencies.push_back(static_cast<double>(at - accepted[c.tag]));
      --outstanding;
      ++finished;
      last = std::max(last, at);
    }
    if (row.rate > 0) credit = std::min(credit + row.rate, most_credit);
    int injected = 0;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t k = 0; k < fifos; ++k) {
        auto& f = fifo[(static_cast<std::size_t>(clock) + k) % fifos];
        if (f.empty() || (row.rate > 0 && credit < 1) || (row.window > 0 && outstanding >= row.window)) continue;
        if (!row.per_channel && injected >= most_injected) continue;
        const Access& a = list[f.front()];
        if (!memory.accepts(a.address, a.write)) continue;
        memory.push({f.front(), a.address, static_cast<std::uint32_t>(row.bytes), a.write, now});
        accepted[f.front()] = clock;
        f.pop_front();
        ++outstanding;
        ++injected;
        credit -= 1;
        any = true;
      }
    }
  }
  DramResult result;
  result.cycles = last;
  result.peak_percent = 100.0 * static_cast<double>(row.bytes * row.requests) /
                        (static_cast<double>(setup.peak_bytes_per_second) * static_cast<double>(last) *
                         static_cast<double>(setup.clock_fs) * 1e-15);
  if (!latencies.empty()) {
    double sum = 0;
    for (double l : latencies) sum += l;
    const double ns = static_cast<double>(setup.clock_fs) * 1e-6;
    result.latency_average = sum / static_cast<double>(latencies.size()) * ns;
    std::nth_element(latencies.begin(), latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2),
                     latencies.end());
    result.latency_median = latencies[latencies.size() / 2] * ns;
  }
  return result;
}

}  // namespace heddle::testbench
