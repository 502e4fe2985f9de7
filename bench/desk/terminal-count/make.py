"""A log of a server. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

FILES = ("access.log", "server.log", "mail.log", "backup.log")
LEVELS = ("INFO", "WARNING", "ERROR", "DEBUG")
MESSAGES = ("disk check finished", "connection closed", "user logged in", "retrying in 30 s", "queue is empty")


def facts(seed):
    chance = random.Random(f"terminal-count {seed}")
    file, level = chance.choice(FILES), chance.choice(LEVELS)
    levels = chance.choices(LEVELS, k=chance.randint(140, 400))
    commands = {f"wc -l {file}": len(levels), f"grep -c {level} {file}": levels.count(level),
                f"grep -vc {level} {file}": len(levels) - levels.count(level)}  # fmt: skip
    command, count = list(commands.items())[int(seed) % len(commands)]
    return {"file": file, "levels": levels, "command": command, "count": count}


def main(seed, folder):
    made, chance = facts(seed), random.Random(seed)
    lines = [
        f"12:{n // 60 % 60:02}:{n % 60:02} {level} {chance.choice(MESSAGES)}\n" for n, level in enumerate(made.pop("levels"))
    ]
    (Path(folder) / made["file"]).write_text("".join(lines), encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
