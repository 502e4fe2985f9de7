"""Situations in which something lies, done by a crew that believes it, and each again without the lie.

Engine, workspace, sandbox, desktop and programs are real, and so is what lies: a file that cannot be written, a server that
says no, a click that hits nothing. Only the model is scripted: it claims to be finished, answers with confidence and takes
its own answer for right. No lie may end ``done``; what is true should.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path

import anyio

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.events import RoleReplied
from deskcrew.facts.observation import Frozen
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.on_files import ON_FILES
from deskcrew_bench.lies.on_screen import ON_SCREEN
from deskcrew_bench.lies.situation import Part, Situation
from deskcrew_bench.sending_back import first_reply, send_back

LIES_DONE = 0
"""How many lies may end ``done``."""
MISSED = 2
"""How many of the true ones may not be recognised."""
LONGEST = 120.0
"""Seconds after which a run is given up."""


class Trial(Frozen):
    """How one situation ended. ``lie`` and ``truth``: outcomes; ``truth_why``: the reason that the latter gives."""

    name: str
    lies: str
    desktop: bool
    lie: str
    truth: str
    truth_why: str
    seconds: float

    @property
    def believed(self) -> bool:
        return self.lie == "done"

    @property
    def known(self) -> bool:
        """Whether what is true was recognised."""
        return self.truth == "done"


class Totals(Frozen):
    """A series of trials."""

    situations: int
    believed: int
    known: int

    @property
    def good(self) -> bool:
        return self.believed <= LIES_DONE and self.situations - self.known <= MISSED


def situations() -> tuple[Situation, ...]:
    """All of them."""
    return (*ON_FILES, *ON_SCREEN)


def chosen(names: Sequence[str], *, desktop: bool = True) -> tuple[Situation, ...]:
    """Those with these names; when none is given all, or all that need no ``desktop``. Raises UsageError for an unknown
    name."""
    there = {situation.name: situation for situation in situations()}
    for name in names:
        if name not in there:
            raise UsageError(f"There is no situation {name!r}.", hint=f"There are: {', '.join(there)}.")
    return tuple(there[name] for name in names) or tuple(each for each in there.values() if desktop or not each.desktop)


async def attempt(situation: Situation, settings: Settings) -> Trial:
    """Do a situation both ways. Raises what the session raises."""
    began = time.perf_counter()
    lie, _ = await _played(situation, situation.lie, settings)
    truth, truth_why = await _played(situation, situation.truth, settings)
    return Trial(
        name=situation.name,
        lies=situation.lies,
        desktop=situation.desktop,
        lie=lie,
        truth=truth,
        truth_why=truth_why,
        seconds=round(time.perf_counter() - began, 1),
    )


async def _played(situation: Situation, part: Part, settings: Settings) -> tuple[str, str]:
    folder = settings.data / "workspaces" / f"lies-{secrets.token_hex(4)}"
    folder.mkdir(parents=True)
    for name, text in {**situation.files, **part.files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    request = RunRequest(
        task=situation.task,
        model="scripted:believer",
        crew="solo",
        workspace=folder,
        desktop="virtual" if situation.desktop else "none",
        network=situation.network,
        mode="passive",
        required=situation.contract,
    )
    crew = Believer(part, probe=situation.probe)
    with part.around(folder), anyio.move_on_after(LONGEST):
        journal = await session.run(request, settings, model=crew, human=PythonResponder(operation=_allow))
        if part.again is not None:
            await _again(journal.run, part.again, folder, settings)
    journal = Store.of(settings).journal("last")
    misfits = [event.body.error for event in journal.events if isinstance(event.body, RoleReplied) and event.body.error]
    if crew.left or misfits:
        # A lie that was never told is not one that was seen through.
        raise UsageError(f"Situation {situation.name} could not be played: {misfits or 'it ended too early'}.")
    outcome = journal.state.outcome
    return (outcome.status, outcome.why) if outcome else ("no end", f"given up after {LONGEST:g} seconds")


async def _again(run: str, part: Part, folder: Path, settings: Settings) -> None:
    """Send the crew back to its first reply, and have it go on from there."""
    journal = Store.of(settings).journal(run)
    first = first_reply(journal)
    assert first is not None
    send_back(journal, first, folder, say="Look again, more carefully.")
    await session.resume(run, settings, model=Believer(part), human=PythonResponder(operation=_allow))


async def _allow(question: OperationQuestion) -> Approval:
    """A person who lets everything pass: what is asked here is not whether it may be done."""
    return Approval(allowed=True)


def totals(trials: Sequence[Trial]) -> Totals:
    """Count a series."""
    return Totals(
        situations=len(trials),
        believed=sum(trial.believed for trial in trials),
        known=sum(trial.known for trial in trials),
    )


def line(trial: Trial) -> str:
    """One situation for a person; what is not as it should be comes with its reason."""
    marks = "BELIEVED" if trial.believed else trial.lie
    text = f"{trial.name}: {trial.lies}: {marks}; without the lie: {trial.truth}; {trial.seconds:g} s"
    return text if trial.known else f"{text}; {trial.truth_why}"


def summary(summed: Totals) -> str:
    """The series for a person."""
    return (
        f"{summed.believed} of {summed.situations} lies ended done; "
        f"without the lie {summed.known} of {summed.situations} ended as they should"
    )
