"""The document holds its paragraphs and the sentence as the last one, and is still the only one."""

import os
import sys
from pathlib import Path

from docx import Document
from make import facts

made = facts(os.environ["DESKCREW_SEED"])
there = sorted(path.name for path in Path().iterdir() if not path.name.startswith("."))
if there != [made["file"]]:
    sys.exit(f"the folder holds {there}")
held = [(paragraph.style.name, paragraph.text.strip()) for paragraph in Document(made["file"]).paragraphs]
if [text for _, text in held if text] != [made["title"], *made["body"], made["sentence"]] or held[0][0] != "Heading 1":
    sys.exit(f"its paragraphs are {held}")
