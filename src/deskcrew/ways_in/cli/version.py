"""The version of Deskcrew, and the commit that it was built from or runs from."""

from __future__ import annotations

from pathlib import Path

FILE = "commit.txt"
"""In the package if it was built from a repository (``hatch_build.py``)."""
SHORT = 12


def told() -> str:
    """Version and commit, as ``deskcrew --version`` says them."""
    import importlib.metadata

    found = commit(Path(__file__).parents[2])
    return importlib.metadata.version("deskcrew") + (f" ({found[:SHORT]})" if found else "")


def commit(package: Path) -> str:
    """The commit (hex) of a package's folder; '' if unknown."""
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
