#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every table of measurements, tightens the bands whose errors fell, and writes docs/accuracy.md with its figures.
# Bands that rose need a reason, which CHANGES.md keeps. Tables named in pending.txt, with the reason, are left out.
#   testbench/golden/accuracy/approve.sh BUILD_DIR ["why errors rose"]
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: approve.sh BUILD_DIR [\"why errors rose\"]" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
here=testbench/golden/accuracy
tables=()
for table in testbench/golden/ground_truth/*.csv; do
  grep -q "^$(basename "$table" .csv) " "$here/pending.txt" || tables+=("$table")
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/sim/app/heddle" validate "${tables[@]}" --json "$work/result.json" --page docs/accuracy.md > /dev/null
rose=$("$build/testbench/golden/golden_accuracy" update "$work/result.json" "$here/bands.txt" ${2:+"$2"}) || {
  echo "$rose" >&2
  exit 1
}
if [ -n "$rose" ]; then
  printf '\n## %s\n%s\n' "$2" "$rose" >> "$here/CHANGES.md"
fi
echo "approved; commit testbench/golden/accuracy, docs/accuracy.md and docs/accuracy"
