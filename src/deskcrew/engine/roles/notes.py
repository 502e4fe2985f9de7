"""What a workspace tells agents: its ``AGENTS.md``, and the purpose of the Agent Skills in it.

If the user has accepted this exact text, it is passed to roles as the user's words; otherwise it is untrusted, and shown as
data. In either case it permits nothing: consent comes from the task alone (``guard/consent.py``), and the contract's writer
is not shown untrusted notes. Notes are read once, before a run begins; its first event contains all that roles are told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from deskcrew.actions.allowed import Allowed
from deskcrew.engine.roles.role_kinds import KindName
from deskcrew.facts.events import WorkspaceNote
from deskcrew.facts.excerpts import shorten
from deskcrew.learning.skills import front_matter
from deskcrew.settings import Settings

FILE = "AGENTS.md"
SKILLS = (".agents/skills", ".deskcrew/skills")
"""Folders of a workspace that contain Agent Skills."""
FOLLOWED, FOREIGN = "followed-notes.json", "foreign-notes.json"
"""Files in the settings folder with the digests of notes that the user accepted, and of notes that they declined."""
LONGEST, ABOUT = 6000, 400
"""Maximum characters of a file's text and of a skill's purpose, as they are in many prompts."""
MOST_SKILLS = 20
BYTES = 1 << 20


def notes_of(workspace: Path, settings: Settings) -> tuple[WorkspaceNote, ...]:
    """A workspace's notes, and whether the user accepted them. Raises ConfigError if the list of accepted notes cannot
    be read."""
    followed = Allowed(settings.own, FOLLOWED).digests()
    return tuple(note.model_copy(update={"followed": note.digest in followed}) for note in _found(workspace.resolve()))


def undecided(notes: Iterable[WorkspaceNote], settings: Settings) -> list[WorkspaceNote]:
    """Notes that the user has neither accepted nor declined. Raises ConfigError if the list of declined notes cannot be
    read."""
    foreign = Allowed(settings.own, FOREIGN).digests()
    return [note for note in notes if not note.followed and note.digest not in foreign]


def decide(notes: Iterable[WorkspaceNote], workspace: Path, settings: Settings, *, followed: bool) -> None:
    """Record whether the user accepts notes; valid until the notes change. Raises ConfigError if that cannot be written."""
    for note in notes:
        Allowed(settings.own, FOLLOWED if followed else FOREIGN).add(note.digest, str(workspace / note.path))
        other = Allowed(settings.own, FOREIGN if followed else FOLLOWED)
        if path := other.digests().get(note.digest):
            other.remove(path)


def decided(settings: Settings) -> dict[Path, bool]:
    """The files with notes that the user once accepted (True) or declined. Raises ConfigError if the lists cannot be
    read."""
    said = ((False, FOREIGN), (True, FOLLOWED))
    return {Path(path): followed for followed, name in said for path in Allowed(settings.own, name).digests().values()}


def forget(file: Path, settings: Settings) -> None:
    """Forget the user's decision about a file: it is untrusted, and the user is asked about it again. Raises ConfigError if
    that cannot be written."""
    for name in (FOLLOWED, FOREIGN):
        said = Allowed(settings.own, name)
        if str(file) in said.digests().values():
            said.remove(str(file))


def workspace_of(file: Path) -> Path:
    """The workspace to which a file with a note belongs."""
    return file.parent if file.name == FILE else Path(*file.parts[:-4])  # FOLDER/.agents/skills/NAME/SKILL.md


def told_as_users(notes: Iterable[WorkspaceNote], reading: int) -> list[str]:
    """Notes that are passed to roles as the user's words. ``reading``: how much text the model is shown, in characters; 0:
    no notes either."""
    return [f"{note.text}\n(from {note.path} of the workspace)" for note in notes if note.followed and reading]


def told_as_data(notes: Iterable[WorkspaceNote], kind: KindName, reading: int) -> list[str]:
    """Notes that are passed to a role of this kind as untrusted data."""
    if kind == "contract" or not reading:
        return []
    return [f"{note.path} of the workspace says: {note.text}" for note in notes if not note.followed]


def _found(workspace: Path) -> Iterator[WorkspaceNote]:
    if (text := _read(workspace, workspace / FILE)) is not None and text.strip():
        yield WorkspaceNote(path=FILE, digest=_digest(text), text=shorten(text.strip(), LONGEST))
    files = [file for folder in SKILLS for file in sorted((workspace / folder).glob("*/SKILL.md"))]
    for file in files[:MOST_SKILLS]:
        text = _read(workspace, file)
        about = _about(text) if text is not None else ""
        if text is not None and about:
            path = file.relative_to(workspace).as_posix()
            yield WorkspaceNote(path=path, digest=_digest(text), text=shorten(f"{about} Read it before you do that.", ABOUT))


def _read(workspace: Path, file: Path) -> str | None:
    """The file's text; None if it does not exist or is a link out of the workspace."""
    try:
        there = file.resolve()
        if not there.is_relative_to(workspace) or not there.is_file():
            return None
        with there.open("rb") as reader:
            return reader.read(BYTES).decode(errors="replace")
    except OSError:
        return None


def _about(text: str) -> str:
    """A skill's name and description; '' if it lacks either."""
    try:
        told, _ = front_matter.split(text)
    except yaml.YAMLError:
        return ""
    name, about = told.get("name"), told.get("description")
    return f"{name}: {about}" if isinstance(name, str) and isinstance(about, str) else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
