"""`deskcrew teach`, called as a user calls it. What is done on the desktop: tests/workshop/test_teaching.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.cli.skill_work import check_from
from deskcrew.errors import UsageError


def test_there_must_be_somebody_at_the_terminal(cli: Cli, data: Path) -> None:
    refused = cli("teach", "How we file invoices", "--json")
    assert refused.code == 2
    assert "not a terminal" in refused.json["error"]
    assert not list(data.glob("workspaces/*")), "nothing was begun"


@pytest.mark.parametrize("arguments", [("--open", "=x"), ("--screen", "big"), ("--workspace", "/no/such/folder")])
def test_what_cannot_be_is_refused_first(cli: Cli, data: Path, arguments: tuple[str, ...]) -> None:
    assert cli("teach", "How we file invoices", *arguments).code == 2


def test_checks_are_typed_as_they_are_told() -> None:
    check = check_from("file_contains:a=b.txt=Total=3")
    assert (check.kind, check.target, check.text) == ("file_contains", "a", "b.txt=Total=3")
    assert check_from("file_exists:report.txt").target == "report.txt"
    for odd in ("report.txt", "file_exists:", "nonsense:report.txt"):
        with pytest.raises(UsageError, match="is not KIND:TARGET=TEXT"):
            check_from(odd)
