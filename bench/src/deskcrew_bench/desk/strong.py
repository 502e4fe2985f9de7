"""Chores as a strong model does them: its replies are kept, and given again to every later version.

What is kept of a reply is its words, and what its prompt said of each control that it names and of each fact that it
cites, since labels and numbers may be others the next time.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Answer, Call, Model, Profile, T
from deskcrew.models.scripted import ScriptedModel
from deskcrew.observation import Frozen
from deskcrew.request import RunRequest
from deskcrew.roles.crew import BUILTIN as CREWS
from deskcrew.roles.crew import load_crew, reduced
from deskcrew.roles.role import BUILTIN as ROLES
from deskcrew.roles.role import load_roles
from deskcrew.settings import Settings
from deskcrew_bench.desk.recorded import called, controls_of, relabelled
from deskcrew_bench.desk.task import Task
from deskcrew_bench.suites.playing import CONSENT, NOTHING, PATIENCE
from deskcrew_bench.suites.trial import ended, run_of

LANGUAGES = ("en", "de", "es", "zh")
MODEL = "scripted:kept"
"""What the model of a run is called that kept replies are given to."""
UNASKED = frozenset[str]({"reviewer", "checker", "memory", "force-stop"})
"""Parts of a crew without which its other roles are asked for the same replies in the same order."""
_FACT = re.compile(r"^(\d+): ", re.MULTILINE)
_CITED = re.compile(r'("sources"\s*:\s*\[)([^\]]*)\]')


class Kept(Frozen):
    """One reply. ``controls``: what its prompt said of those that it names, by label; ``facts``: the numbers of all facts
    in its prompt, where it answers."""

    role: str
    reply: str
    controls: Mapping[str, str] = {}
    facts: tuple[str, ...] = ()


_ALL = TypeAdapter(tuple[Kept, ...])


def kept_in(path: Path) -> tuple[Kept, ...]:
    """What a strong model replied; () where none was asked yet."""
    return _ALL.validate_json(path.read_bytes()) if path.exists() else ()


def keep(path: Path, replies: Sequence[Kept]) -> None:
    """Keep what it replied."""
    path.write_bytes(_ALL.dump_json(tuple(replies), indent=1, exclude_defaults=True) + b"\n")


class Player:
    """Gives ``kept`` replies again, one after the other; where ``model`` is given it is asked instead, and what it replies
    is collected in ``said``. Where another role is asked than then, the reply is no use, and the run fails. When what was
    ordered is read depends on the guard, so those replies are given whenever they are asked for."""

    def __init__(self, kept: Sequence[Kept], model: Model | None) -> None:
        self.name = model.name if model is not None else "kept"
        self.profile = model.profile if model is not None else Profile(name="kept", context=128_000, contracts=True,
            reading=12_000, operations=24, observation_tokens=6000)  # fmt: skip
        self.said: list[Kept] = []
        self._model = model
        self._left = [each for each in kept if each.role != CONSENT]
        self._read = [each.reply for each in kept if each.role == CONSENT]

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if self._model is not None:
            answer = await self._model.answer(replace(call, deadline=PATIENCE), type)
            self.said.append(_kept(call, answer.raw))
            return answer
        return await ScriptedModel([self.reply_to(call)], name=self.name).answer(call, type)

    def reply_to(self, call: Call) -> str:
        """The next of the kept replies, in the labels and numbers of the call's prompt."""
        if call.role == CONSENT:
            return self._read.pop(0) if self._read else NOTHING
        prompt = call.text()
        then = self._left.pop(0) if self._left else None
        if then is None or then.role != call.role:
            was = f"{then.role} was" if then else "nobody was"
            return f"{call.role} is asked, and when the replies were kept {was}"
        return relabelled(_recited(then, prompt), then.controls, prompt)

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()


def _kept(call: Call, raw: str) -> Kept:
    prompt = call.text()
    named = set(re.findall(r'"control"\s*:\s*"([^"\\]+)"', raw))
    controls = {label: called(said) for label, said in controls_of(prompt).items() if label in named}
    facts = tuple(_FACT.findall(prompt)) if _CITED.search(raw) else ()
    return Kept(role=call.role, reply=raw, controls=controls, facts=facts)


def _recited(then: Kept, prompt: str) -> str:
    """The reply with the facts that it cites by the numbers they have now."""
    now = _FACT.findall(prompt)
    numbers = dict(zip(then.facts, now, strict=False))

    def cited(match: re.Match[str]) -> str:
        found = [numbers.get(number, number) for number in re.findall(r"\d+", match[2])]
        return f"{match[1]}{', '.join(json.dumps(each) for each in found)}]"

    return _CITED.sub(cited, then.reply)


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


def replies_to(task: Task, crew: str, pool: bool = True, without: tuple[str, ...] = ()) -> tuple[Kept, ...]:
    """What is given to a crew: its own replies, else those to the whole crew without those of the roles that
    are left out, if nothing else is left out than some of :data:`UNASKED`; () where there are none."""
    own = replies_of(task, crew, pool, without)
    if own.exists() or not pool or not UNASKED.issuperset(without):
        return kept_in(own)
    whole = load_crew(crew, (CREWS,), load_roles((ROLES,)))
    silent = {*whole.members} - {*reduced(whole, without).members}
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
