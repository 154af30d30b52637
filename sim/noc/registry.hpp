// SPDX-License-Identifier: Apache-2.0
// Where topologies add themselves: one `const Registration r{"name", make}` in a topology's .cpp.
#pragma once
#include <memory>
#include <string>

#include "sim/noc/i_noc_model.hpp"

namespace heddle::noc {

using NocFactory = std::unique_ptr<INocModel> (*)(const config::NocSpec&, int cores, int memory_ports, TimeFs period);

struct Registration {
  Registration(const std::string& name, NocFactory make);
};

}  // namespace heddle::noc
