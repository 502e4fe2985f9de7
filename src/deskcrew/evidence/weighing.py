"""How well a candidate program (one of several for the same subtask) fulfils the contract, from the workspace that it
left."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from deskcrew.actions.action import Weighed
from deskcrew.environments.layer import Layer
from deskcrew.environments.workspace import PASSING, TRASH
from deskcrew.evidence.proof import by_checks, named
from deskcrew.evidence.states import END, START, State, States
from deskcrew.evidence.typed import Side
from deskcrew.facts.contract import OF_THE_SCREEN, Contract, Requirement
from deskcrew.facts.observation import Observation
from deskcrew.facts.texts import file_names

LARGEST = 64 << 20
"""The largest file that is checked, in bytes."""


def weighed(layer: Layer, contract: Contract, states: States, goal: str, look: Observation) -> Weighed:
    """Evaluates the contract on the workspace as a candidate program left it. Blocking.

    A requirement is the program's own if the program changed one of its files, or if the subtask's ``goal`` names one.
    Other requirements count only if they no longer hold. Requirements that only probes or readers can check are
    ignored.
    """
    changed = [change.path for change in layer.changes().entries]
    changed = [path for path in changed if path.partition("/")[0] != TRASH and not PASSING.fullmatch(Path(path).name)]
    checked = [each for each in contract.standing if each.checks and _of_files(each)]
    with tempfile.TemporaryDirectory(prefix="deskcrew-candidate-") as folder:
        now, start = states.lay_out([State(END, states.end.by_path), State(START, states.start.by_path)], Path(folder))
        side = Side(now, start, look)
        before = {each.id: by_checks(each, side).holds for each in checked}
        for path in changed:
            _put(layer, path, now)
        after = {each.id: by_checks(each, Side(now, start, look)).holds for each in checked}
    about = [*changed, *file_names(goal)]
    own = [each.id for each in checked if any(named(path, _files(each)) for path in about)]
    broken = [id for id in before if id not in own and before[id] is True and after[id] is not True]
    return Weighed(
        holds=tuple(id for id in own if after[id] is True),
        fails=(*(id for id in own if after[id] is not True), *broken),
        strays=tuple(path for path in changed if not layer.is_folder(path) and not named(path, contract.files)),
        gained=any(after[id] is True and before[id] is not True for id in own),
    )


def _of_files(requirement: Requirement) -> bool:
    return all(check.kind not in OF_THE_SCREEN for check in requirement.checks)


def _files(requirement: Requirement) -> tuple[str, ...]:
    return (*requirement.files, *(check.target.partition("#")[0] for check in requirement.checks))


def _put(layer: Layer, path: str, top: Path) -> None:
    """Copies a path from the program's layer to the folder ``top``. Anything but files and folders is ignored."""
    place = top / path
    if place.is_dir() and not place.is_symlink() and not layer.is_folder(path):
        shutil.rmtree(place)
    elif place.is_symlink() or place.is_file():
        place.unlink()  # other states have the same file
    if not place.parent.resolve().is_relative_to(top.resolve()):
        return  # a link leads out
    data = layer.read(path, LARGEST)
    if data is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    elif layer.is_folder(path):
        place.mkdir(parents=True, exist_ok=True)
