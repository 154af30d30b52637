#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Approves moved cycles: runs the list, writes cycles.txt, and notes the reason and what moved in CHANGES.md.
#   testbench/golden/cycles/approve.sh BUILD_DIR "why the cycles moved"
set -euo pipefail
cd "$(dirname "$0")"
if [ $# -ne 2 ] || [ -z "$2" ]; then
  echo "usage: approve.sh BUILD_DIR \"why the cycles moved\"" >&2
  exit 2
fi
tool=$1/testbench/golden/golden_cycles
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$tool" list.txt > "$new"
if cmp -s "$new" cycles.txt; then
  echo "nothing moved"
  exit 0
fi
{
  printf '\n## %s\n```diff\n' "$2"
  diff -U0 cycles.txt "$new" | tail -n +3 | grep '^[-+]' || true
  printf '```\n'
} >> CHANGES.md
cp "$new" cycles.txt
echo "approved; commit cycles.txt and CHANGES.md"
