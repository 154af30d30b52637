#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes unicode_tables.inc: the character classes and the canonical (de)compositions that the tokenizers need.

usage: make_unicode_tables.py > unicode_tables.inc

Uses the unicodedata2 package where it is installed (the file in the tree: version 16.0.0, the Unicode version of the
regular expressions in Hugging Face tokenizers), else Python's own unicodedata.
"""
try:
    import unicodedata2 as ucd
except ImportError:
    import unicodedata as ucd

CODE_POINTS = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
HANGUL = range(0xAC00, 0xD7A4)  # composed and decomposed by arithmetic
# Alphabetic by the property Other_Alphabetic though their category is So: circled and squared letters.
LETTER_SYMBOLS = {*range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A), *range(0x1F150, 0x1F16A), *range(0x1F170, 0x1F18A)}


def is_word(ch):
    r"""\w of UTS #18: Alphabetic, M, Nd, Pc, Join_Control."""
    category = ucd.category(ch)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc") or ch in "\u200c\u200d" or ord(ch) in LETTER_SYMBOLS


def runs(key):
    """[first, last, value] of the maximal runs of code points with one true value of key."""
    out = []
    for ch in CODE_POINTS:
        value = key(ch)
        if value and out and out[-1][1] == ord(ch) - 1 and out[-1][2] == value:
            out[-1][1] = ord(ch)
        elif value:
            out.append([ord(ch), ord(ch), value])
    return out


def table(kind, name, rows):
    print(f"constexpr {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        item = " {" + ",".join(f"{v:#x}" for v in row) + "},"
        if len(line) + len(item) > 120:
            print(line)
            line = "   "
        line += item
    print(line + "\n};")


def decompositions():
    for ch in CODE_POINTS:
        text = ucd.decomposition(ch)
        if text and not text.startswith("<") and ord(ch) not in HANGUL:
            parts = [int(p, 16) for p in text.split()]
            composes = len(parts) == 2 and ucd.normalize("NFC", "".join(map(chr, parts))) == ch
            yield ord(ch), parts[0], parts[1] if len(parts) == 2 else 0, int(composes)


print("// SPDX-License-Identifier: Apache-2.0")
print(f"// Made by make_unicode_tables.py from Unicode {ucd.unidata_version}. Not for editing.")
print("// clang-format off")
table("Range", "letter_ranges", [r[:2] for r in runs(lambda c: ucd.category(c)[0] == "L")])
table("Range", "number_ranges", [r[:2] for r in runs(lambda c: ucd.category(c)[0] == "N")])
table("Range", "word_ranges", [r[:2] for r in runs(is_word)])
table("ClassRange", "combining_ranges", runs(ucd.combining))
table("Decomposition", "decompositions", decompositions())
print("// clang-format on")
