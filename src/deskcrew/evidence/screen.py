"""What windows and pages showed, and what pages sent: as data for probes, and with single alterations as counter-states.

The observation before the work is the start, and the last one is the end. Observations in between are included, because work
on a page that was left since is visible nowhere else, and so is every request that a page made. Sending does not prove that
something was kept: that shows on pages loaded afterwards. So one counter-state is an end in which all was sent, but pages
show what they showed before.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from pydantic import JsonValue

from deskcrew.environments.describe import describe, sent_line
from deskcrew.environments.looking_aside import Glance
from deskcrew.environments.names import told_value
from deskcrew.evidence.altering import altered_text
from deskcrew.evidence.contrary import Contrary, contraries
from deskcrew.evidence.damaging import spread
from deskcrew.evidence.kept import counterpart, things, values
from deskcrew.evidence.ready_made import overtaken
from deskcrew.evidence.repeats import RepeatedLines
from deskcrew.evidence.shown import Thing, as_before, changes
from deskcrew.evidence.taken_away import Speaking, taken_away
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Control, Observation, Sent, SentField, page_of
from deskcrew.facts.texts import reworded

MOST_RESTING = 12
"""Maximum number of shown texts that are altered because a file may be based on them."""
MOST_ALTERED = 24
"""Maximum number of requests, of sent fields, and of changes to windows that are altered."""
MOST_EARLIER = 4
"""Maximum number of earlier observations that are tried in place of the last one."""
CUT = 200
"""Length to which new content of an observation is cut once :data:`LOOKS_SHOWN` is used up, in characters."""
LEAST_WORDS = 3
"""Minimum number of words of a sent text that only a model can judge."""
ONLY_TAKEN = "everything was sent, and what is gone was only taken away"
UNSENT = "nothing was sent, and the page shows what it shows once it is loaded anew"
UNKEPT = "everything was sent, and what is shown after loading anew is what was shown before the work"
FURTHER = (SentField(name="id", value="4711"), SentField(name="text", value="banana"))
"""What an additional request sends."""
SHOWN, SENT_SHOWN, LOOK_SHOWN, LOOKS_SHOWN = 1800, 12_000, 2500, 16_000
"""How much a Verifier is shown: of the first and the last observation, in tokens; of what was sent, of what was new in an
observation in between, and of all of these together, in characters."""


ANSWER_SHOWN = 600
"""How much a Verifier is shown of a server's answer, in characters."""
OTHER_SHOWN = 500
"""How much a Verifier is shown of another page, in characters."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """The text that an operation read on a page, including what was not in view. ``page``: its address."""

    page: str
    text: str


@dataclass(frozen=True, slots=True)
class ScreenState:
    """One state of the screen. ``sent``: what pages have sent since the start; ``looks``: the observations before this one,
    oldest first; ``elsewhere``: the last observations of the run's other desktops or browsers, which are also in ``looks``;
    ``pages``: reloads of the pages on which something was sent; ``before``: the observations before anything was sent;
    ``lost``: what could not be looked at again, in words."""

    look: Observation
    sent: tuple[Sent, ...] = ()
    looks: tuple[Observation, ...] = ()
    elsewhere: tuple[Observation, ...] = ()
    pages: tuple[Observation, ...] = ()
    before: tuple[Observation, ...] = ()
    lost: tuple[str, ...] = ()
    lasting: tuple[Observation, ...] = ()
    """If nothing was sent and the page in front was worked on: the observations before that, then the reloaded page."""
    read: tuple[PageReading, ...] = ()
    """What was read on pages since the start, oldest first."""
    others: tuple[Glance, ...] = ()
    """What other pages of the sites have shown since something was sent there, or the same page in another browser."""
    said: frozenset[str] = frozenset()
    """Addresses that came with the answer to what was sent, and whose pages are generated from the address alone."""

    @property
    def sends(self) -> bool:
        """Whether pages sent anything that must be accounted for."""
        return any(each.writes for each in self.sent)

    @property
    def saves(self) -> bool:
        """Whether anything that they sent may have been kept."""
        return any(each.saves for each in self.sent)

    @property
    def ends(self) -> tuple[Observation, ...]:
        """The observations at the end: other pages, reloaded pages that are no longer in front, and the last observation."""
        pages = (page for page in self.pages if page is not self.look)
        return (*(glance.look for glance in self.others), *pages, self.look)

    @property
    def contraries(self) -> tuple[Contrary, ...]:
        """Lines of other pages that contradict the reloaded ones."""
        return contraries(self.pages, self.others, self.before, self.sent)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Why nobody can say whether what was sent was kept, in words; empty if pages show changes after a reload."""
        if not self.saves or any(changes(look, self.before, self.sent) for look in self.ends):
            return ()
        return self.lost or ("what pages show after loading anew says nothing of it",)

    @property
    def of_pages(self) -> bool:
        """Whether a page of a web site was shown at any time."""
        return any(is_page(look) for look in (*self.looks, self.look))

    @property
    def data(self) -> JsonObject:
        """The state in the form that probes read; the Verifier's prompt describes it."""
        sent: list[JsonValue] = [_sent_data(each) for each in self.sent if each.method]
        looks, pages = (list[JsonValue](map(_look_data, each)) for each in (self.looks, self.pages))
        return {
            **_look_data(self.look),
            "sent": sent,
            "looks": looks,
            "pages": pages,
            "others": [_look_data(glance.look) for glance in self.others],
            "read": [asdict(r) for r in self.read],
        }

    def with_ends(self, ends: Sequence[Observation]) -> ScreenState:
        """This state with other observations in place of :attr:`ends`."""
        new = dict(zip(map(id, self.ends), ends, strict=True))
        others = tuple(replace(glance, look=new[id(glance.look)]) for glance in self.others)
        return replace(self, look=ends[-1], pages=tuple(new.get(id(page), page) for page in self.pages), others=others)


