"""What a run is said to have used."""

from __future__ import annotations

from pathlib import Path

from deskcrew.facts import events as e
from deskcrew.facts.observation import Evidence, FileEntry, moves
from deskcrew.journal.store import Store
from deskcrew.ways_in.report.totals import figures, totals


def test_a_call_that_nobody_answered_is_told(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(
        e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    )
    journal.append(e.RoleCalled(role="A", parts=(), model="m"))
    journal.append(e.RunFinished(outcome={"status": "failed", "reason": "model"}))  # type: ignore[arg-type]
    sums = totals(journal.events)
    assert (sums.calls, sums.unanswered) == (0, 1)
    told = dict(figures(sums))
    assert told["work"] == "0 model calls and 1 without an answer, 0 operations"
    assert told["cost"] == "unknown: no model answered"
    assert "tokens" not in told
    journal.append(e.RoleCalled(role="A", parts=(), model="m"))
    journal.append(e.RoleReplied(role="A", reply={}, model="m"))
    sums = totals(journal.events)
    assert (sums.calls, sums.unanswered) == (1, 1)


def test_what_no_model_reported_of_cached_tokens_is_left_out() -> None:
    replies = [
        event(2, 1.0, e.RoleReplied(role="A", reply={}, model="m", usage=e.Usage(input=9, output=1, cached=cached)))
        for cached in (None, 0, 4)
    ]
    told = [dict(figures(totals([reply])))["tokens"] for reply in replies]
    assert told == ["9 in, 1 out", "9 in, 1 out, 0 cached", "9 in, 1 out, 4 cached"]


def test_of_two_that_are_asked_at_once_each_is_answered(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(
        e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    )
    calls = [journal.append(e.RoleCalled(role=role, parts=(), model="m")) for role in "AB"]
    for call, role in zip(calls[::-1], "BA", strict=True):
        journal.append(e.RoleReplied(role=role, reply={}, model="m"), cause=call)
    sums = totals(journal.events)
    assert (sums.calls, sums.unanswered) == (2, 0)


def event(number: int, time: float, body: e.Body, lane: str = "") -> e.Event:
    header = e.Header(run="0101-aaaa", number=number, parent=None, time=time, type=body.type, lane=lane)
    return e.Event(id=f"{number:064d}", header=header, digest="d" * 64, body=body)


def test_lanes_that_wait_at_once_wait_once() -> None:
    called = [e.RoleCalled(role="A", subtask=lane, parts=(), model="m") for lane in "12"]
    replied = [e.RoleReplied(role="A", subtask=lane, reply={}, model="m", seconds=9.0) for lane in "12"]
    events = [
        event(1, 0.0, e.LanesOpened(subtasks=("1", "2"))),
        *(event(2 + at, 1.0, body, lane) for at, (body, lane) in enumerate(zip(called, "12", strict=True))),
        *(event(4 + at, 10.0, body, lane) for at, (body, lane) in enumerate(zip(replied, "12", strict=True))),
    ]
    assert dict(figures(totals(events)))["time"] == "10 s, of which 9.0 s waiting for the model"


def test_the_time_until_a_run_was_continued_is_no_waiting() -> None:
    events = [
        event(1, 0.0, e.RoleCalled(role="A", parts=(), model="m")),
        event(2, 3600.0, e.RunResumed()),
        event(3, 3600.5, e.RoleCalled(role="A", parts=(), model="m")),
        event(4, 3602.0, e.RoleReplied(role="A", reply={}, model="m", seconds=1.5)),
    ]
    sums = totals(events)
    assert (sums.unanswered, sums.seconds, sums.model_seconds) == (1, 2.0, 1.5)


def test_what_an_operation_moved_is_renamed_and_neither_created_nor_deleted() -> None:
    def done(number: int, source: str, destination: str, created: str, deleted: str) -> list[e.Event]:
        operation = e.Operation(function="move_file", params={"source": source, "destination": destination})
        evidence = Evidence(files_created=(created,) if created else (), files_deleted=(deleted,) if deleted else ())
        seen = e.Observed(observation="0" * 64, evidence=evidence)
        finished = e.ActionFinished(operation=operation, role="R", subtask="1", ok=True)
        return [event(number, float(number), finished), event(number + 1, number + 1.0, seen)]

    sums = totals([*done(1, "a", "b", "b", "a"), *done(3, "b", "c", "c", "b"), *done(5, "x", "y", "y", "")])
    assert (sums.renamed, sums.created, sums.deleted) == ([("a", "c")], ["y"], [])


def test_an_empty_file_is_moved_under_its_own_name_and_copies_keep_theirs() -> None:
    def listed(**digests: str) -> list[FileEntry]:
        sizes = {"empty": 0}
        return [
            FileEntry(path=path.replace("__", "/"), kind="file", size=sizes.get(digest, 3), digest=digest)
            for path, digest in digests.items()
        ]

    before = listed(x="empty", y="empty", a="same", b="same")
    after = listed(kept__y="empty", z="empty", kept__b="same", c="same")
    assert moves(before, after) == {"kept/y": "y", "kept/b": "b", "c": "a"}
