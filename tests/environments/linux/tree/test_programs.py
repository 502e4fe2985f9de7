"""Programs on the accessibility bus, without one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from deskcrew.environments.linux.bus.connection import Connection, NotResponding
from deskcrew.environments.linux.screen.x11 import Screenful
from deskcrew.environments.linux.tree.programs import FIRST_TIMEOUT, BusProgram


class Deaf:
    """A connection on which nobody answers; a closed one cannot be set up."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.closed = False

    @property
    def timeout(self) -> float:
        return self._seconds

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        if self.closed:
            raise OSError("Bad file descriptor")
        self._seconds = seconds

    def pipeline(self, calls: Sequence[object], name: str | None) -> list[bytes | None]:
        raise NotResponding("no answer")

    def close(self) -> None:
        self.closed = True


def test_a_program_that_does_not_answer_is_asked_on_another_connection() -> None:
    made: list[Deaf] = []

    def connect(seconds: float) -> tuple[Connection, str | None]:
        made.append(Deaf(seconds))
        return cast(Connection, made[-1]), None

    program = BusProgram(":1.1", 7, "gtk", connect)
    program.look(Screenful((), ()), menus=False)
    assert not program.responding
    assert [one.closed for one in made] == [True, False]
    assert made[1].timeout == FIRST_TIMEOUT