ScreenKind = Literal["other", "unkept", "gone", "anew", "more", "earlier"]
"""What differs on an altered screen: one thing; all was sent and nothing kept, or entries were only removed, which every
check of something done must notice; or it is the end after a reload, in a run that sent nothing. Only a check that something
never happens can notice that more was sent, and only one of something that need not last an earlier screen in front."""


@dataclass(frozen=True, slots=True)
class Altered:
    """A counter-state of the screen: the end with one alteration. ``request``: the index of the altered request, None if
    there is none or it need not be noticed; ``fields``: the altered fields, '' for a request without any; ``shown``: altered
    things that must be noticed like what was sent."""

    label: str
    screen: ScreenState
    request: int | None = None
    fields: frozenset[str] = frozenset()
    prose: bool = False
    """Whether sent prose is altered, which a model may judge by reading."""
    start: ScreenState | None = None
    """The start, if it is altered as well."""
    shown: tuple[Thing, ...] = ()
    kind: ScreenKind = "other"
    taken: tuple[str, ...] = ()
    """The entries that were only removed, if they are ``gone``."""

    @property
    def counts(self) -> bool:
        """Whether it must be noticed."""
        return self.request is not None or bool(self.shown)


def is_page(look: Observation) -> bool:
    """Whether the window in front shows a page of a web site rather than a file, which the crew may have written itself."""
    return look.address.startswith(("http://", "https://"))


