"""Ways around a rule that are no ways around it: the same thing typed, pasted, in pieces, in an address bar, by a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.guard.facets import Facets
from deskcrew.guard.guard import Guard
from deskcrew.guard.policy import Policy
from deskcrew.guard.traces import code_address, file_address, hosts_in
from support.guarding import button, decide, field, look, policy, terminal

NO_SHELL = policy('[[rules]]\nname = "no-shell"\neffect = "deny"\naction = "run_shell"\n')
NO_RM = policy('[[rules]]\nname = "no-rm"\neffect = "deny"\ntext = \'^rm\\s+-rf\\b\'\n')
ADDRESS = field("Address and search bar")


@pytest.mark.parametrize(
    ("function", "seen", "params"),
    [
        ("keyboard_input", look("xterm", terminal()), {"keys": "ls"}),
        ("keyboard_input", look("Xfce4-terminal"), {"keys": "ls\n"}),
        ("hotkey", look("xterm", terminal()), {"keys": ["ctrl", "u"], "text": "ls"}),
        ("hotkey", look("xterm", terminal("ls")), {"keys": ["Return"]}),
        ("hotkey", look("xterm", terminal("ls")), {"keys": ["ctrl", "j"]}),
        ("hotkey", look("xterm", terminal(), clipboard="ls"), {"keys": ["ctrl+shift+v"]}),
        ("hotkey", look("xterm", terminal(), clipboard="ls"), {"keys": "shift+insert"}),
        ("choose_menu", look("Terminal", terminal(), clipboard="ls"), {"path": ["Edit", "Paste"]}),
        ("keyboard_input", look("xfce4-appfinder", field()), {"keys": "ls", "click_enter": True}),
        ("keyboard_input", look("shell", field(), title="Run Program..."), {"keys": "ls"}),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "javascript:alert(1)"}),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": " JAVA\tscript:alert(1)"}),
        ("keyboard_input", look("chromium", ADDRESS), {"keys": "data:text/html,<script>x</script>"}),
        ("keyboard_input", look("firefox", field("Address", "javascr")), {"keys": "ipt:alert(1)"}),
        ("run_python_code", Observation(), {"code": "import os\nos.system('ls')"}),
        ("run_python_code", Observation(), {"code": "```python\nfrom subprocess import run\nrun(['ls'])\n```"}),
    ],
)
def test_a_rule_on_running_commands_covers_typing_them(
    tmp_path: Path, function: str, seen: Observation, params: dict[str, Any]
) -> None:
    assert decide(NO_SHELL, tmp_path, function, seen, **params).rule == "no-shell"
    assert decide(NO_SHELL, tmp_path, function, seen, **params).effect == "deny"


@pytest.mark.parametrize(
    ("function", "seen", "params"),
    [
        ("keyboard_input", look("mousepad", field()), {"keys": "ls"}),
        ("hotkey", look("xterm", terminal("ls")), {"keys": ["ctrl", "c"]}),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "how to cook rice"}),
        ("run_python_code", Observation(), {"code": "print(1)"}),
        ("read_file", Observation(), {"file_path": "a"}),
    ],
)
def test_and_nothing_else(tmp_path: Path, function: str, seen: Observation, params: dict[str, Any]) -> None:
    assert decide(NO_SHELL, tmp_path, function, seen, **params).effect == "allow"


@pytest.mark.parametrize(
    ("function", "seen", "params"),
    [
        ("run_shell", Observation(), {"command": "cd x && rm  -rf y"}),
        ("run_shell", Observation(), {"command": "FOO=1 nohup /bin/rm -rf y"}),
        ("run_shell", Observation(), {"command": "r''m \\\n -rf y"}),
        ("run_shell", Observation(), {"command": "sh -c 'rm -rf y'"}),
        ("run_python_code", Observation(), {"code": "import subprocess\nsubprocess.run(['rm', '-rf', 'y'])"}),
        ("keyboard_input", look("xterm", terminal()), {"keys": "ls\nrm -rf y\n"}),
        ("keyboard_input", look("xterm", terminal("rm")), {"keys": " -rf y"}),
        ("keyboard_input", look("xterm", terminal("r")), {"keys": "m -rf", "click_enter": True}),
        ("hotkey", look("xterm", terminal("rm -rf y")), {"keys": ["enter"]}),
        ("hotkey", look("xterm", terminal("rm -r"), clipboard="f y"), {"keys": ["ctrl", "shift", "v"]}),
        ("click_input", look("xterm", button("Paste", label="1"), clipboard="rm -rf y"), {"aimed": "1"}),
        ("keyboard_input", look("krunner", field(value="rm -")), {"keys": "rf y"}),
        ("write_clipboard", Observation(), {"text": "rm -rf y"}),
        ("hotkey", look("mousepad", field(), clipboard="rm -rf y"), {"keys": ["ctrl", "v"]}),
        ("write_file", Observation(), {"file_path": "a.sh", "text": "#!/bin/sh\n  rm -rf y"}),
    ],
)
def test_a_rule_on_a_text_covers_every_way_to_enter_it(
    tmp_path: Path, function: str, seen: Observation, params: dict[str, Any]
) -> None:
    assert decide(NO_RM, tmp_path, function, seen, **params).rule == "no-rm"


def test_what_was_there_before_is_not_held_against_an_empty_field(tmp_path: Path) -> None:
    seen = look("krunner", field(value="rm -rf y"))
    assert decide(NO_RM, tmp_path, "keyboard_input", seen, keys="calc", clear=True).effect == "allow"


@pytest.mark.parametrize("code", ["x" + "()" * 2000, "x" + ".a" * 20_000, "-" * 20_000 + "x"])
def test_code_that_is_too_deep_to_be_read_counts_as_anything(tmp_path: Path, code: str) -> None:
    decision = decide(Policy.default(), tmp_path, "run_python_code", code=code)
    assert decision.risk == "unknown"
    assert decide(NO_SHELL, tmp_path, "run_python_code", code=code).rule == "no-shell"


SECRET = policy('[[rules]]\nname = "mine"\neffect = "deny"\npath = ["private/**", "~/.ssh", "/etc"]\n')


@pytest.mark.parametrize(
    ("function", "seen", "params"),
    [
        ("read_file", Observation(), {"file_path": "private/a"}),
        ("read_file", Observation(), {"file_path": "/workspace/docs/../private/a"}),
        ("move_file", Observation(), {"source": "private", "destination": "x"}),
        ("copy_file", Observation(), {"source": ".", "destination": "x"}),
        ("open_application", Observation(), {"app_name": "Mousepad", "file": "private/a"}),
        ("run_shell", Observation(), {"command": "cat private/a"}),
        ("run_shell", Observation(), {"command": "cat <private/a"}),
        ("run_shell", Observation(), {"command": "tar --file=x -c private"}),
        ("run_shell", Observation(), {"command": "cat $HOME/.ssh/id"}),
        ("run_shell", Observation(), {"command": "dd if=/etc/passwd"}),
        ("run_python_code", Observation(), {"code": "print(open('private/a').read())"}),
        ("keyboard_input", look("xterm", terminal("cat priv")), {"keys": "ate/a"}),
        ("keyboard_input", look("mousepad", field("Name"), dialog=True), {"keys": "/etc/motd"}),
        ("keyboard_input", look("mousepad", field("Name", "/et"), dialog=True), {"keys": "c/motd"}),
        ("hotkey", look("mousepad", field("Name", "private/a"), dialog=True), {"keys": ["enter"]}),
        ("hotkey", look("Thunar"), {"keys": ["ctrl", "l"], "text": "/etc"}),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "file:///workspace/private/a"}),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "file:/etc/passwd"}),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "view-source:file://localhost/%65tc/passwd"}),
        ("hotkey", look("thunar", field("Location"), clipboard="/home/me/.ssh"), {"keys": ["ctrl", "v"]}),
    ],
)
def test_a_rule_on_a_path_covers_every_way_to_name_it(
    tmp_path: Path, function: str, seen: Observation, params: dict[str, Any]
) -> None:
    assert decide(SECRET, tmp_path, function, seen, **params).rule == "mine"


def test_a_link_does_not_lead_around_a_path(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "a").write_text("x")
    (tmp_path / "harmless").symlink_to("private")
    assert decide(SECRET, tmp_path, "read_file", file_path="harmless/a").rule == "mine"
    (tmp_path / "away").symlink_to("/etc/hostname")
    assert decide(SECRET, tmp_path, "read_file", file_path="away").rule == "mine"


def test_saving_outside_on_a_virtual_desktop_is_harmless_and_still_a_path(tmp_path: Path) -> None:
    seen = look("mousepad", field("Name"), dialog=True)
    assert decide(Policy.default(), tmp_path, "keyboard_input", seen, keys="/tmp/x").effect == "allow"
    outside = policy('[[rules]]\nname = "out"\neffect = "ask"\npath = "outside"\n')
    assert decide(outside, tmp_path, "keyboard_input", seen, keys="/tmp/x").rule == "out"
    assert decide(outside, tmp_path, "keyboard_input", seen, keys="x.txt").effect == "allow"


NO_SEND = policy('[[rules]]\nname = "no-send"\neffect = "deny"\ncontrol = "Send*"\nrole = ["button", "menu item"]\n')


@pytest.mark.parametrize(
    ("function", "seen", "params"),
    [
        ("click_input", look("x", button("Send", label="1")), {"aimed": "1"}),
        ("hotkey", look("x", button("Send", label="1")), {"keys": ["space"]}),
        ("choose_menu", look("x"), {"path": ["File", "Send Later"]}),
        ("hotkey", look("thunderbird", field("Body")), {"keys": ["ctrl", "enter"]}),
        ("hotkey", look("firefox", field("Body")), {"keys": ["Ctrl+Return"]}),
        ("keyboard_input", look("x", field("To"), button("Send"), dialog=True), {"keys": "me\n"}),
        ("keyboard_input", look("x", field("To"), button("Send")), {"keys": "me\t\t "}),
        ("hotkey", look("x", field("To"), button("Send")), {"keys": ["alt", "s"]}),
    ],
)
def test_a_rule_on_a_control_covers_the_keys_that_press_it(
    tmp_path: Path, function: str, seen: Observation, params: dict[str, Any]
) -> None:
    assert decide(NO_SEND, tmp_path, function, seen, **params).rule == "no-send"


@pytest.mark.parametrize(
    ("function", "seen", "params", "risk"),
    [
        ("hotkey", look("evolution", field("Body")), {"keys": ["ctrl", "enter"]}, "send"),
        ("hotkey", look("mousepad", field("Body")), {"keys": ["ctrl", "enter"]}, "write"),
        ("hotkey", look("thunar", button("a.txt", role="icon", label="1")), {"keys": ["delete"]}, "destroy"),
        ("keyboard_input", look("x", field("To"), button("Pay now")), {"keys": "me\t\n"}, "spend"),
        ("keyboard_input", look("x", field("To"), button("Pay now")), {"keys": "me\n"}, "write"),
        ("keyboard_input", look("calc", field("A1", role="cell"), button("Delete")), {"keys": "a\tb\n1\t2\n"}, "write"),
        ("keyboard_input", look("pad", field("", role="text area"), button("Delete")), {"keys": "a\tb\n"}, "write"),
        ("keyboard_input", look("firefox", field("", role="text area"), button("Pay")), {"keys": "a\t\n"}, "spend"),
        ("hotkey", look("x", field("To"), button("Pay now")), {"keys": ["alt", "p"]}, "spend"),
        ("click_input", look("xterm", terminal()), {"aimed": "1", "button": "middle"}, "unknown"),
        ("run_python_code", Observation(), {"code": "```\nimport os\nos.system('sudo rm a')\n```"}, "credential"),
        ("hotkey", look("xterm", terminal("rm x")), {"keys": "enter"}, "destroy"),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "localhost:8080"}, "network"),
        ("keyboard_input", look("firefox", ADDRESS), {"keys": "https:\\\\evil.net"}, "network"),
        ("keyboard_input", look("firefox", field("Address", "evi")), {"keys": "l.net/x"}, "network"),
        ("keyboard_input", look("firefox", field("Note", "http://a.org\nfine")), {"keys": "yes"}, "write"),
    ],
)
def test_risks_of_what_keys_do(tmp_path: Path, function: str, seen: Observation, params: dict[str, Any], risk: str) -> None:
    assert decide(Policy.default(), tmp_path, function, seen, **params).risk == risk


def beside_a_page(control: Control) -> Observation:
    """A browser's window with bars above its page."""
    page = Box(x=0, y=100, width=800, height=500)
    window = Window(id=1, title="Shop - Chromium", app="Chromium", box=Box(x=0, y=0, width=800, height=600), active=True)
    shown = window.model_copy(update={"url": "http://shop.example/x", "page": page})
    return Observation(windows=(shown,), controls=(control,), focus=control.label)


