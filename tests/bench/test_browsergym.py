"""Episodes of BrowserGym: a crew and the owner of a page take turns on it. The owner is this test, with the real process,
the real pipes and a real browser; BrowserGym itself is in an environment of its own, and in the last test where that is."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Page

from cli.conftest import Cli
from deskcrew.environments.browser.launch import program
from deskcrew.environments.browser.lending import target_of
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew_bench.browsergym import episode as browsergym
from support.crew import bodies, settings_in
from support.lent import blocking

HERE = Path(__file__).parents[2] / "bench/browsergym"
OWN = HERE / ".venv/bin/python"
browser = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
BUTTONS = """<title>Two</title><button onclick="n.textContent += 'a'">First</button>
<button onclick="n.textContent += 'b'">Second</button><p id=n></p>"""
BOTH = {
    "operations": [{"function": "click_input", "control": "1"}, {"function": "click_input", "control": "2"}],
    "branch": "RoleTaskFinish",
}


def module(name: str) -> ModuleType:
    """A file of BrowserGym's side, which is no part of the package."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


process = module("crew_process")


class Owner:
    """A page as BrowserGym has it: of Playwright's blocking interface, in a browser with a debugging port."""

    def __init__(self, endpoint: str, page: Page, folder: Path) -> None:
        self.endpoint, self.page, self.folder = endpoint, page, folder

    def crew(self, task: str, *replies: Any, model: str = "", crew: str = "solo", endpoint: str = "") -> Any:
        """A crew at work on the page; ``replies``: of its model."""
        script = self.folder / "replies.json"
        script.write_text(json.dumps(replies), encoding="utf-8")
        beginning = {
            "goal": [{"type": "text", "text": task}],
            "endpoint": endpoint or self.endpoint,
            "target": target_of(self.page),
            "sites": "own",
            "model": model or f"scripted:{script}",
            "crew": crew,
            "data": str(self.folder / "data"),
        }
        return process.Crew(beginning, sys.executable)

    def journal(self, said: dict[str, Any]) -> Journal:
        return Store(settings_in(self.folder).journal).journal(said["run"])

    @property
    def pressed(self) -> str:
        return self.page.inner_text("#n")


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    with blocking() as (endpoint, context):
        page = context.new_page()
        page.set_content(BUTTONS)
        yield Owner(endpoint, page, tmp_path)


@browser
@pytest.mark.deep
def test_an_operation_is_a_step_and_the_crew_stands_still_between_two(owner: Owner) -> None:
    crew = owner.crew("Press both buttons.", BOTH)
    first = crew.next()
    assert (first["type"], first["words"], first["ok"]) == ("done", "click_input 1 button=left (button 'First')", True)
    assert first["spent"]["calls"] == 1
    owner.page.wait_for_timeout(700)
    assert owner.pressed == "a", "the second is not pressed before this step is over"
    crew.go_on()
    second = crew.next()
    assert (second["words"], owner.pressed) == ("click_input 2 button=left (button 'Second')", "ab")
    crew.go_on()
    ended = crew.next()
    assert ended["type"] == "ended"
    crew.close()
    journal = owner.journal(ended)
    held = [body.kind for body in bodies(journal, e.HumanSaid)]
    assert held == ["pause", "resume"], "before the second operation, once"
    assert [body.ok for body in bodies(journal, e.ActionFinished)] == [True, True]
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == ended["outcome"]
    assert not owner.page.is_closed()


@pytest.mark.deep
@browser
def test_an_operation_of_a_later_reply_is_a_step_as_well(owner: Owner) -> None:
    one = {"operations": [{"function": "click_input", "control": "1"}], "branch": "Continue"}
    crew = owner.crew("Press both buttons.", one, BOTH)
    pressed = ""
    for name in ("First", "First", "Second"):
        said = crew.next()
        pressed += "a" if name == "First" else "b"
        assert (name in said["words"], owner.pressed) == (True, pressed)
        crew.go_on()
    ended = crew.next()
    crew.close()
    assert [body.kind for body in bodies(owner.journal(ended), e.HumanSaid)] == ["pause", "resume"] * 2


@pytest.mark.deep
@browser
def test_when_the_episode_is_over_the_run_is_stopped_where_it_is(owner: Owner) -> None:
    crew = owner.crew("Press both buttons.", BOTH)
    first = crew.next()
    crew.close()
    outcome = owner.journal(first).state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.why) == ("stopped", "BrowserGym has ended the episode")
    assert owner.pressed == "a"


@pytest.mark.deep
@browser
def test_a_run_that_loses_its_browser_is_no_result(owner: Owner) -> None:
    crew = owner.crew("Press both buttons.", BOTH)
    crew.next()
    started = owner.page.context.browser
    assert started is not None
    started.close()
    crew.go_on()
    with pytest.raises(process.CrewFailed, match="broken off: The browser has ended"):
        crew.next()


