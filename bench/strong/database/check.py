"""The answer names the customer and the amount and no other customer; the database says what it said."""

import os
import re
import sqlite3
import sys
import tempfile
from pathlib import Path

from make import CLIENTS, build, facts


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


def dump(path):
    base = sqlite3.connect(f"file:{Path(path).resolve()}?mode=ro", uri=True)
    try:
        return list(base.iterdump())
    finally:
        base.close()


def same(made):
    """Ends with a reason if the database says something else, however it is stored."""
    with tempfile.TemporaryDirectory() as folder:
        build(os.environ["DESKCREW_SEED"], folder)
        before = dump(Path(folder) / made["base"])
    try:
        after = dump(made["base"])
    except sqlite3.Error as error:
        sys.exit(f"{made['base']} is no database: {error}")
    if before != after:
        sys.exit(f"{made['base']} was changed")


def plain(text):
    return re.sub(r"[^a-z]", "", re.sub(r"&amp;|&|\band\b|\bund\b|\by\b|和", "", text.casefold().replace("é", "e")))


def main():
    made, answer = facts(os.environ["DESKCREW_SEED"]), os.environ["DESKCREW_ANSWER"]
    untouched(changed=(made["base"],))
    same(made)
    told = [name for name in CLIENTS if plain(name) in plain(answer)]
    if told != [made["customer"]]:
        sys.exit(f"the answer is {answer!r}; the customer is {made['customer']}")
    if not places(answer, made["amount"]):
        sys.exit(f"the answer is {answer!r}; the amount is {made['amount']:.2f}")
    if any(places(answer, amount) for _, amount in made["wrongs"].values()):
        sys.exit(f"the answer {answer!r} tells another amount too")


main()
