"""Files of the workspace (C25 and what else a FileManager needs). Every path is confined to the workspace.

Copy and move refuse an existing destination. Deleted files go to the workspace's ``.trash``, under their own path, with a
number if that is taken. This is not the user's trash can: it is on the same file system, is covered by save points, and
works without a home folder.
"""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import os
import stat
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from glob import has_magic
from pathlib import Path
from typing import Annotated

from pydantic import Field

from deskcrew.actions import readers
from deskcrew.actions.action import Action, Finding, Happening, Params, Result, Scene
from deskcrew.actions.asked import SHORT, Asked, first_line
from deskcrew.actions.effects import failed
from deskcrew.actions.excerpts import excerpt
from deskcrew.actions.params import Brief, OneOf
from deskcrew.environments.beginning import Beginning
from deskcrew.environments.changes import Changes
from deskcrew.environments.held_folders import copy
from deskcrew.environments.trees import remove
from deskcrew.environments.workspace import INSIDE, TRASH, Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.facts.legible import counted
from deskcrew.facts.observation import Control, FileEntry, Observation

_LISTED = 500
_BESIDE = ".deskcrew-"
"""The prefix of the temporary name under which a file is written first."""


class ReadParams(Params):
    file_path: Annotated[str, OneOf("files"), Brief(200)] = Field(min_length=1, description="A file of the workspace.")
    part: Annotated[str, Brief(60)] = Field("", description="Pages, lines or rows: 2, 3-5, Sheet2, Sheet2!1-40. '' is all.")
    find: Annotated[str, Brief(100)] = Field("", description="Only the lines or rows with this text.")


class WriteParams(Params):
    file_path: Annotated[str, Brief(200)] = Field(min_length=1, description="The file, new or not.")
    text: str = Field(max_length=10_000_000, description="All of its new text.")
    append: bool = Field(False, description="Add to its end instead of replacing all.")


class TransferParams(Params):
    source: Annotated[str, OneOf("entries"), Brief(200)] = Field(min_length=1, description="File or folder.")
    destination: Annotated[str, Brief(200)] = Field(min_length=1, description="New path, or the folder to put it in.")


class FolderParams(Params):
    folder: Annotated[str, OneOf("folders"), Brief(200)] = Field(".", description="'.' is the workspace itself.")


class FindFilesParams(Params):
    pattern: Annotated[str, Brief(100)] = Field(min_length=1, description="Part of a name, or e.g. *.txt.")


class NewFolderParams(Params):
    folder: Annotated[str, Brief(200)] = Field(min_length=1, description="Path of the new folder.")


class DeleteParams(Params):
    path: Annotated[str, OneOf("entries"), Brief(200)] = Field(min_length=1, description="File or folder.")


def read_file(scene: Scene, params: ReadParams, control: Control | None) -> Result:
    """Read a text, csv, json, xml, html, xlsx, docx, pptx, odt, ods, pdf, zip, SQLite or picture file, or a part of it."""
    path = scene.workspace.resolve(params.file_path, must_exist=True)
    name = scene.workspace.relative(path)
    if path.is_dir():
        raise ActionError(f"{name} is a folder; list_files shows what is in it.")
    with scene.workspace.held(path) as place:
        text = excerpt(place, params.part, params.find, room=scene.room)
    return Result(ok=True, text=text or "(the file is empty)", reads=(name,))


def write_file(scene: Scene, params: WriteParams, control: Control | None) -> Result:
    """Write a text file."""
    path = scene.workspace.resolve(params.file_path)
    name = scene.workspace.relative(path)
    if path.is_dir():
        raise ActionError(f"{name} is a folder; name a file in it.")
    if path.suffix.lower() in readers.READERS:
        raise ActionError(f"{name}: text does not make a {path.suffix[1:]} file; write .txt or .csv, or use a program.")
    scene.workspace.changeable(path)
    data = params.text.encode("utf-8", "replace")
    with scene.workspace.held(path, make=True) as place:
        if params.append:
            _append(place, data)
        else:
            replace(place, data)
    return Result(ok=True, text=f"{'Added' if params.append else 'Wrote'} {len(data)} bytes: {name}.")


