// SPDX-License-Identifier: Apache-2.0
#include "sim/app/target.hpp"

#include <algorithm>
#include <sstream>

#include "isa/base/error.hpp"
#include "isa/base/nearest.hpp"
#include "sim/rtl/rtl_api.h"
#include "sim/top/reference_api.h"
#include "sim/top/simulator_api.h"

namespace heddle::app {

Target find_target(const std::string& name) {
  if (name == "sim") return {name, hdl_simulator_api(), HDL_MODE_FULL};
  if (name == "rtl") return {name, hdl_rtl_api(), HDL_MODE_FULL};
  if (name == "reference") return {name, hdl_reference_api(), HDL_MODE_VALUES};
  fail(ErrorKind::bad_input, "HDL-APP-18", "no target '{}'{}; there are sim, rtl and reference", name,
       did_you_mean(name, {"sim", "rtl", "reference"}));
}

std::vector<Target> find_targets(const std::string& list) {
  std::vector<Target> out;
  std::stringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    out.push_back(find_target(name));
    if (std::count_if(out.begin(), out.end(), [&](const Target& t) { return t.name == name; }) > 1)
      fail(ErrorKind::bad_input, "HDL-APP-18", "target {} is given twice", name);
  }
  if (out.size() < 2) fail(ErrorKind::bad_input, "HDL-APP-18", "compare at least two targets, such as sim,rtl");
  return out;
}

std::string chip_for(const Target& target, const CommonOptions& common, bool chip_given) {
  return !chip_given && target.name == "rtl" ? "rtl" : common.chip;
}

}  // namespace heddle::app
