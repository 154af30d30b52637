#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `heddle generate` computed with Hugging Face transformers on the same weights.

  --fp32 FILE.bin     teacher-forced logits of fp32 mode: largest difference against the range of the logits
  --bf16 FILE.bin     those of bf16 mode: top-1 agreement and mean KL divergence, against the fp32 reference
  --greedy FILE.json  the --json output of a generation from --question: its tokens must be the reference's, all of them
  --greedy-start FILE.json   the same for a shorter run: its tokens must be the reference's first ones

FILE.bin holds little-endian float32 [positions, vocab]; FILE.bin.json beside it {"positions", "vocab", "tokens"}.
Prints one line a check and exits 1 if one misses its limit, 2 if an input cannot be used.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch

import reference


def unusable(message):
    print(f"compare.py: {message}", file=sys.stderr)
    sys.exit(2)


def read_logits(path):
    """Returns (float32 tensor [positions, vocab], token ids) of one dump; refuses sizes that disagree."""
    try:
        about = json.loads(Path(f"{path}.json").read_text())
        positions, vocab, tokens = about["positions"], about["vocab"], about["tokens"]
        flat = np.fromfile(path, dtype="<f4")
    except (OSError, ValueError, KeyError, TypeError) as error:
        unusable(f"{path}: {type(error).__name__} {error}")
    if flat.size != positions * vocab or len(tokens) != positions:
        unusable(f"{path}: {flat.size} values and {len(tokens)} tokens, expected {positions} x {vocab}")
    return torch.from_numpy(flat.reshape(positions, vocab).copy()), tokens


class Report:
    def __init__(self):
        self.missed = 0

    def line(self, name, passed, text):
        self.missed += not passed
        print(f"{'pass' if passed else 'MISS'}  {name}: {text}", flush=True)


def measure(ours, theirs):
    """Largest |difference| as a fraction of the reference's range, top-1 agreement, mean KL(reference || ours)."""
    spread = (theirs.max() - theirs.min()).item()
    log_p, log_q = theirs.double().log_softmax(-1), ours.double().log_softmax(-1)
    kl = (log_p.exp() * (log_p - log_q)).sum(-1).mean().item()
    agreement = (ours.argmax(-1) == theirs.argmax(-1)).float().mean().item()
    return (ours - theirs).abs().max().item() / spread, agreement, kl


def describe_disagreements(ours, theirs):
    """One line a position whose top-1 differs; the reference's margin tells a near tie from an error."""
    for position in torch.nonzero(ours.argmax(-1) != theirs.argmax(-1)).flatten().tolist():
        best = theirs[position].topk(2).values
        print(f"      position {position}: token {int(ours[position].argmax())} instead of "
              f"{int(theirs[position].argmax())}, reference margin {(best[0] - best[1]).item():.4f}")


def compare_logits(report, name, path, expected_ids, model, passes):
    ours, ids = read_logits(path)
    if expected_ids is not None:
        report.line(f"{name} token ids", ids == expected_ids, f"{len(ids)} tokens, the reference has "
                    f"{len(expected_ids)}{'' if ids == expected_ids else ', they differ'}")
    theirs = reference.teacher_forced(model, ids)
    if ours.shape != theirs.shape:
        unusable(f"{path}: logits {list(ours.shape)}, the model gives {list(theirs.shape)}")
    if not torch.isfinite(ours).all():
        report.line(f"{name} logits", False, f"{int((~torch.isfinite(ours)).sum())} values are not finite")
        return
    fraction, agreement, kl = measure(ours, theirs)
    report.line(f"{name} logits", passes(fraction, agreement),
                f"max difference {fraction:.3e} of the range, top-1 {agreement:.2%}, mean KL {kl:.3e} "
                f"({len(ids)} positions)")
    describe_disagreements(ours, theirs)


def read_tokens(path):
    try:
        run = json.loads(Path(path).read_text())
        return run["tokens"], run["mode"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        unusable(f"{path}: no \"tokens\" and \"mode\" to read ({error})")


def compare_greedy(report, path, start_path, question, count, model, tokenizer):
    theirs = reference.greedy(model, reference.chat_ids(tokenizer, question), count)
    if start_path:
        start, mode = read_tokens(start_path)
        report.line(f"greedy tokens, {mode} mode", bool(start) and start == theirs[:len(start)],
                    f"the first {len(start)} of {len(theirs)}")
    if not path:
        return
    ours, mode = read_tokens(path)
    ours = ours[:-1] if ours and ours[-1] == model.config.eos_token_id else ours
    same = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    report.line(f"greedy tokens, {mode} mode", ours == theirs, f"{same} of {len(theirs)} identical ({len(ours)} given)")
    print(f"      reference: {tokenizer.decode(theirs)!r}")
    if ours != theirs:
        print(f"      heddle:    {tokenizer.decode(ours)!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, help=".gguf file, or a folder with config.json and safetensors")
    parser.add_argument("--prompt-file", help="the teacher-forced text; checks heddle's token ids as well")
    parser.add_argument("--fp32")
    parser.add_argument("--bf16")
    parser.add_argument("--greedy")
    parser.add_argument("--greedy-start")
    parser.add_argument("--question", default="Why is the sky blue?")
    parser.add_argument("--new-tokens", type=int, default=32)
    parser.add_argument("--max-difference", type=float, default=1e-3, help="fp32: fraction of the logits' range")
    parser.add_argument("--min-top1", type=float, default=0.98, help="bf16: share of positions")
    args = parser.parse_args()
    if not (args.fp32 or args.bf16 or args.greedy or args.greedy_start):
        unusable("nothing to compare: give --fp32, --bf16, --greedy or --greedy-start")

    model, tokenizer = reference.load_model(args.model), reference.load_tokenizer(args.model)
    text = Path(args.prompt_file).read_text(encoding="utf-8") if args.prompt_file else None
    ids = tokenizer.encode(text) if text is not None else None
    report = Report()
    if args.fp32:
        compare_logits(report, "fp32", args.fp32, ids, model, lambda fraction, _: fraction <= args.max_difference)
    if args.bf16:
        compare_logits(report, "bf16", args.bf16, ids, model, lambda _, agreement: agreement >= args.min_top1)
    if args.greedy or args.greedy_start:
        compare_greedy(report, args.greedy, args.greedy_start, args.question, args.new_tokens, model, tokenizer)
    sys.exit(1 if report.missed else 0)


if __name__ == "__main__":
    main()
