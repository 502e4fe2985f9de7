"""The game has written both into its settings."""

import configparser
import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
settings = configparser.RawConfigParser(strict=False, allow_no_value=True)
settings.read_string(Path("openttd.cfg").read_text(encoding="utf-8"))
found = settings.get("gui", "autosave"), settings.get("locale", "currency")
if found != (made["autosave"], made["currency"]):
    sys.exit(f"OpenTTD's settings are {found}, not {(made['autosave'], made['currency'])}")
