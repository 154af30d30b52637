// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "sim/config/describe.hpp"
#include "sim/config/yaml_node.hpp"

namespace heddle::config {

// Fills a struct from a YAML map by its describe() list. `what` names the whole in messages ("chip").
// The map's "schema" key must say `schema` ("heddle.chip/1"). Throws bad_input at the place of the first thing wrong:
//   mine.yaml:4:3: unknown key 'coers' in chip; did you mean 'cores'?
//   mine.yaml:9:22: start in core.dma: "85" needs a unit, such as 85ns
void load_fields(const YamlNode& root, std::string_view what, std::string_view schema, const Fields::Body& body);

}  // namespace heddle::config
