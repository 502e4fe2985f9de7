"""What only reading can settle: a reader judges the result, or the answer, among altered ones (decoys)."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from functools import cache

from deskcrew.actions import media
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import SaidReading
from deskcrew.engine.steps.proof_states import readings_in
from deskcrew.engine.steps.verifying import TRIES
from deskcrew.evidence.changes import text_of
from deskcrew.evidence.decoys import decoys, placed
from deskcrew.evidence.proof import named
from deskcrew.evidence.screen import LEAST_WORDS, ScreenState, is_page, is_prose
from deskcrew.evidence.states import States
from deskcrew.facts.contract import Contract, Proof, Requirement
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.verdict import VerifiedBy
from deskcrew.journal.journal import Journal

MOST_READ = 12_000
"""The maximum characters of a text that a reader is given."""
LEAST_READ = 200
"""The number of characters below which an excerpt of the pages is not worth giving."""
MOST_LINES = 2000
"""The maximum number of a file's new lines for a Verifier to be able to call them incidental."""
CHANGES = "What changed from before the work to this text (- before, + now):"
UNCHANGED = "Besides, what was there before the work is unchanged."
"""What a reader is also asked about files that existed before."""
MOST_SOURCE = 40_000
"""The maximum characters of an answer's sources that a reader is given."""


async def read_all(
    prompting: Prompting, contract: Contract, states: States, seen: tuple[ScreenState, ScreenState]
) -> tuple[Proof, ...] | None:
    """A reader's verdicts on the requirements that only reading can settle. None if a reply was unusable."""
    proofs: list[Proof] = []
    pages = cache(
        lambda: _pages_read(prompting.record, seen[1])
    )  # all looks of the run: read once, and only if a file may rest on them
    for requirement in contract.standing:
        if requirement.seen_by == "reading":
            proof = await _read(prompting, requirement, states, seen, pages)
            if proof is None:
                return None
            proofs.append(proof)
    return tuple(proofs)


async def _read(
    prompting: Prompting,
    requirement: Requirement,
    states: States,
    seen: tuple[ScreenState, ScreenState],
    pages: Callable[[], str],
) -> Proof | None:
    """A reader's verdict on one requirement, given among decoys: a reader that accepts a decoy is not believed. None if its
    reply was unusable. ``pages``: returns what pages showed."""
    record = prompting.record
    state, role = record.state, record.crew.roles[record.crew.reader]
    unknown = Proof(requirement=requirement.id, says=requirement.says, holds=None)
    results = results_of(requirement, states)
    text = "\n".join(f"[{path}]\n{text_of(states, path)}" for path in results) if requirement.files else _prose_sent(seen[1])
    if not text:
        if not requirement.files and prompting.surroundings.now.drawn is not None:
            # It may be of what a program painted, and what a picture shows is not read here.
            return unknown.model_copy(update={"found": "no text was sent, and what is painted is not judged"})
        missing = "no file that it mentions was written" if requirement.files else "no text was sent"
        return unknown.model_copy(update={"holds": False, "found": missing})
    sources = [path for path, entry in states.start.by_path.items() if entry.kind == "file" and path not in results]
    shown = [] if requirement.files else [f"[the screen]\n{look}" for look in _texts_shown(*seen)]
    watched = _watched(record.journal) if requirement.files else {}
    told = ("\n".join((text_of(states, path, start=True), *watched.get(path, ()))) for path in sources)
    before = "\n".join(f"[{path}]\n{text_of(states, path, start=True)}" for path in results if path in states.start.by_path)
    source = "\n".join((*(f"[{path}]\n{text}" for path, text in zip(sources, told, strict=True)), *shown))
    if requirement.files and (room := MOST_READ - len(source)) > LEAST_READ and pages():
        source = f"{source}\n{shorten(pages(), room - LEAST_READ)}".strip()
    if max(len(source), len(text)) > MOST_READ:
        return unknown.model_copy(update={"found": "it is too long to be judged in one piece"})
    says = f"{requirement.says} {UNCHANGED}" if before else requirement.says
    wrong = decoys(text, source, says, before=before)
    judged = await _among(prompting, says, source, text, wrong, before)
    if judged is None:
        return unknown if state.malformed_by == role.name and state.format_errors >= TRIES else None
    holds, why, by = judged
    return unknown.model_copy(update={"holds": holds, "by": by if holds is not None else "", "found": why})


def _change(before: str, now: str) -> str:
    return "\n".join(difflib.unified_diff(before.splitlines(), now.splitlines(), "before", "now", lineterm="", n=1))


def results_of(requirement: Requirement, states: States) -> list[str]:
    """The changed files that a reader is shown for a requirement, without deleted files and files without text."""
    there = (path for path in states.changes() if path in states.end.by_path and named(path, requirement.files))
    return [path for path in there if text_of(states, path).strip()]