def _overwrites(workspace: Workspace, params: WriteParams, beginning: Beginning) -> Changes:
    path = workspace.relative(workspace.resolve(params.file_path))
    return Changes() if params.append else beginning.overwritten(path, params.text.encode("utf-8", "replace"))


def remove_half_written(workspace: Workspace, operation: Operation) -> None:
    """Remove what a process that was killed during ``operation`` left beside the file or folder it was writing."""
    writing = next((action for action in ACTIONS if action.name == operation.function and action.writes), None)
    if writing is None or (name := operation.params.get(writing.writes[0])) is None:
        return
    try:
        path = workspace.resolve(str(name))
        for folder in (path.parent, path):  # what is copied can go into the folder that is named
            for half in folder.glob(f"{_BESIDE}{'?' * 32}.part"):
                _remove(half)
    except (ActionError, OSError):
        return  # the folder has gone, or is not ours to change: then nothing of ours is in it


@contextmanager
def _beside(path: Path) -> Generator[Path]:
    """A temporary name beside ``path`` to write under until everything is there; removed at the end if it still exists."""
    temporary = path.parent / f"{_BESIDE}{uuid.uuid4().hex}.part"
    try:
        yield temporary
    finally:
        _remove(temporary)


def _remove(path: Path) -> None:
    parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        remove(parent, path.name)
    finally:
        os.close(parent)


