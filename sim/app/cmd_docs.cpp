// SPDX-License-Identifier: Apache-2.0
// heddle docs PAGE: the reference pages that are generated from what the code does.
#include <map>
#include <memory>

#include "isa/asm/reference.hpp"
#include "isa/base/error.hpp"
#include "sim/app/command.hpp"
#include "sim/app/output.hpp"
#include "sim/app/run_file.hpp"

namespace heddle::app {
namespace {

const std::map<std::string, std::function<std::string()>>& pages() {
  static const std::map<std::string, std::function<std::string()>> all{{"config", config_reference_page},
                                                                       {"isa", isa::instruction_reference}};
  return all;
}

const Command docs("docs", "Print a generated reference page", [](CLI::App& sub) {
  auto page = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const auto& [name, write] : pages()) names.push_back(name);
  sub.add_option("page", *page, fmt::format("Which: {}", fmt::join(names, ", ")))
      ->type_name("PAGE")
      ->required()
      ->check(CLI::IsMember(names));
  return [page] {
    print_result(pages().at(*page)());
    return success;
  };
});

}  // namespace
}  // namespace heddle::app
