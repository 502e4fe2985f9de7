"""A model that replies from a list: for tests, examples and ``--model scripted:FILE``.

A scripted reply is validated, and fails, exactly as a real model's does. If the script ends too early, the model fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio

from deskcrew.errors import ConfigError, ModelFailure, UsageError
from deskcrew.facts.json_values import is_list
from deskcrew.models.client import Answer, Call, Image, Malformed, Profile, T, Usage
from deskcrew.models.replies import read_reply

Reply = Mapping[str, Any] | str
Script = Reply | Exception | Callable[[Call], "Reply"]

IMAGE_TOKENS = 1000
LIKE_ONE = '{"operations": [], "branch": "Continue"}'
LIKE = f"A reply is an object with its role's fields, or a string: {LIKE_ONE}"


class ScriptedModel:
    """Answers each call with the next item: a mapping or string is the reply, an exception is raised, a function is called
    with the :class:`Call` and returns the reply."""

    def __init__(
        self,
        replies: Iterable[Script],
        *,
        name: str = "scripted",
        profile: Profile | None = None,
        seconds: float = 0.0,
        more: str = "Give the scripted model more replies.",
    ) -> None:
        """``seconds``: how long each answer takes (asynchronously), to test deadlines and cancellation; ``more``: the hint
        of the error when no reply is left. Raises UsageError if ``replies`` is not a list of replies, or contains something
        else."""
        if isinstance(replies, str | Mapping) or not hasattr(replies, "__iter__"):
            raise UsageError(
                "A scripted model takes a list of replies, which this is not.",
                hint=f"For example: ScriptedModel([{LIKE_ONE}])",
            )
        if isinstance(replies, Sequence):  # what makes them one by one is looked at as it goes
            for number, reply in enumerate(replies, start=1):
                if not callable(reply):
                    _checked(number, reply)
        self._more, self._wrong = more, ""
        self._replies = iter(replies)
        self._name = name
        self._profile = profile or Profile(name=name, vision=True, max_images=8, context=128_000, scripted=True)
        self._seconds = seconds
        self.calls: list[Call] = []
        """Every call received, in order."""

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> Profile:
        return self._profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """The next reply, validated. Raises ModelFailure if none is left, or the exception that is the next item."""
        self.calls.append(call)
        await anyio.sleep(self._seconds)
        reply = next(self._replies, None)
        if reply is None:
            asked = f"call {len(self.calls)}, role {call.role!r}, for {type.__name__}"
            ended = f"The script of model {self._name!r} ran out at {asked}."
            if self._wrong:
                raise ran_out(f"{self._wrong} {ended}", f"Correct reply {len(self.calls) - 1}. {self._more}")
            raise ran_out(ended, self._more)
        reply = _checked(len(self.calls), reply(call) if callable(reply) else reply)
        if isinstance(reply, Exception):
            raise reply
        try:
            raw = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        except TypeError as error:
            raise ModelFailure(
                f"Reply {len(self.calls)} of the script: {error}.", hint="Use only values that JSON can represent."
            ) from error
        value = read_reply(raw, type, max_tokens=call.max_tokens)
        self._wrong = f"Reply {len(self.calls)} was not used: {value.error}" if isinstance(value, Malformed) else ""
        usage = Usage(input=_tokens(call), output=len(raw) // 4 + 1, cost=0.0)
        return Answer(value, raw, self._name, self._seconds, usage)

    async def close(self) -> None:
        """Does nothing: there is nothing to release."""


def _checked(number: int, reply: Reply | Exception) -> Reply | Exception:
    """The reply itself. Raises UsageError if it is not a valid reply: callers from Python may pass anything."""
    if not isinstance(reply, str | Mapping | Exception):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"Reply {number} of the script is {reply!r}, which is not a reply.", hint=LIKE)
    return reply


def load_script(path: Path, *, profile: Profile | None = None) -> ScriptedModel:
    """A model from a JSON file: a list of objects or strings. Raises ConfigError, with file and position, if it is not."""
    try:
        data: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path}: {error.strerror}", hint="Give the path of a JSON file with a list of replies."
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    if not is_list(data):
        raise ConfigError(f"{path}: a script is a list of replies", hint=LIKE)
    replies: list[Script] = []
    for number, item in enumerate(data):
        if not isinstance(item, dict | str):
            raise ConfigError(f"{path}: reply {number} is neither an object nor a string", hint=LIKE)
        replies.append(item)
    more = "Add replies to the file of --model scripted:FILE."
    return ScriptedModel(replies, name=f"scripted:{path}", profile=profile, more=more)


def ran_out(text: str, more: str) -> Exception:
    """The exception to raise when no reply is left."""
    return ModelFailure(text, hint=more)


def _tokens(call: Call) -> int:
    """A plausible prompt size in tokens: four characters a token, and a fixed number for each picture."""
    pictures = sum(isinstance(part, Image) for part in call.parts)
    return len(call.text()) // 4 + 1 + IMAGE_TOKENS * pictures
