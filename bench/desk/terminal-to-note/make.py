"""A log in which a command finds one thing. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

STATES = ("started", "finished", "waiting", "cancelled")


def facts(seed):
    chance = random.Random(f"terminal-to-note {seed}")
    file, state = chance.choice(("jobs.log", "printer.log", "backup.log")), chance.choice(STATES)
    lines = [
        f"{chance.randint(7, 18):02}:{chance.randint(0, 59):02} job {n} {chance.choice(STATES)}" for n in range(101, 161)
    ]
    found = sum(line.endswith(state) for line in lines)
    longest = max((line.split()[2] for line in lines if line.endswith(state)), key=int)
    command, prints = chance.choice(
        ((f"grep -c {state} {file}", str(found)), (f"grep {state} {file} | tail -n 1 | cut -d ' ' -f 3", longest))
    )
    return {"file": file, "lines": lines, "command": command, "prints": prints,
            "note": chance.choice(("result.txt", "for-it.txt", "answer.txt"))}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / made["file"]).write_text("\n".join(made.pop("lines")) + "\n", encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
