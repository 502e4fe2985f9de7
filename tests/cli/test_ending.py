"""Totals, closing panel, JSON: nothing unknown is shown as nothing."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from deskcrew.facts import events as e
from deskcrew.facts.contract import Strength
from deskcrew.facts.observation import Evidence, FileEntry, Observation
from deskcrew.facts.run_settings import RunSettings
from deskcrew.facts.verdict import Check, CheckResult, Outcome
from deskcrew.ways_in.cli import ending
from deskcrew.ways_in.cli.tree import Look
from deskcrew.ways_in.report.result import Tokens, result_of
from deskcrew.ways_in.report.totals import outcome_of, status_of, totals
from support.bodies import ordinary_run, started


def chain(*bodies: Any, step: float = 1.0) -> list[e.Event]:
    found: list[e.Event] = []
    for number, body in enumerate(bodies, 1):
        header = e.Header(run="r", number=number, parent=None, time=100.0 + number * step, type=body.type)
        found.append(e.Event(id=f"{number:064d}", header=header, digest="", body=body))
    return found


def shown(events: list[e.Event], look: Look = lambda _: None) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(ending.panel("0101-aaaa", events, look=look))
    return console.file.getvalue()  # type: ignore[attr-defined]


def reply(**usage: Any) -> e.RoleReplied:
    return e.RoleReplied(role="Planner", reply={}, usage=e.Usage(**usage), seconds=2.0)


def looked(**evidence: Any) -> e.Observed:
    return e.Observed(observation="", evidence=Evidence(**evidence))


def test_totals_of_an_ordinary_run() -> None:
    events = chain(*ordinary_run())
    sums = totals(events)
    assert sums.calls == sum(isinstance(x.body, e.RoleReplied) for x in events)
    assert sums.operations == 2
    assert sums.denied == 1
    gone_on = sum(isinstance(x.body, e.RunResumed | e.Rewound | e.Confirmed | e.AttemptsShown) for x in events)
    assert sums.seconds == pytest.approx(len(events) - 1 - gone_on)


def test_known_usage_adds_up() -> None:
    sums = totals(chain(reply(input=100, output=10, cached=50, cost=0.25), reply(input=1, output=2, cached=0, cost=0.5)))
    assert (sums.input.exact, sums.output.exact, sums.cached.exact, sums.cost.exact) == (101, 12, 50, 0.75)
    assert sums.model_seconds == 3.0, "while both were waited for it counts once"


def test_one_unknown_price_makes_the_total_unknown() -> None:
    events = chain(started(), reply(input=5, output=5, cost=0.25), reply(input=7))
    sums = totals(events)
    assert sums.cost.exact is None
    assert sums.output.words() == "at least 5"
    assert sums.cached.words() == "unknown"
    said = shown(events)
    assert re.search("cost +unknown", said)
    assert "$0.25" not in said
    assert "at least 5 out" in said
    found = result_of("r", events)
    assert found.cost is None
    assert found.tokens == Tokens(input=12, output=None, cached=None)


def test_free_only_when_every_price_is_known_to_be_zero() -> None:
    assert re.search("cost +free", shown(chain(reply(cost=0.0), reply(cost=0.0))))
    assert re.search("cost +unknown", shown(chain(reply(cost=0.0), reply())))
    assert "no model was called" in shown(chain(started()))


def test_what_became_of_each_file() -> None:
    sums = totals(
        chain(
            looked(files_created=("new", "gone-again")),
            looked(files_changed=("new", "old"), files_deleted=("gone-again", "lost", "back")),
            looked(files_created=("back",), files_changed=("old",)),
            looked(files_deleted=("old",)),
        )
    )
    assert sums.created == ["new"]
    assert sums.changed == ["back"]
    assert sums.deleted == ["lost", "old"]


def test_the_panel_has_all_that_was_asked_for() -> None:
    checks = (
        CheckResult(check=Check(kind="file_exists", target="out.txt"), holds=True),
        CheckResult(check=Check(kind="file_contains", target="out.txt", text="42"), holds=False, found="41"),
    )
    outcome = Outcome(
        status="done",
        answer="It is [b]42[/b]",
        sources=(f"{2:064d}", "f" * 64),
        verified_by="rules",
        why="both",
        checks=checks,
    )
    said = shown(
        chain(started(), looked(files_created=("out.txt",)), reply(input=1000, output=2), e.RunFinished(outcome=outcome))
    )
    for part in (
        "done, verified by checks",
        "It is [b]42[/b]",
        "#2, ffffffffffff",
        "✓ the file out.txt is in the workspace",
        "✗ the file out.txt contains '42' - found: 41",
        "created  out.txt",
        "1 model call, 0 operations",
        "1,000 in",
    ):
        assert part in said, part


def test_what_has_another_name_is_renamed_whatever_renamed_it_and_the_folder_is_named() -> None:
    def look(*names: str) -> Observation:
        files = [FileEntry(path=name, kind="file", size=3, digest=digest) for name, digest in zip(names, "abc", strict=True)]
        return Observation(windows=(), controls=(), files=tuple(files))

    events = chain(
        started(),
        looked(),
        looked(files_created=("x/new.txt", "more.txt"), files_deleted=("old.txt", "gone.txt")),
        e.RunFinished(outcome=Outcome(status="done", verified_by="rules")),
    )
    looks = {2: look("old.txt", "gone.txt", "stays.txt"), 3: look("x/new.txt", "other.txt", "stays.txt")}
    said = shown(events, lambda event: looks.get(event.number))
    assert "old.txt -> x/new.txt" in said
    assert re.search(r"created +more.txt +│", said)
    assert re.search(r"deleted +gone.txt +│", said)
    assert re.search(rf"folder +{re.escape(started().workspace)} +│", said)


def test_what_is_done_says_where_the_files_are_without_a_cut_and_how_it_is_taken_back() -> None:
    folder, made = f"/home/ada/{'workspace-' * 9}1", f"{'results-' * 20}of-may.csv"
    begun = started().model_copy(update={"workspace": folder})
    console = Console(file=io.StringIO(), width=80)
    for status in ("done", "failed"):
        ended = e.RunFinished(outcome=Outcome(status=status))
        console.print(ending.panel("0101-aaaa", chain(begun, looked(files_created=(made,)), ended)))
    done, failed = console.file.getvalue().split("run 0101-aaaa")[1:]  # type: ignore[attr-defined]
    for card in (done, failed):
        unfolded = re.sub(r"[│\s]", "", card)
        assert f"created{made}folder{folder}" in unfolded
        assert re.search(r"undo +deskcrew undo 0101-aaaa +│", card)


def test_from_a_folder_of_its_own_what_was_made_is_copied_by_a_command() -> None:
    ended = e.RunFinished(outcome=Outcome(status="done"))
    for folder, told in (("/data/workspaces/0101-aaaa", True), ("/home/ada/books", False)):
        begun = started().model_copy(update={"workspace": folder})
        said = shown(chain(begun, looked(files_created=("a b.csv", "c.csv")), ended))
        assert (re.search(rf"cp -n '{folder}/a b.csv' {folder}/c.csv \.", " ".join(said.split())) is not None) == told


@pytest.mark.parametrize(("status", "code"), [("done", 0), ("unverified", 3), ("failed", 4), ("denied", 5), ("stopped", 6)])
def test_exit_codes(status: Any, code: int) -> None:
    outcome = Outcome(status=status)
    assert ending.exit_code(outcome) == code
    assert result_of("r", [], outcome).exit_code == code


def test_a_run_without_an_end_is_our_bug() -> None:
    events = chain(started(), e.RunInterrupted(error="KeyError: 'x'"))
    assert ending.exit_code(outcome_of(events)) == 1
    assert status_of(events) == "interrupted"
    assert status_of(events[:1]) == "unfinished"
    assert "interrupted" in shown(events)


def test_denied_says_how_to_be_asked() -> None:
    said = shown(denied("nobody"))
    assert "deskcrew rewind 0101-aaaa 3 --approve" in said
    assert "Run the command: ls" in said
    assert said.count("shells are not for it") == 1, "a denial is said once"


def test_what_a_rule_denies_is_never_asked_about() -> None:
    said = shown(denied("policy"))
    assert "The policy's rule no-shell denies it in every mode." in said
    assert "deskcrew policy explain 0101-aaaa 3" in said
    assert "--mode passive" not in said
    assert said.count("Run the command: ls") == 1
    assert "rewind 0101-aaaa 3 --say" in shown(denied("human"))


def denied(by: Any) -> list[e.Event]:
    """A run that ended because an operation was denied."""
    shell = e.Operation(function="run_shell", params={"command": "ls"})
    events = chain(
        started(),
        e.OperationProposed(role="Programmer", subtask="1", operation=shell),
        e.OperationDenied(rule="no-shell", risk="execute", by=by, why="shells are not for it"),
        e.RunFinished(outcome=Outcome(status="denied", why="the desktop went away")),
    )
    events[2] = events[2].model_copy(update={"header": events[2].header.model_copy(update={"cause": events[1].id})})
    return events


def test_what_the_crew_says_is_not_shown_as_an_answer() -> None:
    outcome = Outcome(status="done", verified_by="rules", said="plan.TMP was left\x1b[2J alone")
    told = shown(chain(started(), e.RunFinished(outcome=outcome)))
    assert "report" in told
    assert "plan.TMP was left␛[2J alone  (the crew's own account, which proves nothing)" in told
    assert "answer" not in told


def test_what_the_program_of_a_skill_remarks_is_no_account_of_a_crew() -> None:
    settings = RunSettings.model_validate({"replay": {"skill": "add-totals", "program": True}})
    begun = started().model_copy(update={"settings": settings})
    over = e.RunFinished(outcome=Outcome(status="done", verified_by="probe", said="1 column; it may be counted twice"))
    told = shown(chain(begun, over))
    assert re.search("remark +1 column; it may be counted twice", told)
    assert "crew's own account" not in told


def test_a_run_that_was_gone_back_in_waits() -> None:
    events = chain(started(), reply(), e.Rewound(left="x"))
    assert status_of(events) == "waiting"
    assert "waiting at #2, where you went back to; `deskcrew resume 0101-aaaa` continues" in shown(events)


def test_time_between_two_processes_is_not_counted() -> None:
    events = chain(started(), reply(), e.Rewound(), reply())
    late = [event.header.model_copy(update={"time": time}) for event, time in zip(events, (0, 5, 1000, 1007), strict=True)]
    moved = [event.model_copy(update={"header": header}) for event, header in zip(events, late, strict=True)]
    assert totals(moved).seconds == 12


def test_where_only_names_were_checked_the_option_is_named_that_proves_the_content() -> None:
    outcome = Outcome(status="done", verified_by="rules", strength=Strength(unread=("only that a.txt exists was checked",)))
    told = shown(chain(started(), e.RunFinished(outcome=outcome)))
    assert "done, but only that a.txt exists was checked" in told
    assert "--require 'file_contains FILE TEXT'" in told
    whole = shown(chain(started(), e.RunFinished(outcome=outcome.model_copy(update={"strength": Strength()}))))
    assert "--require" not in whole


def test_that_a_person_stopped_it_is_said_once() -> None:
    told = shown(chain(started(), e.RunFinished(outcome=Outcome(status="stopped", why="stopped by the user"))))
    assert "stopped by you" in told
    assert "by the user" not in told
    assert "the disk" in shown(chain(started(), e.RunFinished(outcome=Outcome(status="stopped", why="the disk"))))
