"""The version of Deskcrew, and the commit from which it was built or runs."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

FILE = "commit.txt"
"""The file with the commit, in packages that were built from a repository (``hatch_build.py``)."""
SHORT = 12


def told() -> str:
    """Version and commit, as ``deskcrew --version`` prints them."""
    found = commit(Path(__file__).parents[2])
    return importlib.metadata.version("deskcrew") + (f" ({found[:SHORT]})" if found else "")


def commit(package: Path) -> str:
    """The commit (hex) of the package in a folder; '' if unknown."""
    file = package / FILE
    if file.is_file():
        return file.read_text().strip()
    root = package.parents[1]
    if package.parent.name != "src" or not (root / ".git").exists():
        return ""
    try:
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo
    except ImportError:  # of the extra files
        return ""
    try:
        with Repo(str(root)) as repository:
            return repository.head().decode()
    except (NotGitRepository, KeyError):  # KeyError: there is no commit yet
        return ""
