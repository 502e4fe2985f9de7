"""Resolves where a rewind goes back to, for its preview and for the process that rewinds; and the secrets it needs."""

from __future__ import annotations

from collections.abc import Iterable

from deskcrew.engine import rewind
from deskcrew.engine.request import secrets_of
from deskcrew.engine.rewind import Return
from deskcrew.engine.session import points_of
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import UsageError
from deskcrew.journal.branches import branch_named
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.secrets.binding import Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.store import PASSPHRASE, open_store
from deskcrew.settings import Settings
from deskcrew.ways_in.running.messages import RewindPlace


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


def points_again(journal: Journal, settings: Settings) -> SavePoints:
    """The save points of a run's workspace. Raises UsageError if the workspace is gone, or the run's secrets are not
    available: files that contain a secret are not saved, so its value is needed to recognise them."""
    journal.redactor = Redactor(allowed(settings, secrets_of(journal)))
    return points_of(rewind.folder_of(journal), journal)


def allowed(settings: Settings, names: Iterable[str]) -> tuple[Secret, ...]:
    """The secrets with these names; no others are read. Raises UsageError if a person would have to be asked for one."""
    wanted = sorted(set(names))
    if not wanted:
        return ()
    store = open_store(settings, _nobody)
    return tuple(store.get(name) for name in wanted)


def _nobody(question: str) -> str:
    raise UsageError(
        "Your secrets need their passphrase, and a run in the background cannot ask for it.",
        hint=f"Set {PASSPHRASE} for the program that starts runs.",
    )
