"""Makes a skill in a run of its own, journaled and bounded like any other, whose crew writes a function and proves it
on two inputs.

One role writes a function with examples, the function is run on them, a critic scores it, and a refiner fixes it. It is
kept only if it met the examples' expectations on two inputs, if they were not met beforehand, and if the two expect
different things, so that neither a function that does nothing nor one that always does the same can pass. The critic
can reject a skill, but cannot get one accepted. The entry point is :func:`make`.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Unpack

import anyio.from_thread
import anyio.to_thread

from deskcrew.actions import readers
from deskcrew.actions.action import Result, Scene
from deskcrew.actions.code import RUN_PYTHON_CODE, CodeParams, run_python_code
from deskcrew.actions.libraries import TOLD
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine import limits as bounds
from deskcrew.engine import session
from deskcrew.engine.context import Run
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.request import RunRequest, own_skills, prepare, workspace_of
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import Criticism
from deskcrew.engine.session import Beside
from deskcrew.engine.steps.ending import deliver, ended
from deskcrew.engine.surroundings import Surroundings
from deskcrew.engine.workshop.keeping import check_free, check_proven, skill_files
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.save_point import SavePoints
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, EnvironmentFailure, LimitReached, ModelFailure, UsageError
from deskcrew.evidence.places.told import told as addresses_told
from deskcrew.evidence.states import END, START, State, States
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import TypedCheck
from deskcrew.facts.events import ActionFinished, ActionStarted, Judged, Operation, RunStarted, Saved
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import SKILLFUL, Outcome, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Done, code_of, ending
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.functions import REPAIRS, FunctionDraft
from deskcrew.learning.skills.skill import Example, Provenance, Skill, call_of
from deskcrew.learning.skills.trials import Trial, Trials, input_of
from deskcrew.settings import Settings

CREW = "solo"
"""The default crew."""


@dataclass(frozen=True, slots=True)
class SkillWish:
    """What to make. ``what``: the skill's purpose, in words; ``source``: proven code to make it from; ``name``: the skill's
    name, '' for that of its function; ``folder``: where it is kept, None for the user's own skills."""

    what: str
    source: RecordedCode | None = None
    name: str = ""
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class MadeSkill:
    """The result of making a skill. ``skill`` None: nothing was kept, and the outcome of ``journal`` says why."""

    journal: Journal
    skill: Skill | None = None
    folder: Path | None = None
    score: int = 0


async def make(wish: SkillWish, request: RunRequest, settings: Settings, **beside: Unpack[Beside]) -> MadeSkill:
    """Have a crew make a skill, and keep it if it passed. ``request``: model, limits (the budget), crew and workspace of the
    run that makes it; its task is replaced by the wish.

    Raises UsageError and ConfigError before anything is started, for a source that is not proven or ran no code, a name
    that is taken, or a crew without the roles; and what :func:`deskcrew.engine.session.run` raises.
    """
    if wish.name:
        check_free(wish.name, settings)
        _free(wish, wish.name, settings)
    request = replace(request, task=wish.what, desktop="none", memory="off", hosts=(), network=False, secrets=())
    crew = prepare(request, settings)
    place = await anyio.to_thread.run_sync(workspace_of, request, settings)
    making, source = Making(wish.source), wish.source.run if wish.source is not None else ""

    def first(started: RunStarted) -> RunStarted:
        return started.model_copy(update={"settings": started.settings.model_copy(update={"making": source})})

    async with session.beginning(request, settings, crew, place, beside, first) as (journal, parts):
        human = beside.get("human") or Nobody()
        await session.go_on(journal, lambda: session.assemble(request, journal, crew, parts, human), making.until_done)
    if making.accepted is None:
        return MadeSkill(journal)
    return await anyio.to_thread.run_sync(_keep, wish, making.accepted, journal, settings)


