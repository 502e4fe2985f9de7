"""Lessons are proposed, taken on copies, and kept where they were proven; what ends it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import own_skills
from deskcrew.engine.workshop.learning import NOTHING_NEW, LearningSession, LearningWish, Material, learn, material_of
from deskcrew.errors import UsageError
from deskcrew.journal.store import Store
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.learning.skills.course import Lesson, TakenLesson, course_file, taken_in
from deskcrew.learning.skills.folders import load, read
from deskcrew.learning.skills.trials import OFFERED
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Limits, Settings
from deskcrew.ways_in.report.learning import curve, summary, write_page
from support.crew import settings_in

pytestmark = pytest.mark.anyio

ADD = {"function": "run_python_code", "code": "print(sum(map(int, open('numbers.txt').read().split())))"}
PROBE = """
def requirement_1(start, end):
    total = sum(map(int, (start / "numbers.txt").read_text().split()))
    said = (end / "{file}").read_text()
    return said == f"{label} {{total}}", f"sum {{total}}, said {{said}}"
"""


def lesson(name: str, label: str = "Total:", file: str = "sum.txt", what: str = "Add up", **others: str) -> dict[str, Any]:
    return {
        "name": name,
        "task": f'{what} numbers.txt and write "{label}" and the sum into {file}.',
        "files": ["numbers.txt"],
        "others": [{"value": value, "other": other} for value, other in others.items()],
    }


class Crew:
    """Proposes the lessons it is given, batch by batch, and does them; ``wrong``: names of those that it gets wrong."""

    def __init__(self, *batches: list[dict[str, Any]], wrong: tuple[str, ...] = (), seconds: float = 0.0) -> None:
        self.batches, self.wrong, self.turn = list(batches), wrong, 0
        self.teaching: list[Call] = []
        self.by_task = {each["task"]: each for batch in batches for each in batch}
        profile = Profile(name="scripted", context=128_000, contracts=True)
        self.model = ScriptedModel(itertools.repeat(self.reply), profile=profile, seconds=seconds)

    def reply(self, call: Call) -> Mapping[str, Any]:
        if call.role == "Teacher":
            self.teaching.append(call)
            return {"lessons": self.batches.pop(0) if len(self.batches) > 1 else self.batches[0]}
        told = call.text()
        now = next(each for task, each in self.by_task.items() if task in told or each["name"] in told)
        label, file = now["task"].split('"')[1], now["task"].removesuffix(".").split()[-1]
        roles: dict[str, Callable[[], Mapping[str, Any]]] = {
            "ContractWriter": lambda: {
                "requirements": [
                    {"parts": [1], "says": f"{now['task']}", "seen_by": "probe", "files": [file]},
                ],
                "context": [],
            },
            "Verifier": lambda: {"code": PROBE.format(file=file, label=label)},
            "Worker": lambda: self._work(now["name"], label, file),
        }
        return roles[call.role]()

    def _work(self, name: str, label: str, file: str) -> Mapping[str, Any]:
        self.turn += 1
        if self.turn % 2:
            return {"operations": [ADD], "branch": "Continue"}
        text = f"{label} 7" if name in self.wrong else f"{label} 1142"
        return {
            "operations": [{"function": "write_file", "file_path": file, "text": text}],
            "branch": "RoleTaskFinish" if name not in self.wrong else "Interrupt",
        }


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "numbers.txt").write_text("1100 42")
    return folder


def session_of(files: Path, budget: float = 600.0, **more: Any) -> LearningSession:
    wish = LearningWish(
        "adding up", budget, material_of(files), model="scripted:", crew="solo", limits=Limits(repairs=0), **more
    )
    return LearningSession(wish)


async def learnt(session: LearningSession, settings: Settings, crew: Crew) -> list[str]:
    lines: list[str] = []
    await learn(session, settings, model=crew.model, told=lines.append)
    return lines


@pytest.mark.deep
async def test_what_is_proven_is_kept_and_what_is_known_ends_it(tmp_path: Path, files: Path) -> None:
    first = lesson("add-up", **{"Total:": "Sum:", "sum.txt": "june.txt"})
    crew = Crew(
        [first, lesson("add-up-wrongly", "Wrong:", "wrong.txt", "Find the sum of")], [first], wrong=("add-up-wrongly",)
    )
    session, settings = session_of(files), settings_in(tmp_path)
    lines = await learnt(session, settings, crew)
    right, wrong = session.taken
    assert (right.outcome, right.learnt, right.skill, right.score) == ("done", "skill", "add-up", OFFERED), right
    assert (wrong.outcome, wrong.learnt) == ("failed", ""), wrong
    assert load(read(own_skills(settings) / "add-up", "user")).method.provenance.run == right.run
    assert {entry.run for entry in memory_of(settings).all()} == {right.run}
    assert session.ended == "no lessons", "what is proposed the second time was taken"
    assert (files / "numbers.txt").read_text() == "1100 42"
    assert os.listdir(files) == ["numbers.txt"]
    assert "add-up-wrongly" in crew.teaching[1].text(), "who proposes is told what came of the lessons before"
    assert taken_in(course_file(settings.data, " Adding  up ")) == session.taken
    assert any("score 8 of 10" in line for line in lines)


@pytest.mark.deep
async def test_proposing_is_a_run_that_can_be_replayed(tmp_path: Path, files: Path) -> None:
    settings = settings_in(tmp_path)
    session = session_of(files)
    crew = Crew([lesson("add-up")])
    await learnt(session, settings, crew)
    store = Store(settings.journal)
    proposing = [store.journal(name) for name in {row.id for row in store.runs()} - {session.taken[0].run}]
    proposed = [journal for journal in proposing if journal.state.task == "Propose lessons about adding up"]
    assert len(proposed) == 2
    for journal in proposed:
        assert journal.verify() == []
        assert (await replay(journal)).difference is None


async def test_a_skill_that_fails_with_other_values_is_only_remembered(tmp_path: Path, files: Path) -> None:
    (files / "other.txt").write_text("no numbers")
    crew = Crew([lesson("add-up", **{"numbers.txt": "other.txt"})])
    session, settings = session_of(files), settings_in(tmp_path)
    await learnt(session, settings, crew)
    (taken,) = session.taken
    assert (taken.learnt, taken.skill) == ("memory", "")
    assert "did not work with other values" in taken.why
    assert not own_skills(settings).exists()


async def test_it_ends_when_nothing_new_comes(tmp_path: Path, files: Path) -> None:
    names = [f"wrong-{number}" for number in range(NOTHING_NEW + 1)]
    batch = [lesson(name, f"Label {name}:", f"{name}.txt") for name in names]
    crew = Crew(batch[:NOTHING_NEW], batch[NOTHING_NEW:], wrong=tuple(names))
    session = session_of(files, memory="off")
    await learnt(session, settings_in(tmp_path), crew)
    assert (session.ended, len(session.taken), session.learnt) == ("nothing new", NOTHING_NEW, 0)


@pytest.mark.deep
async def test_it_ends_with_its_budget(tmp_path: Path, files: Path) -> None:
    crew = Crew([lesson("add-up"), lesson("add-more", "More:", "more.txt")], seconds=0.5)
    session = session_of(files, budget=8.0)
    with anyio.fail_after(60):
        await learnt(session, settings_in(tmp_path), crew)
    assert session.ended == "budget"
    assert len(session.taken) < 2


async def test_what_was_learnt_is_kept_when_it_is_stopped(tmp_path: Path, files: Path) -> None:
    crew = Crew([lesson("add-up"), lesson("add-more", "More:", "more.txt")])
    session, settings = session_of(files), settings_in(tmp_path)
    with anyio.CancelScope() as scope:

        def told(text: str) -> None:
            if text.startswith("Lesson 2"):
                scope.cancel()

        await learn(session, settings, model=crew.model, told=told)
    assert (session.ended, [each.skill for each in session.taken]) == ("stopped", ["add-up"])
    assert taken_in(course_file(settings.data, "adding up")) == session.taken
    assert (own_skills(settings) / "add-up").is_dir()


def test_material_is_made_from_kinds_of_files_a_guide_and_a_program(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "c.csv", "letter.odt", ".hidden"):
        (tmp_path / name).write_text(name)
    guide = tmp_path / "guide.md"
    guide.write_text("Totals stand in the last row.")
    made = material_of(tmp_path, guide, "mousepad")
    assert ".csv (3), .md (1), .odt (1)" in made.words
    assert "Totals stand in the last row." in made.words
    assert made.words.startswith("The program: mousepad")
    assert {path.name for path in made.samples} == {"a.csv", "b.csv", "c.csv", "letter.odt", "guide.md"}
    assert material_of() == Material()
    with pytest.raises(UsageError, match="cannot be read"):
        material_of(guide=tmp_path / "none.pdf")


@pytest.mark.parametrize(
    ("learnt", "outcome", "why", "told"),
    [
        ("skill", "done", "", "learnt as a skill"),
        ("memory", "done", "It did not work with C.", "learnt, not as a skill: It did not work with C."),
        ("", "done", "", "known before"),
        ("", "failed", "no time", "failed: no time"),
    ],
)
def test_a_teacher_is_told_what_came_of_a_lesson_and_why(learnt: Any, outcome: str, why: str, told: str) -> None:
    lesson = Lesson(name="sum-of-column", task="Add up column B.")
    taken = TakenLesson(lesson=lesson, run="r", outcome=outcome, learnt=learnt, why=why, seconds=1, at=1)
    assert taken.words == f"sum-of-column: Add up column B. ({told})"


def test_the_report_draws_what_had_been_learnt(tmp_path: Path) -> None:
    def taken(name: str, learnt: Any, at: float) -> TakenLesson:
        made = Lesson(name=name, task=f"<b>{name}</b>")
        return TakenLesson(lesson=made, run="r", outcome="done", learnt=learnt, seconds=1, at=at)

    lessons = [taken("one", "skill", 10), taken("two", "", 20), taken("three", "memory", 40)]
    assert [(point.learnt, point.x) for point in curve(lessons)] == [(1, 215.0), (1, 430.0), (2, 860.0)]
    said = summary(lessons, seconds=60, why="The time is up.")
    assert said.startswith(
        "3 lessons in 1.0 min: 1 new skill, 1 remembered without one. The time is up.\nLearning curve: ▄▄█ 2"
    )
    write_page(tmp_path / "report.html", "adding <up>", lessons, seconds=60, why="The time is up.")
    page = (tmp_path / "report.html").read_text()
    assert page.count("<circle") == 3
    assert "adding &lt;up&gt;" in page
    assert "<b>one" not in page
    assert summary([], seconds=1, why="It was stopped.").endswith("It was stopped.")
