"""Which operations of a branch are done again, with the looks before and after; and the picture of two looks."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from deskcrew.engine.replay.picture import CAPTION, GAP, side_by_side
from deskcrew.environments.marks import HIGHLIGHT
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Control, Evidence, Observation
from deskcrew.facts.verdict import Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.repeating.recording import recording, steps

CHANGED, NOTHING = Evidence(pixels_changed=True, windows_opened=("W",)), Evidence()


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    started = e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    journal = Store(tmp_path / "journal.db").create(started)
    look(journal, "first")
    return journal


def look(journal: Journal, name: str, evidence: Evidence = CHANGED, cause: e.Event | None = None) -> None:
    journal.append(e.Observed(observation=name, evidence=evidence), cause=cause)


def do(journal: Journal, name: str, *, ok: bool = True, evidence: Evidence = CHANGED, verdict: str = "continue") -> None:
    """One operation, called ``name``, with the look after it of the same name."""
    operation = e.Operation(function=name)
    proposed = journal.append(e.OperationProposed(role="R", subtask="1", operation=operation, intention=f"to {name}"))
    started = journal.append(e.ActionStarted(role="R", subtask="1", operation=operation, effect="lasting"), cause=proposed)
    finished = journal.append(e.ActionFinished(role="R", subtask="1", operation=operation, ok=ok), cause=started)
    look(journal, f"after {name}", evidence, finished)
    body = e.Judged(scope="effect", verdict=Verdict(kind=verdict), by="rules")  # type: ignore[arg-type]
    journal.append(body, cause=finished)


def found(journal: Journal) -> list[tuple[str, str, str, bool]]:
    return [
        (
            step.operation.function,
            step.before.observation if step.before else "",
            step.after.observation if step.after else "",
            step.held,
        )
        for step in steps(journal.events)
    ]


def test_looks_are_the_last_ones_before_and_after(journal: Journal) -> None:
    do(journal, "a")
    look(journal, "settled")
    do(journal, "b")
    assert found(journal) == [("a", "first", "settled", True), ("b", "settled", "after b", True)]
    assert [step.intention for step in steps(journal.events)] == ["to a", "to b"]


def test_what_failed_is_left_out_and_its_look_belongs_to_nobody(journal: Journal) -> None:
    do(journal, "a")
    do(journal, "b", ok=False, verdict="repair")
    do(journal, "c")
    assert found(journal) == [("a", "first", "after a", True), ("c", "after b", "after c", True)]


def test_what_did_not_hold_is_done_again_only_if_it_changed_something(journal: Journal) -> None:
    do(journal, "a", verdict="repair")
    do(journal, "b", evidence=NOTHING, verdict="repair")
    assert found(journal) == [("a", "first", "after a", False)]


def test_a_new_process_begins_with_another_screen(journal: Journal) -> None:
    do(journal, "a")
    journal.append(e.RunResumed())
    look(journal, "new desktop")
    do(journal, "b")
    assert found(journal) == [("a", "first", "after a", True), ("b", "new desktop", "after b", True)]


def test_a_denied_operation_was_not_done(journal: Journal) -> None:
    operation = e.Operation(function="a")
    journal.append(e.OperationProposed(role="R", subtask="1", operation=operation))
    journal.append(e.OperationDenied(rule="r", risk="write"))
    assert found(journal) == []


def screen(colour: str) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (200, 100), colour).save(target, "PNG")
    return target.getvalue()


def test_what_was_done_at_several_desks_is_not_done_again_at_one(journal: Journal) -> None:
    do(journal, "one")
    journal.append(e.Observed(observation="there", desk=2))
    with pytest.raises(UsageError, match="several"):
        recording(journal)


def test_the_expected_control_is_marked_on_the_left() -> None:
    meant = Control(label="5", role="button", name="Save", box=Box(x=50, y=50, width=60, height=30), window=1)
    other = meant.model_copy(update={"label": "6", "box": Box(x=0, y=0, width=20, height=20)})
    then = Observation(controls=(meant, other), screenshot=screen("blue"))
    now = Observation(controls=(meant,), screenshot=screen("green"))
    data = side_by_side((then, "5", "the button"), (now, "nothing\nof the kind " * 20))
    assert data is not None
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.size == (400 + 3 * GAP, 100 + CAPTION + GAP)
        assert picture.getpixel((GAP + 109, CAPTION + 79)) == HIGHLIGHT
        assert picture.getpixel((GAP + 19, CAPTION + 19)) == (0, 0, 255)
        assert picture.getpixel((200 + 2 * GAP + 109, CAPTION + 79)) == (0, 128, 0)


def test_without_any_picture_there_is_none() -> None:
    assert side_by_side((Observation(), None, "a"), (Observation(), "b")) is None
    data = side_by_side((Observation(), None, "a"), (Observation(screenshot=screen("red")), "b"))
    assert data is not None