def recorded_in(source: Journal) -> list[RecordedCode]:
    """The code of a run that skills can be made from: of each subtask whose code a checker scored with :data:`SKILLFUL` or
    more, the best first, only what was accepted, not earlier attempts (W17); all of the run's if nothing was scored. Raises
    UsageError unless the run is proven, local, and done by code, or if no score is high enough."""
    if source.imported():
        raise UsageError(f"Run {source.run} was imported: it was verified elsewhere.", hint="Do the task here first.")
    check_proven(source.run, ending(list(source.events)))
    saved = [(event.number, event.body.manifest) for event in source.events if isinstance(event.body, Saved)]

    def recorded(what: str, code: Iterable[Operation], first: int, last: int) -> RecordedCode:
        """``first``, ``last``: the events before which the workspace was last saved before and after the code ran."""
        digests = (next(digest for number, digest in reversed(saved) if number < at) for at in (first, last))
        start, end = (Manifest.from_bytes(source.read_blob(digest)) for digest in digests)
        joined = "\n\n".join(str(each.params["code"]) for each in code)
        return RecordedCode(source.run, what, joined, States(start, end, source.read_blob))

    if scored := _scored(source):
        if good := [each for each in scored if each.score >= SKILLFUL]:
            return [
                recorded(each.goal, [done.operation for done in each.code], each.code[0].number, each.at) for each in good
            ]
        raise UsageError(
            f"The code of run {source.run} was scored {scored[0].score} of 10; a skill needs at least {SKILLFUL}."
        )
    ended = [event.body for event in source.events if isinstance(event.body, ActionFinished) and event.body.ok]
    code = [body.operation for body in ended if body.operation.function == RUN_PYTHON_CODE.name]
    if not code:
        raise UsageError(f"Run {source.run} ran no Python code.", hint=f"Keep its steps: deskcrew skill keep {source.run}")
    return [recorded(source.state.task, code, saved[0][0] + 1, saved[-1][0] + 1)]


class _Scored(NamedTuple):
    """A subtask whose code a checker scored. ``code``: what was accepted; ``at``: the number of the event that did so."""

    score: int
    goal: str
    code: list[Done]
    at: int


def _scored(source: Journal) -> list[_Scored]:
    """The subtasks whose code a run's checker scored, the best first."""
    goals = {part.id: part.goal for part in source.state.plan.subtasks}
    found: list[_Scored] = []
    for event in source.events:
        if isinstance(event.body, Judged) and event.body.verdict.score is not None:
            part = event.body.subtask or ""
            if code := code_of(source.state.turns, part):
                goal = goals.get(part, source.state.task)
                found.append(_Scored(event.body.verdict.score, goal, code, event.number))
    return sorted(found, key=lambda each: -each.score)


def files_of(name: str, accepted: AcceptedFunction, provenance: Provenance) -> dict[str, bytes]:
    """The files of a made skill. Its script has exactly the bytes that were run (W17)."""
    draft = accepted.draft
    method = draft.method(provenance, accepted.score, accepted.reasons)
    assert method.function is not None
    return skill_files(name, draft.description, method) | {method.function.script: draft.code.encode()}


def _keep(wish: SkillWish, accepted: AcceptedFunction, journal: Journal, settings: Settings) -> MadeSkill:
    """Writes the skill, with its examples as its first trials."""
    draft = accepted.draft
    name = wish.name or folders.unused(_place(wish, settings), draft.called).name
    started = journal.state.started
    assert started is not None
    provenance = Provenance(
        run=journal.run,
        task=wish.what,
        model=started.model,
        version=started.version,
        day=datetime.now(UTC).date().isoformat(),
    )
    files = files_of(name, accepted, provenance)
    folder = _place(wish, settings) / name
    skill = folders.parse(name, files, str(folder))
    folders.write(folder, files)
    trials = Trials(settings.data)
    for example, manifest in zip(draft.examples, accepted.inputs, strict=True):
        values: Mapping[str, str] = example.values
        trials.add(skill.digest, Trial(run=journal.run, input=input_of(draft.parameters, values, manifest), done=True))
    return MadeSkill(journal, skill, folder, trials.score(skill.digest))


