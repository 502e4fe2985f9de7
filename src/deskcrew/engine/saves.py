"""Save points of a run: its workspace, and what its browsers keep."""

from __future__ import annotations

import time
from dataclasses import dataclass

import anyio.to_thread

from deskcrew.engine.record import Record
from deskcrew.environments.desk import Desk
from deskcrew.environments.environment import Browser
from deskcrew.environments.save_point import SavePoints
from deskcrew.facts.events import Saved
from deskcrew.journal.stored import Stored


@dataclass
class Saves:
    """Makes save points. ``points``: those of the workspace; ``stored``: cookies and page storage, beside the journal."""

    record: Record
    points: SavePoints
    stored: Stored

    async def save(self, desk: Desk | None = None) -> None:
        """Save the workspace as it is now, so that a rewind can restore it; nothing if it is unchanged since the last
        save point. ``desk``: where a browser's storage is saved, too."""
        started = time.monotonic()
        taken = await anyio.to_thread.run_sync(self.points.take)
        if taken.digest != self.record.state.saved:
            seconds = round(time.monotonic() - started, 4)
            body = Saved(manifest=taken.digest, files=taken.manifest.files, unsaved=taken.unsaved, seconds=seconds)
            self.record.journal.append(body, lane=self.record.lane)
        if desk is not None and isinstance(desk.desktop, Browser):
            await anyio.to_thread.run_sync(self._save_stored, desk.desktop)

    async def settle(self, desk: Desk) -> None:
        """End all programs and desktops, then save the workspace: nothing of this run can change it afterwards."""
        await anyio.to_thread.run_sync(desk.end_programs)
        await self.save()

    def _save_stored(self, browser: Browser) -> None:
        if (state := browser.stored()) is not None:
            self.stored.keep(self.record.journal.events[-1].number, state, self.record.state.desk)
