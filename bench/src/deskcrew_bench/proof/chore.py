"""Chores that somebody who had read nothing of this wrote: wording, files, perfect operations, and a program that checks.

Each is a folder: ``task.txt``; ``setup.py`` with ``setup(folder)``; ``oracle.py``, run in the workspace by the crew;
``check.py`` with ``check(start, end, answer)``, '' where all is right; ``answer.txt`` where something is asked; and, once a
strong model has been asked, ``replies.json``: what it replied to the roles that see whether the work is right. The same in
another language is ``task.de.txt`` with ``replies.de.json``.
"""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deskcrew.errors import UsageError
from deskcrew_bench.suites.playing import Replies, keep_replies, kept_replies


@dataclass(frozen=True, slots=True)
class Chore:
    """One of them. ``oracle``: the code that does it."""

    name: str
    folder: Path
    task: str
    oracle: str
    answer: str
    language: str = ""
    """Of the wording, '' for the chore's own."""

    @property
    def kept(self) -> Path:
        """Where the replies of a strong model are."""
        return self.folder / f"replies{f'.{self.language}' if self.language else ''}.json"

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
        return kept_replies(self.kept)

    def keep(self, replies: Replies) -> None:
        """Keep what it replied."""
        keep_replies(self.kept, replies)


def chores(folder: Path, names: Sequence[str] = (), language: str = "") -> tuple[Chore, ...]:
    """Those in a folder, or those of them that are worded in ``language`` too. Raises UsageError for a name that is not
    there."""
    wording = f"task.{language}.txt" if language else "task.txt"
    there = {path.parent.name: path.parent for path in sorted(folder.glob(f"*/{wording}"))}
    for name in names:
        if name not in there:
            raise UsageError(f"There is no chore {name!r}.", hint=f"There are: {', '.join(there) or 'none'}.")
    return tuple(_read(there[name], wording, language) for name in names or there)


def _read(folder: Path, wording: str, language: str) -> Chore:
    answer = folder / "answer.txt"
    return Chore(
        name=folder.name,
        folder=folder,
        task=(folder / wording).read_text(encoding="utf-8").strip(),
        oracle=(folder / "oracle.py").read_text(encoding="utf-8"),
        answer=answer.read_text(encoding="utf-8").strip() if answer.exists() else "",
        language=language,
    )
