// SPDX-License-Identifier: Apache-2.0
#include "sim/app/workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "isa/base/error.hpp"

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
using Job = std::function<std::string(std::size_t)>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

[[noreturn]] void be_worker(const Job& job, std::size_t index, int out, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // not to outlive the command
  if (getppid() != parent) _exit(1);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // stdout is for the report
  std::string text;
  try {
    text = job(index);
  } catch (...) {
    _exit(1);
  }
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

Worker start_worker(const Job& job, std::size_t index) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    fail(ErrorKind::unsupported, "HDL-APP-41", "no pipe for a worker: {}", std::strerror(errno));
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    fail(ErrorKind::unsupported, "HDL-APP-41", "no process for a worker: {}", std::strerror(reason));
  }
  if (pid == 0) {
    close(ends[0]);
    be_worker(job, index, ends[1], parent);
  }
  close(ends[1]);
  return {index, pid, ends[0], {}, Clock::now()};
}

WorkerAnswer answer_of(Worker& w, bool too_long) {
  WorkerAnswer out;
  out.host_seconds = seconds_since(w.start);
  close(w.in);
  int status = 0;
  while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (too_long)
    out.failure = fmt::format("HDL-APP-40: stopped after {:.0f} host seconds", out.host_seconds);
  else if (WIFSIGNALED(status))
    out.failure = fmt::format("HDL-APP-40: the run crashed ({})", strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    out.failure = fmt::format("HDL-APP-40: the run ended without an answer (exit {})", WEXITSTATUS(status));
  else
    out.text = std::move(w.text);
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

std::vector<WorkerAnswer> run_in_workers(std::size_t count, const WorkerLimits& limits, const Job& job,
                                         const std::function<void(std::size_t)>& finished) {
  const std::size_t jobs = limits.jobs > 0 ? limits.jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<WorkerAnswer> answers(count);
  Workers workers;
  std::vector<Worker>& running = workers.running;
  std::size_t next = 0, done = 0;
  while (done < count) {
    while (running.size() < jobs && next < count) running.push_back(start_worker(job, next++));
    std::vector<pollfd> polled;
    for (const Worker& w : running) polled.push_back({w.in, POLLIN, 0});
    constexpr int wake_ms = 100;  // for the progress line and the time limit
    poll(polled.data(), polled.size(), wake_ms);
    for (std::size_t i = running.size(); i-- > 0;) {
      Worker& w = running[i];
      bool ended = false;
      const bool too_long = seconds_since(w.start) > limits.job_seconds;
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
      answers[w.index] = answer_of(w, too_long);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
    finished(done);
  }
  return answers;
}

}  // namespace heddle::app
