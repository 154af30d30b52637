// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "isa/base/error.hpp"
#include "testbench/support/catch.hpp"

namespace heddle::testing {

// That `call` throws a heddle::Error of this id whose text holds `part`.
template <class Call>
void expect_error(std::string_view id, std::string_view part, Call call) {
  try {
    call();
  } catch (const Error& e) {
    CAPTURE(std::string(e.what()));
    CHECK(e.id() == id);
    CHECK(std::string_view(e.what()).find(part) != std::string_view::npos);
    return;
  }
  FAIL("no error, expected " << id);
}

}  // namespace heddle::testing
