"""The agent over a real line: what it says, what it refuses, and what becomes of a run when it fails."""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pydantic import ValidationError
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest, request_of
from deskcrew.environments.windows.desktop import connect_windows
from deskcrew.environments.windows.lines import check_at, line_to
from deskcrew.errors import ActionError, EnvironmentFailure, UsageError
from deskcrew.facts import events as e
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew_windows_agent import protocol as p
from deskcrew_windows_agent.__main__ import main
from deskcrew_windows_agent.answering import Agent
from deskcrew_windows_agent.files import REPLACED, Folder
from deskcrew_windows_agent.machine import FailedError, RefusedError
from deskcrew_windows_agent.overseeing import QUIET, Watch
from deskcrew_windows_agent.report import report
from deskcrew_windows_agent.serving import serve_websocket
from support import windows_machine
from support.crew import bodies, settings_in
from support.windows_machine import RecordedMachine, remote_of

AGENT = Path(windows_machine.__file__)


def at(*arguments: object, program: Path = AGENT) -> str:
    return "stdio:" + shlex.join([sys.executable, str(program), *map(str, arguments)])


def program(tmp_path: Path, text: str) -> str:
    """Where a program says what no agent would."""
    file = tmp_path / "says.py"
    file.write_text(text)
    return at(program=file)


REQUESTS = [
    p.Hello(token="x"), p.Observe(), p.TakePicture(), p.Order(key=(1, 2), verb="set number", argument=1.5),
    p.Click(x=-3, y=4, button="right", count=2), p.Wheel(x=1, y=2, notches=-3), p.Press(codes=(17, 83)),
    p.Type(text="Grüße 🙂\n"), p.BringForward(window=7), p.CloseWindow(window=7), p.ReadClipboard(),
    p.SetClipboard(text="x"), p.ListPrograms(), p.Start(program="Notepad"), p.ListFiles(), p.ReadFile(path="a/b"),
    p.WriteFile(path="a", content=bytes(range(256))), p.RemoveFile(path="a"), p.Close(),
]  # fmt: skip
REPLIES = [
    p.Welcome(system="Windows 11", folder="C:\\x", lacks=("No.",)), p.Done(), p.Content(content=bytes(range(256))),
    p.Text(text="x"), p.Programs(names=("a",)), p.Files(files=(p.FolderEntry(path="a", size=1, changed=2),), cut=True),
    p.Refused(why="x"), p.Failed(why="x", hint="y"), p.Seen(snapshot=RecordedMachine("settings").look()),
]  # fmt: skip


@pytest.mark.parametrize("message", [*REQUESTS, *REPLIES], ids=lambda message: type(message).__name__)
def test_a_message_comes_as_it_was_sent_on_one_line(message: p.Message) -> None:
    line = message.model_dump_json()
    assert "\n" not in line
    read = (p.REQUESTS if message in REQUESTS else p.REPLIES).validate_json(line)
    assert read == message


