#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the tiny Llama-architecture model that ships in this folder.

Plan
  1. corpus     King James Bible, read verse by verse from Debian's `bible-kjv`; a document is a chapter
  2. tokenizer  byte-level BPE, 1024 tokens, trained on the training chapters only
  3. model      4 layers, hidden 256, 4 query heads and 2 KV heads of 64, SwiGLU 512, tied embeddings, context 512
  4. training   AdamW, linear warm-up, cosine decay; random windows of the token stream; fixed seed
  5. output     config.json, model.safetensors (bf16), tokenizer.json, training.json, sample.txt

Run:  apt-get install bible-kjv && pip install torch tokenizers safetensors numpy && python3 models/tiny/train.py
"""

import argparse
import json
import math
import platform
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import nn

END = "<|endoftext|>"
HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD_DIM, INTERMEDIATE = 256, 4, 4, 2, 64, 512
VOCAB, CONTEXT, ROPE_THETA, EPS = 1024, 512, 10000.0, 1e-5
HELD_OUT_EVERY = 20  # chapters 19, 39, 59, ... validate and are never trained on


def read_chapters():
    """Returns the text of each chapter, verses separated by a newline, in the order of the books."""
    shown = subprocess.run(["bible", "-f", "-l", "10000"], input="gen1:1-rev22:21\n", capture_output=True, text=True,
                           check=True).stdout
    # The program greets with Genesis 1:1 before its first prompt; the range asked for follows that prompt.
    body = shown.split("> ", 1)[1] if "> " in shown else shown
    chapters, current = [], None
    for line in body.splitlines():
        verse = re.match(r"(\d?[A-Za-z]+\d+):\d+ (.*)$", line.split("gen1:1-rev22:21\n")[-1])
        if not verse:
            continue
        if verse.group(1) != current:
            current = verse.group(1)
            chapters.append([])
        chapters[-1].append(verse.group(2).strip())
    if len(chapters) != 1189:
        raise SystemExit(f"train.py: bible-kjv gave {len(chapters)} chapters, expected 1189")
    return ["\n".join(verses) + "\n" for verses in chapters]


def train_tokenizer(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=VOCAB, special_tokens=[END], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    return tokenizer


def token_stream(tokenizer, texts):
    """One int64 vector: every document followed by the end token."""
    end = tokenizer.token_to_id(END)
    ids = [i for encoding in tokenizer.encode_batch(texts) for i in encoding.ids + [end]]
    return torch.from_numpy(np.array(ids, dtype=np.int64))


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, EPS)


class Attention(nn.Module):
    """Grouped-query attention; rotary halves as in Hugging Face's Llama (pairs i and i + head_dim / 2)."""

    def __init__(self):
        super().__init__()
        self.q_proj = nn.Linear(HIDDEN, HEADS * HEAD_DIM, bias=False)
        self.k_proj = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.v_proj = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM, bias=False)
        self.o_proj = nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)

    def forward(self, x, cos, sin):
        def split(y):
            return y.view(y.shape[0], y.shape[1], -1, HEAD_DIM).transpose(1, 2)

        def rotate(y):
            low, high = y.chunk(2, dim=-1)
            return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1)

        group = HEADS // KV_HEADS
        q, k, v = rotate(split(self.q_proj(x))), rotate(split(self.k_proj(x))), split(self.v_proj(x))
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.up_proj = nn.Linear(HIDDEN, INTERMEDIATE, bias=False)
        self.down_proj = nn.Linear(INTERMEDIATE, HIDDEN, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(HIDDEN), RmsNorm(HIDDEN)
        self.self_attn, self.mlp = Attention(), Mlp()

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class TinyLlama(nn.Module):
    """Parameter names are those of LlamaForCausalLM without its `model.` prefix."""

    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCAB, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = RmsNorm(HIDDEN)
        angles = torch.outer(torch.arange(CONTEXT).float(),
                             ROPE_THETA ** (-torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                # Projections that write into the residual stream start smaller, so depth does not grow its variance.
                scale = 0.02 / math.sqrt(2 * LAYERS) if name.endswith(("o_proj.weight", "down_proj.weight")) else 0.02
                nn.init.normal_(p, std=scale)

    def forward(self, ids):
        x = self.embed_tokens(ids)
        cos, sin = self.cos[:ids.shape[1]], self.sin[:ids.shape[1]]
        for layer in self.layers:
            x = layer(x, cos, sin)
        return F.linear(self.norm(x), self.embed_tokens.weight)


def loss_of(model, windows):
    logits = model(windows[:, :-1])
    return F.cross_entropy(logits.float().flatten(0, 1), windows[:, 1:].flatten())


@torch.no_grad()
def validation_loss(model, stream):
    """Mean cross entropy in nats per token over consecutive windows of the held-out chapters."""
    count = (len(stream) - 1) // CONTEXT
    windows = stream[:count * CONTEXT + 1].unfold(0, CONTEXT + 1, CONTEXT)
    return sum(loss_of(model, w).item() * len(w) for w in windows.split(16)) / count


@torch.no_grad()
def sample(model, tokenizer, prompt, tokens, temperature, seed):
    """Temperature 0 is greedy. Recomputes the whole prefix for every token: simple, and fast enough for a sample."""
    generator = torch.Generator().manual_seed(seed)
    ids = tokenizer.encode(prompt).ids
    for _ in range(tokens):
        logits = model(torch.tensor([ids]))[0, -1].float()
        if temperature == 0:
            ids.append(int(logits.argmax()))
        else:
            ids.append(int(torch.multinomial(F.softmax(logits / temperature, -1), 1, generator=generator)))
        if ids[-1] == tokenizer.token_to_id(END):
            break
    return tokenizer.decode(ids)


def write_model(model, tokenizer, out):
    end = tokenizer.token_to_id(END)
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD_DIM, "intermediate_size": INTERMEDIATE, "vocab_size": VOCAB,
        "max_position_embeddings": CONTEXT, "rope_theta": ROPE_THETA, "rope_scaling": None, "rms_norm_eps": EPS,
        "hidden_act": "silu", "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": True,
        "bos_token_id": end, "eos_token_id": end, "torch_dtype": "bfloat16", "use_cache": True,
    }
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    weights = {f"model.{name}": p.detach().to(torch.bfloat16).contiguous() for name, p in model.named_parameters()}
    save_file(weights, str(out / "model.safetensors"), metadata={"format": "pt"})
    tokenizer.save(str(out / "tokenizer.json"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder of the files written")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=4, help="windows of 512 tokens a step")
    parser.add_argument("--rate", type=float, default=2.5e-3, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=1611)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    chapters = read_chapters()
    held_out = [c for i, c in enumerate(chapters) if i % HELD_OUT_EVERY == HELD_OUT_EVERY - 1]
    training = [c for i, c in enumerate(chapters) if i % HELD_OUT_EVERY != HELD_OUT_EVERY - 1]
    tokenizer = train_tokenizer(training)
    train_ids, val_ids = token_stream(tokenizer, training), token_stream(tokenizer, held_out)
    model = TinyLlama()
    parameters = sum(p.numel() for p in model.parameters())
    print(f"corpus {sum(map(len, chapters))} characters, {len(train_ids)} + {len(val_ids)} tokens; "
          f"{parameters} parameters", flush=True)

    matrices = [p for p in model.parameters() if p.dim() == 2]
    gains = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": gains, "weight_decay": 0.0}],
                                  lr=args.rate, betas=(0.9, 0.98), fused=True)
    warm_up = max(1, args.steps // 20)
    windows = train_ids.unfold(0, CONTEXT + 1, 1)
    generator = torch.Generator().manual_seed(args.seed)
    began, smooth = time.time(), None
    for step in range(args.steps):
        progress = max(0.0, (step - warm_up) / (args.steps - warm_up))
        rate = args.rate * min((step + 1) / warm_up, 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        picked = torch.randint(len(windows), (args.batch,), generator=generator)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(model, windows[picked])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
        if (step + 1) % 50 == 0 or step + 1 == args.steps:
            print(f"step {step + 1:5d}  loss {smooth:.4f}  rate {rate:.2e}  {time.time() - began:.0f} s", flush=True)
    seconds = time.time() - began

    with torch.no_grad():  # from here on, exactly the weights that ship
        for p in model.parameters():
            p.copy_(p.to(torch.bfloat16).float())
    write_model(model, tokenizer, args.out)
    report = {
        "corpus": "King James Bible, Debian package bible-kjv-text", "characters": sum(map(len, chapters)),
        "training_tokens": len(train_ids), "validation_tokens": len(val_ids), "parameters": parameters,
        "seed": args.seed, "steps": args.steps, "tokens_per_step": args.batch * CONTEXT, "peak_rate": args.rate,
        "training_loss": round(smooth, 4), "validation_loss": round(validation_loss(model, val_ids), 4),
        "training_seconds": round(seconds), "threads": args.threads, "torch": torch.__version__,
        "machine": platform.machine(),
    }
    (args.out / "training.json").write_text(json.dumps(report, indent=2) + "\n")
    texts = [f"[{'greedy' if t == 0 else f'temperature {t}, seed {args.seed}'}]\n"
             f"{sample(model, tokenizer, prompt, 96, t, args.seed)}\n"
             for prompt in ("In the beginning", "And the king said unto", "Blessed is the man") for t in (0, 0.7)]
    (args.out / "sample.txt").write_text("\n".join(texts))
    print(json.dumps(report, indent=2) + "\n\n" + "\n".join(texts))


if __name__ == "__main__":
    main()
