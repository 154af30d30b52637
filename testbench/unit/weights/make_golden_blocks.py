#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes golden_blocks.inc: random blocks of each quantised type and what gguf-py's dequantize makes of them.

usage: make_golden_blocks.py > golden_blocks.inc        needs the PyPI packages gguf (0.19.0) and numpy
"""
import numpy as np
from gguf import GGMLQuantizationType as T
from gguf.quants import dequantize

# type, bytes of a block, byte offsets of its half-precision scales, blocks
TYPES = [(T.F16, 2, [], 8), (T.BF16, 2, [], 8), (T.Q4_0, 18, [0], 2), (T.Q4_1, 20, [0, 2], 2), (T.Q8_0, 34, [0], 2),
         (T.Q4_K, 144, [0, 2], 1), (T.Q6_K, 210, [208], 1)]


def lines(items, per_line):
    return "\n".join("     " + ", ".join(items[i:i + per_line]) + "," for i in range(0, len(items), per_line))


print("// SPDX-License-Identifier: Apache-2.0")
print("// Made by make_golden_blocks.py from gguf-py. Not for editing.")
print("// clang-format off")
print("const GoldenBlocks golden_blocks[] = {")
rng = np.random.default_rng(20240229)
for kind, size, scales, count in TYPES:
    raw = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for at in scales:
        values = rng.uniform(-0.25, 0.25, count).astype(np.float16)
        raw[:, at:at + 2] = values.view(np.uint8).reshape(count, 2)
    if not scales:
        raw[:] = rng.normal(0, 1, count).astype(np.float16).view(np.uint8).reshape(count, 2)
    bits = dequantize(raw.reshape(1, -1), kind).astype(np.float32).reshape(-1).view(np.uint32)
    print(f'    {{"{kind.name}",\n     {{')
    print(lines([f"0x{b:02x}" for b in raw.reshape(-1)], 18))
    print("     },\n     {")
    print(lines([f"0x{b:08x}" for b in bits], 9))
    print("     }},")
print("};\n// clang-format on")
