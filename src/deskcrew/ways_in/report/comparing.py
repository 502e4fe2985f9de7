"""Compares two branches: where they diverge, and how their final files differ."""

from __future__ import annotations

from itertools import zip_longest

from deskcrew.environments.manifest import Manifest, changes, printable
from deskcrew.facts import events as e
from deskcrew.facts.events import Saved
from deskcrew.journal.journal import Journal


def apart(a: list[e.Event], b: list[e.Event]) -> tuple[list[e.Event], list[e.Event]]:
    """The events of each of two branches after the last one that they share."""
    shared = next(
        (i for i, (x, y) in enumerate(zip_longest(a, b)) if x is None or y is None or x.id != y.id), max(len(a), len(b))
    )
    return a[shared:], b[shared:]


def file_differences(journal: Journal, a: list[e.Event], b: list[e.Event]) -> list[str]:
    """How the workspace at the end of ``b`` differs from that at the end of ``a``, one line a file. Compares the last save
    points; empty if a branch has none."""
    manifests: list[Manifest] = []
    for path in (a, b):
        saved = next((event.body.manifest for event in reversed(path) if isinstance(event.body, Saved)), "")
        if not saved:
            return []
        manifests.append(Manifest.from_bytes(journal.read_blob(saved)))
    found = changes(*manifests)
    words = (("written", "other content"), ("made", "folder in place of something else"))
    words += (("links", "link that leads elsewhere"), ("removed", "only in the first"), ("modes", "other permissions"))
    first = manifests[0].by_path
    return [
        f"{printable(path)}: {said if path in first else 'only in the second'}"
        for name, said in words
        for path in getattr(found, name)
    ]
