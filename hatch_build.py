"""Puts the commit that is built into the package, as ``deskcrew/commit.txt``: ``deskcrew --version`` says it; and into a
wheel the documentation, which ``deskcrew docs`` shows.

An sdist holds the file too, so that a wheel that is made of it, where there is no repository, says the same.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACES = {"wheel": "deskcrew/commit.txt", "sdist": "src/deskcrew/commit.txt"}


class CommitHook(BuildHookInterface[Any]):
    """Called for each wheel and sdist; not where the package is used as it lies in the repository."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if self.target_name == "wheel":
            for page in Path(self.root, "docs").rglob("*.md"):
                build_data["force_include"][str(page)] = f"deskcrew/{page.relative_to(self.root).as_posix()}"
            build_data["force_include"][str(Path(self.root, "SECURITY.md"))] = "deskcrew/docs/security.md"
        if not Path(self.root, ".git").exists():
            return
        command = ["git", "-C", self.root, "rev-parse", "HEAD"]
        try:
            commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return  # a package without it says its version alone
        self._made = tempfile.NamedTemporaryFile("w", suffix=".txt")  # noqa: SIM115 - until the build has read it
        self._made.write(commit)
        self._made.flush()
        build_data["force_include"][self._made.name] = PLACES[self.target_name]
