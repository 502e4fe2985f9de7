"""What the tests of models share."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, Field

from deskcrew.models.client import Call, Text


class Choice(BaseModel):
    """An answer small enough for any model."""

    why: str = Field(max_length=40)
    pick: Literal["red", "green"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def ask(text: str = "Pick one.", *, role: str = "tester", max_tokens: int = 60, deadline: float = 30.0) -> Call:
    parts = (Text("You pick colours.", "stable"), Text(text, "task"))
    return Call(role=role, parts=parts, max_tokens=max_tokens, deadline=deadline)
