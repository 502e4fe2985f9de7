"""What came of doing skills, one file for each digest in the user's settings, a line for each trial; and the score.

Who imports a skill does not import its score: it is made of what was seen here. Another digest is another skill.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from deskcrew.canonical import canonical
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import ConfigError
from deskcrew.events import Event, Saved
from deskcrew.journal.journal import Journal, path_to
from deskcrew.observation import Frozen
from deskcrew.skills.skill import Parameter

FOLDER = "skill-trials"
FIRST, STEP, BEST = 2, 3, 10
"""The score that a skill begins with, what a success on a new input adds and a misfit takes, and the most there is."""
OFFERED = 8
"""The least score with which a skill is offered: it has worked on two inputs, and no misfit came after."""


class Trial(Frozen):
    """One time that a skill was done. ``input``: digest of values and files that it began with; ``why``: of a misfit."""

    run: str
    input: str
    done: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Trials:
    """``folder``: of the settings."""

    folder: Path

    def of(self, digest: str) -> tuple[Trial, ...]:
        """The trials of the skill with this digest, oldest first. Raises ConfigError."""
        try:
            lines = self._path(digest).read_text().splitlines()
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{self._path(digest)} cannot be read.", hint="Remove it, and try the skill anew.") from error
        return tuple(trial for line in lines if (trial := _read(line)) is not None)

    def add(self, digest: str, trial: Trial) -> None:
        """Append one line: a process that dies leaves all lines before it. Raises ConfigError."""
        path = self._path(digest)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # The line end comes first too: half a line that was left there does not spoil this one.
                os.write(descriptor, f"\n{trial.model_dump_json()}\n".encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error

    def take_back(self, run: str, why: str) -> None:
        """A person says that what a run did was wrong: its successes count no more, and are misfits. Raises ConfigError."""
        for path in sorted((self.folder / FOLDER).glob("*.jsonl")):
            last = {trial.input: trial for trial in self.of(path.stem) if trial.run == run}
            for trial in last.values():
                if trial.done:
                    self.add(path.stem, trial.model_copy(update={"done": False, "why": why}))

    def score(self, digest: str) -> int:
        """0 to 10, see :func:`score`."""
        return score(self.of(digest))

    def _path(self, digest: str) -> Path:
        return self.folder / FOLDER / f"{digest}.jsonl"


def score(trials: Iterable[Trial]) -> int:
    """What trials are worth: 3 for each success on an input that is new, -3 for each misfit, on top of 2; 0 to 10. A success
    that was taken back is none.

    So 8 is: it worked on two inputs, the one that it was kept from among them.
    """
    trials = tuple(trials)
    wrong = {(trial.run, trial.input): at for at, trial in enumerate(trials) if not trial.done}
    points, known = FIRST, set[str]()
    for at, trial in enumerate(trials):
        if not trial.done:
            points = max(points - STEP, 0)
        elif trial.input not in known and at >= wrong.get((trial.run, trial.input), at):
            known.add(trial.input)
            points = min(points + STEP, BEST)
    return points


def input_of(parameters: Iterable[Parameter], values: Mapping[str, str], manifest: Manifest | None) -> str:
    """What one input is told from another by: the value of each parameter (of ``values``, else the recorded one), and what
    the files said that it was given; all that were there where it names none."""
    parameters = tuple(parameters)
    now = {each.name: values.get(each.name, each.value) for each in parameters}
    given = {now[each.name] for each in parameters if each.given}
    entries = manifest.entries if manifest is not None else ()
    files = {
        entry.path: entry.digest
        for entry in entries
        if entry.kind == "file" and entry.path.isprintable() and (not given or entry.path in given)
    }
    return hashlib.sha256(canonical({"values": now, "files": files})).hexdigest()


def first_files(journal: Journal, head: Event | None = None) -> Manifest | None:
    """What a run's workspace held when it began; None where nothing tells."""
    path = path_to(journal.all, head) if head is not None else journal.events
    saved = next((event.body.manifest for event in path if isinstance(event.body, Saved)), "")
    return Manifest.from_bytes(journal.read_blob(saved)) if saved else None


def _read(line: str) -> Trial | None:
    try:
        return Trial.model_validate_json(line)
    except ValidationError:
        return None  # an empty line, or half a one
