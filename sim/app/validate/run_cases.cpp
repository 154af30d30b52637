// SPDX-License-Identifier: Apache-2.0
#include "sim/app/validate/run_cases.hpp"

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>

namespace heddle::validate {
namespace {

using nlohmann::json;

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

CaseOutcome outcome_of(const app::WorkerAnswer& w, const Case& c) {
  const auto failure = [&](ErrorKind kind, const std::string& what) {
    return CaseFailure{kind, fmt::format("{}:{}: {}", c.place.file, c.place.line, what)};
  };
  CaseOutcome out;
  out.host_seconds = w.host_seconds;
  if (w.failure) {
    out.failure = failure(ErrorKind::internal, *w.failure);
    return out;
  }
  const json j = json::parse(w.text);
  if (j.contains("error"))
    out.failure = failure(static_cast<ErrorKind>(j.at("kind").get<int>()), j.at("error").get<std::string>());
  else
    for (const json& m : j.at("measurements")) out.measurements.push_back(measurement_from(m));
  return out;
}

}  // namespace

std::vector<CaseOutcome> run_cases(const std::vector<Case>& cases, const app::WorkerLimits& limits,
                                   const std::function<void(std::size_t)>& finished) {
  const auto job = [&](std::size_t i) { return answer(cases[i]).dump(-1, ' ', false, json::error_handler_t::replace); };
  const std::vector<app::WorkerAnswer> answers = app::run_in_workers(cases.size(), limits, job, finished);
  std::vector<CaseOutcome> out;
  for (std::size_t i = 0; i < cases.size(); ++i) out.push_back(outcome_of(answers[i], cases[i]));
  return out;
}

}  // namespace heddle::validate
