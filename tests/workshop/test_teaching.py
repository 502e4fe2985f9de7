"""A person shows how something is done on a real virtual desktop: with mouse and keyboard of a client of their own, as they
come through the web app. What they do becomes a skill, which repeats it with other values."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import Opened, RunRequest
from deskcrew.engine.workshop.keeping import Corrections, kept, skill_files
from deskcrew.engine.workshop.showing import checks_of, step_words
from deskcrew.engine.workshop.teaching import teach
from deskcrew.engine.workshop.trying import chosen, request_for, try_skill
from deskcrew.environments.browser.launch import program
from deskcrew.environments.desk import Desk
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.screen.input import Input
from deskcrew.environments.linux.screen.x11 import Display
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.contract import TypedCheck
from deskcrew.facts.events import Event, HumanSaid
from deskcrew.facts.observation import Control, Observation
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.folders import parse
from deskcrew.learning.skills.skill import Method, Skill
from deskcrew.learning.skills.trials import FIRST, OFFERED, STEP
from support.crew import bodies, settings_in
from support.waiting import LATEST

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]

PACE = 0.7
"""Seconds between two things that a person does."""


@dataclass
class Person:
    """Somebody at the desktop of a run, with a mouse and a keyboard of their own."""

    human: PythonResponder = field(default_factory=PythonResponder)
    journal: Journal | None = None
    desk: Desk | None = None
    _display: Display | None = None

    def watch(self, event: Event, journal: Journal) -> None:
        self.journal = journal

    def lent(self, desk: Desk) -> None:
        self.desk = desk

    @property
    def desktop(self) -> LinuxDesktop:
        assert self.desk is not None
        assert isinstance(self.desk.desktop, LinuxDesktop)
        return self.desk.desktop

    async def sits_down(self) -> None:
        """Wait until the run is theirs."""
        deadline = time.monotonic() + LATEST
        while self.journal is None or self.journal.state.held != "take_over":
            assert time.monotonic() < deadline
            await anyio.sleep(0.1)
        await anyio.sleep(PACE)

    @property
    def hands(self) -> Input:
        if self._display is None:
            assert self.desktop._dial is not None  # pyright: ignore[reportPrivateUsage]
            self._display = Display(self.desktop._dial())  # pyright: ignore[reportPrivateUsage]
        return Input(self._display)

    def gets_up(self) -> None:
        if self._display is not None:
            self._display.close()
        self.human.say(HumanSaid(kind="hand_back"))

    async def finds(self, wanted: Callable[[Control], bool]) -> Control:
        """A control on the screen, once it is there."""
        deadline = time.monotonic() + LATEST
        while True:
            seen: Observation = self.desktop._last or Observation()  # pyright: ignore[reportPrivateUsage]
            if found := next((each for each in seen.controls if wanted(each)), None):
                await anyio.sleep(PACE)
                return found
            assert time.monotonic() < deadline, [(each.role, each.name) for each in seen.controls]
            await anyio.sleep(0.1)

    async def clicks(self, role: str, name: str) -> None:
        found = await self.finds(lambda each: each.role == role and each.name == name)
        self.hands.click(*found.box.centre)
        await anyio.sleep(PACE)

    async def types(self, text: str) -> None:
        self.hands.type(text)
        await anyio.sleep(PACE)

    async def presses(self, *keys: str) -> None:
        self.hands.press(keys)
        await anyio.sleep(PACE)


@asynccontextmanager
async def taught(folder: Path, *opened: Opened, task: str = "Note the total") -> AsyncGenerator[Person]:
    """A run in which a person shows something; it has ended afterwards."""
    person = Person()
    work = folder / "shown"
    work.mkdir(exist_ok=True)
    request = RunRequest(task=task, workspace=work, desktop="virtual", opened=opened, crew="planned")

    async def run() -> None:
        with anyio.fail_after(120):
            await teach(request, settings_in(folder), human=person.human, watch=person.watch, lend=person.lent)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await person.sits_down()
        yield person
        person.gets_up()


def skill_of(journal: Journal, corrections: Corrections, name: str = "note-total") -> Skill:
    method = kept(journal, corrections=corrections)
    return parse(name, skill_files(name, "Notes a total.", method), name)


def steps_of(method: Method) -> list[str]:
    return [step_words(step) for step in method.steps]


async def write_a_note(person: Person) -> None:
    await person.types("Total: 42")
    await person.presses("ctrl", "s")
    await person.finds(lambda each: each.role == "text field" and each.name == "Name:")
    await person.types("report.txt")
    await person.clicks("button", "Save")
    await anyio.sleep(PACE)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    folder = tmp_path_factory.mktemp("taught")
    needs_desktop()

    async def show() -> Journal:
        async with taught(folder, Opened(name="Mousepad")) as person:
            await write_a_note(person)
        assert person.journal is not None
        return person.journal

    return anyio.run(show)


def outcome(journal: Journal) -> Outcome:
    assert journal.state.outcome is not None
    return journal.state.outcome


async def test_what_was_done_stands_in_the_journal_as_operations(source: Journal) -> None:
    assert outcome(source).status == "done", outcome(source).why
    method = kept(source)
    assert steps_of(method) == [
        'open_application app_name="Mousepad"',
        "keyboard_input keys=\"Total: 42\" on text area ''",
        'hotkey keys=["ctrl", "s"]',
        "keyboard_input keys=\"report.txt\" on text field 'Name:'",
        "click_input on button 'Save'",
    ]
    assert [(each.name, each.kind, each.value) for each in method.parameters] == [
        ("text1", "text", "Total: 42"),
        ("file1", "file", "report.txt"),
    ]
    assert checks_of(method) == ("report.txt contains 'Total: 42' and nothing else",)
    said = [body.kind for body in bodies(source, e.HumanSaid)]
    assert said == ["take_over", "hand_back"]


async def test_where_nothing_was_done_that_is_the_reason(tmp_path: Path) -> None:
    async with taught(tmp_path) as person:
        pass
    assert person.journal is not None
    assert outcome(person.journal).status == "failed"
    assert outcome(person.journal).why == "nothing was done before the desktop was handed back"


async def test_there_is_no_crew_in_it_to_replay(source: Journal) -> None:
    with pytest.raises(UsageError, match="demonstrated by a person"):
        await replay(source)


@pytest.mark.deep
async def test_it_is_repeated_with_other_values_and_offered_after_two_inputs(source: Journal, tmp_path: Path) -> None:
    skill = skill_of(source, Corrections(params=("note=Total: 42", "report=report.txt")))
    settings = settings_in(tmp_path)
    scores: list[tuple[int, int]] = []
    for number, (note, report) in enumerate((("Sum of June: 355", "june.txt"), ("Nothing", "july.txt"))):
        work = tmp_path / str(number)
        work.mkdir()
        live = LiveRequest(replace(request_for(skill, settings), workspace=work), patience=3)
        values = chosen(skill, (f"note={note}", f"report={report}"))
        found = await try_skill(skill, values, live, settings)
        assert outcome(found.live.journal).status == "done", outcome(found.live.journal).why
        assert (work / report).read_text() == note
        assert bodies(found.live.journal, e.RoleCalled) == []
        scores.append(found.score)
    assert scores == [(FIRST, FIRST + STEP), (FIRST + STEP, OFFERED)]


@pytest.mark.deep
async def test_a_replaced_name_serves_for_another_file(tmp_path: Path) -> None:
    rota = tmp_path / "shown" / "june.txt"
    rota.parent.mkdir()
    rota.write_text("Mon Anna\nTue Bob\nWed Anna\n")
    async with taught(tmp_path, Opened(name="Mousepad", file="june.txt")) as person:
        await person.presses("ctrl", "r")
        await person.finds(lambda each: each.role == "check box" and each.name == "Replace all in:")
        await person.types("Anna")
        await person.presses("tab")
        await person.types("Zoe")
        for role, name in (("check box", "Replace all in:"), ("button", "Replace All"), ("button", "Close")):
            await person.clicks(role, name)
        await anyio.sleep(PACE)
        await person.presses("ctrl", "s")
        await anyio.sleep(PACE)
    assert person.journal is not None
    assert rota.read_text() == "Mon Zoe\nTue Bob\nWed Zoe\n"
    assert outcome(person.journal).status == "done", outcome(person.journal).why
    skill = skill_of(person.journal, Corrections(), "replace-name")
    assert checks_of(skill.method) == ("june.txt is what it was at the start, with 'Anna' replaced by 'Zoe'",)
    work = tmp_path / "again"
    work.mkdir()
    (work / "july.txt").write_text("Mon Carl\nTue Anna\nWed Carl\n")
    settings = settings_in(tmp_path)
    live = LiveRequest(replace(request_for(skill, settings), workspace=work), patience=3)
    names = {each.value: each.name for each in skill.method.parameters}
    new = (("june.txt", "july.txt"), ("Anna", "Carl"), ("Zoe", "Eva"))
    values = chosen(skill, tuple(f"{names[old]}={value}" for old, value in new))
    found = await try_skill(skill, values, live, settings)
    assert outcome(found.live.journal).status == "done", outcome(found.live.journal).why
    assert (work / "july.txt").read_text() == "Mon Eva\nTue Anna\nWed Eva\n"


def test_a_person_corrects_what_is_proposed(source: Journal) -> None:
    there = TypedCheck(kind="file_exists", target="report.txt")
    corrections = Corrections(params=("note=Total: 42",), fixed=("file1",), dropped=(1,), unchecked=(1,), checks=(there,))
    method = kept(source, corrections=corrections)
    assert [each.name for each in method.parameters] == ["note"]
    assert steps_of(method)[0].startswith("keyboard_input")
    assert checks_of(method) == ("report.txt exists",)


@pytest.mark.parametrize(
    ("corrections", "told"),
    [
        (Corrections(dropped=(6,)), "There is no step 6"),
        (Corrections(dropped=(1, 2, 3, 4, 5)), "needs a step"),
        (Corrections(unchecked=(2,)), "There is no check 2"),
        (Corrections(fixed=("month",)), "No parameter 'month'"),
        (
            Corrections(checks=(TypedCheck(kind="file_contains", target="gone.txt", text="x"),)),
            "It did not: it does not exist",
        ),
        (Corrections(checks=(TypedCheck(kind="file_absent", target="gone.txt"),)), "must not hold at the start already"),
    ],
)
def test_corrections_that_cannot_be_are_refused(source: Journal, corrections: Corrections, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        kept(source, corrections=corrections)


def test_a_skill_without_checks_is_refused(source: Journal) -> None:
    with pytest.raises(UsageError, match="needs a check"):
        kept(source, corrections=Corrections(unchecked=(1,)))


PAGE = """<!doctype html><title>Sign in</title><meta charset=utf-8>
<form onsubmit="out.textContent = 'Order of ' + who.value + ': ' + colour.value; return false">
<label>User <input id=who></label> <label>Password <input type=password id=word></label>
<label>Colour <select id=colour><option>red<option>green<option>blue</select></label>
<button>Send</button></form><p id=out></p>"""
ORDER = PAGE.replace(" <label>Password <input type=password id=word></label>", "").replace("Send", "Show")
WORD = "Xylophone-77"


def holds(folder: Path, text: str) -> list[Path]:
    """Files that hold a text, plain."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.deep