def counter_states(
    start: ScreenState,
    end: ScreenState,
    result: str = "",
    *,
    further: bool = False,
    speaking: Speaking | None = None,
    earlier: bool = False,
) -> Iterator[Altered]:
    """Yield ends in which one request was not made or had another value, or one change of the windows is undone or altered.

    ``result``: the content of files that are compared with the screens: texts that share words with it are altered too,
    wherever they were shown. ``further``: add an end with an additional request. ``speaking``: the user's words, to add an
    end in which the entries that they mention were only removed; ``earlier``: add ends with earlier screens in front.
    """
    if end.saves:
        # A page that is made for its address shows the same whatever was kept.
        unkept = end.with_ends([look if look.address in end.said else as_before(look, end.before) for look in end.ends])
        yield Altered(UNKEPT, replace(unkept, elsewhere=()), kind="unkept")
    others = [number for number, look in enumerate(end.looks) if things(look) != things(end.look)]
    for number in others[-MOST_EARLIER:] if earlier else ():
        before = replace(end.with_ends((*end.ends[:-1], end.looks[number])), looks=end.looks[:number])
        yield Altered(f"what is in front is as it was in looks[{number}]", before, kind="earlier")
    if end.lasting:
        yield Altered(UNSENT, replace(end, look=end.lasting[-1], looks=end.lasting[:-1]), kind="anew")
    if speaking is not None and (entries := gone_from(start, end, speaking)):
        yield Altered(ONLY_TAKEN, _taken_away(start, end), kind="gone", taken=entries)
    made = [number for number, each in enumerate(end.sent) if each.method]
    anew = overtaken([_sent_data(each) for each in end.sent])
    for number in spread([number for number in made if _lasts(end.sent[number], anew[number])], MOST_ALTERED):
        one = end.sent[number]
        screen = replace(end, sent=(*end.sent[:number], *end.sent[number + 1 :]))
        fields = frozenset(field.name for field in one.fields) or frozenset({""})
        yield Altered(f"{_named(one)} was not sent", screen, _to_notice(end, number), fields)
    if len(made) > 1:
        yield Altered("nothing was sent", replace(end, sent=()))
    if further:
        one = Sent(method="POST", url=end.look.address, status=200, fields=FURTHER)
        yield Altered("a form more was sent", replace(end, sent=(*end.sent, one)), kind="more")
    fields = [(number, field) for number in made for field in end.sent[number].fields if field.name not in anew[number]]
    for number, field in spread([each for each in fields if each[1].value is not None], MOST_ALTERED):
        one = end.sent[number]
        for what, value in _others(field):
            changed = tuple(field.model_copy(update={"value": value}) if each is field else each for each in one.fields)
            sent = (*end.sent[:number], one.model_copy(update={"fields": changed}), *end.sent[number + 1 :])
            label = f"{_named(one)}, {field.name or 'content'} {what}"
            names, prose = frozenset({field.name}), is_prose(field)
            yield Altered(label, replace(end, sent=sent), _to_notice(end, number), names, prose)
    if end.saves:
        yield from spread(list(_other_ends(end)), MOST_ALTERED)
    else:
        for label, look in spread(list(_other_looks(start.look, end.look)), MOST_ALTERED):
            yield Altered(label, end.with_ends((*end.ends[:-1], look)))
    for number, there in enumerate(end.elsewhere):
        for label, look in spread(list(_other_looks(Observation(), there)), MOST_ALTERED):
            elsewhere = (*end.elsewhere[:number], look, *end.elsewhere[number + 1 :])
            yield Altered(label, replace(end, elsewhere=elsewhere))
    for text in spread(_resting(start, end, result), MOST_RESTING):
        for what, other in list(altered_text(text))[:1]:
            said = {text: other}
            looks = tuple(saying(look, said) for look in end.looks)
            read = tuple(replace(each, text=instead(each.text, said)) for each in end.read)
            screen = replace(end, look=saying(end.look, said), looks=looks, read=read)
            before = replace(start, look=saying(start.look, said))
            yield Altered(f"{shorten(text, 60)!r} shown {what}", screen, start=before)


def _lasts(sent: Sent, anew: Collection[str]) -> bool:
    """Whether a request says anything that later ones did not say ``anew``."""
    names = {field.name for field in sent.fields}
    itself = {""} if sent.method == "POST" or not names else set[str]()
    return not (names | itself) <= {*anew}


