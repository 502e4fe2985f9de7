"""The port to language models: one call = one request = one event (docs/design/models.md).

Format retries belong to the engine, transport retries to the adapter (and are counted). Cancelling the task that
awaits :meth:`Model.answer` closes the request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, field_validator

from deskcrew.facts.events import Usage
from deskcrew.facts.observation import Frozen

__all__ = ["Answer", "Call", "Image", "Malformed", "Model", "Part", "Profile", "Text", "Usage", "Zone"]

T = TypeVar("T", bound=BaseModel)

Zone = Literal["stable", "task", "memory", "volatile"]
"""How often a part of a prompt changes. Parts are sent in this order, so that prompt caches hit. ``stable`` parts form the
system message, all others one user message."""


@dataclass(frozen=True, slots=True)
class Text:
    """A part of a prompt that is text."""

    text: str
    zone: Zone


@dataclass(frozen=True, slots=True)
class Image:
    """A part of a prompt that is a picture. The engine leaves it out for models without vision."""

    data: bytes
    media_type: str
    zone: Zone


Part = Text | Image


@dataclass(frozen=True, slots=True)
class Call:
    """One request. ``deadline``: seconds that the reply may take; ``patience``: seconds after which the request is no longer
    retried if the server has trouble; ``told``: called with a sentence about each retry; ``max_tokens``: maximum length of
    the reply; ``seed``: None for no seed; ``meant_for``: returns the other roles whose replies have these fields."""

    role: str
    parts: tuple[Part, ...]
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None
    deadline: float = 120.0
    patience: float = 10.0
    told: Callable[[str], None] = field(default=lambda _: None, compare=False)
    meant_for: Callable[[Set[str]], Sequence[str]] = field(default=lambda _: (), compare=False)

    def text(self, *zones: Zone) -> str:
        """The text parts of these zones (of all if none is given), joined by blank lines."""
        return "\n\n".join(p.text for p in self.parts if isinstance(p, Text) and (not zones or p.zone in zones))


@dataclass(frozen=True, slots=True)
class Malformed:
    """A reply that does not fit the requested type. ``error``: worded for the model, and shown to it on a retry; ``cut``:
    the reply was truncated at its token limit, and should be requested again with a higher limit."""

    raw: str
    error: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The result of a call. ``raw``: the reply's text as received; ``retries``: the number of transport retries;
    ``seconds``: wall time."""

    value: T | Malformed
    raw: str
    model: str
    seconds: float
    usage: Usage = field(default_factory=Usage)
    retries: int = 0


FreeText = Literal["short", "full"]


class Profile(Frozen):
    """Facts about a model that determine what the engine sends it. Data, not code; see ``profiles.toml``."""

    name: str
    vision: bool = False
    max_images: int = 0
    schema_mode: Literal["grammar", "validate"] = "validate"
    """``grammar``: the server enforces a JSON schema by constrained decoding, so the schema is narrowed for each call, and
    the prompt describes the operations. ``validate``: the model is shown the schema, which describes the operations and
    stays constant per role (so caches hit), and the engine checks the reply."""
    context: int = 8192
    """The maximum tokens of prompt and reply together."""
    free_text: FreeText = "full"
    """How much reasoning to ask for besides the operations."""
    observation_tokens: int = 2000
    """The maximum tokens of an observation's compact text form."""
    reading: int = 0
    """How many characters of a file, a page or a program's output in use are shown. 0: the small amount that suits a small
    model."""
    reply_tokens: int = 0
    """The minimum token limit of every reply, reasoning included; a role may allow more."""
    operations: int = 0
    """The minimum limit of operations per decision, for crews that allow more than one; a crew may allow more."""
    seconds: float = 120.0
    """Seconds that a call may take."""
    effort: Literal["", "low", "medium", "high"] = ""
    """Reasoning effort, for models that have such a setting; '' for the provider's default."""
    whole_replies: bool = False
    """Whether the schema requires every field, even those with a default, as servers' strict modes and grammars do: examples
    in prompts then contain all fields."""
    contracts: bool = False
    """Whether the model writes the contract before anything is done, and the probes that check it afterwards. In a profiles
    file it defaults to true."""
    freely: bool = True
    """Whether the model may use all actions of a crew. If not, it only chooses a skill and fills in its values. In a
    profiles file it defaults to ``contracts``: a model that cannot say what must hold is not trusted to do it."""
    scripted: bool = False
    """Whether the replies were written beforehand by somebody who knew the task. A profiles file may set it only for
    ``scripted:`` models."""

    @field_validator("free_text", mode="before")
    @classmethod
    def _as_it_was(cls, value: object) -> object:
        return "short" if value == "none" else value  # in records of earlier versions


@runtime_checkable
class Model(Protocol):
    """A language model. Implementations: ``scripted``, ``pydantic_ai``, ``local``, and ``replay`` for recorded runs."""

    @property
    def name(self) -> str:
        """The model string that the user gave, such as ``local`` or ``openai:gpt-5.2``."""
        ...

    @property
    def profile(self) -> Profile: ...

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Ask the model once.

        Raises :class:`~deskcrew.errors.ModelFailure` if there is no reply: the request was refused, or still failed after
        ``call.patience``. A malformed reply is not an error: it is an Answer whose value is Malformed.
        """
        ...

    async def close(self) -> None:
        """Release connections and leases. Safe to call twice."""
        ...
