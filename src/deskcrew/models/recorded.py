"""A model that gives the replies of an earlier run again, one after the other: ``--model recorded:FILE``.

Labels of controls and numbers of facts are those of a screen and a moment. What is kept of a reply is therefore its words,
and what its prompt said of each control that it names and of each fact that it cites; it is given in the labels and numbers
of the prompt that it answers now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from deskcrew.errors import ConfigError, ModelFailure
from deskcrew.facts.observation import CONTROLS, Frozen
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.models.scripted import ScriptedModel

AHEAD = 3
"""Among how many replies that are next a role's own is looked for: two roles may be asked at once."""
APART = "By then this run had gone another way than the recorded one."
_FACT = re.compile(r"^(\d+): ", re.MULTILINE)
_CONTROL = re.compile(r'("control"\s*:\s*)"([^"\\]+)"')
_CITED = re.compile(r'("sources"\s*:\s*\[)([^\]]*)\]')


class RecordedReply(Frozen):
    """One reply. ``controls``: what its prompt said of those that it names, by label; ``facts``: the numbers of all facts
    in its prompt, where it cites some."""

    role: str
    reply: str
    controls: Mapping[str, str] = {}
    facts: tuple[str, ...] = ()

    @classmethod
    def to(cls, prompt: str, role: str, raw: str) -> RecordedReply:
        """What is kept of the reply ``raw`` to a prompt."""
        named = {match[2] for match in _CONTROL.finditer(raw)}
        controls = {label: called(said) for label, said in controls_of(prompt).items() if label in named}
        facts = tuple(_FACT.findall(prompt)) if _CITED.search(raw) else ()
        return cls(role=role, reply=raw, controls=controls, facts=facts)

    def again(self, prompt: str) -> str:
        """The reply in the labels and numbers of this prompt."""
        now = _FACT.findall(prompt)
        numbers = dict(zip(self.facts, now, strict=False))

        def cited(match: re.Match[str]) -> str:
            found = [numbers.get(number, number) for number in re.findall(r"\d+", match[2])]
            return f"{match[1]}{', '.join(json.dumps(each) for each in found)}]"

        return relabelled(_CITED.sub(cited, self.reply), self.controls, prompt)


_ALL = TypeAdapter(tuple[RecordedReply, ...])


class RecordedModel(ScriptedModel):
    """Answers each call with the next of the ``replies`` that is its role's. Where that is not near, the model fails: the
    runs went apart."""

    def __init__(self, replies: Sequence[RecordedReply], *, name: str = "recorded", profile: Profile) -> None:
        self._left = list(replies)
        super().__init__((), name=name, profile=profile)

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Raises ModelFailure where the runs went apart."""
        reply = self.reply_to(call)
        return await ScriptedModel([reply], name=self.name, profile=self.profile).answer(call, type)

    def reply_to(self, call: Call) -> str:
        """The next reply, in the labels and numbers of the call's prompt. Raises ModelFailure."""
        then = next((each for each in self._left[:AHEAD] if each.role == call.role), None)
        if then is None:
            left = self._left[0].role if self._left else ""
            was = f"The next recorded reply is the {left}'s" if left else "The recorded replies are used up"
            raise ModelFailure(f"{was}, and here the {call.role} has to reply.", hint=APART)
        self._left.remove(then)
        return then.again(call.text())


def load_recorded(path: Path, *, profile: Profile) -> RecordedModel:
    """A model from a file of recorded replies. Raises ConfigError for what is none."""
    return RecordedModel(replies_in(path), name=f"recorded:{path}", profile=profile)


def replies_in(path: Path) -> tuple[RecordedReply, ...]:
    """The replies in a file. Raises ConfigError for what is no file of recorded replies."""
    hint = "`deskcrew export RUN --replies FILE` writes one."
    try:
        return _ALL.validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", hint=hint) from error
    except ValidationError as error:
        raise ConfigError(f"{path}: no file of recorded replies: {error.errors()[0]['msg']}", hint=hint) from error


def keep(path: Path, replies: Iterable[RecordedReply]) -> None:
    """Write replies to a file."""
    path.write_bytes(_ALL.dump_json(tuple(replies), indent=1, exclude_defaults=True) + b"\n")


def controls_of(prompt: str) -> dict[str, str]:
    """What a prompt says of each control on the screen, by label."""
    listed = prompt.rpartition(CONTROLS)[2].partition("\n\n")[0] if CONTROLS in prompt else ""
    return dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)


def called(said: str) -> str:
    """Kind and name of a control of which that is said: what it holds may be another."""
    named = re.match(r'[^"]*"(?:[^"\\]|\\.)*"', said)
    return named[0] if named else said


def relabelled(raw: str, before: Mapping[str, str], now: str) -> str:
    """A reply to a prompt with the controls ``before`` as one to the prompt ``now``: controls that are called the same may
    have other labels there, as when a window was seen a moment earlier. The reply as it is where it names none that has
    moved."""
    here = controls_of(now)
    labels = {said: label for label, said in reversed(here.items())}
    names = [called(said) for said in here.values()]
    labels |= {name: label for label, name in zip(here, names, strict=True) if names.count(name) == 1}
    found = {label: labels.get(said) or labels.get(called(said)) for label, said in before.items()}
    moved = {label: to for label, to in found.items() if to is not None and to != label and here.get(label) != before[label]}

    def named(match: re.Match[str]) -> str:
        return f"{match[1]}{json.dumps(moved.get(match[2], match[2]))}"

    return _CONTROL.sub(named, raw) if moved else raw
