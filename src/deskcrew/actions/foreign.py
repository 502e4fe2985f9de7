"""Code of an action from elsewhere: loaded, and called so that no error in it ends a run.

It runs in Deskcrew's process with the user's rights, which is why a person must allow it first (``actions/allowed.py``).
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from importlib.abc import SourceLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType, TracebackType
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from deskcrew.actions.action import Action, Finding, Happening, Result, Scene
from deskcrew.actions.declared import Declared
from deskcrew.actions.executor import explain
from deskcrew.errors import ActionError, EnvironmentFailure, JournalError, LimitReached
from deskcrew.facts.observation import Control

T = TypeVar("T")
_OURS = (ActionError, EnvironmentFailure, JournalError, LimitReached)
"""Exceptions that may leave an action: its own message to the model, and those of the engine code that it called."""


class Broken(Exception):
    """Foreign code failed. ``str(broken)``: its exception in one line; ``line``: the innermost line of ``file`` in the
    traceback, 0 if there is none; ``traceback``: from ``file`` on."""

    def __init__(self, error: BaseException, file: str) -> None:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        super().__init__(" ".join(f"{type(error).__name__}: {said}".removesuffix(": ").split()))
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
        if isinstance(error, SyntaxError) and error.filename == file:
            lines.append(error.lineno or 0)
        self.line: int = lines[-1] if lines else 0
        self.traceback = "".join(traceback.format_exception(type(error), error, _from(error.__traceback__, file)))


def called(call: Callable[[], T], file: str) -> T:
    """The return value of ``call``, which is code of ``file``. Raises Broken for all its exceptions except :data:`_OURS`."""
    try:
        return call()
    except _OURS:
        raise
    except (Exception, SystemExit) as error:
        raise Broken(error, file) from error


def module_of(text: str, file: str, digest: str) -> ModuleType:
    """The module defined by the text of ``file``, registered under its digest. Raises Broken if its code fails."""
    name = f"deskcrew_actions_{digest}"
    spec = spec_from_loader(name, _Text(text, file))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # annotations of its classes are looked up there
    loader = spec.loader
    called(lambda: loader.exec_module(module), file)
    return module


def guarded(action: Action, file: str) -> Action:
    """The action as declared, with its code guarded against errors. Raises ValueError if it cannot be declared."""
    declared = Declared.of(action)

    def own(params: Any) -> Any:
        try:
            return action.params.model_validate(params.model_dump())
        except ValidationError as error:
            raise ActionError(f"{declared.name}: {explain(error)}.") from error

    def run(scene: Scene, params: Any, control: Control | None) -> Result:
        try:
            result = cast("object", called(lambda: action.run(scene, own(params), control), file))
        except Broken as broken:
            return Result(ok=False, error=f"The action {declared.name} failed: {broken}.", text=broken.traceback)
        if not isinstance(result, Result):
            kind = type(result).__name__
            return Result(ok=False, error=f"The action {declared.name} failed: it returned {kind}, and no Result.")
        return result

    def postcondition(happening: Happening) -> Finding:
        try:
            given = replace(happening, params=own(happening.params))
            found = cast("object", called(lambda: action.postcondition(given), file))
        except (Broken, ActionError) as broken:
            return Finding(
                held=None, why=f"whether {declared.name} worked is not known: its postcondition failed ({broken})"
            )
        return found if isinstance(found, Finding) else Finding(held=None)

    return declared.action(run, postcondition)


class _Text(SourceLoader):
    """Loads a module from text that was read before, so that exactly the text of the digest is executed."""

    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file

    def get_filename(self, fullname: str) -> str:
        return self._file

    def get_data(self, path: str | bytes) -> bytes:
        return self._text.encode()


def _from(trace: TracebackType | None, file: str) -> TracebackType | None:
    """The traceback from the first frame of ``file`` on; all of it if there is none."""
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename != file:
        first = first.tb_next
    return first or trace
