"""How much of a prompt a model need not read again when the roles of a crew take turns.

Four built-in roles with their real prompts are asked one after the other, round after round; of each prompt only the
last part changes from one round to the next, as in a run. The alternative is the first round, when nothing of these
prompts is known yet: a word made up for this measurement stands at the beginning of each.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from deskcrew.actions import builtin
from deskcrew.engine.roles import crew as crews
from deskcrew.engine.roles import role as roles_
from deskcrew.engine.roles.ask import actions_text
from deskcrew.engine.roles.crew import Crew, load_crew
from deskcrew.engine.roles.prompt import render
from deskcrew.engine.roles.role import Role, load_roles
from deskcrew.models.client import Call, Model, Text
from deskcrew_bench.figure import Figure, summarise

ALTERNATION = ("Planner", "Programmer", "Operator", "FileManager")
ALTERNATIVE = "the first round, nothing cached"
SAMPLE = {
    "task": "Work out the total of the amount column in expenses.csv and write it into report.txt with the text editor.",
    "assignment": "write the total into report.txt with the text editor",
    "files": "- expenses.csv: day,person,amount | Monday,Ada,31 | Friday,Bert,12",
    "clauses": "1. Work out the total of the amount column\n2. write it into report.txt with the text editor",
    "results": "work out the total -> 43",
    "applications": "Calculator, File Manager, Mousepad",
}
VOLATILE = "observation"


class Reply(BaseModel):
    """A reply of one word, so that reading the prompt is nearly all of the time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    branch: Literal["Continue", "RoleTaskFinish"]


@dataclass
class Round:
    """What the calls of one kind of round took."""

    milliseconds: list[float] = field(default_factory=list[float])
    shares: list[float] = field(default_factory=list[float])
    """Of each call: per cent of its prompt's tokens that came from a cache."""


@dataclass(frozen=True, slots=True)
class PrefixReuse:
    """``time``: of a call; ``share``: of a prompt's tokens that came from a cache, None where the model does not say."""

    time: Figure
    share: Figure | None


async def measure(model: Model, *, rounds: int = 5) -> PrefixReuse:
    """Ask four roles in turn, ``rounds`` times after the first. Raises ModelFailure."""
    crew = load_crew("planned", (crews.BUILTIN,), load_roles((roles_.BUILTIN,)))
    mark = secrets.token_hex(4)
    first, later = Round(), Round()
    for number in range(rounds + 1):
        for name in ALTERNATION:
            answer = await model.answer(_call(crew, crew.roles[name], model, mark, number), Reply)
            into = later if number else first
            into.milliseconds.append(answer.seconds * 1000)
            if answer.usage.input and answer.usage.cached is not None:
                into.shares.append(100 * answer.usage.cached / answer.usage.input)
    time = summarise(later.milliseconds, "ms a call", alternative=ALTERNATIVE, against=first.milliseconds)
    if not later.shares or not first.shares:
        return PrefixReuse(time, None)
    share = summarise(later.shares, "% of prompt tokens cached", alternative=ALTERNATIVE, against=first.shares)
    return PrefixReuse(time, share)


def _call(crew: Crew, role: Role, model: Model, mark: str, number: int) -> Call:
    view = {key: SAMPLE.get(key, "") for key in role.reads}
    if VOLATILE in view:
        view[VOLATILE] = f'* window "report.txt - Mousepad" active\n1 text area "" value "line {number}"\n2 menu "File"'
    available = builtin()
    actions = {name: available[name] for name in role.domain}
    parts = render(role, view, crew=crew, profile=model.profile, actions=actions_text(role, actions))
    changed = Text(f"Round {number}.", zone="volatile")
    return Call(role=role.name, parts=(Text(f"Crew {mark}.", zone="stable"), *parts, changed), max_tokens=24)
