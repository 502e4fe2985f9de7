"""What it costs to repair a run: rewind and one sentence, against the whole task again with the same sentence in it.

Each case is a task that a real crew does with a real model, but for one reply: there the fault of the case is put in the
model's place. A person who watches stops the run, goes back to that reply and says one sentence. Tokens, calls and seconds
are counted from there to the end, and over all of the other run. Whether either is right is decided from the file.
"""

from __future__ import annotations

import csv
import json
import random
import re
import secrets
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import anyio

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.describe import CONTROLS
from deskcrew.errors import UsageError
from deskcrew.facts.events import Event, Judged, RoleReplied
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, Malformed, Model, Profile, T
from deskcrew.models.replies import read_reply
from deskcrew.settings import Settings
from deskcrew_bench.sending_back import send_back
from deskcrew_bench.series import kept

Kind = Literal["wrong plan", "wrong role", "wrong control", "wrong file", "misread value"]
KINDS: tuple[Kind, ...] = ("wrong plan", "wrong role", "wrong control", "wrong file", "misread value")
MONTHS = ("january", "february", "march", "april", "may", "june")
PEOPLE = ("Ada", "Bert", "Carla", "Dmitri", "Elif", "Farid")
PARTS = 5
"""Figures that a task has computed; the last is the one that is written."""
WATCHED = 600.0
"""Seconds after which a run is given up."""

Spoil = Callable[[dict[str, Any], str], dict[str, Any]]
"""Makes of a reply to a prompt, given as text, the faulty one."""


@dataclass(frozen=True, slots=True)
class Case:
    """One task and its fault. ``part``: words of the part whose reply is spoiled, '' for any; asked of ``role``.

    ``noticed``: the role in whose next reply a person sees it, and which is rejected. ``say``: what the person says of it;
    ``switch``: whom they have asked instead.
    """

    name: str
    kind: Kind
    task: str
    tables: dict[str, list[tuple[str, int]]]
    out: str
    expected: str
    role: str
    part: str
    spoil: Spoil
    noticed: str
    say: str
    switch: str | None = None

    def furnish(self, folder: Path) -> None:
        """Write the case's tables into an empty workspace."""
        for name, rows in self.tables.items():
            with (folder / name).open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(("person", "amount"))
                writer.writerows(rows)

    def right(self, folder: Path) -> bool:
        """Whether the file says what it should, and nothing else."""
        path = folder / self.out
        return path.is_file() and path.read_text(encoding="utf-8", errors="replace").strip() == self.expected


def cases(count: int = 15) -> list[Case]:
    """The cases, the same ones every time: all kinds in turn."""
    return [_case(number, KINDS[number % len(KINDS)]) for number in range(count)]


