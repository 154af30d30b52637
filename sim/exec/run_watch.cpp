// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/run_watch.hpp"

namespace heddle::exec {
namespace {

IRunWatch* installed = nullptr;

}  // namespace

WatchInstalled::WatchInstalled(IRunWatch* watch) { installed = watch; }

WatchInstalled::~WatchInstalled() { installed = nullptr; }

IRunWatch* WatchInstalled::get() { return installed; }

}  // namespace heddle::exec
