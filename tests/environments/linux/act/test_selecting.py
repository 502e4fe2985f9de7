"""Selecting a text where it stands, in editors of three kits and in a document: what is typed then takes its place."""

from __future__ import annotations

from pathlib import Path

import docx
import pytest
from tests.environments.linux.conftest import await_look

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Observation
from support.sampling import sampled

pytestmark = pytest.mark.desktop
LINES = "".join(f"line {number} of the list\n" for number in range(1, 41))


def of(seen: Observation, role: str, text: str) -> list[Control]:
    front = seen.active_window
    return [
        each
        for each in seen.controls
        if front and each.window == front.id and each.role == role and text in (each.value or "")
    ]


@pytest.mark.parametrize("program", sampled(["Mousepad", "FeatherPad", "Text Editor"], 1))
def test_in_an_editor(desktop: LinuxDesktop, workspace: Path, program: str) -> None:
    name = f"{program.lower().replace(' ', '-')}.txt"
    (workspace / name).write_text(LINES)
    desktop.open_application(program, name)
    area = of(await_look(desktop, lambda seen: bool(of(seen, "text area", "line 1 of"))), "text area", "line 1 of")[0]
    assert desktop.select_text(area, "30 of", "text") == "30 of"
    desktop.type_text(None, "30 in")
    assert desktop.select_text(area, "line 12 of the list", "after") == "line 12 of the list"
    desktop.type_text(None, "!")
    assert desktop.select_text(area, "line 20", "line") == "line 20 of the list"
    desktop.press(("delete",))
    # While it redraws, a busy program may tell of no text at all.
    await_look(desktop, lambda seen: bool(of(seen, "text area", "line 1 of")))
    with pytest.raises(ActionError, match="occurs 38 times"):
        desktop.select_text(area, "of the list", "text")
    desktop.press(("ctrl", "s"))
    wanted = LINES.replace("30 of", "30 in").replace("line 12 of the list", "line 12 of the list!")
    wanted = wanted.replace("line 20 of the list\n", "\n")
    await_look(desktop, lambda _: (workspace / name).read_text() == wanted)


@pytest.mark.deep
def test_in_a_document(desktop: LinuxDesktop, workspace: Path) -> None:
    letter = docx.Document()
    for text in ("Dear all,", "we meet on Monday at noon.", "Bye"):
        letter.add_paragraph(text)
    letter.save(str(workspace / "letter.docx"))
    desktop.open_application("LibreOffice Writer", "letter.docx")
    seen = await_look(desktop, lambda seen: bool(of(seen, "paragraph", "Monday")))
    assert desktop.select_text(of(seen, "paragraph", "Monday")[0], "Monday", "text") == "Monday"
    desktop.type_text(None, "Friday")
    await_look(desktop, lambda seen: bool(of(seen, "paragraph", "we meet on Friday at noon.")))
