#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rules about the source tree that no compiler checks. One rule a call, so that each is a test of its own:
#   lint.sh RULE [ROOT]        RULE: arrows, libraries, licence, length, words, errors, format
# Prints one line per violation (file:line: what) and exits 1 if there is any; 77 where the rule cannot run here.
# exceptions.txt beside this file names the files a rule spares, each with its reason.
set -euo pipefail
rule=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "${2:-$here/../..}"
exceptions=$here/exceptions.txt
status=0

complain() { echo "$*"; status=1; }

files() { # extension...: our files with one of these extensions, sorted
  local patterns=() extension
  for extension in "$@"; do patterns+=(-o -name "*.$extension"); done
  find isa sim sdk kernels models testbench configs cmake -type f \( "${patterns[@]:1}" \) 2>/dev/null | sort
}

spared() { grep -qE "^$rule +$1 " "$exceptions"; }

# Lines "file:line:path" of the includes in quotes, or in angle brackets.
quoted_includes() { files hpp cpp h def inc | xargs -r grep -HnoP '^\s*#\s*include\s*"\K[^"]+' || true; }
angled_includes() { files hpp cpp h def inc | xargs -r grep -HnoP '^\s*#\s*include\s*<\K[^>]+' || true; }

# models -> kernels -> sdk -> isa <- sim; sim/app is a leaf that may include all; testbench may include everything.
arrows() {
  local file line path top allowed
  while IFS=: read -r file line path; do
    [[ $path == hwy/* ]] && continue # Highway's own examples quote its headers
    top=${path%%/*}
    case $file in
      testbench/*) continue ;;
      sim/app/*) allowed=" isa sim sdk kernels models " ;;
      sim/*) allowed=" isa sim " ;;
      isa/*) allowed=" isa " ;;
      sdk/*) allowed=" isa sdk " ;;
      kernels/*) allowed=" isa sdk kernels " ;;
      models/*) allowed=" isa sdk kernels models " ;;
    esac
    if [[ " isa sim sdk kernels models testbench " != *" $top "* ]]; then
      spared "$file" || complain "$file:$line: \"$path\" is not rooted; write the path from the top folder"
    elif [[ $allowed != *" $top "* ]]; then
      complain "$file:$line: ${file%%/*} must not include $top (\"$path\")"
    elif [[ $path == sim/app/* && $file != sim/app/* ]]; then
      complain "$file:$line: nothing includes sim/app (\"$path\")"
    fi
  done < <(quoted_includes)
}

# SystemC only in sim, and not where plain arithmetic has to stay testable without it; yaml-cpp only in sim/config;
# isa only needs the standard library and fmt.
libraries() {
  local file line path
  while IFS=: read -r file line path; do
    case $path in
      systemc* | sysc/* | tlm* | sc_*)
        case $file in
          sim/exec/* | sim/config/* | sim/memory/* | sim/noc/*) complain "$file:$line: SystemC does not belong in ${file%/*}" ;;
          sim/* | testbench/*) ;;
          *) complain "$file:$line: SystemC does not belong outside sim" ;;
        esac
        ;;
      yaml-cpp/*) [[ $file == sim/config/* ]] || complain "$file:$line: yaml-cpp does not belong outside sim/config" ;;
    esac
    if [[ $file == isa/* && $path == */* && $path != fmt/* && $path != isa/* ]]; then
      complain "$file:$line: isa needs only the standard library and fmt, not <$path>"
    fi
  done < <(angled_includes; quoted_includes)
}

licence() {
  local file
  for file in $(files hpp cpp h def inc py sh yaml cmake s js css) $(find . -path ./build -prune -o -name CMakeLists.txt -print) \
    heddle .ci/run; do
    [[ -e $file ]] || continue
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || spared "$file" ||
      complain "$file:1: the SPDX line is missing"
  done
}

length() {
  local file lines
  while read -r lines file; do
    [[ $file == total ]] && continue
    ((lines <= 400)) || spared "$file" || complain "$file: $lines lines; past 400 a file is two things"
  done < <(files hpp cpp h py sh yaml js css | xargs -r wc -l)
}

words() {
  local hit
  while read -r hit; do
    [[ -n $hit ]] && complain "$hit"
  done < <(files hpp cpp h def inc py sh yaml cmake js css | grep -v '^testbench/lint/' |
    xargs -r grep -HnE '\b(TODO|FIXME|XXX)\b' || true)
}

# Every hazard that the simulator or the SDK names has its page: what it means, a smallest example, how to mend it.
errors() {
  local id page
  for id in $(files cpp hpp | grep -E '^(sim|sdk)/' | xargs -r grep -hoE 'HDL-(RACE|SEM|BOUND|PIPE|ACC)-[0-9]+' | sort -u); do
    page=docs/errors/$id.md
    if [[ ! -e $page ]]; then
      complain "$page: missing; the code names $id"
    elif ! grep -q '^## Smallest example' "$page" || ! grep -q '^## How to mend it' "$page"; then
      complain "$page: needs '## Smallest example' and '## How to mend it'"
    fi
  done
}

format() {
  if ! command -v clang-format-14 >/dev/null; then
    echo "skipped: clang-format-14 is not installed"
    exit 77
  fi
  local output
  output=$(files hpp cpp h js | xargs -r -n 20 -P 2 clang-format-14 --dry-run -Werror 2>&1 | grep ': error:' | cut -d: -f1 |
    sort | uniq -c || true)
  [[ -z $output ]] || complain "$output"$'\n'"(lines that clang-format-14 would change, by file; ./heddle format mends them)"
}

case $rule in
  arrows | libraries | licence | length | words | errors | format) "$rule" ;;
  *)
    echo "unknown rule '$rule'" >&2
    exit 2
    ;;
esac
exit $status