def test_every_kind_of_message_is_tried_above() -> None:
    kinds = {kind.__name__ for kind in p.Message.__subclasses__() if "type" in kind.model_fields}
    assert {type(each).__name__ for each in (*REQUESTS, *REPLIES)} == kinds - {"Element"}


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "click", "x": 1, "y": 1, "count": 9}',
        '{"type": "press", "codes": [0]}',
        '{"type": "press", "codes": [1, 2, 3, 4, 5, 6, 7, 8, 9]}',
        '{"type": "wheel", "x": 1, "y": 1, "notches": 100000}',
        '{"type": "click", "x": 1, "y": 1, "also": 1}',
        '{"type": "format", "drive": "C:"}',
        '{"type": "type", "text": "' + "x" * (p.LONGEST_TEXT + 1) + '"}',
        "[]",
        "\x00",
    ],
)
def test_what_is_no_request_is_refused_and_nothing_is_done(line: str) -> None:
    machine = RecordedMachine("notepad")
    agent = Agent(lambda: machine, Folder(None))
    agent.reply(p.Hello().model_dump_json())
    with pytest.raises(ValidationError):
        p.REQUESTS.validate_json(line)
    assert isinstance(agent.reply(line), p.Refused)
    assert machine.calls == []
    assert isinstance(agent.reply(p.Observe().model_dump_json()), p.Seen), "it goes on serving"


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        (p.Hello(version=p.VERSION + 1, token="right"), "speaks version"),
        (p.Hello(token="wrong"), "token is wrong"),
        (p.Hello(), "token is wrong"),
        (p.Observe(), "says hello first"),
    ],
)
def test_nobody_is_served_who_does_not_say_hello_rightly(hello: p.Message, why: str) -> None:
    agent = Agent(lambda: RecordedMachine("notepad"), Folder(None), "right")
    failed = agent.reply(hello.model_dump_json())
    assert isinstance(failed, p.Failed)
    assert why in failed.why
    assert failed.hint
    assert not agent.open


def test_an_agent_that_a_command_starts_is_looked_at_and_operated(tmp_path: Path) -> None:
    with connect_windows(at("notepad"), tmp_path) as desktop:
        seen = desktop.observe(screenshot=True)
        assert seen.windows[0].title == "Untitled - Notepad"
        area = next(one for one in seen.controls if one.role == "text area")
        assert desktop.type_text(area, "Grüße 🙂") == "Grüße 🙂"
        with pytest.raises(ActionError, match="no application 'Paint'"):
            desktop.open_application("Paint")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("", "Where is"),
        ("notepad", "does not name an agent"),
        ("http://127.0.0.1:80", "does not name an agent"),
        ("stdio:", "no command"),
        ("stdio:'", "is not a command"),
    ],
)
def test_what_names_no_agent_is_refused_with_an_example(wrong: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        check_at(wrong)
    assert "stdio:" in caught.value.hint


def test_a_command_that_is_not_there_or_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be started: No such file"):
        connect_windows("stdio:/no/such/agent", tmp_path)
    ends = program(tmp_path, "import sys; sys.exit('ssh: connect to host pc port 22: Connection refused')")
    with pytest.raises(EnvironmentFailure, match=r"has ended\. It said: ssh: connect to host pc") as caught:
        connect_windows(ends, tmp_path)
    assert "resume" in caught.value.hint


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ('print(\'{"type": "welcome", "version": 1, "more": 1}\')', "not an agent of this version"),
        ('print(\'{"type": "done"}\')', "answered Done where Welcome"),
        ("print('Last login: today\\n' * 500)", "not an agent of this version"),
        (f"sys.stdout.write('{{' + 'x' * {p.LONGEST_LINE + 1000})", "sent more than 48 MiB at once"),
        ('print(\'{"type": "failed", "why": "The session is locked.", "hint": "Unlock it."}\')', "session is locked"),
    ],
)
def test_what_an_agent_would_not_say_ends_it_in_a_sentence(tmp_path: Path, says: str, why: str) -> None:
    with pytest.raises(EnvironmentFailure, match=why) as caught:
        connect_windows(program(tmp_path, f"import sys\n{says}\nsys.stdout.flush()\nsys.stdin.read()"), tmp_path)
    assert caught.value.hint


def test_what_a_shell_says_before_the_agent_is_read_over(tmp_path: Path) -> None:
    begins = f"os.execv(sys.executable, [sys.executable, {str(AGENT)!r}, 'notepad'])"
    greets = f"import os, sys\nprint('Welcome to Windows', flush=True)\n{begins}"
    with connect_windows(program(tmp_path, greets), tmp_path) as desktop:
        assert desktop.observe().windows


def test_a_silent_agent_is_waited_for_only_so_long(tmp_path: Path) -> None:
    line = line_to(program(tmp_path, "import sys; sys.stdin.read()"))
    with pytest.raises(EnvironmentFailure, match="does not answer"):
        line.ask("{}", 0.2)
    line.close()


