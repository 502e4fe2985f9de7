"""The user's consent expressed in the task itself: what the contract says was ordered need not be approved again.

The contract is made from the user's words before anything untrusted is read, so no page, file or program can add to it. It
is narrow all the same. Consent to sending holds once, on the page or site that the user named, and only while everything
typed there stands in the user's words, or in a file that they named as it was at the start; consent to removal holds for the
paths that the user named. Spending and credentials always need approval.

A fold over events, like the other approvals (``guard/history.py``).
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from deskcrew import events as e
from deskcrew.actions.action import Scene
from deskcrew.contract import Consent
from deskcrew.environments.pointing import target_of
from deskcrew.environments.workspace import workspace_path
from deskcrew.guard.facets import Facets
from deskcrew.guard.leftover import TYPING, Put, Sending, may_remain, texts_of, typed
from deskcrew.guard.named_pages import given_with, is_given, same_place
from deskcrew.guard.patterns import normal_host, stands_in
from deskcrew.observation import Control, Window, page_of
from deskcrew.texts import folded

HARMLESS = frozenset({
    "click_input", "click_point", "scroll", "scroll_point", "wait_for_loading", "select_option", "find_text", "read_page",
    "hover", "go_back", "go_forward",
})  # fmt: skip
"""Operations that put no text of the crew's own into a page, as long as they do not paste."""
MOVING = frozenset({
    "tab", "shift", "enter", "return", "escape", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "space",
})  # fmt: skip
"""Keys that move the focus, choose or press."""
LEAST = 2
"""The minimum number of a path's characters that must occur in the user's words."""


def anchored(consent: Consent, said: str, given: Sequence[str] = ()) -> bool:
    """Whether the user literally names the place, page or path of a consent: in their words, or as a page that they gave
    with the task (``given``)."""
    words = folded(said)
    if consent.kind == "send":
        named = bool(consent.where) and (stands_in(folded(consent.where), words) or is_given(consent.where, given))
        said_so = all(folded(text) in words for text in consent.texts)
        return named and said_so and all(stands_in(folded(file), words) for file in consent.files)
    pieces = [piece.strip(".") for piece in re.split(r"[*?\[\]/]+", folded(consent.where))]
    named = [piece for piece in pieces if len(piece) >= LEAST]
    return bool(named) and all(piece in words for piece in named)


