// SPDX-License-Identifier: Apache-2.0
// A result as a page.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace heddle::app {

// Throws HDL-RES-04 and HDL-RES-05 (result_file.hpp), with `file` as the place, where the result is not what the page's
// scripts read: they need not doubt what is in it.
void check_result(const nlohmann::json& result, const std::string& file);

// The page: the result as JSON, and the scripts that show it. Of a result that check_result() passes.
std::string result_page(const nlohmann::json& result);

}  // namespace heddle::app
