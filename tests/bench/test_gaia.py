"""Questions of GAIA's form: a scorer that does as the official one, a loader that says where GAIA is had from, and regimes
that are what they are called."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from deskcrew.engine.human.questions import Accepted, Approval, OperationQuestion, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder, Responder
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.events import Recalled
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Model
from deskcrew_bench.gaia import suite
from deskcrew_bench.gaia.questions import FORM, Question, questions_in
from deskcrew_bench.gaia.scorer import right
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.situation import Part
from deskcrew_bench.series import keep
from deskcrew_bench.suites.report import report
from deskcrew_bench.suites.text import named
from deskcrew_bench.suites.totals import levels
from deskcrew_bench.suites.trial import By, Trial, finished, series_of
from support.crew import bodies, settings_in

pytestmark = pytest.mark.anyio

OWN = Path(__file__).parents[2] / "bench/gaia"
SCRIPTED: By = ("scripted:", "solo", True, ())


@pytest.mark.parametrize(
    ("truth", "answer", "same"),
    [
        # Numbers: as floats, without the signs that may stand with them. None of the first five is equal as a text.
        ("17000", "17,000", True),
        ("17000", "$17000.00", True),
        ("0.5", "0.50", True),
        ("50", "50 %", True),
        ("8", " 8 ", True),
        ("8", "eight", False),
        ("8", "8 cats", False),
        ("8", "", False),
        ("17", "17000", False),
        ("inf", "no number", False),
        # Lists: as long as the right one, in its order, whichever separator; numbers as numbers, texts with punctuation.
        ("a, b", "A;b", True),
        ("a, b", "a, b, c", False),
        ("a, b", "b, a", False),
        ("3, apples", "3.0,  Apples", True),
        ("3, apples", "$3, apples", True),
        ("3, apples", "three, apples", False),
        ("Dr. No, b", "Dr No, b", False),
        ("1,000 m, b", "1000 m, b", False),
        # Texts: without case, white space and punctuation.
        ("Sea gull", "seagull", True),
        ("Björn", "BJÖRN.", True),
        ("17:35", "1735", True),
        ("right", "not right", False),
        ("right", "", False),
        ("St. Petersburg", "St Petersburg!", True),
        ("one", "o,n;e", True),
    ],
)
def test_an_answer_is_compared_as_what_the_right_one_is(truth: str, answer: str, same: bool) -> None:
    assert right(answer, truth) is same


def line(name: str, answer: str = "4", level: Any = 1, file_name: str = "", **more: Any) -> str:
    said = {"task_id": name, "Question": f"What of {name}?", "Level": level, "Final answer": answer, "file_name": file_name}
    return json.dumps(said | {"Annotator Metadata": {"Steps": "1. Look."}} | more)


def folder_of(place: Path, *lines: str) -> Path:
    place.mkdir(exist_ok=True)
    (place / "metadata.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return place


def test_questions_are_read_and_chosen(tmp_path: Path) -> None:
    (tmp_path / "b2.txt").write_text("four", encoding="utf-8")
    folder = folder_of(
        tmp_path, line("a1", file_path=""), line("b2", level=2, file_name="b2.txt"), "", line("b3", level=3), line("c4", "?")
    )
    found = questions_in(folder)
    assert [(each.task_id, each.level) for each in found] == [("a1", 1), ("b2", 2), ("b3", 3)]  # of c4 there is no answer
    assert found[0].task == f"What of a1?\n\nWhat is the answer, {FORM}?"
    assert found[1].task == f"What of b2?\n\nUse b2.txt. What is the answer, {FORM}?"
    assert [each.task_id for each in questions_in(folder, 2)] == ["b2"]
    assert [each.task_id for each in questions_in(folder, only=["b"])] == ["b2", "b3"]
    assert list(suite.wanted(found[:2], (1, 2))) == [("a1", 1), ("b2", 1), ("a1", 2), ("b2", 2)]
    for level, only in ((1, ["b2"]), (None, ["z"])):
        with pytest.raises(UsageError, match="no question"):
            questions_in(folder, level, only)
    with pytest.raises(UsageError, match="level 3"):
        questions_in(folder_of(tmp_path, line("a1")), 3)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([line("a1", level=4)], "line 1: Level"),
        ([line("a1"), "{"], "line 2"),
        ([line("a1"), line("a1")], "twice"),
        ([line("../up")], "task_id"),
        ([line("a1", file_name="../up.txt")], "file_name"),
        ([line("a1", file_name="a1.xlsx")], "a1.xlsx"),
        ([line("a1").replace("Final answer", "answer")], "Final answer"),
    ],
)
def test_a_folder_that_is_not_in_order_is_told_so(tmp_path: Path, lines: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        questions_in(folder_of(tmp_path, *lines))


def test_where_gaia_is_had_from_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder") as mistyped:
        questions_in(tmp_path / "gai")
    assert "huggingface" not in mistyped.value.hint
    with pytest.raises(UsageError) as raised:
        questions_in(tmp_path)
    assert "huggingface.co/datasets/gaia-benchmark/GAIA" in raised.value.hint
    assert "stays with its owner" in raised.value.hint
    (tmp_path / "metadata.parquet").touch()
    with pytest.raises(UsageError) as raised:
        questions_in(tmp_path)
    assert "metadata.parquet" in raised.value.hint
    with pytest.raises(UsageError, match="public answer"):
        questions_in(folder_of(tmp_path, line("a1", "?")))


def test_the_questions_of_our_own_are_whole() -> None:
    questions = questions_in(OWN)
    assert len(questions) == 20
    assert [sum(each.level == level for each in questions) for level in (1, 2, 3)] == [8, 8, 4]
    kinds = {Path(each.file_name).suffix for each in questions}
    assert kinds == {"", ".xlsx", ".pdf", ".png", ".mp3", ".zip", ".py", ".csv", ".docx"}
    listed = {each.file_name for each in questions} | {"metadata.jsonl", "make.py", "files.py", "README.md", ""}
    assert {each.name for each in OWN.iterdir() if each.is_file()} <= listed
    for question in questions:
        assert right(question.answer, question.answer)
        assert not right("", question.answer)
        assert question.file_name in ("", question.task_id + Path(question.file_name).suffix)


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no ffmpeg on this machine")
def test_the_questions_can_be_made_anew(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-B", OWN / "make.py", tmp_path], check=True, env={"PATH": "/usr/bin:/bin"})
    assert (tmp_path / "metadata.jsonl").read_text("utf-8") == (OWN / "metadata.jsonl").read_text("utf-8")
    made = {each.name for each in tmp_path.iterdir()}
    assert made == {each.name for each in OWN.iterdir() if each.is_file()} - {"make.py", "files.py", "README.md"}
    for name in made:
        if Path(name).suffix in (".py", ".csv"):  # others depend on the versions of what writes them
            assert (tmp_path / name).read_bytes() == (OWN / name).read_bytes()


# -- runs, without a desktop


def accepting(asked: list[str]) -> PythonResponder:
    """A person who goes along with everything. ``asked``: what they are asked about, and by whom."""

    async def reply(question: ReplyQuestion) -> Response:
        asked.extend((question.type, question.role))
        return Accepted()

    async def operation(question: OperationQuestion) -> Response:
        asked.extend((question.type, question.role))
        return Approval(allowed=True)

    return PythonResponder(reply=reply, operation=operation)


def reading(name: str, number: int) -> Believer:
    """A crew that reads the question's file and believes what is in it."""
    steps = (({"function": "read_file", "file_path": f"{name}.txt"},),)
    return Believer(Part(steps, says=f"It is {number}.", answer=str(number)))


