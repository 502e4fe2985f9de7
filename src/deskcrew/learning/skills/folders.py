"""Skills as folders in the Agent Skills format: found, read, written, packed and unpacked.

``SKILL.md`` contains name and description, and explains the rest to people; ``skill.json`` defines what is done, and
``scripts/`` contains a function's code. A project's folder may come from an archive or a clone, so a person must allow its
skills first, and again after each change.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import os
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Literal

import yaml
from pydantic import ValidationError

from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.canonical import canonical
from deskcrew.facts.unfit import in_words
from deskcrew.learning.skills import front_matter
from deskcrew.learning.skills.skill import LONGEST_DESCRIPTION, LONGEST_NAME, NAME, Code, Method, Skill

FOLDER = "skills"
"""The folder of skills in a project's ``.deskcrew`` and in the user's settings."""
ALLOWED = "allowed-skills.json"
"""The file in the user's settings that lists the allowed folders of projects."""
ABOUT, METHOD = "SKILL.md", "skill.json"
MOST_FILES, MOST_BYTES = 64, 8 << 20
SHIPPED = Path(__file__).with_name("shipped")
"""The skills that are part of the package."""
SHARED = "_shared"
"""The folder beside the shipped skills with code that several of them share, as if it were in their ``scripts/``."""
Origin = Literal["project", "user", "shipped"]
_AT_THIS_FOLDER, _RENAME_EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of renameat2(2)."""
_HINT = "`deskcrew docs keep-a-skill` says what a skill is made of."


@dataclass(frozen=True, slots=True)
class Source:
    """A skill's folder as it was read, before anything in it is used. ``files``: bytes by path within it; ``sent``: for a
    skill to import, how people know its folder or zip, '' otherwise."""

    folder: Path
    origin: Origin
    files: Mapping[str, bytes]
    sent: str = ""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def digest(self) -> str:
        return digest_of(self.files)

    def trusted(self, allowed: Collection[str]) -> bool:
        """Whether the skill may be used. ``allowed``: digests that a person allowed."""
        return self.origin != "project" or self.digest in allowed

    @property
    def shipped(self) -> bool:
        """Whether the skill is part of the package."""
        return self.origin == "shipped"


def digest_of(files: Mapping[str, bytes]) -> str:
    """SHA-256 (hex) of all files of a folder, including their names."""
    return hashlib.sha256(canonical({path: hashlib.sha256(data).hexdigest() for path, data in files.items()})).hexdigest()


def find(project: Path, user: Path, shipped: Path | None = None) -> Iterator[tuple[Origin, Path]]:
    """The folders of all skills, even damaged ones: the project's, then the user's, then those in ``shipped``, if given. Of
    two skills with the same name the first usable one counts: a project's skill that nobody allowed does not hide the user's
    own."""
    places: list[tuple[Origin, Path]] = [("project", project), ("user", user)]
    if shipped is not None:
        places.append(("shipped", shipped))
    for origin, place in places:
        for folder in sorted(place.glob("[!._]*/")):
            yield origin, folder


def read(folder: Path, origin: Origin) -> Source:
    """Read a skill's folder. Raises ConfigError if it is too large, or contains anything but files and folders."""
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        for entry in _entries(folder):
            info = entry.lstat()
            if not stat.S_ISREG(info.st_mode):
                raise ConfigError(f"{entry} is not a file: a skill contains only files and folders.", hint="Remove it.")
            left -= info.st_size
            if left < 0 or len(files) == MOST_FILES:
                raise _too_large(str(folder))
            files[entry.relative_to(folder).as_posix()] = entry.read_bytes()
        shared = sorted((folder.parent / SHARED).glob("*.py")) if origin == "shipped" else ()
        files |= {path: each.read_bytes() for each in shared if (path := f"scripts/{each.name}").encode() in files[METHOD]}
    except OSError as error:
        raise ConfigError(f"{error.filename or folder} cannot be read: {error.strerror}.") from error
    return Source(folder, origin, files)


