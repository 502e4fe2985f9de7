"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
from pathlib import Path

from make import facts

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))
OTHER = next(row for row in MADE["rows"] if row[0] != MADE["delivery"])


def other_row():
    return f"{OTHER[0]}: ordered {OTHER[4]}, delivered {OTHER[5]}"


def other_number():
    return f"{OTHER[0]}: ordered {MADE['ordered']}, delivered {MADE['delivered']}"


def swapped():
    return f"{MADE['delivery']}: ordered {MADE['delivered']}, delivered {MADE['ordered']}"


def number_only():
    return MADE["delivery"]


def one_amount():
    return f"{MADE['delivery']}: {MADE['delivered']} delivered"


def two_rows():
    return f"{MADE['delivery']} ({MADE['ordered']} ordered, {MADE['delivered']} delivered) or {OTHER[0]}"


def none():
    return "All rows agree."


def page_changed():
    Path(MADE["page"]).write_text("", encoding="utf-8")
    return f"{MADE['delivery']}: ordered {MADE['ordered']}, delivered {MADE['delivered']}"
