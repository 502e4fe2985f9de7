"""A run read a part at a time says the same as the run loaded and folded."""

from __future__ import annotations

import pytest

from deskcrew.errors import JournalError, UsageError
from deskcrew.facts import events as e
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import Verdict
from deskcrew.journal.branches import branches
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.store import Store
from support.places import Place


@pytest.fixture
def store(place: Place) -> Store:
    return place.store()


def replied(journal: Journal, role: str, tokens: int | None, cost: float | None = 0.5) -> e.Event:
    usage = e.Usage(input=tokens, output=tokens, cost=cost)
    return journal.append(e.RoleReplied(role=role, reply={"operations": []}, usage=usage, model="m", seconds=2.0), lane="1")


@pytest.fixture
def journal(store: Store) -> Journal:
    """Three branches: one left for another, that one for a third, and the first gone on with at its end."""
    begun = e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    made = store.create(begun, run="run")
    part = Subtask(id="1", goal="g", role="A")
    made.append(e.PlanPatched(by="rules", patch=PlanPatch(add=(part,)), plan=Plan(subtasks=(part,))))
    first = replied(made, "A", 10)
    end = replied(made, "B", 20, cost=None)
    made.branch_at(first, e.Rewound(role="B", guidance="otherwise"))
    second = replied(made, "A", 30)
    made.branch_at(second, e.Rewound(role="A"))
    made.append(e.Judged(scope="subtask", subtask="1", verdict=Verdict(kind="accept"), by="rules"), lane="1")
    made.branch_at(end, e.Rewound(undo=True))
    made.append(e.RoleReplied(role="A", reply={}, model="human"))
    made.commit()
    return made


def test_each_branch_is_the_path_to_its_end(store: Store, journal: Journal) -> None:
    reading = store.reading("run")
    assert reading.count == len(journal.all) == 10
    heads = [branch.head.number for branch in branches(journal)]
    assert sorted(reading.leaves()) == sorted(heads)
    for number in range(1, 11):
        track = reading.track(number)
        path = [event.number for event in path_to(journal.all, journal.event(number))]
        assert [place.number for place in reading.on(track)] == path
        assert [n for n in range(1, 11) if n in track] == path
        assert track.head == number
    assert reading.track() == reading.track(10)


def test_bodies_are_those_that_were_written(store: Store, journal: Journal) -> None:
    reading = store.reading("run")
    assert reading.events([3, 1, 7]) == [journal.event(3), journal.event(1), journal.event(7)]
    track = reading.track(8)
    assert [event.number for event in reading.back(track, 8, {"role_replied"})] == [6, 3]
    last = reading.last(track, 5, "role_replied", "rewound")
    assert last is not None
    assert last.number == 5
    assert reading.place(8).judged == "subtask accept"
    assert reading.accepted(track, 1) == ["1"]
    assert reading.accepted(reading.track(), 1) == []
    for number in (0, 11):
        with pytest.raises(UsageError):
            reading.event(number)


def test_what_roles_took_is_of_the_branch_and_unknown_stays_unknown(store: Store, journal: Journal) -> None:
    reading = store.reading("run")
    took = reading.spending(reading.track())
    assert (took["A"].calls, took["A"].input, took["A"].cost, took["A"].seconds) == (1, 10, 0.5, 2.0)
    assert (took["B"].input, took["B"].cost) == (20, None)
    assert [each.input for each in reading.spending(reading.track(6)).values()] == [40]


def test_what_was_added_is_added_to_what_was_read(store: Store, journal: Journal) -> None:
    reading = store.reading("run")
    before = reading.spending(reading.track())
    replied(journal, "A", None)
    replied(journal, "C", 7)
    journal.commit()
    assert reading.refresh() == 12
    track = reading.track()
    assert reading.spending(track) == store.reading("run").spending(track)
    a = reading.spending(track)["A"]
    assert (a.calls, a.input, a.untold, a.cost) == (2, 10, 1, 1.0)
    assert before["A"].calls == 1, "what was returned before is not changed"


def test_an_event_whose_header_is_no_json_is_named(place: Place, store: Store, journal: Journal) -> None:
    place.sql("UPDATE events SET header = 'gone' WHERE number = 4")
    with pytest.raises(JournalError, match="Event 4 of run run cannot be read") as raised:
        store.reading("run")
    assert raised.value.hint == "deskcrew verify run"