@pytest.mark.parametrize(
    ("y", "states", "network"),
    [(50, (), True), (300, (), False), (900, ("out of view",), False)],
    ids=["address bar", "field of the page", "field further down"],
)
def test_the_address_bar_beside_a_page_is_one_whatever_the_page_calls_its_fields(
    tmp_path: Path, y: int, states: tuple[str, ...], network: bool
) -> None:
    control = ADDRESS.model_copy(update={"box": Box(x=10, y=y, width=200, height=20), "states": states})
    seen = beside_a_page(control)
    decision = decide(Policy.default(), tmp_path, "keyboard_input", seen, keys="evil.net")
    assert ("evil.net" in decision.hosts) is network
    assert "shop.example" in decision.hosts  # whose page it is
    assert (decision.risk == "network") is network
    asked = beside_a_page(control).model_copy(update={"focus": None})
    assert "evil.net" in decide(Policy.default(), tmp_path, "keyboard_input", asked, keys="evil.net").hosts
    refused = policy('[[rules]]\nname = "not-there"\neffect = "deny"\nhost = "evil.net"\n')
    assert decide(refused, tmp_path, "open_url", seen, url="evil.net/x").rule == "not-there"


def test_a_file_of_the_workspace_is_opened_by_its_name_and_any_other_name_is_a_host(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/booking.html").write_text("Book")
    (tmp_path.parent / "outside.html").write_text("Out")
    (tmp_path / "link.html").symlink_to(tmp_path.parent / "outside.html")
    for url, host in (
        ("site/booking.html", ()),
        ("booking.html", ("booking.html",)),
        ("link.html", ("link.html",)),
        ("https://evil.net/site/booking.html", ("evil.net",)),
    ):
        decision = decide(Policy.default(), tmp_path, "open_url", look("Chromium"), url=url)
        assert (decision.effect == "allow") is (not host), url
        assert set(host) <= set(decision.hosts), url


def test_the_delete_key_in_a_file_manager_is_deleting_a_file(tmp_path: Path) -> None:
    kept = policy('[[rules]]\nname = "keep"\neffect = "deny"\naction = "delete_file"\n')
    files = look("thunar", button("a.txt", role="icon", label="1"))
    assert decide(kept, tmp_path, "hotkey", files, keys=["shift", "delete"]).rule == "keep"
    assert decide(kept, tmp_path, "choose_menu", files, path=["Edit", "Move to Trash"]).rule == "keep"
    assert decide(kept, tmp_path, "hotkey", look("mousepad", field("Body")), keys=["delete"]).effect == "allow"


def test_a_program_started_by_a_dialog_is_the_program(tmp_path: Path) -> None:
    none = policy('[[rules]]\nname = "none"\neffect = "deny"\naction = "open_application"\napp = "*firefox*"\n')
    assert decide(none, tmp_path, "open_application", app_name="Firefox").rule == "none"
    runner = look("xfce4-appfinder", field())
    assert decide(none, tmp_path, "keyboard_input", runner, keys="/usr/bin/firefox", click_enter=True).rule == "none"
    assert decide(none, tmp_path, "keyboard_input", runner, keys="mousepad").effect == "allow"


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("https://user@Evil.NET:8/x", ("evil.net",)),
        ("see http://a.org and https://b.org/x", ("a.org", "b.org")),
        ("example.org/path", ("example.org",)),
        ("example.org.", ("example.org",)),
        ("http:evil.net", ("evil.net",)),
        ("http:///evil.net", ("evil.net",)),
        ("ev\til.net", ("evil.net",)),
        ("192.168.0.1:80", ("192.168.0.1",)),
        ("bücher.example", ("bücher.example",)),
        ("x.xn--p1ai", ("x.xn--p1ai",)),
        ("https://good.org:x@evil.net/", ("evil.net",)),
        ("http:good.org:x@evil.net", ("evil.net",)),
        ("get('https://a.org')", ("a.org",)),
        ("evil.net\\x", ("evil.net",)),
        ("[::1]:80", ("[::1]",)),
        ("two words.org", ()),
        ("3.5", ()),
    ],
)
def test_hosts_of_addresses(text: str, hosts: tuple[str, ...]) -> None:
    assert hosts_in(text, address=True) == hosts


def test_addresses_that_are_code_or_files() -> None:
    assert code_address("  JavaScript:x") == "javascript"
    assert code_address("notes on javascript: a guide") == ""
    assert file_address("file:///a%20b?x") == "/a b"
    assert file_address("profile:///a") == ""


def facets(folder: Path, command: str, **sandbox: Any) -> Facets:
    workspace = Workspace(folder)
    scene = Scene(workspace, Sandbox(workspace.root, **sandbox), None, Observation())
    operation = Operation(function="run_shell", params={"command": command})
    return Guard(Policy.default(), "none").assess(operation, builtin()["run_shell"], scene)


@pytest.mark.parametrize(
    ("command", "hosts"),
    [
        ("curl -s https://a.org/x b.net", ("a.org", "b.net")),
        ("ssh me@server ls", ("server",)),
        ("scp a.txt me@server:x", ("a.txt", "server")),
        ("git push", ()),
        ("git clone git@host.org:x/y", ("host.org",)),
        ("git add a.md", ()),
        ("cat notes.org", ()),
    ],
)
def test_hosts_of_commands(tmp_path: Path, command: str, hosts: tuple[str, ...]) -> None:
    assert facets(tmp_path, command, network=True).hosts == hosts
