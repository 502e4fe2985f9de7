"""What is installed, and by which command, on the distributions that Deskcrew knows."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli, cli
from deskcrew.environments.browser.launch import program
from deskcrew.facts.system_packages import FEDORA, install
from deskcrew.ways_in.cli import checks

__all__ = ["cli"]
ROOT = Path(__file__).parents[1]
LISTED = [line.split() for line in (ROOT / "tools/apt-packages.txt").read_text().splitlines() if line[:1] != "#"]
DEMO = [(debian, fedora) for group, debian, fedora, *_ in LISTED if group == "demo"]
SNAP = "(Ubuntu has Chromium only as a snap, which cannot start in a sandbox.)"
KINDS = {"debian": "", "ubuntu": "debian", "linuxmint": "ubuntu debian", "fedora": "", "nobara": "fedora", "arch": ""}


@pytest.mark.parametrize(
    ("kind", "packages", "command"),
    [
        ("debian", ("openbox", "xvfb"), "sudo apt install openbox xvfb"),
        ("debian", ("chromium",), "sudo apt install chromium"),
        ("ubuntu", ("openbox", "chromium"), f"sudo apt install openbox {SNAP}"),
        ("linuxmint", ("chromium",), SNAP),
        ("fedora", ("openbox", "xvfb", "libseccomp2"), "sudo dnf install openbox xorg-x11-server-Xvfb libseccomp"),
        ("nobara", ("chromium",), "sudo dnf install chromium"),
        ("arch", ("openbox", "xvfb"), "Install what Debian calls openbox xvfb."),
    ],
)
def test_the_command_is_this_distributions(
    kind: str, packages: tuple[str, ...], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": kind, "ID_LIKE": KINDS[kind]})
    assert install(*packages) == command


def test_a_system_that_says_nothing_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent() -> dict[str, str]:
        raise OSError("there is no os-release")

    monkeypatch.setattr(platform, "freedesktop_os_release", silent)
    assert install("openbox") == "Install what Debian calls openbox."


def test_both_lists_call_it_the_same() -> None:
    listed = dict(DEMO)
    assert {name: FEDORA.get(name, name) for name in listed if name in FEDORA} == {
        name: listed[name] for name in FEDORA if name in listed
    }


def test_a_browser_that_only_starts_a_snap_is_none(tmp_path: Path) -> None:
    stub = tmp_path / "chromium-browser"
    stub.write_text('#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    stub.chmod(0o755)
    assert program(str(tmp_path)) is None
    (tmp_path / "chromium").symlink_to(shutil.which("true") or "/bin/true")
    assert program(str(tmp_path)) == str(tmp_path / "chromium")


def pretended(folder: Path, **programs: str) -> dict[str, str]:
    """An environment whose only programs are these shell scripts and a few harmless ones."""
    folder.mkdir()
    for name in ("bash", "sh", "dirname", "env", "sed", "grep", "sleep", "cat"):
        (folder / name).symlink_to(shutil.which(name) or name)
    for name, script in programs.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return {"PATH": str(folder), "SAID": str(folder / "said")}


def set_up(environment: dict[str, str]) -> tuple[int, list[str], str]:
    """Its exit code, what the package manager was told, and what a person was."""
    done = subprocess.run(
        ["bash", str(ROOT / "tools/apt-setup.sh"), "demo"], env=environment, capture_output=True, text=True, check=False
    )
    said = Path(environment["SAID"])
    return done.returncode, said.read_text().splitlines() if said.exists() else [], done.stdout + done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="else it needs sudo")
def test_fedora_gets_its_own_names(tmp_path: Path) -> None:
    rpm = 'for each; do case "$each" in openbox) echo openbox ;; -*|%*) ;; *) echo "no $each" ;; esac; done'
    code, told, _ = set_up(pretended(tmp_path / "bin", rpm=rpm, dnf='echo "$*" >>"$SAID"'))
    wanted = [fedora for _, fedora in DEMO if fedora != "openbox"]
    assert (code, told) == (0, [f"-q install -y --setopt=install_weak_deps=False {' '.join(wanted)}"])


@pytest.mark.skipif(os.geteuid() != 0, reason="else it needs sudo")
def test_what_a_relative_of_debian_has_not_is_left_out_and_named(tmp_path: Path) -> None:
    refuses = 'echo "$*" >>"$SAID"; case "$*" in *chromium*) exit 100 ;; esac'
    environment = pretended(tmp_path / "bin", dpkg_query="exit 1", apt_get=refuses, apt_cache='[ "$2" != chromium ]')
    code, told, person = set_up(environment)
    last = told[-1].split()
    assert code == 0
    assert last[-len(DEMO) + 1 :] == [debian for debian, _ in DEMO if debian != "chromium"]
    assert "no package chromium" in person


def test_packages_are_not_installed_on_a_disk_too_small_for_them(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools/venv-setup.sh", tree / "tools")
    (tree / "pyproject.toml").touch()
    full = pretended(tmp_path / "bin", df='echo "tmpfs 900000 500000 400000 56% /"')
    environment = full | {"PATH": f"{full['PATH']}:{os.environ['PATH']}"}
    command = ["bash", str(tree / "tools/venv-setup.sh"), "requirements.lock"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"need 1.7 GB more, and 0.4 GB are free in {tree}" in done.stderr
    assert not (tree / ".venv").exists()


WITHOUT_XCB = """
import sys
from pathlib import Path

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name == "xcffib":
            raise OSError("libxcb.so.1: cannot open shared object file")

