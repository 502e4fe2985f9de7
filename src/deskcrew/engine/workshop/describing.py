"""Proposes a new description of an agent from what it did: of its earlier subtasks, which were proven and which failed
(COLA's update of capability descriptions, C43).

Composition root of ``deskcrew role describe``. The proposal is a run of its own. A person accepts it, or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, Unpack

from deskcrew.engine.proposing import description_of, proposed_in
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.descriptions import Experience
from deskcrew.engine.roles.role import Role
from deskcrew.engine.session import Beside
from deskcrew.engine.workshop.drafting import proposing_run
from deskcrew.errors import UsageError
from deskcrew.facts.legible import counted, one_line
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.settings import Limits, Settings

MOST = 80
"""The maximum number of different subtasks that a model is shown, the latest."""
_LONGEST = 200
"""The maximum number of characters of a subtask."""


class ProposedDescription(NamedTuple):
    """A proposed description. ``why``: the reason for it; ``record``: what the agent did, in a few words; ``run``: the run
    that proposed it."""

    skills: str
    why: str
    record: str
    run: str


async def propose(
    role: Role, settings: Settings, *, by: str, crew: str, limits: Limits, **beside: Unpack[Beside]
) -> ProposedDescription:
    """Have a new description of an agent proposed. ``by``: the model; ``crew``: whose describer is asked.

    Raises UsageError for a role that no work is assigned to, and for one of which nothing is remembered; ModelFailure if
    nothing usable was proposed; and what :func:`deskcrew.engine.session.run` raises.
    """
    if role.kind != "decision":
        raise UsageError(f"{role.name} is no agent: only to agents is work assigned by their description.")
    memory = memory_of(settings)
    try:
        episodes = memory.all(kind="episode", role=role.name)
    finally:
        memory.close()
    if not episodes:
        hint = "Runs that end done, and subtasks that failed, are remembered: deskcrew memory list --all"
        raise UsageError(f"Nothing is remembered of what {role.name} did.", hint=hint)
    experience = Experience(agent=role.name, skills=role.skills, record="\n".join(_lines(episodes)))
    request = RunRequest(
        task=f"Describe what {role.name} can do",
        model=by,
        crew=crew,
        desktop="none",
        experience=experience,
        limits=limits,
    )
    journal = await proposing_run(request, settings, "No description was proposed", **beside)
    said, failed = description_of(proposed_in(journal)), sum(each.verdict == "failed" for each in episodes)
    record = f"{counted(len(episodes), 'subtask')}, {failed} of them failed"
    return ProposedDescription(said.skills, said.why, record, journal.run)


def _lines(episodes: Iterable[Entry]) -> list[str]:
    """What an agent did, the latest last: each subtask once, with what came of it and how often."""
    counts = Counter((one_line(each.situation, _LONGEST), each.word) for each in episodes)
    return [f"- {word}{f' {often} times' if often > 1 else ''}: {said}" for (said, word), often in counts.items()][-MOST:]
