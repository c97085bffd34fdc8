#!/usr/bin/env python3
"""Writes folding.c: what search and sorting take each code point for.

Rules: compatibility decomposition and full case folding (Unicode), accents dropped, punctuation and spaces to one
space, apostrophes and joiners dropped; ё is taken for е. Letters that only look accented stay letters: й, ї, ў.
Run it again only when the rules or the Unicode version change:  python3 generate.py > folding.c
"""
import unicodedata

LIMIT = 0x20000
LETTERS = {"й", "ї", "ў"}
PLAIN = {"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ı": "i"}
DROPPED = set("'’‘ʼʹ`´\u00ad\u200b\u200c\u200d\u2060\ufeff") | {chr(c) for c in range(0xFE00, 0xFE10)}
# The iota below ᾳ (U+0345) is no accent: its case folding is the letter ι.
ACCENTS = [(0x300, 0x344), (0x346, 0x36F), (0x483, 0x487), (0x591, 0x5BD), (0x5BF, 0x5C7), (0x610, 0x61A), (0x640, 0x640),
           (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
           (0x20D0, 0x20FF), (0xFE20, 0xFE2F)]


def is_accent(c):
    return any(low <= ord(c) <= high for low, high in ACCENTS)


def fold(c):
    if c in DROPPED or is_accent(c):
        return ""
    if 0xAC00 <= ord(c) <= 0xD7A3 or 0xD800 <= ord(c) <= 0xDFFF:
        return c
    if c.casefold() in LETTERS:
        return c.casefold()
    out = ""
    for d in unicodedata.normalize("NFKD", c.casefold()).casefold():
        if d in DROPPED or is_accent(d):
            continue
        category = "Po" if d == "\u2044" else unicodedata.category(d)
        if category[0] in "PZ" or category in ("Cc", "Cf"):
            out += " "
        else:
            out += PLAIN.get(d, d)
    return out


def main():
    sequences, places, blocks, pages = [], {}, [], []
    known = {}
    for page in range(LIMIT >> 6):
        block = []
        for c in range(page << 6, (page + 1) << 6):
            folded = fold(chr(c))
            if folded == chr(c):
                block.append(0)
            elif folded == "":
                block.append(1)
            elif len(folded) == 1:
                block.append(ord(folded))
            else:
                if folded not in places:
                    places[folded] = len(sequences)
                    sequences += [len(folded)] + [ord(x) for x in folded]
                block.append(0x80000000 + places[folded])
        key = tuple(block)
        if key not in known:
            known[key] = len(blocks)
            blocks.append(key)
        pages.append(known[key])

    def rows(values, form="{}"):
        return "\n".join("    " + ", ".join(form.format(v) for v in values[i:i + 16]) + ","
                         for i in range(0, len(values), 16))

    print(f"// Made by generate.py from Unicode {unicodedata.unidata_version}. Do not edit.")
    print('#include "CFolding.h"\n')
    print("const uint16_t quire_fold_pages[QUIRE_FOLD_LIMIT >> 6] = {")
    print(rows(pages) + "\n};\n")
    print("const uint32_t quire_fold_blocks[][64] = {")
    for block in blocks:
        print("  {\n" + rows(list(block)) + "\n  },")
    print("};\n")
    print("const uint32_t quire_fold_sequences[] = {\n" + rows(sequences) + "\n};")


main()
