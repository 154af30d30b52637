#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes testbench/golden/tiny/: what the shipped tiny model must compute, so that `./heddle test` needs no Python.

Token ids come from the tokenizers package, logits and greedy continuations from transformers (float32, CPU). Logits lie
as little-endian float32 rows in NAME.bin; NAME.json says which positions of which tokens the rows follow.

Run:  python3 testbench/model/oracle/make_golden.py      (in a venv with requirements.txt; again after a new training)
"""

import argparse
import json
from pathlib import Path

import torch

import reference
from golden_case import write_case, write_json

ROOT = Path(__file__).resolve().parents[3]
PROMPTS = [
    # name, text, most tokens used, rows of logits kept (None: all)
    ("genesis", "In the beginning God created the heaven and the earth. And the earth was without form, and void; and "
                "darkness was upon the face of the deep. And the Spirit of God moved upon the face of the waters. And "
                "God said, Let there be light: and there was light.", 48, None),
    ("speech", "And the king said unto them, Go ye", None, None),
    ("one_token", "A", 1, None),
    # Longer than several 64-token pages, so a decode reads its KV cache through a block table of many entries.
    ("long", "Blessed is the man that walketh not in the counsel of the ungodly, nor standeth in the way of sinners. "
             * 12, 300, 4),
]
TOKENIZER_CASES = [
    "", "a", " a", "  a", "the LORD", "THE LORD thy God", "a  1", "12345", "x's can't I'LL we're", "\n\n  x", "tab\tq",
    "naïve café", "日本語", "🙂👍🏽", "<|endoftext|>", "a<|endoftext|>b", "<|endoftext", "trailing  ", " \n \n", "A\r\nB",
    "½²Ⅷ٣", "don't—stop…", "\u00a0nbsp\u3000wide", "e\u0301", "\u0000\u0001\u007f", "x" * 70, "begat " * 20,
]


def make_tiny(out):
    out.mkdir(parents=True, exist_ok=True)
    source = ROOT / "models/tiny"
    model, tokenizer = reference.load_model(source), reference.load_tokenizer(source)
    for name, text, most, kept in PROMPTS:
        ids = tokenizer.encode(text)[:most]
        write_case(out, model, tokenizer, name, tokenizer.decode(ids), ids, kept)
    cases = [{"text": t, "tokens": tokenizer.encode(t), "decoded": tokenizer.decode(tokenizer.encode(t))}
             for t in TOKENIZER_CASES]
    write_json(out / "tokenizer_cases.json", cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "testbench/golden/tiny")
    args = parser.parse_args()
    torch.set_num_threads(1)
    make_tiny(args.out)


if __name__ == "__main__":
    main()