def _place(wish: SkillWish, settings: Settings) -> Path:
    return wish.folder or own_skills(settings)


def _free(wish: SkillWish, name: str, settings: Settings) -> None:
    folder = _place(wish, settings) / name
    if folder.exists():
        raise UsageError(f"There is a skill {name!r} already: {folder}.", hint="Give this one another --name.")


Usable = Callable[[JsonObject], None]
"""Checks a reply; raises CrewMistake if it cannot be used."""
SHOWN = 2000
"""How much of an output roles are shown, in characters."""


@dataclass(frozen=True, slots=True)
class RecordedCode:
    """Proven code that a skill is made from. ``what``: what it was to do, a subtask's goal or a run's task; ``states``: the
    workspace before and after it."""

    run: str
    what: str
    code: str
    states: States


@dataclass(slots=True)
class AcceptedFunction:
    """A function that passed. ``inputs``: the files that each example began with, in the examples' order."""

    draft: FunctionDraft
    score: int
    reasons: str
    inputs: tuple[Manifest, ...]


@dataclass(slots=True)
class _Tried:
    """One call in a folder of its own. ``said``: what it returned; ``wrong``: what was not as expected."""

    said: str
    before: Manifest
    wrong: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Making:
    """Drives a run that makes a skill. ``accepted``: the result, None if nothing was accepted."""

    recorded: RecordedCode | None = None
    accepted: AcceptedFunction | None = None

    async def until_done(self, run: Run) -> Outcome:
        """Have the function written, run, scored and fixed, until it is accepted or no repairs are left."""
        try:
            await self._attempts(run.prompting)
        except (LimitReached, ModelFailure, EnvironmentFailure) as failure:
            run.record.stop_for(failure)
        return await ended(run)

    async def _attempts(self, prompting: Prompting) -> None:
        record = prompting.record
        draft: FunctionDraft | None = None
        told = ""
        for _ in range(REPAIRS + 1):
            draft = await self._written(prompting, draft, told)
            tried = await anyio.to_thread.run_sync(partial(self._tried, prompting.surroundings, draft))
            wrong = [each for one in tried for each in one.wrong]
            said = "\n".join(f"Example {number}: it returned {one.said}" for number, one in enumerate(tried, 1))
            if wrong:
                told = "; ".join(wrong)
                _judge(record.journal, "repair", told)
                continue
            score, reasons, mend = await self._scored(prompting, draft, said)
            if score >= SKILLFUL:
                inputs = tuple(one.before for one in tried[: len(draft.examples)])
                self.accepted = AcceptedFunction(draft, score, reasons, inputs)
                tests = f"its tests passed on {len(draft.examples)} inputs"
                deliver(
                    prompting.surroundings, f"{tests}, none of which held before, and it was scored {score} of 10: {reasons}"
                )
                return
            told = f"It was scored {score} of 10. {reasons} {mend}".strip()
            _judge(record.journal, "repair", told)
        why = f"it was written {REPAIRS + 1} times and could not be kept. The last time: {told}"
        record.stop(Verdict(kind="stop", reason="gave_up", why=why))

    async def _written(self, prompting: Prompting, before: FunctionDraft | None, told: str) -> FunctionDraft:
        """The maker's draft; after a failure, the refiner's."""
        record = prompting.record
        role = record.crew.roles[record.crew.maker if before is None else record.crew.refiner]
        recorded_text = self._recorded_text()
        extra = {
            "recorded": recorded_text,
            "addresses": addresses_told(f"{record.state.task}\n{recorded_text}", ()),
            "libraries": TOLD,
            "skill": _shown(before) if before else "",
            "trial": told,
        }
        recorded = self.recorded is not None

        def usable(reply: JsonObject) -> None:
            FunctionDraft.of(reply, recorded=recorded)

        return FunctionDraft.of(await self._asked(prompting, role, extra, usable), recorded=recorded)

    async def _scored(self, prompting: Prompting, draft: FunctionDraft, said: str) -> tuple[int, str, str]:
        role = prompting.record.crew.roles[prompting.record.crew.critic]
        reply = await self._asked(prompting, role, {"skill": _shown(draft), "trial": said})
        found = Criticism.model_validate(reply)
        return found.score, found.reasons, found.mend

    async def _asked(
        self, prompting: Prompting, role: Role, extra: Mapping[str, str], usable: Usable | None = None
    ) -> JsonObject:
        """A usable reply. The role is asked again until the limits are used up, which raises LimitReached."""
        record = prompting.record
        extra = {key: text for key, text in extra.items() if key in role.reads}
        now = Now(recorded=self.recorded is not None)
        while True:
            bounds.check(record.state, record.limits, record.seconds)
            asked = await prompting.asker.request(role, now, prompting.sight(role, **extra), check=usable)
            reply = await prompting.asker.reply(asked)
            record.journal.commit()
            if reply is not None:
                return reply

    def _recorded_text(self) -> str:
        if self.recorded is None:
            return ""
        before = self.recorded.states.start
        names = ", ".join(path for path, entry in sorted(before.by_path.items()) if entry.kind == "file") or "none"
        return f"Files before: {names}\nCode:\n{self.recorded.code}"

    def _tried(self, surroundings: Surroundings, draft: FunctionDraft) -> list[_Tried]:
        """Tries the function on every example, each in a scratch folder, then on the recorded run's input. Blocking."""
        with tempfile.TemporaryDirectory(prefix="deskcrew-made-") as top:
            tried = [
                _example(surroundings, draft, number, each, Path(top) / str(number))
                for number, each in enumerate(draft.examples, 1)
            ]
            if self.recorded is not None and not any(one.wrong for one in tried):
                tried.append(_again(surroundings, draft, self.recorded.states, Path(top) / "recorded"))
        return tried


