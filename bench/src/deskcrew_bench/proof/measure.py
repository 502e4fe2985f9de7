"""A chore done by perfect operations, or by some with one thing wrong, on the real engine: what does the run say of it?

The plan and the operations are the chore's own. What must hold and whether it does is said by the roles that say it in any
run; their replies are those of a strong model, kept beside the chore, or come from a model that is named.
"""

from __future__ import annotations

import itertools
import secrets
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.facts.events import ActionFinished, Proved
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Model
from deskcrew.settings import Settings
from deskcrew_bench.proof.chore import Chore
from deskcrew_bench.proof.mutants import mutants, whole
from deskcrew_bench.suites.playing import Player, Replies


class Trial(Frozen):
    """How one run ended. ``wrong``: what the chore's own check says, '' where it is right. ``calls``: of the roles that
    say whether the work is right, and their prompts' ``tokens`` (a fourth of the letters), beside ``work_tokens`` of all
    others; ``proving``: seconds that it took to look, without those of a model; ``asked``: roles for which no reply was
    kept."""

    chore: str
    mutant: str = ""
    status: str
    wrong: str
    why: str = ""
    verified_by: str = ""
    calls: int = 0
    tokens: int = 0
    work_tokens: int = 0
    proving: float = 0.0
    seconds: float = 0.0
    asked: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What it counts as."""
        if self.status == "done":
            return "done and wrong" if self.wrong else "done and right"
        if self.wrong:
            return "not done and wrong"
        return "right but unverified" if self.status == "unverified" else "right but refused"


class ChorePlayer(Player):
    """A model that plays a chore with ``code``, and answers with the last line that this printed."""

    def __init__(self, code: str, replies: Replies, model: Model | None = None) -> None:
        super().__init__(replies, model, name="scripted:chore")
        self.code = code
        self._turns = 0
        self._plans = 0

    def part(self, call: Call) -> Any:
        match call.role:
            case "Planner":
                self._plans += 1
                return {"subtasks": [{"goal": f"Do the task ({self._plans})", "role": "Programmer"}]}
            case "Programmer":
                self._turns += 1
                if self._turns == 1:
                    operation = {"function": "run_python_code", "code": self.code}
                    return {"operations": [operation], "branch": "Continue"}
                if self._turns == 2:
                    return {"operations": [], "branch": "RoleTaskFinish"}
                return {"operations": [], "branch": "Interrupt", "problem": "all that could be done was done"}
            case "FinalAnswer":
                told = [line.partition(": ") for line in call.text("volatile").splitlines()]
                facts = [text for number, _, text in told if number.isdigit() and text.strip()]
                answer = facts[-1].strip() if facts else "nothing"
                return {"answer": answer, "sources": [], "branch": "Continue", "problem": ""}
            case _:
                return {}


async def attempt(
    chore: Chore, settings: Settings, *, code: str = "", mutant: str = "", model: Model | None = None, keep: bool = False
) -> Trial:
    """Do a chore with ``code``, its oracle's where none is given. ``keep``: the replies of ``model`` beside the chore."""
    place = settings.data / "workspaces" / f"{chore.name}-{secrets.token_hex(4)}"
    start, end = place / "start", place / "end"
    for folder in (start, end):
        folder.mkdir(parents=True)
        chore.set_up(folder)
    player = ChorePlayer(code or chore.oracle, {} if keep else chore.replies(), model)
    request = RunRequest(task=chore.task, model="scripted:chore", crew="planned", workspace=end, desktop="none")
    began = time.perf_counter()
    try:
        journal = await session.run(request, settings, model=player)
        shutil.rmtree(end / ".trash", ignore_errors=True)
        outcome = journal.state.outcome
        assert outcome is not None, "a run ends with an outcome"
        wrong = chore.wrong(start, end, outcome.answer or _printed(journal) if chore.answer else "")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    if keep:
        chore.keep(player.said)
    return Trial(
        chore=chore.name,
        mutant=mutant,
        status=outcome.status,
        wrong=wrong,
        why=outcome.why,
        verified_by=outcome.verified_by or "",
        calls=len(player.calls),
        tokens=sum(len(call.text()) // 4 for call in player.calls),
        work_tokens=sum(len(call.text()) // 4 for call in player.working),
        proving=_proving(journal),
        seconds=round(time.perf_counter() - began, 2),
        asked=tuple(player.asked),
    )


def _proving(journal: Journal) -> float:
    """Seconds that looking whether all of it holds took, after whatever was said last."""
    pairs = itertools.pairwise(journal.events)
    return round(sum(new.header.time - old.header.time for old, new in pairs if isinstance(new.body, Proved)), 3)


def _printed(journal: Journal) -> str:
    texts = [event.body.text for event in journal.events if isinstance(event.body, ActionFinished) and event.body.text]
    return texts[-1].strip().splitlines()[-1] if texts and texts[-1].strip() else ""


def wrong_ones(chore: Chore, most: int) -> Iterable[tuple[str, str]]:
    """Mutants of a chore's oracle: at most ``most`` of those with one thing wrong in them, spread over all that there are
    (0: all), and what may go wrong besides."""
    every = list(mutants(chore.oracle))
    step = max(1, -(-len(every) // most)) if most else 1
    return itertools.chain(itertools.islice(every, 0, None, step), whole(chore.oracle))


class Cost(BaseModel):
    """What it cost to say that work is right, in the runs in which this many calls were made for it. Medians."""

    calls: int
    trials: int
    share: float
    """Its prompts' tokens as a part of those of the work."""
    seconds: float
    """For looking, without a model."""


class Totals(BaseModel):
    """A series of trials."""

    trials: int
    kinds: dict[str, int]
    calls: float
    seconds: float
    costs: list[Cost]
    """Of those that ended done, by the number of calls."""


def totals(trials: Sequence[Trial]) -> Totals:
    """What came of them."""
    count = len(trials) or 1
    return Totals(
        trials=len(trials),
        kinds=dict(Counter(trial.kind for trial in trials)),
        calls=round(sum(trial.calls for trial in trials) / count, 2),
        seconds=round(sum(trial.seconds for trial in trials) / count, 2),
        costs=_costs([trial for trial in trials if trial.status == "done" and trial.work_tokens]),
    )


def _costs(trials: Sequence[Trial]) -> list[Cost]:
    by_calls = {calls: [each for each in trials if each.calls == calls] for calls in sorted({t.calls for t in trials})}
    return [
        Cost(
            calls=calls,
            trials=len(some),
            share=round(statistics.median(each.tokens / each.work_tokens for each in some), 2),
            seconds=statistics.median(each.proving for each in some),
        )
        for calls, some in by_calls.items()
    ]


def line(trial: Trial) -> str:
    """One line for a person."""
    what = f"{trial.chore}{f' ({trial.mutant})' if trial.mutant else ''}"
    wrong = f" - check: {trial.wrong}" if trial.wrong else ""
    return f"{what}: {trial.kind} ({trial.status}{f': {trial.why}' if trial.status != 'done' else ''}){wrong}"


def summary(found: Totals) -> str:
    """The last line."""
    kinds = ", ".join(f"{count} {kind} ({count / (found.trials or 1):.0%})" for kind, count in sorted(found.kinds.items()))
    costs = "".join(
        f"\n  by {cost.calls} calls: {cost.trials}, prompts {cost.share:.0%} of the work's, {cost.seconds * 1000:.0f} ms"
        for cost in found.costs
    )
    return f"{found.trials} trials: {kinds}; {found.calls:g} calls and {found.seconds:g} s each{costs}"
