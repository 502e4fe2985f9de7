"""All errors that Deskcrew raises on purpose.

There are two families, because the loop treats them differently (docs/design/loop.md):

* A :class:`CrewMistake` is the model's: a malformed plan, a control that no longer exists, a failed action. It is shown to
  the model, and never ends a run by itself.
* Every other :class:`DeskcrewError` is for a person: it says what to do next.

Any other exception is our own bug: the process boundary records ``interrupted`` and re-raises it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class DeskcrewError(Exception):
    """An error for a person. ``str(error)`` is one or two sentences; ``hint`` says what to do next, and is also added as a
    note, so that tracebacks show it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"Hint: {hint}")

    @property
    def whole(self) -> str:
        """The message and the hint as one text."""
        message = str(self).rstrip()
        ended = message.endswith((".", "!", "?", ":", "…")) or not (message and self.hint)
        return f"{message}{'' if ended else '.'} {self.hint}".strip()


class CrewMistake(DeskcrewError):
    """The model asked for something impossible. The text is worded for the model and shown to it."""


class PlanError(CrewMistake):
    """A plan with an unknown dependency, a duplicate id or a cycle (W22)."""


class ActionError(CrewMistake):
    """An action could not be executed as requested: the control is gone, the file is missing, the window hangs."""


class ControlGone(ActionError):
    """The control of an action is no longer there."""


class UsageError(DeskcrewError):
    """The user's input is wrong: a wrong flag, an empty task, an unknown run. Exit code 2."""


class UnknownError(UsageError):
    """There is no run, event or skill with this name or number."""


class ConfigError(UsageError):
    """A role, crew or settings file is invalid. The message names the file and the line or field."""


class ChangedByOthers(UsageError):
    """Nothing can be put back, as somebody else has changed the files since. The command is right: exit code 4."""


class EnvironmentFailure(DeskcrewError):
    """The environment failed: no display programs, no sandbox, the desktop died. Outcome ``failed(environment)``."""


class ModelFailure(DeskcrewError):
    """A model gave no reply: it refused, was unreachable, or timed out. Outcome ``failed(model)``.

    ``status``: HTTP status code or None. ``retry_after``: seconds that the provider asked to wait, or None.
    """

    def __init__(self, message: str, *, hint: str = "", status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


class SearchFailure(DeskcrewError):
    """A search service gave no results: it refused, was unreachable, timed out, or sent something else.

    ``status``: HTTP status code or None. The message never contains a key.
    """

    def __init__(self, message: str, *, hint: str = "", status: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class JournalError(DeskcrewError):
    """The journal cannot be written or read: disk full, broken chain, a newer schema."""


class JournalUnreachable(JournalError):
    """The journal's server does not respond at the moment. Appended events are kept, and may or may not have been
    written."""


class RunNotDone(DeskcrewError):
    """A run did not end as ``done``, which its caller requires. ``run``: its id."""

    def __init__(self, message: str, *, run: str) -> None:
        super().__init__(message, hint=f"deskcrew log {run}" if run else "")
        self.run = run


class LimitReached(DeskcrewError):
    """A limit of the run was reached. ``name``: its name in the settings. Outcome ``failed(bound:NAME)``."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def extra_installed(name: str) -> str:
    """The command that installs an optional extra, from the source that Deskcrew itself was installed from."""
    return f'In the folder of Deskcrew\'s source, with its environment active: pip install ".[{name}]"'


@contextmanager
def needing(extra: str) -> Generator[None]:
    """Turn an ImportError in the block into a UsageError, with the command that installs the optional extra."""
    try:
        yield
    except ImportError as error:
        raise UsageError(f"This needs {error.name}, which is not installed.", hint=extra_installed(extra)) from error
