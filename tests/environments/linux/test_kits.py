"""Programs of other toolkits on a virtual desktop: what can be used is seen where it is, and does what it should."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.environments.linux.conftest import await_look, desktop_in, only

from deskcrew.environments.describe import describe
from deskcrew.environments.linux import applications
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Observation

pytestmark = pytest.mark.desktop

Start = Callable[[str, str | None], LinuxDesktop]
PAGE = """<!doctype html><title>Order</title><meta charset=utf-8><p>See <a href="#terms">the terms</a>.
<form onsubmit="out.textContent = new URLSearchParams(new FormData(this)); return false">
<label>Name <input name=who></label> <label>Notes <textarea name=notes></textarea></label>
<label><input type=checkbox name=gift> Gift</label>
<label><input type=radio name=size value=S> Small</label> <label><input type=radio name=size value=L> Large</label>
<label>Colour <select name=colour><option>red<option>green<option>blue</select></label>
<label>Amount <input type=number name=n value=1></label>
<label>Volume <input type=range name=vol value=30></label> <button>Send</button></form><p id=out>nothing yet</p>
<div role=tablist><button role=tab aria-selected=true>One</button><button role=tab aria-selected=false
 onclick="this.setAttribute('aria-selected', true)">Two</button></div>
<table><tr><th>Item<th>Price<th>Order
<tr><td>Apple<td>12<td><button>Buy</button>
<tr><td>Pear<td>7<td><button onclick="alert('bought')">Buy</button>
</table><div style="height: 2000px"></div><h2 id=terms>Terms</h2>"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program with a file on a desktop over ``tmp_path``; skips the test where the program isn't installed."""
    with contextlib.ExitStack() as stack:

        def started(program: str, file: str | None) -> LinuxDesktop:
            try:
                applications.find(program, applications.installed())
            except ActionError as error:
                pytest.skip(f"{program} is not installed. {error.hint}")
            desktop = stack.enter_context(contextlib.closing(desktop_in(tmp_path)))
            desktop.open_application(program, file)
            return desktop

        yield started


def named(observation: Observation, role: str) -> list[str]:
    return [one.name for one in observation.controls if one.role == role]


def point(desktop: LinuxDesktop, control: Control) -> None:
    """Click where the control is said to be, whatever its program offers; and wait until that has been taken in."""
    desktop.input.click(*control.box.centre)
    desktop.acted()
    desktop.observe()


