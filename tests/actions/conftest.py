"""A workspace, a real sandbox, and a desktop that writes down what is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Finding, Happening, Result, Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.evidence import compare
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Observation
from support.desktop_double import SIGHT, RecordingDesktop


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "workspace")


@pytest.fixture
def sandbox(workspace: Workspace) -> Iterator[Sandbox]:
    with Sandbox(workspace.root) as made:
        yield made


@pytest.fixture
def desktop() -> RecordingDesktop:
    return RecordingDesktop()


@pytest.fixture
def do(workspace: Workspace, sandbox: Sandbox, desktop: RecordingDesktop) -> Callable[..., Result]:
    """Execute an action as the engine does: ``do("read_file", file_path="a.txt")``."""

    def act(function: str, aimed: str | None = None, **params: Any) -> Result:
        scene = Scene(workspace, sandbox, desktop, SIGHT)  # pyright: ignore[reportArgumentType]
        return execute(Operation(function=function, control=aimed, params=params), builtin(), scene)

    return act


@pytest.fixture
def judge() -> Callable[..., Finding]:
    """What an action's postcondition says: ``judge("click_input", "2", {}, before, after)``."""

    def finding(
        function: str,
        label: str | None,
        params: dict[str, Any],
        before: Observation,
        after: Observation,
        result: Result | None = None,
    ) -> Finding:
        action = builtin()[function]
        return action.postcondition(
            Happening(
                params=action.params.model_validate(params),
                control=before.control(label) if label else None,
                before=before,
                after=after,
                evidence=compare(before, after),
                result=result or Result(ok=True),
            )
        )

    return finding
