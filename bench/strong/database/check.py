"""The answer names the customer and the amount and no other customer; the database says what it said."""

import os
import re
import sqlite3
import sys
import tempfile
from pathlib import Path

from make import CLIENTS, build, facts

sys.path.append(str(Path(__file__).parents[1]))
from shared import places, untouched


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
