"""Validation errors of a form, shown beside the field."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from deskcrew.errors import DeskcrewError, UsageError


class FieldError(UsageError):
    """``field``: the field's name in its form; the element for its errors has the id ``error-NAME``. ``send``: the place
    beside the button, for errors that belong to no single field."""

    def __init__(self, message: str, *, field: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


@contextmanager
def of_field(name: str) -> Generator[None]:
    """Report errors raised inside it beside that field."""
    try:
        yield
    except FieldError:
        raise
    except DeskcrewError as error:
        raise FieldError(str(error), hint=error.hint, field=name) from error
