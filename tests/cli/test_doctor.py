"""``deskcrew doctor``: each check on a machine that has the thing and on one that has not."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from jeepney import MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import Proxy, open_dbus_connection
from pytest_httpserver import HTTPServer

from cli.conftest import Cli
from deskcrew.actions import media
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments import confinement, syscalls
from deskcrew.environments.linux.sandbox import needed
from deskcrew.errors import DeskcrewError, extra_installed
from deskcrew.settings import MemorySettings, SearchSettings, Settings
from deskcrew.ways_in.cli import checks
from support.servers import PostgresServer


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "data", models=tmp_path / "models", model="local")  # type: ignore[call-arg]


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every check that depends on the machine finds what it looks for."""
    for name in ("system", "sandbox", "bounds", "display_programs", "local_library", "local_weights", "pictures"):
        monkeypatch.setattr(checks, name, _fine(name))


def _fine(name: str) -> checks.Check:
    def check(settings: Settings) -> checks.CheckFinding:
        return checks.CheckFinding(name, "ok", "fine")

    return check


@pytest.mark.usefixtures("healthy")
def test_ready(cli: Cli, data: Path) -> None:
    said = cli("doctor", "--data", str(data))
    assert said.code == 0
    assert "Ready" in said.out
    assert "✗" not in said.out
    found = cli("doctor", "--json", "--data", str(data))
    assert found.code == 0
    assert found.json["ready"] is True
    assert {"settings", "python", "data folder", "API keys", "sandbox"} <= {x["name"] for x in found.json["checks"]}


