"""Documents of old office programs: LibreOffice converts them in the sandbox, and the result is read."""

from __future__ import annotations

import io
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path

from deskcrew.actions.sandbox import Sandbox, SandboxLimits
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.system_packages import install

LIMITS = SandboxLimits(seconds=120, cpu=120, memory=8 << 30, open_files=1024, processes=256, scratch=256 << 20)
"""LibreOffice reserves far more address space than it uses."""
_BEGINNINGS = (b"\xd0\xcf\x11\xe0", b"{\\rtf")
_PACKAGES = {"docx": "libreoffice-writer", "xlsx": "libreoffice-calc", "pptx": "libreoffice-impress"}


def is_of_office(content: bytes) -> bool:
    """Whether an office program wrote the content. Web pages and tables, too, are sometimes given office suffixes."""
    return content.startswith(_BEGINNINGS) or zipfile.is_zipfile(io.BytesIO(content))


@lru_cache(maxsize=8)  # each prompt outlines the same files
def converted(content: bytes, source: str, target: str) -> bytes:
    """A file with the suffix ``source``, converted to ``target``: docx, xlsx or pptx. Raises ActionError or ValueError."""
    with tempfile.TemporaryDirectory(prefix="deskcrew-office-") as name:
        folder = Path(name)
        (folder / f"file.{source}").write_bytes(content)
        words = ["soffice", "--headless", "--norestore", "--convert-to", target, f"file.{source}"]
        try:
            with Sandbox(folder, limits=LIMITS) as sandbox:
                done = sandbox.run(["/bin/sh", "-c", 'exec "$@"', "sh", *words], network=False)
        except EnvironmentFailure as error:
            raise ActionError(f".{source} files cannot be read: {error}") from error
        made = folder / f"file.{target}"
        if done.exit_code == 127 or (not made.is_file() and "no export filter" in done.stderr + done.stdout):
            raise ActionError(f"To read .{source} files LibreOffice is needed. The user can: {install(_PACKAGES[target])}")
        if made.is_symlink() or not made.is_file():
            why = "it takes too long" if done.timed_out else " ".join((done.stderr or done.stdout).split())[:200]
            raise ValueError(f"LibreOffice cannot convert it ({why})")
        return made.read_bytes()
