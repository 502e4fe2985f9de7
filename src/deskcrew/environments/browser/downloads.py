"""Downloads: put into the workspace under a safe name and limited in size, if the crew asked for them. Files that a page
hands over by itself are reported and deleted.

The crew asked for the file of ``download_file``, of a link that the page marks as a download, and for a file that comes from
the very address that was opened, or of the link that was pressed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urldefrag

from playwright.async_api import Download
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.thread import Errands
from deskcrew.environments.changes import size_words
from deskcrew.environments.held_folders import NEW, READ

LARGEST = 256 << 20
"""The maximum size of a file. A larger one is aborted, as save points do not keep it either."""
LONGEST_NAME = 120
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")
_LOOK_SECONDS = 0.25
"""Seconds between two checks of a file's size, which the browser does not report."""
TAKEN_BY = "if the task needs it, use download_file on what hands it over"
ANY = ""
"""Accepted as the address of the next file, whatever its address is."""
MOST_OFFERED = 5
"""The number of unrequested files that an observation names; further ones are only counted."""
OFFERED_SECONDS = 2.0
"""Seconds that an unrequested file may take to arrive, so that its size is known."""


class HandedOver:
    """The files that pages of one browser hand over: the crew asks for the next file from an address, others are offered."""

    def __init__(self) -> None:
        self._expected: str | None = None
        self._offered: list[str] = []
        self.notes: list[str] = []
        """What happened to the files that ended since the last observation."""
        self.landed: list[str] = []
        """The names of files in the workspace, in order of arrival."""

    @property
    def coming(self) -> list[str]:
        """The names of files that were asked for and have not arrived yet."""
        raise NotImplementedError

    def expect(self, address: str | None) -> None:
        """Ask for the next file from this address (:data:`ANY`: from any). None: stop asking for one."""
        self._expected = address

    @property
    def expects(self) -> bool:
        """Whether a file was asked for that has not begun to arrive."""
        return self._expected is not None

    def arrived(self, address: str) -> None:
        """A page was loaded from this address, so it is not a file's; what it starts itself is not asked for."""
        if self._expected and _plain(self._expected) == _plain(address):
            self._expected = None

    def asked_for(self, address: str) -> bool:
        """Whether the crew asked for the file at this address."""
        return self._expected is not None and (self._expected == ANY or _plain(self._expected) == _plain(address))

    def offer(self, name: str, size: str) -> None:
        """Record a file that a page handed over unasked. ``size``: in words, '' if unknown."""
        self._offered.append(f"{name}{size}" if len(self._offered) < MOST_OFFERED else "")

    def told(self) -> list[str]:
        """Notes for the next observation, on finished and unfinished files."""
        offered, self._offered = self._offered, []
        notes, self.notes = self.notes, []
        notes += [f"The page offered {each}; it was not taken: {TAKEN_BY}." for each in offered[:MOST_OFFERED]]
        notes += [f"It offered {len(offered) - MOST_OFFERED} files more."] if len(offered) > MOST_OFFERED else []
        return [*notes, *(f"{fit(name)} is being downloaded." for name in self.coming)]


class Downloads(HandedOver):
    """The downloads of one browser."""

    def __init__(self, workspace: Path, partial: Path | None, stirred: Callable[[], None]) -> None:
        """``partial``: the folder of unfinished files, None if it is on another machine; ``stirred``: called when a download
        has ended."""
        super().__init__()
        self._workspace = workspace
        self._partial = partial
        self._stirred = stirred
        self.going: dict[Download, str] = {}
        self._errands = Errands()
        self._too_large: set[Download] = set()
        self._unasked: set[Download] = set()

    @property
    def coming(self) -> list[str]:
        return [name for download, name in self.going.items() if download not in self._unasked]

    def begin(self, download: Download, asked: str) -> None:
        """A page begins a download. ``asked``: the address that was requested before any redirect."""
        self.going[download] = download.suggested_filename
        # In somebody else's browser a file may be what they asked for themselves, and is kept nowhere else.
        if self._partial is None or self.asked_for(asked) or self.asked_for(download.url):
            self.expect(None)
            self._errands.begin(self._take(download))
        else:
            self._errands.begin(self._leave(download))
        self._stirred()

    async def _leave(self, download: Download) -> None:
        """Delete a file that nobody asked for, once its size is known."""
        self._unasked.add(download)
        size = ""
        if len(self._unasked) <= MOST_OFFERED:
            try:
                async with asyncio.timeout(OFFERED_SECONDS):
                    if not await download.failure():
                        size = f" ({size_words(_size(await download.path()))})"
            except (BrowserError, TimeoutError):
                pass  # how large it is nobody knows
        self.offer(fit(download.suggested_filename), size)
        with contextlib.suppress(BrowserError):  # it has gone with its page
            await download.cancel()
            await download.delete()
        del self.going[download]
        self._unasked.discard(download)
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
                kept = await asyncio.to_thread(keep, await download.path(), self._workspace, name)
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


def _plain(address: str) -> str:
    """An address without differences that do not matter to a server, unescaped."""
    return unquote(urldefrag(address).url).rstrip("/")


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


def fit(name: str) -> str:
    """A file name made valid for the workspace: no folder, nothing hidden, nothing invisible."""
    plain = _UNFIT.sub("_", PurePosixPath(name.replace("\\", "/")).name).strip(" .")
    stem, dot, ending = plain.rpartition(".")
    short = f"{stem[: LONGEST_NAME - len(ending) - 1]}.{ending}" if dot and len(ending) < 12 else plain[:LONGEST_NAME]
    return short.strip() or "download"


def keep(source: Path, workspace: Path, name: str) -> str:
    """Copy a file to the workspace without overwriting. Returns its name there. Raises OSError."""
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
