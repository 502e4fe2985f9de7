"""Storage of secrets between runs: the system's keyring if there is one, else an encrypted file, on this disk or at an
address that all nodes of a fleet can reach.

Names and bindings can be listed without a passphrase and without reading a value. The binding that counts is stored with the
value, so that whoever can write only the list cannot widen it.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from deskcrew.errors import UsageError, extra_installed
from deskcrew.facts.liveness import write_private
from deskcrew.facts.meant import unknown
from deskcrew.facts.object_stores import ObjectStore
from deskcrew.secrets.binding import Binding, Secret, check_name
from deskcrew.settings import Settings

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

PASSPHRASE = "DESKCREW_SECRET_PASSPHRASE"
SERVICE = "deskcrew"
INDEX = ":bindings"
"""The keyring's entry with all names and bindings; no secret can have this name."""
_COST = 1 << 15
_CHECK = b"deskcrew secrets"
Ask = Callable[[str], str]
"""Asks a person for a passphrase, without echo. Its argument is the prompt."""


class Keyring(Protocol):
    """The methods of a ``keyring`` backend that are used."""

    @property
    def name(self) -> str: ...

    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


class SecretStore(Protocol):
    """The secrets of one user."""

    @property
    def place(self) -> str:
        """Where the secrets are stored, in words for people."""
        ...

    def set(self, secret: Secret) -> bool:
        """Store a secret, and replace any with the same name. Returns whether there was one."""
        ...

    def list(self) -> dict[str, Binding]:
        """The bindings of all secrets by name, sorted. Reads no value."""
        ...

    def get(self, name: str) -> Secret:
        """The secret with this name. Raises UsageError if there is none, or it cannot be read."""
        ...

    def remove(self, name: str) -> None:
        """Delete the secret with this name. Raises UsageError if there is none."""
        ...


class _Bound(BaseModel):
    """A binding as it is stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    apps: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def binding(self) -> Binding:
        return Binding(self.apps, self.hosts)


class _Kept(_Bound):
    """A whole secret as it is stored, in the keyring or encrypted."""

    name: str
    value: str

    def secret(self) -> Secret:
        return Secret(self.name, self.value, self.binding())


class _Entry(_Bound):
    token: str


class _File(BaseModel):
    """The encrypted file: bindings in clear text, each with its secret as a Fernet token."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    salt: str
    cost: int = _COST
    check: str
    """A token of known content, which reveals a wrong passphrase even if there is no secret yet."""
    secrets: dict[str, _Entry] = {}


class _Place(Protocol):
    """The place of the encrypted file. Reading and writing raise UsageError if it cannot be used."""

    def __str__(self) -> str: ...

    def read(self) -> bytes | None:
        """The file's content; None if there is no file."""
        ...

    def write(self, text: str) -> None:
        """Replace the file atomically."""
        ...

    def alone(self) -> AbstractContextManager[object]:
        """Lock the file, so that no other process changes it during the block."""
        ...


