"""What two looks differ in."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from deskcrew.environments.evidence import compare
from deskcrew.facts.observation import Box, Control, ControlChange, Evidence, FileEntry, Observation, Window

BOX = Box(x=0, y=0, width=1, height=1)
WORDS = st.sampled_from(["", "a", "b", "c"])
WINDOWS = st.lists(
    st.builds(Window, id=st.integers(1, 3), title=WORDS, app=WORDS, box=st.just(BOX), active=st.booleans()),
    max_size=3, unique_by=lambda window: window.id,
)  # fmt: skip
CONTROLS = st.lists(
    st.builds(Control, label=st.sampled_from("123"), role=WORDS, name=WORDS, value=st.none() | WORDS, box=st.just(BOX),
              window=st.just(1), states=st.lists(WORDS, max_size=2, unique=True).map(tuple)),
    max_size=3, unique_by=lambda control: control.label,
)  # fmt: skip
FILES = st.lists(
    st.builds(FileEntry, path=st.sampled_from("abc"), kind=st.sampled_from(["file", "folder"]), size=st.integers(0, 2),
              digest=st.none() | WORDS),
    max_size=3, unique_by=lambda entry: entry.path,
)  # fmt: skip
LOOKS = st.builds(
    Observation, windows=WINDOWS.map(tuple), controls=CONTROLS.map(tuple), files=FILES.map(tuple),
    focus=st.none() | st.just("1"), clipboard=st.none() | WORDS,
)  # fmt: skip


def control(label: str, **more: Any) -> Control:
    return Control(label=label, role="text", box=BOX, window=1, **more)


def window(number: int, title: str, *, active: bool = False) -> Window:
    return Window(id=number, title=title, app="x", box=BOX, active=active)


def entry(path: str, **more: Any) -> FileEntry:
    return FileEntry(path=path, kind=more.pop("kind", "file"), **more)


@given(LOOKS)
def test_a_look_does_not_differ_from_itself(look: Observation) -> None:
    assert compare(look, look) == Evidence()
    assert compare(look, look, exit_code=3).empty


@given(LOOKS, LOOKS)
def test_forth_and_back_mirror_each_other(one: Observation, two: Observation) -> None:
    forth, back = compare(one, two), compare(two, one)
    assert set(forth.files_created) == set(back.files_deleted)
    assert forth.files_changed == back.files_changed
    assert set(forth.windows_opened) == set(back.windows_closed)
    assert set(forth.controls_appeared) == set(back.controls_gone)
    assert {(c.label, c.before, c.after) for c in forth.controls_changed} == {
        (c.label, c.after, c.before) for c in back.controls_changed
    }
    assert forth.empty == back.empty


def test_everything_that_differs_is_named() -> None:
    before = Observation(
        windows=(window(1, "Main", active=True), window(2, "Old")),
        controls=(control("1", value="a", states=("focused",)), control("2", name="gone")),
        focus="1",
        clipboard="x",
        files=(entry("same", digest="1"), entry("edited", digest="1"), entry("deleted")),
    )
    after = Observation(
        windows=(window(3, "Dialog", active=True), window(1, "Main *")),
        controls=(control("1", value="b"), control("3", name="new")),
        focus="3",
        clipboard="y",
        files=(entry("same", digest="1"), entry("edited", digest="2"), entry("created")),
    )
    assert compare(before, after, exit_code=0) == Evidence(
        windows_opened=("Dialog",),
        windows_closed=("Old",),
        titles_changed=(("Main", "Main *"),),
        active_window=("Main", "Dialog"),
        controls_appeared=("3",),
        controls_gone=("2",),
        controls_changed=(
            ControlChange(label="1", role="text", name="", field="states", before="focused", after=""),
            ControlChange(label="1", role="text", name="", field="value", before="a", after="b"),
        ),
        focus=("1", "3"),
        files_created=("created",),
        files_changed=("edited",),
        files_deleted=("deleted",),
        clipboard=("x", "y"),
        exit_code=0,
    )


@pytest.mark.parametrize(
    ("role", "was", "now", "told"),
    [
        ("text area", "", "word " * 100, ("", f"{'word ' * 60}… (500 characters)")),
        ("text area", "a" * 990 + "b", "a" * 990 + "c", ("…" + "a" * 40 + "b", "…" + "a" * 40 + "c")),
        ("terminal", "$ ", "$ seq 99\n" + "9\n" * 200 + "$ ", ("$ ", "…\n" + "9\n" * 94 + "$ ")),
    ],
)
def test_a_long_value_is_told_by_a_part_of_it(role: str, was: str, now: str, told: tuple[str, str]) -> None:
    before, after = (control("1", value=value).model_copy(update={"role": role}) for value in (was, now))
    (change,) = compare(Observation(controls=(before,)), Observation(controls=(after,))).controls_changed
    assert (change.before, change.after) == told


def test_touched_but_equal_is_not_changed_and_unknown_content_goes_by_time() -> None:
    assert compare(
        Observation(files=(entry("a", digest="1", mtime_ns=1),)), Observation(files=(entry("a", digest="1", mtime_ns=2),))
    ).empty
    big = compare(Observation(files=(entry("a", mtime_ns=1),)), Observation(files=(entry("a", mtime_ns=2),)))
    assert big.files_changed == ("a",)
    folder = compare(
        Observation(files=(entry("d", kind="folder", mtime_ns=1),)),
        Observation(files=(entry("d", kind="folder", mtime_ns=2),)),
    )
    assert folder.empty


def test_what_was_not_looked_at_is_no_difference() -> None:
    assert compare(Observation(clipboard=None), Observation(clipboard="x")).empty
    assert compare(Observation(), Observation(screenshot=b"x")).pixels_changed is None


def picture(*, caret: bool = False, box: bool = False, width: int = 60) -> Observation:
    image = Image.new("RGB", (width, 40), "white")
    draw = ImageDraw.Draw(image)
    if caret:
        draw.rectangle((10, 5, 11, 25), fill="black")
    if box:
        draw.rectangle((30, 5, 45, 10), fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    return Observation(screenshot=data.getvalue())


def test_pixels_but_not_a_blinking_cursor() -> None:
    assert compare(picture(), picture()).pixels_changed is False
    assert compare(picture(), picture(caret=True)).pixels_changed is False
    assert compare(picture(), picture(box=True)).pixels_changed is True
    assert compare(picture(), picture(width=61)).pixels_changed is True
    assert not compare(picture(), picture(box=True)).empty


def test_what_a_cut_listing_leaves_out_is_not_called_new_or_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    from deskcrew.environments import workspace

    monkeypatch.setattr(workspace, "MAX_ENTRIES", 4)

    def listing(*paths: str) -> Observation:
        return Observation(files=tuple(FileEntry(path=path, kind="file") for path in paths))

    cut = listing("a", "d", "d/1", "d/2")
    # A file at the top pushes d/2 out of the listing: it is there all the same.
    pushed = compare(cut, listing("a", "b", "d", "d/1"))
    assert (pushed.files_created, pushed.files_deleted) == (("b",), ())
    # And it comes back into it when there is room.
    back = compare(listing("a", "b", "d", "d/1"), listing("a", "d", "d/1", "d/2"))
    assert (back.files_created, back.files_deleted) == ((), ("b",))
    # A whole listing proves what is not in it.
    assert compare(cut, listing("a", "d", "d/1")).files_deleted == ("d/2",)
    assert compare(listing("a", "d", "d/1"), cut).files_created == ("d/2",)
