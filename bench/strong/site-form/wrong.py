"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
import pathlib

from make import confirmation, facts, others

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))
OTHERS = others(MADE["courses"], MADE["weekday"], MADE["people"])


def any_day():
    return confirmation(MADE, OTHERS["any day"])


def any_places():
    return confirmation(MADE, OTHERS["any places"])


def regular_fee():
    return confirmation(MADE, OTHERS["other fee"])


def one_person_only():
    return confirmation({**MADE, "people": 1}, MADE["course"])


def other_payment():
    return confirmation({**MADE, "payment": "Cash" if MADE["payment"] != "Cash" else "Card"}, MADE["course"])


def course_only():
    return MADE["course"]


def two_numbers():
    return f"{MADE['number']} or {any_day()}"


def page_changed():
    pathlib.Path("fees.html").write_text("no fees", encoding="utf-8")
    return MADE["number"]


def extra_file():
    pathlib.Path("notes.txt").write_text("x", encoding="utf-8")
    return MADE["number"]
