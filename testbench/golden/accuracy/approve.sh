#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every table of measurements, tightens the bands whose errors fell, and writes docs/accuracy.md with its figures.
# Bands that rose need a reason, which CHANGES.md keeps.
#   testbench/golden/accuracy/approve.sh BUILD_DIR ["why errors rose"]
set -euo pipefail
cd "$(dirname "$0")/../../.."
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: approve.sh BUILD_DIR [\"why errors rose\"]" >&2
  exit 2
fi
here=testbench/golden/accuracy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1/sim/app/heddle" validate testbench/golden/ground_truth/*.csv --json "$work/result.json" --page docs/accuracy.md > /dev/null
rose=$("$1/testbench/golden/golden_accuracy" update "$work/result.json" "$here/bands.txt" ${2:+"$2"}) || {
  echo "$rose" >&2
  exit 1
}
if [ -n "$rose" ]; then
  printf '\n## %s\n%s\n' "$2" "$rose" >> "$here/CHANGES.md"
fi
echo "approved; commit testbench/golden/accuracy and docs/accuracy*"
