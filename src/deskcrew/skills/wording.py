"""Recognises a task as the one that a skill came from, with other values in it, in any language.

The goal is then known without asking anybody. If one word more or less differs, it is another task, whose goal has to
be determined. The kind of quotation marks, the case of the first letter and a final full stop make no difference.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from deskcrew.repeating.values import Replacing, Value
from deskcrew.skills.skill import Method, Parameter
from deskcrew.texts import QUOTED, file_names

QUOTES = "\"'`“”„«»「」"
_QUOTED = r"[^\"“”„`«»「」\n]+"
_WORD = r"[^\s\"“”„`«»]*[^\s\"“”„`«».,;:!?)]"


def values_in(task: str, method: Method) -> dict[str, str] | None:
    """The value of each parameter, by name, if ``task`` is the skill's own apart from these values. None if it is
    another task, or the skill's own task does not contain all of them.

    A text that is quoted somewhere may be any other; an unquoted one must have as many words as before, and no comma, full
    stop or the like, so that no additional order is taken for a value.
    """
    own, task, parameters = _plain(method.provenance.task), _plain(task), method.parameters
    marked = {each.value: f"\ue000{number}\ue001" for number, each in enumerate(parameters)}
    values = [Value(each.name, each.value, "file" if each.kind == "file" else "text", ()) for each in parameters]
    pieces = re.split(r"\ue000(\d+)\ue001", Replacing(values, marked).text(own))
    if {int(number) for number in pieces[1::2]} != set(range(len(parameters))):
        return None
    unquoted = len(pieces) > 1 and parameters[int(pieces[-2])].kind != "file" and pieces[-1] in ("", ".")
    if not unquoted:  # a full stop may belong to such a value
        pieces[-1], task = pieces[-1].removesuffix("."), task.removesuffix(".")
    begins = re.match(r"[^\W\d_](?=[^\W\d_]*\s)", pieces[0])
    first = f"(?i:{begins[0]})" if begins else ""
    pattern, seen = first + re.escape(pieces[0][len(begins[0]) if begins else 0 :]), set[int]()
    # Where else a quoted value stands, it has to be the same.
    marks, places = tuple(QUOTES), range(1, len(pieces), 2)
    quoted = {int(pieces[at]) for at in places if pieces[at - 1].endswith(marks) and pieces[at + 1].startswith(marks)}
    for at in places:
        number = int(pieces[at])
        admitted = _admitted(parameters[number], number in quoted)
        pattern += f"(?P=v{number})" if number in seen else f"(?P<v{number}>{admitted})"
        pattern += re.escape(pieces[at + 1])
        seen.add(number)
    found = re.fullmatch(pattern, task)
    if found is None:
        return None
    told = {each.name: found[f"v{number}"] for number, each in enumerate(parameters)}
    kept = all(each.kind != "file" or _like(told[each.name], each.value) for each in parameters)
    return told if kept else None


def _admitted(parameter: Parameter, quoted: bool) -> str:
    if parameter.kind == "file":
        return r"[\w./ -]+" if quoted else r"[\w./-]+"
    if quoted:
        return _QUOTED
    return r" ".join([_WORD] * len(parameter.value.split()))


def _like(name: str, then: str) -> bool:
    """Whether two files have the same suffix: steps for a table may not work on a picture."""
    return file_names(name) == (name,) and PurePosixPath(name).suffix.lower() == PurePosixPath(then).suffix.lower()


def _plain(text: str) -> str:
    """With single spaces, and with one kind of quotation marks around texts that contain none."""

    def quoted(found: re.Match[str]) -> str:
        inside = found[found.lastindex or 0]
        return found[0] if '"' in inside else f'"{inside}"'

    return QUOTED.sub(quoted, " ".join(text.split()))
