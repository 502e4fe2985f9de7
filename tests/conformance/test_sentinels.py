"""Who is told what, in each crew, on a real page: a sentinel under each kind of message of each role, looked for in every
prompt as it was sent."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from deskcrew.engine import rewind, session
from deskcrew.engine.human.human import mode_of
from deskcrew.engine.human.questions import Accepted, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import load_crew
from deskcrew.engine.roles.role import BUILTIN, load_roles
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.messages import Message, doing, messages

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
PAGE = """<!doctype html><title>Lamps</title><p>Lamps are bright.<label>Pieces <input id=n></label>
<button onclick="out.textContent = 'counted'">Count</button><p id=out>"""
TASK = "Press Count on the page."
SENTINEL = re.compile(r"(?:NOTE|RESULT|INFO|SEEN|REFUSAL|JUDGEMENT|GUIDE)-\w+")
MODEL = Profile(name="p", free_text="full")


@pytest.fixture
def page(httpserver: HTTPServer) -> str:
    httpserver.expect_request("/lamps").respond_with_data(PAGE, content_type="text/html")
    return f"http://127.0.0.1:{httpserver.port}/lamps"


def press(call: Call) -> dict[str, Any]:
    """The operation that presses the page's button, as its number is in this prompt."""
    found = re.search(r'^(\S+) button "Count"', call.text(), flags=re.MULTILINE)
    assert found, call.text("volatile")
    return {"function": "click_input", "control": found.group(1)}


