"""What a person is shown before a program is run: what it would say and change."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine.preview import preview
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.observation import Observation


def tried(folder: Path, code: str, *, hidden: tuple[str, ...] = (), unsafe: bool = False) -> str:
    workspace = Workspace(folder)
    with_none_else = Sandbox(folder, unsafe_host=unsafe)
    return preview(Scene(workspace, with_none_else, None, Observation(), hidden=lambda: hidden), code)


def test_the_new_lines_of_a_file_are_shown_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Ada\nBob\n")
    told = tried(tmp_path, "open('names.txt', 'a').write('Cy\\nDi\\n')\nprint('two more')")
    assert told == "two more\nnames.txt:\n  Cy\n  Di"
    assert (tmp_path / "names.txt").read_text() == "Ada\nBob\n"


def test_many_lines_are_counted_and_the_last_is_shown(tmp_path: Path) -> None:
    told = tried(tmp_path, "open('all.txt', 'w').write('\\n'.join(f'line {n}' for n in range(9)))")
    assert told.splitlines()[-3:] == ["  line 2", "  ... 5 lines ...", "  line 8"], told
    told = tried(tmp_path, "open('six.txt', 'w').write('\\n'.join(f'line {n}' for n in range(6)))")
    assert told.endswith("\n  ... 2 lines ...\n  line 5"), told


def test_files_that_move_are_named_where_they_go(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"{number}.txt").write_text(f"number {number}\n" * 20)
    told = tried(tmp_path, "import os\nfor n in range(7): os.rename(f'{n}.txt', f'no {n}.txt')\nprint('done')").splitlines()
    assert told[0] == "done"
    assert told[1] == "Gone: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more"
    assert told[2].startswith("New: no 0.txt, no 1.txt"), told
    assert len(list(tmp_path.glob("no *"))) == 0


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("def half(text):\n    raise ValueError('there is no column Name')\nhalf('')", "there is no column Name"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import zipfile\nzipfile.ZipFile('a.zip')", "a.zip is damaged, or is not an archive"),
    ],
)
def test_a_program_that_cannot_do_it_says_why_before_anybody_says_yes(tmp_path: Path, code: str, why: str) -> None:
    (tmp_path / "a.zip").write_text("no archive")
    assert tried(tmp_path, code).startswith(f"It cannot be done like this: {why}")


def test_what_the_policy_hides_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("4711\n")
    assert "cannot be done" in tried(tmp_path, "print(open('secret.txt').read())", hidden=("secret.txt",))


def test_without_a_sandbox_nothing_is_tried(tmp_path: Path) -> None:
    assert tried(tmp_path, "open('made.txt', 'w').write('x')", unsafe=True) == ""
    assert list(tmp_path.iterdir()) == []
