"""The user's consent in their own words: what the words order need not be approved again.

Consent is read from these words alone, by a role that is shown nothing else (``engine/steps/consenting.py``), so no page,
file or program can add to it. It is narrow all the same. Consent to sending holds once, on the page or site that the user
named, and only while everything typed there occurs in their words, in any form, or in a file that they named, as it was at
the start. It is used up by what is sent, not by a press that only asks for confirmation. Consent to removing or replacing
holds for the paths that they named. Spending and credentials always need approval.

A fold over events, like the other approvals (``guard/history.py``).
"""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from deskcrew.actions import gesture_of
from deskcrew.actions.action import LOOKS, PRESSES, TYPES, Scene
from deskcrew.environments.pointing import target_of
from deskcrew.environments.workspace import INSIDE
from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent
from deskcrew.facts.loopback import on_this_machine
from deskcrew.facts.observation import Control, Evidence, Observation, Sent, Window, page_of
from deskcrew.facts.texts import file_names, folded, spaced, stands_alone, words_in
from deskcrew.guard.facets import Facets
from deskcrew.guard.filled import Filled, alike, names, put_by
from deskcrew.guard.leftover import PendingSend, Put, may_remain, texts_of, typed
from deskcrew.guard.named_pages import given_with, is_given, same_place
from deskcrew.guard.patterns import is_outside, normal_host, normal_path
from deskcrew.guard.pressing import told_by
from deskcrew.guard.wording import given as said_in
from deskcrew.guard.wording import wider, within

HARMLESS = LOOKS | PRESSES | {"choose", "back"}
"""Gestures that put no text of the crew's own into a page, unless they paste."""
MOVING = frozenset({
    "tab", "shift", "enter", "return", "escape", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "space",
})  # fmt: skip
"""Keys that move the focus, choose or press."""
LEAST = 2
"""Minimum length of a pattern's part that counts as named without a dot before it, in characters."""
LEAST_SAID = 3
"""Minimum number of words of a message to somebody."""
MOST_SHOWN = 60
"""Maximum number of characters of a value that a reason quotes."""
MOST_NAMED = 5
"""Maximum number of paths that a reason names."""
_ON_PAGES = {"send": "send", "destroy": "withdraw"}
"""The kind of consent that covers an operation on a page, by its risk."""
_DONE = {"send": "sent", "withdraw": "taken back"}
_NOT_SAID = "neither in the task nor in a file that it names"
_GLOB = frozenset("*?[]")
_NO_GLOB = str.maketrans(dict.fromkeys(_GLOB, "\0"))


def uncounted(order: Consent, said: str, given: Sequence[str] = (), root: str = "") -> str:
    """Why an order that was read in the user's words (``said``) is not a consent, worded for the role that read it and for
    people; '' if it is one. ``given``: the pages that the user gave with the task; ``root``: the workspace's path."""
    words = plain(said)
    if strange := next((each for each in order.quotes if folded(plain(each)) not in folded(words)), None):
        return f"{strange!r} is not in the user's words, letter by letter"
    if not any(folded(quote) for quote in order.quotes):
        return "no words of the user's are quoted that order it"
    return _unsendable(order, words, given) if order.on_page else _unnamed_path(order, words, root)


def plain(text: str) -> str:
    """A text in the form that is compared letter by letter: composed letters in one form, whatever system wrote them."""
    return unicodedata.normalize("NFC", text)


def _unsendable(order: Consent, words: str, given: Sequence[str]) -> str:
    if not order.where:
        return "the user names no page or site for it"
    if not (_whole(folded(plain(order.where)), folded(words)) or is_given(order.where, given)):
        return f"{order.where!r} is no page or site that the user names"
    if strange := next((text for text in order.texts if folded(plain(text)) not in folded(words)), None):
        return f"{strange!r} is not in the user's words, letter by letter"
    if strange := next((file for file in order.files if not _whole(plain(file), words, path=True)), None):
        return f"{strange!r} is no file that the user names"
    return ""


