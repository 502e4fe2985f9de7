"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
import pathlib

from make import facts

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))
NEXT = MADE["rooms"][MADE["rooms"].index(MADE["room"]) - 1]
LINE = f"{MADE['label']}: {MADE['room']}, {MADE['day']}"


def write(lines, name=MADE["note"]):
    pathlib.Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return LINE


def the_room_before():
    return write([*MADE["lines"], f"{MADE['label']}: {NEXT}, {MADE['days'][NEXT]}"])


def the_day_until_last_winter():
    return write([*MADE["lines"], f"{MADE['label']}: {MADE['room']}, {MADE['before']}"])


def only_told():
    return LINE


def at_the_start():
    return write([LINE, *MADE["lines"]])


def overwritten():
    return write([LINE])


def twice():
    return write([*MADE["lines"], LINE, LINE])


def no_label():
    return write([*MADE["lines"], f"{MADE['room']}, {MADE['day']}"])


def in_another_file():
    return write([*MADE["lines"], LINE], "closed.txt")


def a_paper_changed():
    (pathlib.Path(MADE["papers"]) / "lunch.txt").write_text("The kitchen is open.\n", encoding="utf-8")
    return write([*MADE["lines"], LINE])
