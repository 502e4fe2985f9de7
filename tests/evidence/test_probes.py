"""Probes on states: everyone is asked of the end and the start; of a counter-state it is enough that one says no."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deskcrew.actions.sandbox import Sandbox, SandboxLimits
from deskcrew.errors import CrewMistake
from deskcrew.evidence import probes
from deskcrew.evidence.caller import Case
from deskcrew.evidence.probes import ProbeReport, ProbeResult, checked, tried

CODE = """
def requirement_1(start, end):
    return True, "always"

def requirement_2(start, end):
    return (end / "b.txt").read_text() == "two", "b"

def requirement_3(start, end):
    return (end / "a.txt").read_text() == "one", "a"

def requirement_4(start, end):
    return False, "never"
"""
ENDS = {"end": ("one", "two"), "start": ("", ""), "a": ("other", "two"), "again": ("another", "two"), "same": ("one", "two")}


def looked_at(folder: Path, *, enough: bool) -> ProbeReport:
    for name, (a, b) in ENDS.items():
        (folder / name).mkdir()
        (folder / name / "a.txt").write_text(a)
        (folder / name / "b.txt").write_text(b)
    cases = [Case(folder / name, enough=enough and name not in ("end", "start")) for name in ENDS]
    with Sandbox(folder) as sandbox:
        return tried(sandbox, CODE, ["1", "2", "3", "4"], folder / "start", cases)


def said(report: ProbeReport) -> list[dict[str, bool | None]]:
    return [{id: tried.holds for id, tried in row.items()} for row in report.rows]


@pytest.mark.parametrize("enough", [False, True])
def test_all_are_asked_of_the_end_and_the_start(tmp_path: Path, enough: bool) -> None:
    end, start, *_ = said(looked_at(tmp_path, enough=enough))
    assert end == {"1": True, "2": True, "3": True, "4": False}
    assert start == {"1": True, "2": False, "3": False, "4": False}


def test_the_first_no_of_one_that_holds_at_the_end_is_enough(tmp_path: Path) -> None:
    *_, noticed, again, same = said(looked_at(tmp_path, enough=True))
    assert noticed == {"1": True, "2": True, "3": False}
    assert again["3"] is False, "by itself, or after others where another process looks at it"
    assert same == {"1": True, "2": True, "3": True, "4": False}, "what says no of the end too notices nothing"


def test_without_that_all_are_asked_of_all(tmp_path: Path) -> None:
    assert all(set(row) == {"1", "2", "3", "4"} for row in said(looked_at(tmp_path, enough=False)))


SLOW = """
import os, time

def requirement_1(start, end):
    time.sleep(0.3)
    if (end / "a.txt").read_text() == "end it":
        os._exit(0)
    return (end / "a.txt").read_text() == "0", f"{os.readlink('/proc/self/ns/pid')} {os.getpid()}"
"""


def of_slow_ones(folder: Path, *texts: str, code: str = SLOW) -> list[ProbeResult]:
    for number, text in enumerate(texts):
        (folder / str(number)).mkdir()
        (folder / str(number) / "a.txt").write_text(text)
    cases = [Case(folder / str(number), enough=number > 1) for number in range(len(texts))]
    with Sandbox(folder) as sandbox:
        return [row["1"] for row in tried(sandbox, code, ["1"], folder / "1", cases).rows]


def test_what_takes_its_time_is_shared_between_sandboxes(tmp_path: Path) -> None:
    spaces = [row.read.split()[0] for row in of_slow_ones(tmp_path, *"012045")]
    assert len({*spaces[:2]}) == 1
    assert len({*spaces[2:]}) == min(4, len(os.sched_getaffinity(0)))


def test_what_takes_its_time_is_looked_at_side_by_side_and_told_in_order(tmp_path: Path) -> None:
    rows = of_slow_ones(tmp_path, "0", "1", "2", "0", "4", "0")
    assert [row.holds for row in rows] == [True, False, False, True, False, True]
    assert len({row.read for row in rows}) == len(rows), "each in a process of its own"


def test_a_case_whose_process_ends_tells_nothing_and_the_others_are_looked_at(tmp_path: Path) -> None:
    rows = of_slow_ones(tmp_path, "0", "1", "2", "end it", "4")
    assert [row.holds for row in rows] == [True, False, False, None, False]
    assert [row.lost for row in rows] == [False, False, False, True, False]


def test_what_there_was_no_time_for_is_noticed_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "LIMITS", SandboxLimits(seconds=3, cpu=3))
    code = """
import time

def requirement_1(start, end):
    if (end / "a.txt").read_text() not in ("0", "1"):
        time.sleep(60)
    return (end / "a.txt").read_text() == "0", "a"
"""
    rows = of_slow_ones(tmp_path, "0", "1", "2", "3", code=code)
    assert [row.holds for row in rows] == [True, False, None, None]
    assert [row.notices for row in rows] == [False, True, False, False]


def test_a_probe_that_cannot_see_is_told_from_one_that_fails(tmp_path: Path) -> None:
    code = """
def requirement_1(start, end):
    raise CannotSee("it is a picture")

def requirement_2(start, end):
    return None, "no word of it"
"""
    (tmp_path / "end").mkdir()
    with Sandbox(tmp_path) as sandbox:
        (row,) = tried(sandbox, code, ["1", "2"], tmp_path / "end", [Case(tmp_path / "end")]).rows
    assert row == {"1": ProbeResult(None, "it is a picture", unseen=True), "2": ProbeResult(None, "no word of it")}


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("return answer == '42'", True),
        ("return answer == (end / 'a.txt').read_text()", False),
        ("raise CannotSee('why')", False),
    ],
)
def test_a_probe_of_the_answer_that_reads_nothing_else_is_refused(line: str, refused: bool) -> None:
    code = f"def requirement_1(start, end, answer):\n    {line}\n"
    if not refused:
        checked(code, ["1"])
        return
    with pytest.raises(CrewMistake, match="requirement_1 reads nothing that it is given"):
        checked(code, ["1"])
