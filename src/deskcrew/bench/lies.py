"""Situations in which something lies, done by a crew that believes it, and each again without the lie.

Engine, workspace, sandbox, desktop and programs are real, and so is what lies: a file that cannot be written, a server that
says no, a click that hits nothing. Only the model is scripted: it claims to be finished, answers with confidence and finds
every answer supported. No lie may end ``done``; what is true should.
"""

from __future__ import annotations

import itertools
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from deskcrew import session
from deskcrew.bench.sending_back import first_reply, send_back
from deskcrew.errors import UsageError
from deskcrew.events import RoleReplied
from deskcrew.human.questions import Approval, OperationQuestion
from deskcrew.human.responder import PythonResponder
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.observation import Frozen
from deskcrew.request import RunRequest
from deskcrew.settings import Settings

LIES_DONE = 0
"""How many lies may end ``done``."""
MISSED = 2
"""How many of the true ones may not be recognised."""
LONGEST = 120.0
"""Seconds after which a run is given up."""
AT = "@"
"""Before a control or program in a script: a pattern for what the prompt says of it, instead of its label or name."""

Operation = Mapping[str, Any]
Around = Callable[[Path], AbstractContextManager[object]]


def nothing_else(folder: Path) -> AbstractContextManager[object]:
    """A workspace in which only files lie, and no server stands beside it."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Part:
    """What the crew does in one run. ``steps``: the operations of each reply; after the last it only claims to be finished.

    ``says``: what it says it read. ``answer``: its answer to the task's question. ``files``: what is put into the workspace
    before. ``around``: what holds while it works, such as a server, or rights on a file. ``again``: what it does after a
    person sent it back to its first reply.
    """

    steps: tuple[tuple[Operation, ...], ...]
    answer: str = ""
    says: str = ""
    files: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    around: Around = nothing_else
    again: Part | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """One task, done with a lie and without. ``lies``: what is not as it seems; ``files``: what is there in both.

    ``provable``: whether checks can say of the true one that it is done. Where they see no more than that a file is there,
    it must end ``unverified``, and the lie must still be told from it.
    """

    name: str
    lies: str
    task: str
    lie: Part
    truth: Part
    files: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    desktop: bool = False
    network: bool = False
    provable: bool = True


class Trial(Frozen):
    """How one situation ended. ``lie`` and ``truth``: outcomes, with the reasons they give."""

    name: str
    lies: str
    desktop: bool
    lie: str
    lie_why: str
    truth: str
    truth_why: str
    seconds: float
    provable: bool = True

    @property
    def believed(self) -> bool:
        return self.lie == "done"

    @property
    def known(self) -> bool:
        """Whether what is true was recognised: as done, or, where nothing can prove it, as more than the lie."""
        return self.truth == "done" if self.provable else (self.lie, self.truth) == ("failed", "unverified")


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
    from deskcrew.bench.lies_on_files import ON_FILES
    from deskcrew.bench.lies_on_screen import ON_SCREEN

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
    lie, lie_why = await _played(situation, situation.lie, settings)
    truth, truth_why = await _played(situation, situation.truth, settings)
    return Trial(
        name=situation.name,
        lies=situation.lies,
        desktop=situation.desktop,
        lie=lie,
        lie_why=lie_why,
        truth=truth,
        truth_why=truth_why,
        seconds=round(time.perf_counter() - began, 1),
        provable=situation.provable,
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
    )
    crew = Believer(part)
    with part.around(folder), anyio.move_on_after(LONGEST):
        journal = await session.run(request, settings, model=crew, human=PythonResponder(operation=_allow))
        if part.again is not None:
            await _again(journal.run, part.again, folder, settings)
    journal = Store(settings.journal).journal("last")
    misfits = [event.body.error for event in journal.events if isinstance(event.body, RoleReplied) and event.body.error]
    if crew.left or misfits:
        # A lie that was never told is not one that was seen through.
        raise UsageError(f"Situation {situation.name} could not be played: {misfits or 'it ended too early'}.")
    outcome = journal.state.outcome
    return (outcome.status, outcome.why) if outcome else ("no end", f"given up after {LONGEST:g} seconds")


async def _again(run: str, part: Part, folder: Path, settings: Settings) -> None:
    """Send the crew back to its first reply, and have it go on from there."""
    journal = Store(settings.journal).journal(run)
    first = first_reply(journal)
    assert first is not None
    send_back(journal, first, folder, say="Look again, more carefully.")
    await session.resume(run, settings, model=Believer(part), human=PythonResponder(operation=_allow))


async def _allow(question: OperationQuestion) -> Approval:
    """A person who lets everything pass: what is asked here is not whether it may be done."""
    return Approval(allowed=True)


class Believer(ScriptedModel):
    """A crew that does its steps, claims to be finished and finds everything supported."""

    def __init__(self, part: Part, *, name: str = "scripted") -> None:
        super().__init__(itertools.repeat(self._reply), name=name)
        self.part = part
        self.left = list(part.steps)

    def _reply(self, call: Call) -> Reply:
        if call.role == "FinalAnswer":
            return {"answer": self.part.answer, "sources": facts(call), "branch": "Continue"}
        if call.role == "SupportJudge":
            return {"why": "It says so.", "supported": True}
        operations = [aimed(operation, call) for operation in self.left.pop(0)] if self.left else []
        if self.left:
            return {"operations": operations, "branch": "Continue"}
        return {"operations": operations, "information": self.part.says, "branch": "RoleTaskFinish"}


def facts(call: Call) -> list[str]:
    """Numbers of facts in the prompt: all are cited. Where there is none, one that is not there."""
    told = call.text("volatile").partition("Facts:")[2]
    return re.findall(r"^(\d+): ", told, flags=re.MULTILINE)[:5] or ["1"]


def aimed(operation: Operation, call: Call) -> Operation:
    """The operation with the name of the program, or the label of the control, that its pattern fits."""
    made = dict(operation)
    for name, line in (("app_name", r"(?:^Programs: |, )([^,\n]*{}[^,\n]*)"), ("control", r"^(\S+) {}")):
        pattern = str(operation.get(name) or "")
        if not pattern.startswith(AT):
            continue
        found = re.search(line.format(pattern[len(AT) :]), call.text("task", "volatile"), flags=re.MULTILINE)
        if found is None:
            raise UsageError(f"Nothing on this desktop fits {pattern!r}.", hint="`deskcrew doctor` says what is missing.")
        made[name] = found.group(1)
    return made


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
