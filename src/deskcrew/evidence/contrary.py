"""Lines of a site's other pages that contradict the page on which something was sent.

That page may come from a copy, a cache or the browser's own storage, and then shows what nobody else sees. Four kinds of
lines count against it: a line that shows an entry as it was before, not as it is now; a line with only the beginning of a
text that was sent; a repetition of what was sent once; and a line that a browser without stored data does not show. Whether
such a line is about the same thing is for the Verifier to say: there are archives, and lists of yesterday.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deskcrew.environments.looking_aside import Glance
from deskcrew.evidence.kept import ACTS, same_view, spoken, values
from deskcrew.evidence.shown import ShownChange, Thing, changes
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Observation, Sent, page_of

TELLING = 3
"""How many words suffice to identify a text, and the minimum length of a word that identifies an entry."""
CUT_FROM, LEAST_CUT = 40, 20
"""Minimum length of a value that a page may show cut off, and of the part that it shows, in characters."""
SETTING = frozenset({"PUT", "PATCH", "DELETE"})
"""Methods of requests that change or remove an entry and add none, however often they are sent."""
_AROUND = string.punctuation + "–—…«»“”„‘’·•¿¡£€¥"
Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Contrary:
    """A line of another page that contradicts. ``thing``: the line (role ``text``), with its page's title as ``owner``;
    ``label``: the contradiction in words."""

    thing: Thing
    label: str


def contraries(
    pages: Sequence[Observation], others: Sequence[Glance], before: Sequence[Observation], sent: Sequence[Sent]
) -> tuple[Contrary, ...]:
    """Lines of ``others`` that contradict the reloaded ``pages``; see :func:`~deskcrew.evidence.shown.changes`."""
    shown = [(page, change) for page in pages for change in changes(page, before, sent) if not change.gone]
    found: dict[Thing, Contrary] = {}
    for glance in telling(others, pages, sent):
        lines = _lines(glance.look)
        against = [*_of_before(shown, lines, values(sent)), *_beginnings(lines, sent)]
        against += _repeated(glance.look, before, sent)
        against += _hidden(shown, glance) if glance.alone else ()
        front = glance.look.active_window
        where = front.title if front is not None else glance.address
        how = " without what its browser has stored" if glance.alone else ""
        for line, what in against:
            label = f"{shorten(where, 60)!r} at {shorten(glance.address, 120)}{how} {what} {shorten(line, 120)!r}"
            found.setdefault(thing := Thing("text", line, owner=where, page=glance.address), Contrary(thing, label))
    return tuple(found.values())


def telling(glances: Sequence[Glance], pages: Sequence[Observation], sent: Sequence[Sent]) -> tuple[Glance, ...]:
    """The glances that can contradict ``pages``. A glance without stored data tells nothing if it did not get to the view,
    if pages do not show what was sent, or if the application keeps its state in the browser."""
    alone = not kept_whole(sent) and _shows_sent(pages, sent)
    return tuple(each for each in glances if not each.alone or (alone and not each.lost))


def kept_whole(sent: Sequence[Sent]) -> bool:
    """Whether an application sends its whole state: then its browser keeps the state, too, and another one starts empty."""
    return any(each.changed for each in sent if each.saves)


def _shows_sent(pages: Sequence[Observation], sent: Sequence[Sent]) -> bool:
    """Whether pages may show something that was sent: its text is there, or is too short to look for."""
    said, fields = values(sent), [one for each in sent if each.saves for one in each.fields]
    short = len({(one.value or "").strip().casefold() for one in fields if one.value != one.was} - {*said}) > 0
    return short or any(value in spoken(page) for page in pages for value in said)


def _of_before(
    shown: Sequence[tuple[Observation, ShownChange]], lines: Sequence[str], said: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Lines that show an entry's old content, if no line shows its new content."""
    for page, change in shown:
        for thing in change.things if change.old else ():
            text = f"{thing.name} {thing.value}"
            now, was = _words(f"{text} {' '.join(thing.states)}"), _words(change.old)
            gone, came = was - now, now - was
            known = ((now & was) | _words(thing.owner)) - came - gone
            about = {each for each in known if len(each) >= TELLING and each.isalpha()}
            # What other entries say as well, such as the name of a column, tells none of them.
            others = (words for line in _lines(page) if not came <= (words := _words(line)))
            about = about.difference(*others) or about
            # Two lines that have nothing in common may only stand in the same place.
            same = bool(about) or any(value in text.casefold() for value in said)
            if gone and same and not _agrees(lines, came, about):
                yield from ((line, "still shows") for line in lines if _is_of(_words(line), gone, about))


def _is_of(line: Words, gone: Words, about: set[str]) -> bool:
    return gone <= line and (len(gone) >= TELLING or bool(about & line))


def _agrees(lines: Sequence[str], came: Words, about: set[str]) -> bool:
    """Whether the new words stand in a line, or in adjacent lines, about the same entry."""
    near = (_words(" ".join(lines[max(0, at - 1) : at + 2])) for at in range(len(lines)))
    return any(came <= words and (len(came) >= TELLING or not about or bool(about & words)) for words in near)


def _beginnings(lines: Sequence[str], sent: Sequence[Sent]) -> Iterator[tuple[str, str]]:
    """Lines with only the beginning of a value that was sent, and without dots at their end."""
    whole = " ".join(" ".join(lines).casefold().split())
    for value in values(sent):
        if len(value) < CUT_FROM or "\n" in value or " ".join(value.split()) in whole:
            continue
        for line in lines:
            said = line.strip()
            if len(said) >= LEAST_CUT and value.startswith(said.casefold()) and not said.endswith(("…", "...")):
                yield line, "has only the beginning of what was sent:"


def _repeated(look: Observation, before: Sequence[Observation], sent: Sequence[Sent]) -> Iterator[tuple[str, str]]:
    """The last of the lines with all values of a request, if there are more of them than requests with these values were
    sent. Neither lines that were there before nor requests that add no entry count."""
    lines = look.all_text.splitlines()
    known = {line.strip() for each in before for line in each.all_text.splitlines()}
    made = [values([each]) for each in sent if each.saves and each.method not in SETTING]
    for said in dict.fromkeys(each for each in made if len(each) > 1):
        hits = [line for line in lines if line.strip() not in known and all(value in line.casefold() for value in said)]
        if len(hits) > made.count(said):
            yield hits[-1], f"has it {len(hits)} times, although it was sent {made.count(said)} times:"


def _hidden(shown: Sequence[tuple[Observation, ShownChange]], glance: Glance) -> Iterator[tuple[str, str]]:
    """Changes that a page shows only in the browser that sent them."""
    said = _words(" ".join(_lines(glance.look)))
    for page, change in shown:
        front = page.active_window
        if front is None or page_of(front.url) != page_of(glance.address) or not same_view(glance.look, page):
            continue
        for thing in change.things:
            text = f"{thing.name} {thing.value}".strip()
            if not _words(text) <= said:
                yield text, "does not show"


def _lines(look: Observation) -> list[str]:
    """The texts on a page: its lines, and the names and values of its controls."""
    held = (" ".join(filter(None, (c.name, c.value or "", c.owner))) for c in look.in_front if c.role not in ACTS)
    texts = (line.strip() for line in (*look.all_text.splitlines(), *held))
    return list(dict.fromkeys(filter(None, texts)))


def _words(text: str) -> Words:
    return frozenset(filter(None, (each.strip(_AROUND) for each in text.casefold().split())))
