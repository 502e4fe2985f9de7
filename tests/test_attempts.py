"""Several attempts at a task: each from the same start on a branch of its own, and evidence says which is taken."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from deskcrew.engine import attempts, rewind, session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.errors import JournalError, UsageError
from deskcrew.facts import events as e
from deskcrew.journal.branches import branches
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.settings import Limits
from deskcrew.ways_in.cli import ending
from deskcrew.ways_in.report.result import result_of
from support.crew import By, bodies, by_role, settings_in

pytestmark = pytest.mark.anyio

TASK = "Write the sum of the amounts in costs.csv to total.txt, and its words to words.txt."
COSTS = "item,amount\nrope,19.50\nlamp,23\n"


def requirement(says: str, file: str) -> dict[str, Any]:
    return {"parts": [1], "says": says, "seen_by": "checks", "files": [file], "checks": []}


CONTRACT: dict[str, Any] = {
    "requirements": [
        requirement("total.txt holds the sum", "total.txt")
        | {"checks": [{"kind": "file_is", "target": "total.txt", "text": "42.50"}]},
        requirement("words.txt says the sum in words", "words.txt")
        | {"checks": [{"kind": "file_is", "target": "words.txt", "text": "forty-two and a half"}]},
    ]
}
WRITES = "open('total.txt', 'w').write({total!r}); open('words.txt', 'w').write({words!r})"
LEAVES = "; open({file!r}, 'w').write('x')"
RIGHT, HALF, WRONG = ("42.50", "forty-two and a half"), ("42.50", "many"), ("1", "one")


def taking(text: str) -> By:
    """A judge that takes the attempt which left this text, whatever it is called."""

    def judge(call: Call) -> dict[str, Any]:
        told = call.text("volatile").partition("Attempt ")[2].split("Attempt ")
        found = next(each[0] for each in told if text in each.partition("What it left")[2])
        return {"why": f"it left {text!r}", "attempt": found}

    return judge


def crew(
    *,
    by_attempt: Mapping[int, tuple[str, str]],
    asked: list[Call] | None = None,
    judge: By | None = None,
) -> ScriptedModel:
    """One agent that writes a total and its words as each attempt has it, which it knows by its seed alone; wrong attempts
    leave a file behind. ``judge``: who compares attempts; None: nobody may be asked to."""

    def solo(call: Call) -> dict[str, Any]:
        (asked if asked is not None else []).append(call)
        total, words = by_attempt[call.seed or 1]
        code = WRITES.format(total=total, words=words)
        if (total, words) != RIGHT:
            code += LEAVES.format(file=f"scratch{call.seed or 1}.tmp")
        return {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"}

    profile = Profile(name="scripted", context=128_000, contracts=True)
    judges: dict[str, By] = {"AttemptJudge": judge} if judge is not None else {}
    return by_role(profile, ContractWriter=CONTRACT, Worker=solo, **judges)


def shown(journal: Journal) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(ending.panel(journal.run, journal.events, everything=journal.all))
    return console.file.getvalue()  # type: ignore[attr-defined]


def request(folder: Path, number: int) -> RunRequest:
    work = folder / "work"
    work.mkdir()
    (work / "costs.csv").write_text(COSTS)
    return RunRequest(
        task=TASK,
        model="scripted:none",
        crew="solo",
        workspace=work,
        desktop="none",
        attempts=number,
        limits=Limits(repairs=1),
    )


def contracts_asked(journal: Journal) -> int:
    return sum(isinstance(event.body, e.RoleReplied) and event.body.role == "ContractWriter" for event in journal.all)


async def test_a_task_is_tried_anew_from_its_start_until_it_is_proven(tmp_path: Path) -> None:
    asked: list[Call] = []
    notices: list[str] = []
    model = crew(by_attempt={1: WRONG, 2: RIGHT, 3: WRONG}, asked=asked)
    journal = await attempts.run(request(tmp_path, 3), settings_in(tmp_path), model=model, notice=notices.append)
    assert notices[0] == "looking for skills that fit", "a sign of life before anything slow"
    assert [each.partition(": ")[:2] for each in notices if each.startswith("Attempt ")] == [("Attempt 1 ended", ": ")]
    assert next(each for each in notices if each.startswith("Attempt 1 ended: failed: ")).endswith(".")
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert [each.outcome.status for each in attempts.made(journal) if each.outcome] == ["failed", "done"]
    assert contracts_asked(journal) == 1, "what must hold is agreed once"
    assert {path.name for path in (tmp_path / "work").iterdir()} == {"costs.csv", "total.txt", "words.txt"}
    assert asked[-1].temperature > 0, "at temperature 0 it would do the same again"
    told = "\n".join(str(call.text()) for call in asked if call.seed == 2)
    assert "scratch1" not in told, "an attempt knows nothing of the one before"


@pytest.mark.deep
async def test_the_attempt_of_which_most_is_shown_is_taken_and_the_others_stay(tmp_path: Path) -> None:
    model = crew(by_attempt={1: WRONG, 2: HALF, 3: WRONG})
    settings = settings_in(tmp_path)
    journal = await attempts.run(request(tmp_path, 3), settings, model=model)
    found = attempts.made(journal)
    assert [each.current for each in found] == [False, True, False]
    assert (tmp_path / "work" / "total.txt").read_text() == "42.50"
    assert (tmp_path / "work" / "scratch2.tmp").exists()
    assert not (tmp_path / "work" / "scratch3.tmp").exists()
    assert len(branches(journal)) == 3
    for branch in found:
        replayed = await replay(journal, branch.head)
        assert replayed.equal, replayed


async def test_nothing_is_tried_anew_after_what_is_proven(tmp_path: Path) -> None:
    model = crew(by_attempt={1: RIGHT})
    journal = await attempts.run(request(tmp_path, 3), settings_in(tmp_path), model=model)
    assert len(branches(journal)) == 1
    assert attempts.made(journal) == ()


@pytest.mark.deep
async def test_a_run_whose_process_ended_between_attempts_makes_those_that_are_left(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    model = crew(by_attempt={1: WRONG, 2: HALF, 3: WRONG})
    begun = await session.run(request(tmp_path, 3), settings, model=model)
    journal = await attempts.resume(begun.run, settings, model=model)
    assert len(attempts.made(journal)) == 3
    assert (tmp_path / "work" / "words.txt").read_text() == "many"
    with pytest.raises(UsageError, match="has ended"):
        await attempts.resume(begun.run, settings, model=model)


async def test_no_save_point_between_attempts_keeps_a_file_with_a_secret(tmp_path: Path) -> None:
    asked = request(tmp_path, 2)
    value = b"corr3cthorse"
    (tmp_path / "work" / "keys.txt").write_bytes(value)
    secret = Secret("word", value.decode(), Binding(apps=("x",)))
    model = crew(by_attempt={1: WRONG, 2: HALF})
    journal = await attempts.run(replace(asked, secrets=(secret,)), settings_in(tmp_path), model=model)
    assert len(attempts.made(journal)) == 2
    with pytest.raises(JournalError):
        journal.read_blob(hashlib.sha256(value).hexdigest())


@pytest.mark.deep
async def test_of_equals_the_answer_that_most_attempts_came_to_is_taken(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    model = crew(by_attempt={1: WRONG, 2: WRONG, 3: HALF, 4: HALF}, judge=lambda _: "no JSON")
    journal = await attempts.run(request(tmp_path, 4), settings, model=model)
    assert attempts.best(attempts.made(journal)).number == 3, "the first of those of which most is shown"


OTHER = ("42.50", "forty-two")


async def test_a_model_compares_what_evidence_leaves_alike_and_what_it_takes_is_not_proven(tmp_path: Path) -> None:
    asked: list[Call] = []

    def judge(call: Call) -> dict[str, Any]:
        asked.append(call)
        return taking("forty-two")(call)

    settings = settings_in(tmp_path)
    model = crew(by_attempt={1: WRONG, 2: OTHER, 3: HALF}, judge=judge)
    journal = await attempts.run(request(tmp_path, 3), settings, model=model)
    (call,) = asked
    told = str(call.text())
    assert "Attempt A" in told
    assert "Attempt C" not in told, "one of which less was shown is not compared"
    assert "scratch2" in told, "what each left stands there"
    assert "scratch3" in told
    assert "RoleTaskFinish" not in told, "what the crew said of itself does not"
    assert call.temperature == 0
    assert told.count("lamp,23") == 1, "the judge is shown the sources that decide, once for all"
    result = result_of(journal.run, journal.events)
    assert result.outcome == "failed", "nothing is proven by being taken"
    assert result.attempt is not None
    assert (result.attempt.number, result.attempt.compared and result.attempt.compared.by) == (2, "judge")
    assert (tmp_path / "work" / "words.txt").read_text() == "forty-two"
    panel = shown(journal)
    assert "judged, not proven" in panel
    alone, spent = result.calls, result_of(journal.run, journal.events, everything=journal.all).attempt
    assert spent is not None
    assert spent.calls == sum(isinstance(each.body, e.RoleReplied) and each.body.model != "rules" for each in journal.all)
    assert spent.calls > 2 * alone, "what the attempts that were not taken used is told too"
    assert f"all of them: {spent.calls} model calls" in panel
    assert "it left 'forty-two'" in panel
    for branch in attempts.made(journal):
        replayed = await replay(journal, branch.head)
        assert replayed.equal, replayed


async def test_after_a_comparison_the_way_back_is_to_the_last_reply_that_did_something(tmp_path: Path) -> None:
    request_ = request(tmp_path, 2)
    journal = await attempts.run(
        request_, settings_in(tmp_path), model=crew(by_attempt={1: OTHER, 2: HALF}, judge=taking("many"))
    )
    replies = {event.body.role: event for event in journal.events if isinstance(event.body, e.RoleReplied)}
    judged, worked = replies["AttemptJudge"], replies["Worker"]
    assert judged.number > worked.number, "the last attempt was taken, so nothing was gone back to"
    told = shown(journal)
    assert f"deskcrew rewind {journal.run} {worked.number} --say" in told
    points = session.points_of(request_.workspace or tmp_path, journal)
    for number in (judged.number, journal.events[-1].number):
        with pytest.raises(UsageError, match="had ended and were compared") as refused:
            rewind.to_reply(journal, number, points)
        assert f", {worked.number}," in refused.value.hint
    back = rewind.to_reply(journal, worked.number, points)
    assert back.reply is not None
    assert back.reply.id == worked.id


@pytest.mark.deep
async def test_a_comparison_that_came_to_nothing_leaves_the_choice_to_evidence(tmp_path: Path) -> None:
    told: list[str] = []
    model = crew(by_attempt={1: OTHER, 2: HALF}, judge=lambda _: "no JSON")
    journal = await attempts.run(request(tmp_path, 2), settings_in(tmp_path), model=model, notice=told.append)
    assert [each.current for each in attempts.made(journal)] == [True, False]
    assert any("could not be compared" in each for each in told)
    assert journal.state.choice is None


@pytest.mark.deep
async def test_a_comparison_whose_process_ended_is_made_once_more_and_taken(tmp_path: Path) -> None:
    class Ended(Exception):
        """Stands for the end of a process."""

    def dies(call: Call) -> dict[str, Any]:
        raise Ended

    settings, results = settings_in(tmp_path), {1: OTHER, 2: HALF}
    with pytest.raises(Ended):
        await attempts.run(request(tmp_path, 2), settings, model=crew(by_attempt=results, judge=dies))
    name = next(iter(Store(settings.journal).runs())).id
    journal = await attempts.resume(name, settings, model=crew(by_attempt=results, judge=taking("many")))
    assert [each.current for each in attempts.made(journal)] == [False, True]
    assert len(bodies(journal, e.AttemptsShown)) == 1
    with pytest.raises(UsageError, match="has ended"):
        await attempts.resume(name, settings, model=crew(by_attempt=results))


async def test_attempts_that_came_to_the_same_are_not_compared(tmp_path: Path) -> None:
    def same(call: Call) -> dict[str, Any]:
        code = WRITES.format(total="42.50", words="many")
        return {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"}

    profile = Profile(name="scripted", context=128_000, contracts=True)
    model = by_role(profile, ContractWriter=CONTRACT, Worker=same)
    journal = await attempts.run(request(tmp_path, 2), settings_in(tmp_path), model=model)
    assert [each.current for each in attempts.made(journal)] == [True, False]


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"attempts": 99}, {"attempts": 2, "desktop": "real"}, {"attempts": 2, "desktop": "windows"}]
)
async def test_attempts_that_cannot_be_are_told(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        await attempts.run(replace(request(tmp_path, 2), **wrong), settings_in(tmp_path), model=crew(by_attempt={1: RIGHT}))
    assert not list(Store(settings_in(tmp_path).journal).runs())
