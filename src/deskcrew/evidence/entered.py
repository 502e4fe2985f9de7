"""What was entered in windows and on pages although the task does not state it: it had to be worked out or looked up.

Only what the crew did itself and what had an effect counts: texts that it typed and that were sent, and which of several
entries it chose. Other content of a form, such as tokens and ids, is the page's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deskcrew.evidence.decoys import values_of
from deskcrew.facts.observation import Control, Observation, Sent
from deskcrew.facts.texts import folded, spaced, stands_in
from deskcrew.guard.wording import akin, given, within

CHOSEN = frozenset({"radio button", "option", "check box", "list item", "tree item"})
"""Roles of controls that offer a choice."""
LONGEST = 60
"""Maximum length of a text that was looked up rather than written, in characters."""
LEAST_WORD = 4
"""Minimum length of a word that distinguishes entries, in characters; a name may be shorter."""


@dataclass(frozen=True, slots=True)
class Act:
    """One operation on the screen ``before``. ``control``: its target; ``typed``: what was typed; ``option``: what was
    selected; ``sent``: what pages then sent."""

    before: Observation
    control: Control | None = None
    typed: tuple[str, ...] = ()
    option: str = ""
    sent: tuple[Sent, ...] = ()

    @property
    def writes(self) -> bool:
        return any(each.writes for each in self.sent)


@dataclass(frozen=True, slots=True)
class Unsaid:
    """Entered content that the task does not state. ``chosen``: entries that the task does not distinguish from others;
    ``copied``: texts that were shown before; ``worked``: other values."""

    chosen: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    worked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.chosen or self.copied or self.worked)


def unsaid(acts: Sequence[Act], end: Observation, task: str) -> Unsaid:
    """What was entered and then sent (or is still there, if nothing was sent) and does not occur in the task in any form."""
    sent = [field.value or "" for act in acts for each in act.sent if each.writes for field in each.fields]
    held = sent or [control.value or "" for control in end.controls]
    typed = dict.fromkeys(
        (text.strip(), stands_in(text.strip(), _shown(act.before)))
        for act in acts
        for text in act.typed
        if text.strip() and not given(text.strip(), task) and any(within(text.strip(), value) for value in held)
    )
    copied = tuple(text for text, there in typed if there and len(text) <= LONGEST)
    values = (value for text, _ in typed if text not in copied for value in values_of(text))
    return Unsaid(
        tuple(dict.fromkeys(_chosen(acts, task))),
        copied,
        tuple(value for value in dict.fromkeys(values) if not given(value, task)),
    )


def _shown(look: Observation) -> str:
    return "\n".join((look.all_text, *(part for c in look.controls for part in (c.name, c.value or "", c.owner))))


def _chosen(acts: Sequence[Act], task: str) -> Iterator[str]:
    """The unstated entries: each last choice before something was sent, or every choice if nothing was sent."""
    wrote, last = any(act.writes for act in acts), ""
    every = {_said(act.control) for act in acts if act.control is not None}
    for act in acts:
        if act.option and act.control is not None:
            others = [each for each in act.control.options if each != act.option]
            if others and not _told(act.option, others, {act.option}, task):
                yield act.option
        elif act.control is not None and (others := _others(act.control, act.before)):
            said = _said(act.control)
            # Of what is cut off, others that were chosen with it may say what tells them all.
            called = act.control.name if said.endswith("…") else ""
            kin = [each for each in every if called and each.startswith(called)]
            last = "" if _told(said, [_said(each) for each in others], every, task, kin) else said
        if last and (act.writes or not wrote):
            yield last
        last = "" if act.writes else last


def _others(control: Control, before: Observation) -> list[Control]:
    """The other controls that could have been chosen instead: the same name in other rows, the same role if that offers a
    choice, or a similar name ("Book Birch 50 euros")."""
    return [each for each in before.in_front if each is not control and each.role == control.role and _alike(each, control)]


def _alike(one: Control, other: Control) -> bool:
    if one.name == other.name:
        return one.owner != other.owner
    if one.role in CHOSEN:
        return True
    ours, theirs = _words(one.name), _words(other.name)
    return len(ours) > 1 and len(ours) == len(theirs) and len({*ours} & {*theirs}) * 2 >= len(ours)


def _told(entry: str, others: Sequence[str], chosen: set[str], task: str, kin: Sequence[str] = ()) -> bool:
    """Whether the task distinguishes an entry (or one of its ``kin``) from all others that were not chosen."""
    if given(entry, task):
        return True
    known = [word for word in _words(" ".join((entry, *kin))) if _in_task(word, task)]
    return all(other in chosen or any(word not in _words(other) for word in known) for other in others)


def _in_task(word: str, task: str) -> bool:
    if any(each.isdecimal() for each in word):
        return given(word, task)
    if not (spaced(word) and spaced(task)):
        return word in task
    name = word[:1].isupper()
    return any(word.casefold() == each.casefold() if len(word) < LEAST_WORD else akin(folded(word), folded(each))
               for each in _words(task) if len(word) >= LEAST_WORD or name)  # fmt: skip


def _said(control: Control) -> str:
    return " ".join(f"{control.name} {control.owner}".split())


def _words(text: str) -> list[str]:
    """The words of a text; signs, such as the arrow of a list that opens, are none."""
    return [word.strip(".,;:!?()\"'") for word in text.split() if any(map(str.isalnum, word))]
