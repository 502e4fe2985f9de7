"""Several programs for the same: each on a copy of the workspace, and one is kept, once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.layer import Layer, Overlay
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits, Settings
from support.crew import bodies, by_role, settings_in

pytestmark = pytest.mark.anyio

TASK = "Write the sum of the amounts in costs.csv as one more line at the end of log.txt."
CHECK = {"kind": "file_is", "target": "log.txt", "text": "begun\n42.50"}
REQUIREMENT = {"parts": [1], "says": "the sum is the last line of log.txt", "seen_by": "checks", "files": ["log.txt"]}
CONTRACT = {"requirements": [REQUIREMENT | {"checks": [CHECK]}]}
APPENDS = "open('log.txt', 'a').write('{}\\n')\nprint('added')"
RIGHT, WRONG = APPENDS.format("42.50"), APPENDS.format("1")
BREAKS = "open('half.txt', 'w').write('x')\n1 / 0"
STRAYS = RIGHT + "\nopen('notes.txt', 'w').write('x')"
CREW = """\
name = "several"
description = "One agent that may give three candidates."
pool = ["Solo"]
planner = ""
scheduler = ""
reviewer = ""
review = "rules"
candidates = 3
"""


def begun(folder: Path, *, most: int = 3) -> tuple[RunRequest, Settings]:
    settings = settings_in(folder)
    (settings.config / "crews").mkdir(parents=True)
    (settings.config / "crews" / "several.toml").write_text(CREW.replace("= 3", f"= {most}"))
    work = folder / "work"
    work.mkdir()
    (work / "costs.csv").write_text("item,amount\nrope,19.50\nlamp,23\n")
    (work / "log.txt").write_text("begun\n")
    limits = Limits(repairs=1)
    return RunRequest(
        task=TASK, model="scripted:none", crew="several", workspace=work, desktop="none", limits=limits
    ), settings


def crew(work: Path, codes: Sequence[str], asked: list[Call] | None = None) -> ScriptedModel:
    """One agent that gives these programs as long as the line is not there."""

    def solo(call: Call) -> dict[str, Any]:
        (asked if asked is not None else []).append(call)
        if (work / "log.txt").read_text() != "begun\n":
            return {"operations": [], "branch": "RoleTaskFinish"}
        operation = {"function": "run_python_code", "code": codes[0], "others": list(codes[1:])}
        return {"operations": [operation], "branch": "RoleTaskFinish"}

    return by_role(Profile(name="scripted", context=128_000, contracts=True), ContractWriter=CONTRACT, Solo=solo)


def names(work: Path) -> set[str]:
    return {path.name for path in work.iterdir()} - {"costs.csv"}


async def test_the_candidate_that_does_what_must_hold_is_kept_and_nothing_of_the_others(tmp_path: Path) -> None:
    request, settings = begun(tmp_path)
    asked: list[Call] = []
    model = crew(tmp_path / "work", (BREAKS, WRONG, RIGHT), asked)
    journal = await session.run(request, settings, model=model)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert (tmp_path / "work" / "log.txt").read_text() == "begun\n42.50\n"
    assert names(tmp_path / "work") == {"log.txt"}, "what broke off left nothing"
    (tried,) = bodies(journal, e.CandidatesTried)
    assert (tried.chosen, tried.proven, tried.left) == (3, True, 0)
    assert [(each.ok, each.fails) for each in tried.tried] == [(False, ()), (True, ("1",)), (True, ())]
    assert [journal.read_blob(each.code).decode() for each in tried.tried] == [BREAKS, WRONG, RIGHT]
    assert "log.txt" in journal.read_blob(tried.tried[1].changes).decode(), "the others stay as evidence"
    (finished,) = bodies(journal, e.ActionFinished)
    assert finished.operation.params["code"] == RIGHT
    assert "others" not in finished.operation.params, "what was done can be done again as it was"
    assert "others" in str(asked[0].text())
    replayed = await replay(journal)
    assert replayed.equal, replayed


async def test_of_code_in_a_fence_everybody_sees_what_runs(tmp_path: Path) -> None:
    request, settings = begun(tmp_path)
    journal = await session.run(
        request, settings, model=crew(tmp_path / "work", [f"```python\n{code}\n```" for code in (WRONG, RIGHT)])
    )
    operation = next(reply.reply for reply in bodies(journal, e.RoleReplied) if reply.role == "Solo")["operations"][0]
    proposed, started = bodies(journal, e.OperationProposed)[0], bodies(journal, e.ActionStarted)[0]
    for params in (operation["params"], proposed.operation.params, started.operation.params):
        assert (params["code"], params["others"]) == (WRONG, [RIGHT])
    (tried,) = bodies(journal, e.CandidatesTried)
    assert [journal.read_blob(each.code).decode() for each in tried.tried] == [WRONG, RIGHT]
    replayed = await replay(journal)
    assert replayed.equal, replayed


async def test_what_follows_a_candidate_that_does_it_is_not_tried(tmp_path: Path) -> None:
    request, settings = begun(tmp_path)
    journal = await session.run(request, settings, model=crew(tmp_path / "work", (RIGHT, WRONG, BREAKS)))
    (tried,) = bodies(journal, e.CandidatesTried)
    assert (len(tried.tried), tried.chosen, tried.left) == (1, 1, 2)


async def test_one_that_changes_what_nobody_asked_for_gives_way_to_one_that_does_not(tmp_path: Path) -> None:
    request, settings = begun(tmp_path)
    journal = await session.run(request, settings, model=crew(tmp_path / "work", (STRAYS, RIGHT)))
    (tried,) = bodies(journal, e.CandidatesTried)
    assert tried.tried[0].strays == ("notes.txt",)
    assert tried.chosen == 2
    assert names(tmp_path / "work") == {"log.txt"}


async def test_where_none_runs_to_its_end_nothing_is_kept_and_the_agent_is_told_of_each(tmp_path: Path) -> None:
    request, settings = begun(tmp_path)
    model = crew(tmp_path / "work", (BREAKS, "open('other.txt', 'w').write('x')\nint('a')"))
    journal = await session.run(request, settings, model=model)
    assert names(tmp_path / "work") == {"log.txt"}
    finished = bodies(journal, e.ActionFinished)[0]
    assert "ZeroDivisionError" in finished.error
    assert "ValueError" in finished.error


async def test_a_crew_without_candidates_is_offered_none(tmp_path: Path) -> None:
    request, settings = begun(tmp_path, most=1)
    asked: list[Call] = []
    await session.run(request, settings, model=crew(tmp_path / "work", (RIGHT,), asked))
    assert "others" not in str(asked[0].text())


class Killed(BaseException):
    """Stands for the end of the process: nothing in the engine catches it."""


def at(kind: type[Any]) -> Callable[[e.Event, Journal], None]:
    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, kind):
            raise Killed

    return watch


def unseen(event: e.Event, journal: Journal) -> None:
    """Nothing happens at an event."""


def landing(monkeypatch: pytest.MonkeyPatch, *, first: bool) -> None:
    """The process ends before the chosen one's change is applied, or right after."""
    whole = Layer.land

    def land(layer: Layer) -> tuple[str, ...]:
        if not first:
            whole(layer)
        raise Killed

    monkeypatch.setattr(Layer, "land", land)


