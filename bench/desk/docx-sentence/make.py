"""A short letter as a Word document. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from docx import Document

TITLES = ("Office move", "Summer party", "New phone system", "Car park closure")
BODY = ("The work begins in the first week of the month and takes about ten days.",
        "Each team will be told its date by Friday, and nothing needs to be done before that.",
        "There will be some noise in the mornings, for which we are sorry.",
        "The front desk has a plan of the building and can answer most questions.",
        "Lunch will be served in the small hall during that time.")  # fmt: skip
LAST = (
    "Please reply by {} at the latest.",
    "The next letter follows on {}.",
    "Anna is away until {} and cannot be reached.",
)
DATES = ("3 March", "14 May", "22 June", "9 October")


def facts(seed):
    chance = random.Random(f"docx-sentence {seed}")
    title, body = chance.choice(TITLES), chance.sample(BODY, chance.randint(2, 4))
    sentence = chance.choice(LAST).format(chance.choice(DATES))
    return {"file": f"{title.lower().replace(' ', '-')}.docx", "title": title, "body": body, "sentence": sentence}


def main(seed, folder):
    made = facts(seed)
    letter = Document()
    letter.add_heading(made["title"], level=1)
    for text in made["body"]:
        letter.add_paragraph(text)
    letter.save(Path(folder) / made["file"])
    print(json.dumps({"file": made["file"], "sentence": made["sentence"]}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