@dataclass(slots=True)
class Consents:
    """The consents that the task gives on a branch, and which of them have been used. Changed only by :meth:`apply`."""

    consents: tuple[Consent, ...] = ()
    used: set[int] = field(default_factory=set[int])
    said: str = ""
    """The user's own words so far."""
    given: tuple[str, ...] = ()
    """The pages that they gave with the task."""
    done: list[Put] = field(default_factory=list[Put])
    """Operations that were let through."""
    one_browser: bool = False
    """Whether the run has a browser of its own, and all that was done there was done one after the other."""
    _proposed: dict[str, e.Operation] = field(default_factory=dict[str, e.Operation])

    @classmethod
    def from_events(cls, events: Iterable[e.Event]) -> Consents:
        """``events``: a branch from its first event on."""
        consents = cls()
        for event in events:
            consents.apply(event)
        return consents

    def apply(self, event: e.Event) -> None:
        """Fold the branch's next event."""
        match event.body:
            case e.RunStarted() as body:
                self.said, self.given = body.task, given_with(body.settings)
                self.one_browser = body.desktop == "browser"
            case e.LanesOpened():
                self.one_browser = False
            case e.HumanSaid() as body:
                self.said = f"{self.said}\n{body.text}"
            case e.GoalSet(contract=contract) if contract is not None:
                self.consents = contract.consents
                if contract.by == "human":
                    self.said = "\n".join((self.said, *(text for each in contract.consents for text in each.texts)))
            case e.OperationProposed() as body:
                self._proposed[event.id] = body.operation
            case e.OperationApproved() as body:
                operation = self._proposed.get(event.header.cause or "")
                if operation is not None:
                    target = body.bound.target if body.bound is not None else None
                    self.done.append(Put(_page(body.bound), operation, target))
                if body.consent is not None:
                    self.used.add(body.consent)
            case e.ActionFinished(ok=True) as body if self.done and self.done[-1].operation == body.operation:
                self.done[-1].arrived = body.operation.function == "open_url"
            case e.Observed(evidence=evidence) if self.done:
                self.done[-1].sent.extend(evidence.sent)
            case _:
                pass

    @property
    def typed(self) -> tuple[str, ...]:
        """What the run has typed, or put into an address that it opened, folded."""
        return tuple(dict.fromkeys(text for put in self.done for text in texts_of(put.operation) or () if text))

    def covering(
        self, operation: e.Operation, facets: Facets, bound: e.Bound, scene: Scene | None
    ) -> tuple[int | None, str]:
        """The index in :attr:`consents` of the consent that covers an operation. None: it needs approval; the text then says
        why, where the task orders something to be sent."""
        if _loses(facets):
            ordered = [place for place, consent in enumerate(self.consents) if consent.kind == "remove"]
            places = [self.consents[place].where for place in ordered]
            all_named = all(any(_lies_at(path.path, where) for where in places) for path in facets.paths)
            return (ordered[0] if all_named and ordered else None), ""
        lacking = ""
        if facets.risk == "send" and scene is not None:
            for place, consent in enumerate(self.consents):
                if consent.kind != "send":
                    continue
                used = "it orders this once, and it has been sent already" if place in self.used else ""
                lacking = used or self._lacking(consent, operation, facets, bound, scene)
                if not lacking:
                    return place, ""
        return None, lacking

    def _lacking(self, consent: Consent, operation: e.Operation, facets: Facets, bound: e.Bound, scene: Scene) -> str:
        """Why a consent to sending does not cover an operation; '' where it does."""
        page = _page(bound)
        if facets.place != "virtual" or not page or not same_place(consent.where, page, consent.pages):
            return f"the task names {consent.where} as the place to send it"
        host = normal_host(urlsplit(page).hostname or "")
        control = target_of(operation, scene.observation)
        behind = control.behind if control is not None else None
        elsewhere = behind is None or bool(behind.origin) or not set(facets.hosts) <= {host}
        if control is None or behind is None or elsewhere or "file" in behind.has:
            return "this sends a file, or leads to another site, or it cannot be seen what it does"
        held = folded(consent.found)
        words = f"{folded(self.said)}\n{held}"
        window = next((each for each in scene.observation.windows if each.id == control.window), None)
        shown = [each for each in scene.observation.controls if each.window == control.window and not _beside(each, window)]
        values = [folded(each.value or "") for each in shown]
        typed = [each for each in shown if each.value and "type" in each.operations]
        strange = next((each for each in typed if folded(each.value or "") not in words), None)
        if strange is not None:
            return f"what is in {strange.name!r} is neither in the task nor in a file that it names"
        if consent.texts:
            meant = all(any(folded(text) in value for value in values) for text in consent.texts)
        elif consent.files:
            meant = any(folded(each.value or "") in held for each in typed)
        else:
            meant = len(control.name) > LEAST and stands_in(folded(control.name), words)
        if not meant:
            return "the fields do not contain everything that it says to send"
        # The operation may type itself, and press Enter then.
        if not _harmless(operation, words, self.given):
            return f"{operation.function} would put other text there"
        return self._left(Sending(page, control, scene.observation, words))

    def _left(self, sending: Sending) -> str:
        """Why text that is not the user's may still be in what is sent; '' where it cannot."""
        # An address is opened without a look at where it leads; of all others those count that were aimed at a page there.
        host = urlsplit(sending.page).hostname
        for at, put in enumerate(self.done):
            there = put.operation.function == "open_url" or (put.page and urlsplit(put.page).hostname == host)
            if not there or _harmless(put.operation, sending.words, self.given):
                continue
            if why := may_remain(self.done, at, sending, one_browser=self.one_browser):
                return why
        return ""


def _beside(control: Control, window: Window | None) -> bool:
    """Whether a control belongs to the browser itself, such as its address bar, and so is not sent with the page."""
    if window is None or window.page is None or control.behind is not None or "out of view" in control.states:
        return False
    return window.page.intersection(control.box) is None


def _harmless(operation: e.Operation, words: str, given: Sequence[str]) -> bool:
    """Whether an operation on a page cannot have put anything there that is not in the user's ``words``, nor in an address
    that they gave."""
    params = operation.params
    if params.get("button") == "middle":
        return False  # it pastes
    if operation.function in TYPING:
        return all(folded(text) in words for text in typed(operation))
    if operation.function == "open_url":
        url = str(params.get("url") or "")  # what follows the address may fill a form in
        return page_of(url) == url or url in given or folded(url) in words
    if operation.function == "hotkey":
        keys = params.get("keys")
        pressed = {str(key).casefold() for key in keys} if isinstance(keys, list | tuple) else {str(keys).casefold()}  # pyright: ignore
        return pressed <= MOVING and not params.get("text")
    return operation.function in HARMLESS


def _loses(facets: Facets) -> bool:
    return facets.risk == "destroy" and facets.place == "workspace" and bool(facets.paths)


def _lies_at(path: str, where: str) -> bool:
    """Whether a path is the one named by a consent, matches its pattern, or lies in its folder (written with a trailing
    ``/``)."""
    pattern = workspace_path(where)
    bare = pattern.rstrip("/")
    return fnmatch.fnmatchcase(path, bare) or (pattern.endswith("/") and path.startswith(f"{bare}/"))


def _page(bound: e.Bound | None) -> str:
    return bound.target.page if bound is not None and bound.target is not None else ""