def gone_from(start: ScreenState, end: ScreenState, speaking: Speaking) -> tuple[str, ...]:
    """The entries that reloaded pages no longer show, and that the user's words mention without ordering their removal."""
    before = _seen_first(start, end)
    found = ((look, taken_away(look, before)) for look in (end.ends if end.sends else end.lasting[-1:]))
    gone = ((entry, look) for look, taken in found if taken is not None for entry in taken.entries)
    return tuple(dict.fromkeys(entry for entry, look in gone if speaking.unordered(entry, look)))


def _taken_away(start: ScreenState, end: ScreenState) -> ScreenState:
    """The end if what pages no longer show was only removed."""
    before = _seen_first(start, end)

    def anew(look: Observation) -> Observation:
        taken = taken_away(look, before)
        return taken.look if taken is not None else as_before(look, before)

    if not end.sends:
        return replace(end, look=anew(end.lasting[-1]), looks=end.lasting[:-1])
    ends = [look if look.address in end.said else anew(look) for look in end.ends]
    return replace(end.with_ends(ends), elsewhere=())


def _seen_first(start: ScreenState, end: ScreenState) -> tuple[Observation, ...]:
    """The observations before anything was sent. If nothing was sent, the first one of the page in front: later ones may
    show the work itself."""
    if end.sends:
        return end.before
    here = page_of(end.look.address)
    return tuple(look for look in (start.look, *end.looks) if page_of(look.address) == here)[:1]


def _other_ends(end: ScreenState) -> Iterator[Altered]:
    """Ends in which one change that reloaded pages show is undone or altered. If they show none, ends in which a sent value
    is another one on all other pages."""
    # Of what is in front and was not loaded anew, it may be what its script expects to be kept.
    pages = [look for look in end.pages if look.address not in end.said]
    found = [(look, changes(look, end.before, end.sent, end.looks)) for look in pages]
    if not any(some for _, some in found):
        yield from _other_values(end)
    for look, some in found:
        number = next(at for at, each in enumerate(end.ends) if each is look)
        for change in (each for each in some if not each.of_view):
            ends = (*end.ends[:number], change.look, *end.ends[number + 1 :])
            prose = any(is_prose(SentField(name="", value=thing.name)) for thing in change.things)
            shown = tuple(replace(thing, page=look.address) for thing in change.things)
            yield Altered(f"after loading anew, {change.label}", end.with_ends(ends), shown=shown, prose=prose)


def _other_values(end: ScreenState) -> Iterator[Altered]:
    looks = [glance.look for glance in end.others]
    come = [t for look in looks for each in changes(look, end.before, end.sent) for t in each.things]
    for value in values(end.sent):
        if any(value in f"{thing.name} {thing.value} {thing.owner}".casefold() for thing in come):
            what, other = next(iter(altered_text(value)), ("with another text", "banana"))
            others = tuple(replace(glance, look=_with_value(glance.look, value, other)) for glance in end.others)
            label = f"{shorten(value, 60)!r} shown {what} on every other page"
            yield Altered(label, replace(end, others=others), shown=(Thing("text", value),))


def _with_value(look: Observation, old: str, new: str) -> Observation:
    """An observation with every occurrence of a value replaced, also within texts, in any case."""

    def parts(control: Control) -> dict[str, str | None]:
        told = {"name": control.name, "value": control.value, "owner": control.owner}
        return {part: text and reworded(text, old, new) for part, text in told.items()}

    controls = tuple(control.model_copy(update=parts(control)) for control in look.controls)
    text, whole = (reworded(said, old, new) for said in (look.all_text, look.whole))
    return look.model_copy(update={"text": text, "lines": (), "controls": controls, "whole": whole})


def _resting(start: ScreenState, end: ScreenState, result: str) -> list[str]:
    """Texts that were shown or read and share a word with ``result``."""

    def bare(text: str) -> set[str]:
        return {word.strip(".,;:") for word in text.split()} - {""}

    words = bare(result)
    texts = dict.fromkeys(text for look in (start.look, *end.looks, end.look) for text in _texts(look))
    texts |= dict.fromkeys(line for each in end.read for line in each.text.splitlines() if line.strip())
    return [text for text in texts if words & bare(text)]


