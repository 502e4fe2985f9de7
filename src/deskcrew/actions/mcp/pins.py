"""The manifest of each server as a person allowed it, in the settings, so that it can be offered without being started."""

from __future__ import annotations

from pathlib import Path

from deskcrew.actions.files import replace
from deskcrew.actions.mcp.manifest import ServerManifest
from deskcrew.actions.mcp.servers import Server
from deskcrew.errors import ConfigError

FOLDER = "mcp"


def pinned(folder: Path, server: Server) -> str:
    """The latest manifest of a server with exactly this entry, as text; '' if it was never connected. ``folder``: the
    settings folder. Raises ConfigError if it cannot be read."""
    path = _path(folder, server)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read.", hint=f"deskcrew actions connect {server.name}") from error


def pin(folder: Path, server: Server, manifest: ServerManifest) -> None:
    """Store the server's current manifest. Raises ConfigError if that fails."""
    path = _path(folder, server)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, manifest.text.encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error


def _path(folder: Path, server: Server) -> Path:
    return folder / FOLDER / f"{server.digest}.json"
