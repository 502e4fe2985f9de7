"""WebArena's three evaluators: of an answer, of the address where a run ended, and of what stands in pages.

They do as the official ones do (``evaluation_harness/evaluators.py``), also where that is lenient: an address counts
that has the right one in it, and a text that has what is wanted anywhere. The rule ``EXACT`` of older files is there
too.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from deskcrew_bench.webarena.tasks import IMPOSSIBLE, OR, Evaluation, Required, Task

_TOKEN = re.compile(r"(?:[\w/\\+=~^|-]|\.(?=\w)|[,:](?=\d))+|\S")
"""A word or number with what belongs to it, as the tokenizer of NLTK that WebArena uses cuts it, or what else stands
there, a character each."""


class Judge(Protocol):
    """Who says whether two wordings mean the same."""

    def same_answer(self, task: str, reference: str, answer: str) -> Awaitable[bool]:
        """Whether ``answer`` to ``task`` means what ``reference`` says."""
        ...

    def same_reason(self, task: str, reason: str, report: str) -> Awaitable[bool]:
        """Whether a report on a task that cannot be done is about the reason for it."""
        ...


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended. ``answer``: what it said; ``url``: of the page in front; ``contents``: what stood in each of the
    task's targets, in their order."""

    answer: str
    url: str
    contents: tuple[str, ...]


async def wrong(task: Task, ended: Ended, judge: Judge | None = None) -> str:
    """Which of a task's evaluators does not hold, and why; '' where all hold. ``judge``: of answers that only a model
    can compare; without one they count as wrong."""
    for kind in task.evaluation.kinds:
        match kind:
            case "string_match":
                said = await _of_answer(task, ended.answer, judge)
            case "url_match":
                said = _of_address(task.evaluation, ended.url)
            case "program_html":
                said = _of_pages(task.evaluation, ended.contents)
        if said:
            return f"{kind}: {said}"
    return ""


# -- answers


async def _of_answer(task: Task, answer: str, judge: Judge | None) -> str:
    wanted = task.evaluation.references
    said = plain(answer)
    if wanted.exact_match is not None and plain(said) != plain(wanted.exact_match):
        return f"{answer!r} is not the answer"
    whole = wanted.must_include or ()
    for part in whole:
        if not included(part, said, alone=len(whole) == 1):
            return f"{part!r} is not in {answer!r}"
    if wanted.fuzzy_match is None:
        return ""
    if wanted.fuzzy_match == IMPOSSIBLE:
        if plain(said) == plain(IMPOSSIBLE):
            return ""
        same = judge is not None and await judge.same_reason(task.intent, task.evaluation.note, said)
        return "" if same else f"{answer!r} does not say why it cannot be done"
    for reference in wanted.fuzzy_match:
        if not await _same(task, reference, said, judge):
            return f"{answer!r} does not mean {reference!r}"
    return ""


async def _same(task: Task, reference: str, said: str, judge: Judge | None) -> bool:
    if not said:  # no model is asked: not all of them find that it says nothing
        return not reference
    return judge is not None and await judge.same_answer(task.intent, reference, said)


def plain(text: str) -> str:
    """A text as it is compared: without white space around it and one pair of quotes, in small letters."""
    text = text.strip()
    for quote in "'\"":
        if text.startswith(quote) and text.endswith(quote):
            text = text[1:-1]
            break
    return text.lower()


def included(part: str, text: str, *, alone: bool = False) -> bool:
    """Whether ``part`` stands in ``text``. ``alone``: where it is one character, it has to be a word or number of its
    own, so that 0 is not in 10."""
    part, text = plain(part), plain(text)
    if alone and len(part) == 1:
        return part in _TOKEN.findall(text)
    return part in text


# -- addresses


def _of_address(evaluation: Evaluation, url: str) -> str:
    references = [reference.rstrip("/") for reference in (evaluation.reference_url or "").split(OR)]
    url = url.rstrip("/")
    if evaluation.rule == "EXACT":
        return "" if url in references else f"the run ended at {url}"
    place, query = _parts(url)
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    places: list[str] = []
    for reference in references:
        other, values = _parts(reference)
        places.append(other)
        for name, given in values.items():
            wanted[name].update(given)
    if not any(other in place for other in places):
        return f"the run ended at {url}"
    for name, values in wanted.items():
        if values.isdisjoint(query.get(name, ())):
            return f"{name} is not {' or '.join(sorted(values))} in {url}"
    return ""


def _parts(url: str) -> tuple[str, dict[str, list[str]]]:
    """Host and path of an address, and what its query says."""
    split = urlsplit(url)
    return f"{split.netloc}{split.path}".rstrip("/"), parse_qs(split.query)


# -- pages


def _of_pages(evaluation: Evaluation, contents: Iterable[str]) -> str:
    for target, content in zip(evaluation.targets, contents, strict=True):
        if missing := _missing(target.required, html.unescape(content)):
            return f"{missing} at {target.url}{f' in {target.locator}' if target.locator else ''}"
    return ""


def _missing(required: Required, content: str) -> str:
    if required.exact_match is not None:
        return "" if plain(content) == plain(required.exact_match) else f"{content[:80]!r} is not {required.exact_match!r}"
    for part in required.must_include or ():
        if not any(included(each, content) for each in part.split(OR)):
            return f"{part!r} is not there"
    return ""