def _unnamed_path(order: Consent, words: str, root: str) -> str:
    """Why a path is not named by the user; '' if it is. The path must occur in the words as a whole. A pattern may also
    consist of whole words of the quotes (``txt``, ``old``), unless a file named there matches it: then that file is
    meant."""
    where = plain(order.where).strip()
    path = normal_path(where, filter(None, (INSIDE, root)))
    if not where or path == ".":
        return "the user names no file or folder for it"
    if is_outside(path) or ".." in where.split("/"):
        return f"{where!r} is not inside the workspace"
    if any(_whole(name, words, path=True) and _parts(name) for name in (where, path)):
        return ""
    if _GLOB.isdisjoint(path):
        return f"{where!r} is no file or folder that the user names"
    quotes = [plain(quote) for quote in order.quotes]
    if named := next((name for quote in quotes for name in file_names(quote) if fits(name, path)), ""):
        return f"{where!r} is wider than {named!r}, which the quoted words name"
    parts = _parts(path)
    spoken = bool(parts) and all(any(_spoken(part, quote) for quote in quotes) for part in parts)
    return "" if spoken and frozenset("?[").isdisjoint(path) else f"{where!r} is no pattern that the user gives"


def _parts(path: str) -> list[str]:
    """The literal parts of a path or pattern."""
    return [part for piece in path.translate(_NO_GLOB).split("\0") if (part := piece.strip("/").lstrip("."))]


def _spoken(part: str, quote: str) -> bool:
    """Whether a part of a pattern is a word of the quote: ``txt`` is in "all .txt files", in "alle TXT-Dateien" and in "the
    TXTs"; not in "draft.txt"."""
    dots = (".",) if len(part) < LEAST else (".", "")  # a letter may be any word
    forms = (f"{dot}{part.casefold()}{many}" for dot in dots for many in ("", "s"))
    return any(stands_alone(each, quote.casefold(), before="-@/~\\.", joins="./") for each in forms)


def _whole(part: str, words: str, *, path: bool = False) -> bool:
    """Whether a name occurs in a text as a whole: ``bank.org`` does not in ``mybank.org`` or ``bank.org.example``, and a
    ``path`` does not in a longer one."""
    if path:
        return stands_alone(part, words, before=".-@/~*\\", after="-*", joins="./")
    return stands_alone(part, words, before=".-@\\", after="-", joins=".")


def meant(where: str, paths: Sequence[str], root: str) -> tuple[str, ...]:
    """The path at the start that a name to remove or replace stands for, if it is written differently: in another case,
    composed differently, or without its folder if only one file has that name. Empty if it is ambiguous. ``paths``: all
    paths at the start; ``root``: the workspace's own path."""
    name = normal_path(plain(where), filter(None, (INSIDE, root)))
    if where in paths or name in paths or "/../" in f"/{name}/":
        return () if _GLOB.isdisjoint(name) else (name,)
    same = [path for path in paths if folded(plain(path)) == folded(name)]
    same = same or [path for path in paths if folded(plain(path.rpartition("/")[2])) == folded(name)]
    return (same[0],) if len(same) == 1 else ()


def fits(path: str, where: str) -> bool:
    """Whether a path is the one named, matches the named pattern, or lies in the named folder."""
    bare = where.rstrip("/")
    if not _GLOB.isdisjoint(bare):
        return fnmatch.fnmatchcase(path, bare)
    return path == bare or path.startswith(f"{bare}/")


def liftable(facets: Facets) -> bool:
    """Whether a consent can cover an operation like this."""
    return _loses(facets) or (facets.risk in _ON_PAGES and facets.place == "virtual")


@dataclass(frozen=True, slots=True)
class Label:
    """What a control's name says. ``silent``: nothing about sending, so it may be a step on the way; ``sends``: that it
    sends; ``removes``: that it also removes something; ``only_removes``: that it only removes, whatever is sent with it;
    ``alone``: no other control on its page says that it sends, buys or removes something; ``keeps``: that it saves."""

    silent: bool = False
    sends: bool = False
    keeps: bool = False
    removes: bool = False
    only_removes: bool = False
    alone: bool = False


UNNAMED = Label()