def printing(text: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": f"print('RESULT' + '-{text}')"}


def pressing(**more: Any) -> Any:
    return lambda call: doing(press(call), **more)


def reviewed(text: str, verdict: str = "continue") -> Message:
    return "Reviewer", {"analyze": "", "verdict": verdict, "judgement": f"JUDGEMENT-{text}"}


def sent(journal: Journal) -> list[tuple[str, str]]:
    """Every prompt with its role, in order, those before a rewind as well."""
    called = [event.body for event in journal.all if isinstance(event.body, e.RoleCalled)]
    texts = (
        "\n".join(journal.read_blob(part.blob).decode() for part in body.parts if part.kind == "text") for body in called
    )
    return [(body.role, text) for body, text in zip(called, texts, strict=True)]


def told(journal: Journal) -> dict[str, list[str]]:
    """By sentinel: the roles that were sent it, in the order of their prompts."""
    found: dict[str, list[str]] = {}
    for role, text in sent(journal):
        for name in set(SENTINEL.findall(text)):
            found.setdefault(name, []).append(role)
    return found


async def crew(name: str, folder: Path, url: str, script: Sequence[Message], human: Any = None, **more: Any) -> Journal:
    journal, _ = await messages(name, folder, TASK, script, human, desktop="browser", url=url, profile=MODEL, **more)
    return journal


STOP = {"branch": "Interrupt", "problem": "enough"}
COLA: list[Message] = [
    ("Planner", {"subtasks": [{"goal": "count"}, {"goal": "press"}, {"goal": "look"}], "message": "NOTE-planner"}),
    (
        "TaskScheduler",
        {
            "assignments": [{"subtask": str(n), "role": r} for n, r in enumerate(("Programmer", "Searcher", "Searcher"), 1)],
            "branch": "Continue",
            "message": "NOTE-scheduler",
        },
    ),
    (
        "Programmer",
        doing(printing("programmer"), branch="RoleTaskFinish", message="NOTE-programmer", information="INFO-programmer"),
    ),
    reviewed("programmer"),
    ("Searcher", doing(branch="TaskMismatch", problem="REFUSAL-searcher")),
    (
        "TaskScheduler",
        {"assignments": [{"subtask": "2", "role": "Operator"}], "branch": "Continue"},
    ),
    ("Operator", pressing(message="NOTE-operator")),
    reviewed("operator", "repair"),
    ("Operator", doing(branch="RoleTaskFinish")),
    ("Searcher", doing(branch="Interrupt", problem="enough")),
]


async def test_cola(tmp_path: Path, page: str) -> None:
    """What the last operations returned goes on to the agents after them, and their agent's own words do not."""
    assert told(await crew("cola", tmp_path, page, COLA)) == {
        "NOTE-planner": ["Programmer"],  # who assigns is no agent
        "NOTE-scheduler": ["Programmer"],
        "NOTE-programmer": ["Searcher"],
        "NOTE-operator": ["Searcher"],
        "RESULT-programmer": ["Reviewer", "Searcher", "Operator", "Operator", "Searcher"],
        "JUDGEMENT-programmer": ["Reviewer"],  # its own memory; the part was finished
        "JUDGEMENT-operator": ["Operator"],
        "REFUSAL-searcher": ["TaskScheduler"],
    }


async def test_mmac(tmp_path: Path, page: str) -> None:
    def part(goal: str, role: str) -> dict[str, Any]:
        return {"goal": goal, "role": role}

    def mentor(name: str, verdict: str) -> Message:
        return "Mentor", {"observation": f"SEEN-{name}", "why": f"JUDGEMENT-{name}", "verdict": verdict}

    script: list[Message] = [
        ("Viewer", {"observation": "SEEN-viewer"}),
        (
            "TeamPlanner",
            {"subtasks": [part("count", "TeamProgrammer"), part("find", "Librarian")], "message": "NOTE-planner"},
        ),
        (
            "TeamProgrammer",
            doing(printing("programmer"), branch="RoleTaskFinish", message="NOTE-programmer", information="INFO-programmer"),
        ),
        mentor("first", "repair"),
        ("TeamProgrammer", doing(printing("again"), branch="RoleTaskFinish")),
        mentor("second", "accept"),
        ("Librarian", doing(branch="TaskMismatch", problem="REFUSAL-librarian", message="NOTE-librarian")),
        ("TeamPlanner", {"revise": [{"subtask": "2", **part("press", "Viewer")}]}),
        ("Viewer", pressing(branch="RoleTaskFinish", observation="SEEN-pressed")),
        mentor("third", "accept"),
        ("TeamPlanner", {"summary": "done", "why": "", "verdict": "accept"}),
    ]
    assert told(await crew("mmac", tmp_path, page, script)) == {
        "NOTE-planner": ["TeamProgrammer"],
        "NOTE-programmer": ["Librarian"],
        "NOTE-librarian": ["Viewer"],
        "INFO-programmer": ["Mentor", "TeamProgrammer", "Mentor"],  # of work that was sent back nobody else hears
        "RESULT-programmer": ["Mentor", "TeamProgrammer", "Mentor"],
        "RESULT-again": ["Mentor", "Librarian", "TeamPlanner", "Viewer", "Mentor", "TeamPlanner"],
        "JUDGEMENT-first": ["TeamProgrammer", "Mentor"],
        "REFUSAL-librarian": ["TeamPlanner", "Mentor", "TeamPlanner"],  # the mentor sees all that was said of the part
        "SEEN-viewer": ["TeamPlanner", "TeamPlanner", "Viewer", "TeamPlanner"],
        "SEEN-first": ["Mentor", "TeamPlanner", "TeamPlanner"],
        "SEEN-second": ["TeamPlanner", "TeamPlanner"],
        "SEEN-pressed": ["TeamPlanner"],
        "SEEN-third": ["TeamPlanner"],
    }


async def test_friday(tmp_path: Path, page: str) -> None:
    def node(goal: str, type: str, *needs: str) -> dict[str, Any]:
        return {"goal": goal, "type": type, "needs": list(needs)}

    def critic(name: str, verdict: str, score: int | None = None) -> Message:
        return "Critic", {"why": f"JUDGEMENT-{name}", "verdict": verdict, "score": score}

    script: list[Message] = [
        (
            "GraphPlanner",
            {"subtasks": [node("count", "code"), node("tell", "qa"), node("press", "gui", "1")], "message": "NOTE-planner"},
        ),
        ("ToolGenerator", doing(printing("generator"), branch="RoleTaskFinish", message="NOTE-generator")),
        critic("first", "repair"),
        ("ToolRefiner", doing(printing("refiner"), branch="RoleTaskFinish", information="INFO-refiner")),
        critic("second", "accept", 5),
        ("QuestionAnswerer", {"branch": "RoleTaskFinish", "information": "INFO-answerer"}),
        critic("third", "accept"),
        ("DesktopUser", doing(branch="TaskMismatch", problem="REFUSAL-user")),
        ("TaskScheduler", {"assignments": [{"subtask": "3", "role": "ApiCaller"}], "branch": "Continue"}),
        ("ApiCaller", doing(**STOP)),
    ]
    assert told(await crew("friday", tmp_path, page, script)) == {
        "RESULT-generator": ["Critic", "ToolRefiner", "Critic"],
        "RESULT-refiner": ["Critic", "DesktopUser", "ApiCaller"],  # the node that needs it, whoever does it
        "INFO-refiner": ["Critic"],
        "INFO-answerer": ["Critic"],
        "JUDGEMENT-first": ["ToolRefiner", "Critic"],
        "REFUSAL-user": ["TaskScheduler"],
    }


async def test_coact(tmp_path: Path, page: str) -> None:
    def checker(name: str, verdict: str) -> Message:
        return "LocalChecker", {"why": f"JUDGEMENT-{name}", "verdict": verdict}

    phases = [{"goal": "count", "expect": "counted"}, {"goal": "press", "expect": "pressed"}]
    script: list[Message] = [
        ("GlobalPlanner", {"subtasks": phases, "message": "NOTE-planner"}),
        ("LocalExecutor", doing(printing("executor"), branch="RoleTaskFinish", message="NOTE-executor")),
        checker("first", "accept"),
        ("LocalExecutor", doing(branch="TaskMismatch", problem="REFUSAL-executor")),
        ("GlobalPlanner", {"why": "JUDGEMENT-overruled", "verdict": "overrule"}),
        ("LocalExecutor", pressing(branch="RoleTaskFinish")),
        checker("requests", "replan"),
        ("GlobalPlanner", {"why": "JUDGEMENT-again", "verdict": "overrule"}),
        ("LocalExecutor", doing(branch="RoleTaskFinish")),
        checker("last", "accept"),
        ("GlobalPlanner", {"summary": "done", "why": "", "verdict": "accept"}),
    ]
    journal = await crew("coact", tmp_path, page, script)
    assert 'button "Count"' in sent(journal)[0][1], "the planner sees the page"
    assert told(journal) == {
        "NOTE-planner": ["LocalExecutor"],  # the executor's own note has no other agent to go to
        "RESULT-executor": [
            *("LocalChecker", "LocalExecutor", "GlobalPlanner", "LocalExecutor", "LocalChecker", "GlobalPlanner"),
            *("LocalExecutor", "LocalChecker", "GlobalPlanner"),
        ],
        "REFUSAL-executor": ["GlobalPlanner", "LocalChecker", "LocalChecker"],
        "JUDGEMENT-overruled": ["LocalExecutor", "GlobalPlanner", "GlobalPlanner"],  # who asked in vain, and its own memory
        "JUDGEMENT-requests": ["GlobalPlanner", "LocalChecker"],
        "JUDGEMENT-again": ["LocalExecutor", "LocalChecker", "GlobalPlanner"],
    }


async def test_default(tmp_path: Path, page: str) -> None:
    script: list[Message] = [
        ("Worker", doing(printing("worker"), message="NOTE-worker", information="INFO-worker")),
        ("Worker", pressing(branch="RoleTaskFinish")),
    ]
    assert told(await crew("default", tmp_path, page, script)) == {"RESULT-worker": ["Worker"], "INFO-worker": ["Worker"]}


def counted(journal: Journal, name: str) -> set[int]:
    """How often it stands in the prompts that have it."""
    return {text.count(name) for _, text in sent(journal) if name in text}


async def test_a_persons_words_to_one_role_are_told_to_that_role_alone_and_stand_in_a_prompt_once(
    tmp_path: Path, page: str
) -> None:
    """Said to a role that works later, with a switch of roles, with a way back, and to nobody in particular."""
    words: list[tuple[str, Response]] = [
        ("Planner", HumanSaid(kind="guide", role="Programmer", text="GUIDE-later")),
        ("TaskScheduler", HumanSaid(kind="guide", text="GUIDE-retry")),
        ("Programmer", HumanSaid(kind="switch", role="Planner", text="GUIDE-switch")),
    ]

    async def says(question: ReplyQuestion) -> Response:
        return words.pop(0)[1] if words and words[0][0] == question.role else Accepted()

    def assigned(role: str, id: str = "1") -> Message:
        return "TaskScheduler", {"assignments": [{"subtask": id, "role": role}], "branch": "Continue"}

    script: list[Message] = [
        ("Planner", {"subtasks": [{"goal": "count"}]}),
        assigned("Operator"),
        assigned("Programmer"),
        ("Programmer", doing(printing("programmer"))),
        ("Planner", {"subtasks": [{"goal": "press"}]}),
        assigned("Operator", "2"),
        ("Operator", doing(**STOP)),
    ]
    human = PythonResponder(reply=says)
    modes = (("Searcher", "automatic"),)
    journal = await crew("cola", tmp_path, page, script, human, mode="active", modes=modes)
    assert told(journal) == {
        "GUIDE-later": ["Programmer"],
        "GUIDE-retry": ["TaskScheduler", "TaskScheduler"],  # it was about its reply, and stays with it
        "GUIDE-switch": ["Planner"],
    }
    assert counted(journal, "GUIDE-switch") == {1}

    points = session.points_of(tmp_path / "work", journal)
    back = next(x for x in reversed(journal.events) if isinstance(x.body, e.RoleReplied) and x.body.role == "TaskScheduler")
    rewind.go_back(journal, rewind.to_reply(journal, back.number, points), points, say="GUIDE-back")
    model = ScriptedModel([reply for _, reply in (assigned("Searcher", "2"), ("Searcher", doing(**STOP)))], profile=MODEL)
    journal = await session.resume(journal.run, settings_in(tmp_path), model=model)
    assert [call.role for call in model.calls] == ["TaskScheduler", "Searcher"]
    assert told(journal)["GUIDE-back"] == ["TaskScheduler"]
    assert counted(journal, "GUIDE-back") == {1}
    assert (mode_of(journal.state), mode_of(journal.state, "Searcher")) == ("active", "automatic"), (
        "modes outlast a way back"
    )


async def test_what_a_person_says_to_nobody_in_particular_is_told_to_all_once_each(tmp_path: Path, page: str) -> None:
    said = [HumanSaid(kind="guide", text="GUIDE-all")]

    def waits(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.PlanPatched) and said and event.body.by == "TaskScheduler":
            human.say(said.pop())

    human = PythonResponder()
    journal, _ = await messages(*("cola", tmp_path, TASK, COLA, human, waits), desktop="browser", url=page, profile=MODEL)
    assert told(journal)["GUIDE-all"] == ["Programmer", "Searcher", "TaskScheduler", "Operator", "Operator", "Searcher"]
    assert counted(journal, "GUIDE-all") == {1}


def test_the_graph_of_who_tells_whom_what_is_that_of_the_role_files() -> None:
    tool = tool_of("wires")
    text = tool.PAGE.read_text()
    assert tool.page(text) == text, "stale: tools/wires.py --write"
    crews = {path.stem: load_crew(path.stem, (CREWS,), load_roles((BUILTIN,))) for path in CREWS.glob("*.toml")}
    assert "Reviewer ─judgement─► agents" in tool.graph(crews["cola"])
    deaf = crews["cola"].roles["Searcher"].model_copy(update={"reads": ("task",)})
    changed = crews["cola"].model_copy(update={"roles": {**crews["cola"].roles, "Searcher": deaf}})
    assert tool.graph(changed) != tool.graph(crews["cola"])
    assert text.count("```text\n") == 4


def tool_of(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[2] / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
