"""Options that take a part away from a crew, to see what it is worth."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

_less = partial(typer.Option, rich_help_panel="A crew with less")

NoPoolOption = Annotated[bool, _less("--no-pool", help="One agent with every action instead of the pool.")]
NoReviewerOption = Annotated[bool, _less("--no-reviewer", help="No model reviews operations; rules alone judge them.")]
NoCheckerOption = Annotated[
    bool, _less("--no-checker", help="No model says whether a finished subtask is done: evidence alone does.")
]
NoPlannerOption = Annotated[bool, _less("--no-planner", help="The first agent of the pool does the whole task.")]
NoSchedulerOption = Annotated[
    bool, _less("--no-scheduler", help="The planner assigns; what it leaves open goes to the first agent.")
]
NoMemoryOption = Annotated[
    bool, _less("--no-memory", help="Agents remember nothing: neither their last replies nor earlier runs.")
]
SingleOption = Annotated[bool, _less("--single", help="One operation per decision.")]
NoNarrowingOption = Annotated[
    bool, _less("--no-narrowing", help="Replies may name anything, not only what exists and is possible.")
]
NoReflexesOption = Annotated[bool, _less("--no-reflexes", help="No heuristic replies in the model's place.")]
NoCoachingOption = Annotated[
    bool, _less("--no-coaching", help="A small model's replies are taken as they are: not corrected, doubted or restricted.")
]


def left_out(
    no_reviewer: bool,
    no_scheduler: bool,
    no_memory: bool,
    single: bool,
    no_narrowing: bool,
    no_reflexes: bool,
    no_coaching: bool,
    *,
    no_checker: bool = False,
    no_planner: bool = False,
) -> tuple[str, ...]:
    """What the crew does without, as ``RunRequest.without`` has it."""
    asked = {
        "reviewer": no_reviewer,
        "checker": no_checker,
        "planner": no_planner,
        "scheduler": no_scheduler,
        "memory": no_memory,
        "batch": single,
        "narrowing": no_narrowing,
        "reflexes": no_reflexes,
        "coaching": no_coaching,
    }
    return tuple(name for name, said in asked.items() if said)
