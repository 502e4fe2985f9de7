"""Checks the demo's chore from its files alone: ``python check.py FOLDER FACTS``. Imports nothing of Deskcrew."""

import csv
import json
import pathlib
import re
import sys


def main() -> int:
    folder, facts = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
    with (folder / facts["table"]).open(encoding="utf-8") as file:
        total = sum(int(row[facts["value"]]) for row in csv.DictReader(file) if row[facts["key"]] == facts["who"])
    out = folder / facts["out"]
    if not out.is_file():
        print(f"{out.name} is not there")
        return 1
    text = out.read_text(encoding="utf-8")
    wanted = re.escape(facts["sentence"]) + r"\s*" + str(total) + r"(\.0+)?\.?\s*"
    if not re.fullmatch(wanted, text.strip()):
        print(f"{out.name} says {text.strip()!r}, not {facts['sentence']!r} and {total}")
        return 1
    print(f"{out.name} is right: {text.strip()!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
