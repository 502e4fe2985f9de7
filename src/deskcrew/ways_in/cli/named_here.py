"""Files and folders of the current folder that a sentence names: its run gets copies of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from deskcrew.engine.steps.covering import misnamed_file
from deskcrew.facts.no_file import no_file
from deskcrew.facts.texts import file_names, names_file
from deskcrew.ways_in.report.text import clean

LISTED = 2000
"""How many files of a folder are looked for in a sentence."""


def slip_here(line: str, here: Path) -> str:
    """The message about a file that a sentence names wrongly, if it must be another file of ``here``; else ''."""
    names = [each.name for each in _listed(here)]
    slip = misnamed_file(line, names)
    return no_file(slip, names, here) if slip else ""


def absent_here(line: str, here: Path) -> dict[str, str]:
    """The message about each file that a sentence names and ``here`` does not have, by name; it may be that of a new one."""
    names = [each.name for each in _listed(here)]
    meant = [each for each in names if names_file(line, each)]
    return {name: no_file(name, names, here, meant=meant) for name in file_names(line) if not (here / name).exists()}


def _listed(here: Path) -> list[Path]:
    return sorted(islice((each for each in here.iterdir() if not each.name.startswith(".") and each.is_file()), LISTED))


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """What a sentence names: ``files`` to attach, or a ``folder`` to work on a copy of."""

    files: tuple[Path, ...] = ()
    folder: Path | None = None

    @property
    def told(self) -> str:
        """A sentence that says what the run gets; '' if that is nothing."""
        if self.folder is not None:
            return f"It works on a copy of {clean(str(self.folder))}."
        return f"It gets copies of {clean(', '.join(each.name for each in self.files))}." if self.files else ""


def given_in_words(line: str, here: Path, there: Path | None = None) -> NamedFiles:
    """The files of ``here`` that a sentence names, other files that it names by path, or a folder. ``there``: the folder of
    the run that it continues, whose own files take precedence."""
    words = [word.strip("\"'“”„’,;:!?()").rstrip(".") for word in line.split()]
    said = [here / Path(word).expanduser() for word in words if "/" in word]
    files = {each.name: each for each in _listed(here) if names_file(line, each.name)}
    files |= {each.name: each for each in said if each.is_file()}
    files = {name: each for name, each in files.items() if there is None or not (there / name).exists()}
    folder = next((each for each in said if each.is_dir() and each not in (Path("/"), Path.home())), None)
    if folder is not None and there is None:
        return NamedFiles(folder=folder)
    return NamedFiles(files=tuple(files.values()))
