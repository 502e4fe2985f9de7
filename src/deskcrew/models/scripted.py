"""A model that replies from a list, or from one for each role: for tests, examples and ``--model scripted:FILE``.

A scripted reply is validated, and fails, exactly as a real model's does. If the script ends too early, the model fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

import anyio

from deskcrew.errors import ConfigError, ModelFailure, UsageError
from deskcrew.models.client import Answer, Call, Image, Malformed, Profile, T, Usage
from deskcrew.models.replies import read_reply

Reply = Mapping[str, Any] | str
Script = Reply | Exception | Callable[[Call], "Reply"]

ALL = ""
"""Stands for all roles where a script has one list for all."""
IMAGE_TOKENS = 1000
LIKE_ONE = '{"operations": [], "branch": "Continue"}'
LIKE = f"A reply is an object with its role's fields, or a string: {LIKE_ONE}"


class ScriptedModel:
    """Answers each call with the next item of a list, or of the list for the role that is asked: a mapping or string is the
    reply, an exception is raised, a function is called with the :class:`Call` and returns the reply."""

    def __init__(
        self,
        replies: Iterable[Script] | Mapping[str, Iterable[Script]],
        *,
        name: str = "scripted",
        profile: Profile | None = None,
        seconds: float = 0.0,
        more: str = "Give the scripted model more replies.",
    ) -> None:
        """``replies``: one list for all roles, or a list for each by its name; ``seconds``: how long each answer takes
        (asynchronously), to test deadlines and cancellation; ``more``: the hint of the error when no reply is left. Raises
        UsageError if ``replies`` is neither, or contains something else."""
        scripts: Mapping[str, Iterable[Script]] = replies if _for_each_role(replies) else {ALL: replies}
        for role, script in scripts.items():
            if isinstance(script, str | Mapping) or not hasattr(script, "__iter__"):
                raise UsageError(
                    "A scripted model takes a list of replies, or a list for each role by its name, which this is not.",
                    hint=f'For example: ScriptedModel([{LIKE_ONE}]) or ScriptedModel({{"Worker": [{LIKE_ONE}]}})',
                )
            if isinstance(script, Sequence):  # what makes them one by one is looked at as it goes
                for number, reply in enumerate(script, start=1):
                    if not callable(reply):
                        _checked(_place(role, number), reply)
        self._scripts = {role: enumerate(script, start=1) for role, script in scripts.items()}
        self._more, self._wrong = more, ""
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
        try:
            place, reply = self._next(call)
        except StopIteration:
            ended = f"The script of model {self._name!r} has no more replies for {call.role} (call {len(self.calls)})."
            raise ran_out(f"{self._wrong} {ended}".lstrip(), self._more) from None
        if isinstance(reply, Exception):
            raise reply
        try:
            raw = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        except TypeError as error:
            raise ModelFailure(f"{place}: {error}.", hint="Use only values that JSON can represent.") from error
        value = read_reply(raw, type, max_tokens=call.max_tokens)
        self._wrong = ""
        if isinstance(value, Malformed):
            # One reply too many or too few shifts all that follow it in a list for all roles.
            others = call.meant_for(reply.keys()) if isinstance(reply, Mapping) else ()
            meant = f" It has the fields of a reply of {' or '.join(others)}; {call.role} was asked." if others else ""
            value = replace(value, error=value.error + meant)
            self._wrong = f"{place} was not used: {value.error}"
        usage = Usage(input=_tokens(call), output=len(raw) // 4 + 1, cost=0.0)
        return Answer(value, raw, self._name, self._seconds, usage)

    def _next(self, call: Call) -> tuple[str, Reply | Exception]:
        """The reply to a call, and its place in the script. Raises StopIteration if none is left."""
        role = ALL if ALL in self._scripts else call.role
        number, reply = next(self._scripts.get(role, iter(())))
        place = _place(role, number)
        return place, _checked(place, reply(call) if callable(reply) else reply)

    async def close(self) -> None:
        """Does nothing: there is nothing to release."""


def _for_each_role(replies: object) -> TypeGuard[Mapping[str, Iterable[Script]]]:
    """Whether each role has a list of its own."""
    return isinstance(replies, Mapping)


def _place(role: str, number: int) -> str:
    return f"Reply {number} for {role} in the script" if role else f"Reply {number} of the script"


def _checked(place: str, reply: Reply | Exception) -> Reply | Exception:
    """The reply itself. Raises UsageError if it is not a valid reply: callers from Python may pass anything."""
    if not isinstance(reply, str | Mapping | Exception):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"{place} is {reply!r}, which is not a reply.", hint=LIKE)
    return reply


def load_script(path: Path, *, profile: Profile | None = None) -> ScriptedModel:
    """A model from a JSON file: a list of objects or strings, or an object with such a list for each role. Raises
    ConfigError, with file and position, if it is neither."""
    more = "Add replies to the file of --model scripted:FILE."
    try:
        replies = json.loads(path.read_text(encoding="utf-8"))
        return ScriptedModel(replies, name=f"scripted:{path}", profile=profile, more=more)
    except OSError as error:
        raise ConfigError(
            f"{path}: {error.strerror}", hint="Give the path of a JSON file with a list of replies."
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    except UsageError as error:
        raise ConfigError(f"{path}: {error}", hint=error.hint) from error


def ran_out(text: str, more: str) -> Exception:
    """The exception to raise when no reply is left."""
    return ModelFailure(text, hint=more)


def _tokens(call: Call) -> int:
    """A plausible prompt size in tokens: four characters a token, and a fixed number for each picture."""
    pictures = sum(isinstance(part, Image) for part in call.parts)
    return len(call.text()) // 4 + 1 + IMAGE_TOKENS * pictures