@dataclass(slots=True)
class Consents:
    """The consents that the user's words give on a branch, and their use so far. Changed only by :meth:`apply`."""

    consents: tuple[Consent, ...] = ()
    """All consents that were ever read, so that the index in an approval stays valid."""
    standing: tuple[int, ...] = ()
    """The indices of the consents that hold: those read last."""
    used: set[int] = field(default_factory=set[int])
    pressed: dict[int, int] = field(default_factory=dict[int, int])
    """By consent, the index in :attr:`done` of an operation that pressed something for it and has sent nothing so far."""
    said: str = ""
    """The user's own words so far, without those of another agent or the engine."""
    read: str | None = None
    """The words that the consents were read from; None if nobody has read any."""
    theirs: bool = True
    """Whether the task is in the words of a person, who can give consent."""
    given: tuple[str, ...] = ()
    """The pages that the user gave with the task."""
    done: list[Put] = field(default_factory=list[Put])
    """Operations that were let through."""
    only_asked: list[Sent] = field(default_factory=list[Sent])
    """Requests of pages that, according to a model, only ask for something."""
    one_browser: bool = False
    """Whether the run has a single browser of its own, and everything in it happened in sequence."""
    _proposed: dict[str, e.Operation] = field(default_factory=dict[str, e.Operation])
    _held: dict[str, tuple[Sent, ...]] = field(default_factory=dict[str, tuple[Sent, ...]])

    def apply(self, event: e.Event) -> None:
        """Fold the branch's next event."""
        match event.body:
            case e.RunStarted() as body:
                self.said, self.given = body.task, given_with(body.settings)
                self.theirs = body.words_of == "person"
                self.one_browser = body.desktop == "browser"
            case e.LanesOpened():
                self.one_browser = False
            case e.HumanSaid(words_of="person", kind="guide" | "switch" | "answer") as body if body.text:
                self.said = f"{self.said}\n{body.text}"
            case e.Rewound(words_of="person") as body if body.guidance:
                self.said = f"{self.said}\n{body.guidance}"
            case e.ConsentRead() as body:
                self.read = self.said
                self._stands(body.consents)
            case e.GoalSet(contract=contract) if contract is not None and contract.consents:
                self.read = self.said  # of a run from before they were read apart
                self._stands(contract.consents)
                if contract.by == "human":
                    self.said = "\n".join((self.said, *(text for each in contract.consents for text in each.texts)))
            case e.OperationProposed() as body:
                self._proposed[event.id] = body.operation
            case e.SendsFound() as body:
                self._held[event.id] = body.sent
            case e.OperationApproved() as body:
                self.only_asked += self._held.get(event.header.cause or "", ()) if body.asks else ()
                operation = self._proposed.get(event.header.cause or "")
                if operation is not None:
                    target = body.bound.target if body.bound is not None else None
                    self.done.append(Put(_page(body.bound), operation, target, body.consent))
                elif body.consent is not None and self.done:  # of what its page wanted to send
                    self.done[-1].consent = body.consent
                if body.consent is not None and not body.step:
                    self.pressed[body.consent] = len(self.done) - 1
            case e.ActionFinished(ok=True) as body if self.done and self.done[-1].operation == body.operation:
                self.done[-1].arrived = gesture_of(body.operation) == "open"
            case e.Observed(evidence=evidence) if self.done:
                self.done[-1].sent.extend(evidence.sent)
                self.done[-1].was = self.done[-1].was or _held_before(self.done[-1], evidence)
                self.done[-1].appeared.update(evidence.controls_appeared)
                self.done[-1].changed |= bool(evidence.controls_appeared or evidence.controls_gone or evidence.loaded)
                if any(map(_writes, evidence.sent)):
                    self.used.update(self.pressed)
                    self.pressed.clear()
            case _:
                pass

    @property
    def typed(self) -> tuple[str, ...]:
        """The texts that the run has typed, or put into an address that it opened, folded."""
        return tuple(dict.fromkeys(text for put in self.done for text in texts_of(put.operation) or () if text))

    @property
    def unread(self) -> bool:
        """Whether a person has said something that has not been read for orders yet."""
        return self.theirs and self.read != self.said

    def _stands(self, consents: Sequence[Consent]) -> None:
        """Replace the standing consents by those that were just read. What was already sent is not ordered once more by the
        same words, however they are read."""
        spent = {quote for place in (*self.used, *self.pressed) for quote in self.consents[place].quotes}
        standing: list[int] = []
        for each in consents:
            if each in self.consents:
                standing.append(self.consents.index(each))
            elif each.kind != "send" or not any(_overlap(quote, old) for quote in each.quotes for old in spent):
                standing.append(len(self.consents))
                self.consents = (*self.consents, each)
        self.standing = tuple(standing)

    def covering(
        self,
        operation: e.Operation,
        facets: Facets,
        bound: e.Bound,
        scene: Scene | None,
        label: Label = UNNAMED,
        *,
        deletes: bool,
        matched: int | None = None,
    ) -> tuple[int | None, str]:
        """The index in :attr:`consents` of the consent that covers an operation. None: it needs approval; the text then says
        why, if the task orders something of the kind. ``deletes``: whether what is lost is deleted rather than replaced;
        ``matched``: the consent that the operation carries out, according to a model that was shown both."""
        if _loses(facets):
            return self._losing(facets, deletes=deletes)
        kind, lacking = "send", ""
        if facets.risk in _ON_PAGES and scene is not None:
            press = _Press(_page(bound), target_of(operation, scene.observation), scene.observation, label)
            kind = "withdraw" if label.only_removes else _ON_PAGES[facets.risk]
            # What only says "Cancel" or "Next" may be how something is taken back.
            kinds = (kind, "withdraw") if label.silent else (kind,)
            others = [self.consents[place].kind for place in self.standing if self.consents[place].kind in _DONE]
            for place in self.standing if matched is None else (matched,):
                if matched is None and self.consents[place].kind not in kinds:
                    continue
                said_so = matched is not None
                lacking = self._spent(place, press, matched=said_so) or self._lacking(
                    place, operation, facets, press, matched=said_so
                )
                if not lacking:
                    return place, ""
                kind = self.consents[place].kind
            if not lacking and others:
                return None, f"the task orders something to be {_DONE[others[0]]}, and not to be {_DONE[kind]}"
        return None, f"the task orders something to be {_DONE[kind]}, but {lacking}" if lacking else ""

    def _losing(self, facets: Facets, *, deletes: bool) -> tuple[int | None, str]:
        kinds = ("remove",) if deletes else ("remove", "replace")
        standing = [place for place in self.standing if self.consents[place].kind in kinds]
        paths = [path.path for path in facets.paths]
        by = {path: next((at for at in standing if _about(self.consents[at], path)), None) for path in paths}
        rest = [path for path, place in by.items() if place is None]
        first = next((place for place in by.values() if place is not None), None)
        if rest and first is not None:
            return None, f"the task orders it for the others, but not for {', '.join(rest[:MOST_NAMED])}"
        return (None, "") if rest else (first, "")

    def tied(self, place: int | None) -> str:
        """The words that tie an order to a condition or a later time, '' if there are none. ``place`` None: of any
        consent."""
        places = self.standing if place is None else (place,)
        return next((when for each in places if (when := self.consents[each].when)), "")

    def orders_on(self, page: str) -> tuple[int, ...]:
        """The indices of the consents to sending that hold on a page, used up or not."""
        standing = ((place, self.consents[place]) for place in self.standing)
        return tuple(place for place, each in standing if each.on_page and same_place(each.where, page, each.pages))

    def open_orders(self, page: str) -> tuple[int, ...]:
        """The indices of the consents to sending on a page that can still be carried out or completed."""
        return tuple(place for place in self.orders_on(page) if not self._over(place))

    def _over(self, place: int) -> bool:
        """Whether a consent is used up and cannot be continued: completing it may take a second press right after."""
        sent = [at for at, put in enumerate(self.done) if put.consent == place and any(map(_writes, put.sent))]
        since = self.done[sent[-1] + 1 :] if sent else []
        going_on = len(sent) == 1 and all(put.consent == place or gesture_of(put.operation) in LOOKS for put in since)
        return place in self.used and not going_on

    def _spent(self, place: int, press: _Press, *, matched: bool = False) -> str:
        """Why a consent to sending no longer holds; '' while it does. If nobody can see whether it was sent, it counts as
        sent: on a page that is a file, or if a request only asked for something."""
        done = _DONE[self.consents[place].kind]
        if matched and not self._over(place):
            return ""
        if place in self.used:
            return f"it orders this once, and it has been {done} already"
        if place not in self.pressed or self._asks_again(place, press):
            return ""
        since = self.done[self.pressed[place] :]
        seen = press.page.startswith(("http:", "https:"))
        quiet = not any(put.sent for put in since)
        if seen and (quiet or since[0].page != press.page or press.came_up(since)):
            return ""
        return f"it orders this once, and what was pressed for it before may have been it ({_named(since[0])})"

    def _asks_again(self, place: int, press: _Press) -> bool:
        """Whether a control only asks to confirm what was pressed for a consent: it appeared on the same page, nothing was
        sent and nothing else done since, and it does not belong to another entry."""
        if place not in self.pressed or press.control is None or press.control.behind is None:
            return False
        since, control = self.done[self.pressed[place] :], press.control
        before, has = since[0].target, press.control.behind.has
        same = since[0].page == press.page and all(gesture_of(put.operation) in LOOKS for put in since[1:])
        other = bool(control.owner) and "dialog" not in has and before is not None and before.owner != control.owner
        return same and not other and not any(put.sent for put in since) and ("dialog" in has or press.came_up(since))

    def _lacking(self, place: int, operation: e.Operation, facets: Facets, press: _Press, *, matched: bool = False) -> str:
        """Why a consent to sending does not cover an operation; '' if it does. ``matched``: a model has settled that what is
        on the page is what the words mean. This does not extend to text that the crew wrote itself, unless it is a figure
        (which may have been worked out or written in words) or the word used to find what is taken back."""
        consent, page, control = self.consents[place], press.page, press.control
        if consent.kind == "withdraw" and not (page.startswith("file:") or on_this_machine(page)):
            return "what is on the pages of others is asked about"
        if facets.place != "virtual" or not page or not same_place(consent.where, page, consent.pages):
            return f"the task names {consent.where} as the place to send it"
        host = normal_host(urlsplit(page).hostname or "")
        behind = control.behind if control is not None else None
        elsewhere = behind is None or bool(behind.origin) or not set(facets.hosts) <= {host}
        if control is None or behind is None or elsewhere or "file" in behind.has:
            return "this sends a file, or leads to another site, or it cannot be seen what it does"
        own = put_by(self.done)
        typed = [each for each in press.shown if each.value and "type" in each.operations]
        written = (*(each.value or "" for each in typed), *self.typed)
        bare = (text for text in written if text and _bare(text, consent)) if matched else ()
        words = "\n".join((self.said, consent.found, *bare))
        # What an entry held before the run changed a part of it is saved with it, as the page's own. Where the user gave
        # what is to be said, a page says nothing else in their name.
        theirs = press.label.keeps or (matched and not (press.label.sends and any(map(_says_something, consent.texts))))
        put = {folded(text) for text in own} if theirs else {""}
        changed = (each for each in typed if any(text in folded(each.value or "") for text in put))
        strange = next((each for each in changed if not said_in(each.value or "", words)), None)
        if strange is not None:
            return f"what is in {strange.name!r} is {_NOT_SAID}: {_cut(strange.value or '')!r}"
        again = self._asks_again(place, press)
        if (again or consent.kind == "withdraw") and (wide := wider(told_by(control), consent.quotes)):
            return f"{control.name!r} says {wide!r}, and what the task orders is about one thing"
        if not (again or matched) and (missing := self._missing(place, press, control, typed)):
            return missing
        # The operation may type itself, and press Enter then.
        if not _harmless(operation, words, self.given):
            return f"{operation.function} would put text there that is {_NOT_SAID}"
        return self._left(PendingSend(page, control, press.look, folded(words)))

    def _missing(self, place: int, press: _Press, control: Control, typed: Sequence[Control]) -> str:
        """What a consent to sending mentions that is not in what is sent, in words; '' if everything is."""
        consent = self.consents[place]
        there = [put for put in self.done if put.page and same_place(consent.where, put.page, consent.pages)]
        filled = Filled(control, press.shown, press.look.all_text, put_by(there), self._led(press, control))
        said, one_word = folded(self.said), len(control.name.split()) == 1
        if consent.kind == "withdraw" and consent.texts:
            of_form = any(filled.holds(each) for each in filled.put)  # what was typed for it says which entry it is
            return filled.lacking_entry(
                consent.texts, named=of_form or bool(filled.led) or names(control, said, wholly=True)
            )
        named = (press.label.alone and one_word) or names(control, said) or bool(filled.led)
        if consent.texts and press.label.silent:
            since = next((at for at in range(len(there), 0, -1) if there[at - 1].consent == place), 0)
            new = put_by(there[since:])
            chosen = any(within(text, each) for text in consent.texts for each in new)
            last = there[since - 1] if since else None
            goes_on = last is None or chosen or last.changed or last.page != press.page
            begun = any(filled.holds(text) for text in consent.texts)
            return "" if begun and goes_on else "nothing more of it was filled in since it was last sent on"
        if consent.texts:
            return filled.lacking(consent.texts, named=named)
        if consent.files:
            held, written = folded(consent.found), (*(each.value or "" for each in typed), *filled.put)
            from_file = any(text and folded(text) in held for text in written)
            return "" if from_file else f"nothing from {', '.join(consent.files)} is in it"
        if names(control, said, wholly=True):
            return ""
        return f"the user does not name {control.name!r}, and no text is read in the task that would tell what it is about"

    def _led(self, press: _Press, control: Control) -> str:
        """The text of the control that was pressed to come to this page, if its name is like that of the one here: "Cancel"
        in a row leads to a page with "Cancel the booking". '' otherwise."""
        before = next((put for put in reversed(self.done) if put.page and put.page != press.page), None)
        target = before.target if before is not None and gesture_of(before.operation) == "press" else None
        return f"{target.owner} {target.name}" if target is not None and alike(target.name, control.name) else ""

    def _left(self, sending: PendingSend) -> str:
        """Why text that is not the user's may still be in what is sent; '' if it cannot be."""
        # An address is opened without a look at where it leads; of all others those count that were aimed at a page there.
        host = urlsplit(sending.page).hostname
        for at, put in enumerate(self.done):
            there = gesture_of(put.operation) == "open" or (put.page and urlsplit(put.page).hostname == host)
            if not there or _harmless(put.operation, sending.words, self.given):
                continue
            if why := may_remain(self.done, at, sending, one_browser=self.one_browser):
                return why
        return ""


