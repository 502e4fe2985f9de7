"""What a release and its container are made of: the same packages and commands as everywhere else."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
BESIDE = {"ca-certificates", "python3-venv"}
"""Debian packages of the container that a machine with the source has anyhow."""


def steps() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with what they are given, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def commands() -> list[str]:
    """What it runs, one after the other."""
    return [command.strip() for what, given in steps() if what == "RUN" for command in given.split("&&")]


def test_the_container_has_the_packages_of_the_demo_by_the_same_script() -> None:
    assert "/src/tools/apt-setup.sh demo" in commands()
    installed = [command.split() for command in commands() if command.startswith("apt-get install")]
    assert {word for words in installed for word in words[2:] if not word.startswith("-")} == BESIDE
    listed = {line.split()[1] for line in (ROOT / "tools/apt-packages.txt").read_text().splitlines() if line[:4] == "demo"}
    assert not listed & BESIDE


def test_the_container_installs_as_venv_setup_does() -> None:
    asked = "--require-hashes --no-deps -r"
    assert asked in (ROOT / "tools/venv-setup.sh").read_text()
    pip = [command for command in commands() if "/pip install" in command]
    assert len(pip) == 2
    assert f"{asked} /src/requirements.lock" in pip[0]
    assert pip[1].endswith("--no-deps /src/deskcrew-*.whl")


def test_what_it_copies_is_sent_along_and_there_or_made() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {name for what, given in steps() if what == "COPY" for name in given.split()[:-1]}
    assert copied == sent
    assert [name for name in copied if not name.startswith("dist/") and not (ROOT / name).is_file()] == []


def test_the_tool_that_carries_them_out_without_docker_knows_every_instruction_and_the_base() -> None:
    tool = (ROOT / "tools/image.sh").read_text()
    assert [what for what, _ in steps() if not re.search(rf" {what}( \||\))", tool)] == []
    (base,) = (given for what, given in steps() if what == "FROM")
    assert f"    {base}) release=" in tool


def test_the_composed_services_are_reached_from_this_machine_only_and_with_a_token() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert [port for each in services.values() for port in each.get("ports", ())] == ["127.0.0.1:8700:8700"]
    assert services["web"]["environment"]["DESKCREW_TOKEN"].startswith("${DESKCREW_TOKEN:?")
    (last,) = (given for what, given in steps() if what == "CMD")
    assert json.loads(last)[:3] == ["serve", "--host", "0.0.0.0"]


def test_a_release_is_made_of_what_is_in_a_commit(tmp_path: Path) -> None:
    """Elsewhere than in the repository, so that nothing of it is touched."""
    for folder in ("tools", ".git"):
        (tmp_path / folder).mkdir()
    script = tmp_path / "tools" / "release.sh"
    script.write_bytes((ROOT / "tools/release.sh").read_bytes())
    for command in (["git", "init", "-q", "."], ["git", "add", "."]):
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "of an earlier one").touch()
    said = subprocess.run(["bash", script], capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "in no commit" in said.stderr
    assert (tmp_path / "dist" / "of an earlier one").exists()
    assert subprocess.run(["bash", script, "--sing"], capture_output=True, check=False).returncode == 2
