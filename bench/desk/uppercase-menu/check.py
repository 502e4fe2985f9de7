"""The text is the same in capital or small letters."""

import os
import sys
from pathlib import Path

from make import facts

made = facts(os.environ["DESKCREW_SEED"])
wanted = made["text"].upper() if made["upper"] else made["text"].lower()
text = Path(made["file"]).read_text(encoding="utf-8")
if text.rstrip("\n") != wanted.rstrip("\n"):
    sys.exit(f"{made['file']} reads {text!r}")
