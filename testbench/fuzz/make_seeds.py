#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small valid inputs for the weight and tokenizer fuzzers, from which they mutate.

usage: make_seeds.py FOLDER     makes FOLDER/{gguf,safetensors,tokenizer}/
"""
import json
import struct
import sys
from pathlib import Path

UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5


def gguf_string(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def gguf_value(kind, value):
    if kind == STRING:
        return gguf_string(value)
    if kind == ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(gguf_value(inner, v) for v in items)
    return struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], value)


def gguf(metadata, tensors, align=32):
    """tensors: (name, dimensions innermost first, ggml type, data)."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    for key, kind, value in metadata:
        head += gguf_string(key) + struct.pack("<I", kind) + gguf_value(kind, value)
    data = b""
    for name, shape, kind, raw in tensors:
        data += bytes(-len(data) % align)
        head += gguf_string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, len(data))
        data += raw
    return head + bytes(-len(head) % align) + data


F32 = (0, 1, 4)  # ggml type, elements a block, bytes a block
BLOCKS = {"F16": (1, 1, 2), "BF16": (30, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q8_0": (8, 32, 34),
          "Q4_K": (12, 256, 144), "Q6_K": (14, 256, 210)}


def model_tensors(arch, hidden, kind):
    """One layer of two heads; the vocabulary is 3 and the MLP as wide as the model."""
    def matrix(name, rows, cols=hidden):
        number, elements, size = kind
        return name, [cols, rows], number, bytes(i % 61 for i in range(rows * cols // elements * size))

    def vector(name, size=hidden):
        return name, [size], 0, struct.pack(f"<{size}f", *[1.0] * size)

    if arch == "gpt2":
        both = lambda stem, rows: [matrix(stem + ".weight", rows), vector(stem + ".bias", rows)]
        norm = lambda stem: [vector(stem + ".weight"), vector(stem + ".bias")]
        return ([matrix("token_embd.weight", 3), matrix("position_embd.weight", 4)] + norm("output_norm") +
                norm("blk.0.attn_norm") + both("blk.0.attn_qkv", 3 * hidden) + both("blk.0.attn_output", hidden) +
                norm("blk.0.ffn_norm") + both("blk.0.ffn_up", hidden) + both("blk.0.ffn_down", hidden))
    return ([matrix("token_embd.weight", 3), vector("output_norm.weight"), vector("blk.0.attn_norm.weight")] +
            [matrix(f"blk.0.{n}.weight", hidden) for n in
             ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")] +
            [vector("blk.0.ffn_norm.weight")] +
            ([vector(f"blk.0.attn_{n}.bias") for n in "qkv"] if arch == "qwen2" else []) +
            ([vector(f"blk.0.attn_{n}_norm.weight", hidden // 2) for n in "qk"] if arch == "qwen3" else []))


def model_metadata(arch, hidden):
    numbers = {"block_count": 1, "context_length": 4, "embedding_length": hidden, "feed_forward_length": hidden,
               "attention.head_count": 2, "attention.head_count_kv": 2}
    return ([("general.architecture", STRING, arch)] + [(f"{arch}.{k}", UINT32, v) for k, v in numbers.items()] +
            [(f"{arch}.rope.freq_base", FLOAT32, 10000.0)])


def tokenizer_metadata(pre):
    tokens = ["<|endoftext|>", "<|im_end|>", "a", "b", "Ġ", "ab", "Ġab", "h", "e", "T", "he", "1", "2"]
    return [("tokenizer.ggml.model", STRING, "gpt2"), ("tokenizer.ggml.pre", STRING, pre),
            ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
            ("tokenizer.ggml.token_type", ARRAY, (INT32, [3, 3] + [1] * 11)),
            ("tokenizer.ggml.merges", ARRAY, (STRING, ["a b", "Ġ ab", "h e"])),
            ("tokenizer.ggml.bos_token_id", UINT32, 0), ("tokenizer.ggml.eos_token_id", UINT32, 1),
            ("tokenizer.ggml.add_bos_token", BOOL, True)]


def safetensors(tensors):
    """tensors: name -> (dtype, shape, data)."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def hf_model(kind, dtype, size):
    h = 4
    raw = lambda *shape: (dtype, list(shape), bytes(i % 97 for i in range(size * (shape[0] if len(shape) == 1 else shape[0] * shape[1]))))
    if kind == "gpt2":
        config = {"model_type": "gpt2", "n_embd": h, "n_layer": 1, "n_head": 2, "n_positions": 3, "vocab_size": 3}
        names = {"wte.weight": (3, h), "wpe.weight": (3, h), "h.0.attn.c_attn.weight": (h, 3 * h),
                 "h.0.attn.c_attn.bias": (3 * h,), "h.0.attn.c_proj.weight": (h, h), "h.0.attn.c_proj.bias": (h,),
                 "h.0.mlp.c_fc.weight": (h, 4 * h), "h.0.mlp.c_fc.bias": (4 * h,),
                 "h.0.mlp.c_proj.weight": (4 * h, h), "h.0.mlp.c_proj.bias": (h,)}
        names |= {f"{n}.{s}": (h,) for n in ("ln_f", "h.0.ln_1", "h.0.ln_2") for s in ("weight", "bias")}
    else:
        config = {"model_type": kind, "hidden_size": h, "num_hidden_layers": 1, "num_attention_heads": 2,
                  "num_key_value_heads": 1, "intermediate_size": 6, "vocab_size": 3, "tie_word_embeddings": True,
                  "max_position_embeddings": 8, "eos_token_id": [1, 2],
                  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                   "high_freq_factor": 4.0, "original_max_position_embeddings": 4}}
        p = "model.layers.0."
        names = {"model.embed_tokens.weight": (3, h), "model.norm.weight": (h,), p + "input_layernorm.weight": (h,),
                 p + "post_attention_layernorm.weight": (h,), p + "self_attn.q_proj.weight": (h, h),
                 p + "self_attn.k_proj.weight": (2, h), p + "self_attn.v_proj.weight": (2, h),
                 p + "self_attn.o_proj.weight": (h, h), p + "mlp.gate_proj.weight": (6, h),
                 p + "mlp.up_proj.weight": (6, h), p + "mlp.down_proj.weight": (h, 6)}
        if kind == "qwen2":
            names |= {p + f"self_attn.{n}_proj.bias": (h if n == "q" else 2,) for n in "qkv"}
    text = json.dumps(config).encode()
    return struct.pack("<H", len(text)) + text + safetensors({n: raw(*s) for n, s in names.items()})


LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")


def tokenizer_json(pre, merges, **model):
    vocab = {t: i for i, t in enumerate(["<|im_end|>", "a", "b", "Ġ", "ab", "Ġab", "h", "e", "T", "he", "1", "2"])}
    return json.dumps({
        "added_tokens": [{"id": 0, "content": "<|im_end|>", "special": True, "lstrip": True, "rstrip": False,
                          "single_word": False, "normalized": False}],
        "normalizer": {"type": "NFC"}, "pre_tokenizer": pre,
        "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|im_end|>", "type_id": 0}}]},
        "model": {"type": "BPE", "vocab": vocab, "merges": merges, **model}}).encode()


CHATS = ["{% for m in messages %}{{'<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>'}}{% endfor %}",
         "{{ bos_token }}{{ '<|im_start|>system\\nYou are helpful.<|im_end|>\\n' }}",
         "{{ '<|start_header_id|>' }}{{ 'Cutting Knowledge Date: December 2023' }}",
         "{{ bos_token }}{{ '[INST] ' + message['content'] + ' [/INST]' }}{{ message['content'] + eos_token + ' ' }}",
         "{{ '<|user|>\n' + message['content'] + eos_token }}{{ '<|assistant|>' }}"]


def main(folder):
    def write(kind, name, data):
        path = Path(folder) / kind
        path.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)

    for arch in ("llama", "qwen2", "qwen3", "gpt2"):
        write("gguf", arch, gguf(model_metadata(arch, 8), model_tensors(arch, 8, F32)))
    for name, kind in BLOCKS.items():
        number, elements, size = kind
        data = bytes(i % 61 for i in range(512 // elements * size))
        write("gguf", name, gguf(model_metadata("llama", 256), [("token_embd.weight", [256, 2], number, data)]))
        if elements == 32:
            write("gguf", "model-" + name, gguf(model_metadata("llama", 32), model_tensors("llama", 32, kind)))
    write("gguf", "aligned", gguf([("general.alignment", UINT32, 64)], [("x", [2, 2], 0, bytes(16))], align=64))
    for kind in ("llama", "qwen2", "gpt2"):
        for dtype, size in (("F32", 4), ("BF16", 2), ("I8", 1)):
            write("safetensors", f"{kind}-{dtype}", hf_model(kind, dtype, size))
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    digits = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]}
    split = {"type": "Split", "pattern": {"Regex": LLAMA3}, "behavior": "Isolated", "invert": False}
    llama3 = {"type": "Sequence", "pretokenizers": [split, {**byte_level, "use_regex": False}]}
    write("tokenizer", "json-gpt2", b"\0" + tokenizer_json(byte_level, ["a b", "Ġ ab", "h e"]))
    write("tokenizer", "json-digits", b"\0" + tokenizer_json(digits, [["a", "b"], ["h", "e"]], unk_token="T"))
    write("tokenizer", "json-llama3", b"\0" + tokenizer_json(llama3, [["a", "b"]], ignore_merges=True))
    for pre in ("smollm", "llama-bpe", "qwen2", "gpt-2"):
        write("tokenizer", f"gguf-{pre}", b"\1" + gguf(tokenizer_metadata(pre), []))
    for i, text in enumerate(["abab's I'LL  12 345\n\n x <|im_end|>", "e\u0301 \u1100\u1161\u11a8 日本語 \U0001F642", " \r\n\t a"]):
        write("tokenizer", f"text-{i}", b"\2" + text.encode() + b"\xff\xe2\x82")
    for i, text in enumerate(CHATS):
        write("tokenizer", f"chat-{i}", b"\3" + text.encode())


main(sys.argv[1])
