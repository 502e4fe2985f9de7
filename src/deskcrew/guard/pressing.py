"""The effect of pressing a control: judged first by what its page would send, then by the control's name.

A form with a field for a card spends, and a form that posts what the crew wrote sends, whatever its button says. A name is
only a hint: on the user's own page "Book" buys nothing unless a sum of money, a cart or a card is near it, and "Register"
without a password puts a name on a list. A link only leads to another address, and a control that only opens a dialog has no
effect yet: for these a name alone does not raise the risk to sending or removing. A page could lie about that, as about the
name; what it collects is judged where it is submitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from deskcrew.environments.pointing import Aim, painted, words_at
from deskcrew.facts.observation import Behind, Control, Observation, Window
from deskcrew.facts.texts import folded
from deskcrew.guard.commands import JudgedRisk
from deskcrew.guard.names import Raised, plain
from deskcrew.guard.words import Words

_BUTTONS = frozenset({"button", "menu item", "menu button", "toggle button", "icon"})
"""Roles for which a sum of money in the name means spending; elsewhere it is a price."""
_PART = 4
"""Minimum length of a typed text that is looked for within another."""
_SHORT = 40
"""Maximum length of a link's name that may say what the link does; longer names are headings."""


@dataclass(frozen=True, slots=True)
class Around:
    """Facts about a control's page. ``own``: it belongs to this machine or the workspace; ``money``: it has fields for a
    payment; ``typed``: what the run has typed so far, folded."""

    own: bool = False
    money: bool = False
    typed: tuple[str, ...] = ()


NOWHERE = Around()


def pressing(control: Control, words: Words, page: Around = NOWHERE) -> JudgedRisk:
    """The risk of pressing a control, and the reason."""
    judged, behind = JudgedRisk("read"), control.behind
    if behind is not None and behind.kind == "submit":
        judged = judged.worse(sending(behind, told_by(control), words, page))
    for risk, name in _said(control, words, page):
        shown = f", which shows {name!r}" if name != control.name else ""
        judged = judged.worse(JudgedRisk(risk, f"{control.role} {control.name!r}{shown}"))
    if behind is not None and _takes_away(control, behind, words):
        what = f" {control.owner!r}" if control.owner else " what it belongs to"
        judged = judged.worse(JudgedRisk("destroy", f"{control.role} {control.name!r} takes away{what}"))
    return judged


def only_opens(name: str, address: str, words: Words) -> bool:
    """Whether following a link only opens a page: its name and address do not say that it removes or signs out."""
    place = urlsplit(address)
    written = f"{place.path} {place.query}".casefold().replace("-", "").replace("_", "")
    parts = "".join(each if each.isalpha() else " " for each in written).split()
    risks = words.names.of(name).risks | words.names.of(" ".join(parts)).risks
    return "destroy" not in risks and not {*parts} & (words.signs.removing | words.signs.leaving)


def painting(aim: Aim, observation: Observation, words: Words) -> JudgedRisk:
    """The risk of pressing a point without a control: unknown, or what the words on it and near it say."""
    if not painted(aim.control):
        return JudgedRisk("read")
    judged = JudgedRisk("unknown", f"it is unknown what is at {aim.point.x}, {aim.point.y}")
    for text in words_at(aim.point, observation):
        said = words.names.of(text)
        if risk := said.risk or ("spend" if said.amount else None):
            judged = judged.worse(JudgedRisk(risk, f"{text!r} is written there"))
    return judged


def entering(behind: Behind, words: Words, page: Around = NOWHERE, held: str = "") -> JudgedRisk:
    """The risk of Enter in a field of a form, which presses its button, visible or not. ``held``: what the field then
    contains."""
    risk = words.names.of(behind.sends).risk
    judged = sending(behind, (behind.sends,), words, page)
    if behind.method == "post" and held:
        judged = judged.worse(JudgedRisk("send", "Enter sends what is written there"))
    if _only_sends(risk, behind, page):
        risk = "send"
    if risk is None or (risk == "send" and behind.method == "get"):
        return judged
    return judged.worse(JudgedRisk(risk, f"Enter presses {behind.sends!r}"))


def sending(behind: Behind, names: tuple[str, ...], words: Words, page: Around = NOWHERE) -> JudgedRisk:
    """The risk of submitting a form, judged by its contents and its destination.

    The ``names`` of its button matter in one respect only: "Search" or "Save draft" do not send text that was there already.
    """
    judged = JudgedRisk("read")
    if "payment" in behind.has:
        judged = judged.worse(JudgedRisk("spend", "it sends a form with fields for a payment"))
    if "password" in behind.has:
        judged = judged.worse(JudgedRisk("credential", "it sends a form with a password"))
    if "file" in behind.has:
        judged = judged.worse(JudgedRisk("send", "it sends a file"))
    if behind.method == "post" and behind.origin:
        judged = judged.worse(JudgedRisk("send", f"it sends a form to {behind.origin}"))
    if behind.method == "post" and _holds_typed(behind, page.typed):
        judged = judged.worse(JudgedRisk("send", f"{repr(names[0]) if names[0] else 'it'} sends what was typed"))
    if behind.method == "post" and apart(behind, names, words):
        judged = judged.worse(
            JudgedRisk("send", f"{names[0]!r} sends the form to another address than the form itself goes to")
        )
    if behind.method == "post" and "message" in behind.has and not any(words.names.of(name).safe for name in names):
        judged = judged.worse(JudgedRisk("send", f"{repr(names[0]) if names[0] else 'it'} sends what is written there"))
    return judged


