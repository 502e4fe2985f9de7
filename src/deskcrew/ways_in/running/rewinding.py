"""Resolves where a rewind goes back to, for its preview and for the process that rewinds; and the secrets it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from deskcrew.engine import rewind
from deskcrew.engine.request import RunRequest, secrets_of
from deskcrew.engine.rewind import Return
from deskcrew.engine.session import points_of
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import UsageError
from deskcrew.journal.branches import branch_named
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.secrets.binding import Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.store import PASSPHRASE, Ask, open_store
from deskcrew.settings import Settings
from deskcrew.ways_in.running.messages import RewindPlace, RunChanges

Change = Callable[[RunRequest], RunRequest]


def place_back(journal: Journal, place: RewindPlace, points: SavePoints, store: Store) -> Return:
    """Where the run would go back to, without changing anything. Blocking: reads the workspace. Raises UsageError if it
    cannot go back there."""
    return rewind.leaving(journal, _place(journal, place, points), points, store)


def _place(journal: Journal, place: RewindPlace, points: SavePoints) -> Return:
    if place.event is not None:
        return rewind.to_reply(journal, place.event, points, keep_files=place.keep_files)
    if place.say or place.role:
        raise UsageError("A sentence and another role need an event: no role is asked again at the end of a branch.")
    if place.branch is not None:
        return rewind.to_branch(journal, branch_named(journal, place.branch), points, keep_files=place.keep_files)
    return rewind.to_left(journal, points, keep_files=place.keep_files)


def _nobody(question: str) -> str:
    raise UsageError(
        "Your secrets need their passphrase, and a run in the background cannot ask for it.",
        hint=f"Set {PASSPHRASE} for the program that starts runs.",
    )


def points_again(journal: Journal, settings: Settings, ask: Ask = _nobody) -> SavePoints:
    """The save points of a run's workspace. ``ask``: see :func:`allowed`. Raises UsageError if the workspace is gone, or the
    run's secrets are not available: files that contain a secret are not saved, so its value is needed to recognise them."""
    journal.redactor = Redactor(allowed(settings, sorted(secrets_of(journal)), ask))
    return points_of(rewind.folder_of(journal), journal)


def changing(changes: RunChanges, journal: Journal, settings: Settings, ask: Ask = _nobody) -> Change:
    """A function that applies the changes to the request that a run began with, whose secrets it keeps: they are still on
    its screen and in its files. Raises UsageError if they are not available."""
    secrets = allowed(settings, sorted(secrets_of(journal)), ask)
    return lambda request: replace(changes.of(request), secrets=secrets)


def allowed(settings: Settings, names: Iterable[str], ask: Ask = _nobody) -> tuple[Secret, ...]:
    """The secrets with these names; no others are read. ``ask``: for their passphrase. Raises UsageError if one is missing
    or unavailable."""
    wanted = tuple(dict.fromkeys(names))
    if not wanted:
        return ()
    store = open_store(settings, ask)
    return tuple(store.get(name) for name in wanted)
