"""A chore whose numbers, names and wording come from a seed: what ``deskcrew demo`` gives the crew.

It needs three agents: a figure is computed from a table, a program is opened, a sentence is written and saved in its
window. Whether it was done is decided by :mod:`deskcrew.demo.check`, run as a program of its own afterwards; the
crew knows nothing of it, and the engine nothing of this module.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

THEMES = (
    ("expenses", ("day", "person", "amount"), "person", "amount", "Amount spent by {who}:"),
    ("harvest", ("field", "picker", "kilos"), "picker", "kilos", "Kilos picked by {who}:"),
    ("trips", ("city", "driver", "km"), "driver", "km", "Distance driven by {who}:"),
    ("orders", ("product", "customer", "pieces"), "customer", "pieces", "Pieces ordered by {who}:"),
    ("hours", ("project", "worker", "hours"), "worker", "hours", "Hours worked by {who}:"),
)
NAMES = ("Ada", "Bert", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Inga", "Jonas", "Kemal", "Lena")
FIRST = {
    "day": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "field": ("north", "south", "river", "hill"),
    "city": ("Bergen", "Porto", "Gdansk", "Lyon", "Turku"),
    "product": ("lamp", "chair", "shelf", "table"),
    "project": ("bridge", "school", "harbour", "library"),
}
WORDINGS = (
    "Work out with Python the total of the {value} column in {table} for the {key} {who}. "
    'Then open the text editor, write "{sentence}" followed by the total, and save it as {out}. Tell me the total.',
    "Add up the {value} of {who} (column {key}) in the file {table}. "
    'Open the text editor, type "{sentence}" and after it the sum, and save the text under the name {out}. '
    "Let me know the sum.",
    "The table {table} has the columns {columns}. Compute the sum of {value} over all rows where {key} is {who}. "
    'After that, open the text editor, write "{sentence}" and the sum in it, and save this as {out}. Report the sum.',
)


@dataclass(frozen=True, slots=True)
class Chore:
    """What the crew is told (``task``), and what the checker is told (``facts``)."""

    task: str
    facts: dict[str, str]


def make(seed: int, folder: Path) -> Chore:
    """Write the chore's table into ``folder`` and return the chore. Deterministic in ``seed``."""
    chance = random.Random(seed)
    theme, columns, key, value, sentence = chance.choice(THEMES)
    people = chance.sample(NAMES, 3)
    who = people[0]
    table = folder / f"{theme}.csv"
    rows = [(chance.choice(FIRST[columns[0]]), chance.choice(people), chance.randint(3, 97)) for _ in range(12)]
    # At least three rows to add up, so that reading one off is not enough.
    rows += [(chance.choice(FIRST[columns[0]]), who, chance.randint(3, 97)) for _ in range(3)]
    chance.shuffle(rows)
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    out = f"{chance.choice(('report', 'note', 'summary', 'result'))}-{chance.randint(10, 99)}.txt"
    said = sentence.format(who=who)
    task = chance.choice(WORDINGS).format(
        value=value, table=table.name, key=key, who=who, sentence=said, out=out, columns=", ".join(columns)
    )
    return Chore(
        task=task,
        facts={"table": table.name, "key": key, "value": value, "who": who, "sentence": said, "out": out},
    )


def check(chore: Chore, folder: Path) -> tuple[bool, str]:
    """Run the checker as its own process. Returns whether the chore is done, and what the checker printed."""
    command = [sys.executable, "-I", str(Path(__file__).with_name("check.py")), str(folder), json.dumps(chore.facts)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    return ended.returncode == 0, (ended.stdout + ended.stderr).strip()
