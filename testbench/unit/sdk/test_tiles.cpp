// SPDX-License-Identifier: Apache-2.0
#include "testbench/support/catch.hpp"
