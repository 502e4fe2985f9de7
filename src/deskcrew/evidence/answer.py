"""Answers cite sources: events of this branch that show the answer and that the crew did not write itself.

Rules come first, a judge second. A source must exist, contain the normalised answer and be independent of the crew
(``origin.py``): content that the crew did not write, output of a program that computed it from files the task names, or what
was on the screen. If the model names no source, the engine looks for one.

In a run with a contract an answer may be worded freely: each value in it must appear in a source (:func:`value_by_value`). A
model then judges the rest from these sources: it must pick the answer from among wrong ones of the same form
(``decoys.py``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deskcrew.errors import ActionError
from deskcrew.evidence.decoys import values_of
from deskcrew.evidence.origin import Origins
from deskcrew.facts.observation import Observation
from deskcrew.facts.texts import stands_in
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected

_TOLD = frozenset({
    "cell", "column header", "row header", "list item", "tree item", "row", "text", "heading", "link", "document", "section",
})  # fmt: skip
"""Roles of controls whose name is content, even though they can be pressed."""
LONGEST_WRITTEN = 400
"""The longest file that may be an answer, in characters."""
_TEXTS = (".txt", ".md", ".csv", ".json", ".log")


@dataclass(frozen=True, slots=True)
class Support:
    """What the rules found. ``sources``: the sources that count; if empty, nothing supports the answer."""

    sources: tuple[Collected, ...]
    why: str

    @property
    def holds(self) -> bool:
        return bool(self.sources)


def support(origins: Origins, answer: str, named: Sequence[str], seen: Sequence[Collected] = ()) -> Support:
    """The sources that support ``answer``. ``named``: event numbers that the model gave as its sources; ``seen``: what was
    on the screen when a role reported what it had read there."""
    world = sorted((*(c for c in origins.state.collected if not c.claimed), *seen), key=lambda found: found.number)
    holding = [found for found in world if _shows(found, answer)]
    if not holding or all(unicodedata.category(character)[0] in "PZ" for character in answer):
        return Support(sources=(), why=f"{answer!r} is in nothing that was read or computed")
    believed = [found for found in holding if all(origins.supports(found, part) for part in _parts(found, answer))]
    if not believed:
        why = f"{answer!r} is only in what the crew wrote itself, or made from files that the task does not name"
        return Support(sources=(), why=why)
    chosen = [found for found in believed if str(found.number) in named]
    return Support(sources=tuple(chosen or believed[-1:]), why="")


def value_by_value(origins: Origins, answer: str, named: Sequence[str], seen: Sequence[Collected] = ()) -> Support:
    """The sources that support a freely worded answer. Arguments as for :func:`support`.

    Each value (a word with a digit in it) must appear in the task or in a source that is credible for it. A single digit may
    be a count of listed items, so it is left to the model that judges, as words are. An answer without values is supported
    by everything found that is not entirely the crew's own words.
    """
    whole = support(origins, answer, named, seen)
    if whole.holds:
        return whole
    world = sorted((*(c for c in origins.state.collected if not c.claimed), *seen), key=lambda found: found.number)
    chosen: dict[int, Collected] = {}
    missing: list[str] = []
    values = [value for value in values_of(answer) if len(value) > 1 and not stands_in(value, origins.state.task)]
    for value in values:
        believed = [found for found in world if stands_in(value, found.text) and origins.supports(found, value)]
        preferred = [found for found in believed if str(found.number) in named] or believed[-1:]
        chosen |= {found.number: found for found in preferred}
        missing += [] if believed else [value]
    if missing:
        why = f"{', '.join(missing)} in the answer: only the crew's own writing shows it"
        return Support(sources=(), why=why)
    chosen = chosen or {found.number: found for found in world if origins.foreign(found)}
    return Support(
        sources=tuple(chosen.values()), why="" if chosen else "nothing that was read or computed could support it"
    )


def evidence(origins: Origins, sources: Sequence[Collected]) -> str:
    """The text from which a model judges an answer: full sources and, for programs' output, their code and the files
    read."""
    told: list[str] = []
    files: dict[str, str] = {}
    for found in sources:
        done = next((done for done in origins.done if done.number == found.number), None)
        code = (
            str(done.operation.params.get("code") or done.operation.params.get("command") or "") if done is not None else ""
        )
        told.append(f"[{found.number}: printed by this program]\n{code}\n[what it printed]" if code else f"[{found.number}]")
        told.append(found.text)
        for path in found.reads if code else ():
            try:
                files[path] = origins.read(path)
            except ActionError as error:
                files[path] = str(error)
    return "\n".join([*told, *(f"[{path}, which it read]\n{text}" for path, text in files.items())])


def on_screen(event: str, number: int, look: Observation) -> Collected:
    """An observation as a source: its titles, texts and values. Names of controls that are only pressed are left out: a
    calculator has every digit on a button."""
    # A page without a title has its address as its title, which says nothing about its content.
    titles = (window.title for window in look.windows if not (window.url and window.url.endswith(window.title)))
    texts = [*titles, look.all_text]
    texts += [c.name for c in look.controls if c.role in _TOLD or not {"click", "toggle", "select"} & set(c.operations)]
    texts += [c.value for c in look.controls if c.value]
    text = "\n".join(text for text in texts if text.strip())
    return Collected(event=event, number=number, role="", subtask=None, kind="seen", text=text)


def _shows(found: Collected, answer: str) -> bool:
    return all(stands_in(part, found.text) for part in _parts(found, answer))


def _parts(found: Collected, answer: str) -> list[str]:
    """The answer itself, or its comma-separated items if it does not appear verbatim."""
    parts = [part.strip() for part in answer.split(",") if part.strip()]
    return [answer] if stands_in(answer, found.text) or len(parts) < 2 else parts


def written_results(state: RunState, now: Observation, text_of: Callable[[str], str]) -> list[Collected]:
    """The only text file written by the last program, as if the program had printed it. It counts as a source for a task
    that also asks a question. Empty if any output was printed or collected, or if the file was changed later."""
    if any(found.kind == "output" for found in state.collected):
        return []
    ran = [(turn, done) for turn in state.turns for done in turn.done if done.ok]
    programs = ((turn, done) for turn, done in reversed(ran) if state.given_by(done.operation) == "output")
    turn, last = next(programs, (None, None))
    if turn is None or last is None or last.text.strip() or not last.reads:
        return []
    there = {entry.path for entry in now.files if entry.kind == "file"}
    files = [path for path in last.files if path in there and path.lower().endswith(_TEXTS)]
    if len(files) != 1 or any(files[0] in done.files for _, done in ran if done.number > last.number):
        return []
    try:
        text = text_of(files[0])
    except ActionError:
        return []
    if not 0 < len(text.strip()) <= LONGEST_WRITTEN:
        return []
    return [Collected(last.event, last.number, turn.role, turn.subtask, "output", text, last.reads)]
