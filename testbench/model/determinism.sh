#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds of different optimisation and 1 and 2 host threads must give the same results to the last bit and cycle: every
# key of the JSON, counters and a hash of the values among them, but for host time.
#
#   testbench/model/determinism.sh [LEVEL...]     builds to compare with the first one; O2 O0 O3 when left out
#
# Builds only the program, in build/release (O2) and build/O0, build/O3. Exit status: 0 the same, 1 not, 2 no build.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/determinism
jobs=$(nproc)
levels=("$@")
((${#levels[@]})) || levels=(O2 O0 O3)
mkdir -p "$work"

folder_of() { # level
  if [[ $1 == O2 ]]; then echo "$root/build/release"; else echo "$root/build/$1"; fi
}

build() { # level
  local folder options=(-DCMAKE_BUILD_TYPE=Release)
  folder=$(folder_of "$1")
  # A build type of its own: what Release adds would come behind the level and win. Warnings are the release build's
  # business: at -O3 GCC 12 sees overflows in fmt that cannot happen.
  [[ $1 == O2 ]] || options=(-DCMAKE_BUILD_TYPE="$1" -DCMAKE_CXX_FLAGS_"$1"="-$1 -w")
  mkdir -p "$folder"
  {
    [[ -e $folder/build.ninja ]] || cmake -S "$root" -B "$folder" -G Ninja "${options[@]}"
    ninja -C "$folder" -j "$jobs" heddle
  } >"$work/$1.log" 2>&1 || { tail -n 20 "$work/$1.log" >&2; exit 2; }
}

# What is compared: a model in both number formats, prefill and decode; kernels with ragged edges on two cores.
tiny=(generate --model "$root/models/tiny" --prompt "And the king said unto him," --quiet)
declare -A cases=(
  [tiny-bf16]="--max-new-tokens 24 --temperature 0.7 --seed 7"
  [tiny-fp32]="--max-new-tokens 8 --dtype fp32"
  [gemm]="gemm --shape m=96,k=200,n=330 --dtype bf16"
  [gemm-int8]="gemm --shape m=33,k=130,n=65 --dtype int8"
  [paged-attention]="paged_attention --shape kv_len=700"
  [softmax]="softmax --shape rows=65,cols=1000 --dtype fp32"
)

run() { # level threads
  local program name words seconds=$SECONDS
  program=$(folder_of "$1")/sim/app/heddle
  for name in "${!cases[@]}"; do
    read -ra words <<<"${cases[$name]}"
    if [[ $name == tiny-* ]]; then words=("${tiny[@]}" "${words[@]}"); else words=(bench "${words[@]}"); fi
    "$program" "${words[@]}" --mode full --host-threads "$2" --json - 2>"$work/error.log" >"$work/result.json" ||
      { cat "$work/error.log" >&2; echo "determinism: $1, $2 host threads: ${words[*]} failed" >&2; exit 1; }
    grep -q '"values_hash": "[0-9a-f]' "$work/result.json" && grep -q '"cycles": [1-9]' "$work/result.json" ||
      { echo "determinism: $name has no values_hash or no cycles" >&2; exit 1; }
    sed '/host_seconds"/d' "$work/result.json" >"$work/$name.$1.$2"
  done
  echo "determinism: -$1, $2 host threads: ${#cases[@]} runs in $((SECONDS - seconds)) s"
}

status=0
for level in "${levels[@]}"; do
  build "$level"
  for threads in 1 2; do
    run "$level" $threads
    for name in "${!cases[@]}"; do
      cmp -s "$work/$name.${levels[0]}.1" "$work/$name.$level.$threads" && continue
      status=1
      echo "determinism: $name: -$level with $threads host threads differs from -${levels[0]} with 1:" >&2
      diff "$work/$name.${levels[0]}.1" "$work/$name.$level.$threads" | head -n 10 >&2 || true
    done
  done
done
((status)) || echo "determinism: the same cycles, counters and values in every run"
exit $status
