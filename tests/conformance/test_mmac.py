"""Crew ``mmac`` as MMAC-Copilot's paper has it (algorithm 1 and figure 3), message by message.

The figure's program is here a list of contacts in files, so that no window is needed where none is what is tested.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Image, Profile, Text
from deskcrew.settings import Limits
from deskcrew_bench.cassettes import Killed
from support.crew import bodies, by_role, done, settings_in
from support.messages import Message, doing, messages
from support.required import usual
from support.sampling import sampled

pytestmark = pytest.mark.anyio

TASK = 'Write "Hi" into chats/dylan.txt.'
SEEN = "Dylan is HERE already"


def part(goal: str, role: str = "TeamProgrammer", **more: Any) -> dict[str, Any]:
    return {"goal": goal, "role": role, **more}


def planned(*parts: dict[str, Any]) -> Message:
    return "TeamPlanner", {"subtasks": list(parts)}


def changes(**made: Any) -> Message:
    return "TeamPlanner", made


def verified(verdict: str = "accept", why: str = "") -> Message:
    return "TeamPlanner", {"summary": "the greeting is SENT", "why": why, "verdict": verdict}


def mentor(verdict: str, why: str = "as intended", observation: str = "the folders are THERE") -> Message:
    return "Mentor", {"observation": observation, "why": why, "verdict": verdict}


def program(*operations: dict[str, Any], branch: str = "RoleTaskFinish", **more: Any) -> Message:
    return "TeamProgrammer", doing(*operations, branch=branch, **more)


def listing() -> dict[str, Any]:
    return {"function": "list_files", "folder": "chats"}


def write(text: str = "Hi") -> dict[str, Any]:
    return {"function": "write_file", "file_path": "chats/dylan.txt", "text": text}


WRITING = planned(part("Write the GREETING"))


async def mmac(folder: Path, script: list[Message], **more: Any) -> tuple[Journal, list[Call]]:
    chats = folder / "work" / "chats"
    chats.mkdir(parents=True)
    (chats / "dylan.txt").write_text("")
    return await messages("mmac", folder, TASK, script, desktop="none", **more)


def verdicts(journal: Journal, *scopes: str) -> list[tuple[str, str]]:
    return [(body.verdict.kind, body.by) for body in bodies(journal, e.Judged) if body.scope in scopes]


def status(journal: Journal) -> tuple[str, str]:
    outcome = journal.state.outcome
    assert outcome is not None
    return outcome.status, outcome.reason


async def test_figure_3_message_by_message(tmp_path: Path) -> None:
    """Five subtasks for the programmer; the mentor sees that the second and third are done; the programmer refuses what is
    left, another agent gets it and plans its own steps; what all came to is compared with the request."""
    five = ("Open the CHATS", "Navigate to FRIENDS", "Search for DYLAN", "Open the CHAT with Dylan", "SEND the message")
    script: list[Message] = [
        planned(*(part(goal) for goal in five)),
        program(listing()),
        mentor("adjust", "there is no need to SEARCH", observation=SEEN),
        changes(drop=["2", "3"]),  # the plan shrinks
        program(branch="TaskMismatch", problem="Sorry, I don't know how to do this."),
        changes(revise=[{"subtask": "4", **part("Find the CHAT", "Librarian")}], message="LOOK for it"),
        ("Librarian", doing(listing(), local_plan=["LIST the chats", "name Dylan's"])),
        ("Librarian", doing(branch="RoleTaskFinish", information="it is dylan.txt")),
        mentor("accept"),
        program(write("Ho")),
        mentor("repair", "it says HO"),
        program(write()),
        mentor("accept", observation="the greeting STANDS there"),
        verified(),
    ]
    journal, calls = await mmac(tmp_path, script)
    plan, first, saw, shrink, refusing, reassign, librarian, naming, _, writing, _, again, _, verify = calls
    assert TASK in plan.text("task")
    assert "- Librarian: Finds and reads" in plan.text("stable")
    assert f"Your subtask: {five[0]}\n" in first.text("volatile")
    assert five[1] not in first.text(), "an agent is told of its own subtask only"
    assert 'list_files folder="chats": done' in saw.text("volatile")
    # The mentor's feedback makes the planner revise, with what the mentor saw.
    assert "The plan has to change: there is no need to SEARCH" in shrink.text("volatile")
    assert f"- Mentor, 1. {five[0]}: observation: {SEEN}" in shrink.text("memory")
    assert f"1. {five[0]} (done)" in shrink.text("memory")
    # A refusal is a signal: the planner, who assigned it, assigns it anew.
    assert f"Your subtask: {five[3]}\n" in refusing.text("volatile")
    refusal = f"4. {five[3]}: TeamProgrammer cannot do it: Sorry, I don't know how to do this."
    assert f"The plan has to change: {refusal}" in reassign.text("volatile")
    assert "Your subtask: Find the CHAT\n" in librarian.text("volatile")
    assert "Message: LOOK for it" in librarian.text("memory")
    assert "Your plan, as you last gave it: LIST the chats" in naming.text("memory")
    # What was found out is passed on, what was seen is not.
    assert "Find the CHAT -> it is dylan.txt" in writing.text("memory")
    assert "Note: it says HO" in again.text("volatile")
    for role in ("TeamProgrammer", "Librarian"):
        assert not any(SEEN in call.text() for call in calls if call.role == role)
    # Line 12: whether the state satisfies the request.
    assert "Every subtask of your plan is done." in verify.text("volatile")
    assert "observation: the greeting STANDS there" in verify.text("memory")
    kinds = ["accept", "replan", "accept", "repair", "accept"]
    assert [kind for kind, _ in verdicts(journal, "subtask") if kind != "continue"] == kinds
    assert verdicts(journal, "goal") == [("accept", "planner")]
    assert [(each.id, each.role) for each in journal.state.plan.subtasks] == [
        ("1", "TeamProgrammer"),
        ("4", "Librarian"),
        ("5", "TeamProgrammer"),
    ]
    assert status(journal) == ("done", "")
    assert journal.state.rounds == len(kinds)
    repeated = await replay(journal)
    assert (repeated.difference, repeated.prompts) == (None, len(calls))


async def test_a_part_that_did_not_come_off_is_planned_again(tmp_path: Path) -> None:
    """Lines 7 and 8: the feedback asks for an adjustment, and the part is assigned again as the revised plan has it."""
    script: list[Message] = [
        WRITING,
        program(write("Ho")),
        mentor("replan", "nobody said what to GREET with"),
        changes(revise=[{"subtask": "1", **part("Write HI")}], insert=[{"before": "1", **part("Look at the CHAT")}]),
        program(listing()),
        mentor("accept"),
        program(write()),
        mentor("accept"),
        verified(),
    ]
    journal, calls = await mmac(tmp_path, script)
    assert "nobody said what to GREET with" in calls[3].text("volatile")
    assert "Your subtask: Look at the CHAT\n" in calls[4].text("volatile")
    assert "Your subtask: Write HI\n" in calls[6].text("volatile")
    assert status(journal) == ("done", "")


async def test_with_nothing_left_to_change_no_insight_is_asked_for(tmp_path: Path) -> None:
    script: list[Message] = [WRITING, program(write()), mentor("adjust"), mentor("accept"), verified()]
    journal, calls = await mmac(tmp_path, script)
    assert "verdict: Input should be 'accept', 'repair' or 'replan'" in calls[3].text("volatile")
    assert status(journal) == ("done", "")


async def test_where_no_more_plans_may_be_made_an_insight_changes_nothing(tmp_path: Path) -> None:
    two = planned(part("Look at the CHAT"), part("Write the GREETING"))
    script: list[Message] = [two, program(listing()), mentor("adjust", "it can be SHORTER"), program(write())]
    script += [mentor("accept"), verified()]
    journal, _ = await mmac(tmp_path, script, limits=Limits(replans=0))
    assert status(journal) == ("done", "")


async def test_what_does_not_satisfy_the_request_is_tried_again(tmp_path: Path) -> None:
    """Lines 12 to 14. Evidence decides: mentor and planner that accept too early are overruled by what is in the file."""
    script: list[Message] = [
        WRITING,
        program(write("Ho")),
        mentor("accept"),
        verified(),
        planned(part("Write HI")),
        program(write()),
        mentor("accept"),
        verified("revise", "the reader wants a LINE END"),
        planned(part("End the LINE")),
        program(write("Hi\n")),
        mentor("accept"),
        verified(),
    ]
    journal, calls = await mmac(tmp_path, script)
    assert "chats/dylan.txt contains 'Hi': no" in calls[4].text("volatile")
    assert "the reader wants a LINE END" in calls[8].text("volatile")
    assert status(journal) == ("done", "")


async def test_the_thirty_first_round_is_refused(tmp_path: Path) -> None:
    """M10: what is not done after thirty rounds has failed. The crew says how many, and the user may say another number."""
    once: list[Message] = [program(write("Ho")), mentor("replan", "not SO")]
    again = changes(revise=[{"subtask": "1", **part("Write it ANEW")}])
    script: list[Message] = [WRITING, *once, again, program(write("Hu")), mentor("replan"), changes(drop=["1"])]
    script[-1] = changes(revise=[{"subtask": "1", **part("Write it ONCE more")}])
    journal, _ = await mmac(tmp_path, script, limits=Limits(rounds=2))
    assert status(journal) == ("failed", "bound:rounds")
    assert journal.state.rounds == 2
    begun = journal.state.started
    assert begun is not None
    told = begun.settings.limits
    assert (told["rounds"], told["operations"], told["repairs"]) == (2, 120, Limits().repairs)


async def test_thirty_rounds_are_the_crews_own_bound(tmp_path: Path) -> None:
    journal, _ = await mmac(tmp_path, [WRITING, program(write()), mentor("accept"), verified()])
    begun = journal.state.started
    assert begun is not None
    assert begun.settings.limits["rounds"] == 30


# With something to see.


OPEN = {"function": "open_application", "app_name": "Text Editor (Mousepad)"}


def captions(call: Call) -> list[str]:
    """The texts right above the pictures of a prompt."""
    pairs = zip(call.parts, call.parts[1:], strict=False)
    return [text.text for text, picture in pairs if isinstance(text, Text) and isinstance(picture, Image)]


@pytest.mark.desktop
@pytest.mark.deep
async def test_who_sees_tells_who_plans_and_the_mentor_looks_before_and_after(tmp_path: Path) -> None:
    """M3: the first plan is made with what the viewer says of the screen; M2: the viewer plans its own steps; M6: the mentor
    compares two looks, and what it sees is told to the planner alone."""

    def types(call: Call) -> dict[str, Any]:
        found = re.search(r"^(\S+) text area", call.text("volatile"), flags=re.MULTILINE)
        assert found, call.text("volatile")
        typing = {"function": "keyboard_input", "control": found.group(1), "keys": "Hi"}
        return doing(typing, branch="RoleTaskFinish", local_plan=["find the text", "TYPE into it"], observation="it BLINKS")

    (tmp_path / "work").mkdir()
    goals = ("Open the EDITOR", "Write the GREETING")
    script: list[Any] = [
        ("Viewer", {"observation": "the desk is EMPTY"}),
        (
            "TeamPlanner",
            {"subtasks": [part("Look AROUND"), part(goals[0]), part(goals[1], "Viewer"), part("Save it", "Viewer")]},
        ),
        program({"function": "list_files", "folder": "."}),
        mentor("accept", observation="the desk is EMPTY"),
        program(OPEN),
        mentor("adjust", "nobody wants it SAVED", observation="the editor is OPEN"),
        changes(drop=["4"]),
        ("Viewer", types),
        mentor("accept", observation="Hi STANDS there"),
        verified(),
    ]
    journal, calls = await messages("mmac", tmp_path, "Greet in a new text of the editor.", script, desktop="virtual")
    looking, plan, _, nothing, opening, first, shrink, typing, second, verify = calls
    assert "Nothing is planned yet." in looking.text("volatile")
    assert captions(looking)[0].startswith("The screen")
    assert "Example" not in looking.text(), "its reply is another one than those of which there are examples"
    assert not captions(opening), "who is not told of the screen is not shown it"
    assert "- Viewer: observation: the desk is EMPTY" in plan.text("memory")
    assert "EMPTY" not in opening.text()
    assert '"Untitled 1 - Mousepad" of "Mousepad"' in first.text("volatile").partition("The screen after:")[2]
    assert "Mousepad" not in first.text("volatile").partition("The screen after:")[0]
    assert captions(nothing) == ["The screen, the same before and after the subtask:"]
    assert captions(first) == ["The screen before the subtask:", "The screen after the subtask:"]
    assert f"3. {goals[1]} (Viewer)\n4. Save it (Viewer)" in first.text("memory"), "who may have the rest changed sees it"
    assert f"- Mentor, 2. {goals[0]}: observation: the editor is OPEN" in shrink.text("memory")
    assert "What you saw before:\n- Viewer: observation: the desk is EMPTY" in typing.text("memory")
    assert "is OPEN" not in typing.text(), "what the mentor saw is not for the viewer"
    assert "told to TeamPlanner" in typing.text("stable")
    before, _, after = second.text("volatile").partition("The screen after:")
    assert '"Hi"' in after
    assert '"Hi"' not in before.partition("The screen before")[2]
    assert "observation: it BLINKS" in verify.text("memory")
    assert (await replay(journal)).difference is None


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
async def test_the_analyst_is_shown_the_frames_it_wanted(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    made = ["-f", "lavfi", "-i", "color=red:size=64x48:rate=5:duration=2", "-c:v", "mjpeg"]
    await anyio.run_process(["ffmpeg", "-loglevel", "error", *made, str(tmp_path / "work" / "red.avi")])
    frames = {"function": "video_frames", "file_path": "red.avi", "count": 2}
    script: list[Message] = [
        planned(part("See the FILM", "VideoAnalyst"), part("Write it down")),
        ("VideoAnalyst", doing(frames)),
        ("VideoAnalyst", doing(branch="RoleTaskFinish", information="it is RED")),
        mentor("accept"),
        program({"function": "write_file", "file_path": "colour.txt", "text": "red"}),
        mentor("accept"),
        verified(),
    ]
    task = 'Write "red" into colour.txt if red.avi is.'
    journal, calls = await messages("mmac", tmp_path, task, script, desktop="none")
    assert "Frames, row by row: 0 s, 1 s" in calls[2].text("memory")
    assert captions(calls[2]) == ["2 frames of red.avi, from 0 s on:"]
    assert "See the FILM -> it is RED" in calls[4].text("memory")
    (shown,) = bodies(journal, e.PictureRead)
    assert shown.picture
    assert (await replay(journal)).difference is None


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
async def test_what_a_film_shows_is_judged_by_who_reads_what_was_seen_of_it(tmp_path: Path) -> None:
    """No probe can look at a film; a reader is given what programs found in it, and among the wrong texts the file as it
    was."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "colour.txt").write_text("seen on day 1:\n")
    made = ["-f", "lavfi", "-i", "color=red:size=64x48:rate=5:duration=2", "-c:v", "mjpeg"]
    await anyio.run_process(["ffmpeg", "-loglevel", "error", *made, str(work / "red.avi")])
    says = "the last line of colour.txt is the colour that red.avi shows"
    contract = {"requirements": [{"parts": [1], "says": says, "seen_by": "reading", "files": ["colour.txt"]}]}

    def reads(call: Call) -> dict[str, Any]:
        texts = call.text("volatile").split("Text ")[1:]
        told = [{"text": number, "quote": "", "fulfils": "red\n" in each} for number, each in enumerate(texts, 1)]
        return {"texts": told, "why": "it is red"}

    frames = {"function": "video_frames", "file_path": "red.avi", "count": 2}
    line = {"function": "write_file", "file_path": "colour.txt", "text": "red\n", "append": True}
    script: list[Any] = [
        ("ContractWriter", contract),
        ("TeamPlanner", {"subtasks": [part("See the FILM", "VideoAnalyst"), part("Write it down")]}),
        ("VideoAnalyst", doing(frames)),
        ("VideoAnalyst", doing(branch="RoleTaskFinish", information="it is RED")),
        mentor("accept"),
        program(line),
        mentor("accept"),
        verified(),
        ("Reader", reads),
    ]
    strong = Profile(name="strong", contracts=True, reading=4000)
    task = "Add the colour that red.avi shows to colour.txt."
    journal, calls = await messages("mmac", tmp_path, task, script, profile=strong, desktop="none")
    read = calls[-1].text("task", "volatile")
    source, _, texts = read.partition("Text 1:")
    assert "Frames, row by row: 0 s, 1 s" in source
    assert "it is RED" not in read, "what an agent says of a film is no source"
    assert "[colour.txt]\nseen on day 1:\n\n" in texts, "one of the texts is the file as it was"
    assert "day 2" not in texts, "what was there before is altered in none of them"
    assert status(journal) == ("done", "")