def _append(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    with open(os.open(path, flags, 0o666), "ab") as file:
        file.write(data)


def replace(path: Path, data: bytes) -> None:
    """Write a file atomically: a full disk leaves the old content."""
    try:
        mode = stat.S_IMODE(path.lstat().st_mode)
    except FileNotFoundError:
        mode = 0o666
    with _beside(path) as temporary:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
        os.replace(temporary, path)


def _written(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    name, data = happening.params.file_path, happening.params.text.encode("utf-8", "replace")
    entry = _entry(happening.after, name)
    if entry is None:
        return Finding(held=False, why=f"{name} is not there")
    if happening.params.append:
        before = _entry(happening.before, name)
        held = entry.size == (before.size if before else 0) + len(data)
    elif entry.digest is None:
        held = entry.size == len(data)
    else:
        held = entry.digest == hashlib.sha256(data).hexdigest()
    return Finding(held=held, why="" if held else f"{name} has other content")


def copy_file(scene: Scene, params: TransferParams, control: Control | None) -> Result:
    """Copy a file or folder."""
    source, goal = _ends(scene.workspace, params)
    with scene.workspace.held(source) as origin, scene.workspace.held(goal, make=True) as place:
        _copy(origin, place)
    name = scene.workspace.relative(goal)
    return Result(ok=True, text=f"Copied to {name}.", reads=(scene.workspace.relative(source),))


def _copy(source: Path, goal: Path) -> None:
    """Copy atomically: a full disk, or a process that is killed, leaves nothing incomplete at ``goal``."""
    with _beside(goal) as temporary:
        copy(source, temporary)
        if os.path.lexists(goal):  # it came while that was copied
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(goal))
        os.rename(temporary, goal)


def move_file(scene: Scene, params: TransferParams, control: Control | None) -> Result:
    """Move or rename a file or folder."""
    source, goal = _ends(scene.workspace, params)
    scene.workspace.removable(source)
    name = os.path.relpath(source, scene.workspace.root)
    with scene.workspace.held(source) as origin, scene.workspace.held(goal, make=True) as place:
        os.rename(origin, place)
    return Result(ok=True, text=f"Moved to {scene.workspace.relative(goal)}.", reads=(name,))


def _ends(workspace: Workspace, params: TransferParams) -> tuple[Path, Path]:
    source = _existing(workspace, params.source)
    goal = workspace.resolve(params.destination)
    if goal.is_dir():
        goal = workspace.resolve(f"{workspace.relative(goal)}/{source.name}")
    if goal == source or goal.is_relative_to(source):
        raise ActionError(f"{params.destination} is the same as, or inside, {params.source}.")
    workspace.changeable(goal)
    if os.path.lexists(goal):
        raise ActionError(f"{workspace.relative(goal)} already exists; choose another name, or delete it first.")
    return source, goal


def _existing(workspace: Workspace, path: str) -> Path:
    """The entry that a model named: a link itself is moved or deleted, not its target."""
    real = workspace.resolve(path, must_exist=True)
    if real == workspace.root:
        raise ActionError("That is the workspace itself; name something in it.")
    # Only the folder is resolved, so that the last part may be a link.
    plain = path.strip().removeprefix(INSIDE).strip("/")
    entry = workspace.resolve(os.path.dirname(plain) or ".") / os.path.basename(plain)
    return entry if entry.is_symlink() else real


def _transferred(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    created = [entry for path in happening.evidence.files_created if (entry := _entry(happening.after, path))]
    if not created:
        return Finding(held=False, why="no new file is there")
    source = _entry(happening.before, happening.params.source)
    same = source is None or source.kind != "file" or any(entry.digest == source.digest for entry in created)
    return Finding(held=same, why="" if same else f"what is there is not the same as {happening.params.source}")


def list_files(scene: Scene, params: FolderParams, control: Control | None) -> Result:
    """List a folder of the workspace."""
    path = scene.workspace.resolve(params.folder, must_exist=True)
    if not path.is_dir():
        raise ActionError(f"{params.folder} is a file; read_file shows what is in it.")
    prefix = "" if path == scene.workspace.root else scene.workspace.relative(path) + "/"
    entries = scene.workspace.observe().files
    here = [entry for entry in entries if entry.path.startswith(prefix) and "/" not in entry.path[len(prefix) :]]
    return Result(ok=True, text=_listing(here) or "The folder is empty.")


def find_files(scene: Scene, params: FindFilesParams, control: Control | None) -> Result:
    """Find files by name in all folders."""
    wanted = params.pattern.strip().casefold()
    pattern = wanted if has_magic(wanted) else f"*{wanted}*"
    found = [
        entry
        for entry in scene.workspace.observe().files
        if fnmatch.fnmatchcase(entry.path.casefold(), pattern)
        or fnmatch.fnmatchcase(entry.path.rpartition("/")[2].casefold(), pattern)
    ]
    return Result(ok=True, text=_listing(found) or f"No file matches {params.pattern!r}.")


def _listing(entries: list[FileEntry]) -> str:
    lines = [f"{e.path}  {e.size} bytes" if e.kind == "file" else f"{e.path}  ({e.kind})" for e in entries[:_LISTED]]
    more = len(entries) - len(lines)
    return "\n".join([*lines, *([f"[and {more} more]"] if more else [])])


def make_folder(scene: Scene, params: NewFolderParams, control: Control | None) -> Result:
    """Make a folder."""
    path = scene.workspace.resolve(params.folder)
    if path.exists():
        raise ActionError(f"{scene.workspace.relative(path)} already exists.")
    scene.workspace.changeable(path)
    with scene.workspace.held(path, make=True) as place:
        os.mkdir(place)
    return Result(ok=True, text=f"Made the folder {scene.workspace.relative(path)}.")


def _made(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    entry = _entry(happening.after, happening.params.folder)
    held = entry is not None and entry.kind == "folder"
    return Finding(held=held, why="" if held else f"there is no folder {happening.params.folder}")


def delete_file(scene: Scene, params: DeleteParams, control: Control | None) -> Result:
    """Put a file or folder into the trash, from where a person can restore it."""
    path = _existing(scene.workspace, params.path)
    scene.workspace.removable(path)
    name = scene.workspace.relative(path)
    if scene.beginning is not None and scene.beginning.is_own(name):
        # Nobody misses it, save points have it, and a trash of its own would be one more thing left in a person's folder.
        with scene.workspace.held(path) as origin:
            _remove(Path(origin))
        return Result(ok=True, text=f"{name} is removed.")
    goal = scene.workspace.root / TRASH / name
    number = 1
    while os.path.lexists(goal):
        number += 1
        goal = scene.workspace.root / TRASH / f"{name}.{number}"
    with scene.workspace.held(path) as origin, scene.workspace.held(goal, make=True) as place:
        os.rename(origin, place)
    return Result(ok=True, text=f"{name} is in the trash.")


def _removes(workspace: Workspace, params: DeleteParams, beginning: Beginning) -> Changes:
    real = workspace.relative(workspace.resolve(params.path))
    folder, name = os.path.split(params.path.strip().removeprefix(INSIDE).strip("/"))
    itself = os.path.normpath(f"{workspace.relative(workspace.resolve(folder or '.'))}/{name}")
    return beginning.removed(itself if beginning.is_link(itself) else real)


def _deleted(happening: Happening) -> Finding:
    if finding := failed(happening):
        return finding
    held = _entry(happening.after, happening.params.path) is None
    return Finding(held=held, why="" if held else f"{happening.params.path} is still there")


def _entry(observation: Observation, path: str) -> FileEntry | None:
    name = os.path.normpath(path.strip().removeprefix(INSIDE + "/"))
    return next((entry for entry in observation.files if entry.path == name), None)


def _read_words(asked: Asked) -> str:
    part = f", {asked.line('part', SHORT)}" if asked.raw("part") else ""
    only = f", only what has {asked.quoted('find', SHORT)} in it" if asked.raw("find") else ""
    return f"Read {asked.line('file_path')}{part}{only}"


def _write_words(asked: Asked) -> str:
    path, lines = asked.line("file_path"), asked.raw("text").splitlines()
    if not lines:
        return f"Add nothing to {path}" if asked.flag("append") else f"Make {path} an empty file"
    said = (
        asked.quoted("text", SHORT) if len(lines) == 1 else f"{counted(len(lines), 'line')}: {first_line(asked.raw('text'))}"
    )
    if asked.flag("append"):
        return f"Add {said} to {path}" if len(lines) == 1 else f"Add to {path} {said}"
    return f"Write {said} into {path}" if len(lines) == 1 else f"Write into {path} {said}"


def _list_words(asked: Asked) -> str:
    folder = asked.line("folder")
    return "List the files of the workspace" if folder in ("", ".", "./") else f"List the files in {folder}"


READ_FILE = Action(
    "read_file", ReadParams, read_file, "read", "none", "workspace",
    gives="content", onward='part="..." or find="..." shows others', worded=_read_words,
)  # fmt: skip
WRITE_FILE = Action(
    "write_file", WriteParams, write_file, "write", "undoable", "workspace", postcondition=_written, loses=_overwrites,
    writes=("file_path",), worded=_write_words,
)  # fmt: skip
COPY_FILE = Action(
    "copy_file", TransferParams, copy_file, "write", "undoable", "workspace", postcondition=_transferred,
    writes=("destination",), worded=lambda asked: f"Copy {asked.line('source')} to {asked.line('destination')}",
)  # fmt: skip
MOVE_FILE = Action(
    "move_file", TransferParams, move_file, "write", "undoable", "workspace", postcondition=_transferred,
    writes=("destination",), removes=("source",),
    worded=lambda asked: f"Move {asked.line('source')} to {asked.line('destination')}",
)  # fmt: skip
LIST_FILES = Action(
    "list_files", FolderParams, list_files, "read", "none", "workspace",
    gives="content", onward="a folder in it has fewer", worded=_list_words,
)  # fmt: skip
FIND_FILES = Action(
    "find_files", FindFilesParams, find_files, "read", "none", "workspace",
    gives="content", onward="a longer pattern finds fewer",
    worded=lambda asked: f"Find files named {asked.quoted('pattern')}",
)  # fmt: skip
MAKE_FOLDER = Action(
    "make_folder", NewFolderParams, make_folder, "write", "undoable", "workspace", postcondition=_made,
    writes=("folder",), worded=lambda asked: f"Make the folder {asked.line('folder')}",
)  # fmt: skip
DELETE_FILE = Action(
    "delete_file", DeleteParams, delete_file, "write", "undoable", "workspace", postcondition=_deleted, loses=_removes,
    removes=("path",), worded=lambda asked: f"Delete {asked.line('path')}",
)  # fmt: skip
ACTIONS = (READ_FILE, WRITE_FILE, COPY_FILE, MOVE_FILE, MAKE_FOLDER, DELETE_FILE, LIST_FILES, FIND_FILES)