@dataclass(frozen=True, slots=True)
class _Press:
    """A press that is about to happen. ``page``: the address of its page."""

    page: str
    control: Control | None
    look: Observation
    label: Label

    def came_up(self, since: Sequence[Put]) -> bool:
        """Whether the control appeared only after these operations."""
        return self.control is not None and any(self.control.label in put.appeared for put in since)

    @property
    def shown(self) -> tuple[Control, ...]:
        """The controls of the page, without those of the browser itself."""
        own = self.control.window if self.control is not None else None
        window = self.look.window(own)
        return tuple(each for each in self.look.controls if each.window == own and not _beside(each, window))


def _beside(control: Control, window: Window | None) -> bool:
    """Whether a control belongs to the browser itself, such as its address bar, and so is not sent with the page."""
    if window is None or window.page is None or control.behind is not None or "out of view" in control.states:
        return False
    return window.page.intersection(control.box) is None


def _harmless(operation: e.Operation, words: str, given: Sequence[str]) -> bool:
    """Whether everything that an operation may have entered on a page is in the user's ``words``, or in an address that they
    gave."""
    params = operation.params
    if params.get("button") == "middle":
        return False  # it pastes
    gesture = gesture_of(operation)
    if gesture in TYPES:
        return all(said_in(text, words) for text in typed(operation))
    if gesture == "open":
        url = str(params.get("url") or "")  # what follows the address may fill a form in
        return page_of(url) == url or url in given or folded(url) in folded(words)
    if gesture == "keys":
        keys = params.get("keys")
        pressed = {str(key).casefold() for key in keys} if isinstance(keys, list | tuple) else {str(keys).casefold()}  # pyright: ignore
        return pressed <= MOVING and not params.get("text")
    return gesture in HARMLESS


