"""The program has kept a playlist of that title, with that song and no other."""

import os
import sys
from pathlib import Path
from urllib.parse import unquote

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
found = {}
for file in Path(".config/audacious/playlists").glob("*.audpl"):
    fields = [line.partition("=") for line in unquote(file.read_text(encoding="utf-8")).splitlines()]
    title = next((value for name, _, value in fields if name == "title"), "")
    found[title] = [value.rpartition("/")[2] for name, _, value in fields if name == "uri"]
if found != {made["title"]: [made["song"]]}:
    sys.exit(f"the playlists are {found}")
