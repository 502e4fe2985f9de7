"""A chore in a test of your own: ``pytest examples/library/test_chore.py``. Where pytest is not there yet,
`make setup-dev` or `pip install pytest` installs it.

``or_raise`` fails the test where the run is not done, and says which run it was: ``deskcrew log RUN`` shows what happened.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import deskcrew

TASK = 'Write "hello" into hello.txt.'
REQUIRED = ("file_contains hello.txt hello",)
REPLIES = [
    {
        "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}],
        "branch": "RoleTaskFinish",
    },
]


def test_a_greeting_is_written(tmp_path: Path) -> None:
    settings = deskcrew.Settings(data=tmp_path / "data")
    model = deskcrew.ScriptedModel(REPLIES)  # leave it out to use your own
    result = deskcrew.run(TASK, require=REQUIRED, desktop="none", model=model, settings=settings)
    assert result.or_raise().path("hello.txt").read_text().strip() == "hello"


def test_what_is_not_done_is_no_success(tmp_path: Path) -> None:
    settings = deskcrew.Settings(data=tmp_path / "data")
    wrong = [{**REPLIES[0], "operations": []}] * 12
    model = deskcrew.ScriptedModel(wrong)
    result = deskcrew.run(TASK, require=REQUIRED, desktop="none", model=model, settings=settings)
    with pytest.raises(deskcrew.RunNotDone, match=str(result.run)):
        result.or_raise()