@pytest.mark.deep
def test_a_gtk4_editor_is_read_typed_into_and_saves(start: Start, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    desktop = start("gnome-text-editor", "a.txt")
    look = await_look(desktop, lambda seen: any(one.value == "hello" for one in seen.controls))
    area = only(look, "text area")
    assert look.focus == area.label
    assert {"Open", "Menu"} <= {*named(look, "menu button")}
    assert desktop.type_text(area, "first ü", clear=True) == "first ü"
    assert desktop.type_text(None, " second", enter=True) == "first ü second\n"
    with pytest.raises(ActionError, match=r"no menu button 'File'. Menu buttons: Open, View, Menu"):
        desktop.menu(("File", "Save"))
    with pytest.raises(ActionError, match=r"no 'Explode' in the menu Menu. Entries: New Window, Save, Save As"):
        desktop.menu(("Menu", "Explode"))
    desktop.menu(("Menu", "Save As"))
    dialog = await_look(desktop, lambda seen: "Name:" in named(seen, "text field"))
    desktop.type_text(only(dialog, "text field", "Name:"), "other name.txt", clear=True)
    dialog = await_look(desktop, lambda seen: "Line Ending:" in named(seen, "combo box"))
    desktop.select(only(dialog, "combo box", "Line Ending:"), "Windows (CR+LF)")
    assert only(desktop.observe(), "combo box", "Line Ending:").value == "Windows (CR+LF)"
    desktop.click(only(desktop.observe(), "button", "Save"))
    await_look(desktop, lambda seen: len(seen.windows) == 1)
    assert (tmp_path / "other name.txt").read_bytes() == "first ü second\r\n\r\n".encode()


@pytest.mark.deep
def test_without_a_file_or_with_an_empty_name_a_gtk4_editor_is_empty(start: Start, tmp_path: Path) -> None:
    desktop = start("gnome-text-editor", "")
    desktop.type_text(only(await_look(desktop, lambda seen: bool(seen.controls)), "text area"), "typed")
    desktop.press(("ctrl", "s"))
    dialog = await_look(desktop, lambda seen: "Name:" in named(seen, "text field"))
    desktop.type_text(only(dialog, "text field", "Name:"), "new.txt", clear=True, enter=True)
    await_look(desktop, lambda seen: len(seen.windows) == 1)
    assert (tmp_path / "new.txt").read_text() == "typed\n"


@pytest.mark.deep
def test_what_a_gtk4_calculator_says_is_where_it_says(start: Start) -> None:
    desktop = start("gnome-calculator", None)
    look = await_look(desktop, lambda seen: "=" in named(seen, "button"))
    for key in ("7", "×", "8", "="):
        point(desktop, only(look, "button", key))
    look = await_look(desktop, lambda seen: "56" in [one.value for one in seen.controls])
    desktop.activate_window(look.windows[0].id)
    point(desktop, only(look, "menu button", "Basic"))
    opened = await_look(desktop, lambda seen: "Advanced" in named(seen, "radio menu item"))
    assert "checked" in only(opened, "radio menu item", "Basic").states
    point(desktop, only(opened, "radio menu item", "Advanced"))
    look = await_look(desktop, lambda seen: "sinh" in named(seen, "button"))
    assert len(named(look, "button")) == len({*named(look, "button")}), "the keys of the mode that is left are gone"
    assert not named(look, "radio menu item")


def test_a_qt_editor_is_read_typed_into_and_saves(start: Start, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    desktop = start("featherpad", "a.txt")
    look = await_look(desktop, lambda seen: any(one.value == "hello\n" for one in seen.controls))
    assert named(look, "menu") == ["File", "Edit", "Options", "Search", "Help"]
    assert desktop.type_text(only(look, "text area"), "Qt ü", clear=True) == "Qt ü"
    desktop.menu(("File", "Save"))
    await_look(desktop, lambda seen: "*" not in seen.windows[0].title)
    assert (tmp_path / "a.txt").read_text() == "Qt ü\n"
    desktop.click(only(desktop.observe(), "menu", "File"))
    desktop.click(only(desktop.observe(), "menu item", "Save As"))
    dialog = await_look(desktop, lambda seen: seen.windows[0].dialog)
    assert not named(dialog, "menu"), "the window behind the dialog cannot be used"
    desktop.type_text(only(dialog, "text field", "File name:"), "b.txt", clear=True)
    point(desktop, only(desktop.observe(), "button", "Save"))
    await_look(desktop, lambda seen: len(seen.windows) == 1)
    assert (tmp_path / "b.txt").read_text() == "Qt ü\n"


def test_what_is_scrolled_out_of_a_qt_dialog_is_not_told(start: Start, tmp_path: Path) -> None:
    desktop = start("featherpad", None)
    desktop.menu(("Options", "Preferences"))
    look = await_look(desktop, lambda seen: seen.windows[0].title == "Preferences" and bool(named(seen, "tab")))
    below = only(look, "button", "Close").box
    checked = [one for one in look.controls if one.role == "check box"]
    assert len(checked) > 3
    assert all(not one.box.intersection(below) and one.box.y < below.y for one in checked)


@pytest.mark.deep
def test_a_second_page_opens_in_a_tab_of_the_window_that_is_there(start: Start, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.html").write_text(f"<title>The {name}</title><button>{name}</button>")
    desktop = start("chromium", "first.html")
    await_look(desktop, lambda seen: "first" in named(seen, "button"))
    desktop.open_application("chromium", "second.html")
    look = await_look(desktop, lambda seen: "second" in named(seen, "button"))
    assert len(look.windows) == 1
    assert "The second" in look.windows[0].title


@pytest.mark.deep
def test_a_page_in_chromium_is_filled_in(start: Start, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    desktop = start("chromium", "page.html")
    look = await_look(desktop, lambda seen: "Send" in named(seen, "button"))
    desktop.type_text(only(look, "text field", "Name"), "Ada", clear=True)
    desktop.type_text(only(look, "text area", "Notes"), "two words", clear=True)
    for role, name in (("check box", "Gift"), ("radio button", "Large")):
        point(desktop, only(look, role, name))
    colour = only(desktop.observe(), "combo box", "Colour")
    assert (colour.value, colour.options) == ("red", ("red", "green", "blue"))
    desktop.select(colour, "blue")
    desktop.set_value(only(look, "slider", "Volume"), 60)
    desktop.type_text(only(look, "number field", "Amount"), "7", clear=True)
    assert only(desktop.observe(), "combo box", "Colour").value == "blue"
    assert "expanded" not in only(desktop.observe(), "combo box", "Colour").states
    point(desktop, only(look, "button", "Send"))
    await_look(desktop, lambda seen: "who=Ada&notes=two+words&gift=on&size=L&colour=blue&n=7&vol=60" in seen.text)


@pytest.mark.deep
def test_tabs_tables_dialogs_and_links_of_a_page(start: Start, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    desktop = start("chromium", "page.html")
    look = await_look(desktop, lambda seen: "Send" in named(seen, "button"))
    assert sorted(one.owner for one in look.controls if one.name == "Buy") == ["Apple 12", "Pear 7"]
    assert {"Apple", "12", "Pear", "7"} == {*named(look, "cell")}
    desktop.click(only(look, "tab", "Two"))
    look = await_look(desktop, lambda seen: "selected" in only(seen, "tab", "Two").states)
    desktop.click(next(one for one in look.controls if (one.name, one.owner) == ("Buy", "Pear 7")))
    look = await_look(desktop, lambda seen: "bought" in seen.text)
    assert named(look, "button") == ["OK"]
    desktop.press(("enter",))
    look = await_look(desktop, lambda seen: "the terms" in named(seen, "link"))
    desktop.click(only(look, "link", "the terms"))
    await_look(desktop, lambda seen: "Terms" in seen.text and not named(seen, "link"))


@pytest.mark.deep
def test_a_page_is_saved_in_the_workspace_through_a_dialog_that_cannot_be_read(start: Start, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    desktop = start("chromium", "page.html")
    await_look(desktop, lambda seen: "Send" in named(seen, "button"))
    desktop.press(("ctrl", "s"))
    await_look(desktop, lambda seen: seen.windows[0].title == "Save File" and seen.windows[0].active)
    desktop.type_text(None, "saved.html", clear=True)
    desktop.press(("alt", "s"))
    await_look(desktop, lambda _: (tmp_path / "saved.html").exists())


def test_files_in_a_folder_of_a_gtk2_file_manager_are_named(start: Start, tmp_path: Path) -> None:
    if not list(Path("/usr/lib").glob("*/gtk-2.0/modules/libatk-bridge.so")):
        pytest.skip("Programs made with GTK 2 cannot be read without it: sudo apt install libatk-adaptor")
    (tmp_path / "a.txt").write_text("hello\n")
    (tmp_path / "inner").mkdir()
    desktop = start("pcmanfm", None)
    look = await_look(desktop, lambda seen: sorted(named(seen, "icon")) == ["a.txt", "inner"])
    icon = only(look, "icon", "inner")
    assert icon.value is None
    desktop.click(icon, double=True)
    await_look(desktop, lambda seen: seen.windows[0].title == "inner" and not named(seen, "icon"))


def test_a_terminal_is_typed_into_and_tells_all_that_it_shows(start: Start) -> None:
    desktop = start("lxterminal", None)
    terminal = only(await_look(desktop, lambda seen: bool(named(seen, "terminal"))), "terminal")
    desktop.type_text(terminal, "no such thing")
    desktop.type_text(terminal, "seq -f %020g 100; echo done $((6 * 7))", clear=True, enter=True)
    look = await_look(desktop, lambda seen: "done 42" in (only(seen, "terminal").value or ""))
    said = (only(look, "terminal").value or "").splitlines()
    assert said[-3:] == ["0" * 17 + "100", "done 42", "$ "]
    assert [f"{number:020}" for number in range(85, 101)] == said[-18:-2]
    prompt = describe(look, tokens=4000)
    assert "0100⏎done 42⏎$" in prompt
    assert "085⏎" not in prompt


def test_a_pdf_is_read_page_by_page(start: Start, tmp_path: Path) -> None:
    (tmp_path / "doc.pdf").write_bytes(pdf("Invoice total 42", "Second page"))
    desktop = start("evince", "doc.pdf")
    look = await_look(desktop, lambda seen: "Invoice total 42" in seen.text)
    assert "Second page" not in look.text
    assert {"Find", "File options"} <= {*named(look, "toggle button")}
    desktop.press(("n",))
    look = await_look(desktop, lambda seen: "Second page" in seen.text)
    assert "Invoice" not in look.text
    desktop.click(only(look, "toggle button", "File options"))
    await_look(desktop, lambda seen: "Properties" in named(seen, "button"))


@pytest.mark.deep
def test_paragraphs_of_writer_are_typed_into_and_saved_in_the_workspace(start: Start, tmp_path: Path) -> None:
    desktop = start("libreoffice-writer", None)
    look = await_look(desktop, lambda seen: bool(named(seen, "paragraph")))
    paragraph = only(look, "paragraph")
    assert {"click", "type"} <= {*paragraph.operations}
    assert desktop.type_text(paragraph, "Hello Writer", enter=True) == "Hello Writer"
    assert desktop.type_text(None, "second") == "second"
    assert [one.value for one in desktop.observe().controls if one.role == "paragraph"] == ["Hello Writer", "second"]
    desktop.press(("ctrl", "s"))
    dialog = await_look(desktop, lambda seen: seen.windows[0].dialog and "Name:" in named(seen, "text field"))
    desktop.type_text(only(dialog, "text field", "Name:"), "letter.odt", clear=True, enter=True)
    await_look(desktop, lambda _: (tmp_path / "letter.odt").exists())


def pdf(*texts: str) -> bytes:
    """A PDF with a page for each text."""
    pages = [2 * number + 4 for number in range(len(texts))]
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects = {
        1: "<</Type/Catalog/Pages 2 0 R>>",
        2: f"<</Type/Pages/Kids[{kids}]/Count {len(texts)}>>",
        3: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    }
    for page, text in zip(pages, texts, strict=True):
        content = f"BT /F 24 Tf 50 200 Td ({text}) Tj ET"
        resources = "/Resources<</Font<</F 3 0 R>>>>"
        objects[page] = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents {page + 1} 0 R{resources}>>"
        objects[page + 1] = f"<</Length {len(content)}>>stream\n{content}\nendstream"
    written = "%PDF-1.4\n"
    places: list[int] = []
    for number, content in sorted(objects.items()):
        places.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    written += f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer<</Size {count}/Root 1 0 R>>\n"
    return f"{written}startxref\n{len(written) - len(table) - 100}\n%%EOF".encode()