async def asked(
    tmp_path: Path, name: str, regime: suite.Regime, loaded: Model | None = None, human: Responder | None = None, **more: Any
) -> tuple[Trial, Journal]:
    """A question about the number in a file, which is 4,711, asked without a desktop."""
    folder = folder_of(tmp_path / name, line(name, "4711", file_name=f"{name}.txt"))
    (folder / f"{name}.txt").write_text("The number is 4,711.\n", encoding="utf-8")
    setting, (question,) = suite.Setting(folder, regime, "none"), questions_in(folder)
    runs: list[Journal] = []
    trial = await suite.attempt(
        question, 1, setting, settings_in(tmp_path), loaded=loaded, human=human,
        watch=lambda event, journal: runs.append(journal) if not runs else None, **more,
    )  # fmt: skip
    return trial, runs[0]


async def test_the_controls_get_all_and_nothing(tmp_path: Path) -> None:
    for model, good in (("oracle", True), ("no-op", False)):
        trial, _ = await asked(tmp_path, "a1", "alone", by=(model, "default", True, ()))
        assert (trial.right, trial.success, trial.broken, trial.lost) == (good, good, False, False)
        assert "4711" not in trial.said
    assert list((settings_in(tmp_path).data / "workspaces").iterdir()) == []  # the files of questions do not stay


