"""Checks the values of options, and converts them for a request."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from deskcrew.engine.following import request_after
from deskcrew.engine.human.questions import Mode
from deskcrew.engine.request import SCREEN, MemoryUse, Opened, RunRequest, profile_of
from deskcrew.engine.request import asking_what_is_meant as asked_whatever_the_mode
from deskcrew.engine.request import existing_folder as made_absolute
from deskcrew.engine.request import usual as usual_with
from deskcrew.errors import UsageError
from deskcrew.facts.events import DesktopKind
from deskcrew.facts.no_file import no_file
from deskcrew.settings import Limits, Settings


def base_with(settings: Settings, follow_up: str | None, desktop: DesktopKind | None) -> RunRequest:
    """The base of a request: the defaults, or the request of the run ``follow_up``. ``desktop``: the requested kind; if the
    run's differs, options of the desktop have their defaults. Raises UsageError for a run that cannot be followed."""
    usual = replace(usual_with(settings), memory=settings.memory.use)
    base = usual if follow_up is None else request_after(follow_up, settings)
    kind = desktop or base.desktop
    if follow_up is not None and kind == base.desktop and base.workspace is not None:
        return base
    return replace(
        base,
        desktop=kind,
        at=usual.at,
        opened=usual.opened,
        url=usual.url,
        endpoint=usual.endpoint,
        session=usual.session,
        screen=usual.screen,
        scale=settings.scale if kind in ("virtual", "browser") else usual.scale,
        monitors=usual.monitors,
    )


def memory_with(usual: MemoryUse, *, none: bool, no_writes: bool) -> MemoryUse:
    """How a run uses memory: as ``usual``, or less."""
    return "off" if none or usual == "off" else "read" if no_writes else usual


def mode_with(mode: Mode | None, *, approve: bool) -> Mode:
    """The requested mode, automatic if none was given; see :func:`mode_given`."""
    return mode_given(mode, approve=approve) or "automatic"


def mode_given(mode: Mode | None, *, approve: bool) -> Mode | None:
    """The requested mode: ``--approve`` is short for passive; None if none was given.

    Raises UsageError if both are given and differ.
    """
    if approve and mode not in (None, "passive"):
        raise UsageError(f"--approve is short for --mode passive, and --mode {mode} contradicts it.", hint="Leave out one.")
    return mode or ("passive" if approve else None)


def typed(*texts: str) -> None:
    """Raise UsageError if a text is not valid Unicode, since a command line may contain any bytes."""
    for text in texts:
        if text.encode("utf-8", "replace").decode() != text:
            raise UsageError(f"{text!r} is not valid UTF-8 text.")


def existing_folder(path: Path | None) -> Path | None:
    """The path, made absolute; None stays None. Raises UsageError if it is not a folder."""
    return made_absolute(path) if path is not None else None


def existing_files(paths: list[Path]) -> tuple[Path, ...]:
    """The paths, made absolute. Raises UsageError if one is not a file, or two have the same name."""
    names: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            hint = "To work on a folder: --workspace DIR, or with --copy on a copy of it."
            raise UsageError(f"The attachment {str(path)!r} is not a file.", hint=hint)
        if not path.is_file():
            there = [each.name for each in path.parent.iterdir() if each.is_file()] if path.parent.is_dir() else []
            hint = "--attach takes an existing file."
            raise UsageError(no_file(path.name, there, path.parent.absolute()), hint=hint)
        if path.name in names:
            raise UsageError(f"Two attachments are called {path.name!r}.", hint="Rename one of them.")
        names[path.name] = path
    return tuple(path.resolve() for path in paths)


def page_with(url: str, attach: list[Path], workspace: Path | None) -> tuple[str, list[Path]]:
    """The page that a browser opens first, and the attachments. A page given as a path, such as ``./form.html``, must be a
    file; if it is not in the workspace, it is attached. Raises UsageError if there is no such file."""
    if not url.startswith(("./", "../", "/", "~")):
        return url, attach
    file = Path(url).expanduser().resolve()
    if not file.is_file():
        raise UsageError(f"There is no file {url} to open first.", hint="--url takes an address, or an existing file.")
    folder = workspace.resolve() if workspace is not None else None
    if folder is not None and file.is_relative_to(folder):
        return file.relative_to(folder).as_posix(), attach
    there = any(path.resolve() == file for path in attach)
    return file.name, attach if there else [*attach, file]


def opened_with(given: list[str]) -> tuple[Opened, ...]:
    """Parse programs from ``PROGRAM`` or ``PROGRAM=FILE``. Raises UsageError if one has no name."""
    found: list[Opened] = []
    for text in given:
        name, _, file = text.partition("=")
        if not name.strip():
            raise UsageError(f"--open {text!r} names no program.", hint="For example --open mousepad=notes.txt")
        found.append(Opened(name=name.strip(), file=file.strip()))
    return tuple(found)


def screen_with(given: str | None) -> tuple[int, int]:
    """Parse width and height from ``1280x800``; None gives the default. Raises UsageError for anything else."""
    if given is None:
        return SCREEN
    width, _, height = given.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and 320 <= int(width) <= 7680 and 240 <= int(height) <= 4320):
        raise UsageError(f"--screen {given!r} is not WIDTHxHEIGHT in pixels.", hint="For example --screen 1920x1080")
    return int(width), int(height)


def limits_with(limits: Limits, given: list[str]) -> Limits:
    """``limits`` with these ``NAME=VALUE`` pairs on top. Raises UsageError if a pair is invalid."""
    names = ", ".join(Limits.model_fields)
    hint = f"There are: {names}. For example --limit operations=60, or --limit seconds=none to remove one."
    values: dict[str, object] = limits.model_dump(exclude_unset=True)
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or name not in Limits.model_fields:
            raise UsageError(f"--limit {pair!r} is not NAME=VALUE with a name that exists.", hint=hint)
        values[name] = None if value.lower() == "none" else value
    try:
        return Limits.model_validate(values)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        value = "none" if values[name] is None else str(values[name])
        none = "" if Limits.model_fields[name].default is not None else ", or none"
        raise UsageError(f"--limit {name}={value}: it takes {Limits.taken(name)}{none}.", hint=hint) from error


def insisting(crew: str | None, model: str, settings: Settings) -> tuple[str, ...]:
    """The parts that a crew named for this run goes without: with a model that could otherwise only use skills, the role
    that chooses them, so that the model works freely."""
    return ("chooser",) if crew is not None and not profile_of(model, settings).freely else ()


def asking_what_is_meant(request: RunRequest, settings: Settings) -> RunRequest:
    """The request, changed so that the person at the terminal, if any, is asked whether a small model understood the task,
    whatever the mode."""
    return asked_whatever_the_mode(request, settings) if sys.stdin.isatty() else request
