"""A saved game of that name is there, and its landscape is that one."""

import lzma
import os
import sys
import zlib
from pathlib import Path

from make import facts

SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 8, 8: 8, 9: 2}
"""Bytes of each kind of number in a table."""
TEXT, LIST = 10, 0x10


def number(data, at):
    """A number whose first bits say how many bytes it has, and where it ends."""
    first = data[at]
    more = next((count for count in range(4) if not first & 0x80 >> count), 4)
    value = int.from_bytes(data[at : at + more + 1], "big") & ((1 << (7 * (more + 1))) - 1 if more < 4 else 0xFFFFFFFF)
    return value, at + more + 1


def settings(data):
    """The settings in a saved game: a table of one row."""
    at = data.index(b"PATS\x03") + 5
    _length, at = number(data, at)
    fields = []
    while kind := data[at]:
        length, at = number(data, at + 1)
        fields.append((data[at : at + length].decode(), kind))
        at += length
    _length, at = number(data, at + 1)
    held = {}
    for name, kind in fields:
        if kind & 0xF == TEXT:
            length, at = number(data, at)
            held[name] = data[at : at + length].decode(errors="replace")
        else:
            count, at = number(data, at) if kind & LIST else (1, at)
            length = count * SIZES[kind & 0xF]
            held[name] = int.from_bytes(data[at : at + length], "big")
        at += length
    return held


made = facts(os.environ["DESKCREW_SEED"])
saved = Path("save") / f"{made['name']}.sav"
if not saved.exists():
    sys.exit(f"there is no saved game {made['name']}")
data = saved.read_bytes()
unpack = {b"OTTX": lzma.decompress, b"OTTZ": zlib.decompress, b"OTTN": bytes}.get(data[:4])
if unpack is None:
    sys.exit(f"{saved} is packed in a way that is not known: {data[:4]}")
found = settings(unpack(data[8:])).get("game_creation.landscape")
if found != made["climate"]:
    sys.exit(f"the landscape of {made['name']} is {found}, not {made['climate']}")