def _texts(look: Observation) -> Iterator[str]:
    yield from (line for line in look.all_text.splitlines() if line.strip())
    for control in look.controls:
        yield from (text for text in (control.name, control.value) if text and text.strip())


def saying(look: Observation, said: Mapping[str, str]) -> Observation:
    """An observation in which the texts in ``said`` are replaced by others wherever they occur."""
    controls = tuple(control.model_copy(update=_other_parts(control, said)) for control in look.controls)
    there = not said.keys().isdisjoint(look.all_text.splitlines())
    text = {"text": instead(look.all_text, said), "lines": ()} if there else {}
    return look.model_copy(update={"controls": controls, **text, "whole": instead(look.whole, said)})


def _other_parts(control: Control, said: Mapping[str, str]) -> dict[str, str]:
    parts = {"name": control.name, "value": control.value, "owner": control.owner}
    return {part: said[text] for part, text in parts.items() if text and text in said}


def instead(text: str, said: Mapping[str, str]) -> str:
    """A text with the lines in ``said`` replaced wherever they occur, also between the signs of Markdown."""

    def other(line: str) -> str:
        bare = line.strip(" #*-|")
        return said.get(line) or line.replace(bare, said.get(bare, bare))

    return "\n".join(map(other, text.splitlines()))


def on_all(found: Sequence[tuple[bool | None, str]], kind: str) -> tuple[bool | None, str]:
    """The result of a check on several screens, each of its own desktop or browser.

    One window that shows what is wanted is enough. A control is identified by its name alone: if several screens have it and
    disagree, the result is unknown.
    """
    yes = next((each for each in found if each[0] is True), None)
    no = next((each for each in found if each[0] is False), None)
    if yes is not None and no is not None and kind in ("control_value", "control_is"):
        return None, f"it is not the same on all desktops: {no[1]}"
    return yes or no or found[0]


def is_prose(field: SentField) -> bool:
    """Whether a sent value is prose rather than a single value."""
    return len((field.value or "").split()) >= LEAST_WORDS


def _to_notice(end: ScreenState, number: int) -> int | None:
    return number if end.sent[number].writes else None


def _others(field: SentField) -> Iterator[tuple[str, str]]:
    value = field.value or ""
    if value in ("true", "false"):
        yield "the other way round", "false" if value == "true" else "true"
    else:
        yield from list(altered_text(value))[:1] or [("with another text", "banana")]


def _other_looks(first: Observation, now: Observation) -> Iterator[tuple[str, Observation]]:
    yield from _other_windows(first, now)
    before = {control.label: control for control in first.controls}
    for control in now.controls:
        old, whose = before.get(control.label), f"{control.role} {control.name!r}"
        for attribute in ("name", "value"):
            text = getattr(control, attribute)
            if text and (old is None or getattr(old, attribute) != text):
                for what, other in list(altered_text(text))[:1]:
                    yield f"{whose} {what}", now.instead(control, control.model_copy(update={attribute: other}))
        if old is not None and old.states != control.states:
            undone = control.model_copy(update={"states": old.states})
            yield f"{whose} in the states it had", now.instead(control, undone)
    lines, known = now.all_text.splitlines(), set(first.all_text.splitlines())
    for number, line in enumerate(lines):
        if line.strip() and line not in known:
            for what, other in list(altered_text(line))[:1]:
                text = "\n".join((*lines[:number], other, *lines[number + 1 :]))
                yield (
                    f"the text {shorten(line, 60)!r} {what}",
                    now.model_copy(update={"text": text, "lines": (), "whole": ""}),
                )
    if gone := [line for line in first.all_text.splitlines() if line.strip() and line not in lines]:
        still = now.model_copy(update={"text": "\n".join((*lines, *gone)), "lines": (), "whole": ""})
        yield f"the text {shorten(gone[0], 60)!r} still there", still


