"""What a right run leaves. `right.py WORKSPACE [LANGUAGE]`, with DESKCREW_SEED set"""

import os
import re
import sys
from pathlib import Path

from make import facts


def main(folder, language="en"):
    made = facts(os.environ.get("DESKCREW_SEED", "1"))
    os.chdir(folder)
    text = Path(made["rooms"]).read_text(encoding="utf-8") + Path(made["food"]).read_text(encoding="utf-8")
    total = 0
    for thing in (made["hall"], made["extra"], made["buffet"]):
        row = re.search(rf"<td>{re.escape(thing)}</td>.*", text)[0]
        total += float(re.findall(r"EUR ([\d.,]+)", row)[-1].replace(",", ""))
    english = f"{total:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    told = {"en": english, "de": german + " €", "es": german.replace(".", " ") + " EUR", "zh": english.replace(",", "")}[language]
    with open(made["note"], "a", encoding="utf-8") as note:
        note.write(f"Total: {told}" + ("\n" if language == "en" else ""))
    print({"en": f"The sum is {told}.", "de": f"Die Summe ist {told}.", "es": f"La suma es {told}.", "zh": f"总和是{told}。"}[language])


if __name__ == "__main__":
    main(*sys.argv[1:])
