"""The file is in the new folder and nowhere else, and the notes have one more line with the right date."""

import os
import re
import sys
from pathlib import Path

from make import facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import untouched

MONTHS = (
    ("january", "jan", "januar", "jänner", "enero", "ene"), ("february", "feb", "februar", "febrero"),
    ("march", "mar", "märz", "mär", "marzo"), ("april", "apr", "abril", "abr"), ("may", "mai", "mayo"),
    ("june", "jun", "juni", "junio"), ("july", "jul", "juli", "julio"), ("august", "aug", "agosto", "ago"),
    ("september", "sep", "sept", "septiembre", "setiembre"), ("october", "oct", "oktober", "okt", "octubre"),
    ("november", "nov", "noviembre"), ("december", "dec", "dezember", "dez", "diciembre", "dic"),
)  # fmt: skip


def day(text):
    """The date that is all of this text, as (year, month, day), in the usual ways of the four languages."""
    text = re.sub(r"^(?:on|by|am|bis(?: zum)?|el|until|hasta el)\s+", "", text.strip().rstrip(".").casefold())
    text = re.sub(r"^(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+", "", text)
    for form, order in (
        (r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", "ymd"), (r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]", "ymd"),
        (r"(\d{1,2})[-/.]\s*(\d{1,2})[-/.]\s*(\d{4})", "dmy"), (r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})", "mdy"),
        (r"(\d{1,2})(?:st|nd|rd|th|\.)?\s*(?:of |de )?\s*([^\W\d]+)\.?,?\s*(?:de |del )?\s*(\d{4})", "dmy"),
        (r"([^\W\d]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", "mdy"),
    ):  # fmt: skip
        match = re.fullmatch(form, text)
        if not match:
            continue
        parts = dict(zip(order, match.groups(), strict=True))
        if not parts["m"].isdigit():
            parts["m"] = next((number for number, names in enumerate(MONTHS, 1) if parts["m"] in names), 0)
        if 1 <= int(parts["m"]) <= 12:
            return int(parts["y"]), int(parts["m"]), int(parts["d"])
    return None


def main():
    made = facts(os.environ["DESKCREW_SEED"])
    place = f"{made['folder']}/{made['moved']}"
    untouched(changed=(made["notes"],), added=(place,), gone=(made["moved"],))
    folders = [path.name for path in Path(".").rglob("*") if path.is_dir() and not any(part.startswith(".") for part in path.parts)]
    if folders != [made["folder"]]:
        sys.exit(f"the folders are {folders}, not {made['folder']!r}")
    if not Path(place).is_file() or Path(made["moved"]).exists():
        sys.exit(f"{made['moved']} was not moved into {made['folder']!r}")
    if Path(place).read_text(encoding="utf-8") != made["texts"][made["moved"]]:
        sys.exit(f"{place} was changed")
    lines = [line.rstrip() for line in Path(made["notes"]).read_text(encoding="utf-8-sig").splitlines()]
    old, new = lines[: len(made["lines"])], [line for line in lines[len(made["lines"]) :] if line]
    if old != made["lines"] or len(new) != 1:
        sys.exit(f"{made['notes']} says {lines}")
    told = re.fullmatch(rf"\W*{re.escape(made['label'])}\s*[:：]\s*(.+)", new[0], re.IGNORECASE)
    if not told or day(told[1]) != tuple(int(part) for part in made["due"].split("-")):
        sys.exit(f"the new line is {new[0]!r}; the money is due on {made['due']}")


main()
