"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
import sqlite3
from pathlib import Path

from make import facts

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))
RIGHT = f"{MADE['customer']}: {MADE['amount']:.2f}"


def asked(key):
    name, amount = MADE["wrongs"][key]
    return f"{name}: {amount:.2f}"


def any_town():
    return asked("any town")


def town_of_the_rep():
    return asked("town of the rep")


def cancelled_too():
    return asked("cancelled too")


def any_year():
    return asked("any year")


def year_shipped():
    return asked("year shipped")


def list_price():
    return asked("list price")


def without_quantity():
    return asked("without quantity")


def by_name():
    return asked("by name")


def name_only():
    return MADE["customer"]


def two_names():
    return f"{RIGHT} or {asked('any year')}"


def row_deleted():
    base = sqlite3.connect(MADE["base"])
    base.execute("DELETE FROM item WHERE rowid = 3")
    base.commit()
    base.close()
    return RIGHT


def extra_file():
    Path("query.sql").write_text("SELECT 1;", encoding="utf-8")
    return RIGHT
