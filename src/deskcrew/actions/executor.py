"""Executes a proposed operation. A model's mistake becomes a Result, never an exception (W5)."""

from __future__ import annotations

import errno
from collections.abc import Mapping

from pydantic import ValidationError

from deskcrew.actions.action import ON_DESKTOP, Action, Params, Result, Scene
from deskcrew.actions.bound import files_now
from deskcrew.actions.filling import filled, keep_apart
from deskcrew.environments.environment import Browser
from deskcrew.environments.expecting import NOTHING, Expected
from deskcrew.environments.pointing import target_of
from deskcrew.errors import ActionError
from deskcrew.facts.events import Bound, Operation
from deskcrew.facts.excerpts import cut
from deskcrew.facts.observation import Control

_LISTED = 12
_OS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "that place cannot be written to",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOENT: "there is no such file",
    errno.EEXIST: "it already exists",
    errno.EISDIR: "it is a folder, not a file",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "it is a link",
    errno.EFBIG: "the file is too large",
    errno.ETIMEDOUT: "it took too long",
}


def execute(operation: Operation, actions: Mapping[str, Action], scene: Scene, approved: Bound | None = None) -> Result:
    """Execute the operation. Blocking. ``actions``: the actions of the role's domain; ``approved``: what a person was shown
    when they approved it, None if nobody was asked. EnvironmentFailure passes through; no other exception does.

    Secrets are filled in here, and are in no result and no error.
    """
    return scene.vault.redactor.model(_execute(operation, actions, scene, approved))


def _execute(operation: Operation, actions: Mapping[str, Action], scene: Scene, approved: Bound | None) -> Result:
    try:
        action, params, control = prepare(operation, actions, scene)
        keep_apart(action, params, control, scene)
        params, control, behind = filled(action, params, control, scene)
        if approved is not None and (changed := files_now(approved.files, scene.workspace)):
            return Result(ok=False, error=f"It has changed since it was approved: {'; '.join(changed)}. Look again.")
        if scene.desktop is None:
            return action.run(scene, params, control)
        aimed = control or target_of(operation, scene.observation)
        meant = approved.target if approved is not None else None
        scene.desktop.expect(Expected(aimed, meant, scene.vault.redactor.text, behind))
        holds = scene.desktop if scene.may_go is not None and isinstance(scene.desktop, Browser) else None
        try:
            if holds is None or scene.may_go is None:
                return action.run(scene, params, control)
            holds.judge_sends(scene.may_go)
            return _sent(action.run(scene, params, control), scene, holds)
        finally:
            scene.desktop.expect(NOTHING)
            if holds is not None:
                holds.end_judging()
            if scene.vault:
                scene.desktop.forget_copies(scene.vault.redactor.holds)
    except ActionError as error:
        return Result(ok=False, error=str(error))
    except OSError as error:
        return Result(ok=False, error=_os_error(error))


def _sent(result: Result, scene: Scene, holds: Browser) -> Result:
    """The result, after a decision about everything that pages want to send because of it."""
    while result.ok and (sent := holds.held()):
        shown = tuple(scene.vault.redactor.model(each) for each in sent)
        why = scene.sends(shown) if scene.sends is not None else "nobody can decide about it"
        went = holds.settle_sends(go=not why)
        if why or not went:
            return Result(ok=False, error=why or "It was done, but its page gave up what it wanted to send meanwhile.")
    return result


def prepare(operation: Operation, actions: Mapping[str, Action], scene: Scene) -> tuple[Action, Params, Control | None]:
    """The action, its parameters and its control. Raises ActionError, worded for the model."""
    action = actions.get(operation.function)
    if action is None:
        raise ActionError(f"There is no action {operation.function!r}; there are: {', '.join(sorted(actions))}.")
    if action.needs in ON_DESKTOP and scene.desktop is None:
        raise ActionError(f"There is no desktop in this run, so {action.name} cannot be done.")
    try:
        params = action.params.model_validate(operation.params)
    except ValidationError as error:
        raise ActionError(f"{action.name}: {explain(error)}. It is used as {action.signature()}.") from error
    return action, params, _control(action, operation.control, scene)


def explain(error: ValidationError) -> str:
    """What is wrong with the parameters, in one line."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'parameters'}: "
        + problem["msg"].removeprefix("Value error, ").strip().rstrip(".").replace("\n", " ")
        for problem in error.errors(include_url=False)
    )


def _control(action: Action, label: str | None, scene: Scene) -> Control | None:
    if action.control == "none" or (not label and action.control == "optional"):
        return None
    able = [c for c in scene.observation.controls if not action.admits or set(c.operations) & set(action.admits)]
    if not label:
        raise ActionError(f"{action.name} needs a control; {_listing(able)}.")
    control = scene.observation.control(label)
    if control is None:
        raise ActionError(f"Control {label!r} has gone; {_listing(able)}.")
    if action.admits and not set(control.operations) & set(action.admits):
        raise ActionError(f"{action.name} is not possible on {_named(control)}; {_listing(able)}.")
    return control


def _listing(controls: list[Control]) -> str:
    if not controls:
        return "there is none that admits it now"
    more = f" and {len(controls) - _LISTED} more" if len(controls) > _LISTED else ""
    return "there are: " + ", ".join(_named(control) for control in controls[:_LISTED]) + more


def _named(control: Control) -> str:
    return f"{control.label} {control.role} {cut(control.name, 40)!r}"


def _os_error(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "It took too long and was given up."
    reason = _OS.get(error.errno or 0) or (error.strerror or str(error)).lower()
    return f"It failed: {reason}."
