"""Pages of WebGames' form: served as they were built, and the password that each gives is what counts."""

from __future__ import annotations

import json
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from deskcrew.environments.browser.launch import program
from deskcrew.errors import UsageError
from deskcrew_bench import webgames as suite
from deskcrew_bench.loopback import Loopback
from support.crew import settings_in

pytestmark = pytest.mark.anyio
PAGE = "<!doctype html><title>Games</title><script src='/assets/a.js'></script><button>Solve it</button>"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    made = tmp_path / "clone"
    for path, text in (
        (suite.LISTED, json.dumps({"id": "press", "path": "press", "password": "PRESSED", "difficulty": "easy"}) + "\n"),
        (f"{suite.BUILT}/index.html", PAGE),
        (f"{suite.BUILT}/assets/a.js", "'loaded'"),
    ):
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text)
    return made


def test_pages_that_are_not_there_or_not_built_are_told(clone: Path, tmp_path: Path) -> None:
    assert [task.id for task in suite.tasks_of(clone)] == ["press"]
    with pytest.raises(UsageError, match="no page 'drag'"):
        suite.tasks_of(clone, ["drag"])
    (clone / suite.BUILT / "index.html").unlink()
    with pytest.raises(UsageError, match="are not built"):
        suite.tasks_of(clone)
    with pytest.raises(UsageError, match="There is no analysis"):
        suite.tasks_of(tmp_path / "elsewhere")


def test_every_address_that_is_no_file_is_the_one_page(clone: Path) -> None:
    handler = partial(suite.Handler, directory=str(clone / suite.BUILT))
    with Loopback(handler) as server:

        def read(path: str, data: bytes | None = None) -> tuple[int, str]:
            with urllib.request.urlopen(f"http://{server.host}{path}", data=data) as answer:
                return answer.status, answer.read().decode()

        assert read("/assets/a.js") == (200, "'loaded'")
        assert read("/press?level=2") == (200, PAGE)
        assert read("/api/record-completion", b"{}") == (204, "")


async def test_who_is_told_the_password_is_right(clone: Path, tmp_path: Path) -> None:
    (task,) = suite.tasks_of(clone)
    trial = await suite.attempt(clone, task, settings_in(tmp_path), model=suite.RIGHT, crew="default")
    assert (trial.right, trial.kind, trial.said) == (True, "easy", ""), trial
    assert not trial.done  # it only says so


@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
async def test_who_does_nothing_is_not(clone: Path, tmp_path: Path) -> None:
    (task,) = suite.tasks_of(clone)
    trial = await suite.attempt(clone, task, settings_in(tmp_path), model="no-op", crew="default")
    assert not trial.right
    assert "PRESSED" not in trial.said
    assert trial.operations == 0