def _other_windows(first: Observation, now: Observation) -> Iterator[tuple[str, Observation]]:
    """The windows without one that was opened, and with another title or address for each new one."""
    before = {window.id: window for window in first.windows}
    for window in now.windows:
        old, whose = before.get(window.id), f"the window {shorten(window.title, 60)!r}"
        others = tuple(each for each in now.windows if each is not window)
        if old is None:
            left = tuple(control for control in now.controls if control.window != window.id)
            gone = {"windows": others, "controls": left} | ({"text": "", "lines": (), "whole": ""} if window.active else {})
            yield f"{whose} not there", now.model_copy(update=gone)
        for attribute, what in (("title", "title"), ("url", "address")):
            text = getattr(window, attribute)
            if text and (old is None or getattr(old, attribute) != text):
                for _, other in list(altered_text(text))[:1]:
                    changed = tuple(
                        each.model_copy(update={attribute: other}) if each is window else each for each in now.windows
                    )
                    yield f"{whose} with another {what}", now.model_copy(update={"windows": changed})


def _named(sent: Sent) -> str:
    return f"{sent.method} {shorten(sent.url, 120)}"


def _look_data(look: Observation) -> JsonObject:
    titles = {window.id: window.title for window in look.windows}
    return {
        "windows": [
            {"title": w.title, "program": w.app, "address": w.url, "active": w.active, "dialog": w.dialog}
            for w in look.windows
        ],
        "controls": [
            {
                "window": titles.get(c.window, ""),
                "role": c.role,
                "name": c.name,
                "value": c.value or "",
                "states": list(c.states),
                "owner": c.owner,
            }
            for c in look.controls
        ],
        "address": look.address,
        "text": look.all_text,
        "whole": look.whole or look.all_text,
        "note": look.note,
    }


def _sent_data(sent: Sent) -> JsonObject:
    return {
        "method": sent.method,
        "address": sent.url,
        "status": sent.status,
        "fields": {field.name: field.value for field in sent.fields},
        "was": {field.name: field.was for field in sent.fields},
        "beside": dict(sent.beside),
        "answer": sent.answer,
    }


def told(start: ScreenState, end: ScreenState) -> str:
    """Both screens for the Verifier: the start, what was new in between, what was sent, and the end, changes first."""
    parts = [f"The screen at the start:\n{describe(_bare(start.look), tokens=SHOWN)}"]
    known = set(_words(start.look))
    left = LOOKS_SHOWN
    for look in end.looks:
        new = [word for word in _words(look) if word not in known]
        known |= set(new)
        if new:
            listed = shorten(json.dumps(new, ensure_ascii=False), LOOK_SHOWN if left > 0 else CUT)
            left -= len(listed)
            parts.append(f"New in a look meanwhile: {listed}")
    repeats = RepeatedLines()
    for number, each in enumerate(end.read):
        new = repeats.without(f"read[{number}]", each.text)
        listed = shorten(json.dumps(new, ensure_ascii=False), LOOK_SHOWN if left > 0 else CUT)
        left -= len(listed)
        parts.append(f"Read on the page at {each.page} (read[{number}]): {listed if new else 'nothing that is new'}")
    parts.append(f"What pages sent, in order:\n{_all_sent(end.sent)}" if end.sent else "Pages sent nothing.")
    for number, page in enumerate(end.pages):
        parts.append(f"Once loaded anew (pages[{number}]{', after' * (page is end.look)}), {_changed(page, end)}")
        if new := repeats.without(f"pages[{number}]", page.whole):
            listed = shorten(json.dumps(new, ensure_ascii=False), LOOK_SHOWN if left > 0 else CUT)
            left -= len(listed)
            parts.append(f"Its whole: {listed}")
    for number, glance in enumerate(end.others):
        how = "Opened without what the browser has stored" if glance.alone else "Opened besides"
        parts.append(f"{how} (others[{number}]), {_of_other(glance.look, end)}")
    parts += [f"Another page says otherwise: {each.label}" for each in end.contraries]
    parts += [f"Not looked at again: {lost}" for lost in end.lost]
    if end.lasting:
        parts.append(
            f"The page at the end, loaded anew in another window:\n{describe(_bare(end.lasting[-1]), tokens=SHOWN)}"
        )
    parts.append(f"The screen at the end:\n{describe(_bare(end.look), tokens=SHOWN)}")
    return "\n".join(parts)