def test_an_agent_serves_until_a_request_is_too_long() -> None:
    done = subprocess.run(
        [sys.executable, AGENT, "notepad"],
        input=p.Hello().model_dump_json().encode() + b"\n" + b"x" * (p.LONGEST_LINE + 2) + b"\n" + b"{}\n",
        capture_output=True,
        check=True,
    )
    welcome, failed = done.stdout.splitlines()
    assert isinstance(p.REPLIES.validate_json(welcome), p.Welcome)
    assert "longer than 48 MiB" in failed.decode()


# -- files


def test_files_of_one_folder_are_read_and_written_and_nothing_replaced_is_lost(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    remote = remote_of(RecordedMachine("notepad"), tmp_path)
    remote.write("mine.txt", b"run's")
    remote.write("in/new.txt", b"1")
    remote.write("in/new.txt", b"2")
    remote.remove("in/new.txt")
    remote.write("in/new.txt", b"3")
    assert remote.read("mine.txt") == b"run's"
    assert [file.path for file in remote.files()] == ["mine.txt", "in/new.txt"]
    kept = {file.name: file.read_text() for file in (tmp_path / REPLACED).iterdir()}
    assert kept == {"1-mine.txt": "mine"}


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "/etc/passwd",
        "a/../../x",
        "C:\\x",
        "a:b",
        "",
        "a//b",
        "link/x",
        "leads_out",
        f"{REPLACED}/x",
        "folder",
        "a\0b",
    ],
)
def test_nothing_outside_of_the_folder_is_touched(tmp_path: Path, path: str) -> None:
    (outside := tmp_path / "outside").mkdir()
    (outside / "x").write_text("theirs")
    (inside := tmp_path / "inside").mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "leads_out").symlink_to(outside / "x")
    (inside / "folder").mkdir()
    remote = remote_of(RecordedMachine("notepad"), inside)
    for ask in (remote.read, remote.remove, lambda path: remote.write(path, b"no")):
        with pytest.raises(ActionError, match="is not a file of the folder"):
            ask(path)
    assert [file.name for file in outside.iterdir()] == ["x"]
    assert (outside / "x").read_text() == "theirs"
    assert remote.files() == ()


def test_without_a_folder_no_file_is_served() -> None:
    with pytest.raises(ActionError, match="started without --folder"):
        remote_of(RecordedMachine("notepad")).files()


def test_files_are_carried_both_ways_and_what_is_refused_is_said(tmp_path: Path) -> None:
    (here := tmp_path / "here").mkdir()
    (there := tmp_path / "there").mkdir()
    (here / "mine.txt").write_text("mine")
    (here / "both.txt").write_text("the workspace's")
    (there / "both.txt").write_text("theirs")
    (there / "saved.txt").write_text("saved")
    with connect_windows(at("notepad", there), here) as desktop:
        desktop.carry_files()
        assert f"files of the workspace are in {there}" in desktop.observe().note
        assert (there / "mine.txt").read_text() == "mine"
        assert (here / "saved.txt").read_text() == "saved"
        assert (here / "both.txt").read_text() == (there / "both.txt").read_text() == "the workspace's"
        (there / "saved.txt").write_text("saved again")
        (there / "mine.txt").unlink()
        (there / "sub").mkdir()
        (there / "sub" / "more.txt").write_text("more")
        desktop.carry_files()
        assert (here / "saved.txt").read_text() == "saved again"
        assert not (here / "mine.txt").exists()
        assert (here / "sub" / "more.txt").read_text() == "more"
        (here / "saved.txt").write_text("as before")  # as a rewind does
        (here / "sub" / "more.txt").unlink()
        desktop.carry_files()
        assert (there / "saved.txt").read_text() == "as before"
        assert not (there / "sub" / "more.txt").exists()
        (there / ".vscode").mkdir()
        (there / ".vscode" / "tasks.json").write_text("obeyed")
        for _ in range(2):
            desktop.carry_files()
            assert ".vscode/tasks.json differs on Windows" in desktop.observe().note
        assert not (here / ".vscode").exists()
        assert (there / ".vscode" / "tasks.json").read_text() == "obeyed"