def _watched(journal: Journal) -> dict[str, tuple[str, ...]]:
    """What programs read in videos and recordings for this run, by file: these have no text of their own."""
    found: dict[str, tuple[str, ...]] = {}
    for done in (done for turn in journal.state.turns for done in turn.done):
        if done.ok and done.operation.function in media.WATCHING:
            for path in done.reads:
                found[path] = tuple(dict.fromkeys((*found.get(path, ()), done.text)))
    return found


def _prose_sent(end: ScreenState) -> str:
    """The words that pages sent, one field per line."""
    fields = (field for each in end.sent for field in each.fields if is_prose(field))
    return "\n".join(f"{field.name}: {field.value}" for field in fields)


def _own_lines(end: ScreenState) -> set[str]:
    """The lines of what was written on pages and sent."""
    values = (field.value or "" for each in end.sent for field in each.fields if is_prose(field))
    return {line for value in values for line in value.split("\n") if line.strip()}


def _without_own(line: str, own: Collection[str]) -> str:
    """A displayed line without the crew's ``own`` text; '' if nothing else is in it. A text of a few words is only removed
    if it is the whole line, as it may be anybody's."""
    for said in sorted(own, key=len, reverse=True):
        if line.strip() == said.strip() or len(said.split()) >= LEAST_WORDS:
            line = line.replace(said.strip(), "")
    return line if any(character.isalnum() for character in line) else ""


def _texts_shown(start: ScreenState, end: ScreenState) -> list[str]:
    """What windows showed before and during the work, each text once, without what the crew wrote there and sent."""
    own = _own_lines(end)
    shown: dict[str, None] = {}
    for look in (start.look, *end.looks):
        lines = (_without_own(line, own) for line in look.text.splitlines())
        shown["\n".join(filter(None, lines))] = None
    return [text for text in shown if text.strip()]


def _pages_read(record: Record, end: ScreenState) -> str:
    """What web pages showed, each line once, without what the crew itself had written before."""
    origins, own = record.origins(), _own_lines(end)
    known: set[str] = set()
    told: list[str] = []
    read = {event.id: reading.text for event, reading in readings_in(record)}
    for event in record.journal.events:
        look = record.looks.of(event)
        if look is None or not is_page(look) or (front := look.active_window) is None:
            continue
        lines = (*look.all_text.splitlines(), *read.get(event.id, "").splitlines())
        new = [line for line in dict.fromkeys(lines) if line.strip() and line not in known]
        known.update(new)
        theirs = (_without_own(line, own) for line in new if not origins.written(line, until=event.number))
        if said := [*filter(None, theirs)]:
            told.append("\n".join((f"[the page {front.title!r} at {front.url}]", *said)))
    return "\n".join(told)


async def read_answer(prompting: Prompting, answer: str, source: str) -> tuple[bool | None, str, VerifiedBy] | None:
    """A reader's verdict on an answer among wrong ones, from its sources alone: whether they show it, why, and who judged.
    None if its reply could not be used.

    Sources that are longer than :data:`MOST_SOURCE` characters are not judged.
    """
    record = prompting.record
    state, role = record.state, record.crew.roles[record.crew.reader]
    if len(source) > MOST_SOURCE:
        return None, "its sources are too long to be judged in one piece", "judge"
    says = f"It answers the question {state.question!r}, and the source shows every statement in it."
    judged = await _among(prompting, says, source, answer, decoys(answer, source, says, asked=True))
    if judged is None and state.malformed_by == role.name and state.format_errors >= TRIES:
        return None, "the reader's replies could not be used", "judge"
    return judged


async def _among(
    prompting: Prompting, says: str, source: str, text: str, wrong: list[str], before: str = ""
) -> tuple[bool | None, str, VerifiedBy] | None:
    """Whether a reader finds that a text fulfils what it must, why, and who judged. The first is None if the reader also
    accepts a ``wrong`` text, or is not asked because there are none. ``before``: the text before the work. None for all
    three if its reply could not be used."""
    record = prompting.record
    if not wrong:
        return None, "nothing in it could be altered to see whether a reader reads it", "judge"
    role = record.crew.roles[record.crew.reader]
    shown, at = placed(text, wrong, says)
    changes = [f"\n{CHANGES}\n{_change(before, each) or 'nothing'}" if before else "" for each in shown]
    told = zip(shown, changes, strict=True)
    texts = "\n".join(f"Text {number}:\n{each}{change}" for number, (each, change) in enumerate(told, 1))
    sight = prompting.sight(role, requirement=says, source=source or "none", texts=texts)
    reply = await prompting.asker.ask(role, Now(texts_read=len(shown)), sight, SaidReading)
    if reply is None:
        return None
    if record.replied_by_person:
        by: VerifiedBy = "human"
    else:
        by = "judge"
    said = {each.text: each for each in reply.texts}
    if at + 1 not in said or any(each.fulfils for number, each in said.items() if number != at + 1):
        return None, "the reader accepted an altered text, so its word does not count", by
    why = reply.why or said[at + 1].quote
    return said[at + 1].fulfils, f"judged, not proven: {why}" if by == "judge" else why, by
