"""The program has written its equalizer into its settings: on, one band raised, the others not."""

import configparser
import os
import sys

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
settings = configparser.RawConfigParser(strict=False)
settings.read(".config/audacious/config", encoding="utf-8")
held = settings["audacious"] if settings.has_section("audacious") else {}
bands = [float(each) for each in held.get("equalizer_bands", "0").split(",")]
wanted = [float(made["value"]) if at == made["at"] else 0.0 for at in range(10)]
if held.get("equalizer_active") != "TRUE" or float(held.get("equalizer_preamp", "0")) or bands != wanted:
    sys.exit(f"the equalizer is {dict(held)}")
