// SPDX-License-Identifier: Apache-2.0
#include "sim/check/selection.hpp"

#include <algorithm>

#include "isa/base/error.hpp"

namespace heddle::check {

Selection parse_selection(std::string_view text) {
  if (text == "all") return {};
  Selection s{false, false, false};
  if (text == "none") return s;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (name == "races")
      s.races = true;
    else if (name == "bounds")
      s.bounds = true;
    else if (name == "uninit")
      s.uninit = true;
    else
      fail(ErrorKind::bad_input, "HDL-CHECK-01",
           "no checker '{}'; expected all, none, or a list of races, bounds and uninit", name);
    begin = end + 1;
  }
  return s;
}

Selection take_selection(std::vector<std::string>& overrides) {
  constexpr std::string_view key = "check=";
  Selection s;
  for (const std::string& o : overrides)
    if (o.starts_with(key)) s = parse_selection(std::string_view(o).substr(key.size()));
  std::erase_if(overrides, [&](const std::string& o) { return o.starts_with(key); });
  return s;
}

}  // namespace heddle::check
