"""A model that repeats the replies of an earlier run, one after the other: ``--model recorded:FILE``.

Labels of controls and numbers of facts differ from run to run. A recorded reply is therefore stored with what its prompt
said about each control that it names and each fact that it cites, and is translated into the labels and numbers of the
prompt that it answers now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from deskcrew.errors import ConfigError, ModelFailure
from deskcrew.facts.observation import CONTROLS, Frozen
from deskcrew.facts.unfit import in_words
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.models.scripted import ScriptedModel

AHEAD = 3
"""How many of the next replies are searched for the role's own, since two roles may be asked at once."""
APART = "By then this run had taken another course than the recorded run."
_FACT = re.compile(r"^(\d+): ", re.MULTILINE)
_CONTROL = re.compile(r'("control"\s*:\s*)"([^"\\]+)"')
_CITED = re.compile(r'("sources"\s*:\s*\[)([^\]]*)\]')


class RecordedReply(Frozen):
    """One recorded reply. ``controls``: how its prompt described the controls that it names, by label; ``facts``: the
    numbers of all facts in its prompt, if it cites any."""

    role: str
    reply: str
    controls: Mapping[str, str] = {}
    facts: tuple[str, ...] = ()

    @classmethod
    def to(cls, prompt: str, role: str, raw: str) -> RecordedReply:
        """The record of the reply ``raw`` to a prompt."""
        named = {match[2] for match in _CONTROL.finditer(raw)}
        controls = {label: called(said) for label, said in controls_of(prompt).items() if label in named}
        facts = tuple(_FACT.findall(prompt)) if _CITED.search(raw) else ()
        return cls(role=role, reply=raw, controls=controls, facts=facts)

    def again(self, prompt: str) -> str:
        """The reply with the labels and numbers of this prompt."""
        now = _FACT.findall(prompt)
        numbers = dict(zip(self.facts, now, strict=False))

        def cited(match: re.Match[str]) -> str:
            found = [numbers.get(number, number) for number in re.findall(r"\d+", match[2])]
            return f"{match[1]}{', '.join(json.dumps(each) for each in found)}]"

        return relabelled(_CITED.sub(cited, self.reply), self.controls, prompt)


_ALL = TypeAdapter(tuple[RecordedReply, ...])


class RecordedModel(ScriptedModel):
    """Answers each call with its role's next recorded reply. Fails if none of the next few replies is the role's, since the
    run then no longer follows the recorded one."""

    def __init__(self, replies: Sequence[RecordedReply], *, name: str = "recorded", profile: Profile) -> None:
        self._left = list(replies)
        super().__init__((), name=name, profile=profile)

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """The next recorded reply for this role. Raises ModelFailure if the run no longer follows the recorded one."""
        reply = self.reply_to(call)
        return await ScriptedModel([reply], name=self.name, profile=self.profile).answer(call, type)

    def reply_to(self, call: Call) -> str:
        """The next reply, with the labels and numbers of the call's prompt. Raises ModelFailure like :meth:`answer`."""
        then = next((each for each in self._left[:AHEAD] if each.role == call.role), None)
        if then is None:
            left = self._left[0].role if self._left else ""
            was = f"The next recorded reply is the {left}'s" if left else "The recorded replies are used up"
            raise ModelFailure(f"{was}, but here the {call.role} has to reply.", hint=APART)
        self._left.remove(then)
        return then.again(call.text())


def load_recorded(path: Path, *, profile: Profile) -> RecordedModel:
    """A model from a file of recorded replies. Raises ConfigError like :func:`replies_in`."""
    return RecordedModel(replies_in(path), name=f"recorded:{path}", profile=profile)


def replies_in(path: Path) -> tuple[RecordedReply, ...]:
    """The replies in a file. Raises ConfigError if it cannot be read, or is not a file of recorded replies."""
    hint = "`deskcrew export RUN --replies FILE` writes one."
    try:
        return _ALL.validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", hint=hint) from error
    except ValidationError as error:
        raise ConfigError(f"{path}: not a file of recorded replies: {in_words(error)}", hint=hint) from error


def keep(path: Path, replies: Iterable[RecordedReply]) -> None:
    """Write replies to a file."""
    path.write_bytes(_ALL.dump_json(tuple(replies), indent=1, exclude_defaults=True) + b"\n")


def controls_of(prompt: str) -> dict[str, str]:
    """How a prompt describes each control on the screen, by label."""
    listed = prompt.rpartition(CONTROLS)[2].partition("\n\n")[0] if CONTROLS in prompt else ""
    return dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)


def called(said: str) -> str:
    """The kind and name in a control's description, without its value, which may differ."""
    named = re.match(r'[^"]*"(?:[^"\\]|\\.)*"', said)
    return named[0] if named else said


def relabelled(raw: str, before: Mapping[str, str], now: str) -> str:
    """Translate a reply to a prompt with the controls ``before`` into one to the prompt ``now``, where the same controls may
    have other labels, for example because a window appeared earlier. The reply is unchanged if no label is."""
    here = controls_of(now)
    labels = {said: label for label, said in reversed(here.items())}
    names = [called(said) for said in here.values()]
    labels |= {name: label for label, name in zip(here, names, strict=True) if names.count(name) == 1}
    found = {label: labels.get(said) or labels.get(called(said)) for label, said in before.items()}
    moved = {label: to for label, to in found.items() if to is not None and to != label and here.get(label) != before[label]}

    def named(match: re.Match[str]) -> str:
        return f"{match[1]}{json.dumps(moved.get(match[2], match[2]))}"

    return _CONTROL.sub(named, raw) if moved else raw
