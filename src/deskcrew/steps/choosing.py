"""Which of several programs for the same is kept: what the contract's typed checks say of the workspace as each left it.

It is a choice and no proof: whether the task is done is seen in the end, of what is then there (``proving``).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio.from_thread

from deskcrew.actions.action import Choosing, Weighed
from deskcrew.actions.candidates import name_of
from deskcrew.actions.sandbox import LAYER
from deskcrew.context import Run
from deskcrew.contract import OF_THE_SCREEN, Contract, Requirement
from deskcrew.english.texts import file_names
from deskcrew.environments.layer import Layer
from deskcrew.environments.workspace import PASSING, TRASH
from deskcrew.events import ActionStarted, CandidatesTried, Event, Operation
from deskcrew.goals.proof import by_checks, named
from deskcrew.goals.states import END, START, State, States
from deskcrew.goals.typed import Side
from deskcrew.journal.fold import OTHERS
from deskcrew.observation import Observation
from deskcrew.steps.proving import states_of

LARGEST = 64 << 20
"""Bytes of a file that is looked at."""


def choosing(run: Run, started: Event) -> Choosing:
    """What says which candidate of an action that has started is kept."""

    def tell(body: CandidatesTried) -> None:
        anyio.from_thread.run_sync(partial(run.journal.append, body, lane=started.header.lane, cause=started))

    contract, subtask = run.journal.state.contract, run.journal.state.subtask
    goal = subtask.goal if subtask is not None else ""

    def weigh(layer: Layer) -> Weighed:
        return weighed(layer, contract, states_of(run), goal, run.now) if contract is not None else Weighed()

    return Choosing(weigh, run.journal.blob, tell)


def kept(run: Run, started: Event) -> Operation:
    """What was done of an operation: of several candidates the one that is kept, as if it had been the only one."""
    assert isinstance(started.body, ActionStarted)
    operation = started.body.operation
    params = {name: value for name, value in operation.params.items() if name != OTHERS}
    if (tried := _tried(run.journal.since(started))) is not None and tried.chosen is not None:
        params["code"] = run.journal.read_blob(tried.tried[tried.chosen - 1].code).decode()
    return operation.model_copy(update={"params": params})


def layer_of(events: Sequence[Event]) -> str:
    """The name of the layer whose content is kept, by what followed the start of an action."""
    tried = _tried(events)
    return LAYER if tried is None or tried.chosen is None else name_of(tried.chosen)


def _tried(events: Sequence[Event]) -> CandidatesTried | None:
    return next((event.body for event in events if isinstance(event.body, CandidatesTried)), None)


def weighed(layer: Layer, contract: Contract, states: States, goal: str, look: Observation) -> Weighed:
    """What is seen of a contract where the workspace is as a program left it. Blocking.

    A requirement is its business where it changed something that the requirement speaks of, or the part's goal names
    such a file; of others only that they hold no more. What only probes and readers see is not looked at.
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
    """Have a path below ``top`` as a program left it. What is no file or folder is not looked at."""
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
