"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import re
import sys
from pathlib import Path

from make import MONTHS, facts


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    Path(made["folder"]).mkdir()
    Path(made["moved"]).rename(Path(made["folder"]) / made["moved"])
    text = Path(made["letter"]).read_text(encoding="utf-8")
    day, name, year = re.search(r"(?:no later than|reach us by|account on) (\d+) (\w+) (\d+)", text).groups()
    month = MONTHS.index(name) + 1
    told = {"en": f"{day} {name} {year}", "de": f"{day}.{month:02}.{year}", "es": f"{int(day):02}/{month:02}/{year}",
            "zh": f"{year}年{month}月{day}日"}[language]  # fmt: skip
    with open(made["notes"], "a", encoding="utf-8") as notes:
        notes.write(f"{made['label']}: {told}" + ("\n" if language == "en" else ""))
    print({"en": "Done.", "de": f"Erledigt, fällig am {told}.", "es": "Hecho.", "zh": "完成。"}[language])


if __name__ == "__main__":
    main(*sys.argv[1:])
