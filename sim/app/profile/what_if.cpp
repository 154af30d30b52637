// SPDX-License-Identifier: Apache-2.0
#include "sim/app/profile/what_if.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"
#include "sim/app/output.hpp"
#include "sim/app/report.hpp"
#include "sim/app/workers.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;

const std::vector<WhatIf>& known_parts() {
  static const std::vector<WhatIf> parts{
      {"hbm", "the memory answers at once: no latency, no bound on its bandwidth", {"memory.model=instant"}, {}},
      {"dma-latency",
       "transfers have no start cost and their descriptors none",
       {"core.dma.start=0ns", "core.dma.write_start_cycles=0", "core.dma.descriptor_cycles=0"},
       {}},
      {"mxu", "the MXU's instructions take no time", {"core.mxu.instant=true"}, {}},
      {"vpu", "the VPU's instructions take no time", {"core.vpu.instant=true"}, {}},
      {"noc", "the network delivers at once: no hops, no bound on its links", {"noc.topology=instant"}, {}},
      {"sequencer", "scalar instructions and issue take no time", {"core.sequencer.instant=true"}, {}},
  };
  return parts;
}

// What comes to stdout from here on, which a process of its own may take for itself.
class Captured {
 public:
  Captured() : fd_(memfd_create("stdout", 0)) {
    if (fd_ < 0 || dup2(fd_, STDOUT_FILENO) < 0)
      fail(ErrorKind::unsupported, "HDL-APP-51", "no memory for a what-if's result: {}", std::strerror(errno));
  }
  ~Captured() { close(fd_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  std::string text() const {
    std::fflush(stdout);
    std::string out(static_cast<std::size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    if (pread(fd_, out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) out.clear();
    return out;
  }

 private:
  int fd_;
};

// In a process of its own: {"time_fs": ..}, or {"kind": .., "error": ..}.
std::string job(CommonOptions options, const WhatIf& part, const std::function<void(const CommonOptions&)>& run) {
  const auto error = [](ErrorKind kind, const std::string& text) {
    return json{{"kind", static_cast<int>(kind)}, {"error", text}}.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  try {
    const Captured out;
    options.set.insert(options.set.end(), part.overrides.begin(), part.overrides.end());
    options.json = "-";
    options.trace.clear();
    options.profile = false;
    options.quiet = true;
    options.mode = "timing";
    run(options);
    const double time_ns = json::parse(out.text()).at("time_ns");
    return json{{"time_fs", std::llround(time_ns * 1e6)}}.dump();
  } catch (const Error& e) {
    return error(e.kind(), e.what());
  } catch (const std::exception& e) {
    return error(ErrorKind::internal, e.what());
  }
}

double percent_more(TimeFs time, TimeFs total) {
  return 100 * (static_cast<double>(time.value()) / static_cast<double>(total.value()) - 1);
}

}  // namespace

std::vector<WhatIf> parse_what_if(const std::string& list) {
  std::vector<WhatIf> out;
  std::stringstream names(list == "all" ? "" : list);
  for (std::string name; std::getline(names, name, ',');) {
    const auto part =
        std::find_if(known_parts().begin(), known_parts().end(), [&](const WhatIf& p) { return p.name == name; });
    if (part == known_parts().end()) {
      std::vector<std::string_view> known;
      for (const WhatIf& p : known_parts()) known.push_back(p.name);
      fail(ErrorKind::bad_input, "HDL-APP-50", "--what-if has no '{}'{}; there are {}", name, did_you_mean(name, known),
           fmt::join(known, ", "));
    }
    if (std::none_of(out.begin(), out.end(), [&](const WhatIf& p) { return p.name == name; })) out.push_back(*part);
  }
  if (list == "all") out = known_parts();
  if (out.size() < 2) return out;
  WhatIf all{"all", "all of these at once", {}, {}};
  for (const WhatIf& p : out) all.overrides.insert(all.overrides.end(), p.overrides.begin(), p.overrides.end());
  out.push_back(std::move(all));
  return out;
}

void run_what_if(std::vector<WhatIf>& parts, const CommonOptions& common,
                 const std::function<void(const CommonOptions&)>& run) {
  Progress progress("what if", static_cast<double>(parts.size()), common.quiet);
  const std::vector<WorkerAnswer> answers = run_in_workers(
      parts.size(), {}, [&](std::size_t i) { return job(common, parts[i], run); },
      [&](std::size_t done) { progress.at(static_cast<double>(done)); });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (answers[i].failure) throw Error(ErrorKind::internal, "HDL-APP-51", *answers[i].failure);
    const json answer = json::parse(answers[i].text);
    if (answer.contains("error")) {
      const std::string text = answer.at("error");
      const std::size_t colon = text.find(": ");
      throw Error(static_cast<ErrorKind>(answer.at("kind").get<int>()), text.substr(0, colon),
                  colon == std::string::npos ? "" : text.substr(colon + 2));
    }
    parts[i].time = TimeFs(answer.at("time_fs").get<std::int64_t>());
  }
}

std::string what_if_text(const std::vector<WhatIf>& parts, TimeFs total, TimeFs period) {
  if (parts.empty() || total <= TimeFs{}) return "";
  std::string out = "\nwhat if a part of the chip took no time: the same program, run again\n";
  for (const WhatIf& p : parts)
    out += fmt::format("  {:<13}{:>15} cycles {:>+7.1f} %   {}\n", p.name,
                       grouped(static_cast<std::uint64_t>(p.time / period)), percent_more(p.time, total), p.text);
  return out;
}

json what_if_json(const std::vector<WhatIf>& parts, TimeFs total) {
  json out = json::array();
  for (const WhatIf& p : parts)
    out.push_back({{"name", p.name},
                   {"text", p.text},
                   {"set", p.overrides},
                   {"time_fs", p.time.value()},
                   {"gain", total > TimeFs{} ? -percent_more(p.time, total) / 100 : 0}});
  return out;
}

}  // namespace heddle::app