@pytest.mark.deep
@browser
def test_what_cannot_be_done_is_reported_as_that(owner: Owner) -> None:
    reply = {"operations": [], "branch": "Unanswerable", "problem": "There is no third button."}
    crew = owner.crew("Press the third button.", reply)
    ended = crew.next()
    crew.close()
    assert (ended["outcome"], ended["reason"]) == ("failed", "infeasible")
    assert "There is no third button." in process.action_of(ended)
    assert process.action_of(ended).startswith("report_infeasible(")


@pytest.mark.deep
@browser
def test_who_cannot_begin_says_why(owner: Owner) -> None:
    with pytest.raises(process.CrewFailed, match="No browser answers"):
        owner.crew("Press it.", endpoint="http://127.0.0.1:9").next()
    with pytest.raises(process.CrewFailed, match="There is no crew"):
        owner.crew("Press it.", crew="of-nobody").next()
    with pytest.raises(process.CrewFailed, match="make setup"):
        process.Crew({}, str(owner.folder / "python"))
    with pytest.raises(process.CrewFailed, match="exit code"):
        process.Crew({"goal": "no list"}, sys.executable).next()


@pytest.mark.parametrize(
    ("outcome", "reason", "answer", "action"),
    [
        ("done", "", 'it\'s 4 "or" 5\nlines', "send_msg_to_user('it\\'s 4 \"or\" 5\\nlines')"),
        ("unverified", "", "4", "send_msg_to_user('4')"),
        ("done", "", "", "send_msg_to_user('Done.')"),
        ("failed", "infeasible", "", "report_infeasible('why')"),
        ("failed", "gave_up", "4", None),
        ("failed", "bound:replies", "", None),
        ("denied", "", "", None),
    ],
)
def test_the_last_action_of_an_episode(outcome: str, reason: str, answer: str, action: str | None) -> None:
    ended = {"outcome": outcome, "reason": reason, "answer": answer, "why": "why"}
    assert process.action_of(ended) == action


def test_costs_are_those_of_the_step() -> None:
    now = {"calls": 3, "input": 900, "output": None, "cached": 0}
    assert process.costs(now, {"calls": 1, "input": 400}) == {"calls": 2, "input": 500, "cached": 0}
    assert process.costs(now, {}) == {"calls": 3, "input": 900, "cached": 0}


def test_the_pictures_of_a_goal_are_files_that_its_words_name(tmp_path: Path) -> None:
    url = f"data:image/png;base64,{base64.b64encode(b'a picture').decode()}"
    goal = (
        browsergym.Part(type="text", text="Find this."),
        browsergym.Part(type="image_url", image_url={"url": url, "detail": "auto"}),
        browsergym.Part(type="image_url", image_url="http://127.0.0.1/b.png"),
    )
    words = browsergym.task_of(goal, tmp_path)
    assert words.splitlines()[1:] == [
        "The picture picture-2.png belongs to this.",
        "The picture http://127.0.0.1/b.png belongs to this.",
    ]
    assert (tmp_path / "picture-2.png").read_bytes() == b"a picture"


@pytest.mark.parametrize(
    ("sites", "control", "code"),
    [("own", "Place order", 0), ("own", "Delete", 0), ("own", "Send", 0), ("open", "Search", 0), ("open", "Place order", 3),
     ("open", "Delete", 3), ("open", "Send", 3)],
)  # fmt: skip
def test_sites_of_ones_own_may_be_changed_and_the_open_web_may_not(cli: Cli, sites: str, control: str, code: int) -> None:
    place = ("--app", "Chromium", "--desktop", "real", "--agent", "Operator", "--policy", str(browsergym.POLICIES[sites]))
    assert cli("policy", "test", "--action", "click_input", "--control", control, "--role", "button", *place).code == code


def test_a_task_that_is_not_of_the_train_split_is_not_run() -> None:
    command = [sys.executable, str(HERE / "run.py"), "--only", "no-such-task"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "invalid choice" in ended.stderr


@browser
@pytest.mark.deep
@pytest.mark.skipif(not OWN.exists(), reason="BrowserGym's environment is not there: bench/browsergym/setup.sh makes it")
def test_browsergym_itself_runs_an_episode(tmp_path: Path) -> None:
    folders = ("--out", str(tmp_path / "out"), "--data", str(tmp_path / "data"))
    script = tmp_path / "replies.json"
    press = {"operations": [{"function": "click_input", "control": "2"}], "branch": "RoleTaskFinish"}
    script.write_text(json.dumps([press] * 4))
    model = ("--model", f"scripted:{script}", "--crew", "solo")
    options = ("--only", "enter-text", "--seeds", "1", *model, "--chromium", str(program()))
    command = [str(OWN), str(HERE / "run.py"), *options, "--python", sys.executable, *folders]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"mean reward 0\.00 of 1 episodes", ended.stdout), ended.stdout + ended.stderr  # nothing was entered
    outcome = Store(settings_in(tmp_path).journal).journal("last").state.outcome
    assert outcome is not None
    assert outcome.status != "done"
