"""Chores in games and drawing programs: each is whole, its check tells right from wrong, and its author's way passes."""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from cli.conftest import Cli
from deskcrew.errors import UsageError
from deskcrew.models.client import Call
from deskcrew.settings import Limits
from deskcrew_bench.desk import suite
from deskcrew_bench.desk.task import Task, tasks_of
from deskcrew_bench.lies.believer import aimed
from deskcrew_bench.suites.controls import IDLE
from support.crew import settings_in

SUITE = Path(__file__).parents[2] / "bench/vib"
TASKS = {task.name: task for task in tasks_of(SUITE)}
Values = dict[str, Any]


def changed(values: Values, name: str, change: Callable[[str], str]) -> None:
    file = Path(name)
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def settings(**held: object) -> Callable[[Values], None]:
    """The game's settings with these values in them; of a text that names a value, that value."""

    def leave(values: Values) -> None:
        lines = [f"{name} {values.get(str(value), value)}" for name, value in held.items()]
        Path(".neverball/neverballrc").write_text("\n".join(lines), encoding="utf-8")

    return leave


def replay(hundredths: int) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        texts = (values["player"], "2026-11-26T12:00:00", "shot.jpg", values["map"], "")
        head = struct.pack("<4s5i", b"\xafNBR", 9, hundredths, 0, 2, 0)
        file = Path(".neverball/Replays/Last.nbr")
        file.parent.mkdir()
        file.write_bytes(head + b"\0".join(text.encode() for text in texts))

    return leave


def options(autosave: str = "") -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        text = f"[gui]\nautosave = {autosave or values['autosave']}\n[locale]\ncurrency = {values['currency']}\n"
        Path("openttd.cfg").write_text(text, encoding="utf-8")

    return leave


def saved(climate: int | None = None) -> Callable[[Values], None]:
    """A saved game, packed as the game does, with a table of two settings."""

    def leave(values: Values) -> None:
        fields = b"\x02\x04name\x02\x17game_creation.landscape\x00"
        row = bytes((7, values["climate"] if climate is None else climate))
        table = b"PATS\x03" + bytes((len(fields) + 1,)) + fields + bytes((len(row) + 1,)) + row + b"\0"
        Path("save").mkdir()
        Path("save", f"{values['name']}.sav").write_bytes(b"OTTX\x01\x2e\0\0" + lzma.compress(table))

    return leave


def playlist(*names: str) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        lines = [f"file:///workspace/{values[name]}" for name in names]
        Path(values["list"]).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return leave


def equalizer(more: float = 0) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        bands = ",".join(str(values["value"] if at == values["at"] else more) for at in range(10))
        file = Path(".config/audacious/config")
        file.parent.mkdir(parents=True)
        file.write_text(f"\n[audacious]\nequalizer_active=TRUE\nequalizer_bands={bands}\n", encoding="utf-8")

    return leave


def kept(title: str = "") -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        file = Path(".config/audacious/playlists/1000.audpl")
        file.parent.mkdir(parents=True)
        name = (title or values["title"]).replace(" ", "%20")
        file.write_text(f"title={name}\nuri=file:///workspace/{values['song']}\ntitle={values['song']}\n", encoding="utf-8")

    return leave


def filled(inset: int = 1) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        left, top, right, bottom = values["box"]
        with Image.open(values["file"]) as image:
            colour = ("black", "white", "red", "green", "blue").index(values["colour"])
            ImageDraw.Draw(image).rectangle((left + inset, top + inset, right - inset, bottom - inset), fill=colour)
            image.save(values["file"])

    return leave


def line(share: float = 1) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        (x0, y0), (x1, y1) = values["ends"]
        with Image.open(values["file"]) as image:
            ImageDraw.Draw(image).line((x0, y0, x0 + share * (x1 - x0), y0 + share * (y1 - y0)), fill=1)
            image.save(values["file"])

    return leave


def boxed(aside: int = 0) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        left, top, right, bottom = (
            15 * (each - origin + aside) for each, origin in zip(values["corners"], (113, 96) * 2, strict=True)
        )
        points = f"{left} {top} {right} {top} {right} {bottom} {left} {bottom} {left} {top}"
        changed(values, values["file"], lambda text: f"{text}2 2 0 1 0 7 50 -1 -1 0.000 0 0 -1 0 0 5\n\t {points}\n")

    return leave


def labelled(down: int = 0) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        x, y = 15 * (values["at"][0] - 113), 15 * (values["at"][1] - 96 + down)
        words = f"4 0 0 50 -1 0 12 0.0000 4 135 570 {x} {y} {values['label']}\\001\n"
        changed(values, values["file"], lambda text: text + words)

    return leave


def renamed(name: str = "") -> Callable[[Values], None]:
    return lambda values: changed(
        values, values["file"], lambda text: text.replace(f">{values['room']}<", f">{name or values['name']}<")
    )


