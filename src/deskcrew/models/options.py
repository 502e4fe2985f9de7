"""Options for models of any kind."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from deskcrew.settings import Price, Settings


class ModelOptions(BaseModel):
    """Options for models; every field has a default that works."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def of(cls, settings: Settings) -> ModelOptions:
        """The options in the user's settings, with the file ``models.toml`` beside them if it exists."""
        file = settings.config / "models.toml"
        return cls(store_folder=settings.models, prices=settings.prices, profiles_file=file if file.is_file() else None)

    profiles_file: Path | None = None
    """A file in the format of ``profiles.toml`` that takes precedence over it."""
    store_folder: Path | None = None
    """The folder of weights; None for one in the user's data folder."""
    runtime_folder: Path | None = None
    """The folder of local servers' records; None for one in the user's runtime folder."""
    context: int | None = Field(default=None, ge=512)
    """Tokens of context of the local model; None for the value in its profile."""
    idle_seconds: float = Field(default=300.0, gt=0)
    """Seconds without a client after which a local server ends."""
    prices: dict[str, Price] = Field(default_factory=dict[str, Price])
    """The user's own prices, by model string; they take precedence over the price table's."""
    threads: int | None = Field(default=None, ge=1)
    """Threads of the local model; None for as many as physical cores are free when its server starts."""
