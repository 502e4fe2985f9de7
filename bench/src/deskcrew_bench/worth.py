"""What a part of a crew is worth: kept runs of a strong model, one reply of each altered by a program, gone on with by a
model that knows nothing of that, with the part and without it.

Whether the result is right is decided by the chore's own program. A run of which nothing was altered shows false alarms.
"""

from __future__ import annotations

import ast
import json
import math
import re
import secrets
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import Crew, load_crew, without_parts, without_pool
from deskcrew.engine.roles.role import BUILTIN as ROLES
from deskcrew.engine.roles.role import load_roles
from deskcrew.errors import ModelFailure, UsageError
from deskcrew.facts.events import Event, FaultFound, Judged, RoleReplied
from deskcrew.facts.json_values import JsonObject, JsonValue, is_object, list_in
from deskcrew.facts.observation import Frozen
from deskcrew.facts.verdict import Branch
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import touched
from deskcrew.models import profiles
from deskcrew.models.client import Answer, Call, Model, T
from deskcrew.models.recorded import RecordedModel, RecordedReply
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from deskcrew_bench.desk.strong import MODEL, replies_to
from deskcrew_bench.desk.task import Task
from deskcrew_bench.series import kept
from deskcrew_bench.suites.playing import CONSENT, NOTHING, PATIENCE
from deskcrew_bench.suites.trial import ended, run_of

Kind = Literal[
    "nothing", "wrong agent", "wrong value", "step left out", "false claim", "false impossible", "needless replan"
]
KINDS: tuple[Kind, ...] = (
    "nothing", "wrong agent", "wrong value", "step left out", "false claim", "false impossible", "needless replan"
)  # fmt: skip
Part = Literal["backtracker", "reviewer", "checker", "scheduler", "planner", "memory", "pool", "contract"]
PARTS: tuple[Part, ...] = ("backtracker", "reviewer", "checker", "scheduler", "planner", "memory", "pool", "contract")
"""The checker is a mentor, a critic, or who appeals, as its crew has it."""
Arm = Literal["with", "without", "anew"]
ARMS: tuple[Arm, ...] = ("with", "without", "anew")
"""``anew``, of the backtracker alone: whatever is wrong, the work begins again with its first reply."""
Key = tuple[str, str, str, Part, Arm, Kind]
"""Chore, language, crew, part, arm and fault."""
ROLE = "Backtracker"
SAID = frozenset({"ContractWriter", "Verifier", "Reader"})
"""Whom nobody asks without a contract."""
LONGEST = 600
"""The maximum characters of guidance."""
LEAST = 10
"""The smallest number that a wrong value is made of: smaller ones are places and counts as often as data."""


@dataclass(frozen=True, slots=True)
class Case:
    """One altered run. ``replies``: up to the altered one, which is the last of them."""

    task: Task
    crew: str
    part: Part
    arm: Arm
    kind: Kind
    replies: tuple[RecordedReply, ...]

    @property
    def key(self) -> Key:
        return self.task.name, self.task.language, self.crew, self.part, self.arm, self.kind


class Trial(Frozen):
    """What came of a case. ``caught``: a judge, a proof or a rule found something wrong afterwards; ``calls`` and
    ``characters``: of the model that went on; ``changed``: files that are other than before the run; ``apart``: the kept
    replies did not lead to the altered one, so that it says nothing."""

    task: str
    language: str
    crew: str
    part: Part
    arm: Arm
    kind: Kind
    run: str
    right: bool
    outcome: str
    why: str = ""
    caught: bool = False
    back: int = 0
    calls: int = 0
    characters: int = 0
    changed: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    apart: bool = False

    @property
    def key(self) -> Key:
        return self.task, self.language, self.crew, self.part, self.arm, self.kind


def altered(kind: Kind, reply: JsonObject, agents: Sequence[str]) -> JsonObject | None:
    """The reply with this fault, None where it can have none. ``agents``: whom a plan or a schedule may name."""
    match kind:
        case "nothing":
            return reply
        case "wrong agent":
            return _reassigned(reply, agents)
        case "wrong value":
            return _changed(reply, _next)
        case "step left out":
            return _shorter(reply)
        case "false claim":
            named = reply.get("operations") and {"operations": [], "branch": str(Branch.ROLE_TASK_FINISH)}
        case "false impossible":
            named = reply.get("operations") and {
                "operations": [],
                "branch": str(Branch.UNANSWERABLE),
                "problem": "What is needed for this is not here.",
            }
        case "needless replan":
            named = reply.get("verdict") in ("accept", "continue") and {
                "verdict": "replan" if reply["verdict"] == "accept" else "repair",
                "why": "This should be done in another way.",
            }
    return {**reply, **named} if isinstance(named, dict) else None