def test_in_a_folder_that_both_see_nothing_is_carried(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with connect_windows(at("notepad", tmp_path), tmp_path) as desktop:
        desktop.carry_files()
        (tmp_path / "a.txt").unlink()
        desktop.carry_files()
        assert f"files of the workspace are in {tmp_path}" in desktop.observe().note
    assert [file.name for file in tmp_path.iterdir()] == []


# -- whole runs


def types(call: Call) -> dict[str, Any]:
    found = re.search(r'^(\S+) text area "Text Editor"', call.text(), flags=re.MULTILINE)
    assert found, call.text()
    return {
        "operations": [{"function": "keyboard_input", "control": found.group(1), "keys": "Good morning"}],
        "branch": "Continue",
    }


def killed(call: Call) -> dict[str, Any]:
    """The agent dies while a model is thinking."""
    children = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", str(AGENT)], capture_output=True, text=True, check=True
    )
    for child in children.stdout.split():
        os.kill(int(child), signal.SIGKILL)
    return types(call)


async def yes(question: OperationQuestion) -> Approval:
    return Approval(allowed=True)


def wanted(tmp_path: Path) -> RunRequest:
    return RunRequest(
        task='Type "Good morning" into Notepad.', model="scripted:x", workspace=tmp_path / "work", crew="solo",
        desktop="windows", at=at("notepad"), mode="passive",
    )  # fmt: skip


@pytest.mark.anyio
async def test_a_run_types_into_a_form_of_an_agent_that_a_command_starts(tmp_path: Path) -> None:
    enough = {"operations": [], "branch": "NeedHumanHelp", "problem": "enough"}
    journal = await session.run(
        wanted(tmp_path),
        settings_in(tmp_path),
        model=ScriptedModel([types, *[enough] * 12]),
        human=PythonResponder(operation=yes),
    )
    (finished,) = bodies(journal, e.ActionFinished)
    assert finished.ok
    assert finished.text == "It reads now: Good morning"
    assert request_of(journal).at == at("notepad"), "a resumed run goes there again"


@pytest.mark.anyio
@pytest.mark.fault
async def test_a_run_whose_agent_is_killed_ends_as_with_any_desktop_that_dies_and_goes_on(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    journal = await session.run(
        wanted(tmp_path), settings, model=ScriptedModel([killed] * 12), human=PythonResponder(operation=yes)
    )
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.reason) == ("failed", "environment")
    assert "The agent on Windows has ended." in journal.state.outcome.why
    assert journal.state.outcome.continuable
    enough = {"operations": [], "branch": "NeedHumanHelp", "problem": "enough"}
    again = await session.resume(
        journal.run, settings, model=ScriptedModel([types, *[enough] * 12]), human=PythonResponder(operation=yes)
    )
    assert [each.text for each in bodies(again, e.ActionFinished) if each.ok] == ["It reads now: Good morning"]


@pytest.mark.anyio
@pytest.mark.parametrize(("desktop", "where"), [("windows", ""), ("virtual", "stdio:agent")])
async def test_a_windows_desktop_is_somewhere_and_nothing_else_is(tmp_path: Path, desktop: Any, where: str) -> None:
    with pytest.raises(UsageError, match="A Windows desktop needs an address"):
        await session.run(RunRequest("x", model="scripted:x", desktop=desktop, at=where), settings_in(tmp_path))


# -- what it needs


