"""The models that the start form offers, whether each can be used here, and what it costs."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Literal

from deskcrew.errors import ModelFailure, UsageError
from deskcrew.models.factory import check_there
from deskcrew.models.options import ModelOptions
from deskcrew.models.prices import Price, hosted, price_of
from deskcrew.models.profiles import find
from deskcrew.models.reference import FILES, KEY_VARIABLES, KEYLESS, parse
from deskcrew.settings import Settings
from deskcrew.ways_in.web import library


@dataclass(frozen=True, slots=True)
class Offered:
    """A model that can be chosen. ``about``: a few words beside its name."""

    name: str
    about: str


@dataclass(frozen=True, slots=True)
class ModelState:
    """The state of a model. ``access``: whether it can be used; ``price``: what it costs, both as sentences; ``skills``:
    whether it can only use skills."""

    kind: Literal["good", "warn", "bad"]
    access: str
    price: str
    skills: bool = False


def offered(settings: Settings) -> list[Offered]:
    """The installed models, then the hosted ones: first those whose key is set."""
    here = [Offered("local", "runs on this machine, free")]
    here += [Offered(f"local:{e.name}", "runs on this machine, free") for e, file, _ in library.weights(settings) if file]
    known = [(bool(_key(name)), name) for name in hosted()]
    there = [
        Offered(name, f"{'key is set' if key else 'no key is set'}; {_price(price_of(name, settings.prices))}")
        for key, name in sorted(known, key=lambda each: not each[0])
    ]
    return here + there


def state_of(model: str, settings: Settings) -> ModelState:
    """What the form says beside a model's name."""
    state = _state(model, settings)
    if state.kind == "bad":
        return state
    facts = find(model, user_file=ModelOptions.of(settings).profiles_file)
    return replace(state, skills=not facts.profile.freely)


def _state(model: str, settings: Settings) -> ModelState:
    try:
        reference = parse(model)
        price = price_of(model, settings.prices)
        # Whether a file is there is nothing for a page of a server for several people to tell.
        missing = reference.kind == "local" and "/" not in reference.name and _missing(model, settings)
    except UsageError as error:
        return ModelState("bad", error.whole, "")
    told = f"It costs {_price(price)}." if price is None or price.input or price.output else "It is free."
    if price is None:
        told = "Its price is unknown, so money cannot limit it; tokens can."
    if reference.kind == "local":
        if missing:
            return ModelState("warn", "It runs on this machine. Its weights are not here yet: see Models.", told)
        return ModelState("good", "It runs on this machine.", told)
    if reference.kind in FILES:
        return ModelState("good", "Replies from a file; no model is called.", told)
    key = _key(model)
    if reference.kind in KEYLESS:
        return ModelState("good", f"{key} is set." if key else "It is called without a key.", told)
    if key:
        return ModelState("good", f"{key} is set.", told)
    names = " or ".join(KEY_VARIABLES[reference.kind])
    return ModelState("bad", f"No key: set {names} in the environment of deskcrew serve, and restart it.", told)


def _missing(model: str, settings: Settings) -> bool:
    """Whether the weights of a model are not here yet. Raises UsageError for an unknown model."""
    try:
        check_there(model, ModelOptions.of(settings))
    except ModelFailure:
        return True
    return False


def check_model(model: str) -> None:
    """Raise UsageError for an unknown model, and ModelFailure if its key is missing."""
    reference = parse(model)
    if reference.kind in KEY_VARIABLES and reference.kind not in KEYLESS and not _key(model):
        names = " or ".join(KEY_VARIABLES[reference.kind])
        raise ModelFailure(
            f"{model} needs a key.", hint=f"Set {names} in the environment of deskcrew serve, and restart it."
        )


def _key(model: str) -> str:
    """The name of the variable that holds a model's key, '' if none is set or needed."""
    return next((name for name in KEY_VARIABLES.get(parse(model).kind, ()) if os.environ.get(name)), "")


def _price(price: Price | None) -> str:
    if price is None:
        return "price unknown"
    return f"${price.input:,.2f} in and ${price.output:,.2f} out per million tokens"