def _entries(folder: Path) -> Iterator[Path]:
    """All entries below a folder except folders, but including links to folders, in a fixed order."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        yield from (Path(place) / name for name in sorted([*names, *links]))


def load(source: Source) -> Skill:
    """The skill in a folder. Raises ConfigError, with the file and what is wrong in it, if it is invalid."""
    kept_hint = f"Restore it, or remove it: deskcrew skill remove {source.name}"
    place, hint = source.sent or str(source.folder), _HINT if source.sent else kept_hint
    return replace(parse(source.name, source.files, place, hint), shipped=source.shipped)


@lru_cache(maxsize=256)
def shipped_skill(folder: Path) -> Skill:
    """A shipped skill, read once per process: every run considers all of them. Raises ConfigError as :func:`load` does."""
    return load(read(folder, "shipped"))


def parse(name: str, files: Mapping[str, bytes], place: str, hint: str = _HINT) -> Skill:
    """The skill in the files of a folder. ``name``: the folder's name; ``place``: its path in errors; ``hint``: their hint.
    Raises ConfigError if the files are no valid skill."""

    def wrong(file: str, what: str) -> ConfigError:
        return ConfigError(f"{place}/{file}: {what.removesuffix('.')}.", hint=hint)

    for file in (ABOUT, METHOD):
        if file not in files:
            raise ConfigError(f"{place} has no {file}: it contains nothing that could be done.", hint=hint)
    try:
        head, _ = front_matter.split(files[ABOUT].decode())
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise wrong(ABOUT, "its front matter cannot be read") from error
    said = str(head.get("name") or "")
    check_name(said, f"{place}/{ABOUT}")
    if said != name:
        raise wrong(ABOUT, f"it is called {said!r}, and its folder {name!r}")
    description = " ".join(str(head.get("description") or "").split())
    if not 0 < len(description) <= LONGEST_DESCRIPTION:
        raise wrong(ABOUT, f"its description must have 1 to {LONGEST_DESCRIPTION} characters")
    try:
        method = Method.model_validate_json(files[METHOD])
    except ValidationError as error:
        raise wrong(METHOD, in_words(error)) from error

    def code_of(code: Code | None) -> str:
        if code is None:
            return ""
        scripts = (*code.shares, code.script)
        if missing := next((script for script in scripts if script not in files), None):
            raise wrong(METHOD, f"its function is in {missing}, which does not exist")
        data = _code_in(files, code)
        if hashlib.sha256(data).hexdigest() != code.digest:
            edited = f"To use it as it is now: deskcrew skill import {place} --name NEW-NAME"
            told = f"{place}/{code.script}: the code differs from what was tried and accepted."
            raise ConfigError(told, hint=f"{edited}. {hint}")
        return data.decode()  # what was accepted was text

    function = method.function
    checker = code_of(function.checker) if function is not None else ""
    return Skill(name, description, method, digest_of(files), code_of(function), checker)


def check_name(name: str, place: str = "") -> None:
    """Raise ConfigError if a skill's name is invalid."""
    if not re.fullmatch(NAME, name) or len(name) > LONGEST_NAME:
        where = f"{place}: " if place else ""
        hint = f"Lower-case letters, digits and single hyphens, at most {LONGEST_NAME}: add-up-sales."
        raise ConfigError(f"{where}{name!r} cannot be the name of a skill.", hint=hint)


def files_of(name: str, description: str, method: Method, words: str) -> dict[str, bytes]:
    """The files of a new skill, except its script. ``words``: the text of SKILL.md below its front matter."""
    about = front_matter.joined({"name": name, "description": description}, words)
    return {ABOUT: f"{about}\n".encode(), METHOD: f"{method.model_dump_json(indent=1, exclude_defaults=True)}\n".encode()}


def unused(place: Path, name: str) -> Path:
    """The path of a new folder in ``place``: ``name``, with a number if that exists. No skill is overwritten (F14)."""
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(folder for each in names if not (folder := place / each).exists())


