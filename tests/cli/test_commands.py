"""What can be typed at a run that is going on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.browsers import hosts_of
from deskcrew.engine.human.questions import Approval, HelpQuestion, OperationQuestion, PlanEdit, ReplyQuestion
from deskcrew.errors import UsageError
from deskcrew.facts.events import HumanSaid, Operation
from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.facts.plan import Plan, chain
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.ways_in.cli.commands import UnclearCommand, command, menu
from deskcrew.ways_in.cli.person import answers, approval, prompt, shown
from deskcrew.ways_in.cli.values import page_with
from support.bodies import ordinary_run

PLAN = Plan().patched(chain(["a", "b"]))
ROLES = ("Planner", "Operator")
BOX = Box(x=0, y=0, width=9, height=9)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("pause", {"kind": "pause"}),
        (" Resume ", {"kind": "resume"}),
        ("/stop", {"kind": "stop"}),
        ("take over", {"kind": "take_over"}),
        ("hand back", {"kind": "hand_back"}),
        ("hand  back I logged in", {"kind": "hand_back", "text": "I logged in"}),
        ("guide call it b.txt", {"kind": "guide", "text": "call it b.txt"}),
        ("guide operator: call it b.txt", {"kind": "guide", "role": "operator", "text": "call it b.txt"}),
        ("guide note: this is no role", {"kind": "guide", "text": "note: this is no role"}),
        ("switch Planner: in two steps", {"kind": "switch", "role": "Planner", "text": "in two steps"}),
        ("s King", {"kind": "switch", "role": "King"}),
        ("planner: in two steps", {"kind": "switch", "role": "planner", "text": "in two steps"}),
        ("mode active", {"kind": "mode", "text": "active"}),
        ("mode passive Operator", {"kind": "mode", "text": "passive", "role": "Operator"}),
    ],
)
def test_commands(line: str, wanted: dict[str, Any]) -> None:
    assert command(line, PLAN, ROLES) == HumanSaid(**wanted)


@pytest.mark.parametrize(
    "line", ["", "stop using the mouse", "King: go on", "frobnicate", "planned it", "plan", "plan b is better"]
)
def test_what_is_none(line: str) -> None:
    assert command(line, PLAN, ROLES) is None


def test_every_answer_to_a_question_is_listed() -> None:
    operation = Operation(function="run_shell", params={"command": "ls"})
    asked = OperationQuestion(
        role="r", subtask="1", operation=operation, needed=True, app="mousepad", scopes=("once", "run", "app")
    )
    listed = [line.split("  ")[0] for line in answers(asked).splitlines()]
    assert listed == ["y", "r", "a", "Enter or n", "e", "any sentence"]
    assert approval(asked, "y") == Approval(allowed=True)
    assert approval(asked, "") == Approval(allowed=False)
    listed = [
        line.split("  ")[0] for line in answers(asked.model_copy(update={"needed": False, "scopes": ("once",)})).splitlines()
    ]
    assert listed == ["Enter or y", "n", "e", "any sentence"]
    assert answers(ReplyQuestion(role="r", reply={})).startswith("Enter or y ")


@pytest.mark.parametrize("line", ["guide", "switch", "mode", "mode a b c", "plan drop", "plan edit 2", "plan add"])
def test_what_is_incomplete_is_explained(line: str) -> None:
    with pytest.raises(UnclearCommand, match=r"[Ff]or example"):
        command(line, PLAN, ROLES)


@pytest.mark.parametrize(
    ("line", "goals"),
    [
        ("plan drop 1", ["b"]),
        ("plan edit 2 a new goal", ["a", "a new goal"]),
        ("plan add after 1: new", ["a", "b", "new"]),
        ("plan add: new", ["a", "b", "new"]),
        ("plan add new", ["a", "b", "new"]),
    ],
)
def test_plan_edits(line: str, goals: list[str]) -> None:
    said = command(line, PLAN, ROLES)
    assert isinstance(said, PlanEdit)
    assert [s.goal for s in PLAN.patched(said.patch).subtasks] == goals


def question(**more: Any) -> OperationQuestion:
    return OperationQuestion(role="Operator", subtask="1", operation=Operation(function="run_shell"), **more)


@pytest.mark.parametrize(
    ("line", "needed", "wanted"),
    [
        ("y", True, Approval(allowed=True)),
        ("YES", True, Approval(allowed=True)),
        ("", True, Approval(allowed=False)),
        ("", False, Approval(allowed=True)),
        ("n", False, Approval(allowed=False)),
        ("r", True, Approval(allowed=True, scope="run")),
        ("a", True, None),
        ("sure", True, None),
    ],
)
def test_answers_to_an_operation(line: str, needed: bool, wanted: Approval | None) -> None:
    """``a`` is no answer where there is no program to allow it in."""
    assert approval(question(needed=needed, scopes=("once", "run")), line) == wanted


def test_what_is_shown_is_harmless_and_whole() -> None:
    operation = Operation(function="write_file", control="e1", params={"text": "x" * 5000 + "\x1b[2J"})
    text = shown(question(why="a\x1b]0;rule").model_copy(update={"operation": operation})).plain
    assert "\x1b" not in text
    assert "x" * 5000 in text
    assert "\x1b" not in shown(HelpQuestion(role="R\x1b", question="\x1b[2J?")).plain
    assert "r = in this run" in prompt(question(scopes=("once", "run")))


def test_a_page_that_is_a_path_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    for file in (tmp_path / "form.html", tmp_path / "here/page.html"):
        file.write_text("<p>")
    monkeypatch.chdir(tmp_path)
    assert page_with("./form.html", [], None) == ("form.html", [tmp_path / "form.html"])
    assert page_with("./form.html", [Path("form.html")], None) == ("form.html", [Path("form.html")])
    assert page_with("here/../here/page.html", [], tmp_path / "here") == ("here/../here/page.html", [])
    assert page_with("./here/page.html", [], Path("here")) == ("page.html", [])
    assert page_with("example.org/x", [], None) == ("example.org/x", [])
    assert hosts_of("./form.html") == ()
    with pytest.raises(UsageError, match="no file"):
        page_with("./none.html", [], None)


def test_what_is_asked_stands_first_and_alone() -> None:
    """Of a permission: what would be pressed on a line of its own, then why, then risk and rule, and the raw form last."""
    look = Observation(
        windows=(Window(id=1, title="Shop", app="firefox", box=BOX, active=True),),
        controls=(Control(label="e1", role="button", name="Place order", box=BOX, window=1, operations=("click",)),),
    )
    asked = question(needed=True, why="it spends money", risk="spend", rule="spending").model_copy(
        update={"operation": Operation(function="click_input", control="e1", params={"button": "left"})}
    )
    text = shown(asked, look)
    lines = [line.strip() for line in text.plain.splitlines() if line.strip()]
    assert lines[1] == 'Click "Place order" in Shop'
    order = [text.plain.index(part) for part in ("Place order", "it spends money", "spend, rule spending", "click_input e1")]
    assert order == sorted(order)
    styles = [str(span.style) for span in text.spans if "Place order" in text.plain[span.start : span.end]]
    assert any("bold" in style for style in styles)


def test_the_menu_names_what_can_be_done_by_hand() -> None:
    begun = ordinary_run()[0]
    told = {kind: menu(begun.model_copy(update={"desktop": kind})) for kind in ("none", "virtual", "real")}
    assert "hand back" not in told["none"]
    assert "deskcrew serve" in told["virtual"]
    assert "take over, hand back" in told["real"]
    showing = menu(begun.model_copy(update={"desktop": "virtual", "crew": TAUGHT}))
    assert "deskcrew serve" in showing
    assert "hand back" in showing
    assert "guide" not in showing, "nobody is there who could be told anything"
