"""Authentication: one-time links, a token, and the session cookie issued for either.

Sessions are not stored, only the key that signs their cookies, so that restarting the server signs nobody out. Sessions
that were signed out are stored for as long as their cookies would be valid.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from deskcrew.errors import UsageError

SESSION_SECONDS = 30 * 24 * 3600
"""How long a browser stays signed in."""
LEAST_TOKEN = 20
"""The minimum length of a token that is set by hand."""
KEY_FILE = "web.key"
LEFT_FILE = "web.left"
"""The file with the sessions that were signed out, one a line."""


class Access:
    """Signs browsers in and out. ``key``: signs cookies; ``token``: a token that can be used any number of times, '' for
    one-time links only; ``folder``: for signed-out sessions, None for nowhere; ``now``: gives Unix seconds. Thread-safe."""

    def __init__(
        self, key: bytes, *, token: str = "", folder: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._key, self._token, self._now = key, token, now
        self._links: set[str] = set()
        self._lock = threading.Lock()
        self._file = folder / LEFT_FILE if folder is not None else None
        self._left: set[str] = set()
        if self._file is not None and self._file.exists():
            self._left = {text for text in self._file.read_text(encoding="ascii").split() if self._recent(text)}

    @property
    def has_token(self) -> bool:
        """Whether there is a token that a person can type in."""
        return bool(self._token)

    def is_token(self, given: str) -> bool:
        """Whether ``given`` is the token that can be used any number of times."""
        return bool(self._token) and hmac.compare_digest(_digest(given), _digest(self._token))

    def link(self) -> str:
        """A new token for a link, which works once."""
        made = secrets.token_urlsafe(24)
        with self._lock:
            self._links.add(_digest(made))
        return made

    def opens(self, token: str) -> bool:
        """Whether ``token`` signs somebody in. Uses up a link's token."""
        if self.is_token(token):
            return True
        given = _digest(token)
        with self._lock:
            # Found by its hash, so that how long it takes says nothing of the token itself.
            found = given in self._links
            self._links.discard(given)
        return found

    def session(self) -> str:
        """A new cookie for somebody who signed in."""
        text = f"{int(self._now())}.{secrets.token_urlsafe(12)}"
        return f"{text}.{self._signed(text)}"

    def knows(self, cookie: str) -> bool:
        """Whether :meth:`session` made this cookie, and it is neither expired nor signed out."""
        text, _, signature = cookie.rpartition(".")
        signed = hmac.compare_digest(signature.encode(), self._signed(text).encode())
        return signed and self._recent(text) and text not in self._left

    def leave(self, cookie: str) -> None:
        """Sign a session out: its cookie is no longer valid. Raises UsageError if that cannot be stored."""
        if not self.knows(cookie):
            return
        with self._lock:
            self._left.add(cookie.rpartition(".")[0])
            if self._file is not None:
                try:
                    handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                    with os.fdopen(handle, "w", encoding="ascii") as file:
                        file.write("".join(f"{text}\n" for text in sorted(self._left) if self._recent(text)))
                except OSError as error:
                    hint = "You are signed out until the server is restarted."
                    raise UsageError(f"{self._file} cannot be written: {error.strerror}.", hint=hint) from error

    def _recent(self, text: str) -> bool:
        begun = text.partition(".")[0]
        return begun.isascii() and begun.isdigit() and 0 <= self._now() - int(begun[:12]) < SESSION_SECONDS

    def _signed(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def key_in(folder: Path) -> bytes:
    """The key that signs cookies, created if missing. Only the user can read it.

    Raises UsageError if it cannot be stored.
    """
    path = folder / KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
        key = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be used: {error.strerror}.", hint="Name another folder with --data.") from error
    if len(key) != 32:
        raise UsageError(f"{path} is damaged.", hint="Remove it; this signs everybody out.")
    return key


def checked_token(token: str) -> str:
    """Return ``token``. Raises UsageError if it is so short that it could be guessed."""
    if len(token) < LEAST_TOKEN:
        hint = "For example: python3 -c 'import secrets; print(secrets.token_urlsafe())'"
        raise UsageError(f"The token is too short to keep anybody out: use at least {LEAST_TOKEN} characters.", hint=hint)
    return token