def apart(behind: Behind, names: tuple[str, ...], words: Words) -> bool:
    """Whether a button sends its form somewhere other than the form's own address, without saying that it only saves it."""
    return "apart" in behind.has and not any(words.names.of(name).saves for name in names)


def doubtful(control: Control, observation: Observation, window: Window | None, words: Words) -> str:
    """Why pressing a control on a page that takes money cannot be shown to be harmless; '' if it can, or on other pages."""
    behind = control.behind
    if (
        behind is None
        or behind.kind not in ("submit", "button")
        or "popup" in behind.has
        or not takes_money(observation, window)
    ):
        return ""
    return (
        ""
        if any(words.names.of(name).safe for name in told_by(control))
        else f"the page takes money, and what {control.name!r} does is unknown"
    )


def button_for(names: tuple[str, ...], observation: Observation, window: Window, words: Words) -> bool:
    """Whether a page shows a button with one of these names, or one that sends."""
    known = {plain(name) for name in names}
    shown = [c for c in observation.controls if c.window == window.id and c.role in _BUTTONS]
    return any(plain(c.name) in known or words.names.of(c.name).risk == "send" for c in shown)


def _holds_typed(behind: Behind, typed: tuple[str, ...]) -> bool:
    """Whether a form holds a text that the run typed, in any field; a short text may be part of another by chance."""
    if behind.holds is None:
        return bool(typed)
    held = [folded(each) for each in behind.holds]
    return any(text == each or (len(text) >= _PART and text in each) for text in typed for each in held)


def _only_sends(risk: Raised | None, behind: Behind | None, page: Around) -> bool:
    """Whether only a word says that something is bought, or that somebody signs in, on a page of the user's own: a form
    without a password that says "Register" puts a name on a list."""
    if risk == "credential":
        return behind is not None and page.own and behind.kind in ("submit", "field") and "password" not in behind.has
    return risk == "spend" and _costs_nothing(behind, page)


def _costs_nothing(behind: Behind | None, page: Around) -> bool:
    """Whether only a word says that something is bought, on a page of the user's own."""
    return behind is not None and page.own and not page.money and not {"price", "payment"} & set(behind.has)


def _said(control: Control, words: Words, page: Around) -> list[tuple[Raised, str]]:
    """What a control's name, titles and visible texts say it does, as far as it counts, each with the text that says it."""
    behind, found = control.behind, list[tuple[Raised, str]]()
    for name in told_by(control):
        said = words.names.of(name)
        risk: Raised | None = "send" if not said.amount and _only_sends(said.risk, behind, page) else said.risk
        if risk is not None and (behind is None or _counts(risk, name, behind, opens=said.opens)):
            found.append((risk, name))
        if said.amount and control.role in _BUTTONS and (behind is None or "unsaid" not in behind.has):
            found.append(("spend", name))
    return found


def _counts(risk: Raised, name: str, behind: Behind, *, opens: bool) -> bool:
    """Whether a word of that risk counts for a control with this behaviour."""
    if behind.kind == "link":
        return risk == "destroy" and "popup" not in behind.has and len(name) <= _SHORT
    if risk in ("spend", "credential"):
        return True
    if behind.kind == "submit":
        return risk != "send" or behind.method != "get"
    return "popup" not in behind.has and not (opens and "dialog" not in behind.has)


def _takes_away(control: Control, behind: Behind, words: Words) -> bool:
    """Whether a control labelled with a symbol removes the item it belongs to. In a dialog's corner it closes the dialog."""
    name = plain(control.name).strip()
    if any(letter.isalpha() for letter in name) and name not in words.signs.crosses:
        return False
    if behind.kind == "link" or any(words.names.of(title).safe for title in _titles(behind)):
        return False
    if name in words.signs.bins or words.signs.removing & set(behind.classes.casefold().split()):
        return True
    return name in words.signs.crosses and "corner" not in behind.has and ("row" in behind.has or bool(control.owner))


def told_by(control: Control) -> tuple[str, ...]:
    """The texts that say what a control does: its name, its titles, and for a field the name of the button that Enter
    presses."""
    behind = control.behind
    if behind is None:
        return (control.name,)
    return (control.name, *_titles(behind), *((behind.sends,) if behind.sends else ()))


def _titles(behind: Behind) -> tuple[str, ...]:
    return tuple(title.strip() for title in behind.hint.split(";") if title.strip())


def takes_money(observation: Observation, window: Window | None) -> bool:
    """Whether the page in a window has fields for a payment."""
    return window is not None and any(
        c.window == window.id and c.behind is not None and "payment" in c.behind.has for c in observation.controls
    )
