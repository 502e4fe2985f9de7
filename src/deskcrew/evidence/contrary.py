"""What other pages of a site say otherwise than the page on which something was sent.

That page may be made from a copy, a cache or what its browser keeps, and then shows what nobody else sees. So a line counts
against it that has, of the same entry, what was there before and not what is there now; that has only the beginning of a
text that was sent; that repeats what was sent once; and that a browser without anything stored does not show. Whether such
a line speaks of the same thing is for the Verifier to say: there are archives, and lists of yesterday.
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
"""How many words tell a text by themselves, and how many letters a word that names an entry has at least."""
CUT_FROM, LEAST_CUT = 40, 20
"""The length of a value of which a beginning may be shown for the whole, and of such a beginning, in characters."""
SETTING = frozenset({"PUT", "PATCH", "DELETE"})
"""Methods of requests that do the same when they are sent once more."""
_AROUND = string.punctuation + "–—…«»“”„‘’·•¿¡£€¥"
Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Contrary:
    """A line of another page that says otherwise. ``thing``: the line (role ``text``), its page's title as ``owner``;
    ``label``: in words."""

    thing: Thing
    label: str


def contraries(
    pages: Sequence[Observation], others: Sequence[Glance], before: Sequence[Observation], sent: Sequence[Sent]
) -> tuple[Contrary, ...]:
    """What ``others`` say otherwise than ``pages``, which were loaded anew; see :func:`~deskcrew.evidence.shown.changes`."""
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
    """The glances that can say otherwise than ``pages``: where a browser without anything stored did not get to the view, or
    what is shown was not what was sent, it says nothing."""
    alone = not kept_whole(sent) and _shows_sent(pages, sent)
    return tuple(each for each in glances if not each.alone or (alone and not each.lost))


def kept_whole(sent: Sequence[Sent]) -> bool:
    """Whether an application sends its whole state: it keeps that in its browser, too, and begins without it in another
    one."""
    return any(each.changed for each in sent if each.saves)


def _shows_sent(pages: Sequence[Observation], sent: Sequence[Sent]) -> bool:
    """Whether pages may show something that was sent: a text, or what is too short to be looked for."""
    said, fields = values(sent), [one for each in sent if each.saves for one in each.fields]
    short = len({(one.value or "").strip().casefold() for one in fields if one.value != one.was} - {*said}) > 0
    return short or any(value in spoken(page) for page in pages for value in said)


def _of_before(
    shown: Sequence[tuple[Observation, ShownChange]], lines: Sequence[str], said: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Lines that have what an entry had before, where none has what it has now."""
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
    """Whether what came stands in a line, or in those next to each other, that speak of the same."""
    near = (_words(" ".join(lines[max(0, at - 1) : at + 2])) for at in range(len(lines)))
    return any(came <= words and (len(came) >= TELLING or not about or bool(about & words)) for words in near)


def _beginnings(lines: Sequence[str], sent: Sequence[Sent]) -> Iterator[tuple[str, str]]:
    """Lines that have the beginning of a value that was sent, and do not say that it goes on."""
    whole = " ".join(" ".join(lines).casefold().split())
    for value in values(sent):
        if len(value) < CUT_FROM or "\n" in value or " ".join(value.split()) in whole:
            continue
        for line in lines:
            said = line.strip()
            if len(said) >= LEAST_CUT and value.startswith(said.casefold()) and not said.endswith(("…", "...")):
                yield line, "has only the beginning of what was sent:"


def _repeated(look: Observation, before: Sequence[Observation], sent: Sequence[Sent]) -> Iterator[tuple[str, str]]:
    """A line more that has all values of a request than requests with these were sent. Other entries may have had them
    before, and what sets something to them makes no entry however often it is sent."""
    lines = look.all_text.splitlines()
    known = {line.strip() for each in before for line in each.all_text.splitlines()}
    made = [values([each]) for each in sent if each.saves and each.method not in SETTING]
    for said in dict.fromkeys(each for each in made if len(each) > 1):
        hits = [line for line in lines if line.strip() not in known and all(value in line.casefold() for value in said)]
        if len(hits) > made.count(said):
            yield hits[-1], f"has it {len(hits)} times, although it was sent {made.count(said)} times:"


def _hidden(shown: Sequence[tuple[Observation, ShownChange]], glance: Glance) -> Iterator[tuple[str, str]]:
    """What a page shows only in the browser that sent it."""
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
    """What a page says: its lines, and what its controls hold."""
    held = (" ".join(filter(None, (c.name, c.value or "", c.owner))) for c in look.in_front if c.role not in ACTS)
    texts = (line.strip() for line in (*look.all_text.splitlines(), *held))
    return list(dict.fromkeys(filter(None, texts)))


def _words(text: str) -> Words:
    return frozenset(filter(None, (each.strip(_AROUND) for each in text.casefold().split())))
