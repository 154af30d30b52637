// SPDX-License-Identifier: Apache-2.0
#include "sim/noc/registry.hpp"

#include <map>

#include "isa/base/error.hpp"

namespace heddle::noc {
namespace {

// A function's static, so that it exists before the first registration whatever the order of initialisation.
std::map<std::string, NocFactory>& factories() {
  static std::map<std::string, NocFactory> map;
  return map;
}

}  // namespace

Registration::Registration(const std::string& name, NocFactory make) { factories().emplace(name, make); }

std::unique_ptr<INocModel> make_noc_model(const config::NocSpec& spec, int cores, int memory_ports, TimeFs period) {
  if (factories().empty())
    fail(ErrorKind::internal, "HDL-NOC-00",
         "no network topology is registered: the library was linked without its objects");
  const auto found = factories().find(spec.topology);
  if (found == factories().end()) {
    std::string known;
    for (const auto& [name, make] : factories()) known += (known.empty() ? "" : ", ") + name;
    fail(ErrorKind::bad_input, "HDL-NOC-01", "noc: unknown topology '{}', expected one of: {}", spec.topology, known);
  }
  const auto check = [](bool ok, const char* what, std::int64_t value, const char* expected) {
    if (!ok) fail(ErrorKind::bad_input, "HDL-NOC-02", "noc: {} is {}, expected {}", what, value, expected);
  };
  check(cores >= 1, "the number of cores", cores, "at least 1");
  check(memory_ports >= 0, "the number of memory ports", memory_ports, "0 or more");
  check(spec.width_bytes >= 1, "width", spec.width_bytes, "at least 1 byte");
  check(spec.hop_cycles >= 0, "hop", spec.hop_cycles, "0 or more cycles");
  check(spec.header_bytes >= 0, "header", spec.header_bytes, "0 or more bytes");
  check(spec.columns >= 0, "columns", spec.columns, "0 or more");
  check(period.value() >= 1, "the clock period", period.value(), "at least 1 fs");
  return found->second(spec, cores, memory_ports, period);
}

}  // namespace heddle::noc