async def test_an_answer_that_differs_as_a_text_counts(tmp_path: Path) -> None:
    said = Believer(Part((), says="It is $4,711.", answer="$4,711"))
    trial, journal = await asked(tmp_path, "a1", "alone", said, by=SCRIPTED)
    assert (trial.answer, trial.right, trial.level, trial.regime) == ("$4,711", True, 1, "alone, desktop none")
    started = journal.state.started
    assert started is not None
    assert (started.mode, started.attachments) == ("automatic", ("a1.txt",))
    trial, _ = await asked(tmp_path, "a1", "alone", Believer(Part((), says="It is 4.", answer="4")), by=SCRIPTED)
    assert (trial.right, trial.said) == (False, "'4' is not the answer")


async def test_a_person_takes_part_first_and_what_that_taught_is_recalled_after(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    first, second = (Question(task_id=name, Question=f"What of {name}?", Level=1, **{"Final answer": "4711"},
                              file_name=f"{name}.txt") for name in ("a1", "b2"))  # fmt: skip
    with pytest.raises(UsageError, match="Nothing is remembered"):
        suite.check_memory([second], settings)
    roles: list[str] = []
    trial, journal = await asked(tmp_path, "a1", "active", reading("a1", 4711), accepting(roles), by=SCRIPTED)
    assert (trial.outcome, trial.right, trial.regime) == ("done", True, "active, desktop none")
    assert journal.state.started is not None
    assert journal.state.started.mode == "active"
    assert {"FinalAnswer", "reply", "operation"} <= set(roles)
    suite.check_memory([second], settings)
    with pytest.raises(UsageError, match="these very questions: a1"):
        suite.check_memory([first, second], settings)
    roles.clear()
    trial, journal = await asked(tmp_path, "b2", "recalling", reading("b2", 4711), accepting(roles), by=SCRIPTED)
    assert (trial.right, trial.regime, roles) == (True, "recalling, desktop none", [])
    assert [hit for body in bodies(journal, Recalled) for hit in body.hits]
    with pytest.raises(UsageError, match="these very questions: a1"):  # and not b2: nothing of that one is kept
        suite.check_memory([first, second], settings)


def test_series_of_other_regimes_are_other_series(tmp_path: Path) -> None:
    file = tmp_path / "trials.jsonl"
    first = Trial(
        suite="gaia", task="a1", seed=1, model="m", crew="c", pool=True, level=1, regime="alone", run="r", agents=1, used=1,
        infeasible=False, right=True, said="", outcome="unverified", reason="", why="", answer="4",
        calls=1, input=1, output=1, cached=0, seconds=1.0,
    )  # fmt: skip
    for level, regime, good in ((1, "alone", True), (1, "recalling", False), (2, "alone", False)):
        changed = {"task": f"a{level}", "level": level, "regime": regime, "right": good}
        keep(file, first.model_copy(update=changed))
    by: By = ("m", "c", True, ())
    assert list(finished(file, by, "gaia", "alone")) == [("a1", 1), ("a2", 1)]
    assert list(finished(file, by, "gaia", "recalling")) == [("a1", 1)]
    series = series_of(file)
    assert [named(*each) for each in series] == ["c, alone, m", "c, recalling, m"]
    of_level = levels(series[by, "alone"])
    assert {level: summed.success.share for level, summed in of_level.items()} == {1: 1.0, 2: 0.0}  # right is enough
    page = report({named(*each): trials for each, trials in series.items()})
    assert "GAIA" in page
    assert "target" not in page


def test_the_command_goes_on_and_says_which_regime_it_was(tmp_path: Path, cli: Cli) -> None:
    folder = folder_of(tmp_path / "q", line("a1", "4711"), line("b2", "a, b", 2))
    command = ("bench", "gaia", "--questions", str(folder), "--data", str(tmp_path / "data"), "--model", "oracle")
    ended = cli(*command, "--level", "1", "--jsonl", str(tmp_path / "t.jsonl"))
    assert ended.code == 0, ended.err
    assert "alone: 1 trial of 1 task: success 100%" in ended.out
    ended = cli(*command, "--jsonl", str(tmp_path / "t.jsonl"), "--json")
    said = ended.json
    assert (said["regime"], sorted(said["levels"]), said["totals"]["success"]["share"]) == ("alone", ["1", "2"], 1.0)
    assert len((tmp_path / "t.jsonl").read_text().splitlines()) == 2
    for regime, more, why in (
        ("active", (), "not a terminal"),
        ("recalling", (), "Nothing is remembered"),
        ("recalling", ("--no-memory",), "without memory"),
    ):
        ended = cli(*command, "--regime", regime, *more)
        assert ended.code != 0
        assert why in ended.err
    ended = cli(*command[:4], "--regime", "active")
    assert "--data" in ended.err
    for crew, why in (("nope", "There is no crew 'nope'"), ("", "is empty")):
        ended = cli(*command, "--crew", crew)
        assert ended.code == 2
        assert why in ended.err
