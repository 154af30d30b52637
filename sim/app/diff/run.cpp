// SPDX-License-Identifier: Apache-2.0
#include "sim/app/diff/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/base/error.hpp"
#include "sim/app/result_file.hpp"

namespace heddle::diff {
namespace {

using app::ResultView;

// Keys that say what was run; two runs that differ in one are not the same work.
std::map<std::string, std::string> what_of(const ResultView& r) {
  std::map<std::string, std::string> out;
  for (const char* key : {"kernel", "dtype", "entry", "prompt"})
    if (r.has(key)) out[key] = r.at(key).text();
  for (const char* key : {"program", "model"})  // wherever it lies
    if (r.has(key)) out[key] = std::filesystem::path(r.at(key).text()).filename().string();
  for (const char* key : {"prompt_tokens", "tokens"})
    if (r.has(key)) out[key] = std::to_string(r.at(key).json().size());
  if (r.has("jitter")) out["jitter"] = fmt::format("seed {:.0f}", r.at("jitter").at("seed").number());
  std::string shape;
  if (r.has("shape"))
    r.at("shape").each_key([&](const std::string& name, const ResultView& size) {
      shape += fmt::format("{}{}={:.0f}", shape.empty() ? "" : ",", name, size.number());
    });
  if (!shape.empty()) out["shape"] = shape;
  return out;
}

std::optional<double> number(const ResultView& r, std::string_view key) {
  return r.has(key) ? std::optional(r.at(key).number()) : std::nullopt;
}

void add_totals(std::vector<Total>& totals, const ResultView& r, const std::string& prefix) {
  totals.push_back({prefix + "cycles", Quantity::cycles, number(r, "cycles")});
  totals.push_back({prefix + "time", Quantity::nanoseconds, number(r, "time_ns")});
  std::optional<double> read, written;
  if (r.has("bytes")) {
    read = number(r.at("bytes"), "hbm_read");
    written = number(r.at("bytes"), "hbm_written");
  }
  totals.push_back({prefix + "HBM bytes read", Quantity::bytes, read});
  totals.push_back({prefix + "HBM bytes written", Quantity::bytes, written});
  totals.push_back({prefix + "instructions", Quantity::count, number(r, "instructions")});
  totals.push_back({prefix + "tile instructions", Quantity::count, number(r, "tile_instructions")});
}

void add_engines(Profile& p, const ResultView& stalls) {
  std::map<std::string, double> cores;
  stalls.at("engines").each([&](const ResultView& e) {
    const std::string engine = e.at("engine").text();
    cores[engine] += 1;
    e.at("fs").each_key([&](const std::string& reason, const ResultView& fs) {
      p.engines[{engine, reason}] += fs.number() / p.period_fs;
    });
  });
  for (auto& [key, cycles] : p.engines) cycles /= cores[key.first];
}

// The scope that an element with the keys `program` and `scope` is of.
Scope scope_of(const ResultView& element, const std::vector<std::string>& programs) {
  const std::uint64_t program = element.at("program").whole();
  if (program >= programs.size()) element.at("program").wrong("the number of a program");
  return {programs[program], element.at("scope").text()};
}

void add_scopes(Profile& p, const ResultView& stalls, const std::vector<std::string>& programs) {
  stalls.at("scopes").each([&](const ResultView& s) {
    ScopeCycles& scope = p.scopes[scope_of(s, programs)];
    scope.passes += s.at("passes").number();
    scope.inside += s.at("inside_fs").number() / p.period_fs;
    s.at("fs").each_key([&](const std::string& unit, const ResultView& reasons) {
      reasons.each_key([&](const std::string& reason, const ResultView& fs) {
        scope.by[{unit, reason}] += fs.number() / p.period_fs;
      });
    });
  });
}

Profile profile_of(const ResultView& r) {
  const ResultView stalls = r.at("stalls");
  if (stalls.at("schema").text() != "heddle.stalls/1") stalls.at("schema").wrong("heddle.stalls/1");
  Profile p;
  p.period_fs = stalls.at("period_fs").number();
  if (p.period_fs < 1) stalls.at("period_fs").wrong("at least 1");
  add_engines(p, stalls);
  stalls.at("places").each([&](const ResultView& row) {
    const Place place{row.at("file").text(),
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(row.at("line").whole(), 0xffffffff)),
                      row.at("mnemonic").text(), row.at("unit").text(), row.at("reason").text()};
    p.places[place] += row.at("fs").number() / p.period_fs;
  });
  std::vector<std::string> programs;
  stalls.at("programs").each([&](const ResultView& name) { programs.push_back(name.text()); });
  add_scopes(p, stalls, programs);
  if (r.has("roofline") && r.at("roofline").has("points"))
    r.at("roofline").at("points").each([&](const ResultView& point) {
      if (point.at("kind").text() != "run") p.scope_bytes[scope_of(point, programs)] += point.at("hbm_bytes").number();
    });
  if (r.has("sources"))
    r.at("sources").each_key([&](const std::string& file, const ResultView& lines) {
      lines.each([&](const ResultView& line) { p.sources[file].push_back(line.text()); });
    });
  return p;
}

}  // namespace

std::string Run::title() const {
  std::string out;
  for (const char* key : {"kernel", "program", "model", "dtype", "shape"})
    if (const auto at = what.find(key); at != what.end()) out += at->second + " ";
  return fmt::format("{}on {}, {} mode", out, chip, mode);
}

Run read_run(const std::string& file) {
  const nlohmann::json json = app::read_result(file);
  const ResultView r(json, file);
  Run run;
  run.file = file;
  run.command = r.at("command").text();
  // `bench dram`, `bench noc`, `bench --compare` and `validate` write results of other kinds.
  if (!r.has("mode"))
    fail_at({file}, ErrorKind::bad_input, "HDL-RES-05",
            "is a result of '{}' that is not of one run; bench, profile, run and generate write those", run.command);
  run.chip = r.at("chip").text();
  run.mode = r.at("mode").text();
  run.what = what_of(r);
  add_totals(run.totals, r, "");
  for (const char* phase : {"prefill", "decode"})
    if (r.has(phase)) add_totals(run.totals, r.at(phase), fmt::format("{} ", phase));
  if (r.has("stalls")) run.profile = profile_of(r);
  return run;
}

}  // namespace heddle::diff
