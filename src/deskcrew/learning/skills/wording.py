"""Recognises a task as the one that a skill was made from, with other values in it, in any language.

The goal is then known without asking anybody. If a single word differs, it is another task, whose goal has to be
determined. The kind of quotation marks, the case of the first letter and a final full stop make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Literal

from deskcrew.facts.texts import QUOTED, file_names, is_pattern, spaced
from deskcrew.learning.repeating.values import Replacing, Value
from deskcrew.learning.skills.skill import Method, Parameter

PAIRS = {'"': '"', "“": "”", "„": "“”", "`": "`", "«": "»", "»": "«", "「": "」"}
"""Closing quotation marks by opening ones. ``_plain`` replaces other kinds."""
_MARKS = "".join((*PAIRS, *PAIRS.values()))
_QUOTED = rf"[^{_MARKS}\n]+"
_WORD = rf"[^\s{_MARKS}]+"
_NUMBER = re.compile(r"\d+")
_FILLED_IN = re.compile(r"<[^<>]+>|\[[^\[\]]+\]|\{[^{}]+\}")
"""A placeholder, such as the one in ``Total: <sum>``."""


def values_in(task: str, method: Method) -> dict[str, str] | None:
    """The value of each parameter, by name, if ``task`` is the skill's own apart from these values. None if it is another
    task, or if the skill's own task does not contain all parameters.

    A value that is quoted at all places may be any text. An unquoted value must have the form of the recorded one: names and
    numbers of as many words, or a single word in small letters, so that no additional order is taken for a value.
    """
    own, said, parameters = _plain(method.provenance.task), _plain(task), method.parameters
    marked = {each.value: f"\ue000{number}\ue001" for number, each in enumerate(parameters)}
    values = [Value(each.name, each.value, "file" if each.kind == "file" else "text", ()) for each in parameters]
    pieces = re.split(r"\ue000(\d+)\ue001", Replacing(values, marked).text(own))
    if {int(number) for number in pieces[1::2]} != set(range(len(parameters))):
        return None
    unquoted = len(pieces) > 1 and parameters[int(pieces[-2])].kind != "file" and pieces[-1] in ("", ".")
    if not unquoted:  # a full stop may belong to such a value
        pieces[-1], said = pieces[-1].removesuffix("."), said.removesuffix(".")
    begins = re.match(r"[^\W\d_](?=[^\W\d_]*\s)", pieces[0])
    first = f"(?i:{begins[0]})" if begins else ""
    pattern, seen = first + re.escape(pieces[0][len(begins[0]) if begins else 0 :]), set[int]()
    places = range(1, len(pieces), 2)
    bare = {int(pieces[at]) for at in places if not _in_marks(pieces[at - 1], pieces[at + 1])}
    for at in places:
        number = int(pieces[at])
        admitted = _admitted(parameters[number], bare=number in bare)
        pattern += f"(?P=v{number})" if number in seen else f"(?P<v{number}>{admitted})"
        pattern += re.escape(pieces[at + 1])
        seen.add(number)
    found = re.fullmatch(pattern, said)
    if found is None:
        return None
    told = {each.name: found[f"v{number}"] for number, each in enumerate(parameters)}
    # Line ends and several blanks belong to what is to be written.
    exact = all(text in task for text in (*told.values(), *(each[each.lastindex or 0] for each in QUOTED.finditer(said))))
    alike = all(_alike(told[each.name], each, bare=number in bare) for number, each in enumerate(parameters))
    return told if exact and alike else None


def _in_marks(before: str, after: str) -> bool:
    return after.startswith(tuple(PAIRS.get(before[-1:], "")))


def _admitted(parameter: Parameter, *, bare: bool) -> str:
    if parameter.kind == "file":
        return r"[\w./-]+" if bare else r"[\w./ -]+"
    return r" ".join([_WORD] * len(parameter.value.split())) if bare else _QUOTED


def _alike(value: str, parameter: Parameter, *, bare: bool) -> bool:
    """Whether a value has the same form as a parameter's recorded value. ``bare``: it is not in quotation marks."""
    then = parameter.value
    if parameter.kind == "file":  # steps for a table may not work on a picture
        same = PurePosixPath(value).suffix.lower() == PurePosixPath(then).suffix.lower()
        alone = not bare or value.isascii() or not then.isascii()  # words may follow it without a blank
        return file_names(value) == (value,) and same and alone and (not is_pattern(value) or is_pattern(then))
    if not bare:
        return _FILLED_IN.search(value) is None or _FILLED_IN.search(then) is not None
    words, known = value.split(" "), then.split(" ")
    named = len(words) == 1 or not any(_form(each) == "word" for each in words)
    return value == then or (named and all(map(_written_like, words, known)))


def _written_like(word: str, then: str) -> bool:
    """Whether two words are numbers of the same form, or both are names, codes, or words in small letters."""
    if not any(each.isalpha() for each in then):
        return _NUMBER.sub("0", word) == _NUMBER.sub("0", then)
    form = _form(word)
    marks = set(then) if form == "code" else {*then, *"-'’"}
    clean = all(each.isalnum() or unicodedata.combining(each) or each in marks for each in word)
    return form == _form(then) and clean and spaced(word + then)


def _form(word: str) -> Literal["code", "name", "word"]:
    return "code" if any(each.isdigit() for each in word) else "name" if word[0].isupper() else "word"


def _plain(text: str) -> str:
    """A text with single spaces, and with ``"`` as the quotation marks around passages that do not contain it."""

    def quoted(found: re.Match[str]) -> str:
        inside = found[found.lastindex or 0]
        return found[0] if '"' in inside else f'"{inside}"'

    return QUOTED.sub(quoted, " ".join(text.split()))
