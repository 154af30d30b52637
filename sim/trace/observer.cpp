// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/observer.hpp"

namespace heddle::trace {
namespace {

IObserver* installed = nullptr;

}  // namespace

Installed::Installed(IObserver* observer) { installed = observer; }

Installed::~Installed() { installed = nullptr; }

IObserver* Installed::get() { return installed; }

}  // namespace heddle::trace
