"""Options that remove a part of a crew, to measure what the part is worth."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, NamedTuple

import typer

_option = partial(typer.Option, rich_help_panel="A crew with less")


class Less(NamedTuple):
    """What is removed from a crew. ``pool``: False removes its pool; ``without``: see ``RunRequest.without``."""

    pool: bool = True
    without: tuple[str, ...] = ()


WITH_ALL = Less()
_POOL = "pool"
_OPTIONS: Mapping[str, Any] = {
    _POOL: _option("--no-pool", help="One agent with every action instead of the pool."),
    "reviewer": _option("--no-reviewer", help="No model reviews operations; rules alone judge them."),
    "checker": _option("--no-checker", help="No model judges whether a subtask is done; evidence alone does."),
    "planner": _option("--no-planner", help="The first agent of the pool does the whole task."),
    "backtracker": _option("--no-backtracker", help="Never goes back by itself; faults are repaired going forward."),
    "scheduler": _option("--no-scheduler", help="The planner assigns; unassigned subtasks go to the first agent."),
    "memory": _option("--no-memory", help="Agents remember nothing: neither their last replies nor earlier runs."),
    "skills": _option("--no-skills", help="No skills are offered, and no code is scored to become one."),
    "force-stop": _option(
        "--no-force-stop", help="Only limits that you set on appeals, repairs and replans end a run, not the default ones."
    ),
    "batch": _option("--single", help="One operation per decision."),
    "narrowing": _option(
        "--no-narrowing", help="No constrained action space: replies may name anything, not only what exists now."
    ),
}
"""The options, by the part that they remove, in the order of the help and of ``Less.without``."""


def takes_less(*never: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that replaces a command's parameter ``less``, a :class:`Less`, by these options. ``never``: parts that the
    command offers no option for."""
    offered = {f"less_{name.replace('-', '_')}": (name, option) for name, option in _OPTIONS.items() if name not in never}
    options = [
        inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, option])
        for each, (_, option) in offered.items()
    ]

    def taking(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def taken(**given: Any) -> None:
            said = [name for each, (name, _) in offered.items() if given.pop(each)]
            command(**given, less=Less(_POOL not in said, tuple(name for name in said if name != _POOL)))

        signature = inspect.signature(command, eval_str=True)
        parameters = [
            new
            for old in signature.parameters.values()
            for new in (options if old.name == "less" else [old.replace(kind=inspect.Parameter.KEYWORD_ONLY)])
        ]
        taken.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return taken

    return taking
