"""What a run with several desktops or browsers is told by: each operation by what was seen where its lane works."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.engine import rewind
from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Control, Observation, Screen, Window
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.ways_in.report.inspection import look_at, picture_at
from deskcrew.ways_in.report.operations import Looks, in_words
from deskcrew.ways_in.report.render import lines
from deskcrew.ways_in.web.screen import screen_at, words

BOX = Box(x=0, y=0, width=9, height=9)
PRESS = e.Operation(function="click_input", control="1")
NAMES = ("Apples", "Pears")
PATCH = PlanPatch(add=tuple(Subtask(id=id, goal=f"do {id}", role="Searcher") for id in ("1", "2")))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Two lanes, each at a desk of its own, where the same label is of another button. Both look, then both press."""
    begun = e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="browser")
    journal = Store(tmp_path / "journal.db").create(begun, run="desks")
    journal.append(e.PlanPatched(by="Planner", patch=PATCH, plan=Plan().patched(PATCH)))
    journal.append(e.LanesOpened(subtasks=("1", "2"), desks={"2": 2}))
    for lane, name in (("1", "Apples"), ("2", "Pears")):
        journal.state.enter(lane)
        control = Control(label="1", role="button", name=f"Order {name}", box=BOX, window=1)
        window = Window(id=1, title=name, app="Chromium", box=BOX, active=True)
        seen = Observation(screen=Screen(width=9, height=9), windows=(window,), controls=(control,))
        look, picture = journal.blob(seen.model_dump_json()), journal.blob(name)
        journal.append(e.Observed(observation=look, screenshot=picture, windows=(name,), desk=int(lane)))
    for lane in ("1", "2"):
        journal.state.enter(lane)
        journal.append(e.OperationProposed(role="Searcher", subtask=lane, operation=PRESS))
    journal.commit()
    return journal


def proposals(journal: Journal) -> list[e.Event]:
    return [event for event in journal.events if isinstance(event.body, e.OperationProposed)]


def test_what_is_pressed_is_named_as_its_lane_saw_it(journal: Journal) -> None:
    looks = Looks(journal)
    assert [in_words(PRESS, looks.before(event)) for event in proposals(journal)] == [
        f'Click "Order {name}" in {name}' for name in NAMES
    ]


def test_the_picture_at_an_event_is_that_of_its_lane(journal: Journal) -> None:
    for event, name in zip(proposals(journal), NAMES, strict=True):
        assert journal.read_blob(picture_at(journal, event.number)[1].screenshot).decode() == name
        assert look_at(journal, event.number)[1].windows == (name,)


def test_a_page_shows_the_screen_of_the_lane_and_says_which_it_is(tmp_path: Path, journal: Journal) -> None:
    reading = Store(tmp_path / "journal.db").reading("desks")
    for event, name in zip(proposals(journal), NAMES, strict=True):
        screen = screen_at(reading, reading.track(event.number), event.number)
        assert screen is not None
        assert screen.windows == (name,)
        assert screen.where == f"desk {event.header.lane}, subtask {event.header.lane}"
        assert screen.pointed is not None
        assert screen.pointed.number == event.number
        assert words(reading, reading.track(0), event.number, PRESS) == f'Click "Order {name}" in {name}'


def test_a_line_says_at_which_desk_something_is_done_and_seen(journal: Journal) -> None:
    told = [line.plain for event in journal.events for line in lines(event)]
    assert "at once 1, 2 of the plan; 2 at desk 2" in told
    assert "saw 1 window, 0 controls at desk 2" in told
    assert "saw 1 window, 0 controls" in told


def test_what_is_open_again_at_a_desk_is_what_was_open_there(journal: Journal) -> None:
    for lane in ("1", "2"):
        journal.state.enter(lane)
        journal.append(e.Observed(observation="", desk=int(lane)))
    assert rewind.desks(journal.events) == (1, 2)
    for desk in ("1", "2"):
        lanes = [event.header.lane for event in rewind.at_desk(journal.events, int(desk)) if event.header.lane]
        assert lanes == [desk] * 3, "the looks there, and what was pressed there"
