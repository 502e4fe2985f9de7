"""What lies at a point, and what of a picture nothing tells of."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from deskcrew.environments import ocr
from deskcrew.environments.describe import describe
from deskcrew.environments.drawn import with_drawn
from deskcrew.environments.pointing import Point, aim, check, controls_at, identity_at, points_of, words_at
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Line, Observation, Screen, Window


def box(x: int, y: int, width: int, height: int) -> Box:
    return Box(x=x, y=y, width=width, height=height)


def control(label: str, place: Box, role: str = "button", **more: Any) -> Control:
    given = {"name": label, "window": 1, "operations": ("click",)} | more
    return Control(label=label, role=role, box=place, **given)


def window(number: int, place: Box, **more: Any) -> Window:
    return Window(id=number, title=f"window {number}", app="app", box=place, **more)


def screen(*controls: Control, windows: tuple[Window, ...] = (), **more: Any) -> Observation:
    shown = windows or (window(1, box(0, 0, 800, 600), active=True),)
    return Observation(screen=Screen(width=800, height=600), windows=shown, controls=controls, **more)


def test_the_innermost_control_is_what_a_point_hits() -> None:
    row, within = control("row", box(10, 10, 300, 40), "list item"), control("bin", box(250, 15, 30, 30))
    seen = screen(row, within, control("page", box(0, 0, 800, 600), "document", operations=("scroll",)))
    assert aim(Point(260, 20), seen).control == within
    assert aim(Point(20, 20), seen).control == row
    assert aim(Point(500, 500), seen).control is None
    assert controls_at(Point(260, 20), seen) == (within, row)


def test_a_control_that_is_out_of_view_is_not_hit() -> None:
    assert aim(Point(20, 20), screen(control("a", box(0, 0, 50, 50), states=("out of view",)))).control is None


def test_of_two_windows_the_upper_one_is_hit() -> None:
    behind = control("behind", box(100, 100, 200, 200))
    seen = screen(behind, windows=(window(2, box(50, 50, 400, 400), active=True), window(1, box(0, 0, 800, 600))))
    found = aim(Point(150, 150), seen)
    assert found.control is None
    assert found.window is not None
    assert found.window.id == 2


def test_an_entry_of_a_menu_that_reaches_over_another_window_is_hit() -> None:
    entry = control("Save", box(100, 500, 200, 30), "menu item")
    over = (window(1, box(50, 50, 400, 400), active=True), window(2, box(0, 450, 800, 150)))
    found = aim(Point(150, 510), screen(entry, windows=over))
    assert found.control == entry
    assert found.window is not None
    assert found.window.id == 1


@pytest.mark.parametrize("point", [(800, 10), (10, 600), (-1, 5)])
def test_outside_of_the_screen_nothing_is_hit(point: tuple[int, int]) -> None:
    with pytest.raises(ActionError, match="800 x 600 pixels"):
        aim(Point(*point), screen())


def test_what_has_come_to_lie_at_a_point_is_noticed() -> None:
    was = aim(Point(120, 120), screen(control("Play", box(100, 100, 100, 50))))
    check(was, screen(control("Play", box(90, 100, 100, 50))))
    for now in (screen(control("Play", box(100, 100, 100, 50), name="Pay")), screen()):
        with pytest.raises(ActionError, match="there is now"):
            check(was, now)


def test_words_belong_to_a_point_that_is_on_them_or_close_by() -> None:
    lines = (Line(text="Send", box=box(200, 200, 60, 20), read=True), Line(text="Far away", box=box(600, 500, 80, 20)))
    seen = screen(lines=lines)
    assert words_at(Point(210, 205), seen) == ("Send",)
    assert words_at(Point(120, 240), seen) == ("Send",), "a painted button is larger than its words"
    assert words_at(Point(400, 400), seen) == ()


def test_a_painted_place_is_known_by_its_words() -> None:
    canvas = control("7", box(100, 100, 300, 300), "canvas", name="")
    seen = screen(canvas, lines=(Line(text="Buy now", box=box(200, 200, 80, 20), read=True),))
    known = identity_at(aim(Point(210, 210), seen), seen)
    assert (known.role, known.name, known.window) == ("canvas", "Buy now", "window 1")


def test_points_are_parameters_of_actions_on_points_alone() -> None:
    assert points_of("drag_point", {"x": 1, "y": 2, "to_x": 3, "to_y": 4}) == (Point(1, 2), Point(3, 4))
    assert points_of("click_point", {"x": "1", "y": 2}) == ()
    assert points_of("click_input", {"x": 1, "y": 2}) == ()


def pictured(seen: Observation, *dark: Box, words: Mapping[tuple[int, int], str] | None = None) -> Observation:
    """The observation with a picture in which something is painted in these places, and ``words`` are written at theirs."""
    picture = Image.new("RGB", (800, 600), "white")
    draw = ImageDraw.Draw(picture)
    for place in dark:
        for x in range(place.x, place.x + place.width, 8):
            draw.line((x, place.y, x, place.y + place.height), fill="black")
    for at, text in (words or {}).items():
        draw.text(at, text, fill="black", font=ImageFont.load_default(size=36))
    target = io.BytesIO()
    picture.save(target, "PNG")
    return seen.model_copy(update={"screenshot": target.getvalue()})


PANE = box(200, 200, 400, 300)
TOLD = control("1", box(10, 10, 80, 30), name="Open")


def test_what_is_painted_and_not_told_is_found() -> None:
    found = with_drawn(pictured(screen(TOLD), PANE), read=False).drawn
    assert found is not None
    assert found.intersection(PANE) == PANE
    assert found.width < 470
    assert found.height < 370


def test_what_controls_and_texts_tell_of_is_not_painted() -> None:
    text = control("2", PANE, "text area", value="all that is there", operations=("type",))
    assert with_drawn(pictured(screen(TOLD, text), PANE), read=False).drawn is None
    seen = screen(TOLD, places=(("a long text", PANE),))
    assert with_drawn(pictured(seen, PANE), read=False).drawn is None


def test_an_ornament_and_an_empty_window_with_a_button_are_not_painted() -> None:
    assert with_drawn(pictured(screen(TOLD), box(400, 300, 60, 60)), read=False).drawn is None
    assert with_drawn(pictured(screen(TOLD)), read=False).drawn is None


def test_a_canvas_is_painted_whatever_is_on_it() -> None:
    canvas = control("3", PANE, "canvas", name="")
    assert with_drawn(pictured(screen(TOLD, canvas)), read=False).drawn == PANE


def test_a_window_of_which_nothing_is_told_is_painted() -> None:
    assert with_drawn(pictured(screen()), read=False).drawn == box(0, 0, 800, 600)


def test_texts_that_are_told_keep_their_places_for_who_points() -> None:
    seen = with_drawn(pictured(screen(TOLD, places=(("Buy now", box(300, 50, 90, 20)),))), read=True)
    assert [(line.text, line.read) for line in seen.lines] == [("Buy now", False)]
    assert Observation.model_validate_json(seen.model_dump_json()).lines == seen.lines


@pytest.mark.skipif(not ocr.available(), reason="the extra ocr is not installed")
def test_what_is_written_in_a_painted_part_is_read_though_a_named_page_holds_it() -> None:
    page = control("page", box(0, 0, 800, 600), "document", name="Board", operations=("scroll",))
    canvas = control("3", PANE, "canvas", name="")
    told = control("4", box(320, 430, 200, 60), name="Total 99")
    seen = pictured(screen(TOLD, page, canvas, told), words={(230, 230): "Locker 58", (330, 440): "Total 99"})
    assert [line.text for line in with_drawn(seen, read=True).lines if line.read] == ["Locker 58"]


def test_what_is_painted_is_told_with_the_points_to_click() -> None:
    lines = (Line(text='Roll "dice"', box=box(300, 300, 100, 20), read=True), Line(text="told", box=box(0, 0, 9, 9)))
    told = describe(screen(TOLD, drawn=PANE, lines=lines), tokens=500)
    assert 'Painted, and reported by no control: 200, 200 to 599, 499. Read there: "Roll \\"dice\\"" at 350, 310' in told
    assert '"told" at' not in told