def _example(surroundings: Surroundings, draft: FunctionDraft, number: int, example: Example, folder: Path) -> _Tried:
    """Tries one example. An expectation that holds beforehand, or that also fits another example, proves nothing."""
    start, end = folder / "start", folder / "end"
    start.mkdir(parents=True)
    where = f"example {number}"
    if wrong := _laid_out(surroundings, example, start):
        return _Tried("", _manifest(start), [f"{where}: {wrong}"])
    shutil.copytree(start, end, symlinks=True)
    result = _called(surroundings, draft, example.values, end)
    tried = _Tried(shorten(result.text.strip() or "nothing", SHOWN), _manifest(start))
    if not result.ok:
        tried.wrong.append(f"{where}: {draft.name} failed: {result.error}")
        return tried
    before, after = (Side(place, start, Observation()) for place in (start, end))
    for check in (*example.expects, *draft.ensured(example.values)):
        ok, found = holds(check, after)
        if not ok:
            tried.wrong.append(f"{where}: {check.words} does not hold: {found or 'no'}")
    if example.tells.strip() and example.tells.strip() not in result.text:
        tried.wrong.append(f"{where}: it returned {tried.said!r}, and not {example.tells!r}")
    if _satisfied(example, before, ""):
        tried.wrong.append(f"{where} proves nothing: what it expects holds before the function is called")
    for other in draft.examples:
        if other is not example and not tried.wrong and _satisfied(other, after, result.text):
            tried.wrong.append(f"{where} ends as another example expects too: a function that ignores its input would pass")
    return tried


def _satisfied(example: Example, side: Side, said: str) -> bool:
    """Whether everything that an example expects holds on ``side``, and in the returned text."""
    return all(holds(check, side)[0] for check in example.expects) and example.tells.strip() in said


