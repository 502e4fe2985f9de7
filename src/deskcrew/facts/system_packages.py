"""The command that installs packages on this machine. Packages are given by their Debian names and translated."""

from __future__ import annotations

import platform
from collections.abc import Mapping

FEDORA = {
    "ffmpeg": "ffmpeg-free",
    "libseccomp2": "libseccomp",
    "xvfb": "xorg-x11-server-Xvfb",
}
"""Packages with another name in Fedora, by Debian name; ``tools/apt-packages.txt`` lists those of the whole set-up."""
NOT_IN_UBUNTU = {"chromium": "(Ubuntu has Chromium only as a snap, which cannot start in a sandbox.)"}


def install(*packages: str) -> str:
    """The command that installs these packages, followed by notes for a person, if any."""
    command = " ".join(installing(*packages))
    if command:
        command = f"sudo {command}"
    elif not _kinds() & {"debian", "fedora"}:
        command = f"Install what Debian calls {' '.join(packages)}."
    absent = [words for name, words in NOT_IN_UBUNTU.items() if name in packages and "ubuntu" in _kinds()]
    return " ".join(words for words in (command, *absent) if words)


def installing(*packages: str) -> list[str]:
    """The words of the command, to be run as root; empty if no known package manager has any of the packages."""
    kinds = _kinds()
    if "fedora" in kinds:
        return ["dnf", "install", *(FEDORA.get(name, name) for name in packages)]
    there = [name for name in packages if "ubuntu" not in kinds or name not in NOT_IN_UBUNTU]
    return ["apt", "install", *there] if "debian" in kinds and there else []


def _kinds() -> frozenset[str]:
    """The ids of this distribution and of those that it is based on."""
    try:
        released: Mapping[str, str] = platform.freedesktop_os_release()
    except OSError:
        return frozenset()
    return frozenset(f"{released['ID']} {released.get('ID_LIKE', '')}".split())
