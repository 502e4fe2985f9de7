"""Which folder can be a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.environments.suitable import measure, refuse_place
from deskcrew.errors import UsageError


@pytest.mark.parametrize(
    "place",
    ["/", "/usr", "/usr/share/doc", "/etc", "/bin", "/proc/self", "/dev", "/var", "/var/log", "/run/user", "/tmp", "/home"],
)
def test_the_system_is_nobodys_workspace(place: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be the workspace") as caught:
        refuse_place(Path(place), tmp_path / "data")
    assert "mkdir -p work" in caught.value.hint


def test_a_home_is_none_but_a_folder_in_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "people" / "ada"
    (home / "papers").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "link").symlink_to(home)
    for place in (home, home.parent, tmp_path, tmp_path / "link", Path("/root"), Path("/home/somebody")):
        with pytest.raises(UsageError, match="home"):
            refuse_place(place, Path("/nowhere"))
    refuse_place(home / "papers", Path("/nowhere"))


def test_what_deskcrew_lives_on_is_none(tmp_path: Path) -> None:
    data, config = tmp_path / "data", tmp_path / "settings" / "deskcrew"
    for place in (tmp_path, data, data / "locks", data / "workspaces", config, config.parent):
        with pytest.raises(UsageError, match="Deskcrew"):
            refuse_place(place, data, (config,))
    for place in (data / "workspaces" / "0101", tmp_path / "work", Path("/var/tmp/work")):
        refuse_place(place, data, (config,))


def test_a_folder_is_measured_as_save_points_see_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "d" / ".git").mkdir(parents=True)
    for name, size in ((".git/pack", 50), ("d/.git/x", 3), ("a", 10), ("large", 101)):
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "link").symlink_to("a")
    found = measure(tmp_path, files=10, size=1000, largest=100)
    assert (found.files, found.bytes, found.too_large) == (2, 13, ("large",))
    assert found.left_out().endswith("cannot bring it back: large.")
    assert measure(tmp_path, files=10, size=1000).left_out() == ""


@pytest.mark.parametrize(("files", "size", "said"), [(4, 1000, "more than 4 files"), (100, 2, r"5 files looked at|3 files")])
def test_too_much_is_refused_with_figures(tmp_path: Path, files: int, size: int, said: str) -> None:
    for number in range(9):
        (tmp_path / str(number)).write_text("x")
    with pytest.raises(UsageError, match=said) as caught:
        measure(tmp_path, files=files, size=size)
    assert "workspace_files" in caught.value.hint


def test_how_far_it_is_is_told_when_it_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(600):
        (tmp_path / str(number)).touch()
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    told: list[str] = []
    measure(tmp_path, files=1000, size=1000, told=told.append)
    assert told == [
        "looking through the workspace: 256 files, 0 MiB",
        "looking through the workspace: 512 files, 0 MiB",
    ]
