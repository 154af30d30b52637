#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wrapper script with stand-ins for apt, dpkg, cmake, ninja and ctest: what it installs, builds and runs, and when.
set -euo pipefail
wrapper=$(cd "$(dirname "$0")/../.." && pwd)/heddle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/bin" "$work/tree" "$work/elsewhere"
cp "$wrapper" "$work/tree/heddle"
export LOG=$work/log INSTALLED=$work/installed
unset HEDDLE_FULL_TESTS # CI sets it for the run that this test is part of
failures=0

stand_in() { # name, body: logs its call, then runs the body
  printf '#!/bin/bash\necho "%s $*" >>"$LOG"\n%s\n' "$1" "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
stand_in dpkg-query 'for p in "${@:3}"; do grep -qx "$p" "$INSTALLED" && echo "installed $p"; done; exit 1'
stand_in apt-get 'if [[ $1 == install ]]; then shift; for p; do [[ $p == -* ]] || echo "$p" >>"$INSTALLED"; done; fi; exit ${APT_FAILS:-0}'
stand_in cmake 'mkdir -p build/$2; touch build/$2/build.ninja; exit ${CMAKE_FAILS:-0}'
# shellcheck disable=SC2016 # expanded when the stand-in runs
stand_in ninja 'if [[ -n ${NINJA_FAILS:-} ]]; then echo "[1/2] cc"; echo "a.cpp:1: error: broken"; exit 1; fi
mkdir -p "$2/sim/app"; printf "#!/bin/bash\necho program in \$(basename \$PWD): \$*\nexit 7\n" >"$2/sim/app/heddle"; chmod +x "$2/sim/app/heddle"
echo "ninja: no work to do."'
stand_in ctest 'echo "100% tests passed, 0 tests failed out of 1"; exit ${CTEST_FAILS:-0}'
stand_in sudo 'exec "$@"'
export PATH=$work/bin:$PATH

heddle() { # what a user types; sets out, err, status, and empties the log first
  : >"$LOG"
  status=0
  (cd "$work/elsewhere" && "$work/tree/heddle" "$@" >"$work/out" 2>"$work/err") || status=$?
  out=$(<"$work/out") err=$(<"$work/err") calls=$(<"$LOG")
}
check() { # description, condition...
  if ! "${@:2}"; then
    echo "FAILED: $1 (status $status, out '$out', err '$err', calls '$calls')"
    failures=$((failures + 1))
  fi
}
is() { [[ $1 == "$2" ]]; }
has() { [[ $1 == *"$2"* ]]; }
has_not() { [[ $1 != *"$2"* ]]; }

: >"$INSTALLED"
echo libfmt-dev >>"$INSTALLED"
heddle chip list
check "installs what is missing" has "$calls" "apt-get install -q -y --no-install-recommends g++ cmake"
check "asks for the lists first" has "$calls" $'apt-get update -q\n'
check "leaves what is there" has_not "$calls" " libfmt-dev "$'\n'
check "configures the preset" has "$calls" "cmake --preset release"
check "builds the program alone" has "$calls"$'\n' " heddle"$'\n'
check "runs in the user's folder with the user's arguments" is "$out" "program in elsewhere: chip list"
check "passes the program's exit code on" is "$status" 7

heddle chip list
check "is quiet when all is there" is "$err" ""
check "does not touch apt again" has_not "$calls" "apt-get"
check "does not configure again" has_not "$calls" "cmake --preset"

heddle test -L unit
check "test builds everything" has "$calls"$'\n' " all"$'\n'
check "test passes its options to ctest" has "$calls" "--output-on-failure --no-tests=error -L unit"
check "test succeeds with ctest" is "$status" 0
CTEST_FAILS=8 heddle test
check "test fails with ctest" is "$status" 1

# The optional parts, as CI asks for them.
mkdir -p "$work/tree/testbench/model/oracle"
for part in oracle/run determinism; do
  printf '#!/bin/bash\necho "%s ran"\nexit ${%s:-0}\n' "$part" "PART_FAILS" >"$work/tree/testbench/model/$part.sh"
  chmod +x "$work/tree/testbench/model/$part.sh"
done
HEDDLE_FULL_TESTS=1 heddle test
check "the full tests pass when all parts do" is "$status" 0
check "the full tests run the comparison with transformers" has "$out" "oracle/run ran"
check "the full tests compare builds" has "$out" "determinism ran"
HEDDLE_FULL_TESTS=1 PART_FAILS=1 heddle test
check "the full tests fail with a part" is "$status" 1
heddle test
check "without being asked the optional parts do not run, and say so" has "$err" "skipped the comparison with transformers"

NINJA_FAILS=1 heddle chip list
check "a broken build stops" is "$status" 2
check "a broken build shows the compiler's words" has "$err" "a.cpp:1: error: broken"
check "a broken build runs nothing" is "$out" ""

heddle build nonsense
check "an unknown preset is named" has "$err" "no preset 'nonsense'"
check "an unknown preset is bad usage" is "$status" 2

rm -rf "$work/tree/build"
CMAKE_FAILS=1 heddle chip list
check "a failed configure stops" is "$status" 2

: >"$INSTALLED"
APT_FAILS=100 heddle chip list
check "a failed installation stops" is "$status" 2
check "a failed installation says how to do it by hand" has "$err" "apt-get install g++"

if ((EUID == 0)) && command -v setpriv >/dev/null; then
  : >"$INSTALLED"
  chmod -R a+rwX "$work"
  as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  : >"$LOG"
  "${as_nobody[@]}" "$work/tree/heddle" chip list >"$work/out" 2>"$work/err" || true
  calls=$(<"$LOG")
  check "who is not root installs through sudo" has "$calls" "sudo env DEBIAN_FRONTEND=noninteractive apt-get install"
fi
exit $((failures > 0))
