"""A file manager made with GTK 2, which does not say of all that shows that it does: open menus and new icons are seen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.environments.linux.conftest import await_look, desktop_in, only

from deskcrew.environments.linux import applications
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation

pytestmark = pytest.mark.desktop


def named(seen: Observation, *roles: str) -> set[str]:
    return {one.name for one in seen.controls if one.role in roles}


def laid_out(seen: Observation) -> list[str]:
    """Names of the icons as they lie beside each other. A new one is put at the end, and into its place a moment later."""
    return [one.name for one in sorted((one for one in seen.controls if one.role == "icon"), key=lambda one: one.box.x)]


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[LinuxDesktop]:
    """A window on a folder with three files and a folder in it."""
    try:
        applications.find("PCManFM", applications.installed())
    except ActionError as error:
        pytest.skip(f"PCManFM is not installed. {error.hint}")
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "old").mkdir()
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        desktop.open_application("PCManFM", ".")
        await_look(desktop, lambda seen: named(seen, "icon") == {"a.txt", "b.txt", "c.txt", "old"})
        yield desktop


def test_an_open_menu_shows_its_own_entries(manager: LinuxDesktop) -> None:
    manager.click(only(manager.observe(), "menu", "File"))
    seen = await_look(manager, lambda seen: "New Tab" in named(seen, "menu item"))
    manager.click(only(seen, "menu", "Create New..."))
    await_look(manager, lambda seen: {"Folder", "Empty File"} <= named(seen, "menu item"))
    manager.press(("escape",))
    manager.press(("escape",))
    await_look(manager, lambda seen: not named(seen, "menu item"))
    manager.click(only(manager.observe(), "menu", "Edit"))
    seen = await_look(manager, lambda seen: "Select All" in named(seen, "menu item"))
    assert "New Tab" not in named(seen, "menu item")
    manager.click(only(seen, "menu item", "Select All"))
    seen = await_look(manager, lambda seen: not named(seen, "menu item"))
    assert all("selected" in one.states for one in seen.controls if one.role == "icon")


def test_a_new_folder(manager: LinuxDesktop, tmp_path: Path) -> None:
    manager.menu(("File", "Create New...", "Folder"))
    await_look(manager, lambda seen: bool(seen.active_window and seen.active_window.dialog))
    manager.type_text(None, "new", clear=True, enter=True)
    await_look(manager, lambda seen: laid_out(seen) == ["new", "old", "a.txt", "b.txt", "c.txt"])
    assert (tmp_path / "new").is_dir()


def test_a_file_moved_into_a_folder_by_keys(manager: LinuxDesktop, tmp_path: Path) -> None:
    # PCManFM learns what is selected up to 0.2 seconds late, and would open the file that is cut.
    manager.click(only(manager.observe(), "icon", "a.txt"))
    manager.press(("ctrl", "x"))
    manager.click(only(manager.observe(), "icon", "old"), double=True)
    await_look(manager, lambda seen: seen.windows[0].title == "old" and not named(seen, "icon"))
    manager.press(("ctrl", "v"))
    await_look(manager, lambda seen: named(seen, "icon") == {"a.txt"})
    manager.press(("alt", "up"))
    await_look(manager, lambda seen: named(seen, "icon") == {"b.txt", "c.txt", "old"})
    assert (tmp_path / "old" / "a.txt").read_text() == "a.txt"


def test_a_file_from_elsewhere_and_one_renamed_from_its_menu(manager: LinuxDesktop, tmp_path: Path) -> None:
    (tmp_path / "z.txt").write_text("z")
    seen = await_look(manager, lambda seen: "z.txt" in named(seen, "icon"))
    manager.click(only(seen, "icon", "b.txt"), button="right")
    seen = await_look(manager, lambda seen: {"Cut", "Rename..."} <= named(seen, "menu item"))
    manager.click(only(seen, "menu item", "Rename..."))
    await_look(manager, lambda seen: bool(seen.active_window and seen.active_window.dialog))
    manager.type_text(None, "renamed.txt", clear=True, enter=True)
    await_look(manager, lambda seen: named(seen, "icon") == {"a.txt", "renamed.txt", "c.txt", "z.txt", "old"})
