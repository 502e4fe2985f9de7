"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import re
import sys
from pathlib import Path

from docx import Document
from make import facts


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    papers = Path(made["papers"])
    texts = [file.read_text(encoding="utf-8") for file in papers.glob("*.txt")]
    texts += [part.text for part in Document(str(papers / "guides.docx")).paragraphs]
    (said,) = (line for text in texts for line in text.splitlines() if made["room"] in line)
    day = (re.search(r"day of rest is (\w+)", said) or re.search(r"closed every (\w+)", said))[1]
    with open(made["note"], "a", encoding="utf-8") as note:
        note.write(f"{made['label']}: {made['room']}, {day}\n")
    print({"en": "It is written.", "de": "Es ist eingetragen.", "es": "Está escrito.", "zh": "已写好。"}[language])


if __name__ == "__main__":
    main(*sys.argv[1:])
