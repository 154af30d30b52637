# SPDX-License-Identifier: Apache-2.0
"""Hugging Face transformers as the independent implementation: loading, teacher-forced logits, greedy decoding.

A model is a folder (config.json, *.safetensors, tokenizer.json) or one .gguf file. GGUF weights are dequantised by
transformers through gguf-py to float32 (rows of Q and K un-permuted), so both sides compute with the same numbers.
"""

import contextlib
import io
import os
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch  # noqa: E402
import transformers  # noqa: E402
from tokenizers import pre_tokenizers  # noqa: E402

transformers.utils.logging.disable_progress_bar()


def load_model(path, dtype=torch.float32):
    path = Path(path)
    options = {"dtype": dtype, "attn_implementation": "eager"}
    if path.suffix == ".gguf":
        with contextlib.redirect_stderr(io.StringIO()):  # its progress bar has no switch
            model = transformers.AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, **options)
    else:
        model = transformers.AutoModelForCausalLM.from_pretrained(path, **options)
    return model.eval()


def load_tokenizer(path):
    path = Path(path)
    if path.suffix != ".gguf":
        return transformers.PreTrainedTokenizerFast(tokenizer_file=str(path / "tokenizer.json"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    if gguf_string(path, "tokenizer.ggml.pre") == "smollm":
        # The GGUF reader of transformers ignores `tokenizer.ggml.pre`. SmolLM's own tokenizer.json splits every digit
        # off before the GPT-2 pattern runs; it matters where two spaces stand before a digit.
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return tokenizer


def gguf_string(path, key):
    from gguf import GGUFReader
    field = GGUFReader(str(path)).fields.get(key)
    return field.contents() if field else None


def chat_ids(tokenizer, question):
    """Token ids of one user message in the model's chat template, ready for the answer."""
    text = tokenizer.apply_chat_template([{"role": "user", "content": question}], tokenize=False,
                                         add_generation_prompt=True)
    return tokenizer.encode(text, add_special_tokens=False)


@torch.no_grad()
def teacher_forced(model, ids):
    """float32 logits [len(ids), vocabulary]; row i is the prediction after tokens 0..i."""
    return model(torch.tensor([ids])).logits[0].float()


@torch.no_grad()
def greedy(model, ids, count, stop=True):
    """Up to `count` arg-max token ids after `ids`; with `stop` it ends at (and without) the end-of-sequence token."""
    ends = model.config.eos_token_id
    ends = set(ends) if isinstance(ends, (list, tuple)) else {ends}
    out, cache, step = [], None, torch.tensor([ids])
    while len(out) < count:
        result = model(step, cache=cache, use_cache=True)
        token, cache = int(result.logits[0, -1].argmax()), result.cache
        if stop and token in ends:
            break
        out.append(token)
        step = torch.tensor([[token]])
    return out
