// SPDX-License-Identifier: Apache-2.0
// Holds tables of measurements to the errors that were reached once.
//   golden_accuracy check HEDDLE BANDS TABLE.csv...       runs heddle validate; 1 if an error left its band
//   golden_accuracy cover BANDS PENDING FOLDER            1 if a table of the folder has no band and is not pending
//   golden_accuracy update RESULT.json BANDS [REASON]     bands from a result of heddle validate: those that fell are
//                                                         tightened; one that rose needs a reason, and is printed
// A band is a line "table | group | unit | mean | worst"; group "all" is the whole table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace {

using nlohmann::json;

struct Band {
  double mean = 0, worst = 0;
};
using Bands = std::map<std::string, Band>;  // by "table | group | unit"

constexpr double step = 0.01;  // bands are written in these steps, rounded up

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

Bands read_bands(const std::string& path) {
  Bands bands;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, '|');) cells.push_back(trimmed(cell));
    if (cells.size() != 5) throw std::runtime_error(path + ": not a band: " + line);
    bands[fmt::format("{} | {} | {}", cells[0], cells[1], cells[2])] = {std::stod(cells[3]), std::stod(cells[4])};
  }
  return bands;
}

double rounded_up(double v) { return std::max(0.0, std::ceil(v / step - 1e-6)) * step; }

// What a result reached, in the same form. A failed row has no error, so it is none of these: it is complained about.
Bands bands_of(const json& result, int& failures) {
  Bands bands;
  for (const json& table : result.at("tables")) {
    for (const json& row : table.at("rows")) {
      if (row.at("failure").is_null()) continue;
      fmt::print("{}\n", row.at("failure").get<std::string>());
      ++failures;
    }
    for (const json& f : table.at("figures")) {
      const std::string group = f.at("group").is_null() ? "all" : f.at("group").get<std::string>();
      bands[fmt::format("{} | {} | {}", table.at("table").get<std::string>(), group,
                        f.at("error_unit").get<std::string>())] = {f.at("mean"), f.at("worst")};
    }
  }
  return bands;
}

json run(const std::string& heddle, const std::string& table) {
  const std::string command = fmt::format("'{}' validate '{}' --json - --quiet", heddle, table);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  json result = json::parse(text, nullptr, false);
  if (result.is_discarded()) throw std::runtime_error("no result from " + command);
  return result;
}

int check(const std::string& heddle, const std::string& bands_path, const std::vector<std::string>& tables) {
  const Bands bands = read_bands(bands_path);
  int wrong = 0;
  for (const std::string& path : tables) {
    const Bands reached = bands_of(run(heddle, path), wrong);
    const std::string prefix = std::filesystem::path(path).stem().string() + " | ";
    for (const auto& [key, band] : bands) {
      if (!key.starts_with(prefix) || reached.contains(key)) continue;
      fmt::print("{}: has a band, but nothing was measured\n", key);
      ++wrong;
    }
    for (const auto& [key, now] : reached) {
      const auto band = bands.find(key);
      if (band == bands.end()) {
        fmt::print("{}: mean {:.2f}, worst {:.2f}: has no band\n", key, now.mean, now.worst);
        ++wrong;
        continue;
      }
      const bool left = now.mean > band->second.mean + 1e-6 || now.worst > band->second.worst + 1e-6;
      const bool fell = rounded_up(now.mean) < band->second.mean || rounded_up(now.worst) < band->second.worst;
      if (left || fell)
        fmt::print("{}: mean {:.2f} of {:.2f}, worst {:.2f} of {:.2f}{}\n", key, now.mean, band->second.mean, now.worst,
                   band->second.worst, left ? ": LEFT ITS BAND" : ": fell; approve.sh tightens the band");
      wrong += left ? 1 : 0;
    }
  }
  return wrong == 0 ? 0 : 1;
}

// Every table of the folder has a band, or stands in `pending` with a reason.
int cover(const std::string& bands_path, const std::string& pending_path, const std::string& folder) {
  const Bands bands = read_bands(bands_path);
  std::ifstream in(pending_path);
  std::vector<std::string> pending;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#') && line.find(' ') != std::string::npos)
      pending.push_back(line.substr(0, line.find(' ')));
  int wrong = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    const std::string stem = entry.path().stem().string();
    const bool held =
        std::any_of(bands.begin(), bands.end(), [&](const auto& b) { return b.first.starts_with(stem + " |"); });
    const bool waits = std::find(pending.begin(), pending.end(), stem) != pending.end();
    if (held != waits) continue;
    fmt::print("{}: {}\n", stem, held ? "has bands and is said to be pending" : "has no bands; approve.sh makes them");
    ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}

int update(const std::string& result_path, const std::string& bands_path, const std::string& reason) {
  std::ifstream in(result_path);
  int failures = 0;
  const json result = json::parse(in);
  const Bands now = bands_of(result, failures);
  if (failures > 0) return 1;
  Bands bands = read_bands(bands_path);
  int rose = 0;
  // Only the tables that were run change.
  for (const json& table : result.at("tables")) {
    const std::string prefix = table.at("table").get<std::string>() + " | ";
    for (auto it = bands.begin(); it != bands.end();)
      it = it->first.starts_with(prefix) && !now.contains(it->first) ? bands.erase(it) : std::next(it);
  }
  for (const auto& [key, reached] : now) {
    const Band next{rounded_up(reached.mean), rounded_up(reached.worst)};
    const auto before = bands.find(key);
    if (before != bands.end() && (next.mean > before->second.mean + 1e-6 || next.worst > before->second.worst + 1e-6)) {
      fmt::print("- {}: mean {:.2f} to {:.2f}, worst {:.2f} to {:.2f}\n", key, before->second.mean, next.mean,
                 before->second.worst, next.worst);
      ++rose;
    }
    bands[key] = next;
  }
  if (rose > 0 && reason.empty()) {
    fmt::print(stderr, "{} bands rose; say why\n", rose);
    return 1;
  }
  std::ofstream out(bands_path);
  out << "# The largest errors that tables of measurements may show: table | group | unit | mean | worst.\n"
         "# Written by approve.sh; a line may only rise with a reason, which CHANGES.md keeps.\n";
  for (const auto& [key, band] : bands) out << fmt::format("{} | {:.2f} | {:.2f}\n", key, band.mean, band.worst);
  return out.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> a(argv + 1, argv + argc);
  try {
    if (a.size() >= 4 && a[0] == "check") return check(a[1], a[2], {a.begin() + 3, a.end()});
    if (a.size() == 4 && a[0] == "cover") return cover(a[1], a[2], a[3]);
    if ((a.size() == 3 || a.size() == 4) && a[0] == "update") return update(a[1], a[2], a.size() == 4 ? a[3] : "");
    fmt::print(stderr,
               "usage: golden_accuracy check HEDDLE BANDS TABLE... | cover BANDS PENDING FOLDER | update RESULT.json "
               "BANDS [REASON]\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "golden_accuracy: {}\n", e.what());
  }
  return 2;
}
