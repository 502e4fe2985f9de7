"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
import shutil
from pathlib import Path

from make import facts

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))


def end(date=MADE["due"], folder=MADE["folder"], moved=MADE["moved"], label=MADE["label"], copy=False):
    Path(folder).mkdir()
    (shutil.copy if copy else shutil.move)(moved, Path(folder) / moved)
    with open(MADE["notes"], "a", encoding="utf-8") as notes:
        notes.write(f"{label}: {date}\n")
    return "done"


def date_of_the_letter():
    return end(MADE["days"]["written"])


def begin_of_the_contract():
    return end(MADE["days"]["begins"])


def last_change():
    return end(MADE["days"]["change"])


def other_letter():
    return end(MADE["other_days"]["due"])


def copied_only():
    return end(copy=True)


def other_folder():
    return end(folder="New folder")


def other_file():
    return end(moved=MADE["letter"])


def no_label():
    return end(label="Note")


def two_lines():
    end()
    with open(MADE["notes"], "a", encoding="utf-8") as notes:
        notes.write(f"{MADE['label']}: {MADE['days']['written']}\n")
    return "done"


def notes_overwritten():
    end()
    Path(MADE["notes"]).write_text(f"{MADE['label']}: {MADE['due']}\n", encoding="utf-8")
    return "done"


def extra_folder():
    end()
    Path("New Folder").mkdir()
    return "done"
