"""The game has written both volumes into its settings."""

import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
lines = Path(".neverball/neverballrc").read_text(encoding="utf-8").splitlines()
held = {name: value.strip() for name, _, value in (line.partition(" ") for line in lines)}
wanted = {"sound_volume": str(made["sound"]), "music_volume": str(made["music"])}
found = {name: held.get(name) for name in wanted}
if found != wanted:
    sys.exit(f"Neverball's settings are {found}, not {wanted}")