def _writes(sent: Sent) -> bool:
    """Whether a request may have been the deed. One that is missing from the record may have been, too."""
    return not sent.method or sent.writes


def _named(put: Put) -> str:
    return repr(put.target.name) if put.target is not None else put.operation.function


def _held_before(put: Put, evidence: Evidence) -> str:
    """What the control held before something was typed into it or chosen from it; '' if nothing, or if unknown."""
    name = put.target.name if put.target is not None else ""
    held = (each for each in evidence.controls_changed if each.field == "value" and each.name == name)
    return next((each.before for each in held), "")


def _bare(value: str, consent: Consent) -> bool:
    """Whether a text is too bare to tell anybody anything: figures, or a word to find what is taken back."""
    return not any(map(str.isalpha, value)) or (consent.kind == "withdraw" and value.isalpha())


def _says_something(text: str) -> bool:
    """Whether a text is more than a name or a date."""
    return sum(1 if spaced(word) else len(word) // 2 for word in words_in(text)) >= LEAST_SAID


def _cut(value: str) -> str:
    return value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]}..."


def _loses(facets: Facets) -> bool:
    return facets.risk == "destroy" and facets.place == "workspace" and bool(facets.paths)


def _about(consent: Consent, path: str) -> bool:
    """Whether a consent to removing or replacing is about a path."""
    if consent.paths:
        return any(path == each or path.startswith(f"{each}/") for each in consent.paths)
    return fits(plain(path), normal_path(plain(consent.where), (INSIDE,)))


def _overlap(one: str, other: str) -> bool:
    """Whether one of two quotations contains the other."""
    one, other = folded(plain(one)), folded(plain(other))
    return one in other or other in one


def _page(bound: e.Bound | None) -> str:
    return bound.target.page if bound is not None and bound.target is not None else ""
