"""Files that a browser puts into a folder: which of them was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deskcrew.environments.browser.arriving import Arriving

URL = "http://127.0.0.1/list.csv"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def handed(tmp_path: Path) -> Path:
    (tmp_path / "handed").mkdir()
    return tmp_path / "handed"


@pytest.fixture
def arriving(handed: Path, workspace: Path) -> Iterator[Arriving]:
    arriving = Arriving(handed, workspace)
    arriving.expect(URL)
    arriving.begins("one", "list.csv", "page", URL)
    yield arriving
    arriving.close()


def kept(workspace: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in workspace.iterdir()}


def test_what_comes_beside_what_was_asked_for_is_not_taken_in_its_place(
    arriving: Arriving, handed: Path, workspace: Path
) -> None:
    (handed / "list.csv.crdownload").write_text("ha")
    (handed / "other.csv").write_text("bad")
    arriving.begins("two", "other.csv", "page", "http://127.0.0.1/other.csv")
    arriving.ends("two", failed=False)
    arriving.collect()
    assert not kept(workspace)
    (handed / "list.csv.crdownload").rename(handed / "list.csv")
    arriving.ends("one", failed=False)
    arriving.collect()
    assert kept(workspace) == {"list.csv": "ha"}
    assert not [*handed.iterdir()]
    assert arriving.told()[0] == "Downloaded list.csv."
    assert arriving.told() == []


def test_of_two_that_cannot_be_told_apart_none_is_taken(arriving: Arriving, handed: Path, workspace: Path) -> None:
    (handed / "list.csv").write_text("bad")
    (handed / "list (1).csv").write_text("good")
    arriving.ends("one", failed=False)
    arriving.collect()
    assert not kept(workspace)
    assert "ask for it again" in arriving.told()[0]


def test_what_was_broken_off_is_not_replaced_by_what_else_came(arriving: Arriving, handed: Path, workspace: Path) -> None:
    (handed / "list.csv").write_text("bad")
    arriving.ends("one", failed=True)
    arriving.collect()
    assert not kept(workspace)
    assert not [*handed.iterdir()]


def test_a_page_that_has_gone_tells_no_more_and_its_file_is_taken_once_nothing_is_written(
    arriving: Arriving, handed: Path, workspace: Path
) -> None:
    arriving.lose("page")
    (handed / "list.csv.crdownload").write_text("ha")
    arriving.collect()
    assert not kept(workspace)
    (handed / "list.csv.crdownload").rename(handed / "list.csv")
    arriving.collect()
    assert kept(workspace) == {"list.csv": "ha"}


def test_a_link_in_place_of_the_folder_leads_nowhere(
    arriving: Arriving, handed: Path, workspace: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("dear")
    handed.rename(tmp_path / "moved")
    handed.symlink_to(mine)
    arriving.ends("one", failed=False)
    arriving.collect()
    assert kept(mine) == {"letter.txt": "dear"}
    (tmp_path / "moved" / "x.txt").symlink_to(mine / "letter.txt")
    arriving.collect()
    assert kept(mine) == {"letter.txt": "dear"}
    assert not kept(workspace)
