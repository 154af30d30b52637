#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Breaks each rule once in a tree of its own, and checks that lint.sh names the file.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{isa/base,sim/app,sim/exec,sim/noc,sim/config,sdk/tile,kernels/gemm,models/llama,testbench/unit}
failures=0

write() { # file, content after the licence line
  printf '// SPDX-License-Identifier: Apache-2.0\n%b\n' "$2" >"$tree/$1"
}

expect() { # rule, expected start of the one line of output; empty: no violation
  local output status=0
  output=$("$here/lint.sh" "$1" "$tree") || status=$?
  ((status == 77)) && return
  if [[ -z $2 && $status -eq 0 && -z $output ]]; then return; fi
  if [[ -n $2 && $status -eq 1 && $output == "$2"* && $(grep -vc '^(' <<<"$output") -eq 1 ]]; then return; fi
  echo "rule $1: expected '$2', got '$output' (exit $status)"
  failures=$((failures + 1))
}

broken() { # rule, file, content, expected: the file breaks the rule, and mended breaks it no more
  write "$2" "$3"
  expect "$1" "$4"
  rm "$tree/$2"
  expect "$1" ""
}

cp "$here/../../.clang-format" "$tree"
write isa/base/error.hpp '#include <fmt/format.h>\n\n#include <string>'
write sim/app/main.cpp '#include "models/llama/llama.hpp"\n#include "sim/app/command.hpp"'
write sim/config/yaml.cpp '#include <yaml-cpp/yaml.h>'
write testbench/unit/test.cpp '#include <systemc>\n\n#include "kernels/gemm/gemm.hpp"\n#include "sim/app/command.hpp"'
for rule in arrows libraries licence length words errors format; do expect $rule ""; done

broken arrows isa/base/a.hpp '#include "sim/config/chip_spec.hpp"' 'isa/base/a.hpp:2: isa must not include sim'
broken arrows sim/exec/a.cpp '\n #  include "sdk/tile/ref.hpp"' 'sim/exec/a.cpp:3: sim must not include sdk'
broken arrows sdk/tile/a.hpp '#include "sim/top/device.hpp"' 'sdk/tile/a.hpp:2: sdk must not include sim'
broken arrows sdk/tile/a.hpp '#include "kernels/gemm/gemm.hpp"' 'sdk/tile/a.hpp:2: sdk must not include kernels'
broken arrows kernels/gemm/a.cpp '#include "models/llama/llama.hpp"' 'kernels/gemm/a.cpp:2: kernels must not include models'
broken arrows models/llama/a.cpp '#include "sim/top/device.hpp"' 'models/llama/a.cpp:2: models must not include sim'
broken arrows models/llama/a.cpp '#include "testbench/support/catch.hpp"' 'models/llama/a.cpp:2: models must not include testbench'
broken arrows sim/exec/a.cpp '#include "sim/app/command.hpp"' 'sim/exec/a.cpp:2: nothing includes sim/app'
broken arrows sim/exec/a.cpp '#include "engine_op.hpp"' 'sim/exec/a.cpp:2: "engine_op.hpp" is not rooted'
broken libraries sdk/tile/a.cpp '#include <systemc>' 'sdk/tile/a.cpp:2: SystemC does not belong outside sim'
broken libraries sim/exec/a.cpp '#include <systemc.h>' 'sim/exec/a.cpp:2: SystemC does not belong in sim/exec'
broken libraries sim/noc/a.cpp '#include <tlm_utils/simple_target_socket.h>' 'sim/noc/a.cpp:2: SystemC does not belong in sim/noc'
broken libraries sim/app/a.cpp '#include <yaml-cpp/yaml.h>' 'sim/app/a.cpp:2: yaml-cpp does not belong outside sim/config'
broken libraries isa/base/a.cpp '#include <nlohmann/json.hpp>' 'isa/base/a.cpp:2: isa needs only the standard library and fmt'
broken length isa/base/a.cpp "$(yes '// x' | head -n 400 | tr '\n' '~' | sed 's/~/\\n/g')" 'isa/base/a.cpp: 40'
broken words isa/base/a.cpp '// TO''DO: later' 'isa/base/a.cpp:2:// TO''DO'
broken errors sim/exec/a.cpp 'const char* id = "HDL-SEM-99";' 'docs/errors/HDL-SEM-99.md: missing'
broken format isa/base/a.cpp 'int  a ;' '      2 isa/base/a.cpp'
echo 'int a;' >"$tree/isa/base/a.cpp"
expect licence 'isa/base/a.cpp:1: the SPDX line is missing'
exit $((failures > 0))
