"""Where a value stands in a picture it is black, and nothing else is."""

from __future__ import annotations

import io

from PIL import Image

from deskcrew.environments.marks import marks
from deskcrew.environments.redacted import Veil
from deskcrew.facts.observation import Box, Control, FileEntry, Observation, Screen, Window
from deskcrew.secrets.vault import Vault
from support.canary import CANARY, VALUE, told_in

FIELD = Box(x=20, y=80, width=60, height=12)
PASSWORD = Box(x=20, y=100, width=60, height=12)
OTHER = Box(x=20, y=120, width=60, height=12)
WINDOW = Box(x=10, y=60, width=200, height=100)


def picture() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (300, 200), (255, 255, 255)).save(target, "PNG")
    return target.getvalue()


def look(value: str = "", *, title: str = "Log in", **more: object) -> Observation:
    def control(label: str, role: str, value: str | None, box: Box) -> Control:
        return Control(label=label, role=role, name=label, value=value, box=box, window=1, operations=("type",))

    return Observation(
        screen=Screen(width=300, height=200),
        windows=(Window(id=1, title=title, app="canary-mail", box=WINDOW, active=True),),
        controls=(
            control("1", "text field", value, FIELD),
            control("2", "password field", None, PASSWORD),
            control("3", "text field", "plain", OTHER),
        ),
        screenshot=picture(),
    ).model_copy(update=more)


def colours(observation: Observation, box: Box) -> set[object]:
    assert observation.screenshot is not None
    with Image.open(io.BytesIO(observation.screenshot)) as image:
        inside = image.convert("RGB").crop((box.x, box.y, box.x + box.width, box.y + box.height))
    return {colour for _, colour in inside.getcolors(1 << 16) or ()}


BLACK, WHITE = {(0, 0, 0)}, {(255, 255, 255)}


def test_without_secrets_it_is_the_same_object() -> None:
    seen = look(VALUE)
    assert Veil(Vault()).over(seen) is seen


def test_a_value_in_a_control_is_black_and_named() -> None:
    clean = Veil(Vault([CANARY])).over(look(f"it is {VALUE}"))
    assert colours(clean, FIELD) == BLACK
    assert colours(clean, OTHER) == WHITE
    assert clean.controls[0].value == "it is [secret mail]"
    assert told_in(clean.model_dump_json().encode()) == []


def test_in_marks_it_is_black_too() -> None:
    clean = Veil(Vault([CANARY])).over(look(VALUE))
    drawn = clean.model_copy(update={"screenshot": marks(clean)})
    inner = Box(x=FIELD.x + 30, y=FIELD.y + 3, width=20, height=6)
    assert colours(drawn, inner) == BLACK


def test_title_text_clipboard_and_file_names() -> None:
    label = Box(x=120, y=80, width=40, height=10)
    entry = FileEntry(path=f"notes/{VALUE[:3]}{VALUE}", kind="file")
    seen = look(title=f"{VALUE} - Mail", text=VALUE, clipboard=VALUE, files=(entry,), places=((VALUE, label),))
    clean = Veil(Vault([CANARY])).over(seen)
    assert told_in(clean.model_dump_json().encode()) == []
    assert colours(clean, label) == BLACK
    assert colours(clean, Box(x=10, y=20, width=200, height=39)) == BLACK
    assert colours(clean, FIELD) == WHITE


def test_a_filled_field_stays_black_until_it_reads_something_else() -> None:
    vault = Vault([CANARY])
    veil = Veil(vault)
    seen = look("*******")
    vault.note(seen.controls[0])
    for value, covered in (("", True), ("*******", True), ("*******", True), ("cleared", False), ("*******", False)):
        assert colours(veil.over(look(value)), FIELD) == (BLACK if covered else WHITE), value


def test_a_password_field_that_was_filled_stays_black() -> None:
    vault = Vault([CANARY])
    assert colours(Veil(vault).over(look()), PASSWORD) == WHITE
    vault.note(look().controls[1])
    assert colours(Veil(vault).over(look()), PASSWORD) == BLACK


def test_what_was_not_all_read_is_black() -> None:
    assert colours(Veil(Vault([CANARY])).over(look("a long text… (4000 characters)")), FIELD) == BLACK
    silent = look().model_copy(update={"controls": ()})
    assert colours(Veil(Vault([CANARY])).over(silent), WINDOW) == BLACK


def test_a_value_that_came_while_the_picture_was_taken() -> None:
    clean = Veil(Vault([CANARY])).over(look(""), look(VALUE))
    assert colours(clean, FIELD) == BLACK


def test_what_a_dialog_covers_in_part_stays_black_and_the_dialog_can_be_seen() -> None:
    veil = Veil(Vault([CANARY]))
    veil.over(look(VALUE))
    dialog = Box(x=50, y=70, width=100, height=40)
    above = Window(id=2, title="Wrong", app="canary-mail", box=dialog, active=True, dialog=True)
    button = Control(label="9", role="button", name="OK", box=Box(x=60, y=75, width=20, height=8), window=2)
    seen = look()
    for left in (seen.controls[1:], ()):  # the field is not reachable; behind a modal dialog nothing is
        clean = veil.over(seen.model_copy(update={"windows": (above, *seen.windows), "controls": (button, *left)}))
        assert colours(clean, Box(x=20, y=80, width=30, height=12)) == BLACK
        assert colours(clean, dialog) == WHITE
    moved = seen.windows[0].model_copy(update={"box": WINDOW.model_copy(update={"x": 90})})
    clean = veil.over(seen.model_copy(update={"windows": (moved,), "controls": seen.controls[1:]}))
    assert colours(clean, Box(x=20, y=80, width=30, height=12)) == WHITE


def test_a_box_over_the_edge_of_the_screen() -> None:
    seen = look()
    outside = seen.windows[0].model_copy(update={"box": Box(x=-50, y=-20, width=600, height=400)})
    field = seen.controls[0].model_copy(update={"value": VALUE, "box": Box(x=-10, y=-5, width=40, height=20)})
    clean = Veil(Vault([CANARY])).over(seen.model_copy(update={"windows": (outside,), "controls": (field,)}))
    assert colours(clean, Box(x=0, y=0, width=30, height=15)) == BLACK
    assert colours(clean, OTHER) == WHITE
