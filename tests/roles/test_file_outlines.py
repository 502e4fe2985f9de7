"""The workspace's files as prompts list them."""

from __future__ import annotations

import pytest

from deskcrew.engine.roles.file_outlines import FileOutlines, unpacked_in
from deskcrew.facts import events as e
from deskcrew.facts.observation import FileEntry, Observation
from deskcrew.journal.fold import RunState
from support.bodies import started


@pytest.mark.parametrize(
    ("inside", "there", "folder"),
    [
        (["a.csv", "b.csv"], ["x/a.csv", "x/b.csv", "x.zip"], "x"),
        (["a.csv", "b.csv"], ["a.csv", "b.csv"], ""),
        (["x/a.csv", "x/y/b.csv"], ["x/a.csv", "x/y/b.csv"], ""),
        (["x/a.csv", "b.csv"], ["k/x/a.csv", "k/b.csv"], "k"),
        (["a.csv", "b.csv"], ["w/a.csv", "x/a.csv", "x/b.csv"], "x"),
        (["a.csv", "b.csv"], ["x/a.csv", "y/b.csv"], None),
        (["a.csv"], ["xa.csv"], None),
        ([], ["a.csv"], None),
    ],
)
def test_where_an_archive_was_unpacked(inside: list[str], there: list[str], folder: str | None) -> None:
    assert unpacked_in(inside, [FileEntry(path=path, kind="file", size=1) for path in there]) == folder


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("one\ntwo\n", "- a.txt: one | two"),
        ("one\ntwo", "- a.txt: one | two (no line end at its end)"),
        ("long " * 500, "... (no line end at its end)"),
        ("", "- a.txt"),
    ],
)
def test_a_text_whose_last_line_does_not_end_is_told_from_one_whose_does(text: str, told: str) -> None:
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Copy a.txt.")))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return text

    now = Observation(files=(FileEntry(path="a.txt", kind="file", size=len(text), digest="digest"),))
    heads = FileOutlines()
    first = heads.told(now, state, text_of, shown=True)
    assert first.endswith(told)
    assert heads.told(now, state, text_of, shown=True) == first, "also as it is kept"


def test_of_a_file_that_was_changed_all_is_told_as_far_as_there_is_room() -> None:
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Add a line to a.txt.")))
    text = "".join(f"line {number}\n" for number in range(1, 10))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return text

    paths = ("a.txt", "b/c.csv", "x.md")
    now = Observation(files=tuple(FileEntry(path=path, kind="file", size=63, digest="digest") for path in paths))
    heads = FileOutlines()
    built = heads.told(now, state, text_of, shown=True, reading=2000)
    assert built == "- a.txt: line 1 | line 2 | line 3 | line 4 | ... 5 more lines\n- b/c.csv\n- x.md"
    told = heads.told(now, state, text_of, shown=True, reading=2000, whole=("a.txt", "b/c.csv", "gone.txt"))
    all_of_it = " | ".join(text.splitlines())
    assert told == f"- a.txt: {all_of_it}\n- b/c.csv: {all_of_it}\n- x.md"
    text = "long " * 2000
    assert len(heads.told(now, state, text_of, shown=True, reading=2000, whole=("a.txt",))) < 2100


def test_where_the_task_names_no_file_a_model_that_reads_is_shown_how_all_of_them_begin() -> None:
    state = RunState()
    state.apply(e.Event.model_construct(id="1", header=None, digest="", body=started("Propose lessons about spreadsheets.")))

    def text_of(path: str) -> str:
        state.files_read[path] = e.FileRead(path=path, text="digest")
        return f"{path} begins so\n"

    paths = [f"{number}.csv" for number in range(40)]
    now = Observation(files=tuple(FileEntry(path=path, kind="file", size=63, digest="digest") for path in paths))
    told = FileOutlines().told(now, state, text_of, shown=True, reading=6000).splitlines()
    assert told[0] == "- 0.csv: 0.csv begins so"
    assert told[29] == "- 29.csv: 29.csv begins so"
    assert told[30:] == ["- and 10 more"]
    assert FileOutlines().told(now, state, text_of, shown=True).splitlines()[0] == "- 0.csv", (
        "a small model's prompt stays small"
    )
