// SPDX-License-Identifier: Apache-2.0
// Assembly programs on the simulator, from the command line: values against hand-worked ones, the JSON result, errors.
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "testbench/support/catch.hpp"
#include "testbench/system/run_program.hpp"

namespace heddle::system_test {
namespace {

const std::string programs = HEDDLE_SOURCE_DIR "/testbench/system/programs/";

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> values_in(const std::string& file) {
  const std::string bytes = read_file(file);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

TEST_CASE("scalar code gives the Fibonacci numbers in every mode and on every chip") {
  const char* where = GENERATE("--mode values", "--mode timing", "--mode full", "--chip tpu-v6e", "--set cores=4");
  CAPTURE(where);
  const TempFolder temp;
  const Ran r = heddle("run " + programs + "fibonacci.s " + where + " --arg zeros:80B --dump 0=out", temp.path());
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  CHECK(r.err.empty());
  const auto got = values_in<std::int32_t>(temp.path() + "/out");
  CHECK(got ==
        std::vector<std::int32_t>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181});
}

TEST_CASE("axpy gives y + a x for lengths around its tile") {
  const std::size_t n = GENERATE(1, 3, 1023, 1024, 1025, 5000);
  CAPTURE(n);
  std::vector<float> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 97);
    y[i] = static_cast<float>(i % 89) - 40;
  }
  const TempFolder temp;
  temp.file("x", bytes_of(x));
  temp.file("y", bytes_of(y));
  const Ran r = heddle("run " + programs + "axpy.s --set cores=1 --arg file:x --arg file:y --arg " + std::to_string(n) +
                           " --arg fp32:2.5 --dump 1=out",
                       temp.path());
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const auto got = values_in<float>(temp.path() + "/out");
  REQUIRE(got.size() == n);
  for (std::size_t i = 0; i < n; ++i) REQUIRE(got[i] == y[i] + 2.5f * x[i]);  // exact: small halves
}

TEST_CASE("matmul of bf16 integers is exact") {
  constexpr std::size_t m = 64, n = 16;
  const auto bf16 = [](int v) {
    const auto f = static_cast<float>(v);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &f, 4);
    return static_cast<std::uint16_t>(bits >> 16);
  };
  const auto a_at = [](std::size_t i, std::size_t k) { return static_cast<int>((i * 7 + k * 3) % 11) - 5; };
  const auto b_at = [](std::size_t k, std::size_t j) { return static_cast<int>((k * 5 + j) % 9) - 4; };
  std::vector<std::uint16_t> a, b;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < n; ++k) a.push_back(bf16(a_at(i, k)));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) b.push_back(bf16(b_at(k, j)));
  const TempFolder temp;
  temp.file("a", bytes_of(a));
  temp.file("b", bytes_of(b));
  const Ran r = heddle(
      "run " + programs + "matmul.s --set cores=1 --arg file:a --arg file:b --arg zeros:4KiB --arg 64 --dump 2=c",
      temp.path());
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const auto c = values_in<float>(temp.path() + "/c");
  REQUIRE(c.size() == m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      int want = 0;
      for (std::size_t k = 0; k < n; ++k) want += a_at(i, k) * b_at(k, j);
      REQUIRE(c[i * n + j] == static_cast<float>(want));
    }
}

TEST_CASE("an image runs as its text does, to the cycle, twice") {
  const TempFolder temp;
  REQUIRE(heddle("asm " + programs + "constants.s -o c.hdi", temp.path()).status == 0);
  const std::string rest = " --arg zeros:32B --dump 0=out --json result.json";
  std::vector<std::string> cycles;
  for (const std::string& program : {programs + "constants.s", std::string("c.hdi"), std::string("c.hdi")}) {
    const Ran r = heddle("run " + program + rest, temp.path());
    CAPTURE(r.err);
    REQUIRE(r.status == 0);
    cycles.push_back(nlohmann::json::parse(read_file(temp.path() + "/result.json"))["cycles"].dump());
    const auto y = values_in<float>(temp.path() + "/out");
    REQUIRE(y.size() == 8);
    CHECK(y[1] == -1.5f);
    CHECK(std::isinf(y[4]));
    CHECK(y[6] == 131009.0f);
  }
  CHECK(cycles[0] == cycles[1]);
  CHECK(cycles[1] == cycles[2]);
}

