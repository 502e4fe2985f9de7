"""What a small model may name."""

from __future__ import annotations

import pytest

from deskcrew.coaching.permitted_texts import unheard
from deskcrew.events import Operation, RunStarted
from deskcrew.journal.fold import RunState
from deskcrew.observation import FileEntry, Observation

FILES = Observation(files=(FileEntry(path="beach.jpg", kind="file", size=1),))


@pytest.mark.parametrize(
    ("function", "params", "word"),
    [
        ("make_folder", {"folder": "trip"}, "trip"),
        ("make_folder", {"folder": "Holiday 2024"}, ""),
        ("move_file", {"source": "beach.jpg", "destination": "holiday/beach.jpg"}, ""),
        ("move_file", {"source": "beach.jpg", "destination": "trip/beach.jpg"}, "trip"),
        ("copy_file", {"source": "beach.jpg", "destination": "beach-07.jpg"}, ""),
        ("delete_file", {"path": "trip"}, ""),
    ],
)
def test_a_new_name_is_made_of_words_that_somebody_said(function: str, params: dict[str, str], word: str) -> None:
    task = "Put the photos into a folder holiday 2024."
    state = RunState(started=RunStarted(task=task, crew="", model="", mode="", workspace="", desktop="none"))
    assert unheard(Operation(function=function, params=params), state, FILES) == word
