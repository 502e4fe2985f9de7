"""Pictures told in words: what they consist of, and what differs."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from deskcrew.evidence.changes import changes_told
from deskcrew.evidence.drawings import difference, form
from deskcrew.evidence.states import States
from evidence.test_states import saved


def png(*boxes: tuple[tuple[int, int, int, int], str], size: tuple[int, int] = (40, 30), mode: str = "RGB") -> bytes:
    picture = Image.new(mode, size, "white")
    for box, colour in boxes:
        picture.paste(colour, box)
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def test_a_picture_is_told_by_its_colours_and_their_places() -> None:
    assert form(png(((5, 6, 10, 9), "#0000ff"))) == (
        "PNG, 40 x 30 pixels, mode RGB; pixels of each colour: #ffffff 1185 within (0, 0, 40, 30), "
        "#0000ff 15 within (5, 6, 10, 9)"
    )
    assert "#fffffe 1 within (3, 4, 4, 5)" in form(png(((3, 4, 4, 5), "#fffffe"))), "however little it differs"
    assert "#ff000080 4" in form(png(((0, 0, 2, 2), "#ff000080"), mode="RGBA"))
    many = png(*(((at, 0, at + 1, 1), f"#0000{at:02x}") for at in range(40)))
    assert form(many).endswith(", 33 more colours")


def test_of_a_photograph_no_colours_are_told() -> None:
    photograph = io.BytesIO()
    bands = (Image.radial_gradient("L"), Image.linear_gradient("L"), Image.linear_gradient("L").rotate(90))
    Image.merge("RGB", bands).resize((300, 300)).save(photograph, "JPEG")
    assert form(photograph.getvalue()) == "JPEG, 300 x 300 pixels, mode RGB"
    assert form(b"no picture") == ""


def test_what_differs_is_counted_and_placed() -> None:
    assert difference(png(), png(((5, 6, 10, 9), "#fffffe"))) == "15 pixels differ from the start, all within (5, 6, 10, 9)"
    assert difference(png(), png()) == "all pixels are as at the start"
    assert difference(png(), png(size=(9, 9))) == ""
    assert difference(b"no picture", png()) == ""


def test_a_verifier_is_told_it(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    (tmp_path / "badge.png").write_bytes(png())
    start = saved(tmp_path, blobs)
    (tmp_path / "badge.png").write_bytes(png(((5, 6, 10, 9), "#0000ff")))
    (tmp_path / "new.png").write_bytes(png())
    told = changes_told(States(start, saved(tmp_path, blobs), blobs.__getitem__))
    assert "badge.png (as a picture): PNG, 40 x 30 pixels" in told
    assert "15 pixels differ from the start, all within (5, 6, 10, 9)" in told
    assert "new.png (as a picture): PNG, 40 x 30 pixels, mode RGB; pixels of each colour: #ffffff 1200" in told
