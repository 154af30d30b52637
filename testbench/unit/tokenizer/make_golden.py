#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small_tokenizer.json and golden.json: a small byte-level BPE vocabulary, and the ids that Hugging Face
tokenizers gives for a list of texts under each split rule.

usage: make_golden.py        in this folder; needs the PyPI package tokenizers (0.23.3)
"""
import json

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

CORPUS = ["The heddle lifts the thread; the shuttle's path is open, and the weaver weaves.",
          "I'm sure they'll say it's 2024 and we've 12 or 123 of them. DON'T SHOUT, I'LL GO.",
          "def weave(warp, weft):\n    for thread in warp:\n        weft.append(thread)\n    return weft\n",
          "naïve café, Grüße, 日本語の文, русский текст, 한국어, ½ ² ٣٤"] * 4

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def split(regex, behavior="Isolated", invert=False):
    parts = [{"type": "Split", "pattern": {"Regex": regex}, "behavior": behavior, "invert": invert},
             {**BYTES, "use_regex": False}]
    return {"type": "Sequence", "pretokenizers": parts}


def digits(individual, byte_level=BYTES):
    return {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": individual}, byte_level]}


VARIANTS = {
    "gpt2": {"pre_tokenizer": BYTES},
    "gpt2 with a prefix space": {"pre_tokenizer": {**BYTES, "add_prefix_space": True}},
    "smollm": {"pre_tokenizer": digits(True)},
    "runs of digits, prefix space": {"pre_tokenizer": digits(False, {**BYTES, "add_prefix_space": True})},
    "llama3": {"pre_tokenizer": split(LLAMA3), "ignore_merges": True},
    "llama3 as removed and inverted": {"pre_tokenizer": split(LLAMA3, "Removed", True)},
    "qwen2": {"pre_tokenizer": split(LLAMA3.replace("{1,3}", "")), "normalizer": {"type": "NFC"}},
    "unknown token": {"pre_tokenizer": BYTES, "unk_token": "Ġthe", "lacks": ["Q", "Z"]},
    "unknown token, fused": {"pre_tokenizer": BYTES, "unk_token": "Ġthe", "fuse_unk": True, "lacks": ["Q", "Z"]},
    "no token for a byte": {"pre_tokenizer": BYTES, "lacks": ["Q", "Z"]},
}

TEXTS = ["", " ", "  ", "\n", "a", "The heddle lifts the thread", " the  weaver   weaves ", "it's I'M they'LL we'Ve don'\u017f 's",
         "'", "''s", "x'", "12345 1 22 333 4444", "3.14, -1e5", "a1b2", "\r\n\r\n x\n\n\ty \n z\n", "tabs\t\tand\u00a0\u3000spaces \u2028",
         "a.b!!?\n\n...", " !x", "naïve cafe\u0301 \u212b \u1100\u1161\u11a8 \u0344", "日本語の文 русский 한국어", "½ ² ٣٤ Ⅷ",
         "\U0001F642 \U0001F469\u200d\U0001F4BB", "<|start|>The<|end|>", "<|start|", "x <|pad|> y", "x\n<|pad|>  \ny",
         "thread <|word|> <|word|>y y<|word|> e\u0301<|word|> .<|word|>.", "<|start|><|start|>x<|long|>er<|longer|>",
         "QZQZ aQb", "\u0000\u0001\u007f", "def weave(warp):\n    return warp\n", "e\u0323\u0301 \u0958 \u0f73 \ufb1d"]


def main():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), min_frequency=2,
                                  show_progress=False, special_tokens=["<|start|>", "<|end|>"])
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([AddedToken("<|pad|>", lstrip=True, rstrip=True, normalized=False),
                          AddedToken("<|word|>", single_word=True, normalized=False),
                          AddedToken("<|long", normalized=False), AddedToken("<|longer|>", normalized=False)])
    base = json.loads(tokenizer.to_str())
    # Where whole words are looked up before merging: a word that no merge leads to.
    # The library numbers added tokens behind the vocabulary, whatever the file says: they make room for one more.
    base["model"]["vocab"]["zyx"] = tokenizer.get_vocab_size(with_added_tokens=False)
    for token in base["added_tokens"]:
        token["id"] += token["id"] >= base["model"]["vocab"]["zyx"]
    out = []
    for name, variant in VARIANTS.items():
        patched = json.loads(json.dumps(base))
        for key in ("pre_tokenizer", "normalizer"):
            patched[key] = variant.get(key)
        for key in ("ignore_merges", "unk_token", "fuse_unk"):
            if key in variant:
                patched["model"][key] = variant[key]
        for token in variant.get("lacks", []):
            patched["model"]["vocab"]["unused" + token] = patched["model"]["vocab"].pop(token)
        oracle = Tokenizer.from_str(json.dumps(patched))
        texts = TEXTS + ["zyx zyxw"]
        cases = []
        for text in texts:
            ids = oracle.encode(text, add_special_tokens=False).ids
            oracle.encode_special_tokens = True
            plain = oracle.encode(text, add_special_tokens=False).ids
            oracle.encode_special_tokens = False
            case = {"text": text, "ids": ids, "decoded": oracle.decode(ids, skip_special_tokens=False)}
            cases.append(case | ({"as_text": plain} if plain != ids else {}))
        out.append({"name": name} | variant | {"cases": cases})
    with open("small_tokenizer.json", "w") as file:
        json.dump(base, file, ensure_ascii=True, separators=(",", ":"))
    with open("golden.json", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(v, separators=(",", ":")) for v in out) + "\n]\n")


main()
