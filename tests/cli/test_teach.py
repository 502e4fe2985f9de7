"""`deskcrew teach`, called as a user calls it. What is done on the desktop: tests/workshop/test_teaching.py."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import anyio
import pytest

from cli.conftest import Cli, write
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.request import Opened, RunRequest
from deskcrew.engine.workshop.teaching import teach
from deskcrew.errors import UsageError
from deskcrew.journal.store import Store
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.skill_work import check_from
from support.bodies import ordinary_run


def test_there_must_be_somebody_at_the_terminal(cli: Cli, data: Path) -> None:
    refused = cli("teach", "How we file invoices", "--json")
    assert refused.code == 2
    assert "not a terminal" in refused.json["error"]
    assert refused.json["hint"] == "Start it at a terminal.", "teaching has no --mode"
    assert not list(data.glob("workspaces/*")), "nothing was begun"


@pytest.mark.parametrize("arguments", [("--open", "=x"), ("--screen", "big"), ("--workspace", "/no/such/folder")])
def test_what_cannot_be_is_refused_first(cli: Cli, data: Path, arguments: tuple[str, ...]) -> None:
    assert cli("teach", "How we file invoices", *arguments).code == 2


@pytest.mark.parametrize(
    ("what", "opened", "said"),
    [(" ", "Mousepad", "There is nothing to show"), ("How we file", "no-such-program", "no-such-program")],
)
def test_what_cannot_be_shown_is_refused_before_a_desktop(tmp_path: Path, what: str, opened: str, said: str) -> None:
    request = RunRequest(what, desktop="virtual", opened=(Opened(name="Mousepad"), Opened(name=opened)), crew="planned")
    settings = Settings(data=tmp_path / "data")
    with pytest.raises(UsageError, match=said) as refused:
        anyio.run(partial(teach, request, settings, human=Nobody()))
    assert "deskcrew run" not in refused.value.hint
    assert not (tmp_path / "data").exists()


def test_no_model_goes_on_with_what_a_person_began_to_show(cli: Cli, data: Path, store: Store) -> None:
    begun = ordinary_run()[0].model_copy(update={"crew": TAUGHT})
    shown = write(store, "0101-000000-bbbb", [begun])
    refused = cli("resume", shown.run, "--data", str(data))
    assert (refused.code, "was demonstrated by a person" in refused.err) == (2, True), refused
    assert len(store.journal(shown.run).events) == 1


def test_checks_are_typed_as_they_are_told() -> None:
    check = check_from("file_contains:a=b.txt=Total=3")
    assert (check.kind, check.target, check.text) == ("file_contains", "a", "b.txt=Total=3")
    assert check_from("file_exists:report.txt").target == "report.txt"
    for odd in ("report.txt", "file_exists:", "nonsense:report.txt"):
        with pytest.raises(UsageError, match="is not KIND:TARGET=TEXT"):
            check_from(odd)
