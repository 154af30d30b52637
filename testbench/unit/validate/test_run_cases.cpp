// SPDX-License-Identifier: Apache-2.0
// Workers that answer, complain, crash and hang: the command must come back with all of them, in order.
#include "sim/app/validate/run_cases.hpp"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "testbench/support/catch.hpp"

using namespace heddle;
using namespace heddle::validate;

namespace {

Case a_case(std::uint32_t line, std::function<std::vector<Measurement>()> run) {
  Case c;
  c.place = {"t.csv", line};
  c.run = std::move(run);
  return c;
}

std::vector<Measurement> answer(double v) {
  return {{"time", "ns", 1, v, {0.5, 2}, Tolerance{ErrorScale::percent, 5}}};
}

}  // namespace

TEST_CASE("outcomes come in the cases' order, whatever order they end in") {
  std::vector<Case> cases;
  for (int i = 0; i < 20; ++i)
    cases.push_back(a_case(static_cast<std::uint32_t>(i), [i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 3 == 0 ? 30 : 1));
      return answer(i + 1);
    }));
  const unsigned jobs = GENERATE(1U, 3U, 64U);
  std::size_t heard = 0;
  const auto outcomes = run_cases(cases, {jobs, 60}, [&](std::size_t done) { heard = done; });
  CHECK(heard == 20);
  REQUIRE(outcomes.size() == 20);
  for (int i = 0; i < 20; ++i) {
    const auto& o = outcomes[static_cast<std::size_t>(i)];
    REQUIRE(o.measurements.size() == 1);
    CHECK(o.measurements[0].simulated == i + 1);
    CHECK(o.measurements[0].also_measured == std::vector<double>{0.5, 2});
    CHECK(o.measurements[0].tolerance->most == 5);
  }
}

TEST_CASE("a worker that fails in any way is a failure of its row alone") {
  const std::vector<Case> cases{
      a_case(3, []() -> std::vector<Measurement> { fail(ErrorKind::bad_input, "HDL-X-01", "no such thing"); }),
      a_case(4,
             []() -> std::vector<Measurement> {
               std::raise(SIGKILL);
               return {};
             }),
      a_case(5, []() -> std::vector<Measurement> { std::_Exit(7); }),
      a_case(6, []() -> std::vector<Measurement> { throw std::runtime_error("odd"); }),
      a_case(7, []() -> std::vector<Measurement> { return {}; }),
      a_case(8, [] { return answer(0.0 / 0.0); }),
      a_case(9,
             [] {
               std::this_thread::sleep_for(std::chrono::seconds(60));
               return answer(1);
             }),
      a_case(10, [] { return answer(3); }),
  };
  const auto outcomes = run_cases(cases, {2, 0.5}, [](std::size_t) {});
  REQUIRE(outcomes.size() == cases.size());
  for (std::size_t i = 0; i + 1 < outcomes.size(); ++i) {
    CAPTURE(i);
    REQUIRE(outcomes[i].failure.has_value());
    CHECK_THAT(outcomes[i].failure->text, contains("t.csv:" + std::to_string(i + 3) + ": "));
    CHECK(outcomes[i].measurements.empty());
  }
  CHECK(outcomes[0].failure->kind == ErrorKind::bad_input);
  CHECK_THAT(outcomes[0].failure->text, contains("HDL-X-01: no such thing"));
  CHECK_THAT(outcomes[1].failure->text, contains("crashed"));
  CHECK_THAT(outcomes[2].failure->text, contains("exit 7"));
  CHECK_THAT(outcomes[3].failure->text, contains("odd"));
  CHECK_THAT(outcomes[5].failure->text, contains("no finite error"));
  CHECK_THAT(outcomes[6].failure->text, contains("stopped after"));
  CHECK_FALSE(outcomes.back().failure.has_value());
}
