"""Deeds: what a run removed, paid for or sent on pages without asking, because its policy allowed it.

That something is gone does not prove that the task wanted it gone: switched off as ordered, or removed by mistake. So such a
deed needs an explicit order in the task (``engine/steps/ending.py``), whatever the checks say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from deskcrew.environments.describe import sent_line
from deskcrew.facts import events as e
from deskcrew.facts.contract import Consent
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Identity, Observation, Sent, identity_of, page_of
from deskcrew.facts.texts import folded

DeedKind = Literal["destroy", "spend", "send"]
KINDS: tuple[DeedKind, ...] = ("destroy", "spend")
SENDING: tuple[DeedKind, ...] = (*KINDS, "send")
"""For when no requirement accounts for what was sent, or for what a page shows."""
CLOSING = frozenset({"menu item", "option"})
"""Roles of controls that disappear when pressed, whatever pressing them does."""
LONGEST = 120
_ORDERED_BY: dict[DeedKind, frozenset[str]] = {
    "destroy": frozenset({"withdraw", "remove"}),
    "spend": frozenset({"send"}),
    "send": frozenset({"send", "withdraw"}),
}
_WORDS: dict[DeedKind, str] = {"destroy": "took something away", "spend": "spends", "send": "sends"}


@dataclass(slots=True)
class Deed:
    """The pressing of a control. ``sent``: what its page then sent; ``gone``: whether the control has disappeared for
    good."""

    kind: DeedKind
    target: Identity
    sent: list[Sent] = field(default_factory=list[Sent])
    gone: bool = False

    @property
    def words(self) -> str:
        """The deed in one line for people."""
        on = f" of {shorten(self.target.owner, LONGEST)!r}" if self.target.owner else ""
        effect = sent_line(self.sent[0]) if self.sent else "it has gone"
        name = shorten(self.target.name, LONGEST)
        return f"{self.target.role} {name!r}{on} on {self.target.page} {_WORDS[self.kind]} ({shorten(effect, LONGEST)})"


def deeds(
    events: Iterable[e.Event], looked: Callable[[e.Event], Observation | None], kinds: Sequence[DeedKind] = KINDS
) -> tuple[Deed, ...]:
    """A branch's deeds that nobody was asked about and that had an effect. ``looked``: the observation in an event."""
    found: list[Deed] = []
    last: dict[str, Deed] = {}
    pressed: dict[str, Identity] = {}
    for event in events:
        lane, body = event.header.lane, event.body
        if isinstance(body, e.OperationApproved):
            last.pop(lane, None)
            pressed.pop(lane, None)
            target = body.bound.target if body.bound is not None else None
            if body.by == "policy" and target is not None and target.page:
                pressed[lane] = target
                last.update((lane, Deed(kind, target)) for kind in kinds if kind == body.risk)
        elif isinstance(body, e.SendsFound) and body.effect == "allow" and lane in pressed:
            # Whatever the button says, a policy let go what its page wanted to send.
            if lane not in last or last[lane].kind == "send":
                last.update((lane, Deed(kind, pressed[lane])) for kind in kinds if kind == body.risk)
        elif isinstance(body, e.ActionFinished) and lane in last:
            if body.ok and last[lane] not in found:
                found.append(last[lane])
        elif isinstance(body, e.Observed):
            own = last.get(lane)
            if own is not None and own in found:
                own.sent += [each for each in body.evidence.sent if each.writes]
            for deed in found:
                _seen(deed, looked(event))
    return tuple(deed for deed in found if deed.sent or (deed.gone and deed.kind == "destroy"))


def ordered(events: Sequence[e.Event], said: str) -> frozenset[DeedKind]:
    """The kinds of deeds that the user's words (``said``) order on pages, according to their last reading. Orders that name
    no page count as well: the deed is done, and needs no consent any more."""
    kinds = {each.kind for each in orders_in(events, said)}
    return frozenset(kind for kind, orders in _ORDERED_BY.items() if kinds & orders)


def removals(events: Sequence[e.Event], said: str) -> tuple[Consent, ...] | None:
    """The orders in the user's words (``said``) to remove something; None if no model has read the words."""
    if not any(isinstance(event.body, e.ConsentRead) for event in events):
        return None
    return tuple(each for each in orders_in(events, said) if each.kind in _ORDERED_BY["destroy"])


def orders_in(events: Sequence[e.Event], said: str) -> tuple[Consent, ...]:
    """The orders that were read last in the user's words (``said``), without those about files."""
    read = e.latest(events, e.ConsentRead) or e.ConsentRead()
    words = folded(said)
    others = (each.order for each in read.uncounted if all(folded(quote) in words for quote in each.order.quotes))
    return (*(each for each in read.consents if each.on_page), *others)


def _seen(deed: Deed, look: Observation | None) -> None:
    """Update whether the pressed control is gone, if its page is shown."""
    window = look.active_window if look is not None else None
    if look is None or window is None or page_of(window.url) != deed.target.page or deed.target.role in CLOSING:
        return
    own = (deed.target.role, deed.target.name, deed.target.owner)
    shown = (identity_of(each, window) for each in look.in_front)
    deed.gone = all((each.role, each.name, each.owner) != own for each in shown)
