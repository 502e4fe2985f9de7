"""The note has its old lines and at the end one more with the sum."""

import os
import re
import sys
import tempfile
from pathlib import Path

from make import build, facts


def scan(folder):
    """The files below the folder by their path, without those whose path has a part that starts with a dot."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            found[name.as_posix()] = path.read_bytes()
    return found


def untouched(changed=(), added=(), gone=()):
    """Ends with a reason if anything but these files was changed, added or taken away."""
    with tempfile.TemporaryDirectory() as folder:
        build(os.environ["DESKCREW_SEED"], folder)
        before = scan(folder)
    after = scan(".")
    for name, content in before.items():
        if name not in after and name not in gone:
            sys.exit(f"{name} is gone")
        if name in after and after[name] != content and name not in changed:
            sys.exit(f"{name} was changed")
    for name in after:
        if name not in before and name not in added:
            sys.exit(f"nobody asked for the file {name}")


def meanings(token):
    """What a number may mean: 1,234.50 and 1.234,50 are one; 1.234 is either 1234 or 1.234."""
    token = re.sub(r"[ \u00a0\u202f'’]", "", token)
    marks = [letter for letter in token if letter in ".,"]
    if not marks:
        return {float(token)}
    plain = re.sub(r"[.,]", "", token)
    head, tail = re.split(r"[.,](?=[^.,]*$)", token)
    fraction = float(re.sub(r"[.,]", "", head) + "." + tail)
    if len(set(marks)) == 2:
        return {fraction}
    if len(marks) > 1:
        return {float(plain)}
    return {fraction, float(plain)} if len(tail) == 3 and len(head) <= 3 else {fraction}


def numbers(text):
    """The place of each number in the text with what it may mean."""
    joined = r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)"
    found = [(match.start(), meanings(match[0])) for match in re.finditer(r"\d+(?:[.,]\d+)*", text)]
    return found + [(match.start(), meanings(match[0])) for match in re.finditer(joined, text)]


def places(text, value):
    """Where the text has that number."""
    return [place for place, means in numbers(text) if any(abs(mean - value) < 0.005 for mean in means)]


def main():
    made = facts(os.environ["DESKCREW_SEED"])
    untouched(changed=(made["note"],))
    lines = [line.rstrip() for line in Path(made["note"]).read_text(encoding="utf-8-sig").splitlines()]
    old, new = lines[: len(made["lines"])], [line for line in lines[len(made["lines"]) :] if line]
    if old != made["lines"]:
        sys.exit(f"the old lines of {made['note']} are {old}")
    if len(new) != 1:
        sys.exit(f"{made['note']} has {len(new)} new lines: {new}")
    money = r"(?:EUR|euros?|€|欧元)?"
    told = re.fullmatch(rf"Total\s*[:：]\s*{money}\s*(\d[\d.,'’ \u00a0\u202f]*?)\s*{money}\.?", new[0], re.IGNORECASE)
    if not told or not places(told[1], made["sum"]):
        sys.exit(f"the new line is {new[0]!r}; the sum is {made['sum']:.2f}")


main()
