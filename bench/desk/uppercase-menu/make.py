"""A short notice as a text file. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

SENTENCES = ("The Lift Is Out of Order", "Please Close the Windows", "Visitors Report at the Front Desk",
             "Lunch Is at Half Past Twelve", "No Bicycles in the Hall", "The Fire Drill Is on Thursday",
             "Return Cups to the Kitchen", "Parking on Level 2 Only")  # fmt: skip


def facts(seed):
    chance = random.Random(f"uppercase-menu {seed}")
    lines = chance.sample(SENTENCES, chance.randint(3, 6))
    file = chance.choice(("notice.txt", "door-sign.txt", "house-rules.txt"))
    return {"file": file, "upper": chance.random() < 0.5, "text": "\n".join(lines) + "\n"}


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text(made["text"], encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
