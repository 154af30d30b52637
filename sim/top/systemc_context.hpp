// SPDX-License-Identifier: Apache-2.0
// SystemC elaborates once in a context, and a process has one context at a time. This owns it while a system is open.
#pragma once

namespace heddle::top {

class SystemcContext {
 public:
  // A fresh context with a resolution of 1 fs. Throws HDL-TOP-01 (unsupported) while another one is open.
  SystemcContext();
  ~SystemcContext();
  SystemcContext(const SystemcContext&) = delete;
  SystemcContext& operator=(const SystemcContext&) = delete;
};

}  // namespace heddle::top
