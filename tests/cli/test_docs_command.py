"""``deskcrew docs`` shows what hints name, from a clone and from an installed package."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cli.conftest import Cli, cli
from deskcrew.ways_in.cli import docs

__all__ = ["cli"]
SOURCE = docs.PACKAGE
NAMED = re.compile(r"`deskcrew docs ([\w/-]+)`")


@pytest.mark.parametrize("name", ["add-an-action", "how-to/add-an-action", "docs/how-to/add-an-action.md"])
def test_a_page_is_shown_by_its_name_or_path(cli: Cli, name: str) -> None:
    assert cli("docs", name).out.startswith("# Add an action\n")


def test_all_pages_are_listed_and_an_unknown_one_is_told_with_the_nearest(cli: Cli) -> None:
    assert re.search(r"^how-to/unattended +Run unattended$", cli("docs").out, re.MULTILINE)
    missing = cli("docs", "add-an-acton")
    assert missing.code == 2
    assert "Did you mean 'add-an-action'?" in missing.err


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (("what", "leaves", "the", "machine"), "## What leaves the machine\n"),
        (("schedule",), "# Run on a schedule or when a file arrives\n"),
        (("Exit codes",), "# Outcomes and exit codes\n"),
        (("models#limit-the-cost",), "## Limit the cost\n"),
        (("docs/how-to/models.md#limit-the-cost",), "## Limit the cost\n"),
    ],
)
def test_words_that_only_one_title_or_heading_has_open_its_page_or_section(
    cli: Cli, words: tuple[str, ...], begins: str
) -> None:
    assert cli("docs", *words).out.startswith(begins)


def test_a_section_ends_at_the_next_heading_of_its_level_and_holds_those_below_it(cli: Cli) -> None:
    out = cli("docs", "security#the-guard-what-needs-your-yes").out
    assert "### What web pages do behind a button" in out
    assert "## The sandbox" not in out
    assert out.endswith("The whole page: deskcrew docs security\n")


def test_other_words_list_the_sections_that_have_them_each_with_the_words_and_how_to_open_it(cli: Cli) -> None:
    found = cli("docs", "hosted model")
    assert found.code == 0
    assert "deskcrew docs tutorial#5-the-same-with-a-hosted-model\n" in found.out
    for line in found.out.splitlines()[::2]:
        assert cli(*line.split()[1:]).out.startswith("#")
    said = cli("docs", "older-than").out.splitlines()
    assert (said[0], "deskcrew remove --older-than 30" in said[1]) == ("deskcrew docs how-to/unattended#clean-up", True)
    assert "deskcrew docs how-to/schedules" in cli("docs", "how can I schedule it please").out


@pytest.mark.parametrize("words", ['"', "zzzqq", "AND", "\N{CJK UNIFIED IDEOGRAPH-4E2D}"])
def test_words_that_occur_nowhere_are_said_to(cli: Cli, words: str) -> None:
    found = cli("docs", words)
    assert found.code == 2 or "deskcrew docs " in found.out
    assert "Traceback" not in found.err


def test_what_the_code_adds_to_a_page_is_found(cli: Cli) -> None:
    assert "deskcrew docs reference/python#desktop" in cli("docs", "screenshot path").out


def test_an_installed_package_has_its_pages_within(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs/how-to").mkdir(parents=True)
    (tmp_path / "docs/how-to/windows.md").write_text("# As installed\n")
    (tmp_path / "docs/security.md").write_text("# Secure\n")
    monkeypatch.setattr(docs, "PACKAGE", tmp_path)
    assert cli("docs", "windows").out.startswith("# As installed")
    assert cli("docs", "security").out.startswith("# Secure")


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("python", "observe(self, *, screenshot"),
        ("cli", "deskcrew skill use"),
        ("settings", "DESKCREW_LIMITS__MONEY"),
        ("actions", "### write_file\n"),
        ("events", "RunFinished (`run_finished`)"),
        ("roles", "| `Worker` |"),
        ("crews", "| `cola` |"),
        ("policy", "writing-inside"),
    ],
)
def test_what_a_page_of_the_reference_takes_from_the_code_is_shown_without_the_site(cli: Cli, page: str, shown: str) -> None:
    out = cli("docs", page).out
    assert shown in out
    assert "<!-- generated" not in out


def told(path: Path) -> list[str]:
    """The texts of a module that a person may see: all but docstrings of what is no command."""
    tree = ast.parse(path.read_text())
    alone = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and "cli" not in path.relative_to(SOURCE).parts
    ]
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in alone]
    return [node.value for node in texts if isinstance(node.value, str)]


def test_every_page_that_a_hint_names_is_there_and_none_is_named_by_a_path_of_the_clone(cli: Cli) -> None:
    texts = [(path, text) for path in SOURCE.rglob("*.py") for text in told(path)]
    names = {name for _, text in texts for name in NAMED.findall(text)}
    assert len(names) > 15
    assert [name for name in sorted(names) if cli("docs", name).code] == []
    paths = [f"{path.name}: {text}" for path, text in texts if re.search(r"\bdocs/(how-to|reference)/[\w-]+\.md", text)]
    assert paths == []
