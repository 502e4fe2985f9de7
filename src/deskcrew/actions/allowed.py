"""What a person has allowed: digests of projects, action files and skills, stored in the settings and never in a project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from deskcrew.actions.files import replace
from deskcrew.errors import ConfigError

FILE = "allowed-actions.json"
_DIGESTS = TypeAdapter(dict[str, str])


@dataclass(frozen=True, slots=True)
class Allowed:
    """The digests that the user has allowed, each with its path then, kept in the file ``name`` in the settings folder."""

    folder: Path
    name: str = FILE

    @property
    def path(self) -> Path:
        return self.folder / self.name

    def digests(self) -> dict[str, str]:
        """Paths by digest (SHA-256, hex). Raises ConfigError if they cannot be read."""
        try:
            return _DIGESTS.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be read: {error.strerror}.") from error
        except ValidationError as error:
            hint = "Move it away, and allow yours again: deskcrew actions allow FILE, deskcrew skill allow NAME."
            raise ConfigError(f"{self.path} is not a list of allowed items.", hint=hint) from error

    def add(self, digest: str, path: str) -> None:
        """Allow the file with this digest from now on. Raises ConfigError if that cannot be stored."""
        self._write({**self.digests(), digest: path})

    def remove(self, path: str) -> None:
        """Revoke what was allowed for this path, whatever its content was. Raises ConfigError if that cannot be stored."""
        self._write({digest: there for digest, there in self.digests().items() if there != path})

    def _write(self, digests: dict[str, str]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace(self.path, _DIGESTS.dump_json(digests, indent=1))
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be written: {error.strerror}.") from error
