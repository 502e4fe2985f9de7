"""A text with rates of several people. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

NAMES = ("Agnes Kerr", "Bruno Silva", "Chloe Dunn", "Dario Conti", "Elena Petrov", "Finn Larsen", "Gita Rao")
WORK = ("translations", "photographs", "bookkeeping", "repairs", "drawings", "cleaning", "gardening")


def facts(seed):
    chance = random.Random(f"hours-to-calculator {seed}")
    people = list(
        zip(chance.sample(NAMES, 5), chance.sample(WORK, 5), (chance.randint(18, 95) for _ in range(5)), strict=True)
    )
    who, _, rate = chance.choice(people)
    hours = chance.randint(12, 78)
    return {"file": chance.choice(("rates.txt", "helpers.txt", "freelancers.txt")), "people": people, "who": who,
            "rate": rate, "hours": hours, "result": rate * hours}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    lines = ["Who helps us, and for how much", ""]
    lines += [f"{name} does {work} for us and is paid {rate} euros for an hour." for name, work, rate in made.pop("people")]
    (Path(folder) / made["file"]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