def _case(number: int, kind: Kind) -> Case:
    chance = random.Random(1000 + number)
    months, people = chance.sample(MONTHS, PARTS), chance.sample(PEOPLE, PARTS)
    tables = {f"{month}.csv": _rows(chance, people) for month in months}
    month, who = months[-1], people[-1]
    amount = sum(value for name, value in tables[f"{month}.csv"] if name == who)
    quote = f"{who} in {month.capitalize()}:"
    out = f"{chance.choice(('report', 'note', 'summary'))}-{chance.randint(10, 99)}.txt"
    goal = "Work out with Python the total of the amount column in {}.csv for the person {}."
    computing = [goal.format(*pair) for pair in zip(months, people, strict=True)]
    writing = f'Then open the text editor, write "{quote}" followed by the total, and save it as {out}.'
    wrong = sum(value for name, value in tables[f"{months[-2]}.csv"] if name == people[-2])
    fault = _fault(kind, _Facts(month, months[-2], who, quote, amount, wrong, out))
    return Case(
        name=f"{number + 1}: {kind}",
        kind=kind,
        task=" ".join((*computing, writing)),
        tables=tables,
        out=out,
        expected=f"{quote} {amount}",
        **fault,
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """Of the task's last figure: where it stands, and the table that is taken for it; ``wrong``: the figure before it."""

    month: str
    other: str
    who: str
    quote: str
    amount: int
    wrong: int
    out: str


def _rows(chance: random.Random, people: Sequence[str]) -> list[tuple[str, int]]:
    rows = [(person, chance.randint(3, 97)) for person in people for _ in range(2)]
    chance.shuffle(rows)
    return rows


def _fault(kind: Kind, facts: _Facts) -> dict[str, Any]:
    """The reply that is spoiled, how, who shows it, and what a person says of it."""
    write = f'write "{facts.quote}"'
    match kind:
        case "wrong plan":
            say = f'The plan leaves out the saving. Write "{facts.quote}" and the total, then save it as {facts.out}.'
            told = {"role": "Planner", "part": "", "spoil": _forgetting, "noticed": "Operator", "say": say}
            return told | {"switch": "Planner"}
        case "wrong role":
            say = f"This is the Operator's: {write} and the total."
            spoil = _planned_for(7, "FileManager")
            told = {"role": "Planner", "part": "", "spoil": spoil, "noticed": "FileManager", "say": say}
            return told | {"switch": "Operator"}
        case "wrong control":
            say = f'Type "{facts.quote}" and the total into the text area; click nothing before.'
            return {"role": "Operator", "part": write, "spoil": _clicking_elsewhere, "noticed": "Operator", "say": say}
        case "wrong file":
            say = f"Use {facts.month}.csv, not {facts.other}.csv."
            part = f"{facts.month}.csv for the person {facts.who}"
            spoil = _computed(f"{facts.other}.csv", facts.who)
            return {"role": "Programmer", "part": part, "spoil": spoil, "noticed": "Programmer", "say": say}
        case "misread value":
            say = f"The amounts stand in {facts.month}.csv; the figure you printed is made up."
            part = f"{facts.month}.csv for the person {facts.who}"
            spoil = _doing({"function": "run_python_code", "code": f"print({facts.wrong})"})
            return {"role": "Programmer", "part": part, "spoil": spoil, "noticed": "Programmer", "say": say}


def _computed(file: str, person: str) -> Spoil:
    lines = ("import csv", f"rows = csv.DictReader(open('{file}'))")
    code = "\n".join((*lines, f"print(sum(int(row['amount']) for row in rows if row['person'] == '{person}'))"))
    return _doing({"function": "run_python_code", "code": code})


def _doing(operation: dict[str, Any]) -> Spoil:
    return lambda reply, _: reply | {"operations": [operation], "branch": "RoleTaskFinish"}


def _clicking_elsewhere(reply: dict[str, Any], prompt: str) -> dict[str, Any]:
    """A click on the first button or menu of the screen that does not save."""
    screen = prompt.rpartition(CONTROLS)[2]
    label = next(m[1] for m in re.finditer(r'^(\S+) (?:menu button|button|menu) "(?!Save)', screen, re.MULTILINE))
    return _doing({"function": "click_input", "control": label})(reply, prompt)


def _forgetting(reply: dict[str, Any], _: str) -> dict[str, Any]:
    """A plan whose last step is nobody's."""
    last = list(reply)[-1]
    return reply | {last: "nobody"}


def _planned_for(number: int, role: str) -> Spoil:
    """A plan whose step of that number is another agent's."""
    return lambda reply, _: {name: role if name.split()[0] == str(number) else who for name, who in reply.items()}


class Faulty:
    """A model that answers one call of a role with the fault, and all others itself."""

    def __init__(self, inner: Model, case: Case) -> None:
        self._inner = inner
        self._case = case
        self.spoiled = False

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def profile(self) -> Profile:
        return self._inner.profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """The model's own answer, but for the one reply of the case: that costs what the model's own did."""
        answer = await self._inner.answer(call, type)
        part = call.text().rpartition("Your part:")[2]
        if (
            self.spoiled
            or call.role != self._case.role
            or self._case.part not in part
            or isinstance(answer.value, Malformed)
        ):
            return answer
        own = answer.value.model_dump(mode="json", by_alias=True, exclude_unset=True)
        raw = json.dumps(self._case.spoil(_bare(own), call.text()))
        value = read_reply(raw, type)
        if isinstance(value, Malformed):
            raise UsageError(f"The fault of case {self._case.name} is no reply here: {value.error}")
        self.spoiled = True
        return Answer(value, raw, answer.model, answer.seconds, answer.usage, answer.retries)

    async def close(self) -> None:
        """The model belongs to whoever made it."""


def _bare(reply: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reply.items() if name not in ("operations", "branch", "problem")}


class Side(Frozen):
    """What one way took. ``good``: the run ended done and the file is right."""

    good: bool
    outcome: str
    tokens: int
    calls: int
    seconds: float
    why: str = ""


UNREACHED = Side(good=False, outcome="ended before its fault was seen", tokens=0, calls=0, seconds=0.0)


class Trial(Frozen):
    """One case, both ways. ``run``: that of the repair."""

    case: str
    kind: str
    run: str
    repair: Side
    anew: Side


def finished(path: Path) -> dict[str, Trial]:
    """The trials that ``path`` holds, by case. Raises UsageError for a file of another kind."""
    return {trial.case: trial for trial in kept(path, Trial, command="deskcrew bench repair")}


async def attempt(case: Case, settings: Settings, model: Model, *, crew: str = "planned") -> Trial:
    """Do a case both ways. Raises UsageError when the fault is no reply that this model could give."""
    folder = _folder(case, settings)
    run, reached = await _until_fault(case, settings, model, folder, crew)
    repair = await _repair(case, settings, model, folder, run) if reached else UNREACHED
    anew_in = _folder(case, settings)
    request = RunRequest(task=f"{case.task} {case.say}", crew=crew, workspace=anew_in, limits=settings.limits, seed=1)
    began = time.perf_counter()
    with anyio.move_on_after(WATCHED):
        await session.run(request, settings, model=model)
    journal = Store.of(settings).journal("last")
    anew = _side(journal, journal.events, time.perf_counter() - began, case.right(anew_in))
    return Trial(case=case.name, kind=case.kind, run=run, repair=repair, anew=anew)


async def _until_fault(case: Case, settings: Settings, model: Model, folder: Path, crew: str) -> tuple[str, bool]:
    """The run with the fault, stopped as soon as what it did has been judged: its id, and whether it came so far."""
    faulty = Faulty(model, case)
    request = RunRequest(task=case.task, crew=crew, workspace=folder, limits=settings.limits, seed=1)
    noticed: list[Event] = []
    with anyio.move_on_after(WATCHED) as scope:

        def watch(event: Event, journal: Journal) -> None:
            if faulty.spoiled and isinstance(event.body, RoleReplied) and event.body.role == case.noticed:
                noticed.append(event)
            if noticed and isinstance(event.body, Judged):
                scope.cancel()

        await session.run(request, settings, model=faulty, watch=watch)
    return Store.of(settings).journal("last").run, bool(noticed)


async def _repair(case: Case, settings: Settings, model: Model, folder: Path, run: str) -> Side:
    journal = Store.of(settings).journal(run)
    replies = [event for event in journal.events if isinstance(event.body, RoleReplied)]
    wrong = next(event for event in reversed(replies) if event.body.role == case.noticed)  # type: ignore[union-attr]
    began = time.perf_counter()
    start = send_back(journal, wrong, folder, say=case.say, switch=case.switch)
    with anyio.move_on_after(WATCHED):
        await session.resume(run, settings, model=model)
    journal = Store.of(settings).journal(run)
    return _side(journal, journal.since(start), time.perf_counter() - began, case.right(folder))


def _folder(case: Case, settings: Settings) -> Path:
    folder = settings.data / "workspaces" / f"repair-{secrets.token_hex(4)}"
    folder.mkdir(parents=True)
    case.furnish(folder)
    return folder


def _side(journal: Journal, events: Sequence[Event], seconds: float, right: bool) -> Side:
    replies = model_replies(events)
    outcome = journal.state.outcome
    return Side(
        good=right and outcome is not None and outcome.status == "done",
        outcome=outcome.status if outcome else "no end",
        tokens=sum((reply.usage.input or 0) + (reply.usage.output or 0) for reply in replies),
        calls=len(replies),
        seconds=round(seconds, 1),
        why=outcome.why if outcome else "",
    )


class Totals(Frozen):
    """Medians of repair / anew over the cases that ended well both ways; None where there is none. Counts of successes."""

    cases: int
    repaired: int
    anew: int
    tokens: float | None
    calls: float | None
    seconds: float | None


def totals(trials: Sequence[Trial]) -> Totals:
    """Add up a series."""
    both = [trial for trial in trials if trial.repair.good and trial.anew.good]

    def ratio(of: Callable[[Side], float]) -> float | None:
        ratios = [of(trial.repair) / of(trial.anew) for trial in both if of(trial.anew)]
        return round(statistics.median(ratios), 3) if ratios else None

    return Totals(
        cases=len(trials),
        repaired=sum(trial.repair.good for trial in trials),
        anew=sum(trial.anew.good for trial in trials),
        tokens=ratio(lambda side: side.tokens),
        calls=ratio(lambda side: side.calls),
        seconds=ratio(lambda side: side.seconds),
    )


def line(trial: Trial) -> str:
    """One case for a person."""
    return f"{trial.case}: mended {_words(trial.repair)}; anew {_words(trial.anew)} [{trial.run}]"


def _words(side: Side) -> str:
    good = "done and right" if side.good else f"{side.outcome}, not right"
    return f"{good}, {side.tokens} tokens, {side.calls} calls, {side.seconds:g} s"


def summary(summed: Totals) -> str:
    """The series for a person."""
    ratios = "no case ended well both ways"
    if summed.tokens is not None:
        ratios = f"median ratio mended / anew: tokens {summed.tokens:g}, calls {summed.calls:g}, seconds {summed.seconds:g}"
    return f"{summed.repaired} of {summed.cases} mended, {summed.anew} of {summed.cases} anew; {ratios}"
