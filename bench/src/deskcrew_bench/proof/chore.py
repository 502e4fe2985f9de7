"""Chores that somebody who had read nothing of this wrote: wording, files, perfect operations, and a program that checks.

Each is a folder: ``task.txt``; ``setup.py`` with ``setup(folder)``; ``oracle.py``, run in the workspace by the crew;
``check.py`` with ``check(start, end, answer)``, '' where all is right; ``answer.txt`` where something is asked; and, once a
strong model has been asked, ``replies.json``: what it replied to the roles that see whether the work is right.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deskcrew.errors import UsageError

Replies = dict[str, list[str]]
"""What was replied, word for word and in order, by role."""


@dataclass(frozen=True, slots=True)
class Chore:
    """One of them. ``oracle``: the code that does it."""

    name: str
    folder: Path
    task: str
    oracle: str
    answer: str

    def set_up(self, workspace: Path) -> None:
        """Make the starting files."""
        runpy.run_path(str(self.folder / "setup.py"))["setup"](workspace)

    def wrong(self, start: Path, end: Path, answer: str) -> str:
        """What is wrong with what was done, '' where nothing is. An end that the check cannot read is wrong."""
        try:
            return str(runpy.run_path(str(self.folder / "check.py"))["check"](start, end, answer) or "")
        except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError) as error:
            return f"{type(error).__name__}: {error}"

    def replies(self) -> Replies:
        """What the strong model replied; {} where none was asked yet."""
        path = self.folder / "replies.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def keep(self, replies: Replies) -> None:
        """Keep what it replied."""
        text = json.dumps(replies, ensure_ascii=False, indent=1)
        (self.folder / "replies.json").write_text(f"{text}\n", encoding="utf-8")


def chores(folder: Path, names: Sequence[str] = ()) -> tuple[Chore, ...]:
    """Those in a folder. Raises UsageError for a name that is not there."""
    there = {path.parent.name: path.parent for path in sorted(folder.glob("*/task.txt"))}
    for name in names:
        if name not in there:
            raise UsageError(f"There is no chore {name!r}.", hint=f"There are: {', '.join(there) or 'none'}.")
    return tuple(_read(there[name]) for name in names or there)


def _read(folder: Path) -> Chore:
    answer = folder / "answer.txt"
    return Chore(
        name=folder.name,
        folder=folder,
        task=(folder / "task.txt").read_text(encoding="utf-8").strip(),
        oracle=(folder / "oracle.py").read_text(encoding="utf-8"),
        answer=answer.read_text(encoding="utf-8").strip() if answer.exists() else "",
    )
