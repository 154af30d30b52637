// SPDX-License-Identifier: Apache-2.0
#include "sim/top/systemc_context.hpp"

#include <cstdlib>
#include <systemc>

#include "isa/base/error.hpp"

// libsystemc refers to it even where the program has a main of its own.
__attribute__((weak)) int sc_main(int, char**) { return 0; }

namespace heddle::top {
namespace {

bool open = false;
bool used = false;

}  // namespace

SystemcContext::SystemcContext() {
  if (open)
    fail(ErrorKind::unsupported, "HDL-TOP-01",
         "a timing or full mode device is already open in this process; close it first");
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
  if (used) {
    // The modules of the last one are gone; what they left in the kernel goes with it. The first context stays: an
    // event that is a static object of the library belongs to it, and looks there for its name when the process ends.
    static const sc_core::sc_simcontext* const first = sc_core::sc_curr_simcontext;
    if (sc_core::sc_curr_simcontext != first) delete sc_core::sc_curr_simcontext;
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
  }
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  open = used = true;
}

SystemcContext::~SystemcContext() { open = false; }

}  // namespace heddle::top