def _laid_out(surroundings: Surroundings, example: Example, folder: Path) -> str:
    """Creates an example's files. Returns why that failed, or ''."""
    workspace = Workspace(folder)
    try:
        for file in example.files:
            place = workspace.resolve(file.path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(file.text, encoding="utf-8")
    except (ActionError, OSError, ValueError) as error:
        return f"its files cannot be made: {error}"
    if not example.setup:
        return ""
    made = _run(surroundings, example.setup, folder)
    return "" if made.ok else f"its setup failed: {made.error}"


def _called(surroundings: Surroundings, draft: FunctionDraft, values: Mapping[str, str], folder: Path) -> Result:
    """Runs the function's code with one call, as it will be run as a skill."""
    typed = {each.name: each.read(values[each.name]) for each in draft.parameters}
    return _run(surroundings, f"{draft.code.rstrip()}\n\n\n{call_of(draft.name, typed)}\n", folder)


def _run(surroundings: Surroundings, code: str, folder: Path) -> Result:
    """Runs code in a scratch folder, in a sandbox without network or other access; journaled like any action."""
    record = surroundings.record
    operation, role = RUN_PYTHON_CODE.operation(code=code), record.crew.maker
    noted = partial(anyio.from_thread.run_sync, record.journal.append)
    noted(ActionStarted(role=role, subtask="", operation=operation, effect="none"))
    began = time.monotonic()
    with Sandbox(folder, unsafe_host=surroundings.sandbox.unsafe_host) as sandbox:
        scene = Scene(Workspace(folder), sandbox, None, Observation())
        try:
            result = run_python_code(scene, CodeParams(code=code, main_function=""), None)
        except ActionError as error:
            result = Result(ok=False, error=str(error))
    body = ActionFinished(
        role=role,
        subtask="",
        operation=operation,
        ok=result.ok,
        text=shorten(result.text, SHOWN),
        error=result.error,
        exit_code=result.exit_code,
        output=anyio.from_thread.run_sync(record.journal.blob, result.text),
        seconds=round(time.monotonic() - began, 3),
    )
    noted(body)
    return result


def _again(surroundings: Surroundings, draft: FunctionDraft, states: States, folder: Path) -> _Tried:
    """Tries the function on the recorded run's input, from which it must produce what was proven then."""
    folder.mkdir()
    end, start = states.lay_out([State(END, states.end.by_path), State(START, states.start.by_path)], folder)
    now = folder / "now"
    shutil.copytree(start, now, symlinks=True)
    assert draft.recorded is not None
    result = _called(surroundings, draft, draft.recorded, now)
    tried = _Tried(shorten(result.text.strip() or "nothing", SHOWN), states.start)
    if not result.ok:
        tried.wrong.append(f"on the files of the recorded run {draft.name} failed: {result.error}")
        return tried
    other = [path for path in states.changes() if not _alike(end / path, now / path)]
    if other:
        tried.wrong.append(f"on the files of the recorded run it made something else of {', '.join(other[:5])}")
    return tried


def _alike(one: Path, other: Path) -> bool:
    """Whether two files have the same content: by their bytes, or else by their extracted text, because documents
    contain timestamps."""
    if not one.is_file() or not other.is_file():
        return one.exists() == other.exists() and one.is_dir() == other.is_dir()
    if one.read_bytes() == other.read_bytes():
        return True
    try:
        return readers.read(one) == readers.read(other)
    except ActionError:
        return False


def _manifest(folder: Path) -> Manifest:
    """The manifest of a scratch folder; its contents are not stored."""
    return SavePoints(folder, lambda data: "", lambda digest: b"").take().manifest


def _shown(draft: FunctionDraft) -> str:
    """A draft as its critic and refiner are shown it."""
    examples = [each.model_dump(mode="json", exclude_defaults=True) for each in draft.examples]
    ensures = [_told(each) for each in draft.ensures]
    rest = {"ensures": ensures, "examples": examples}
    return f"{draft.code}\n{json.dumps(rest, ensure_ascii=False, indent=1)}"


def _told(check: TypedCheck) -> dict[str, str]:
    return check.model_dump(mode="json", exclude_defaults=True)


def _judge(journal: Journal, kind: str, why: str) -> None:
    verdict = Verdict.model_validate({"kind": kind, "why": why})
    journal.append(Judged(scope="goal", verdict=verdict, by="rules"))
    journal.commit()
