"""The loop on a real virtual desktop: what goes away under the agent becomes an observation, and the run goes on."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any, cast

import openpyxl
import psutil
import pytest
from tests.environments.linux.conftest import needs_desktop, program_of

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import Opened, RunRequest, request_of
from deskcrew.engine.rewind import reopening
from deskcrew.environments.desk import Desk
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.sandbox.sandbox import DesktopSandbox
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.observation import Control, Observation
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.required import required, usual
from support.sampling import sampled

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]


def label(call: Call, what: str) -> str:
    """The label of the first control of a prompt that is described so."""
    found = re.search(rf"^(\S+) {what}", call.text(), flags=re.MULTILINE)
    assert found, f"no {what} in the prompt:\n{call.text('volatile')}"
    return found.group(1)


OPEN = {"function": "open_application", "app_name": "Text Editor (Mousepad)"}
STRONG = Profile(name="strong", context=128_000, reading=20_000)


async def run(folder: Path, task: str, *replies: Any, **request_: Any) -> tuple[Any, ScriptedModel]:
    needs_desktop()
    profile, lend = request_.pop("profile", None), request_.pop("lend", None)
    model = ScriptedModel(replies, profile=profile) if profile is not None else ScriptedModel(replies)
    request = RunRequest(
        task=task, model="scripted:x", workspace=folder / "work", **{"crew": "planned", **{"crew": "solo"} | request_}
    )
    return await session.run(request, settings_in(folder), model=model, lend=lend), model


@pytest.mark.deep
async def test_what_code_found_out_is_typed_into_a_window(tmp_path: Path) -> None:
    """A node of code and one of mouse and keyboard that needs it, in the crew ``friday`` (F5, F20)."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "total.txt").write_text("")
    nodes: list[dict[str, Any]] = [
        {"goal": "Add up 2 and 3", "type": "code", "needs": []},
        {"goal": "Enter the sum of subtask 1 in total.txt with the editor", "type": "gui", "needs": ["1"]},
    ]
    code = "def add(first, second):\n    return first + second\n\nprint(add(2, 3))"

    def types(call: Call) -> dict[str, Any]:
        assert "Add up 2 and 3 -> 5" in call.text("memory")
        typing = {"function": "keyboard_input", "control": label(call, "text area"), "keys": "5"}
        return {"operations": [typing, {"function": "hotkey", "keys": ["ctrl", "s"]}], "branch": "RoleTaskFinish"}

    accepted = {"why": "it is there", "verdict": "accept", "score": 8}
    journal, model = await run(
        tmp_path,
        'Write "5" into total.txt.',
        {"subtasks": nodes},
        {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"},
        accepted,
        {"operations": [{**OPEN, "file": "total.txt"}], "branch": "Continue"},
        types,
        accepted,
        crew="friday",
        required=required("file_contains total.txt 5"),
    )
    asked = [call.role for call in model.calls]
    assert asked == ["GraphPlanner", "ToolGenerator", "Critic", "DesktopUser", "DesktopUser", "Critic"]
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == "done", outcome
    assert (tmp_path / "work" / "total.txt").read_text().strip() == "5"
    scores = [body.verdict.score for body in bodies(journal, e.Judged) if body.verdict.kind == "accept"]
    assert scores == [8, None], "only code is scored"


@pytest.mark.deep
async def test_a_control_that_has_gone_is_an_observation(tmp_path: Path) -> None:
    """The window is closed by one operation of a reply and clicked into by the next; then by a label of an old look."""
    seen: list[str] = []

    def closes_and_clicks(call: Call) -> dict[str, Any]:
        seen.append(label(call, "menu .*File"))
        close = {"function": "hotkey", "keys": ["alt", "f4"]}
        return {"operations": [close, {"function": "click_input", "control": seen[0]}], "branch": "Continue"}

    def clicks_again(call: Call) -> dict[str, Any]:
        return {"operations": [OPEN, {"function": "click_input", "control": seen[0]}], "branch": "Continue"}

    writes = {"operations": [{"function": "write_file", "file_path": "end.txt", "text": "x"}], "branch": "RoleTaskFinish"}
    opens = {"operations": [OPEN], "branch": "Continue"}
    task, replies = 'Write "x" into end.txt.', (opens, closes_and_clicks, clicks_again, writes, writes)
    journal, model = await run(tmp_path, task, *replies, required=usual(task))
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == "done", outcome
    finished = bodies(journal, e.ActionFinished)
    clicked = [body for body in finished if body.operation.function == "click_input"]
    told = model.calls[2].text()
    if clicked and not clicked[0].ok:
        assert "has gone" in clicked[0].error
        assert "has gone" in told
    else:
        # The click was dropped: a window had closed unasked.
        assert "closed" in told
        assert "Operations after it were not done" in told
    assert journal.verify() == []


@pytest.mark.deep
async def test_a_window_that_an_operation_was_to_open_or_close_does_not_end_a_reply(tmp_path: Path) -> None:
    """Save As..., the name with Enter, and more text in one reply."""

    def saves(call: Call) -> dict[str, Any]:
        menu = {"function": "choose_menu", "path": ["File", "Save As..."]}
        name = {"function": "keyboard_input", "keys": "named.txt", "control": "", "clear": True, "click_enter": True}
        text = {"function": "keyboard_input", "keys": "more", "control": label(call, "text area")}
        return {"operations": [menu, name, text], "branch": "Continue"}

    typing = {"operations": [{"function": "keyboard_input", "keys": "a line ", "control": ""}], "branch": "Continue"}
    opens = {"operations": [OPEN], "branch": "Continue"}
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    journal, _ = await run(tmp_path, "Save it.", opens, typing, saves, stops)
    done = [(body.operation.function, body.ok) for body in bodies(journal, e.ActionFinished)]
    assert done[2:5] == [("choose_menu", True), ("keyboard_input", True), ("keyboard_input", True)], done
    assert (tmp_path / "work" / "named.txt").read_text() == "a line "
    assert not [body for body in bodies(journal, e.Judged) if body.dropped]


@pytest.mark.deep
async def test_cells_out_of_view_are_named_and_told_what_landed(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    book = openpyxl.Workbook()
    for row in (("item", "count"), ("pear", 3)):
        book.worksheets[0].append(row)
    book.save(tmp_path / "work" / "list.xlsx")

    def types(call: Call) -> dict[str, Any]:
        assert "Any cell or range of the spreadsheet is a control" in call.text("volatile")
        table = {"function": "keyboard_input", "control": "B700", "keys": "name\tshare\n007\t=1+1\n"}
        read = {"function": "click_input", "control": "A1:B2"}
        return {"operations": [read, table, read], "branch": "Continue"}

    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    opened = (Opened(name="LibreOffice Calc", file="list.xlsx"),)
    journal, model = await run(tmp_path, "Look.", types, stops, opened=opened, profile=STRONG)
    told = model.calls[1].text()
    assert "click_input A1:B2: done; shown as" in told
    assert ": item\tcount\npear\t3" in told
    assert "FAILED; 3 of 4 cells hold what was typed; B701 shows '7', not '007'" in told
    assert "NOT DONE after that: click_input A1:B2" in told
    assert journal.verify() == []


@pytest.mark.deep
async def test_a_program_that_stops_while_its_cells_are_read_is_told_and_the_run_goes_on(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    book = openpyxl.Workbook()
    book.worksheets[0].append(("item", "count"))
    book.save(tmp_path / "work" / "list.xlsx")
    hung: list[psutil.Process] = []

    def lend(desk: Desk) -> None:
        desktop = desk.desktop
        assert isinstance(desktop, LinuxDesktop)
        read = desktop.read_cells

        def stops_first(control: Control) -> str:
            if not hung:
                hung.append(program_of(cast(DesktopSandbox, desktop.session).pid, "soffice"))
                hung[0].send_signal(signal.SIGSTOP)
            return read(control)

        desktop.read_cells = stops_first

    def reads(call: Call) -> dict[str, Any]:
        return {"operations": [{"function": "click_input", "control": "A1:B1"}], "branch": "Continue"}

    def waits(call: Call) -> dict[str, Any]:
        hung[0].send_signal(signal.SIGCONT)
        return {"operations": [{"function": "wait_for_loading", "seconds": 1}], "branch": "Continue"}

    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    opened = (Opened(name="LibreOffice Calc", file="list.xlsx"),)
    journal, model = await run(tmp_path, "Look.", reads, waits, reads, stops, opened=opened, lend=lend, profile=STRONG)
    first = bodies(journal, e.ActionFinished)[0]
    assert "libreoffice-calc is not responding: it does not answer" in first.error
    assert "libreoffice-calc is not responding" in model.calls[1].text()
    assert 'of "libreoffice-calc" active, not responding' in model.calls[1].text()
    assert "item\tcount" in model.calls[3].text()
    assert journal.verify() == []


@pytest.mark.deep
async def test_what_a_surprise_leaves_undone_is_told_to_the_next_reply(tmp_path: Path) -> None:
    def surprises(call: Call) -> dict[str, Any]:
        text = {"function": "keyboard_input", "keys": "a line", "control": label(call, "text area")}
        keys = [{"function": "hotkey", "keys": ["ctrl", key]} for key in "oa"]
        return {"operations": [text, *keys], "branch": "Continue"}

    opens = {"operations": [OPEN], "branch": "Continue"}
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    strong = Profile(name="strong", context=128_000)
    journal, model = await run(tmp_path, "Look.", opens, surprises, stops, profile=strong)
    assert [body.dropped for body in bodies(journal, e.Judged) if body.dropped] == [1]
    assert 'NOT DONE after that: hotkey keys=["ctrl", "a"]' in model.calls[2].text()


@pytest.mark.deep
async def test_what_a_run_begins_with_is_open_before_anybody_looks(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "list.txt").write_text("milk\n")
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    opened = (Opened(name="Text Editor (Mousepad)", file="list.txt"),)
    home = (".config/mousepad",)
    journal, model = await run(tmp_path, "Look.", stops, opened=opened, screen=(1440, 900), scale=1.5, monitors=2, home=home)
    assert "list.txt" in model.calls[0].text("volatile")
    request = request_of(journal)
    assert (request.opened, request.screen, request.scale, request.monitors) == (opened, (1440, 900), 1.5, 2)
    assert request.home == home
    assert (tmp_path / "work/.config/mousepad").is_dir()
    look = bodies(journal, e.Observed)[0]
    seen = Observation.model_validate_json(journal.read_blob(look.observation))
    assert seen.screen is not None
    assert (seen.screen.width, seen.screen.height, seen.screen.scale) == (2880, 900, 1.5)


@pytest.mark.deep
async def test_what_cannot_be_opened_beforehand_is_told_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No Such Program could not be opened before the run"):
        await run(tmp_path, "Look.", opened=(Opened(name="No Such Program"),))


@pytest.mark.parametrize("file", sampled(["/etc/hostname", "../note.txt", "none.txt"], 1))
async def test_a_file_outside_the_workspace_is_not_opened_beforehand(tmp_path: Path, file: str) -> None:
    (tmp_path / "note.txt").write_text("beside the workspace")
    with pytest.raises(UsageError, match="could not be opened before the run") as told:
        await run(tmp_path, "Look.", opened=(Opened(name="Text Editor (Mousepad)", file=file),))
    assert "--attach" in told.value.hint


async def test_a_run_on_a_desktop_replays_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures and controls come from the journal: no display, no program, no model."""

    def types(call: Call) -> dict[str, Any]:
        text = {"function": "keyboard_input", "keys": "good evening", "control": label(call, "text area")}
        return {"operations": [text, {"function": "hotkey", "keys": ["ctrl", "a"]}], "branch": "Continue"}

    opens = {"operations": [OPEN], "branch": "Continue"}
    writes = {"operations": [{"function": "write_file", "file_path": "end.txt", "text": "x"}], "branch": "RoleTaskFinish"}
    task = 'Write "x" into end.txt.'
    insists = {"operations": [], "branch": "RoleTaskFinish"}
    journal, _ = await run(tmp_path, task, opens, types, writes, *[insists] * 3, required=usual(task))
    assert journal.state.outcome is not None
    assert "was not saved" in journal.state.outcome.why, "what stands in the window"
    pictures = [part for body in bodies(journal, e.RoleCalled) for part in body.parts if part.kind == "image"]
    assert pictures, "nothing tells of a screen without windows"

    export(journal, tmp_path / "run.zip")
    store = Store(tmp_path / "there.db")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(session, "start_desktop", lambda *_: pytest.fail("a desktop was started"))
    found = await replay(store.journal(read_export(tmp_path / "run.zip", store).run))
    assert found.difference is None
    assert (found.events, found.prompts) == (len(journal.events), 6)


@pytest.mark.deep
async def test_text_behind_a_dialog_is_known_when_the_program_is_opened_again(tmp_path: Path) -> None:
    """The dialog hides it from the last look; the look before the dialog shows what cannot have changed since."""
    typing = {"operations": [{"function": "keyboard_input", "keys": "a line", "control": ""}], "branch": "Continue"}
    saving = {"operations": [{"function": "hotkey", "keys": ["ctrl", "s"]}], "branch": "Continue"}
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    journal, _ = await run(tmp_path, "Type it.", {"operations": [OPEN], "branch": "Continue"}, typing, saving, stops)
    last = Observation.model_validate_json(journal.read_blob(bodies(journal, e.Observed)[-1].observation))
    assert any(window.dialog for window in last.windows), last.windows
    again = reopening(journal, journal.events)
    assert [unsaved.text for unsaved in again.texts] == ["a line"]
    assert again.programs == (("Text Editor (Mousepad)", ""),)


@pytest.mark.parametrize("tidies", [True, False])
@pytest.mark.deep
async def test_changes_that_nobody_saved_are_sent_back_and_never_done(tmp_path: Path, tidies: bool) -> None:
    """The file is right on the disk while its window shows another text."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "list.txt").write_text("milk\n")
    check = {"kind": "file_is", "target": "list.txt", "text": "bread\nmilk"}
    wanted = {
        "parts": [1],
        "says": "list.txt has a line bread",
        "seen_by": "checks",
        "files": ["list.txt"],
        "checks": [check],
    }

    def keys(*keys: str) -> dict[str, Any]:
        return {"function": "hotkey", "keys": list(keys)}

    def typing(text: str) -> dict[str, Any]:
        return {"function": "keyboard_input", "keys": text, "control": ""}

    save, enter = keys("ctrl", "s"), keys("enter")
    later = [[keys("backspace"), save]] if tidies else [[typing(letter)] for letter in "yzuvw"]
    doing = [[typing("bread"), enter, save, typing("x")], *later]
    parts = [{"operations": each, "branch": "RoleTaskFinish"} for each in doing]
    plans = [{"subtasks": [{"goal": f"Do it ({number})", "role": "Operator"}]} for number in range(9)]
    waiting = {"ContractWriter": [{"requirements": [wanted]}], "Planner": plans, "Operator": parts}

    def says(call: Call) -> Any:
        left = waiting.get(call.role, [])
        return left.pop(0) if left else {"operations": [], "branch": "RoleTaskFinish"}

    journal, model = await run(
        tmp_path,
        "Put bread above the milk in list.txt.",
        *[says] * 40,
        opened=(Opened(name="Text Editor (Mousepad)", file="list.txt"),),
        profile=Profile(name="strong", context=128_000, contracts=True),
        crew="planned",
    )
    outcome = journal.state.outcome
    assert outcome is not None
    told = [call.text() for call in model.calls if call.role == "Planner"]
    assert len(told) > 1, outcome
    assert "was not saved" in told[1]
    assert outcome.status == ("done" if tidies else "unverified"), outcome
    assert ("was not saved" in outcome.why) is not tidies
