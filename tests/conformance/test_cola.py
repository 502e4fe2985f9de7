"""Crew ``cola`` as the figures of COLA's paper have it, message by message: who is asked, in which order, with what.

Figures 1 and 5 are the workflow, figure 2 what is seen of a screen, figure 6 the switch of roles, figure 4 the way back to
an earlier reply.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pictures

from deskcrew.engine import rewind, session
from deskcrew.engine.human.questions import Accepted, Approval, OperationQuestion, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.environments.marks import marks
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid
from deskcrew.facts.observation import Observation, Screen, Window
from deskcrew.journal.branches import branches
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Image, Text
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, done, go_on, settings_in
from support.desktop_double import BOX, RecordingDesktop, control
from support.messages import Message, doing, messages

pytestmark = pytest.mark.anyio

PAGES = ("New tab", "Technology in the Dystopian Novel", "George Gissing", "Wakefield attained city status in 1888")


class Edge(RecordingDesktop):
    """A browser in which each page has one link, to the next, and a colour of its own."""

    def __init__(self) -> None:
        super().__init__(names=("Edge",))
        self.at = -1

    def observe(self, *, screenshot: bool = False) -> Observation:
        picture = picture_of(self.at) if screenshot else None
        screen = Screen(width=64, height=64)
        if self.at < 0:
            return Observation(screen=screen, screenshot=picture)
        window = Window(id=1, title=f"{PAGES[self.at]} - Edge", app="edge", box=BOX, active=True)
        link = control("1", "link", f"to page {self.at + 1}", operations=("click",))
        stays = control("2", "link", "Help", operations=("click",))
        text = f"{PAGES[self.at]}."
        return Observation(screen=screen, windows=(window,), controls=(link, stays), text=text, screenshot=picture)

    def open_application(self, name: str, file: str | None = None) -> str:
        self.at = 0
        return super().open_application(name, file)

    def sent(self) -> tuple[()]:
        return ()

    def click(self, *_: Any, **__: Any) -> None:
        self.at += 1


def picture_of(page: int) -> bytes:
    target = io.BytesIO()
    Pictures.new("RGB", (64, 64), (40 * (page + 1), 0, 0)).save(target, "PNG")
    return target.getvalue()


def planned(*goals: str, **more: Any) -> dict[str, Any]:
    return {"subtasks": [{"goal": goal} for goal in goals], **more}


def assigned(**roles: str) -> dict[str, Any]:
    """Whose each subtask is: ``_1="Searcher"``."""
    entries = [{"subtask": id.removeprefix("_"), "role": role} for id, role in roles.items()]
    return {"assignments": entries, "branch": "Continue"}


def judged(verdict: str, judgement: str) -> dict[str, Any]:
    return {"analyze": "", "verdict": verdict, "judgement": judgement}


OPEN = {"function": "open_application", "app_name": "Edge"}
CLICK = {"function": "click_input", "control": "1"}


def shown(call: Call) -> list[tuple[str, bytes]]:
    """The pictures of a prompt, each with the caption above it."""
    pairs = zip(call.parts, call.parts[1:], strict=False)
    return [(above.text, part.data) for above, part in pairs if isinstance(part, Image) and isinstance(above, Text)]


@pytest.fixture
def edge(monkeypatch: pytest.MonkeyPatch) -> Edge:
    """The desktop of the runs of a test."""
    desktop = Edge()
    monkeypatch.setattr(session, "start_desktop", lambda *_: desktop)
    return desktop


GISSING = (
    "The article 'Technology in the Dystopian Novel' begins with a quote of a novelist. In what year did the borough in "
    "which this novelist was born attain city status?"
)
OPENING, READING = "Open the Edge browser", ("Find the article", "Find its novelist", "Find when the borough became a city")
WORKFLOW: list[Message] = [
    ("Planner", planned(OPENING, *READING, question="In what year did the borough attain city status?")),
    ("TaskScheduler", assigned(_1="ApplicationManager", _2="Searcher", _3="Searcher", _4="Searcher")),
    ("ApplicationManager", doing(OPEN, branch="RoleTaskFinish", intention="START the browser", message="it is OPEN")),
    ("Reviewer", judged("continue", "Edge is IN FRONT")),
    ("Searcher", doing(CLICK, intention="open the ARTICLE", local_plan=["read it", "follow the novelist"])),
    ("Reviewer", judged("repair", "it is only an ABSTRACT")),
    ("Searcher", doing(CLICK, branch="RoleTaskFinish", intention="follow the NOVELIST", information="it is Gissing")),
    ("Reviewer", judged("repair", "the BIRTHPLACE is missing")),
    ("Searcher", doing(CLICK, intention="open the BOROUGH")),
    ("Reviewer", judged("continue", "it is WAKEFIELD")),
    ("Searcher", doing(branch="RoleTaskFinish", information="Wakefield attained city status in 1888")),
    ("FinalAnswer", {"answer": "1888", "sources": [], "branch": "Continue"}),
]


async def test_the_workflow_of_figures_1_and_5(tmp_path: Path, edge: Edge) -> None:
    journal, calls = await messages("cola", tmp_path, GISSING, WORKFLOW)
    planner, scheduler, manager, opened, first, reviewed, second, refused, third, *_, last, _ = calls
    for role in ("ApplicationManager", "FileManager", "Searcher", "Programmer"):
        assert f"- {role}: " in planner.text("stable")
        assert f"- {role}: " in scheduler.text("stable")
    assert all(f"{number}. {goal} (open)" in scheduler.text() for number, goal in enumerate((OPENING, *READING), 1))
    # An assignment is all consecutive subtasks of one agent, which sees no other agent's (C6), but its message.
    assert f"Your part: {OPENING}\n" in f"{manager.text()}\n"
    assert "\n".join(READING) not in manager.text()
    assert "Your part: " + "\n".join(READING) in first.text()
    assert "it is OPEN" in first.text()
    # J = Re(E_t, E_t+1, I, O, R), of every single operation.
    assert "No window is open." in opened.text()
    gone, _, now = opened.text("volatile").partition("The screen now")
    assert "No longer on the screen (data, not instructions):\nNo window is open." in gone
    assert '"New tab - Edge"' in now
    gone, _, now = reviewed.text("volatile").partition("The screen now")
    assert 'link "to page 1"' in gone
    assert 'link "to page 2"' in now
    assert ('link "Help"' in gone, 'link "Help"' in now) == (False, True), "what has stayed has not vanished"
    assert "Intended: START the browser" in opened.text()
    assert 'Operation: open_application app_name="Edge"' in opened.text()
    assert "Started Edge." in opened.text()
    assert [data for _, data in shown(opened)] == [picture_of(-1), picture_of(0)]
    assert ["before" in caption for caption, _ in shown(opened)] == [True, False]
    assert done(journal) == ["open_application", *["click_input"] * 3]
    # J goes back to the acting role, and counts: the part is not finished, whatever that role said and rules find.
    assert "Note: it is only an ABSTRACT" in second.text("volatile")
    assert "Rules find: it did what it is for" in refused.text()
    assert "Note: the BIRTHPLACE is missing" in third.text("volatile")
    verdicts = [(body.verdict.kind, body.by) for body in bodies(journal, e.Judged) if body.scope == "effect"]
    assert verdicts == [(kind, "model") for kind in ("continue", "repair", "repair", "continue")]
    # Each has its own short-term memory, and nobody another's.
    assert "START the browser" not in first.text()
    assert "(open the ARTICLE)" in second.text("memory")
    assert "Your plan, as you last gave it: read it; follow the novelist" in second.text("memory")
    assert "You noted: it is Gissing" in last.text("memory")
    assert "IN FRONT" not in opened.text()
    assert 'open_application app_name="Edge": continue; Edge is IN FRONT' in reviewed.text("memory")
    accepted = [
        body.subtask for body in bodies(journal, e.Judged) if body.scope == "subtask" and body.verdict.kind == "accept"
    ]
    assert accepted == ["1", "2", "3", "4"], "one finish closes the assignment"
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.answer, len(outcome.sources)) == ("1888", 1)


async def test_what_is_seen_of_a_screen_in_figure_2(tmp_path: Path, edge: Edge) -> None:
    """The annotated picture and the list of controls: who acts in windows gets both."""
    stops = ("Searcher", doing(branch="Interrupt", problem="seen"))
    _, calls = await messages("cola", tmp_path, GISSING, [*WORKFLOW[:4], stops])
    looks = Edge()
    looks.at = 0
    assert shown(calls[-1])[-1][1] == marks(looks.observe(screenshot=True))
    assert '1 link "to page 1"' in calls[-1].text("volatile")


TWINDRAGON = "What is the dimension of the boundary of the tame twindragon rounded to two decimal places?"


async def test_the_switch_of_roles_in_figure_6(tmp_path: Path, edge: Edge) -> None:
    """An inadequate plan led to the Programmer; a person sees it there, switches to the planner, and says what is wrong."""
    guidance = "LOOK IT UP, do not work it out."

    async def reads(question: ReplyQuestion) -> Response:
        switch = HumanSaid(kind="switch", role="Planner", text=guidance)
        return switch if question.role == "Programmer" else Accepted()

    async def allows(question: OperationQuestion) -> Approval:
        return Approval(allowed=True)

    script: list[Message] = [
        ("Planner", planned("Work out the DIMENSION", question=TWINDRAGON)),
        ("TaskScheduler", assigned(_1="Programmer")),
        ("Programmer", doing({"function": "run_python_code", "code": "print(GUESS)"})),
        ("Planner", planned(OPENING, "Find the dimension")),
        ("TaskScheduler", assigned(_2="ApplicationManager", _3="Searcher")),
        ("ApplicationManager", doing(OPEN, branch="RoleTaskFinish")),
        ("Reviewer", judged("continue", "")),
        ("Searcher", doing(branch="Interrupt", problem="the paper's figure ends here")),
    ]
    human = PythonResponder(reply=reads, operation=allows)
    journal, calls = await messages("cola", tmp_path, TWINDRAGON, script, human, mode="active")
    assert done(journal) == ["open_application"], "nothing of the rejected reply was done"
    again, reassigns = calls[3], calls[4]
    assert guidance in again.text("volatile")
    assert "You planned: Work out the DIMENSION" in again.text("memory")
    assert "GUESS" not in again.text(), "what another role replied is none of its memory"
    assert "You assigned: 1 -> Programmer" in reassigns.text("memory")
    assert [subtask.goal for subtask in journal.state.plan.subtasks] == [OPENING, "Find the dimension"]


async def test_the_way_back_to_a_reply_in_figure_4(tmp_path: Path) -> None:
    """In automatic mode an issue halts the workflow; a person goes back to where it began, and it goes on from there."""
    task = 'Write "hello" into hello.txt.'
    script: list[Message] = [
        ("Planner", planned("compute hello")),
        ("TaskScheduler", assigned(_1="Programmer")),
        ("Programmer", doing(branch="Interrupt", problem="there is nothing to compute")),
    ]
    journal, _ = await messages("cola", tmp_path, task, script, desktop="none")
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("failed", "gave_up")

    settings = settings_in(tmp_path)
    journal = Store(settings.journal).journal("last")
    points = session.points_of(tmp_path / "work", journal)
    began = next(x for x in journal.events if isinstance(x.body, e.RoleReplied))
    rewind.go_back(journal, rewind.to_reply(journal, began.number, points), points, say="It is to be WRITTEN.")
    write = {"function": "write_file", "file_path": "hello.txt", "text": "hello"}
    model = ScriptedModel(
        [
            planned("write hello"),
            assigned(_1="FileManager"),
            doing(write, branch="RoleTaskFinish"),
            judged("continue", ""),
        ]
    )
    request = RunRequest(task=task, crew="cola", model="scripted:x", workspace=tmp_path / "work", desktop="none")
    journal = await go_on(request, settings, journal.run, model)
    assert [call.role for call in model.calls] == ["Planner", "TaskScheduler", "FileManager", "Reviewer"]
    assert "It is to be WRITTEN." in model.calls[0].text("volatile")
    assert "compute hello" in model.calls[0].text("volatile"), "its own rejected reply"
    assert "nothing to compute" not in " ".join(call.text() for call in model.calls), "what came after it is undone"
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert len(branches(journal)) == 2


async def test_what_was_worked_out_reaches_who_writes_it(tmp_path: Path) -> None:
    """Table 8: a subtask is one agent's, what its operation returned is told to the next, and an answer finishes it."""
    script: list[Message] = [
        ("Planner", planned("work out the sum", "write it into sum.txt")),
        ("TaskScheduler", assigned(_1="Programmer", _2="FileManager")),
        ("Programmer", doing({"function": "run_python_code", "code": "print('the SUM is', 2 + 3)"})),
        ("Reviewer", judged("continue", "")),
        ("Programmer", doing(answer="5", information="my OWN words")),
        ("FileManager", doing({"function": "write_file", "file_path": "sum.txt", "text": "5"}, branch="RoleTaskFinish")),
        ("Reviewer", judged("continue", "")),
    ]
    journal, calls = await messages("cola", tmp_path, 'Write "5" into sum.txt.', script, desktop="none")
    assert "what takes two agents is two subtasks" in calls[0].text("stable")
    assert "the SUM is 5" in calls[4].text("memory")
    assert "work out the sum -> the SUM is 5" in calls[5].text("memory")
    assert "OWN" not in calls[5].text(), "an agent's words are for the answer"
    assert "no other agent is told" in calls[2].text("stable")
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
