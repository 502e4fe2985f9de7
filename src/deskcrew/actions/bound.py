"""What an approval applies to: the control, window and page that were shown, and the contents of the files that were shown.

Computed from the operation and the last observation alone, so that a past decision can be made again. Before execution it is
compared with the current state: by drivers on the screen, by :func:`files_now` on the disk.
"""

from __future__ import annotations

from collections.abc import Iterable

from deskcrew.actions import shell
from deskcrew.actions.action import ON_DESKTOP, Action, Gesture, Scene
from deskcrew.actions.windows import find_window
from deskcrew.environments.approved_files import of_look
from deskcrew.environments.pointing import POINTING, aims_of, identity_at
from deskcrew.environments.workspace import MAX_ENTRIES, Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.events import PATHS, Bound, Operation
from deskcrew.facts.observation import Identity, Observation, ShownFile, Window, identity_of

UNSEEN = frozenset[Gesture]({"wait", "clipboard", "start", "open"})
"""Gestures without a target in an observation."""
MOST_FILES = 64
"""Maximum number of an operation's files that are bound; a command that names more is bound to its text and these files."""
_WORDS = {
    "role": "it was a {}, now it is a {}",
    "name": "it was called {!r}, now {!r}",
    "owner": "it belonged to {!r}, now to {!r}",
    "window": "the window was {!r}, now {!r}",
    "app": "the program was {!r}, now {!r}",
    "page": "the page was {!r}, now {!r}",
}


def bound_of(operation: Operation, action: Action, scene: Scene) -> Bound:
    """The target and files of an operation, as they are shown to a person."""
    target = _target(operation, scene.observation) if action.needs in ON_DESKTOP and action.gesture not in UNSEEN else None
    return Bound(target=target, files=tuple(_files(operation, action, scene)))


def changes(shown: Bound, now: Bound) -> tuple[str, ...]:
    """The differences from what was shown, one sentence each, for a person."""
    found: list[str] = []
    before, after = shown.target or Identity(), now.target or Identity()
    for field, words in _WORDS.items():
        if (was := getattr(before, field)) != (is_now := getattr(after, field)):
            found.append(words.format(was, is_now))
    found += [file_change(was, is_now) for was, is_now in _pairs(shown.files, now.files) if was != is_now]
    return tuple(found)


def files_now(files: Iterable[ShownFile], workspace: Workspace) -> tuple[str, ...]:
    """Which of these files differ from what was shown, one sentence each. Reads the files."""
    found: list[str] = []
    for shown in files:
        if (now := workspace.as_now(shown)) != shown:
            found.append(file_change(shown, now))
    return tuple(found)


def file_change(was: ShownFile, now: ShownFile) -> str:
    """A sentence for a person on how a file differs from what was shown."""
    if was.kind == "none":
        return f"{was.path} was not there, and is now"
    if now.kind == "none":
        return f"{was.path} is no longer there"
    if was.kind != now.kind:
        return f"{was.path} was a {was.kind}, now it is a {now.kind}"
    size = f" ({was.size} bytes, now {now.size})" if was.size != now.size else ""
    return f"{was.path} has other content{size}"


def _target(operation: Operation, seen: Observation) -> Identity | None:
    if (aims := aims_of(operation, seen)) or operation.function in POINTING:
        return identity_at(aims[0], seen) if aims else None
    control = seen.control(operation.control or seen.focus or "")
    if (title := operation.params.get("title")) is not None:
        return identity_of(None, _titled(str(title), seen))
    window = seen.active_window
    if control is not None:
        window = seen.window(control.window)
    return identity_of(control, window) if control is not None or window is not None else None


def _titled(title: str, seen: Observation) -> Window | None:
    try:
        return find_window(seen.windows, title) if title else seen.active_window
    except ActionError:
        return None


# -- files


def _files(operation: Operation, action: Action, scene: Scene) -> Iterable[ShownFile]:
    named = [value for name in PATHS if isinstance(value := operation.params.get(name), str) and value]
    if action.needs == "sandbox":
        named = _words_of(operation)
    elif action.effect == "none":
        return
    entries = {entry.path: entry for entry in scene.observation.files}
    paths: dict[str, None] = {}
    for one in named:
        try:
            paths[scene.workspace.relative(scene.workspace.resolve(one))] = None
        except ActionError:
            continue
    for path in paths:
        if action.needs != "sandbox":
            if path in entries or len(entries) < MAX_ENTRIES:  # else it may be there and was not listed
                yield of_look(path, entries)
        elif path in entries and entries[path].kind == "file" and len(paths) <= MOST_FILES:
            yield of_look(path, entries)


def _words_of(operation: Operation) -> list[str]:
    """The words of a command that may name a file that it runs or reads."""
    command = operation.params.get("command")
    if not isinstance(command, str):
        return []
    return [word for word in shell.read(command).words if len(word) < 1000][: 4 * MOST_FILES]


def _pairs(before: tuple[ShownFile, ...], after: tuple[ShownFile, ...]) -> list[tuple[ShownFile, ShownFile]]:
    now = {each.path: each for each in after}
    then = {each.path: each for each in before}
    gone = [(each, now.get(each.path, ShownFile(path=each.path, kind="none"))) for each in before]
    return gone + [(ShownFile(path=each.path, kind="none"), each) for each in after if each.path not in then]