class _OnDisk:
    """A file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(self, error.strerror or str(error)) from None

    def write(self, text: str) -> None:
        """Replace the file. Others can never read it, not even for a moment."""
        try:
            write_private(self._path, text, durable=True)
        except OSError as error:
            raise UsageError(f"The secrets cannot be written to {self}: {error.strerror}.") from error

    def alone(self) -> AbstractContextManager[object]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(self._path.with_suffix(".lock"), mode=0o600)


class _AtAddress:
    """An object in a store such as S3, which cannot be locked: of two changes at the same time, one is lost."""

    def __init__(self, address: str) -> None:
        self._address = address
        hint = "Check the address, and what gives this machine access to it."
        self._store = ObjectStore(address, f"The secrets in {address}", UsageError, hint=hint)

    def __str__(self) -> str:
        return self._address

    def read(self) -> bytes | None:
        with self._store.used():
            try:
                return bytes(self._store.files.cat_file(self._store.root))
            except FileNotFoundError:
                return None

    def write(self, text: str) -> None:
        self._store.write(self._store.root, text.encode())

    def alone(self) -> AbstractContextManager[object]:
        return nullcontext()


class FileStore:
    """Secrets in an encrypted file. ``ask`` is called at most once, when a value is needed and
    ``DESKCREW_SECRET_PASSPHRASE`` is not set."""

    def __init__(self, place: Path | str, ask: Ask) -> None:
        """``place``: a path, or an address with ``://``. Raises UsageError if the address cannot be used."""
        self._file: _Place = _AtAddress(place) if isinstance(place, str) and "://" in place else _OnDisk(Path(place))
        self._ask = ask
        self._box: Fernet | None = None

    @property
    def place(self) -> str:
        return f"the encrypted file {self._file}"

    def set(self, secret: Secret) -> bool:
        with self._file.alone():
            kept = self._read()
            if kept is None:
                salt = base64.b64encode(secrets.token_bytes(16)).decode()
                box = self._open(salt, _COST, new=True)
                kept = _File(salt=salt, check=box.encrypt(_CHECK).decode())
            else:
                box = self._checked(kept)
            replaced = secret.name in kept.secrets
            token = box.encrypt(_written(secret).encode()).decode()
            kept.secrets[secret.name] = _Entry(apps=secret.binding.apps, hosts=secret.binding.hosts, token=token)
            self._file.write(kept.model_dump_json(indent=1))
        return replaced

    def list(self) -> dict[str, Binding]:
        kept = self._read()
        return {name: entry.binding() for name, entry in sorted(kept.secrets.items())} if kept else {}

    def get(self, name: str) -> Secret:
        kept = self._read()
        if kept is None or name not in kept.secrets:
            raise _unknown(name, self.list())
        from cryptography.fernet import InvalidToken

        box, entry = self._checked(kept), kept.secrets[name]
        try:
            found = _Kept.model_validate_json(box.decrypt(entry.token)).secret()
        except (InvalidToken, ValidationError):
            found = None
        if found is None or found.name != name or found.binding != entry.binding():
            raise UsageError(
                f"The secret {name!r} in {self._file} was changed by somebody without the passphrase; it is not used.",
                hint=f"Set it again: deskcrew secret set {name}",
            )
        return found

    def remove(self, name: str) -> None:
        if self._file.read() is None:
            raise _unknown(name, {})
        with self._file.alone():
            kept = self._read()
            if kept is None or name not in kept.secrets:
                raise _unknown(name, self.list())
            del kept.secrets[name]
            self._file.write(kept.model_dump_json(indent=1))

    def _read(self) -> _File | None:
        data = self._file.read()
        if data is None:
            return None
        try:
            kept = _File.model_validate_json(data)
        except ValidationError:
            raise _unreadable(self._file, "it is not a secrets file") from None
        if kept.version != 1 or not _COST >> 4 <= kept.cost <= _COST << 5:
            raise UsageError(f"The secrets in {self._file} were written by a newer Deskcrew.")
        return kept

    def _checked(self, kept: _File) -> Fernet:
        from cryptography.fernet import InvalidToken

        box = self._open(kept.salt, kept.cost, new=False)
        try:
            right = box.decrypt(kept.check) == _CHECK
        except InvalidToken:
            right = False
        if not right:
            self._box = None
            raise UsageError(
                f"The passphrase does not open {self._file}.",
                hint=f"Type it when asked, or set {PASSPHRASE}. If it is lost, remove the file and set the secrets again.",
            )
        return box

    def _open(self, salt: str, cost: int, *, new: bool) -> Fernet:
        if self._box is not None:
            return self._box
        try:
            from cryptography.fernet import Fernet
            from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
        except ImportError as error:
            raise UsageError("Secrets need a library that is not installed.", hint=extra_installed("secrets")) from error
        phrase = os.environ.get(PASSPHRASE) or self._ask("New passphrase for your secrets" if new else "Passphrase")
        if not phrase:
            raise UsageError("The passphrase is empty.", hint=f"Type one, or put it into {PASSPHRASE}.")
        key = Scrypt(salt=base64.b64decode(salt), length=32, n=cost, r=8, p=1).derive(phrase.encode())
        self._box = Fernet(base64.urlsafe_b64encode(key))
        return self._box


