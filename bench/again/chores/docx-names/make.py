"""A notice as a Word document that names its contact in the text, in a table and in its header. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from docx import Document

PEOPLE = ("Agnes Holm", "Boris Kern", "Cora Vidal", "Diego Ruiz", "Emma Vogt", "Felix Aho", "Gina Rossi", "Henry Poole")
SUBJECTS = ("Heating", "Parking", "Recycling", "Visitors", "Lost property")
LINES = ("Questions are answered by {}, on weekdays before noon.", "The office is on the second floor.",
         "Please hand the form to {} or to the front desk.", "Nothing has to be paid in advance.",
         "A copy of the rules can be had from {}.", "The rules were last changed in spring.")  # fmt: skip


def facts(seed):
    chance = random.Random(f"docx-names {seed}")
    old, new, other = chance.sample(PEOPLE, 3)
    subject = chance.choice(SUBJECTS)
    return {"file": f"{subject.lower().replace(' ', '-')}{chance.choice(('', '-notice', '-2026'))}.docx", "old": old,
            "new": new, "other": other, "subject": subject, "body": chance.sample(LINES, 5),
            "room": chance.randint(11, 49), "phone": chance.randint(200, 899)}  # fmt: skip


def parts(made, name):
    """Header, heading, paragraphs, and rows of the table, with that name of the contact."""
    rows = [["Contact", name], ["Deputy", made["other"]], ["Room", str(made["room"])], ["Telephone", str(made["phone"])]]
    return f"Contact: {name}", made["subject"], [line.format(name) for line in made["body"]], rows


def main(seed, folder):
    made = facts(seed)
    header, subject, body, rows = parts(made, made["old"])
    notice = Document()
    notice.sections[0].header.paragraphs[0].text = header
    notice.add_heading(subject, level=1)
    for line in body:
        before, name, after = line.partition(made["old"])
        paragraph = notice.add_paragraph(before)
        paragraph.add_run(name).bold = True
        paragraph.add_run(after)
    table = notice.add_table(rows=0, cols=2)
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    notice.save(Path(folder) / made["file"])
    print(json.dumps({name: made[name] for name in ("file", "old", "new")}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
