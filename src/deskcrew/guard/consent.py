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
from deskcrew.guard.facets import Facets
from deskcrew.guard.named_pages import given_with, is_given, same_place
from deskcrew.guard.patterns import normal_host
from deskcrew.observation import Control, Window, page_of

HARMLESS = frozenset({
    "click_input", "click_point", "scroll", "scroll_point", "wait_for_loading", "select_option", "find_text", "read_page",
    "hover", "go_back", "go_forward",
})  # fmt: skip
"""Operations that put no text of the crew's own into a page, as long as they do not paste."""
TYPING = frozenset({"keyboard_input", "set_value"})
MOVING = frozenset({
    "tab", "shift", "enter", "return", "escape", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "space",
})  # fmt: skip
"""Keys that move the focus, choose or press."""
LEAST = 2
"""The minimum number of a path's characters that must occur in the user's words."""


def anchored(consent: Consent, said: str, given: Sequence[str] = ()) -> bool:
    """Whether the user literally names the place, page or path of a consent: in their words, or as a page that they gave
    with the task (``given``)."""
    words = _plain(said)
    if consent.kind == "send":
        named = bool(consent.where) and (_stands_in(_plain(consent.where), words) or is_given(consent.where, given))
        said_so = all(_plain(text) in words for text in consent.texts)
        return named and said_so and all(_stands_in(_plain(file), words) for file in consent.files)
    pieces = [piece.strip(".") for piece in re.split(r"[*?\[\]/]+", _plain(consent.where))]
    named = [piece for piece in pieces if len(piece) >= LEAST]
    return bool(named) and all(piece in words for piece in named)


@dataclass(slots=True)
class Consents:
    """The consents that the task gives on a branch, and which of them have been used. Changed only by :meth:`apply`."""

    given: tuple[Consent, ...] = ()
    used: set[int] = field(default_factory=set[int])
    said: str = ""
    """The user's own words so far."""
    done: list[tuple[str, e.Operation]] = field(default_factory=list[tuple[str, e.Operation]])
    """Operations that were let through, each with the address of the page it acted on."""
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
                self.said = body.task
            case e.HumanSaid() as body:
                self.said = f"{self.said}\n{body.text}"
            case e.GoalSet(contract=contract) if contract is not None:
                self.given = contract.consents
                if contract.by == "human":
                    self.said = "\n".join((self.said, *(text for each in contract.consents for text in each.texts)))
            case e.OperationProposed() as body:
                self._proposed[event.id] = body.operation
            case e.OperationApproved() as body:
                operation = self._proposed.get(event.header.cause or "")
                if operation is not None:
                    self.done.append((_page(body.bound), operation))
                if body.consent is not None:
                    self.used.add(body.consent)
            case _:
                pass

    def covering(
        self, operation: e.Operation, facets: Facets, bound: e.Bound, scene: Scene | None
    ) -> tuple[int | None, str]:
        """The index in :attr:`given` of the consent that covers an operation. None: it needs approval; the text then says
        why, where the task orders something to be sent."""
        if _loses(facets):
            ordered = [place for place, consent in enumerate(self.given) if consent.kind == "remove"]
            all_named = all(any(_lies_at(path.path, self.given[place].where) for place in ordered) for path in facets.paths)
            return (ordered[0] if all_named and ordered else None), ""
        lacking = ""
        if facets.risk == "send" and scene is not None:
            for place, consent in enumerate(self.given):
                if consent.kind != "send":
                    continue
                used = "it orders this once, and that has been sent" if place in self.used else ""
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
        held = _plain(consent.found)
        words = f"{_plain(self.said)}\n{held}"
        window = next((each for each in scene.observation.windows if each.id == control.window), None)
        shown = [each for each in scene.observation.controls if each.window == control.window and not _beside(each, window)]
        values = [_plain(each.value or "") for each in shown]
        typed = [each for each in shown if each.value and "type" in each.operations]
        strange = next((each for each in typed if _plain(each.value or "") not in words), None)
        if strange is not None:
            return f"what stands in {strange.name!r} is neither in the task nor in a file that it names"
        if consent.texts:
            meant = all(any(_plain(text) in value for value in values) for text in consent.texts)
        elif consent.files:
            meant = any(_plain(each.value or "") in held for each in typed)
        else:
            meant = len(control.name) > LEAST and _stands_in(_plain(control.name), words)
        if not meant:
            return "the fields do not contain everything that it says to send"
        # An address is opened without a look at where it leads; of all others those count that were aimed at a page there.
        there_too = urlsplit(page).hostname
        before = (
            each for at, each in self.done if each.function == "open_url" or (at and urlsplit(at).hostname == there_too)
        )
        # The operation may type itself, and press Enter then.
        strange = next((each for each in (operation, *before) if not _harmless(each, words)), None)
        return f"{strange.function} may have put other text on the page" if strange is not None else ""


def _beside(control: Control, window: Window | None) -> bool:
    """Whether a control belongs to the browser itself, such as its address bar, and so is not sent with the page."""
    if window is None or window.page is None or control.behind is not None or "out of view" in control.states:
        return False
    return window.page.intersection(control.box) is None


def _harmless(operation: e.Operation, words: str) -> bool:
    """Whether an operation on a page cannot have put anything there that is not in the user's ``words``."""
    params = operation.params
    if params.get("button") == "middle":
        return False  # it pastes
    if operation.function in TYPING:
        typed = (params.get(name) for name in ("keys", "value"))
        return all(_plain(str(text)) in words for text in typed if text is not None)
    if operation.function == "open_url":
        url = str(params.get("url") or "")  # what follows the address may fill a form in
        return page_of(url) == url or _plain(url) in words
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
    pattern = where.strip().removeprefix("/workspace/").removeprefix("./")
    bare = pattern.rstrip("/")
    return fnmatch.fnmatchcase(path, bare) or (pattern.endswith("/") and path.startswith(f"{bare}/"))


def _page(bound: e.Bound | None) -> str:
    return bound.target.page if bound is not None and bound.target is not None else ""


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _stands_in(name: str, words: str) -> bool:
    """Whether a name occurs in a text as a whole: ``bank.org`` does not in ``mybank.org`` or ``bank.org.example``."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", words) is not None
