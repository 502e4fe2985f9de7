"""Wrong ends, each a function that leaves them in the workspace (the current folder) and returns the answer."""

import os
import pathlib

from make import facts

MADE = facts(os.environ.get("DESKCREW_SEED", "1"))


def write(lines, name=MADE["note"]):
    pathlib.Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{MADE['sum']:.2f}"


def half_day():
    return write([*MADE["lines"], f"Total: {MADE['sum'] - MADE['amounts'][0] + MADE['half_day']:.2f}"])


def two_amounts():
    return write([*MADE["lines"], f"Total: {sum(MADE['amounts'][:2]):.2f}"])


def not_saved():
    return f"{MADE['sum']:.2f}"


def at_the_start():
    return write([f"Total: {MADE['sum']:.2f}", *MADE["lines"]])


def overwritten():
    return write([f"Total: {MADE['sum']:.2f}"])


def no_label():
    return write([*MADE["lines"], f"{MADE['sum']:.2f}"])


def twice():
    return write([*MADE["lines"], *[f"Total: {MADE['sum']:.2f}"] * 2])


def rounded():
    return write([*MADE["lines"], f"Total: {MADE['sum'] + 0.3:.0f}"])


def in_another_file():
    return write([*MADE["lines"], f"Total: {MADE['sum']:.2f}"], "total.txt")


def doubled_decimals():
    return write([*MADE["lines"], f"Total: {MADE['sum'] * 100:.0f}"])
