"""Chores as a strong model does them: its replies are kept, and given again to every later version."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew, without_parts
from deskcrew.engine.roles.role import BUILTIN as ROLES
from deskcrew.engine.roles.role import load_roles
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models import profiles
from deskcrew.models.client import Answer, Call, Model, T
from deskcrew.models.recorded import RecordedModel, RecordedReply, keep, replies_in
from deskcrew.settings import Settings
from deskcrew_bench.desk.task import Task
from deskcrew_bench.suites.playing import CONSENT, NOTHING, PATIENCE
from deskcrew_bench.suites.trial import ended, run_of

LANGUAGES = ("en", "de", "es", "zh")
MODEL = "scripted:kept"
"""What the model of a run is called that kept replies are given to."""
UNASKED = frozenset[str]({"reviewer", "checker", "memory", "force-stop"})
"""Parts of a crew without which its other roles are asked for the same replies in the same order."""


class Player(RecordedModel):
    """Gives ``kept`` replies again, one after the other; where ``model`` is given it is asked instead, and what it replies
    is collected in ``said``. When what was ordered is read depends on the guard, so those replies are given whenever they
    are asked for."""

    def __init__(self, kept: Sequence[RecordedReply], model: Model | None) -> None:
        self.said: list[RecordedReply] = []
        self._model = model
        self._read = [each.reply for each in kept if each.role == CONSENT]
        work = [each for each in kept if each.role != CONSENT]
        if model is not None:
            super().__init__(work, name=model.name, profile=model.profile)
        else:
            super().__init__(work, name="kept", profile=profiles.find("recorded:kept").profile)

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if self._model is None:
            return await super().answer(call, type)
        answer = await self._model.answer(replace(call, deadline=PATIENCE), type)
        self.said.append(RecordedReply.to(call.text(), call.role, answer.raw))
        return answer

    def reply_to(self, call: Call) -> str:
        """The next of the kept replies, in the labels and numbers of the call's prompt. Raises ModelFailure."""
        if call.role == CONSENT:
            return self._read.pop(0) if self._read else NOTHING
        return super().reply_to(call)

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()


def kept_in(path: Path) -> tuple[RecordedReply, ...]:
    """What a strong model replied; () where none was asked yet."""
    return replies_in(path) if path.exists() else ()


class Trial(Frozen):
    """One chore in one language. ``wasted``: replies that could not be used, or of which no operation went well;
    ``tokens``: of all prompts, as the model counts them, or a fourth of their characters."""

    task: str
    crew: str
    model: str
    run: str
    right: bool
    said: str
    outcome: str
    why: str
    answer: str
    calls: int
    wasted: int
    tokens: int
    seconds: float

    @property
    def kind(self) -> str:
        """What it counts as."""
        if self.outcome == "done":
            return "right and said so" if self.right else "wrong and said to be done"
        return "right but not said so" if self.right else "wrong and not said to be done"


def replies_of(task: Task, crew: str, pool: bool = True, without: tuple[str, ...] = ()) -> Path:
    """Where the replies to a chore are kept; those of each crew, and of each with less, are its own."""
    left_out = "".join(f"-no-{part}" for part in (*(() if pool else ("pool",)), *without))
    return task.folder / f"replies.{crew}{left_out}.{task.language}.json"


def replies_to(task: Task, crew: str, pool: bool = True, without: tuple[str, ...] = ()) -> tuple[RecordedReply, ...]:
    """What is given to a crew: its own replies, else those to the whole crew without those of the roles that
    are left out, if nothing else is left out than some of :data:`UNASKED`; () where there are none."""
    own = replies_of(task, crew, pool, without)
    if own.exists() or not pool or not UNASKED.issuperset(without):
        return kept_in(own)
    whole = load_crew(crew, (CREWS,), load_roles((ROLES,)))
    silent = {*whole.members} - {*without_parts(whole, without).members}
    return tuple(each for each in kept_in(replies_of(task, crew)) if each.role not in silent)


async def attempt(
    task: Task,
    settings: Settings,
    *,
    crew: str,
    pool: bool = True,
    without: tuple[str, ...] = (),
    model: Model | None = None,
) -> Trial:
    """Do a chore by what is kept, or by ``model``, whose replies are then kept. Raises what the session raises."""
    player = Player(() if model is not None else replies_to(task, crew, pool, without), model)
    _, trial = await played(task, settings, crew=crew, pool=pool, without=without, player=player)
    if model is not None:
        keep(replies_of(task, crew, pool, without), player.said)
    return trial


async def played(
    task: Task, settings: Settings, *, crew: str, player: Player, pool: bool = True, without: tuple[str, ...] = ()
) -> tuple[Journal, Trial]:
    """Do a chore with ``player`` in every role. Raises what the session raises."""
    folder = settings.data / "workspaces" / f"strong-{task.name}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    made = task.make(1, folder)
    limits = task.limited(settings.limits.model_copy(update={"seconds": None}))
    request = RunRequest(
        task=made.instruction, model=MODEL, crew=crew, workspace=folder, seed=1, limits=limits,
        opened=made.apps, screen=made.screen, pool=pool, without=without,
    )  # fmt: skip
    began = time.perf_counter()
    journal = await run_of(request, settings, player)
    what = ended(journal)
    told = {"answer": what["answer"], "outcome": what["outcome"], "reason": what["reason"]}
    right, said = task.check(1, folder, **told, expected="")
    return journal, Trial(
        task=task.name, crew=crew, model=player.name, run=journal.run, right=right, said=said,
        outcome=what["outcome"], why=what["why"], answer=what["answer"], calls=what["calls"],
        wasted=_wasted(journal), tokens=what["input"] or 0, seconds=round(time.perf_counter() - began, 1),
    )  # fmt: skip


def _wasted(journal: Journal) -> int:
    malformed = sum(reply.reply is None for reply in model_replies(journal.events))
    return malformed + sum(not any(done.ok for done in turn.done) for turn in journal.state.turns if turn.done)


class Totals(Frozen):
    """A series of trials. ``calls``, ``tokens``: means of a chore."""

    trials: int
    kinds: Mapping[str, int]
    wasted: int
    calls: float
    tokens: float


def totals(trials: Sequence[Trial]) -> Totals:
    """What came of them."""
    count = len(trials) or 1
    kinds = [trial.kind for trial in trials]
    return Totals(
        trials=len(trials),
        kinds={kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        wasted=sum(trial.wasted for trial in trials),
        calls=round(sum(trial.calls for trial in trials) / count, 2),
        tokens=round(sum(trial.tokens for trial in trials) / count),
    )


def line(trial: Trial) -> str:
    """One line for a person."""
    why = f": {trial.why}" if trial.outcome != "done" and trial.why else ""
    wrong = "" if trial.right else f" - check: {trial.said}"
    wasted = f", {trial.wasted} of them wasted" if trial.wasted else ""
    return f"{trial.task}: {trial.kind} ({trial.outcome}{why}), {trial.calls} calls{wasted}, {trial.tokens} tokens{wrong}"


def summary(found: Totals) -> str:
    """The last line."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.kinds.items())
    return f"{found.trials} trials: {kinds}; {found.calls:g} calls and {found.tokens:g} tokens each, {found.wasted} wasted"
