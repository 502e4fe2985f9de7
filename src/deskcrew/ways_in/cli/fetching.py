"""Fetches a model while something else is going on."""

from __future__ import annotations

import threading
import time

from rich.console import Console

from deskcrew.errors import DeskcrewError
from deskcrew.models.catalogue import CatalogueEntry
from deskcrew.models.reference import parse
from deskcrew.models.store import WeightStore
from deskcrew.ways_in.cli.models import ProgressBar

MB = 1_000_000
LOOK = 0.2
"""Seconds between two updates of the progress."""


class Fetching:
    """Fetches a model in a thread of its own, and is its :class:`deskcrew.models.store.Progress`. If the program ends first,
    the part that has arrived is kept."""

    def __init__(self, store: WeightStore, name: str = "") -> None:
        self.entry, self.error = store.entry(name), ""
        self._done, self._source = 0, ""
        self._thread = threading.Thread(target=self._fetch, args=(store,), daemon=True)
        self._thread.start()

    def _fetch(self, store: WeightStore) -> None:
        try:
            store.pull(self.entry.name, progress=self)
        except DeskcrewError as error:
            self.error = error.whole

    def started(self, entry: CatalogueEntry, source: str) -> None:
        self._source = source

    def advanced(self, done: int, total: int) -> None:
        self._done = done

    def failed(self, source: str, reason: str) -> None:
        self._source = ""

    def waiting(self, entry: CatalogueEntry) -> None:
        self._source = "another process"

    @property
    def told(self) -> str:
        """The progress in words; '' if nothing is being fetched."""
        if not self._thread.is_alive() or not self._source:
            return ""
        if not self._done:
            return f"the local model is being fetched from {self._source}"
        return f"{self._done // MB:,} of {self.entry.size // MB:,} MB of the local model are here"

    def wait(self, out: Console) -> bool:
        """Show the progress until fetching has ended; returns whether the model is here."""
        if self._thread.is_alive():
            with ProgressBar(out) as bar:
                bar.started(self.entry, self._source or "its source")
                while self._thread.is_alive():
                    if self._done:
                        bar.advanced(self._done, self.entry.size)
                    time.sleep(LOOK)
        return not self.error


def wait_for(model: str, store: WeightStore, out: Console) -> None:
    """Show the progress as long as another process, such as the demo, fetches the local model that a run needs. Raises
    UsageError if there is no such model."""
    reference = parse(model)
    if reference.kind != "local" or reference.name.endswith(".gguf") or (done := store.arriving(reference.name)) is None:
        return
    entry = store.entry(reference.name)
    with ProgressBar(out) as bar:
        bar.waiting(entry)
        while done is not None:
            bar.advanced(done, entry.size)
            time.sleep(LOOK)
            done = store.arriving(reference.name)
