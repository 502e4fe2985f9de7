"""Downloads: put into the workspace under a safe name, and limited in size."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from playwright.async_api import Download
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.thread import Errands
from deskcrew.environments.held_folders import NEW, READ

LARGEST = 256 << 20
"""The maximum size of a file. A larger one is aborted, as save points do not keep it either."""
LONGEST_NAME = 120
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")
_LOOK_SECONDS = 0.25
"""Seconds between two checks of a file's size: the browser does not report it."""


class Downloads:
    """The downloads of one browser."""

    def __init__(self, workspace: Path, partial: Path | None, stirred: Callable[[], None]) -> None:
        """``partial``: the folder of unfinished files, None if that is on another machine; ``stirred``: called when one has
        ended."""
        self._workspace = workspace
        self._partial = partial
        self._stirred = stirred
        self.going: dict[Download, str] = {}
        self._errands = Errands()
        self._too_large: set[Download] = set()
        self.notes: list[str] = []
        """What became of those that ended since somebody last looked."""
        self.landed: list[str] = []
        """Names in the workspace, in the order in which they came."""

    def begin(self, download: Download) -> None:
        """Accept a download from a page."""
        self.going[download] = download.suggested_filename
        self._errands.begin(self._take(download))
        self._stirred()

    async def _take(self, download: Download) -> None:
        name = fit(download.suggested_filename)
        watch = self._errands.begin(self._watch(download))
        try:
            failure = await download.failure()
            if not failure and _size(await download.path()) > LARGEST:  # it was there before anybody looked
                self._too_large.add(download)
                failure = "too large"
                await download.delete()
            if not failure:
                kept = await asyncio.to_thread(_keep, await download.path(), self._workspace, name)
                self.landed.append(kept)
                self.notes.append(f"Downloaded {kept}.")
                await download.delete()
        except (BrowserError, OSError) as error:
            failure = error.strerror if isinstance(error, OSError) else error.message
        finally:
            watch.cancel()
            del self.going[download]
        if failure:
            too_large = download in self._too_large
            why = f"it is larger than {LARGEST >> 20} MB" if too_large else str(failure).splitlines()[0]
            self.notes.append(f"{name} was not downloaded: {why}.")
        self._stirred()

    async def _watch(self, download: Download) -> None:
        """Abort a download that grows too large."""
        while self._partial is None or max(map(_size, self._partial.iterdir()), default=0) <= LARGEST:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_SECONDS)
        self._too_large.add(download)
        await download.cancel()

    def told(self) -> list[str]:
        """Notes for the next observation, and the unfinished downloads."""
        notes, self.notes = self.notes, []
        return [*notes, *(f"{fit(name)} is being downloaded." for name in self.going.values())]


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


def fit(name: str) -> str:
    """A file's name that is valid in the workspace: no folder, nothing hidden, nothing invisible."""
    plain = _UNFIT.sub("_", PurePosixPath(name.replace("\\", "/")).name).strip(" .")
    stem, dot, ending = plain.rpartition(".")
    short = f"{stem[: LONGEST_NAME - len(ending) - 1]}.{ending}" if dot and len(ending) < 12 else plain[:LONGEST_NAME]
    return short.strip() or "download"


def _keep(source: Path, workspace: Path, name: str) -> str:
    """Copy a file to the workspace without overwriting. Its name there. Raises OSError."""
    path = PurePosixPath(name)
    for number in range(1000):
        kept = f"{path.stem} ({number}){path.suffix}" if number else name
        try:
            target = os.open(workspace / kept, NEW, 0o644)
        except FileExistsError:
            continue
        with os.fdopen(target, "wb") as file, os.fdopen(os.open(source, READ), "rb") as content:
            shutil.copyfileobj(content, file)
        return kept
    raise FileExistsError(17, "there are too many files of that name")
