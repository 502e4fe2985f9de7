"""What a program would print and change, tried out on a disposable layer over the workspace: a person who is asked whether a
skill is meant sees what it would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from deskcrew.actions import readers
from deskcrew.actions.action import Scene
from deskcrew.actions.code import ran
from deskcrew.environments.changes import Change
from deskcrew.environments.layer import Layer
from deskcrew.environments.placing import read
from deskcrew.errors import ActionError
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.legible import counted
from deskcrew.learning.skills.functions import damage, refusal

FILES, LINES, NAMES = 2, 4, 5
"""The maximum number of files whose new lines are shown, of lines of each, and of names shown if more files differ."""
WIDTH, SAID = 100, 400
"""The maximum characters of a line, and of the program's output."""
LARGEST = 4 << 20
"""The maximum bytes read from a file."""
UNFIT = "It cannot be done like this: "
"""The beginning of a preview of what fails."""


def preview(scene: Scene, code: str) -> str:
    """What Python ``code`` prints and would change, in a few lines; '' if there is no sandbox to try it in. The code has no
    network, and can read only what the policy lets programs read. Blocking."""
    if scene.sandbox.unsafe_host:
        return ""
    alone = scene.sandbox.over(scene.workspace.root)
    with alone.layer(scene.hidden()) as layer:
        assert layer is not None
        _, result = ran(replace(scene, sandbox=alone), code, "", layer)
        if not result.ok:
            said = result.text.strip()
            why = refusal(said) or damage(said, result.reads) or result.error
            return f"{UNFIT}{shorten(why, SAID).removesuffix('.')}."
        return "\n".join((shorten(result.text.strip(), SAID), *_changed(layer.changes().entries, layer)))


def _changed(entries: Iterable[Change], layer: Layer) -> Iterator[str]:
    """The new lines of one or two files, or the names of many."""
    paths = {kind: [each.path for each in entries if each.kind == kind] for kind in ("new", "changed", "overwritten")}
    gone = [each.path for each in entries if each.kind in ("moved", "removed", "emptied")]
    there = [path for some in paths.values() for path in some if not layer.is_folder(path)]
    if len(there) <= FILES and not gone:
        for path in there:
            yield f"{path}:"
            yield from (f"  {line}" for line in _new_lines(path, layer))
        return
    for words, some in (("Gone", gone), ("New", paths["new"]), ("Changed", paths["changed"] + paths["overwritten"])):
        if some:
            more = f" and {len(some) - NAMES} more" if len(some) > NAMES else ""
            yield f"{words}: {', '.join(some[:NAMES])}{more}"


def _new_lines(path: str, layer: Layer) -> Iterator[str]:
    """The first lines of a file that were not in it before, and the last, where a total stands."""
    before, now = (_lines(path, content) for content in (read(layer.workspace, path, LARGEST), layer.read(path, LARGEST)))
    known = {*before}
    new = [line for line in now if line not in known]
    shown = new if len(new) <= LINES else [*new[: LINES - 1], f"... {counted(len(new) - LINES, 'line')} ...", new[-1]]
    yield from (shorten(line, WIDTH) for line in shown)


def _lines(path: str, content: bytes | None) -> list[str]:
    try:
        text = readers.read_content(Path(path), content) if content else ""
    except ActionError:
        return []
    return [line for line in text.splitlines() if line.strip()]
