"""Whether text that the crew entered on a page earlier, and that is not the user's, can still be in what is sent now.

While the page is open it can: fields may hide what is typed into them, scripts may keep notes. Once the page has been
reopened by its address, its scripts have lost the text, and only two may still know it: the site, if it was told, and the
browser's storage for the site. So the text is certainly absent only if all of this holds:

- the page was reopened afterwards, in the same window, and not left again;
- no page has sent anything but GET requests since;
- the field that it was typed into is shown again, on the same page, or it was sent in a GET, and the host knows it already;
- it is nowhere on the page: in no field of the form, hidden or not, no control, no text and no address.

What cannot be known counts as still there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from deskcrew.actions import action_of, gesture_of
from deskcrew.actions.action import LOOKS, PRESSES, TYPES
from deskcrew.facts import events as e
from deskcrew.facts.observation import ASKING, Control, Identity, Observation, Sent, identity_of, page_of
from deskcrew.facts.texts import folded, stands_alone
from deskcrew.guard.named_pages import same_place

_STAYS = LOOKS | TYPES | PRESSES | {"choose"}
REOPEN = "{function} put other text there; open {page} again by its address and fill in the form again"
PERSON = "{function} may have put other text on the page or the site, and only a person can approve that it is sent"


@dataclass(slots=True)
class Put:
    """An operation that was let through. ``page``: the address of the page that it acted on, '' if none; ``target``: what it
    was aimed at; ``arrived``: it opened an address; ``sent``: what pages sent until the next operation; ``appeared``: labels
    of controls that appeared until then; ``changed``: the shown controls changed; ``was``: what its control held before;
    ``consent``: the index of the consent that let it through."""

    page: str
    operation: e.Operation
    target: Identity | None = None
    consent: int | None = None
    arrived: bool = False
    sent: list[Sent] = field(default_factory=list[Sent])
    appeared: set[str] = field(default_factory=set[str])
    changed: bool = False
    was: str = ""


@dataclass(frozen=True, slots=True)
class PendingSend:
    """What is about to be sent. ``page``: the address of its page; ``control``: what is pressed; ``words``: the user's."""

    page: str
    control: Control
    look: Observation
    words: str


def may_remain(done: Sequence[Put], at: int, sending: PendingSend, *, one_browser: bool) -> str:
    """Why what the operation ``done[at]`` entered may be in what is sent; '' if it is not. ``one_browser``: all operations
    were done in a single browser, one after the other."""
    one, since = done[at], done[at:]
    person = PERSON.format(function=one.operation.function)
    texts = texts_of(one.operation)
    host = urlsplit(sending.page).hostname
    sent = [each for put in since for each in put.sent]
    if not one_browser or texts is None or any(each.method not in ASKING for each in sent):
        return person
    here = [each for each in sent if urlsplit(each.url).hostname == host]
    if not (_shown_again(one, sending) or _asked_for(texts, here)):
        return person
    if not _opened_anew(since[1:], sending.page):
        return REOPEN.format(function=one.operation.function, page=sending.page)
    return person if any(text and _stands(text, sending) for text in texts) else ""


def typed(operation: e.Operation) -> list[str]:
    """The texts that an operation types into a field."""
    if gesture_of(operation) not in TYPES:
        return []
    return [str(operation.params[name]) for name in ("keys", "value") if operation.params.get(name) is not None]


def texts_of(operation: e.Operation) -> tuple[str, ...] | None:
    """The texts that an operation entered on a page; None if unknown."""
    gesture = gesture_of(operation)
    if gesture in TYPES:
        texts = typed(operation)
        return None if any("{{" in text for text in texts) else tuple(map(folded, texts))  # a secret stands for its value
    address = urlsplit(str(operation.params.get("url") or ""))
    if gesture != "open" or address.fragment:
        return None
    pairs = parse_qsl(address.query, keep_blank_values=True)
    return tuple(folded(value or name) for name, value in pairs) or None


def _shown_again(put: Put, sending: PendingSend) -> bool:
    """Whether the field that text was typed into is in view again, on the same page, so its content is visible."""
    if put.target is None or not put.target.role or put.page != sending.page:
        return False
    window = sending.look.window(sending.control.window)
    return any(
        identity_of(each, window).model_copy(update={"window": put.target.window}) == put.target
        for each in sending.look.controls
        if each.window == sending.control.window and "type" in each.operations
    )


def _asked_for(texts: Sequence[str], sent: Sequence[Sent]) -> bool:
    """Whether all of the texts were sent in GET requests, as search terms are."""
    went = {folded(field.value or field.name) for each in sent if each.method == "GET" for field in each.fields}
    return went.issuperset(texts)


def _opened_anew(since: Sequence[Put], page: str) -> bool:
    """Whether the page was reopened by its address in the same window, and nothing else was brought in front of it since."""
    for put in reversed(since):
        url = str(put.operation.params.get("url") or "")
        if gesture_of(put.operation) == "open":
            here = put.arrived and not put.operation.params.get("new_window") and "#" not in url
            return here and same_place(page_of(url), page)
        if not _stays(put.operation):
            return False
    return False


def _stays(operation: e.Operation) -> bool:
    """Whether an operation cannot bring back an earlier document."""
    action = action_of(operation)
    return action is not None and (action.gesture in _STAYS or (action.needs == "workspace" and action.effect == "none"))


def _stands(text: str, sending: PendingSend) -> bool:
    """Whether a text is anywhere on the page now, or in the form's data, except where that is the user's own."""
    behind = sending.control.behind
    if behind is None or behind.kind != "submit" or behind.holds is None:
        return True
    held = [folded(each) for each in behind.holds]
    if any(each not in sending.words and (text in each or each in text) for each in held):
        return True
    around = sending.control.window
    shown = [each for each in sending.look.controls if each.window == around]
    told = [said for each in shown for said in (each.name, each.value or "")]
    addresses = [window.url for window in sending.look.windows if window.id == around]
    return any(
        stands_alone(text, folded(said), before=".-", after="-", joins=".")
        for said in (*told, sending.look.all_text, *addresses)
    )
