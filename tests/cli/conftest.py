"""A journal written by hand, and the command line called as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Control, FileEntry, Observation, Screen, Window
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.ways_in.cli import main
from support.bodies import ordinary_run

PICTURE = b"\x89PNG\r\n\x1a\nnot really"

SEEN = Observation(
    screen=Screen(width=1280, height=800),
    windows=(Window(id=7, title="notes.txt - Mousepad", app="mousepad", box=Box(x=0, y=0, width=9, height=9), active=True),),
    controls=(
        Control(label="e1", role="text", name="Body", value="6 * 7", box=Box(x=1, y=2, width=3, height=4), window=7),
        Control(
            label="b2", role="button", name="Save", box=Box(x=1, y=2, width=3, height=4), window=7, operations=("click",)
        ),
    ),
    focus="e1",
    files=(FileEntry(path="notes.txt", kind="file", size=1234), FileEntry(path="old", kind="folder")),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Result]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Calls the command line in this process."""
    monkeypatch.setenv("COLUMNS", "300")

    def call(*arguments: str) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        printed = capsys.readouterr()
        code = ended.value.code
        return Result(code if isinstance(code, int) else 0, printed.out, printed.err)

    return call


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of the test's runs."""
    return tmp_path / "data"


@pytest.fixture
def store(data: Path) -> Store:
    return Store(data / "journal.db")


def write(store: Store, run: str, bodies: list[Any]) -> Journal:
    """A run with these bodies, committed."""
    journal = store.create(bodies[0], run=run)
    for body in bodies[1:]:
        journal.append(body)
    journal.close()
    return journal


def with_blobs(journal: Journal, bodies: list[Any]) -> list[Any]:
    """The bodies, with blobs behind what they name."""
    prompt = (
        e.PartRef(zone="stable", kind="text", blob=journal.blob("You are the Programmer.")),
        e.PartRef(zone="volatile", kind="image", blob=journal.blob(PICTURE)),
        e.PartRef(zone="task", kind="text", blob=journal.blob("Say what [red]6 * 7[/red] is\x1b]0;owned\x07")),
    )
    changes: dict[type[Any], dict[str, Any]] = {
        e.RoleCalled: {"parts": prompt, "schema_blob": journal.blob('{"type": "object"}'), "max_tokens": 400},
        e.RoleReplied: {"raw": journal.blob('{"message": "raw text"}')},
        e.Saved: {"manifest": journal.blob("[]")},
        e.FileRead: {"text": journal.blob("a,b")},
        e.Observed: {"observation": journal.blob(SEEN.model_dump_json()), "screenshot": journal.blob(PICTURE)},
    }
    return [body.model_copy(update=changes.get(type(body), {})) for body in bodies]


@pytest.fixture
def run(store: Store) -> Journal:
    """An ordinary run, ``0101-000000-aaaa``, with real blobs."""
    bodies = ordinary_run()
    journal = store.create(bodies[0], run="0101-000000-aaaa")
    for body in with_blobs(journal, bodies)[1:]:
        journal.append(body)
    journal.close()
    return journal


def number_of(journal: Journal, kind: type[Any], *, nth: int = 0, role: str = "") -> int:
    """The number of the nth event of a kind."""
    found = [x.number for x in journal.events if isinstance(x.body, kind) and (not role or x.body.role == role)]  # type: ignore[union-attr]
    return found[nth]
