"""Validation errors of a form, shown beside the field."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from deskcrew.errors import DeskcrewError, UsageError


class FieldError(UsageError):
    """``field``: the name that the field has in its form; its place for errors has the id ``error-NAME``. ``send`` is the
    place beside the button, for what no single field is to blame for."""

    def __init__(self, message: str, *, field: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


@contextmanager
def of_field(name: str) -> Generator[None]:
    """Have what goes wrong in it told beside that field."""
    try:
        yield
    except FieldError:
        raise
    except DeskcrewError as error:
        raise FieldError(str(error), hint=error.hint, field=name) from error