@pytest.mark.parametrize(
    "killed", ["action_started", "candidates_tried", "changes_found", "before", "after", "action_finished"]
)
async def test_the_chosen_one_is_applied_once_wherever_the_process_ends(
    tmp_path: Path, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, settings = begun(tmp_path)
    work = tmp_path / "work"
    kinds = {
        "action_started": e.ActionStarted,
        "candidates_tried": e.CandidatesTried,
        "changes_found": e.ChangesFound,
        "action_finished": e.ActionFinished,
    }
    with monkeypatch.context() as patch:
        if killed != "action_finished":  # by then they are gone
            patch.setattr(Overlay, "drop", lambda _: None)  # nobody clears up after a process that was killed
        if killed not in kinds:
            landing(patch, first=killed == "before")
        watch = at(kinds[killed]) if killed in kinds else unseen
        with pytest.raises(Killed):
            await session.run(request, settings, watch=watch, model=crew(work, (WRONG, RIGHT)))
    name = Store(settings.journal).journal("last").run
    journal = await session.resume(name, settings, model=crew(work, (WRONG, RIGHT)))
    assert (work / "log.txt").read_text() == "begun\n42.50\n"
    assert names(work) == {"log.txt"}
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"

    assert not list((settings.data / "layers").rglob("candidate-*"))
