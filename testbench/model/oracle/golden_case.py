# SPDX-License-Identifier: Apache-2.0
"""One golden case: a prompt's tokens, its logits and its greedy continuation, as NAME.json and NAME.bin."""

import json

import reference

NEW_TOKENS = 32


def write_json(path, value):
    """One key or list entry a line, so that a change reads well in a diff."""
    if isinstance(value, dict):
        lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    else:
        path.write_text("[\n" + ",\n".join(json.dumps(v) for v in value) + "\n]\n")


def write_case(out, model, tokenizer, name, text, ids, kept):
    rows = reference.teacher_forced(model, ids)
    positions = list(range(len(ids)))[-kept:] if kept else list(range(len(ids)))
    rows[positions].numpy().astype("<f4").tofile(out / f"{name}.bin")
    continuation = reference.greedy(model, ids, NEW_TOKENS, stop=False)
    # A near tie can fall either way in another order of summation; the smallest margin says whether one is near.
    after = reference.teacher_forced(model, ids + continuation)[len(ids) - 1:-1].topk(2).values
    write_json(out / f"{name}.json", {
        "text": text, "tokens": ids, "positions": positions, "vocab": rows.shape[1], "dtype": "float32",
        "greedy": continuation, "greedy_text": tokenizer.decode(ids + continuation),
        "greedy_min_margin": round((after[:, 0] - after[:, 1]).min().item(), 6),
        "logits_min": rows[positions].min().item(), "logits_max": rows[positions].max().item(),
    })