def _reassigned(reply: JsonObject, agents: Sequence[str]) -> JsonObject | None:
    """Its first assignment is another agent's."""
    for name in ("assignments", "subtasks"):
        given = list_in(reply.get(name))
        first = given[0] if given else None
        if is_object(first) and first.get("role") in agents:
            others = [agent for agent in agents if agent != first["role"]]
            other: JsonObject = {**first, "role": others[0]} if others else {}
            changed: list[JsonValue] = [other, *given[1:]]
            return {**reply, name: changed} if others else None
    return None


def _changed(reply: JsonObject, change: Callable[[str], str | None]) -> JsonObject | None:
    """An operation's text is another: of the first that can be."""
    operations = [dict(each) for each in list_in(reply.get("operations")) if is_object(each)]
    for operation in operations:
        for name in ("text", "keys", "code", "command"):
            text = operation.get(name)
            if isinstance(text, str) and (other := change(text)) is not None:
                operation[name] = other
                changed: list[JsonValue] = [*operations]
                return {**reply, "operations": changed}
    return None


def _next(text: str) -> str | None:
    """The other end of what a program sorts or chooses from; of another text, the last number of data in it is one more."""
    turned = re.sub(r"\breverse=(True|False)\b", lambda found: f"reverse={found[1] != 'True'}", text, count=1)
    if turned == text:
        turned = re.sub(r"\b(max|min)\(", lambda found: "min(" if found[1] == "max" else "max(", text, count=1)
    if turned == text:
        numbers = [found for found in re.finditer(r"(?<![\w.#])\d+(?![\w.])", text) if int(found[0]) >= LEAST]
        for last in numbers[-1:]:
            turned = f"{text[: last.start()]}{int(last[0]) + 1}{text[last.end() :]}"
    return turned if turned != text else None


def _shorter(reply: JsonObject) -> JsonObject | None:
    """The last of several operations or subtasks is left out, or the last statement of a program."""
    for name in ("operations", "subtasks"):
        given = list_in(reply.get(name))
        if len(given) > 1:
            return {**reply, name: given[:-1]}
    return _changed(reply, _without_end)


def _without_end(code: str) -> str | None:
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    if len(tree.body) < 4:
        return None
    tree.body.pop()
    return ast.unparse(tree)


