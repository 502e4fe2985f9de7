"""Cassettes: record what a model answered, and answer from that later without it.

A cassette is JSON lines, one exchange a line, in the order asked. A replay that asks something else than what was
recorded fails and says what differs; it never guesses.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from deskcrew.errors import ConfigError, ModelFailure
from deskcrew.models.client import Answer, Call, Malformed, Model, Profile, T, Text, Usage, Zone
from deskcrew.models.replies import read_reply
from deskcrew.observation import Frozen


class RecordedPart(Frozen):
    """A part of a prompt; of a picture only its digest is kept."""

    zone: Zone
    text: str | None = None
    image: str | None = None


class Failure(Frozen):
    """A call that ended in a ModelFailure."""

    message: str
    hint: str = ""
    status: int | None = None
    retry_after: float | None = None


class Exchange(Frozen):
    """One line of a cassette. ``prompt``: the hash over role, type, parts and sampling settings."""

    v: Literal[1] = 1
    prompt: str
    role: str
    type: str
    parts: tuple[RecordedPart, ...]
    sampling: dict[str, Any] = Field(default_factory=dict)
    raw: str = ""
    error: str | None = None
    """The Malformed error shown to the model; None when the reply was of the asked type."""
    model: str = ""
    seconds: float = 0.0
    usage: Usage = Usage()
    retries: int = 0
    failure: Failure | None = None


class CassetteMismatch(ModelFailure):
    """A replay asked something else than what was recorded. ``str()`` says what differs."""


def describe(call: Call, type_name: str) -> Exchange:
    """The question's side of an exchange, with its hash."""
    parts = tuple(
        RecordedPart(zone=part.zone, text=part.text)
        if isinstance(part, Text)
        else RecordedPart(zone=part.zone, image=f"{part.media_type} sha256:{hashlib.sha256(part.data).hexdigest()}")
        for part in call.parts
    )
    sampling = {"max_tokens": call.max_tokens, "temperature": call.temperature, "seed": call.seed}
    body = [call.role, type_name, [part.model_dump() for part in parts], sampling]
    digest = hashlib.sha256(json.dumps(body, ensure_ascii=False).encode()).hexdigest()
    return Exchange(prompt=digest, role=call.role, type=type_name, parts=parts, sampling=sampling)


class RecordingModel:
    """Passes calls to ``inner`` and appends every exchange, also a failed one, to the cassette at ``path``."""

    def __init__(self, inner: Model, path: Path) -> None:
        self._inner = inner
        self._path = path

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def profile(self) -> Profile:
        return self._inner.profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Ask ``inner``; raises what it raises, after recording it."""
        exchange = describe(call, type.__name__)
        try:
            answer = await self._inner.answer(call, type)
        except ModelFailure as error:
            failure = Failure(message=str(error), hint=error.hint, status=error.status, retry_after=error.retry_after)
            self._append(exchange.model_copy(update={"failure": failure}))
            raise
        reply = {
            "raw": answer.raw,
            "error": answer.value.error if isinstance(answer.value, Malformed) else None,
            "model": answer.model,
            "seconds": answer.seconds,
            "usage": answer.usage,
            "retries": answer.retries,
        }
        self._append(exchange.model_copy(update=reply))
        return answer

    async def close(self) -> None:
        await self._inner.close()

    def _append(self, exchange: Exchange) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as cassette:
            cassette.write(exchange.model_dump_json(exclude_defaults=True) + "\n")


class RecordedModel:
    """Answers from a cassette, in its order."""

    def __init__(self, path: Path, profile: Profile) -> None:
        """Raises ConfigError when the cassette cannot be read. ``profile``: that of the recorded model."""
        self._path = path
        self._profile = profile
        self._exchanges = _read(path)
        self._next = 0

    @property
    def name(self) -> str:
        return f"recorded:{self._path}"

    @property
    def profile(self) -> Profile:
        return self._profile

    @property
    def left(self) -> int:
        """How many recorded exchanges have not been asked for yet."""
        return len(self._exchanges) - self._next

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """The recorded answer. Raises :class:`CassetteMismatch`, or the recorded ModelFailure."""
        asked = describe(call, type.__name__)
        if not self.left:
            raise CassetteMismatch(
                f"{self._path} ended after {len(self._exchanges)} exchanges; asked next: role {call.role!r}",
                hint="Record the run again.",
            )
        exchange = self._exchanges[self._next]
        if exchange.prompt != asked.prompt:
            raise CassetteMismatch(
                f"{self._path} line {self._next + 1} was recorded for another call: {_difference(exchange, asked)}",
                hint="Record the run again if the change is meant.",
            )
        self._next += 1
        if exchange.failure:
            failed = exchange.failure
            raise ModelFailure(failed.message, hint=failed.hint, status=failed.status, retry_after=failed.retry_after)
        # A recorded Malformed stays one: the narrowed type it was checked against may have been stricter.
        value = Malformed(exchange.raw, exchange.error) if exchange.error is not None else read_reply(exchange.raw, type)
        return Answer(value, exchange.raw, exchange.model, exchange.seconds, exchange.usage, exchange.retries)

    async def close(self) -> None:
        """Nothing to give back."""


def _read(path: Path) -> list[Exchange]:
    exchanges: list[Exchange] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            exchanges.append(Exchange.model_validate_json(line))
        except ValidationError as error:
            raise ConfigError(f"{path} line {number}: not an exchange of a cassette: {error.errors()[0]['msg']}") from error
    return exchanges


def _difference(recorded: Exchange, asked: Exchange) -> str:
    """The first thing that differs, in words; of a text, the first differing lines."""
    for label in ("role", "type", "sampling"):
        before, after = getattr(recorded, label), getattr(asked, label)
        if before != after:
            return f"{label} was {before!r}, is {after!r}"
    if len(recorded.parts) != len(asked.parts):
        return f"it had {len(recorded.parts)} parts, this one has {len(asked.parts)}"
    for number, (before, after) in enumerate(zip(recorded.parts, asked.parts, strict=True)):
        if before != after:
            lines = difflib.unified_diff(_lines(before), _lines(after), lineterm="", n=0)
            changed = [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
            return f"part {number} ({after.zone}):\n" + "\n".join(line[:200] for line in changed[:6])
    return "the cassette's hash does not match its own parts"


def _lines(part: RecordedPart) -> list[str]:
    return [f"[{part.zone}]", *(part.text if part.text is not None else f"image {part.image}").splitlines()]
