// SPDX-License-Identifier: Apache-2.0
// What a run would gain from a part of the chip that costs no time: by running the same program again on the chip with
// that part idealised. Each part is a few keys of the chip's configuration, which any run may set; none of them changes
// what a program is told of the chip, so a kernel is planned for the real one.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "isa/base/strong.hpp"
#include "sim/app/command.hpp"

namespace heddle::app {

// The parts of `list` ("hbm,mxu"; "all": every part there is), and behind them, of several, all of these at once.
// Throws HDL-APP-50 for a name that is none.
std::vector<WhatIf> parse_what_if(const std::string& list);

// Fills in each one's time. run: what the command does, with these options. Must be called before this process builds a
// simulator: each runs in a process of its own, in timing mode. Throws what the first that failed threw.
void run_what_if(std::vector<WhatIf>& parts, const CommonOptions& common,
                 const std::function<void(const CommonOptions&)>& run);

// `total`: the run's own time.
std::string what_if_text(const std::vector<WhatIf>& parts, TimeFs total, TimeFs period);
nlohmann::json what_if_json(const std::vector<WhatIf>& parts, TimeFs total);

}  // namespace heddle::app