@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("pause", [PACE, 0.0])
async def test_what_is_typed_into_a_password_field_is_written_down_nowhere(tmp_path: Path, pause: float) -> None:
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "sign-in.html").write_text(PAGE)
    async with taught(tmp_path, Opened(name="Chromium", file="sign-in.html")) as person:
        user = await person.finds(lambda each: each.role == "text field" and each.name == "User")
        person.hands.click(*user.box.centre)
        await anyio.sleep(PACE)
        for text in ("Ann", WORD):
            person.hands.type(text)
            await anyio.sleep(pause)
            person.hands.press(("tab",))
            await anyio.sleep(pause)
        await person.clicks("button", "Send")
        await anyio.sleep(PACE)
    assert person.journal is not None
    assert holds(tmp_path / "data", WORD) == []
    typed = [
        body.operation.params for body in bodies(person.journal, e.OperationProposed) if "keys" in body.operation.params
    ]
    assert {"keys": "Ann"} in typed or pause == 0
    if pause:
        assert {"keys": "{{secret:password}}"} in typed
        assert kept(person.journal).provenance.secrets == ("password",)


@pytest.mark.deep
@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
async def test_a_form_on_a_page_is_filled_in_with_other_values(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "sign-in.html").write_text(ORDER)
    async with taught(tmp_path, Opened(name="Chromium", file="sign-in.html"), task="Order for somebody") as person:
        await person.clicks("text field", "User")
        await person.types("Ann")
        await person.clicks("combo box", "Colour")
        await person.presses("down")
        await person.presses("down")
        await person.presses("enter")
        await person.clicks("button", "Show")
        await anyio.sleep(PACE)
    assert person.journal is not None
    assert outcome(person.journal).status == "done", outcome(person.journal).why
    skill = skill_of(person.journal, Corrections(params=("who=Ann",)), "order")
    values = {each.name: each.value for each in skill.method.parameters}
    assert values == {"file1": "sign-in.html", "who": "Ann", "colour": "blue"}
    work = tmp_path / "again"
    work.mkdir()
    (work / "sign-in.html").write_text(ORDER)
    settings = settings_in(tmp_path)
    live = LiveRequest(replace(request_for(skill, settings), workspace=work), patience=3)
    found = await try_skill(skill, chosen(skill, ("who=Bo Peep", "colour=green")), live, settings)
    assert outcome(found.live.journal).status == "done", outcome(found.live.journal).why
    shown = found.live.journal.events
    last = next(event.body for event in reversed(shown) if isinstance(event.body, e.Observed))
    assert "Order of Bo Peep: green" in found.live.journal.read_blob(last.observation).decode()
