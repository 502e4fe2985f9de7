"""The replay that the game keeps of the last level is of that level, and long enough."""

import os
import struct
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
replay = Path(".neverball/Replays/Last.nbr")
if not replay.exists():
    sys.exit("no level was played")
data = replay.read_bytes()
magic, version, hundredths, _coins, _status, _mode = struct.unpack_from("<4s5i", data)
texts = data[24:].split(b"\0")[:4]
if magic != b"\xafNBR" or version != 9 or len(texts) < 4:
    sys.exit("the replay is of another version of the game")
player, played = texts[0].decode(errors="replace"), texts[3].decode(errors="replace")
if (player, played) != (made["player"], made["map"]) or hundredths < 100 * made["seconds"]:
    sys.exit(f"{player} played {hundredths / 100:g} seconds of {played}, not {made['seconds']} of {made['map']}")
