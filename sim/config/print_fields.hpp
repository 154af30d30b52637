// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "sim/config/describe.hpp"

namespace heddle::config {

// The struct behind a describe() list as YAML, every key written out; load_fields() of it gives the same struct.
std::string print_fields(std::string_view schema, const Fields::Body& body);

// The reference page of a describe() list in Markdown: one table a group with key, unit, default, range and doc.
// The struct must be freshly initialised, so that its members are the defaults. `title` is the page's first heading.
std::string fields_page(std::string_view title, std::string_view what, std::string_view schema,
                        const Fields::Body& body);

}  // namespace heddle::config