class Continuing(RecordedModel):
    """Gives the replies of a case, and has ``model`` go on from there."""

    def __init__(self, case: Case, consents: Iterable[str], model: Model) -> None:
        profile = profiles.find("recorded:kept").profile
        self.case, self.model, self.begun, self.apart = case, model, not case.replies, False
        self.asked, self.characters = 0, 0
        self._ahead, self._read = len(case.replies), list(consents)
        profile = profile.model_copy(update={"contracts": case.part != "contract" or case.arm != "without"})
        super().__init__(case.replies, name="kept", profile=profile)

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Raises what the model raises, and ModelFailure where the kept replies do not lead to the altered one."""
        if not self.begun:
            try:
                raw = (self._read.pop(0) if self._read else NOTHING) if call.role == CONSENT else self.reply_to(call)
            except ModelFailure:
                self.apart = True
                raise
            self._ahead -= call.role != CONSENT
            self.begun = self._ahead == 0
        elif self.case.arm == "anew" and call.role == ROLE:
            return await ScriptedModel([_first_of(call)], name=self.name, profile=self.profile).answer(call, type)
        else:
            answer = await self.model.answer(replace(call, deadline=PATIENCE), type)
            self.asked += 1
            self.characters += len(call.text()) + len(answer.raw)
            return answer
        return await ScriptedModel([raw], name=self.name, profile=self.profile).answer(call, type)

    async def close(self) -> None:
        """The model belongs to whoever made it."""


def _first_of(call: Call) -> JsonObject:
    """Back to the first reply that there is a way to, with what was wrong."""
    shown = call.text("volatile")
    wrong, _, trail = shown.partition("\nThe replies:\n")
    lines = (line for line in trail.splitlines() if re.match(r"\d+ \w+:", line))
    first = next(lines, "").split(" ")[0]
    return {"why": "All of it again.", "reply": first or "none", "guidance": wrong[:LONGEST] if first else ""}


def cases(
    tasks: Sequence[Task], crews: Sequence[str], parts: Sequence[Part], kinds: Sequence[Kind]
) -> Iterator[tuple[Case, tuple[str, ...]]]:
    """All cases of these, each with what was replied of consents: of crews that have the part, and replies without it."""
    for task in tasks:
        for name in crews:
            for part in parts:
                arms = ARMS if part == "backtracker" else ARMS[:2]
                if not _has(_crew(name, part, "with"), part):
                    continue
                said: dict[Arm, tuple[RecordedReply, ...]] = {arm: _kept(task, name, part, arm) for arm in arms}
                for kind in kinds:
                    found: dict[Arm, tuple[RecordedReply, ...] | None] = {
                        arm: _altered(kind, said[arm], _crew(name, part, arm).pool) for arm in arms
                    }
                    for arm, replies in found.items():
                        if replies is not None and None not in found.values():
                            consents = tuple(each.reply for each in said[arm] if each.role == CONSENT)
                            yield Case(task, name, part, arm, kind, replies), consents


def _has(crew: Crew, part: Part) -> bool:
    match part:
        case "reviewer" | "checker" | "scheduler" | "planner":
            return bool(getattr(crew, part))
        case "pool":
            return bool(crew.planner)
        case _:
            return True


def _kept(task: Task, crew: str, part: Part, arm: Arm) -> tuple[RecordedReply, ...]:
    """What is kept of a crew with the part, or without it; () where nothing is."""
    if arm != "without" or part in ("backtracker", "contract"):
        said = replies_to(task, crew)
        return said if arm != "without" or part != "contract" else tuple(each for each in said if each.role not in SAID)
    if part == "pool":
        return replies_to(task, crew, pool=False)
    return replies_to(task, crew, without=(part,))


def _crew(name: str, part: Part, arm: Arm) -> Crew:
    crew = load_crew(name, (CREWS,), load_roles((ROLES,)))
    if arm != "without" or part in ("backtracker", "contract"):
        return crew
    return without_pool(crew) if part == "pool" else without_parts(crew, [part])


def _altered(kind: Kind, said: Sequence[RecordedReply], agents: Sequence[str]) -> tuple[RecordedReply, ...] | None:
    """The replies up to the altered one: of those that can have such a fault the middle one. Where nothing is altered,
    the contract and what is begun with."""
    work = [each for each in said if each.role != CONSENT]
    if kind == "nothing":
        return tuple(work[:2]) or None
    able: list[tuple[RecordedReply, ...]] = []
    for at, each in enumerate(work):
        other = altered(kind, json.loads(each.reply), agents)
        if other is not None:
            able.append((*work[:at], each.model_copy(update={"reply": json.dumps(other, ensure_ascii=False)})))
    return able[len(able) // 2] if able else None


async def attempt(case: Case, consents: Sequence[str], settings: Settings, model: Model) -> Trial:
    """Go on with a case. Raises what the session raises for a mistake of the person's."""
    task, name = case.task, f"worth-{case.task.name}-{secrets.token_hex(3)}"
    folder = settings.data / "workspaces" / name
    folder.mkdir(parents=True)
    made = task.make(1, folder)
    player = Continuing(case, consents, model)
    backs = case.part == "backtracker"
    left_out = () if case.arm != "without" or case.part in ("pool", "contract") else (case.part,)
    request = RunRequest(
        task=made.instruction, model=MODEL, crew=case.crew, workspace=folder, seed=1, opened=made.apps, screen=made.screen,
        limits=task.limited(settings.limits.model_copy(update={"seconds": None})),
        pool=not (case.part == "pool" and case.arm == "without"), without=left_out,
    )  # fmt: skip
    since: list[int] = []

    def watch(event: Event, _: Journal) -> None:
        if player.begun and not since and isinstance(event.body, RoleReplied):
            since.append(event.number)

    journal = await run_of(request, _going_back(settings, case.crew) if backs else settings, player, watch)
    what = ended(journal)
    told = {"answer": what["answer"], "outcome": what["outcome"], "reason": what["reason"]}
    right, _ = task.check(1, folder, **told, expected="")
    after = [event.body for event in journal.all if since and event.number > since[0]]
    outcome = journal.state.outcome
    return Trial(
        task=task.name, language=task.language, crew=case.crew, part=case.part, arm=case.arm, kind=case.kind,
        run=journal.run, right=right, outcome=what["outcome"], why=what["why"],
        caught=any(isinstance(body, Judged) and body.verdict.kind not in ("accept", "continue") for body in after),
        back=sum(isinstance(body, FaultFound) and body.reply > 0 for body in after),
        calls=player.asked, characters=player.characters, changed=tuple(sorted(touched(journal.events))),
        unordered=outcome.unordered if outcome is not None else (), apart=player.apart,
    )  # fmt: skip


