"""A report with several dates in it, one of them that of what it reports on. `make.py SEED DIR`"""

import datetime
import json
import random
import sys
from pathlib import Path

import docx

THINGS = {"inspection": "Inspector", "audit": "Auditor", "site visit": "Visitor", "fire drill": "Warden"}
PEOPLE = ("Ada Brandt", "Ben Okafor", "Clara Diaz", "Dev Patel")
FILES = ("Document1.docx", "report final.docx", "scan0093.docx", "untitled.docx")
OTHER = {"todo.txt": "call the landlord\norder toner\n"}


def facts(seed):
    chance = random.Random(f"rename-report {seed}")
    thing = chance.choice(list(THINGS))
    day = datetime.date(chance.randint(2022, 2025), 1, 1) + datetime.timedelta(chance.randrange(360))
    written, again = day + datetime.timedelta(chance.randint(2, 9)), day + datetime.timedelta(chance.randint(150, 200))
    stem = thing.replace(" ", "-")
    lines = (f"Report on the {thing}", f"Written on {_said(written)}", f"{THINGS[thing]}: {chance.choice(PEOPLE)}",
             f"The {thing} took place on {_said(day)} between 9 and 11 o'clock. There were no defects worth mentioning.",
             f"The next {thing} is due by {_said(again)}.")  # fmt: skip
    return {
        "file": chance.choice(FILES),
        "thing": thing,
        "stem": stem,
        "new": f"{stem}-{day.isoformat()}.docx",
        "lines": lines,
    }


def main(seed, folder):
    made = facts(seed)
    document = docx.Document()
    for line in made.pop("lines"):
        document.add_paragraph(line)
    document.save(Path(folder) / made["file"])
    for name, text in OTHER.items():
        (Path(folder) / name).write_text(text, encoding="utf-8")
    print(json.dumps(made))


def _said(day):
    return f"{day.day} {day:%B %Y}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
