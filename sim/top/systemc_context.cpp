// SPDX-License-Identifier: Apache-2.0
#include "sim/top/systemc_context.hpp"

#include <cstdlib>
#include <systemc>
#include <vector>

#include "isa/base/error.hpp"

// libsystemc refers to it even where the program has a main of its own.
__attribute__((weak)) int sc_main(int, char**) { return 0; }

namespace heddle::top {
namespace {

bool open = false;
bool used = false;

// SystemC 3.0.1 (Debian 13) crashes while a context is destroyed, in its threads' ~sc_cor_qt; there it is kept.
void retire(sc_core::sc_simcontext* context, [[maybe_unused]] std::vector<sc_core::sc_simcontext*>& kept) {
#if SC_VERSION_MAJOR >= 3
  kept.push_back(context);
#else
  delete context;
#endif
}

}  // namespace

SystemcContext::SystemcContext() {
  if (open)
    fail(ErrorKind::unsupported, "HDL-TOP-01",
         "a timing or full mode device is already open in this process; close it first");
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
  if (used) {
    // The modules of the last one are gone; what they left in the kernel goes with it. The first context stays: an
    // event that is a static object of the library belongs to it, and looks there for its name when the process ends.
    static std::vector<sc_core::sc_simcontext*> kept{sc_core::sc_curr_simcontext};
    if (sc_core::sc_curr_simcontext != kept.front()) retire(sc_core::sc_curr_simcontext, kept);
    sc_core::sc_curr_simcontext = new sc_core::sc_simcontext;
    sc_core::sc_default_global_context = sc_core::sc_curr_simcontext;
  }
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  open = used = true;
}

SystemcContext::~SystemcContext() { open = false; }

}  // namespace heddle::top