class KeyringStore:
    """Secrets in the keyring of the user's session: Secret Service, KWallet, Keychain, Credential Locker."""

    def __init__(self, backend: Keyring) -> None:
        self._backend = backend

    @property
    def place(self) -> str:
        return f"the system's keyring ({self._backend.name})"

    def set(self, secret: Secret) -> bool:
        listed = self.list()
        self._do(lambda: self._backend.set_password(SERVICE, secret.name, _written(secret)))
        self._write_index({**listed, secret.name: secret.binding})
        return secret.name in listed

    def list(self) -> dict[str, Binding]:
        written = self._do(lambda: self._backend.get_password(SERVICE, INDEX))
        try:
            listed: dict[str, Any] = json.loads(written or "{}")
            return {name: _Bound.model_validate(bound).binding() for name, bound in sorted(listed.items())}
        except (ValueError, AttributeError):
            raise UsageError(f"The list of secrets in {self.place} cannot be read.", hint="Set them again.") from None

    def get(self, name: str) -> Secret:
        check_name(name)
        written = self._do(lambda: self._backend.get_password(SERVICE, name))
        if written is None:
            raise _unknown(name, self.list())
        try:
            return _Kept.model_validate_json(written).secret()
        except ValidationError:
            raise UsageError(f"The secret {name!r} in {self.place} cannot be read.", hint="Set it again.") from None

    def remove(self, name: str) -> None:
        listed = self.list()
        if name not in listed:
            raise _unknown(name, listed)
        if self._do(lambda: self._backend.get_password(SERVICE, name)) is not None:
            self._do(lambda: self._backend.delete_password(SERVICE, name))
        del listed[name]
        self._write_index(listed)

    def _write_index(self, listed: dict[str, Binding]) -> None:
        plain = {name: {"apps": binding.apps, "hosts": binding.hosts} for name, binding in listed.items()}
        self._do(lambda: self._backend.set_password(SERVICE, INDEX, json.dumps(plain)))

    def _do(self, call: Callable[[], Any]) -> Any:
        from keyring.errors import KeyringError

        try:
            return call()
        except KeyringError as error:
            raise UsageError(
                f"{self.place.capitalize()} cannot be used: {type(error).__name__}.", hint="Unlock it, and try again."
            ) from error


def open_store(settings: Settings, ask: Ask) -> SecretStore:
    """A user's secrets: where the settings say, else the file in the data folder if it exists, else the system's keyring,
    else a new file. If several people use this Deskcrew, each has a file, because the keyring is the machine user's. Raises
    UsageError if the address in the settings cannot be used."""
    if settings.secrets:
        return FileStore(settings.secrets, ask)
    path = settings.data / "secrets.json"
    backend = None if path.exists() or settings.person else usable_keyring()
    return FileStore(path, ask) if backend is None else KeyringStore(backend)


def usable_keyring() -> Keyring | None:
    """The system's keyring; None if there is none, or if it stores secrets in clear text."""
    try:
        import keyring
    except ImportError:
        return None
    backend = keyring.get_keyring()
    # 1 is where keyring itself draws the line between what it recommends and what it does not.
    return cast("Keyring", backend) if backend.priority >= 1 else None


def _written(secret: Secret) -> str:
    binding = secret.binding
    return _Kept(name=secret.name, value=secret.value, apps=binding.apps, hosts=binding.hosts).model_dump_json()


def _unreadable(place: _Place, why: str) -> UsageError:
    there = isinstance(place, _OnDisk)
    hint = "Move it away, and set them again." if there else "Check the address, and what gives this machine access to it."
    return UsageError(f"The secrets in {place} cannot be read: {why}.", hint=hint)


def _unknown(name: str, listed: dict[str, Binding]) -> UsageError:
    error = unknown(f"There is no secret {name!r}", name, listed)
    return UsageError(str(error), hint=f"{error.hint} To keep one: deskcrew secret set NAME --app APP")


def check_known(settings: Settings, names: Iterable[str]) -> None:
    """Raise UsageError for a name of no secret. Names can be read without a passphrase."""
    listed = open_store(settings, lambda _: "").list()
    for name in names:
        if name not in listed:
            raise _unknown(name, listed)