sys.meta_path.insert(0, Refused())
from deskcrew.ways_in.cli import checks
from deskcrew.settings import Settings

settings = Settings(data=Path("data"))
for check in (checks.display_programs, checks.watching):
    print(*checks.bounded(check, settings).packages)
"""


def test_a_machine_without_any_library_of_a_screen_is_told_all_that_is_missing(tmp_path: Path) -> None:
    """As it was on a fresh Debian 13: the checks could not be made, so half of what was missing was neither named nor
    installed."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_XCB], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    needed, viewer = done.stdout.splitlines()
    assert {"bubblewrap", "dbus-daemon", "openbox", "xclip", "xvfb"} <= set(needed.split())
    assert viewer == "x11vnc"


def _fine(settings: object) -> checks.CheckFinding:
    return checks.CheckFinding("something", "ok", "fine")


@pytest.mark.skipif(os.geteuid() != 0, reason="else it is sudo that is called")
def test_doctor_fixes_what_is_missing_and_looks_again(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = pretended(tmp_path / "bin", apt='echo "$*" >>"$SAID"; [ "$1" = update ] || : >"$SAID.installed"')
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": "debian"})
    there = Path(f"{environment['SAID']}.installed")

    def browser(settings: object) -> checks.CheckFinding:
        found = checks.CheckFinding("browser", "ok", "there it is")
        return found if there.exists() else checks.CheckFinding.lacking("browser", "missing", "there is none", "chromium")

    for name in ("sandbox", "display_programs", "watching", "local_library", "local_weights"):
        monkeypatch.setattr(checks, name, _fine)
    monkeypatch.setattr(checks, "browser", browser)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cli("doctor", "--data", str(tmp_path)).code == 4
    assert not there.exists()
    said = cli("doctor", "--fix", "--data", str(tmp_path))
    assert (said.code, Path(environment["SAID"]).read_text().splitlines()) == (0, ["update", "install -y chromium"])
    assert "there it is" in said.out
    assert "apt install -y chromium" in said.err


def test_packages_that_pip_puts_in_place_silently_are_counted(tmp_path: Path) -> None:
    places = tmp_path / "lib/python3.11/site-packages"
    (places / "one.dist-info").mkdir(parents=True)
    script = (ROOT / "tools/venv-setup.sh").read_text()
    function = script[script.index("progress() {") :].partition("\n}\n")[0] + "\n}\n"
    collected = "".join(f"Collecting p{number}\n" for number in range(20))
    shell = ["bash", "-euo", "pipefail", "-c", f"venv={tmp_path}\n{function}progress 0.1"]
    with subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as pip:
        assert pip.stdin is not None
        assert pip.stdout is not None
        pip.stdin.write(f"{collected}Installing collected packages: one, two\n")
        pip.stdin.flush()
        told = [pip.stdout.readline() for _ in range(3)]
        (places / "two.dist-info").mkdir()
        told.append(pip.stdout.readline())
        pip.stdin.close()
    assert [line.strip() for line in told] == [
        "20 packages fetched",
        "20 packages fetched; putting them in place",
        "1 packages in place",
        "2 packages in place",
    ]
