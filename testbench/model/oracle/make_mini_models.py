#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small random models that other people's libraries made, and what they compute: oracles for our readers.

  testbench/golden/gguf/      blocks of each GGUF type with their values; mini.gguf, a one-layer llama with a different
                              type in every matrix
  testbench/golden/families/  gpt2 (float16, two shards), qwen2 (bfloat16), qwen3 (float32): one folder each

Dequantised values and the GGUF file come from gguf-py, logits and greedy continuations from transformers.

Run:  python3 testbench/model/oracle/make_mini_models.py      (in a venv with requirements.txt)
"""

import argparse
import json
from pathlib import Path

import gguf
import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import reference
from golden_case import write_case

ROOT = Path(__file__).resolve().parents[3]
VOCAB = 320
TEXT = "And God saw that it was good.\n"


def small_vocabulary():
    """The first VOCAB tokens of the tiny model's tokenizer and the merges that make them."""
    bpe = json.loads((ROOT / "models/tiny/tokenizer.json").read_text())["model"]
    tokens = sorted(bpe["vocab"], key=bpe["vocab"].get)[:VOCAB]
    merges = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m) for m in bpe["merges"][:VOCAB - 257]]
    return tokens, merges


def k_quant_blocks(kind, count, rng):
    """Random valid K-quant blocks, bytes [count, block size]: gguf-py reads these types but has no writer for them."""
    size = gguf.GGML_QUANT_SIZES[kind][1]
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    scales = rng.uniform(5e-5, 1.5e-4, (count, 2)).astype("<f2").view(np.uint8)
    if kind == gguf.GGMLQuantizationType.Q4_K:
        blocks[:, :4] = scales  # d and dmin lead the block
        blocks[:, 2:4] = (scales[:, :2].view("<f2") * 7).astype("<f2").view(np.uint8)
    else:
        blocks[:, -2:] = scales[:, :2]  # Q6_K: d ends the block
    return blocks


def packed(kind, shape, rng, spread=0.05):
    """Bytes of a random float matrix [rows, columns] in the GGUF type; K-quants ignore the spread."""
    if kind in (gguf.GGMLQuantizationType.Q4_K, gguf.GGMLQuantizationType.Q6_K):
        rows, columns = shape
        return k_quant_blocks(kind, rows * columns // 256, rng).reshape(rows, -1)
    return gguf.quantize((rng.standard_normal(shape) * spread).astype(np.float32), kind)


QUANTISED = ["F16", "BF16", "Q4_0", "Q4_1", "Q8_0", "Q4_K", "Q6_K"]


def make_blocks(path, rng):
    """Three rows of 256 values of each type: the bytes as hex, the values as float32 (exact in decimal)."""
    table = {}
    for name in QUANTISED:
        kind = gguf.GGMLQuantizationType[name]
        data = packed(kind, (3, 256), rng)
        values = gguf.dequantize(data, kind).astype(np.float32).ravel()
        table[name] = {"bytes": np.ascontiguousarray(data).view(np.uint8).tobytes().hex(),
                       "values": [float(v) for v in values]}
    path.write_text(json.dumps(table) + "\n")


def make_mini(out, rng):
    """A one-layer llama GGUF (hidden 256, vocabulary 320) with a different type in every matrix, and its logits."""
    hidden, heads, kv_heads, inner = 256, 4, 2, 256
    tokens, merges = small_vocabulary()
    path = out / "mini.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("mini")
    writer.add_context_length(256)
    writer.add_embedding_length(hidden)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(hidden // heads)
    writer.add_vocab_size(VOCAB)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL] + [gguf.TokenType.NORMAL] * (VOCAB - 1))
    writer.add_token_merges([" ".join(m) for m in merges])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_unk_token_id(0)
    matrices = [("token_embd", "Q8_0", VOCAB, hidden), ("blk.0.attn_q", "Q4_K", hidden, hidden),
                ("blk.0.attn_k", "F16", hidden // 2, hidden), ("blk.0.attn_v", "BF16", hidden // 2, hidden),
                ("blk.0.attn_output", "Q6_K", hidden, hidden), ("blk.0.ffn_gate", "Q4_0", inner, hidden),
                ("blk.0.ffn_up", "Q4_1", inner, hidden), ("blk.0.ffn_down", "Q8_0", hidden, inner)]
    for name, type_name, rows, columns in matrices:
        kind = gguf.GGMLQuantizationType[type_name]
        writer.add_tensor(f"{name}.weight", packed(kind, (rows, columns), rng, 0.3 if name == "token_embd" else 0.05), raw_dtype=kind)
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        writer.add_tensor(f"{name}.weight", (1 + 0.2 * rng.standard_normal(hidden)).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    model, tokenizer = reference.load_model(path), reference.load_tokenizer(path)
    ids = tokenizer.encode(TEXT)
    write_case(out, model, tokenizer, "mini", tokenizer.decode(ids), ids, None)


def make_family(out, config, dtype, shard, seed):
    """A random model of one transformers family, saved by transformers, with its logits."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    with torch.no_grad():
        for name, p in model.named_parameters():
            # Vectors are random too, or a reader that forgets a bias or a gain would pass.
            p.copy_(torch.randn_like(p) * (0.2 if p.dim() == 1 else 0.15) + (1.0 if is_gain(name, p) else 0.0))
    model.to(dtype).save_pretrained(out, max_shard_size=shard)
    tokens, merges = small_vocabulary()
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([tokens[0]])
    tokenizer.save(str(out / "tokenizer.json"))
    loaded, fast = reference.load_model(out), reference.load_tokenizer(out)
    ids = fast.encode(TEXT)
    write_case(out, loaded, fast, "case", fast.decode(ids), ids, None)


def is_gain(name, parameter):
    return parameter.dim() == 1 and name.endswith("weight")


def make_families(out):
    common = {"vocab_size": VOCAB, "bos_token_id": 0, "eos_token_id": 0}
    rotary = {**common, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 2,
              "num_key_value_heads": 1, "head_dim": 64, "max_position_embeddings": 128, "tie_word_embeddings": True}
    gpt2 = transformers.GPT2Config(**common, n_embd=128, n_layer=1, n_head=2, n_positions=128)
    make_family(out / "gpt2", gpt2, torch.float16, "300KB", 11)
    # Qwen2 takes its head size from hidden_size / heads, so its heads are 2 of 64.
    make_family(out / "qwen2", transformers.Qwen2Config(**{**rotary, "hidden_size": 128}), torch.bfloat16, "1GB", 12)
    untied = {**rotary, "tie_word_embeddings": False}
    make_family(out / "qwen3", transformers.Qwen3Config(**untied), torch.float32, "1GB", 13)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "testbench/golden")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(7)
    (args.out / "gguf").mkdir(parents=True, exist_ok=True)
    make_blocks(args.out / "gguf/blocks.json", rng)
    make_mini(args.out / "gguf", rng)
    make_families(args.out / "families")


if __name__ == "__main__":
    main()