TEST_CASE("the JSON result has the keys of its schema") {
  const char* mode = GENERATE("values", "timing", "full");
  CAPTURE(mode);
  const Ran r = heddle("run " + programs + "constants.s --arg zeros:32B --json - --mode " + mode);
  CAPTURE(r.err);
  REQUIRE(r.status == 0);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["schema"] == "heddle.result/1");
  CHECK(json["command"] == "run");
  CHECK(json["mode"] == mode);
  CHECK(json["chip"] == "edge");
  CHECK(json["host_seconds"].get<double>() > 0);
  CHECK(json["instructions"].get<int>() > 0);
  if (std::string(mode) == "values") {
    CHECK(json["cycles"].is_null());
    CHECK(json["utilization"].is_null());
  } else {
    CHECK(json["cycles"].get<int>() > 0);
    CHECK(json["time_ns"].get<double>() == Approx(json["cycles"].get<double>()).epsilon(0.01));  // 1 GHz
    for (const char* unit : {"mxu", "vpu", "dma", "sequencer", "hbm"}) {
      CHECK(json["utilization"][unit].get<double>() >= 0);
      CHECK(json["utilization"][unit].get<double>() <= 1);
    }
    CHECK(json["bytes"]["hbm_read"].get<int>() >= 32);
    CHECK(json["bytes"]["hbm_written"].get<int>() >= 32);
  }
}

TEST_CASE("a deadlock is reported, not waited for") {
  const char* mode = GENERATE("values", "full");
  const Ran r = heddle("run " + programs + "deadlock.s --mode " + mode);
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, contains("HDL-SEM-01") && contains("deadlock.s"));
}

TEST_CASE("a program that does something undefined is stopped at its line") {
  const TempFolder temp;
  temp.file("far.s",
            "        .view a, hbm, fp32, [16]\n        .view t, spm, fp32, [16], base=1073741824\n"
            "start:  view v1, a, base=x4\n        view v2, t\n        dma.copy v2, v1\n        halt\n");
  const Ran r = heddle("run far.s", temp.path());
  CHECK(r.status == 2);
  CHECK_THAT(r.err, contains("HDL-EXEC-01") && contains("far.s:"));
}

TEST_CASE("wrong arguments of a launch are refused") {
  const char* arguments =
      GENERATE("", "--arg 1 --arg 2", "--arg one", "--arg zeros:4", "--arg zeros:9EiB", "--arg file:/nonexistent",
               "--arg fp32:x", "--arg 0xg", "--arg zeros:80B --entry nowhere", "--arg zeros:80B --dump 1=x",
               "--arg zeros:80B --dump x", "--arg 0 --dump 0=x", "--arg zeros:80B --chip nochip",
               "--arg zeros:80B --set cores=0", "--arg zeros:80B --json /nonexistent/r.json", "--arg zeros:5GiB");
  CAPTURE(arguments);
  const Ran r = heddle("run " + programs + "fibonacci.s " + arguments);
  CAPTURE(r.err);
  CHECK(r.status == 2);
  CHECK(lines(r.err) == 1);
}

TEST_CASE("a result file is whole or absent") {
  const TempFolder temp;
  temp.file("r.json", "old");
  CHECK(heddle("run " + programs + "fibonacci.s --json r.json", temp.path()).status == 2);  // an argument is missing
  CHECK(read_file(temp.path() + "/r.json") == "old");
  CHECK(heddle("run " + programs + "fibonacci.s --arg zeros:80B --json r.json", temp.path()).status == 0);
  CHECK(nlohmann::json::parse(read_file(temp.path() + "/r.json"))["entry"] == "fibonacci");
}

}  // namespace
}  // namespace heddle::system_test
