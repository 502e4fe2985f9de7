"""Every error Deskcrew raises on purpose.

Two families, because the loop treats them differently (docs/design/loop.md):

* :class:`CrewMistake` is the model's: a malformed plan, a control that has gone, a failed action. It becomes an
  observation shown to the model; it never ends a run by itself.
* Everything else derives from :class:`DeskcrewError` and is for a person: its message says what to do next.

Any other exception is our own bug: the process boundary records ``interrupted`` and re-raises it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class DeskcrewError(Exception):
    """An error for a person. ``str(error)`` is one or two sentences; ``hint`` says what to do next, and is a note of the
    error, so that a traceback shows it."""

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
    """The model asked for something impossible. The text is written for the model and shown to it."""


class PlanError(CrewMistake):
    """A plan with an unknown dependency, a duplicate id or a cycle (W22)."""


class ActionError(CrewMistake):
    """An action that could not be executed as asked: the control has gone, the file is missing, the window hangs."""


class UsageError(DeskcrewError):
    """A wrong flag, an empty task, an unknown run: exit code 2."""


class UnknownError(UsageError):
    """There is no run, event or skill of that name or number."""


class ConfigError(UsageError):
    """A role, crew or settings file that does not parse. The message names file, line and field."""


class EnvironmentFailure(DeskcrewError):
    """The environment failed: no display programs, no sandbox, the desktop died. Outcome ``failed(environment)``."""


class ModelFailure(DeskcrewError):
    """A model gave no reply: it refused, was unreachable, or timed out. Outcome ``failed(model)``.

    ``status``: HTTP status code or None. ``retry_after``: seconds the provider asked for, or None.
    """

    def __init__(self, message: str, *, hint: str = "", status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after


class SearchFailure(DeskcrewError):
    """A search service gave no results: it refused, was unreachable, timed out, or sent something else.

    ``status``: HTTP status code or None. No key is ever in its text.
    """

    def __init__(self, message: str, *, hint: str = "", status: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class JournalError(DeskcrewError):
    """The journal cannot be written or read: disk full, broken chain, a newer schema."""


class JournalUnreachable(JournalError):
    """The journal's server does not respond at the moment. What was appended is kept, and may or may not be in the
    journal."""


class RunNotDone(DeskcrewError):
    """A run did not end as ``done``, but its caller requires that. ``run``: its id."""

    def __init__(self, message: str, *, run: str) -> None:
        super().__init__(message, hint=f"deskcrew log {run}" if run else "")
        self.run = run


class LimitReached(DeskcrewError):
    """A limit of the run was hit. ``name`` is its name in the settings; outcome ``failed(bound:NAME)``."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def extra_installed(name: str) -> str:
    """The command that installs an optional extra, from the source that Deskcrew itself was installed from."""
    return f'In the folder of Deskcrew\'s source, with its environment active: pip install ".[{name}]"'


@contextmanager
def needing(extra: str) -> Generator[None]:
    """Raises UsageError, with the command that installs an optional extra, for an import that fails inside."""
    try:
        yield
    except ImportError as error:
        raise UsageError(f"This needs {error.name}, which is not installed.", hint=extra_installed(extra)) from error
