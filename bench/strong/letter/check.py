"""The letter and its PDF have the text of the template with every gap filled from the right row, and the date."""

import os
import re
import sys
import unicodedata
from pathlib import Path

import docx
import pypdf
from docx.table import Table

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import untouched


def plain(text):
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("\u00ad", "")
    return re.sub(r"\s+", " ", text).strip()


def texts(part):
    """The text of each paragraph that has some, in order, tables too."""
    for block in part.iter_inner_content():
        if isinstance(block, Table):
            for row in block.rows:
                for cell in row.cells:
                    yield from texts(cell)
        elif plain(block.text):
            yield plain(block.text)


def main():
    made = facts(os.environ["DESKCREW_SEED"])
    untouched(added=(made["result"], made["pdf"]))
    for name in (made["result"], made["pdf"]):
        if not Path(name).is_file():
            sys.exit(f"there is no {name}")
    try:
        told = list(texts(docx.Document(made["result"])))
    except Exception as error:
        sys.exit(f"{made['result']} is no letter: {error}")
    right = [plain(line) for line in made["lines"]]
    if told != right:
        odd = [pair for pair in zip(told + ["-"] * len(right), right, strict=False) if pair[0] != pair[1]]
        sys.exit(f"{made['result']} has {len(told)} lines for {len(right)}; it says {odd[:1] or told[len(right):]}")
    try:
        pages = pypdf.PdfReader(made["pdf"]).pages
        text = re.sub(r"\s", "", plain(" ".join(page.extract_text() for page in pages)))
    except Exception as error:
        sys.exit(f"{made['pdf']} is no PDF: {error}")
    at = 0
    for line in right:
        found = text.find(re.sub(r"\s", "", line))
        if found < 0:
            sys.exit(f"{made['pdf']} lacks {line!r}")
        at += len(re.sub(r"\s", "", line))
    if "<<" in text or re.sub(r"\s", "", made["old_date"]) in text or len(text) > at + 40:
        sys.exit(f"{made['pdf']} says more than the letter")


main()