def write(folder: Path, files: Mapping[str, bytes], *, replace: bool = False) -> None:
    """Write a skill's folder atomically. ``replace``: overwrite an existing skill. Raises UsageError if it may not or cannot
    be written."""
    if folder.exists() and not (folder / ABOUT).exists():
        hint = "Move it away, or give this one another --name."
        raise UsageError(f"The folder {folder} exists already, and contains no skill.", hint=hint)
    if folder.exists() and not replace:
        raise UsageError(
            f"There is a skill {folder.name!r} already: {folder}.",
            hint=f"Give this one another --name, or first: deskcrew skill remove {folder.name}",
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as beside:
            made = Path(beside) / "new"
            for path, data in files.items():
                (made / path).parent.mkdir(parents=True, exist_ok=True)
                (made / path).write_bytes(data)
            if folder.exists():
                _exchange(made, folder)
            else:
                made.rename(folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.") from error


def remove(folder: Path) -> None:
    """Remove a skill's folder atomically. Raises UsageError if that fails."""
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as beside:
            folder.rename(Path(beside) / folder.name)
    except OSError as error:
        raise UsageError(f"{folder} cannot be removed: {error.strerror}.") from error


def _exchange(one: Path, other: Path) -> None:
    """Exchange two folders, atomically if the system can: then neither is missing at any moment. Raises OSError."""
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    here, places = _AT_THIS_FOLDER, (os.fsencode(one.absolute()), os.fsencode(other.absolute()))
    if exchange is None or exchange(here, places[0], here, places[1], _RENAME_EXCHANGE):
        # Not every C library and file system supports it.
        other.rename(one.with_name("old"))
        one.rename(other)


def packed(source: Source) -> bytes:
    """A skill's folder as a zip. The same content gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(source.files):
            archive.writestr(zipfile.ZipInfo(f"{source.name}/{path}"), source.files[path])
    return out.getvalue()


def unpacked(path: Path, called: str = "") -> Source:
    """The source of a skill to import from a folder, or a zip of one. It gets the name in its SKILL.md, whatever the folder
    is called. ``called``: its name in errors, '' for its path. Nothing is written. Raises ConfigError if it is invalid."""
    place = called or str(path)
    if path.is_dir():
        return _as_it_says(replace(read(path.resolve(), "project"), sent=place))
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MOST_FILES or sum(member.file_size for member in members) > MOST_BYTES:
                raise _too_large(place)
            if odd := next((each.filename for each in members if not _plain_file(each)), None):
                raise ConfigError(f"{place}: {odd} is not a file: skills contain only files and folders.", hint="Remove it.")
            files = {member.filename: archive.read(member) for member in members}
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise ConfigError(f"{place} cannot be read: it is neither a folder nor a zip with a skill in it.") from error
    tops = {PurePosixPath(name).parts[0] for name in files}
    odd = [name for name in files if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts]
    if len(tops) != 1 or odd or any("/" not in name for name in files):
        raise ConfigError(f"{place} is not a skill: all its files must be in one folder.", hint=_HINT)
    top = tops.pop()
    within = {name.removeprefix(f"{top}/"): data for name, data in files.items()}
    return _as_it_says(Source(Path(top), "project", within, place))


def _plain_file(member: zipfile.ZipInfo) -> bool:
    """Whether a zip's member is a regular file with a usual compression method. A link leads elsewhere, and bzip2 and LZMA
    may unpack more at once than the declared size."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    return kind in (0, stat.S_IFREG) and member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def _code_in(files: Mapping[str, bytes], code: Code) -> bytes:
    """What a digest is of: a skill's shared code and its own. A script that is not there counts as empty."""
    return b"".join(files.get(script, b"") for script in (*code.shares, code.script))


def sealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a skill with the digests of its code as it is now, as after an edit; what was said of other code is left
    out. As they are if they are no skill with a function, which parsing them reports."""
    try:
        method = Method.model_validate_json(files.get(METHOD, b""))
    except ValidationError:
        return dict(files)

    def new(code: Code) -> str:
        return hashlib.sha256(_code_in(files, code)).hexdigest()

    if (function := method.function) is None:
        return dict(files)
    checker = function.checker and function.checker.model_copy(update={"digest": new(function.checker)})
    own: dict[str, object] = {"digest": new(function), "checker": checker}
    own |= {"score": 0, "reasons": ""} if own["digest"] != function.digest else {}
    changed = function.model_copy(update=own)
    if changed == function:
        return dict(files)
    method = method.model_copy(update={"function": changed})
    return {**files, METHOD: f"{method.model_dump_json(indent=1, exclude_defaults=True)}\n".encode()}


def _as_it_says(source: Source) -> Source:
    """The source with its folder named as in its SKILL.md, and its code sealed. Raises ConfigError if that name is invalid
    or unreadable."""
    about = f"{source.sent}/{ABOUT}"
    if ABOUT not in source.files:
        return source  # parsing it reports that
    try:
        name = str(front_matter.split(source.files[ABOUT].decode())[0].get("name") or "")
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{about}: its front matter cannot be read.", hint=_HINT) from error
    check_name(name, about)
    return replace(source, folder=source.folder.with_name(name), files=sealed(source.files))


def _too_large(place: str) -> ConfigError:
    return ConfigError(f"{place} is too large for a skill: at most {MOST_FILES} files and {MOST_BYTES >> 20} MiB.")
