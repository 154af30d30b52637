// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/run_cases.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

namespace heddle::validate {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

json to_json(const Tolerance& t) { return {static_cast<int>(t.scale), t.most, t.least, t.one_sided}; }

json to_json(const Measurement& m) {
  return {{"what", m.what},
          {"unit", m.unit},
          {"measured", m.measured},
          {"simulated", m.simulated},
          {"also", m.also_measured},
          {"scale", static_cast<int>(m.scale)},
          {"tolerance", m.tolerance ? to_json(*m.tolerance) : json()}};
}

Measurement measurement_from(const json& j) {
  Measurement m{j.at("what"), j.at("unit"), j.at("measured"), j.at("simulated"), j.at("also"), {}, {}};
  m.scale = static_cast<ErrorScale>(j.at("scale").get<int>());
  if (const json& t = j.at("tolerance"); !t.is_null())
    m.tolerance = Tolerance{static_cast<ErrorScale>(t.at(0).get<int>()), t.at(1), t.at(2), t.at(3)};
  return m;
}

// What a worker answers: {"measurements": [...]} or {"kind": .., "error": ".."}.
json answer(const Case& c) {
  const auto error = [](ErrorKind kind, const std::string& text) {
    return json{{"kind", static_cast<int>(kind)}, {"error", text}};
  };
  try {
    json out = json::array();
    for (const Measurement& m : c.run()) {
      if (!std::isfinite(m.simulated) || !std::isfinite(m.error()))
        return error(ErrorKind::internal, fmt::format("HDL-VAL-12: {}: no finite error", m.what));
      out.push_back(to_json(m));
    }
    if (out.empty()) return error(ErrorKind::internal, "HDL-VAL-12: the run measured nothing");
    return {{"measurements", out}};
  } catch (const Error& e) {
    // A message that came through the device ABI already names its id and place.
    return error(e.kind(), e.message().find(e.id()) != std::string::npos ? e.message() : e.what());
  } catch (const std::bad_alloc&) {
    return error(ErrorKind::unsupported, "HDL-VAL-13: out of host memory");
  } catch (const std::exception& e) {
    return error(ErrorKind::internal, e.what());
  }
}

[[noreturn]] void be_worker(const Case& c, int out, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // not to outlive the command
  if (getppid() != parent) _exit(1);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // stdout is for the report
  const std::string text = answer(c).dump(-1, ' ', false, json::error_handler_t::replace);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = write(out, text.data() + at, text.size() - at);
    if (wrote < 0 && errno != EINTR) _exit(1);
    if (wrote > 0) at += static_cast<std::size_t>(wrote);
  }
  std::fflush(nullptr);
  _exit(0);
}

struct Worker {
  std::size_t index = 0;
  pid_t pid = -1;
  int in = -1;
  std::string text;
  Clock::time_point start;
};

CaseFailure failure_of(const Case& c, ErrorKind kind, const std::string& what) {
  return {kind, fmt::format("{}:{}: {}", c.place.file, c.place.line, what)};
}

Worker start_worker(const std::vector<Case>& cases, std::size_t index) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    fail(ErrorKind::unsupported, "HDL-VAL-13", "no pipe for a worker: {}", std::strerror(errno));
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    fail(ErrorKind::unsupported, "HDL-VAL-13", "no process for a worker: {}", std::strerror(reason));
  }
  if (pid == 0) {
    close(ends[0]);
    be_worker(cases[index], ends[1], parent);
  }
  close(ends[1]);
  return {index, pid, ends[0], {}, Clock::now()};
}

CaseOutcome outcome_of(const Worker& w, const Case& c, bool too_long) {
  CaseOutcome out;
  out.host_seconds = seconds_since(w.start);
  close(w.in);
  int status = 0;
  while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (too_long) {
    out.failure = failure_of(c, ErrorKind::internal,
                             fmt::format("HDL-VAL-14: stopped after {:.0f} host seconds", out.host_seconds));
  } else if (WIFSIGNALED(status)) {
    out.failure = failure_of(c, ErrorKind::internal,
                             fmt::format("HDL-VAL-14: the run crashed ({})", strsignal(WTERMSIG(status))));
  } else if (const json j = json::parse(w.text, nullptr, false); j.is_discarded()) {
    out.failure = failure_of(c, ErrorKind::internal,
                             fmt::format("HDL-VAL-14: the run ended without an answer (exit {})", WEXITSTATUS(status)));
  } else if (j.contains("error")) {
    out.failure = failure_of(c, static_cast<ErrorKind>(j.at("kind").get<int>()), j.at("error").get<std::string>());
  } else {
    for (const json& m : j.at("measurements")) out.measurements.push_back(measurement_from(m));
  }
  return out;
}

// Kills what is left when the command ends early.
struct Workers {
  std::vector<Worker> running;
  ~Workers() {
    for (const Worker& w : running) {
      kill(w.pid, SIGKILL);
      waitpid(w.pid, nullptr, 0);
    }
  }
};

}  // namespace

std::vector<CaseOutcome> run_cases(const std::vector<Case>& cases, const RunLimits& limits,
                                   const std::function<void(std::size_t)>& finished) {
  const std::size_t jobs = limits.jobs > 0 ? limits.jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<CaseOutcome> outcomes(cases.size());
  Workers workers;
  std::vector<Worker>& running = workers.running;
  std::size_t next = 0, done = 0;
  while (done < cases.size()) {
    while (running.size() < jobs && next < cases.size()) running.push_back(start_worker(cases, next++));
    std::vector<pollfd> polled;
    for (const Worker& w : running) polled.push_back({w.in, POLLIN, 0});
    constexpr int wake_ms = 100;  // for the progress line and the time limit
    poll(polled.data(), polled.size(), wake_ms);
    for (std::size_t i = running.size(); i-- > 0;) {
      Worker& w = running[i];
      bool ended = false;
      const bool too_long = seconds_since(w.start) > limits.row_seconds;
      if (too_long) {
        kill(w.pid, SIGKILL);
        ended = true;
      } else if (polled[i].revents != 0) {
        char buffer[1 << 14];
        const ssize_t got = read(w.in, buffer, sizeof buffer);
        if (got > 0) w.text.append(buffer, static_cast<std::size_t>(got));
        ended = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
      }
      if (!ended) continue;
      outcomes[w.index] = outcome_of(w, cases[w.index], too_long);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
    finished(done);
  }
  return outcomes;
}

}  // namespace heddle::validate