def test_the_agent_needs_nothing_of_the_engine_nor_what_only_linux_has() -> None:
    """All of it can be imported where there is neither; on another system it is refused in a sentence."""
    text = (
        "import sys, pkgutil, importlib, psutil, PIL.ImageGrab, websockets.sync.server\n"  # on Windows they need none either
        "absent = ('fcntl', 'pwd', 'grp', 'termios', 'resource', 'pty', 'tty', 'syslog', 'xcffib', 'jeepney', 'deskcrew')\n"
        "for name in absent: sys.modules[name] = None\n"
        "import deskcrew_windows_agent as a\n"
        "for found in pkgutil.iter_modules(a.__path__): importlib.import_module('deskcrew_windows_agent.' + found.name)\n"
        "from deskcrew_windows_agent.__main__ import main\n"
        "main([])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], input=p.Hello().model_dump_json().encode() + b"\n", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    failed = p.REPLIES.validate_json(done.stdout)
    assert isinstance(failed, p.Failed)
    assert failed.hint


def test_the_command_says_what_is_wrong_with_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--folder", "/no/such/folder"])
    assert "there is no folder /no/such/folder" in capsys.readouterr().err


def test_an_agent_that_has_no_desktop_says_so_before_anything_is_asked_of_it(tmp_path: Path) -> None:
    here = "stdio:" + shlex.join([sys.executable, "-m", "deskcrew_windows_agent"])
    with pytest.raises(EnvironmentFailure, match="missing, so Windows cannot be operated") as caught:
        connect_windows(here, tmp_path)
    assert caught.value.hint


# -- over the network


@contextmanager
def listening(token: str = "right", watch: Watch | None = None, certificate: Path | None = None) -> Generator[str]:
    """An agent that listens on this machine; its address."""
    watch, ports = watch or Watch(), queue.Queue[int]()
    agent = Agent(lambda: RecordedMachine("notepad"), Folder(None), token, watch)
    server = threading.Thread(target=serve_websocket, args=(agent, "127.0.0.1", 0, certificate, watch.stopped, ports.put))
    server.start()
    try:
        yield f"{'wss' if certificate else 'ws'}://127.0.0.1:{ports.get(timeout=10)}"
    finally:
        watch.stopped.set()
        server.join(10)


def test_an_agent_that_listens_serves_one_run_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_AGENT_TOKEN", "right")
    with listening() as address:
        with connect_windows(address, tmp_path) as desktop:
            assert desktop.observe(screenshot=True).windows[0].title == "Untitled - Notepad"
            with pytest.raises(EnvironmentFailure, match="Another run works on this desktop"):
                connect_windows(address, tmp_path)
            assert desktop.observe().windows
        with connect_windows(address, tmp_path) as desktop:
            assert desktop.observe().windows


def test_who_does_not_know_the_token_is_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_AGENT_TOKEN", "wrong")
    with listening() as address, pytest.raises(EnvironmentFailure, match="token is wrong") as caught:
        connect_windows(address, tmp_path)
    assert "DESKCREW_AGENT_TOKEN" in caught.value.hint


def test_a_page_in_a_browser_is_let_in_nowhere() -> None:
    with listening() as address, pytest.raises(InvalidStatus, match="403"):
        connect(address, origin=Origin("https://example.org"), proxy=None).__enter__()


def test_a_line_that_is_cut_and_an_address_where_nobody_listens_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKCREW_AGENT_TOKEN", "right")
    watch = Watch()
    with listening(watch=watch) as address:
        desktop = connect_windows(address, tmp_path)
        watch.stopped.set()
        with pytest.raises(EnvironmentFailure, match=r"connection to the agent .* was lost|person at the machine has ended"):
            [desktop.observe() for _ in range(100)]
        desktop.close()
    with pytest.raises(EnvironmentFailure, match="No agent can be reached at ws://127") as caught:
        connect_windows(address, tmp_path)
    assert "--listen" in caught.value.hint
    with pytest.raises(UsageError, match="only an agent on this machine"):
        check_at("ws://pc:8765")
    check_at("wss://pc:8765")


def test_with_tls_only_a_known_certificate_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pc")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    known = made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    (public := tmp_path / "public.pem").write_bytes(known)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (whole := tmp_path / "whole.pem").write_bytes(known + private)
    monkeypatch.setenv("DESKCREW_AGENT_TOKEN", "right")
    with listening(certificate=whole) as address:
        with pytest.raises(EnvironmentFailure, match="certificate verify failed") as caught:
            connect_windows(address, tmp_path)
        assert "SSL_CERT_FILE" in caught.value.hint
        monkeypatch.setenv("SSL_CERT_FILE", str(public))
        with connect_windows(address, tmp_path) as desktop:
            assert desktop.observe().windows


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["--listen", "0.0.0.0:8765"], "give a --certificate"), (["--listen", "pc"], r"not \[HOST:\]PORT")],
)
def test_the_command_listens_to_others_only_with_tls(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert re.search(why, capsys.readouterr().err)


# -- the person at the machine


class Hours:
    """A clock that only sleeping moves on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.watch = Watch(lambda: self.now, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_nothing_is_done_until_the_person_rests_but_they_may_be_watched() -> None:
    hours = Hours()
    hours.watch.may_go_on(acting=True)
    assert hours.now == 0
    hours.watch.moved(100, 100)
    hours.watch.may_go_on(acting=False)
    assert hours.now == 0
    hours.watch.may_go_on(acting=True)
    assert hours.now == pytest.approx(QUIET)


def test_a_person_who_goes_on_is_told_to_the_crew() -> None:
    hours = Hours()
    watch = Watch(lambda: hours.now, lambda seconds: (hours.sleep(seconds), watch.key(65, down=True))[0])
    watch.moved(100, 100)
    with pytest.raises(RefusedError, match="A person uses mouse or keyboard"):
        watch.may_go_on(acting=True)


@pytest.mark.parametrize(("presses", "stops"), [((0, 0.5, 1.6), True), ((0, 0.5), False), ((0, None, 1.6), False)])
def test_escape_ends_it_only_if_it_is_held(presses: tuple[float | None, ...], stops: bool) -> None:
    hours = Hours()
    for at_ in presses:
        hours.now = at_ if at_ is not None else hours.now
        hours.watch.key(0x1B, down=at_ is not None)
    assert hours.watch.stopped.is_set() is stops


def test_the_pointer_in_the_corner_ends_it_all() -> None:
    hours = Hours()
    machine = RecordedMachine("notepad")
    agent = Agent(lambda: machine, Folder(None), watch=hours.watch)
    agent.reply(p.Hello().model_dump_json())
    hours.watch.moved(1, 0)
    failed = agent.reply(p.Observe().model_dump_json())
    assert isinstance(failed, p.Failed)
    assert "has ended it" in failed.why
    assert machine.calls == [("close",)]


def test_a_report_says_how_windows_are_read_and_nothing_of_what_they_say() -> None:
    machine = RecordedMachine("settings")
    text = report(lambda: machine)
    told = json.loads(text)
    assert told["windows"][0]["types"]["Slider"] == 1
    assert told["windows"][0]["patterns"]["ExpandCollapse"] >= 1
    assert told["libraries"]["pydantic"]
    for one in machine.all():
        for word in (one.get("name", ""), one.get("value") or ""):
            assert len(word) < 6 or json.dumps(word) not in text
    assert machine.calls == [("close",)]

    def absent() -> RecordedMachine:
        raise FailedError("There is no desktop here.")

    assert json.loads(report(absent))["error"] == "There is no desktop here."


def test_the_runs_own_clicks_are_not_taken_for_the_persons() -> None:
    hours = Hours()
    hours.watch.puts(100, 100)
    hours.watch.moved(100, 100)
    hours.watch.may_go_on(acting=True)
    assert hours.now == 0
    hours.watch.moved(101, 100)
    hours.watch.moved(100, 100)
    hours.watch.may_go_on(acting=True)
    assert hours.now == pytest.approx(QUIET)
