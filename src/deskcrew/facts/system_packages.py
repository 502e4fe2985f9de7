"""The command that installs a program on this machine: packages are named as in Debian, and translated."""

from __future__ import annotations

import platform
from collections.abc import Mapping

FEDORA = {
    "ffmpeg": "ffmpeg-free",
    "libseccomp2": "libseccomp",
    "xvfb": "xorg-x11-server-Xvfb",
}
"""What is called otherwise there; ``tools/apt-packages.txt`` has the names of the whole set-up."""
NOT_IN_UBUNTU = {"chromium": "(Ubuntu has Chromium as a snap alone, which cannot start in a sandbox.)"}


def install(*packages: str) -> str:
    """The command for these packages, and what a person must know besides."""
    command = " ".join(installing(*packages))
    if command:
        command = f"sudo {command}"
    elif not _kinds() & {"debian", "fedora"}:
        command = f"Install what Debian calls {' '.join(packages)}."
    absent = [words for name, words in NOT_IN_UBUNTU.items() if name in packages and "ubuntu" in _kinds()]
    return " ".join(words for words in (command, *absent) if words)


def installing(*packages: str) -> list[str]:
    """The words of that command, for root; none where no package manager is known or has any of them."""
    kinds = _kinds()
    if "fedora" in kinds:
        return ["dnf", "install", *(FEDORA.get(name, name) for name in packages)]
    there = [name for name in packages if "ubuntu" not in kinds or name not in NOT_IN_UBUNTU]
    return ["apt", "install", *there] if "debian" in kinds and there else []


def _kinds() -> frozenset[str]:
    """This distribution's id and those of what it is like."""
    try:
        released: Mapping[str, str] = platform.freedesktop_os_release()
    except OSError:
        return frozenset()
    return frozenset(f"{released['ID']} {released.get('ID_LIKE', '')}".split())
