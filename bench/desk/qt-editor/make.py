"""A week's appointments, two of them at the same hour. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

EVENTS = ("dentist", "choir practice", "tax adviser", "parents' evening", "car service", "yoga class")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
FILES = ("week.txt", "appointments.txt", "calendar.txt", "dates.txt")


def facts(seed):
    chance = random.Random(f"qt-editor {seed}")
    events = chance.sample(EVENTS, 5)
    hours = chance.sample([f"{hour}:{half}" for hour in range(10, 20) for half in ("00", "30")], 5)
    place, other = chance.sample(range(5), 2)
    hours[other], new = hours[place], f"{chance.randint(10, 19)}:{chance.choice((15, 45))}"
    lines = [f"{day}: {event} at {hour}" for day, event, hour in zip(DAYS, events, hours, strict=True)]
    changed = [line.replace(hours[place], new) if number == place else line for number, line in enumerate(lines)]
    return {"file": chance.choice(FILES), "event": events[place], "old": hours[place], "new": new,
            "text": "\n".join(lines) + "\n", "right": "\n".join(changed) + "\n"}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text(made["text"], encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