def _going_back(settings: Settings, crew: str) -> Settings:
    """Settings in which this crew goes back by itself."""
    line = f'backtracker = "{ROLE}"\n'
    text = (CREWS / f"{crew}.toml").read_text(encoding="utf-8")
    config = settings.data / "worth"
    (config / "crews").mkdir(parents=True, exist_ok=True)
    (config / "crews" / f"{crew}.toml").write_text(text if line in text else line + text, encoding="utf-8")
    return settings.model_copy(update={"config": config})


class Row(Frozen):
    """The altered runs of a part with it, or without; or those of which nothing was altered (``alarm``: something was found
    wrong all the same). Intervals are Wilson's, of 95 %; ``calls``, ``characters``: medians of the runs that were right."""

    part: Part
    arm: Arm
    altered: bool
    runs: int
    caught: int
    right: int
    wrong: int
    caught_between: tuple[float, float]
    right_between: tuple[float, float]
    calls: float | None
    characters: float | None


class Totals(Frozen):
    """A series. ``apart``: the runs that say nothing, because the kept replies did not lead to the altered one."""

    rows: tuple[Row, ...]
    apart: int


def wilson(found: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share, in parts of one; the whole where nothing was counted."""
    if not of:
        return 0.0, 1.0
    share, square = found / of, z * z / of
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return round(max(0.0, middle - half), 3), round(min(1.0, middle + half), 3)


def totals(trials: Sequence[Trial]) -> Totals:
    """Add up a series."""
    counted = [trial for trial in trials if not trial.apart]
    groups: dict[tuple[Part, Arm, bool], list[Trial]] = {}
    for trial in counted:
        groups.setdefault((trial.part, trial.arm, trial.kind != "nothing"), []).append(trial)
    return Totals(rows=tuple(_row(*key, group) for key, group in groups.items()), apart=len(trials) - len(counted))


def _row(part: Part, arm: Arm, altered: bool, trials: Sequence[Trial]) -> Row:
    good = [trial for trial in trials if trial.right and trial.outcome == "done"]
    caught = sum(trial.caught for trial in trials)
    return Row(
        part=part, arm=arm, altered=altered, runs=len(trials), caught=caught, right=len(good),
        wrong=sum(trial.outcome == "done" and not trial.right for trial in trials),
        caught_between=wilson(caught, len(trials)), right_between=wilson(len(good), len(trials)),
        calls=statistics.median(trial.calls for trial in good) if good else None,
        characters=statistics.median(trial.characters for trial in good) if good else None,
    )  # fmt: skip


def line(trial: Trial) -> str:
    """One trial for a person."""
    if trial.apart:
        return f"{trial.task} ({trial.crew}, {trial.kind}): the kept replies do not lead there"
    good = "right" if trial.right else "not right"
    told = f"{trial.outcome}, {good}, {'caught' if trial.caught else 'not caught'}, {trial.calls} calls"
    back = f", gone back {trial.back} times" if trial.back else ""
    return (
        f"{trial.task} ({trial.language}, {trial.crew}, {trial.kind}) {trial.arm} {trial.part}: {told}{back} [{trial.run}]"
    )


def summary(found: Totals) -> str:
    """The table for a person."""
    heads = ("caught", "right and done", "done, wrong", "calls", "characters")
    lines = [f"{'part':12} {'':8} {'runs':8} {{:>18}} {{:>18}} {{:>12}} {{:>6}} {{:>11}}".format(*heads)]
    for row in found.rows:
        runs = f"{row.runs}{'' if row.altered else ' sound'}"
        shares = [
            f"{count} ({low:.0%} to {high:.0%})"
            for count, (low, high) in ((row.caught, row.caught_between), (row.right, row.right_between))
        ]
        calls = "" if row.calls is None else f"{row.calls:g}"
        characters = "" if row.characters is None else f"{row.characters:,.0f}"
        lines.append(
            f"{row.part:12} {row.arm:8} {runs:8} {shares[0]:>18} {shares[1]:>18} {row.wrong:>12} {calls:>6} {characters:>11}"
        )
    return "\n".join((*lines, f"{found.apart} say nothing: the kept replies did not lead to the altered one"))


def finished(path: Path) -> dict[Key, Trial]:
    """The trials that ``path`` holds. Raises UsageError for a file of another kind."""
    return {trial.key: trial for trial in kept(path, Trial, command="deskcrew bench worth")}


def named(given: Sequence[str], known: Sequence[str], option: str) -> list[Any]:
    """Those of ``known`` that are given, all where none is. Raises UsageError for another."""
    if unknown := [each for each in given if each not in known]:
        raise UsageError(f"{option} {unknown[0]!r} is not known.", hint=f"There are: {', '.join(known)}.")
    return list(given or known)
