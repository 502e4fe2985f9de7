"""A list in a text file, with or without a line break at its end. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

THINGS = ("Book the meeting room", "Call the plumber", "Order printer paper", "Renew the parking permit", "Water the plants",
          "Send Priya the slides", "Pay the phone bill", "Return the projector", "Ask Tom for the keys")  # fmt: skip
DAYS = ("on Monday", "on Tuesday", "before Friday", "by noon", "next week")
FILES = ("todo.txt", "reminders.txt", "this-week.txt", "desk-list.txt")


def facts(seed):
    chance = random.Random(f"note-in-editor {seed}")
    *lines, last = (f"{thing} {chance.choice(DAYS)}" for thing in chance.sample(THINGS, chance.randint(5, 8)))
    return {"file": chance.choice(FILES), "lines": lines, "line": last, "break": "\n" if chance.random() < 0.5 else ""}


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text("\n".join(made["lines"]) + made["break"], encoding="utf-8")
    print(json.dumps({"file": made["file"], "line": made["line"], "lead": "" if made["break"] else "\n"}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
