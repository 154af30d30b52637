#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A trace read with Perfetto's own schema, which comes from PyPI: HEDDLE_FULL_TESTS=1 fetches it once into
# build/perfetto-venv; without it, or without Python, 77 (skipped).
#   check_trace.sh HEDDLE
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
venv=${PERFETTO_VENV:-$root/build/perfetto-venv}
heddle=$1

skip() { echo "SKIPPED reading a trace with Perfetto's schema: $1"; exit 77; }

if [ ! -x "$venv/bin/python" ]; then
    [ -n "${HEDDLE_FULL_TESTS:-}" ] || skip "HEDDLE_FULL_TESTS=1 fetches the schema"
    command -v python3 >/dev/null || skip "python3 is not installed"
    python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 -m venv failed (apt-get install python3-venv)"
fi
"$venv/bin/python" -c 'import perfetto' 2>/dev/null || "$venv/bin/pip" install -q --disable-pip-version-check perfetto ||
    skip "the package could not be had"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for format in pftrace json; do
    "$heddle" bench gemm --chip edge --mode timing --trace t.$format --json r.json --quiet >/dev/null || exit 1
done
# Cycles and the clock's period in femtoseconds, from the result.
set -- $("$venv/bin/python" -c 'import json; r = json.load(open("r.json")); print(r["cycles"], round(r["time_ns"] * 1e6 / r["cycles"]))')
"$venv/bin/python" "$here/check_trace.py" t.pftrace t.json "$1" "$2"
