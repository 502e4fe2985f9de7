"""``deskcrew mcp``, spoken to by the SDK's own client."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from support.runs import There, own_runtime, there
from support.waiting import LATEST

if TYPE_CHECKING:
    from mcp import Client

__all__ = ["own_runtime", "there"]
pytestmark = pytest.mark.anyio
MCP = (sys.executable, "-c", "from deskcrew.ways_in.cli import main; main(['mcp'])")
DELETES: list[dict[str, Any]] = [
    {"operations": [{"function": "run_shell", "command": "rm a.txt"}], "branch": "RoleTaskFinish"},
    {"operations": [], "branch": "Interrupt", "problem": "enough"},
]


def client_of(there: There, *, may_approve: bool = False) -> Client:
    """A client of the server, which is in this process and shares one folder."""
    from mcp import Client

    from deskcrew.ways_in.cli.mcp_server import Granted, build

    settings = there.settings.model_copy(update={"model": there.request(DELETES).model, "crew": "solo"})
    return Client(build(settings, Granted("none", folders=(there.folder / "shared",)), may_approve=may_approve))


def plain(there: There) -> dict[str, Any]:
    """What the tool is given to have a file deleted that is there."""
    (work := there.folder / "shared" / "files").mkdir(parents=True)
    work.joinpath("a.txt").write_text("kept")
    return {"task": "Delete a.txt.", "workspace": str(work)}


async def test_another_agent_chooses_tasks_and_shared_files_and_nothing_else(there: There) -> None:
    given = plain(there)
    (there.folder / "keys.txt").write_text("private")
    (there.folder / "shared" / "way-out").symlink_to(there.folder / "keys.txt")
    tries: list[dict[str, Any]] = [
        {"attach": [str(there.folder / "keys.txt")]},
        {"attach": ["../keys.txt"]},
        {"attach": [str(there.folder / "shared" / "way-out")]},
        {"workspace": str(there.folder)},
        {"workspace": str(there.folder / "shared" / ".." / "elsewhere")},
    ]
    async with client_of(there) as client:
        tool = next(tool for tool in (await client.list_tools()).tools if tool.name == "run")
        assert set(tool.input_schema["properties"]) == {"task", "attach", "workspace"}
        for each in tries:
            refused = await client.call_tool("run", {"task": given["task"]} | each)
            assert refused.is_error
            assert "is not in a shared folder" in refused.content[0].text  # type: ignore
        assert there.runs_there() == []
        wide = {"model": "scripted:/elsewhere", "desktop": "virtual", "url": "http://x.example/", "crew": "cola"}
        with anyio.fail_after(60):
            asking = (await client.call_tool("run", given | wide)).structured_content
        if asking is None:  # the SDK refuses what the tool does not name
            assert there.runs_there() == []
            return
        started = there.journal(there.known(asking["run"])).state.started
        assert started is not None
        assert (started.crew, started.desktop) == ("solo", "none")
        assert started.settings.url == ""
        assert started.model != "scripted:/elsewhere"


async def test_a_task_is_done_watched_asked_about_and_answered(there: There) -> None:
    heard: list[str] = []

    async def heard_of(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async with client_of(there) as client:

        async def call(name: str, **given: Any) -> dict[str, Any]:
            with anyio.fail_after(60):
                result = await client.call_tool(name, given, progress_callback=heard_of)
            return {"error": result.content[0].text} if result.is_error else result.structured_content  # type: ignore

        asking = await call("run", **plain(there))
        run = there.known(asking["run"])
        begun = there.journal(run).state.started
        assert begun is not None
        assert begun.words_of == "agent", "what it says consents to nothing"
        assert asking["status"] == "asking"
        assert "rm a.txt" in asking["question"]
        assert any("rm a.txt" in line for line in heard), heard
        refused = await call("answer", run=run, answer="yes")
        assert f"Only a person may allow this. They say: deskcrew answer {run} yes" in refused["error"]
        ended = await call("answer", run=run, answer="no")
        assert ended["status"] == "ended"
        assert ended["result"]["run"] == run
        assert there.folder.joinpath("shared/files/a.txt").exists()
        assert [(row["run"], row["status"]) for row in (await call("runs"))["result"]] == [(run, ended["result"]["outcome"])]
        assert "has no open question" in (await call("answer", run=run, answer="no"))["error"]
        assert "There is no run" in (await call("watch", run="nothing"))["error"]
        kept = json.loads((await client.read_resource(f"deskcrew://runs/{run}")).contents[0].text)  # type: ignore
        assert kept == ended["result"]
        told = (await client.read_resource(f"deskcrew://runs/{run}/events")).contents[0].text  # type: ignore
        assert any("rm a.txt" in line for line in told.splitlines())


async def test_without_a_contract_only_a_person_lets_another_agents_task_begin(there: There) -> None:
    from mcp import Client

    from deskcrew.engine.human.questions import Accepted
    from deskcrew.ways_in.cli.mcp_server import Granted, build

    there.settings.config.mkdir(parents=True, exist_ok=True)
    there.settings.config.joinpath("models.toml").write_text(
        '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = true\n'
    )
    writes: list[Any] = [
        {"operations": [{"function": "run_shell", "command": "echo b > b.txt"}], "branch": "RoleTaskFinish"},
        {"operations": [], "branch": "Interrupt", "problem": "enough"},
    ]
    nonsense: dict[str, Any] = {"nonsense": 1}  # twice of the contract's writer, who is asked at the same time
    model = there.request([nonsense, writes[0], nonsense, writes[1]]).model
    settings = there.settings.model_copy(update={"model": model, "crew": "solo"})
    given = plain(there) | {"task": "Write b to b.txt."}
    async with Client(build(settings, Granted("none", folders=(there.folder / "shared",)))) as client:
        with anyio.fail_after(60):
            asking: Any = (await client.call_tool("run", given)).structured_content
            run = there.known(asking["run"])
            assert asking["status"] == "asking", asking
            assert "so nothing will be proven" in asking["question"]
            assert given["task"] in asking["question"]
            refused = await client.call_tool("answer", {"run": run, "answer": "yes"})
            assert "Only a person may allow this" in refused.content[0].text  # type: ignore
            written = there.folder / "shared" / "files" / "b.txt"
            assert not written.exists()
            alive = await there.question(run)
            assert alive.question is not None
            assert (await there.runs.answer(run, alive.question.id, Accepted())).ok
            await there.ended(run)
            assert written.exists()


@pytest.mark.first_case
@pytest.mark.parametrize("may_approve", [False, True])
async def test_only_a_persons_yes_is_evidence_of_what_a_small_model_understood(there: There, may_approve: bool) -> None:
    from mcp import Client

    from deskcrew.engine.human.questions import Accepted
    from deskcrew.ways_in.cli.mcp_server import Granted, build

    there.settings.config.mkdir(parents=True, exist_ok=True)
    there.settings.config.joinpath("models.toml").write_text(
        '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = false\nfreely = false\n'
    )
    chosen = [{"skill": "sort_table"}, {"order": "descending"}]
    settings = there.settings.model_copy(update={"model": there.request(chosen).model, "crew": "solo"})
    given = plain(there) | {"task": "Sort the rows of sales.csv by Amount, the largest first, into sorted.csv."}
    folder = there.folder / "shared" / "files"
    folder.joinpath("sales.csv").write_text("Item,Amount\nPen,1\nInk,3\n")
    granted = Granted("none", folders=(there.folder / "shared",))
    async with Client(build(settings, granted, may_approve=may_approve)) as client:
        with anyio.fail_after(60):
            asking: Any = (await client.call_tool("run", given)).structured_content
            run = there.known(asking["run"])
            assert asking["status"] == "asking", asking
            refused = await client.call_tool("answer", {"run": run, "answer": "yes"})
            assert "Only a person may allow this" in refused.content[0].text  # type: ignore
            assert not folder.joinpath("sorted.csv").exists()
            alive = await there.question(run)
            assert alive.question is not None
            assert (await there.runs.answer(run, alive.question.id, Accepted())).ok
            await there.ended(run)
            assert folder.joinpath("sorted.csv").read_text() == "Item,Amount\nInk,3\nPen,1\n"


async def test_another_agent_sees_no_run_of_the_user(there: There) -> None:
    mine = await there.begin([{"operations": [], "branch": "Interrupt", "problem": "private"}])
    await there.ended(mine)
    async with client_of(there, may_approve=True) as client:
        assert (await client.call_tool("runs", {})).structured_content == {"result": []}
        for tool, more in (("watch", {}), ("stop", {}), ("answer", {"answer": "yes"}), ("rewind", {"event": 3})):
            refused = await client.call_tool(tool, {"run": mine} | more)
            assert refused.is_error
            assert "no run" in refused.content[0].text  # type: ignore
        with pytest.raises(Exception, match="no run"):
            await client.read_resource(f"deskcrew://runs/{mine}/events")


@pytest.mark.deep
async def test_who_may_approve_approves_and_goes_back(there: There) -> None:
    async with client_of(there, may_approve=True) as client:

        async def call(name: str, **given: Any) -> dict[str, Any]:
            with anyio.fail_after(60):
                return (await client.call_tool(name, given)).structured_content  # type: ignore[return-value]

        run = there.known((await call("run", **plain(there)))["run"])
        assert (await call("answer", run=run, answer="yes"))["status"] == "ended"
        assert not there.folder.joinpath("shared/files/a.txt").exists()
        events = (await client.read_resource(f"deskcrew://runs/{run}/events")).contents[0].text  # type: ignore
        number = next(int(line.split()[0]) for line in events.splitlines() if "rm a.txt" in line)
        again = await call("rewind", run=run, event=number, say="Leave it.")
        there.known(again["run"])
        assert (again["status"], again["run"]) == ("asking", run), "its script begins anew"
        assert there.folder.joinpath("shared/files/a.txt").exists()
        assert "stopped" in (await call("stop", run=run))["result"]
        assert (await call("watch", run=run))["result"]["outcome"] == "stopped"
        assert "Leave it." in (await client.read_resource(f"deskcrew://runs/{run}/events")).contents[0].text  # type: ignore


@pytest.mark.deep
async def test_the_command_serves_over_standard_input_and_output(there: There) -> None:
    from mcp import Client, StdioServerParameters, stdio_client

    program = "from deskcrew.ways_in.cli import main; main()"
    arguments = ["-c", program, "mcp", "--data", str(there.settings.data)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env={"PYTHONPATH": ":".join(sys.path)})
    async with Client(stdio_client(parameters)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"run", "answer", "watch", "rewind", "stop", "runs"}
        assert tools["run"].input_schema["required"] == ["task"]
        assert (await client.call_tool("runs", {})).structured_content == {"result": []}


@pytest.mark.first_case
@pytest.mark.parametrize("loaded", [False, True])
def test_at_a_terminal_it_says_what_it_does_and_ends_at_ctrl_c(loaded: bool) -> None:
    master, slave = pty.openpty()
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    with subprocess.Popen(MCP, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert process.stdout is not None
            assert "Serving MCP over standard input and output" in process.stderr.readline()
            assert ".mcp.json" in process.stderr.readline()
            if loaded:
                os.write(master, f"{json.dumps(hello)}\n".encode())
                assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "deskcrew"
            process.send_signal(signal.SIGINT)
            assert process.wait(LATEST) == 130
            assert process.stdout.read() == "", "that belongs to the protocol"
        finally:
            process.kill()
            os.close(master)
            os.close(slave)


def test_it_says_so_before_it_loads_anything() -> None:
    """Which takes seconds. Here what it loads first cannot be loaded."""
    master, slave = pty.openpty()
    command = [MCP[0], MCP[1], f"import sys; sys.modules['anyio'] = None; {MCP[2]}"]
    ended = subprocess.run(command, stdin=slave, capture_output=True, text=True, timeout=LATEST, check=False)
    os.close(master)
    os.close(slave)
    assert ended.stderr.startswith("Serving MCP"), ended.stderr


def test_elsewhere_it_says_nothing() -> None:
    ended = subprocess.run(MCP, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LATEST, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
