"""The results of using skills, and the scores computed from them. They are stored beside the runs: one file per digest, one
line per trial.

Importing a skill does not import its score, which is computed from what happened here. A skill with another digest is
another skill.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from deskcrew.environments.manifest import Manifest
from deskcrew.errors import ConfigError
from deskcrew.facts.canonical import canonical
from deskcrew.facts.events import Event, Saved
from deskcrew.facts.liveness import write_private
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal, path_to
from deskcrew.learning.skills.skill import Parameter

FOLDER = "skill-trials"
FIRST, STEP, BEST = 2, 3, 10
"""The initial score, the change for a success on a new input or for a misfit, and the maximum."""
OFFERED = 8
"""The minimum score for a skill to be offered: it has worked on two inputs, without a misfit since."""


class Trial(Frozen):
    """One use of a skill. ``input``: digest of the values and files that it began with; ``done``: whether it was a success;
    ``why``: the reason for a misfit."""

    run: str
    input: str
    done: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of all skills by the runs of one data folder, ``folder``."""

    folder: Path

    def of(self, digest: str) -> tuple[Trial, ...]:
        """The trials of the skill with this digest, oldest first. Raises ConfigError if they cannot be read."""
        try:
            lines = self._path(digest).read_text().splitlines()
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{self._path(digest)} cannot be read.", hint="Remove it, and try the skill again.") from error
        return tuple(trial for line in lines if (trial := _read(line)) is not None)

    def add(self, digest: str, trial: Trial) -> None:
        """Append a trial. A process that dies meanwhile does not damage earlier ones. Raises ConfigError if that fails."""
        path = self._path(digest)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # A line end comes first too, so that a truncated last line does not corrupt this one.
                os.write(descriptor, f"\n{trial.model_dump_json()}\n".encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error

    def take_back(self, run: str, why: str) -> None:
        """Turn a run's successes into misfits, because a person says that its work was wrong. Raises ConfigError if that
        fails."""
        for path in sorted((self.folder / FOLDER).glob("*.jsonl")):
            last = {trial.input: trial for trial in self.of(path.stem) if trial.run == run}
            for trial in last.values():
                if trial.done:
                    self.add(path.stem, trial.model_copy(update={"done": False, "why": why}))

    def count(self, runs: Set[str]) -> int:
        """The number of trials by these runs. Raises ConfigError if trials cannot be read."""
        paths = (self.folder / FOLDER).glob("*.jsonl")
        return sum(trial.run in runs for path in paths for trial in self.of(path.stem))

    def forget(self, runs: Set[str]) -> int:
        """Delete the trials by these runs, so that no score rests on them, and return their number. Raises ConfigError if
        trials cannot be read."""
        gone = 0
        for path in sorted((self.folder / FOLDER).glob("*.jsonl")):
            trials = self.of(path.stem)
            if left := [trial for trial in trials if trial.run not in runs]:
                if len(left) < len(trials):
                    write_private(path, "".join(f"{trial.model_dump_json()}\n" for trial in left))
            elif trials:
                path.unlink()
            gone += len(trials) - len(left)
        return gone

    def score(self, digest: str, *, shipped: bool = False) -> int:
        """A skill's score, 0 to 10; see :func:`score`. ``shipped``: then it begins with :data:`OFFERED`, since its examples
        were tried before it was shipped."""
        return score(self.of(digest), OFFERED if shipped else FIRST)

    def record(self, digest: str) -> str:
        """How often a skill has worked here, in words."""
        trials = self.of(digest)
        return f"worked {sum(trial.done for trial in trials)} of {len(trials)} times here" if trials else "not used here yet"

    def worked(self, digest: str) -> bool:
        """Whether a skill has been used here, and has worked each time."""
        trials = self.of(digest)
        return bool(trials) and all(trial.done for trial in trials)

    def _path(self, digest: str) -> Path:
        return self.folder / FOLDER / f"{digest}.jsonl"


def score(trials: Iterable[Trial], first: int = FIRST) -> int:
    """The score for these trials, from 0 to 10: ``first``, plus 3 for each success on a new input, minus 3 for each misfit.
    A success that was revoked does not count.

    A score of 8 means that the skill worked on two inputs, including the one that it was made from.
    """
    trials = tuple(trials)
    wrong = {(trial.run, trial.input): at for at, trial in enumerate(trials) if not trial.done}
    points, known = first, set[str]()
    for at, trial in enumerate(trials):
        if not trial.done:
            points = max(points - STEP, 0)
        elif trial.input not in known and at >= wrong.get((trial.run, trial.input), at):
            known.add(trial.input)
            points = min(points + STEP, BEST)
    return points


def input_of(parameters: Iterable[Parameter], values: Mapping[str, str], manifest: Manifest | None) -> str:
    """A digest that identifies an input: the value of each parameter (from ``values``, else the recorded one), and the
    content of the files that the values name, or of all files if they name none."""
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
    """The files in a run's workspace when the run began; None if they are unknown."""
    path = path_to(journal.all, head) if head is not None else journal.events
    saved = next((event.body.manifest for event in path if isinstance(event.body, Saved)), "")
    return Manifest.from_bytes(journal.read_blob(saved)) if saved else None


def _read(line: str) -> Trial | None:
    try:
        return Trial.model_validate_json(line)
    except ValidationError:
        return None  # an empty or truncated line