# A process that ended in the middle of it, and the one that went on.


def planner(call: Call) -> dict[str, Any]:
    due = call.text("volatile")
    if "Every subtask" in due:
        return verified()[1]
    if "not needed" in due:
        return changes(drop=["2"])[1]
    if "cannot do it" in due:
        return changes(revise=[{"subtask": "3", **part("Find the CHAT", "Librarian")}])[1]
    goals = ("Look at the CHATS", "Search for DYLAN", "Open the CHAT", "SEND it")
    return planned(*(part(goal) for goal in goals))[1]


def programmer(call: Call) -> dict[str, Any]:
    due = call.text("volatile")
    if "Open the CHAT" in due:
        return program(branch="TaskMismatch", problem="I don't know how")[1]
    return program(write() if "SEND" in due else listing())[1]


def judging(call: Call) -> dict[str, Any]:
    first = "Subtask: Look" in call.text("volatile")
    return mentor("adjust", "searching is not needed", observation=SEEN)[1] if first else mentor("accept")[1]


def judged(scope: str, kind: str) -> Callable[[Any], bool]:
    return lambda body: isinstance(body, e.Judged) and (body.scope, body.verdict.kind) == (scope, kind)


@pytest.mark.parametrize(
    "moment",
    sampled([judged("subtask", "accept"), judged("subtask", "replan"), judged("goal", "accept")], 1),
    ids=["insight", "refused", "verified"],
)
async def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path, moment: Callable[[Any], bool]) -> None:
    chats, settings = tmp_path / "work" / "chats", settings_in(tmp_path)
    chats.mkdir(parents=True)
    (chats / "dylan.txt").write_text("")
    request = RunRequest(
        task=TASK, crew="mmac", model="scripted:x", workspace=tmp_path / "work", desktop="none", required=usual(TASK)
    )
    librarian = doing(listing(), branch="RoleTaskFinish", information="it is dylan.txt")
    model = by_role(TeamPlanner=planner, TeamProgrammer=programmer, Librarian=librarian, Mentor=judging)
    killed = False

    def watch(event: e.Event, journal: Journal) -> None:
        nonlocal killed
        if not killed and moment(event.body):
            killed = True
            journal.commit()
            raise Killed

    with pytest.raises(Killed):
        await session.run(request, settings, watch=watch, model=model)
    journal = await session.resume("last", settings, model=model)
    assert status(journal) == ("done", "")
    assert done(journal) == ["list_files", "list_files", "write_file"], "nothing was done twice"
    assert (await replay(journal)).difference is None
