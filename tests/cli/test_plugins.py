"""Commands that other distributions add: found by their entry points, and told of where they are not there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.ways_in.cli.plugins import GROUP, OURS

PLUGIN = """
import typer

def build():
    app = typer.Typer(help="Say something.")

    @app.command()
    def hello(loud: bool = typer.Option(False, "--loud", help="How.")) -> None:
        typer.echo("HELLO" if loud else "hello")

    @app.callback()
    def root() -> None:
        pass

    return app
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for distributions that is looked through before the others."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def install(site: Path, name: str, command: str, loads: str) -> None:
    about = site / f"{name.replace('-', '_')}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{command} = {loads}\n")


@pytest.fixture
def without_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where ``deskcrew-bench`` is not installed."""
    from importlib import metadata

    there = metadata.entry_points

    def entry_points(**asked: str) -> metadata.EntryPoints:
        return metadata.EntryPoints(each for each in there(**asked) if each.name != "bench")

    monkeypatch.setattr(metadata, "entry_points", entry_points)


def test_the_benchmarks_are_a_command_when_they_are_installed(cli: Cli) -> None:
    assert re.search(rf" bench +{re.escape(OURS['bench'].does)} ", cli("--help").out)
    said = cli("bench", "redteam", "-h")
    assert said.code == 0
    assert "--only" in said.out


@pytest.mark.parametrize("asked", [(), ("--help",), ("redteam", "--only", "x"), ("demo", "--help")], ids=" ".join)
def test_where_they_are_not_installed_it_says_so(cli: Cli, without_bench: None, asked: tuple[str, ...]) -> None:
    said = cli("bench", *asked)
    assert said.code == 2
    assert said.out == ""
    assert "`deskcrew bench` is in deskcrew-bench, which is not installed." in said.err
    assert "pip install ./bench" in said.err


def test_the_help_says_what_is_not_installed(cli: Cli, without_bench: None) -> None:
    assert f"{OURS['bench'].does} Not installed." in cli("--help").out


def test_with_json_it_says_so_to_a_program(cli: Cli, without_bench: None) -> None:
    said = cli("bench", "overhead", "--json")
    assert said.code == 2
    assert "deskcrew-bench" in said.json["error"]


def test_a_command_of_another_distribution(cli: Cli, site: Path) -> None:
    (site / "greeting_plugin.py").write_text(PLUGIN)
    install(site, "greeting", "greet", "greeting_plugin:build")
    assert "Say something." in cli("--help").out
    assert cli("greet", "hello", "--loud").out == "HELLO\n"
    assert "<bool>" not in cli("greet", "hello", "--help").out


def test_it_is_not_loaded_for_another_command(cli: Cli, site: Path) -> None:
    (site / "loud_plugin.py").write_text("raise RuntimeError('loaded')")
    install(site, "loud", "loud", "loud_plugin:build")
    assert cli("runs", "--data", str(site)).code == 0
    assert "loud_plugin" not in sys.modules


def test_a_command_of_the_product_cannot_be_replaced(cli: Cli, site: Path) -> None:
    (site / "runs_plugin.py").write_text("raise RuntimeError('loaded')")
    install(site, "impostor", "runs", "runs_plugin:build")
    assert cli("runs", "--data", str(site)).code == 0
    assert cli("--help").code == 0


@pytest.mark.parametrize("loads", ["no_such_module:build", "json:no_such_name"])
def test_one_that_does_not_load_is_named_and_breaks_nothing_else(cli: Cli, site: Path, loads: str) -> None:
    install(site, "broken-dist", "broken", loads)
    help = cli("--help")
    assert help.code == 0
    assert "broken-dist does not work." in help.out
    said = cli("broken", "--whatever")
    assert said.code == 2
    assert "broken-dist does not work with this version of Deskcrew" in said.err
