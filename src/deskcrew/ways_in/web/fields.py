"""Validation errors of a form, shown beside the field."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from deskcrew.errors import DeskcrewError, UsageError


class FieldError(UsageError):
    """An error shown beside a field. ``field``: the field's name in its form, whose errors are shown in the element
    ``error-NAME``; ``send`` is the place beside the button, for errors that belong to no single field."""

    def __init__(self, message: str, *, field: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


@contextmanager
def of_field(name: str) -> Generator[None]:
    """A context whose errors are shown beside the field with that name."""
    try:
        yield
    except FieldError:
        raise
    except DeskcrewError as error:
        raise FieldError(str(error), hint=error.hint, field=name) from error
