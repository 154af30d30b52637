// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/dram_driver.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::testbench {

std::vector<DramRow> read_dram_rows(const std::string& csv_path) {
  std::ifstream in(csv_path);
  if (!in) throw std::runtime_error("cannot read " + csv_path);
  std::vector<DramRow> rows;
  std::string line;
  bool heading = true;
  while (std::getline(in, line)) {
    if (line.ends_with("\r")) line.pop_back();
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
    r.latency_p99 = cell[15] == "posted" ? -1 : std::stod(cell[15]);
    rows.push_back(r);
  }
  return rows;
}

memory::DriveResult replay(const DramRow& row) {
  const memory::NamedMemory m = memory::memory_of_ini(row.ini, row.mapping);
  memory::Stream stream;
  stream.pattern = memory::parse_pattern(row.pattern);
  stream.requests = row.requests;
  stream.bytes = row.bytes;
  stream.write_fraction = row.write_fraction;
  return memory::drive(m.spec, m.setup, stream, {row.window, row.rate, row.per_channel});
}

}  // namespace heddle::testbench
