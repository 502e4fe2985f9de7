"""What the words of a task demand, as checks: made before anything is executed, without a model.

Only what is clearly said obliges, and where words cannot be understood it is no more than what is certainly meant: a file is
there, or has changed. A demand too many would fail a run that did all it should, one too few leaves it unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deskcrew.english.clauses import clauses, file_names
from deskcrew.english.demands_changed import only
from deskcrew.english.demands_files import files_of
from deskcrew.english.demands_shown import exit_codes, shown, tables_of
from deskcrew.english.demands_written import Writing, saved
from deskcrew.english.edits import edit_of
from deskcrew.english.file_kinds import spelt_out, with_folder
from deskcrew.english.lasting import lasting
from deskcrew.english.orders import Order, orders
from deskcrew.english.stand_ins import Names, with_stand_ins
from deskcrew.english.titles import lists_titles
from deskcrew.excerpts import shorten
from deskcrew.observation import Observation
from deskcrew.verdict import FOUND_OUT, ONLY, Check


@dataclass(frozen=True, slots=True)
class _Demanded:
    order: Order
    checks: tuple[Check, ...]


def checks_of_task(task: str, before: Observation, planned: Iterable[Check] = ()) -> tuple[Check, ...]:
    """All checks of a task. ``planned``: what a planner expects; it may say more than the words, never less of a file."""
    names = Names(frozenset(entry.path for entry in before.files))
    said = names.simplified(task)
    demanded = _together(_demanded(said, before, names))
    wanted = [_planned(names.restored(check), task) for check in planned]
    precise = {check.target for check in wanted if check.kind == "file_contains"}
    found = [names.restored(check) for each in demanded for check in each.checks]
    found.sort(key=lambda check: _ORDER.get(check.kind, 2))
    if not found:
        found += [names.restored(check) for check in saved(said, names.aliased())]
    wanted += [check for check in found if check.kind in _OF_FILES or check.target not in precise]
    wanted += _contents(task, wanted)
    wanted += [names.restored(check) for check in exit_codes(said)]
    wanted += _deeds(demanded, wanted, names)
    gone = {check.target for check in wanted if check.kind == "file_absent"}
    return tuple(dict.fromkeys(each for check in wanted if (each := _in_the_end(check, gone))))


def _in_the_end(check: Check, gone: set[str]) -> Check | None:
    """What is demanded of a file that is to be ``gone`` cannot be looked at in the end, and is not forgotten either; that
    it was there is."""
    if check.kind == "file_absent" or check.target not in gone:
        return check
    return Check(kind="deed", text=shorten(check.words, 160)) if check.kind in _SAY_OF_IT else None


_ALTERS = re.compile(r"\b(?:delete|remove|rename|move|edit|change|replace|sort|convert)\b", re.IGNORECASE)
"""What may be done to files that were just unpacked, so that they are not as the archive has them."""
_SAY_OF_IT = frozenset({"file_contains", "changed_since_start", "cell_equals"})
"""Kinds of checks of what is in a file."""
_SAVES = re.compile(r"(?:^|,\s|\b(?:and|then|to|please)\s)\s*save\b(?!\s+what\b)", re.IGNORECASE)
"""Having something saved, of whatever file that is."""
_WRITES = re.compile(r"\b(?:write|type|put|note|jot|add)\b", re.IGNORECASE)
_SAVES_IT = re.compile(
    r"\W*(?:then\s+|please\s+|finally,?\s+)*save\s+(?:it|this|that|the\s+\w+)\s+(?:as|under|in)\b", re.IGNORECASE
)
_OF_FILES = frozenset({"file_exists", "file_absent", "same_as"})
_ORDER = {"file_exists": 0, "file_absent": 0, "same_as": 0, "file_contains": 1, "nothing_else": 1, "changed_since_start": 1}


def _contents(task: str, wanted: list[Check]) -> Iterator[Check]:
    """What the one new text has to hold of which no sentence says more than its name: what others have written."""
    new = [
        check.target for check in wanted if check.kind == "file_exists" and check.target.lower().endswith((".txt", ".md"))
    ]
    if len(new) != 1 or len({check.target for check in wanted}) != 1 or any(check.kind != "file_exists" for check in wanted):
        return
    parts = clauses(task)
    edits = [(part, edit) for part in parts if (edit := edit_of(part)) is not None]
    if len(edits) == 1 and edits[0][1].kind == "add":
        yield from (Check(kind="file_contains", target=new[0], text=text) for text in edits[0][1].texts)
        yield from only(edits[0][0], new[0])
    elif not edits and any(lists_titles(part) for part in parts):
        yield Check(kind="changed_since_start", target=new[0], text=FOUND_OUT)


def _planned(check: Check, task: str) -> Check:
    """A planner repeats a text as it stands, with its stand-ins."""
    text = with_stand_ins(check.text, task) if check.kind == "file_contains" else check.text
    return check if text == check.text else check.model_copy(update={"text": text, "origin": "evidence"})


def _demanded(task: str, before: Observation, names: Names) -> list[_Demanded]:
    there = names.aliased()
    writing = Writing(task, there)
    demanded: list[_Demanded] = []
    archives = () if _ALTERS.search(task) else tuple(name for name in file_names(task) if name.lower().endswith(".zip"))
    so_far, written = "", ""
    for order in orders(task):
        so_far += f" {order.text}"
        text = with_folder(spelt_out(order.text, before, names), so_far, before)
        there = names.aliased()
        if written and _SAVES_IT.match(text):
            text = f"{written.rstrip(' .')} and {text.lstrip()}"  # what it is stands in the sentence before
        checks = (*files_of(text, there, archives), *writing.checks(text), *shown(text, tables_of(task)))
        written = text if not checks and _WRITES.search(text) else ""
        demanded.append(_Demanded(order, checks))
    return demanded


def _together(demanded: list[_Demanded]) -> list[_Demanded]:
    """With all that is said of one file in one check of how it differs from what it was; none where an order has more done
    to it than is understood."""
    said: dict[str, list[str]] = {}
    doubtful: set[str] = set()
    for each in demanded:
        exact = {check.target: check.text.removeprefix(ONLY) for check in each.checks if check.text.startswith(ONLY)}
        for target, text in exact.items():
            said.setdefault(target, []).append(text)
        doubtful |= {check.target for check in each.checks if check.kind in _SAY_OF_IT} - exact.keys()
    left: list[_Demanded] = []
    for each in reversed(demanded):
        checks: list[Check] = []
        for check in each.checks:
            if not check.text.startswith(ONLY):
                checks.append(check)
            elif check.target in doubtful:
                checks.append(check.model_copy(update={"text": ""}))
            elif texts := said.pop(check.target, []):
                checks.append(check.model_copy(update={"text": f"{ONLY}{' '.join(texts)}"}))
        left.append(_Demanded(each.order, tuple(checks)))
    return left[::-1]


def _deeds(demanded: Iterable[_Demanded], wanted: Iterable[Check], names: Names) -> Iterator[Check]:
    """The sentences that want something lasting done of which no check speaks: nobody could say that all is done."""
    files = {check.target for check in wanted}
    for each in demanded:
        order = each.order
        spoken = bool(each.checks) or any(name in files for name in names.in_(order.text))
        unsaved = not files and _SAVES.search(order.text) is not None
        if ((lasting(order.text) or unsaved) and not spoken) or lasting(order.open):
            yield Check(kind="deed", text=shorten(names.words(order.said).strip(" ;."), 160))