def removed(every: bool = False) -> Callable[[Values], None]:
    def leave(values: Values) -> None:
        def without(text: str) -> str:
            head, *shapes = text.split("<draw:rect")
            last = shapes[-1].partition("</draw:rect>")[2]
            left = [] if every else [shape for shape in shapes if f">{values['room']}<" not in shape]
            return (
                head + "".join("<draw:rect" + shape.partition("</draw:rect>")[0] + "</draw:rect>" for shape in left) + last
            )

        changed(values, values["file"], without)

    return leave


ENDS: dict[str, tuple[Callable[[Values], None], Callable[[Values], None]]] = {
    "ball-volume": (
        settings(sound_volume="sound", music_volume="music"),
        settings(sound_volume="music", music_volume="sound"),
    ),
    "ball-player": (settings(player="player"), settings(player="before")),
    "ball-level": (replay(620), replay(120)),
    "ttd-options": (options(), options("monthly")),
    "ttd-climate": (saved(), saved(0)),
    "audacious-playlist": (playlist("first", "second"), playlist("second", "first")),
    "audacious-equalizer": (equalizer(), equalizer(2)),
    "audacious-rename": (kept(), kept("New Playlist")),
    "grafx2-fill": (filled(), filled(2)),
    "grafx2-line": (line(), line(0.9)),
    "xfig-box": (boxed(), boxed(160)),
    "xfig-label": (labelled(), labelled(90)),
    "draw-label": (renamed(), renamed("Attic")),
    "draw-delete": (removed(), removed(every=True)),
}
"""Of each task what its program leaves behind when it was done rightly, and when it was done nearly so."""


def checked(task: Task, folder: Path) -> tuple[bool, str]:
    return task.check(1, folder, answer="", outcome="unverified", reason="", expected="")


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_whole_and_its_check_tells_right_from_wrong(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, (rightly, nearly) = TASKS[name], ENDS[name]
    for folder in ("right", "near", "other"):
        (tmp_path / folder).mkdir()
    made = task.make(1, tmp_path / "right")
    assert made == task.make(1, tmp_path / "near")
    assert any({**task.make(seed, tmp_path / "other").values, "seed": 1} != made.values for seed in range(2, 6))
    assert 0 < max(len(reply) for reply in task.oracle(made)["steps"]) <= 6, "a reply may hold so many operations"
    assert task.document.packages
    assert made.apps
    assert made.screen == (1024, 768)
    assert not checked(task, tmp_path / "right")[0], "nothing was done yet"
    for folder, leave, right in (("right", rightly, True), ("near", nearly, False)):
        monkeypatch.chdir(tmp_path / folder)
        leave(dict(made.values))
        assert checked(task, tmp_path / folder) == (right, "") if right else not checked(task, tmp_path / folder)[0], folder


def test_points_of_a_script_may_be_computed() -> None:
    made = aimed({"function": "click_point", "x": "12", "y": 7, "button": "left"}, Call("Worker", (), max_tokens=9))
    assert made == {"function": "click_point", "x": 12, "y": 7, "button": "left"}


def test_missing_programs_are_named_with_what_installs_them(tmp_path: Path, cli: Cli) -> None:
    """Nothing begins, so nothing is counted; what is there can be run by itself."""
    for name, packages in {"there": "coreutils", "lacking": "no-such-package-here"}.items():
        (tmp_path / name).mkdir()
        text = f'instruction = "Play."\npackages = ["dpkg", "{packages}"]\n'
        (tmp_path / name / "task.toml").write_text(text, encoding="utf-8")
    tasks = tasks_of(tmp_path)
    assert suite.missing_packages(["dpkg", "no-such-package-here"]) == {"no-such-package-here"}
    suite.check_programs([task for task in tasks if task.name == "there"])
    with pytest.raises(UsageError, match="not installed: lacking") as refused:
        suite.check_programs(tasks)
    assert "apt install --no-install-recommends no-such-package-here" in refused.value.hint
    assert "--only there" in refused.value.hint
    done = cli("bench", "vib", "--model", "no-op", "--tasks", str(tmp_path), "--data", str(tmp_path / "data"), "--json")
    assert done.code == 2
    assert "no-such-package-here" in done.err
    assert "trials" not in done.out


def installed(name: str) -> Any:
    missing = suite.missing_packages(TASKS[name].document.packages)
    reason = f"not part of the set-up: apt install --no-install-recommends {' '.join(sorted(missing))}"
    return pytest.param(name, marks=pytest.mark.skipif(bool(missing), reason=reason))


@pytest.mark.anyio
@pytest.mark.deep
@pytest.mark.desktop
@pytest.mark.parametrize("name", [installed(name) for name in TASKS])
async def test_the_authors_way_passes_and_doing_nothing_does_not(name: str, tmp_path: Path) -> None:
    configured = settings_in(tmp_path).model_copy(update={"limits": Limits()})
    for model, right in ((IDLE, False), (suite.ORACLE, True)):
        made = await suite.attempt(TASKS[name], 1, configured, model=model, crew="planned", suite="vib")
        assert made.right is right, (model, json.loads(made.model_dump_json()))
        assert made.success is right
