// SPDX-License-Identifier: Apache-2.0
// The first error of a run. SystemC processes must not let exceptions out, so they leave them here and stand still.
#pragma once
#include <exception>

namespace heddle::compute {

class Failure {
 public:
  bool set() const { return error_ != nullptr; }
  void keep(std::exception_ptr error) {
    if (error_ == nullptr) error_ = error;
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace heddle::compute
