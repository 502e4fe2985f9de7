"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
import pathlib

from make import facts
from right import write, write_pdf

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))


def other_row():
    write(MADE, name=next(person[1] for person in MADE["people"] if person[1] != MADE["name"]))
    return "done"


def old_date():
    write(MADE, date="4 May 2023")
    return "done"


def date_in_other_form():
    write(MADE, date="2026-01-01")
    return "done"


def split_gap_left():
    write(MADE, miss=("seats",))
    return "done"


def no_pdf():
    write(MADE)
    pathlib.Path(MADE["pdf"]).unlink()
    return "done"


def pdf_of_the_template():
    write(MADE)
    write_pdf(MADE["pdf"], ["Riverside Evening School", MADE["old_date"], "<<name>>"])
    return "done"


def pdf_is_the_docx():
    write(MADE)
    pathlib.Path(MADE["pdf"]).write_bytes(pathlib.Path(MADE["result"]).read_bytes())
    return "done"


def over_the_template():
    write(MADE, result=MADE["template"])
    return "done"


def template_too():
    write(MADE)
    pathlib.Path(MADE["template"]).write_bytes(pathlib.Path(MADE["result"]).read_bytes())
    return "done"
