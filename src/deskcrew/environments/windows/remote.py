"""The agent on Windows, for the engine: every method is a request over a line, and waits for the reply."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol, TypeVar

from pydantic import ValidationError

from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew_windows_agent import protocol as p

PATIENCE = 3 * p.ANSWER_SECONDS
"""Seconds without an answer after which the agent counts as gone."""
SAME = "Install the same version of Deskcrew and of deskcrew-windows-agent."
Answer = TypeVar("Answer", bound=p.Message)


class AgentLine(Protocol):
    """A line to an agent. Raises EnvironmentFailure once it is cut, and for a message that is too long."""

    def ask(self, message: str, seconds: float) -> str: ...

    def close(self) -> None: ...


class WindowsMachine:
    """An agent that is connected. Blocking. Every method raises ActionError if something has gone or refuses,
    EnvironmentFailure if a run cannot go on. Places are in pixels of the screen."""

    def __init__(self, line: AgentLine, token: str = "") -> None:
        """Raises EnvironmentFailure if the agent speaks another version, does not know the token, or has no desktop."""
        self._line = line
        self.welcome = self._ask(p.Hello(token=token), p.Welcome)

    def _ask(self, request: p.Message, kind: type[Answer]) -> Answer:
        try:
            reply = p.REPLIES.validate_json(self._line.ask(request.model_dump_json(), PATIENCE))
        except ValidationError as error:
            raise EnvironmentFailure("The program that answers is not an agent of this version.", hint=SAME) from error
        if isinstance(reply, p.Refused):
            raise ActionError(reply.why)
        if isinstance(reply, p.Failed):
            raise EnvironmentFailure(reply.why, hint=reply.hint)
        if not isinstance(reply, kind):
            raise EnvironmentFailure(
                f"The agent answered {type(reply).__name__} where {kind.__name__} was asked for.", hint=SAME
            )
        return reply

    def close(self) -> None:
        """Disconnect from the machine."""
        try:
            with suppress(ActionError, EnvironmentFailure):  # it is gone already
                self._ask(p.Close(), p.Done)
        finally:
            self._line.close()

    def look(self) -> p.Snapshot:
        return self._ask(p.Observe(), p.Seen).snapshot

    def picture(self) -> bytes:
        """PNG of the screen."""
        return self._ask(p.TakePicture(), p.Content).content

    def act(self, request: p.Acting) -> None:
        """Perform an action."""
        self._ask(request, p.Done)

    def clipboard(self) -> str:
        return self._ask(p.ReadClipboard(), p.Text).text

    def programs(self) -> tuple[str, ...]:
        """The names of the programs in the start menu."""
        return self._ask(p.ListPrograms(), p.Programs).names

    # -- files

    def files(self) -> tuple[p.FolderEntry, ...]:
        """The files of the agent's folder."""
        return self._ask(p.ListFiles(), p.Files).files

    def read(self, path: str) -> bytes:
        """The content of a file in the agent's folder."""
        return self._ask(p.ReadFile(path=path), p.Content).content

    def write(self, path: str, content: bytes) -> None:
        """Write a file to the agent's folder."""
        self._ask(p.WriteFile(path=path, content=content), p.Done)

    def remove(self, path: str) -> None:
        """Remove a file from the agent's folder."""
        self._ask(p.RemoveFile(path=path), p.Done)