def _changed(page: Observation, end: ScreenState) -> str:
    """What is new, different and gone on a reloaded page, and what is unchanged where it had been observed before."""
    window, said = page.active_window, _new_and_gone(page, end, LOOK_SHOWN)
    said = said or _otherwise_changed(page, counterpart(page, end.before))
    where = f"{window.title!r} at {window.url} shows" if window is not None else "it shows"
    alone = " for its address alone" if page.address in end.said else ""
    return f"{where}{alone} {'; '.join(said) or 'what it showed before anything was sent'}"


def _new_and_gone(page: Observation, end: ScreenState, longest: int) -> list[str]:
    found = changes(page, end.before, end.sent, end.looks)
    came = [_shown(thing, change.old) for change in found if not change.gone for thing in change.things]
    gone = [_shown(thing) for change in found if change.gone for thing in change.things]
    return [
        f"{what}: {shorten(json.dumps(some, ensure_ascii=False), longest)}"
        for what, some in (("new or other", came), ("no longer", gone))
        if some
    ]


def _otherwise_changed(page: Observation, was: Observation | None) -> list[str]:
    """What is new and gone on a page that shows nothing of what was sent."""
    known = things(was) if was is not None else frozenset[str]()
    both = (("new" if was is not None else "there is", things(page) - known), ("gone", known - things(page)))
    texts = ((what, [" ".join(each.split()) for each in sorted(some)]) for what, some in both if some)
    found = [f"{what}: {shorten(json.dumps(listed, ensure_ascii=False), CUT)}" for what, listed in texts]
    return ["nothing that repeats what was sent", *found] if found else []


def _of_other(look: Observation, end: ScreenState) -> str:
    """What another page shows: what is new, different and gone, and the beginning of its text."""
    window, said = look.active_window, [line for line in look.all_text.splitlines() if line.strip()]
    where = f"{window.title!r} at {window.url}" if window is not None else "it"
    parts = (*_new_and_gone(look, end, OTHER_SHOWN), f"in all: {shorten(json.dumps(said, ensure_ascii=False), OTHER_SHOWN)}")
    return f"{where} shows {'; '.join(parts)}"


def _shown(thing: Thing, old: str = "") -> str:
    was = f"(was {told_value(thing.role, old)!r})" if old else ""
    owner = f"in {thing.owner!r}" if thing.owner else ""
    value = told_value(thing.role, thing.value)
    return " ".join(part for part in (thing.role, thing.name, value, *thing.states, owner, was) if part)


def _all_sent(sent: Sequence[Sent]) -> str:
    lines: list[str] = []
    for number, each in enumerate(sent):
        beside = f"; beside these: {'; '.join(f'{name} {value!r}' for name, value in each.beside)}" if each.beside else ""
        answer = f"; answer: {shorten(' '.join(each.answer.split()), ANSWER_SHOWN)}" if each.answer else ""
        lines.append(f"sent[{number}] {sent_line(each)}{beside}{answer}")
    return shorten("\n".join(lines), SENT_SHOWN)


def _bare(look: Observation) -> Observation:
    return look.model_copy(update={"files": ()})


def _words(look: Observation) -> list[str]:
    """Everything that an observation shows, as separate texts."""
    windows = [f"{window.title} at {window.url}" if window.url else window.title for window in look.windows]
    values = [told_value(c.role, c.value or "") for c in look.controls]
    controls = [
        " ".join(part for part in (c.role, c.name, value, c.owner, *c.states) if part)
        for c, value in zip(look.controls, values, strict=True)
    ]
    return [*windows, *controls, *(line for line in look.all_text.splitlines() if line.strip())]
