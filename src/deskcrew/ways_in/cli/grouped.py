"""Commands whose options are declared in groups: options that belong together are the fields of a dataclass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command for typer in which each parameter that is a dataclass is replaced by its fields, nested ones too."""
    signature = inspect.signature(command, eval_str=True)
    kinds = {name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)}

    parameters = [
        new
        for name, old in signature.parameters.items()
        for new in (_options(kinds[name]) if name in kinds else [old.replace(kind=Parameter.KEYWORD_ONLY)])
    ]
    flat = signature.replace(parameters=parameters)

    @functools.wraps(command)
    def taken(**given: Any) -> None:
        bound = flat.bind(**given)
        bound.apply_defaults()  # where no command line was parsed
        values = bound.arguments
        command(**{name: _made(kinds[name], values) if name in kinds else values[name] for name in signature.parameters})

    taken.__signature__ = flat  # type: ignore[attr-defined]
    return taken


def _options(kind: Any) -> Iterator[Parameter]:
    types = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        if is_dataclass(types[each.name]):
            yield from _options(types[each.name])
        else:
            usual = Parameter.empty if each.default is MISSING else each.default
            yield Parameter(each.name, Parameter.KEYWORD_ONLY, default=usual, annotation=types[each.name])


def _made(kind: Any, given: Mapping[str, Any]) -> Any:
    types = get_type_hints(kind)
    values = {
        each.name: _made(types[each.name], given) if is_dataclass(types[each.name]) else given[each.name]
        for each in fields(kind)
    }
    return kind(**values)


def given(options: Any) -> Iterator[str]:
    """The options of a group that were typed, such as ``--hand-over``."""
    for each in fields(options):
        value = getattr(options, each.name)
        if is_dataclass(value):
            yield from given(value)
        elif value and value != each.default:
            yield f"--{each.name.strip('_').replace('_', '-')}"