@pytest.mark.usefixtures("healthy")
def test_not_ready_says_the_command_and_ends_with_4(cli: Cli, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(settings: Settings) -> checks.CheckFinding:
        return checks.CheckFinding("virtual desktop", "missing", "no Xvfb", "sudo apt install xvfb")

    monkeypatch.setattr(checks, "display_programs", missing)
    said = cli("doctor", "--data", str(data))
    assert said.code == 4
    assert "✗ virtual desktop" in said.out
    assert "→ sudo apt install xvfb" in said.out
    assert "Not ready" in said.out
    assert cli("doctor", "--json", "--data", str(data)).json["exit_code"] == 4


def test_this_machine_is_examined(cli: Cli, data: Path) -> None:
    said = cli("doctor", "--json", "--data", str(data))
    assert said.code in (0, 4)
    assert said.code == said.json["exit_code"]


@pytest.mark.usefixtures("healthy")
def test_wrong_settings_are_a_finding(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_LIMITS__REPLIES", "many")
    said = cli("doctor", "--json")
    assert said.code == 4
    assert "limits.replies" in said.json["checks"][0]["text"]


def test_a_check_that_hangs_is_a_finding(settings: Settings) -> None:
    stuck = threading.Event()

    def hangs(settings: Settings) -> checks.CheckFinding:
        stuck.wait(30)
        return checks.CheckFinding("hangs", "ok", "")

    found = checks.bounded(hangs, settings, limit=0.1)
    stuck.set()
    assert (found.name, found.state) == ("hangs", "missing")
    assert "0.1 s" in found.text


@pytest.mark.parametrize("error", [PermissionError("not allowed"), DeskcrewError("not allowed", hint="ask")])
def test_a_check_that_is_refused_is_a_finding(settings: Settings, error: Exception) -> None:
    def refused(settings: Settings) -> checks.CheckFinding:
        raise error

    found = checks.bounded(refused, settings)
    assert found.state == "missing"
    assert "not allowed" in found.text


@pytest.mark.parametrize(
    ("platform", "state", "words"),
    [
        ("linux", "ok", "Linux"),
        ("darwin", "missing", "macOS: not supported"),
        ("win32", "missing", "Windows: not supported"),
    ],
)
def test_systems(settings: Settings, monkeypatch: pytest.MonkeyPatch, platform: str, state: str, words: str) -> None:
    monkeypatch.setattr("sys.platform", platform)
    found = checks.system(settings)
    assert found.state == state
    assert words in found.text


@pytest.mark.parametrize(
    ("environment", "state", "words"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "note", "Wayland"),
        ({"XDG_SESSION_TYPE": "wayland"}, "note", "Wayland"),
        ({"WAYLAND_DISPLAY": "wayland-1", "SWAYSOCK": "/nowhere"}, "note", "sway: --desktop real "),
        ({"DISPLAY": ":3"}, "ok", "X11 on :3"),
        ({}, "note", "no screen"),
    ],
)
def test_sessions(settings: Settings, environment: dict[str, str], state: str, words: str) -> None:
    found = checks.session(settings, environment)
    assert found.state == state
    assert words in found.text


def test_doctor_says_which_portals_a_wayland_session_offers(settings: Settings, tmp_path: Path) -> None:
    with session_bus(tmp_path) as address, offering(address, "Screenshot", "ScreenCast"):
        found = checks.session(settings, {"WAYLAND_DISPLAY": "wayland-0", "DBUS_SESSION_BUS_ADDRESS": address})
    assert "its portal offers Screenshot, ScreenCast)" in found.text
    assert "offers nothing" in checks.session(settings, {"WAYLAND_DISPLAY": "wayland-0"}).text


@contextmanager
def session_bus(folder: Path) -> Generator[str]:
    """A real one; its address."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1", f"--address=unix:path={folder / 'bus'}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        try:
            yield daemon.stdout.readline().strip()
        finally:
            daemon.terminate()


@contextmanager
def offering(address: str, *portals: str) -> Generator[None]:
    """A desktop portal that has these: there is none without a compositor."""
    with open_dbus_connection(address) as connection:
        Proxy(message_bus, connection).RequestName("org.freedesktop.portal.Desktop")

        def answer() -> None:
            with suppress(ConnectionResetError, ConnectionAbortedError, OSError, ValueError):
                while True:
                    asked = connection.receive()
                    if asked.header.message_type is not MessageType.method_call:
                        continue
                    interface, _ = asked.body
                    if interface.rpartition(".")[2] in portals:
                        connection.send(new_method_return(asked, "v", (("u", 4),)))
                    else:
                        connection.send(new_error(asked, "org.freedesktop.DBus.Error.InvalidArgs"))

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield
        connection.sock.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.mark.parametrize(
    ("ffmpeg", "speech", "state", "words"),
    [
        (None, True, "note", "ffmpeg is not installed"),
        ("/usr/bin/ffmpeg", False, "note", "pocketsphinx is not"),
        ("/usr/bin/ffmpeg", True, "ok", "English speech"),
    ],
)
def test_video_and_sound(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, ffmpeg: str | None, speech: bool, state: str, words: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda program: ffmpeg if program == media.FFMPEG else None)
    monkeypatch.setattr(media, "recognises_speech", lambda: speech)
    found = checks.video_and_sound(settings)
    assert found.state == state
    assert words in found.text
    assert bool(found.mend) == (state == "note")


def test_sandbox(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sandbox, "probe", staticmethod(lambda: None))
    monkeypatch.setattr(confinement, "landlock", lambda: 7)
    assert (checks.sandbox(settings).state, "seccomp" in checks.sandbox(settings).text) == ("ok", True)
    monkeypatch.setattr(confinement, "landlock", lambda: 5)
    assert (checks.sandbox(settings).state, "abstract sockets" in checks.sandbox(settings).text) == ("note", True)
    monkeypatch.setattr(Sandbox, "probe", staticmethod(lambda: "namespaces are forbidden"))
    found = checks.sandbox(settings)
    assert (found.state, found.text) == ("missing", "namespaces are forbidden")
    assert found.mend
    monkeypatch.setattr(syscalls, "why_not", lambda: "libseccomp is not installed")
    assert checks.sandbox(settings).mend == "sudo apt install libseccomp2"
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert checks.sandbox(settings).mend == "sudo apt install bubblewrap"


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        ("kernel.unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
        (
            "kernel.apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("user.max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=10000"),
        ("other", "0", "container"),
    ],
)
def test_how_namespaces_are_allowed(name: str, value: str, mend: str) -> None:
    assert mend in checks.namespaces_mend(lambda asked: value if asked == name else None)


def test_display_programs(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needed, "missing_programs", lambda: ("openbox", "xvfb"))
    found = checks.display_programs(settings)
    assert (found.state, found.mend) == ("missing", "sudo apt install openbox xvfb")
    monkeypatch.setattr(needed, "missing_programs", lambda: ())
    assert checks.display_programs(settings).state == "ok"


def test_lanes_say_what_their_browsers_and_desktops_take(settings: Settings) -> None:
    assert checks.desks(settings, 64 << 30).state == "ok"
    little = checks.desks(settings, 1 << 30)
    assert little.state == "note"
    assert "2 virtual desktops (each at most 4" in little.text
    assert "DESKCREW_DESKS__VIRTUAL=1" in little.mend


def test_data_folder(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert checks.data_folder(settings).state == "ok"
    assert not settings.data.exists(), "looking must not make folders"
    monkeypatch.setattr(checks, "LITTLE", 1 << 60)
    assert checks.data_folder(settings).state == "note"
    (tmp_path / "file").write_text("")
    found = checks.bounded(checks.data_folder, settings.model_copy(update={"data": tmp_path / "file" / "x"}))
    assert found.state == "missing"


def test_text_in_pictures(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.pictures(settings).state == "ok"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    found = checks.pictures(settings)
    assert (found.state, found.mend) == ("note", extra_installed("ocr"))


def test_local_model(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hosted = settings.model_copy(update={"model": "openai:x"})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert checks.local_library(settings).state == "missing"
    assert ".[local]" in checks.local_library(settings).mend
    assert checks.local_library(hosted).state == "note"
    found = checks.local_weights(settings)
    assert (found.state, found.mend) == ("missing", "deskcrew models pull")
    assert checks.local_weights(hosted).state == "note"
    assert checks.local_weights(settings.model_copy(update={"model": "local:nonsense"})).state == "missing"
    weights = tmp_path / "x.gguf"
    other = settings.model_copy(update={"model": f"local:{weights}"})
    assert checks.local_weights(other).state == "missing"
    weights.write_bytes(b"GGUF")
    assert checks.local_weights(other).state == "ok"


def test_keys_are_named_and_never_shown(settings: Settings) -> None:
    environment = {"OPENAI_API_KEY": "sk-very-secret", "ANTHROPIC_API_KEY": ""}
    found = checks.keys(settings, environment)
    assert "OPENAI_API_KEY" in found.text
    assert "ANTHROPIC_API_KEY" not in found.text
    assert "secret" not in json.dumps(found.as_json())
    claude = settings.model_copy(update={"model": "anthropic:x"})
    assert checks.keys(claude, environment).state == "missing"
    assert "export ANTHROPIC_API_KEY" in checks.keys(claude, environment).mend
    assert checks.keys(settings.model_copy(update={"model": "openai:x"}), environment).state == "ok"
    assert checks.keys(settings, {}).state == "note"
    assert checks.bounded(checks.keys, settings.model_copy(update={"model": "what"})).state == "missing"


def test_what_shows_a_desktop_live_is_named_with_what_it_is_for(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert checks.watching(settings).state == "ok"
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = checks.watching(settings)
    assert (found.state, found.mend) == ("note", "sudo apt install x11vnc")
    assert "deskcrew serve" in found.text


def searching(settings: Settings, provider: str, server: HTTPServer) -> Settings:
    search = SearchSettings(provider=provider, address=f"http://127.0.0.1:{server.port}")  # type: ignore[arg-type]
    return settings.model_copy(update={"search": search})


def test_a_search_service_is_asked_whether_it_answers(
    settings: Settings, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = checks.web_search(settings)
    assert (none.state, "deskcrew docs web-search" in none.mend) == ("note", True)
    assert "search.provider is none" in checks.web_search(searching(settings, "none", httpserver)).text
    wanted = searching(settings, "searxng", httpserver)
    page = {"title": "Weather", "url": "https://weather.example.org/", "content": ""}
    httpserver.expect_ordered_request("/search").respond_with_json({"results": [page]})
    found = checks.web_search(wanted)
    assert (found.state, found.text) == ("ok", "searxng at 127.0.0.1 answers")
    httpserver.expect_ordered_request("/search").respond_with_json({"results": []})
    assert "found nothing" in checks.web_search(wanted).text
    httpserver.expect_ordered_request("/search").respond_with_data("<html>403</html>", status=403)
    found = checks.web_search(wanted)
    assert (found.state, "formats: [html, json]" in found.mend) == ("note", True)
    assert len(httpserver.log) == 3


def test_a_search_service_whose_key_is_missing_or_wrong(
    settings: Settings, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = searching(settings, "tavily", httpserver)
    found = checks.web_search(wanted)
    assert (found.state, "export TAVILY_API_KEY" in found.mend) == ("missing", True)
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-very-secret")
    httpserver.expect_request("/search").respond_with_json({"detail": {"error": "tvly-very-secret?"}}, status=401)
    found = checks.web_search(wanted)
    assert (found.state, "TAVILY_API_KEY" in found.mend) == ("note", True)
    assert "secret" not in json.dumps(found.as_json()).replace("[secret TAVILY_API_KEY]", "")


def test_memory_on_a_server_says_whether_that_has_pgvector(pgvector: PostgresServer, tmp_path: Path) -> None:
    address = pgvector.journal()
    without = Settings(data=tmp_path, database=address.replace("%2Cpublic", ""))
    assert (found := checks.memory(without)).state == "ok"
    assert "this database has no pgvector" in found.text
    assert "CREATE EXTENSION vector" in found.mend
    found = checks.memory(without.model_copy(update={"database": address}))
    assert (found.state, found.mend) == ("ok", "")
    assert found.text.startswith(address.partition("?")[0])
    assert found.text.endswith("in the database with pgvector")
    gone = without.model_copy(update={"database": f"postgresql://deskcrew@/deskcrew?host={tmp_path}"})
    assert (found := checks.memory(gone)).state == "note"
    assert "cannot be reached" in found.text


def test_memory_says_where_it_is_and_who_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(data=tmp_path)
    assert (found := checks.memory(settings)).state == "ok"
    assert str(tmp_path / "memory.db") in found.text
    words = settings.model_copy(update={"memory": MemorySettings(embedder="none")})
    assert checks.memory(words) == checks.CheckFinding(
        "memory", "note", f"{tmp_path}/memory.db; only words are compared, not meanings"
    )
    monkeypatch.setattr("deskcrew.learning.memory.factory.find_spec", lambda _: None)
    assert '".[memory]"' in checks.memory(settings).mend
    off = settings.model_copy(update={"memory": MemorySettings(use="off")})
    assert "remember nothing" in checks.memory(off).text
    assert not (tmp_path / "memory.db").exists()


def test_notifications_are_tried(cli: Cli, data: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)

    def told() -> str:
        checks = cli("doctor", "--notify", "--json", "--data", str(data)).json["checks"]
        return next(each["text"] for each in checks if each["name"] == "notifications")

    assert told().startswith("there is nowhere to send them")
    httpserver.expect_oneshot_request("/hook", method="POST").respond_with_data("", 204)
    monkeypatch.setenv("DESKCREW_NOTIFY__WEBHOOK", httpserver.url_for("/hook"))
    assert told() == f"sent: {httpserver.url_for('/hook')}"
    assert httpserver.log[0][0].json["task"] == "A test of the notifications"
    httpserver.expect_request("/hook").respond_with_data("", 404)
    assert "The webhook was not notified: it answered 404" in told()
