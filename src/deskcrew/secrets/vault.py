"""The secrets of one run: what roles are told about them, where which placeholder may be filled in, and which controls have
been filled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Window
from deskcrew.secrets.binding import NAME, Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.terminals import is_terminal

PLACEHOLDER = re.compile(rf"\{{\{{\s*secret:\s*({NAME})\s*\}}\}}")
MEANT = re.compile(r"\{\{\s*secret\b")
"""The start of a placeholder, well formed or not. A malformed one must not be typed literally."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """The recipient of text typed into a control. ``origin``: the origin of the control's page, '' if its frame has another
    one, None if it is not in a page; ``program``: the path of the program's file, '' if it is not an installed program, None
    if unknown."""

    origin: str | None = None
    program: str | None = None


class Vault:
    """The secrets that a user allowed for this run. No other secret is in this process."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._secrets = {secret.name: secret for secret in secrets}
        self.redactor = Redactor(self._secrets.values())
        self.filled: dict[tuple[int, str], str | None] = {}
        """The value of each filled control as first observed afterwards, None before that, by window and label. These
        controls must be covered in pictures of the screen."""

    def __bool__(self) -> bool:
        return bool(self._secrets)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._secrets)

    @property
    def placeholders(self) -> tuple[str, ...]:
        return tuple(secret.placeholder for secret in self._secrets.values())

    def told(self) -> str:
        """What roles are told: the placeholders and bindings of all secrets, one per line; '' without secrets."""
        return "\n".join(f"{secret.placeholder} for {secret.binding}" for secret in self._secrets.values())

    def fill(self, text: str, control: Control | None, window: Window | None, behind: Recipient | None = None) -> str:
        """``text`` with values in place of placeholders, for typing into ``control`` of ``window``. ``behind``: who receives
        it there, None if unknown.

        Raises ActionError, worded for the model, unless all of the secrets may be typed there.
        """
        names = placeholders(text)
        if not names:
            return text
        if control is None or window is None or control.window != window.id:
            raise ActionError("A secret is typed into a control only: name the control it goes into.")
        for name in names:
            self._admit(name, control, window, behind)
        return PLACEHOLDER.sub(lambda found: self._secrets[found[1]].value, text)

    def lend(self, text: str, origin: str) -> str:
        """``text`` with values in place of placeholders, for a request to ``origin`` (scheme, host and port).

        Raises ActionError, worded for the model, unless all of the secrets are bound to that host.
        """
        for name in placeholders(text):
            secret = self._known(name)
            if not secret.binding.admits_origin(origin):
                raise ActionError(
                    f"The secret {name!r} is for {secret.binding} only, and not for {origin}: the user binds it with "
                    f"`deskcrew secret set {name} --host HOST`, and it goes there over https."
                )
        return PLACEHOLDER.sub(lambda found: self._secrets[found[1]].value, text)

    def hand(self, name: str, app: str) -> str:
        """The value of a secret, to start a program with it. ``app``: the program's name in bindings. Raises ActionError,
        worded for the model, unless the secret is bound to that program."""
        secret = self._known(name)
        if not secret.binding.admits_app(app):
            raise ActionError(
                f"The secret {name!r} is for {secret.binding} only, and not for {app}: the user binds it with "
                f"`deskcrew secret set {name} --app {app}`."
            )
        return secret.value

    def note(self, control: Control) -> None:
        """Record that a secret is about to be typed into ``control``."""
        self.filled[control.window, control.label] = None

    def _known(self, name: str) -> Secret:
        secret = self._secrets.get(name)
        if secret is None:
            there = f"there are: {', '.join(self._secrets)}" if self._secrets else "the user gave none to this run"
            raise ActionError(f"There is no secret {name!r}; {there}.")
        return secret

    def _admit(self, name: str, control: Control, window: Window, behind: Recipient | None) -> None:
        secret = self._known(name)
        if is_terminal(control, window):
            raise ActionError("A secret is never typed into a terminal. Type it into a field of a program.")
        if behind is not None and behind.origin is not None:
            if not secret.binding.admits_origin(behind.origin):
                raise ActionError(
                    f"The secret {name!r} is for {secret.binding} only; {control.role} {control.name!r} is in a page of "
                    f"{behind.origin or 'another origin than its window'}. A page gets one that is bound to its host, over "
                    f"https: where that is the user's wish, they bind it with `deskcrew secret set {name} --host HOST`."
                )
            return
        if not secret.binding.apps:
            raise ActionError(f"The secret {name!r} is for {secret.binding} only and is not typed into windows.")
        if not secret.binding.admits_app(window.app):
            raise ActionError(
                f"The secret {name!r} is for {secret.binding} only; {control.role} {control.name!r} is in a window of "
                f"{window.app or 'an unknown application'}."
            )
        program = behind.program if behind is not None else None
        if program is not None and not secret.binding.admits_program(program, window.app):
            raise ActionError(
                f"The secret {name!r} is for {secret.binding} only; the window says that it is of {window.app!r}, but "
                f"the program behind it is {program or 'none of those that are installed'}."
            )
        if "type" not in control.operations and control.role != "password field":
            raise ActionError(f"{control.role} {control.name!r} cannot be typed into; a secret goes into a field.")


def placeholders(text: str) -> tuple[str, ...]:
    """The names of the secrets whose placeholders are in ``text``. Raises ActionError if a placeholder is malformed."""
    if len(MEANT.findall(text)) != len(found := PLACEHOLDER.findall(text)):
        raise ActionError("A secret is written {{secret:NAME}}, with the name of an existing secret.")
    return tuple(dict.fromkeys(found))


def as_shown(text: str) -> str:
    """``text`` as observations show it in the control into which it was typed: with ``[secret NAME]`` for placeholders."""
    return PLACEHOLDER.sub(r"[secret \1]", text)


NONE = Vault()
"""The vault of a run without secrets."""
