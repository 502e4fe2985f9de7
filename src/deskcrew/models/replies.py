"""Parses a reply's text into a typed value, or an error text that the model can act on.

Used by every implementation of :class:`Model`, so that a scripted reply fails exactly as a real one does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from deskcrew.facts.excerpts import cut
from deskcrew.facts.json_values import is_list, is_object
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.texts import unfenced
from deskcrew.models.client import Malformed, T

MAX_ERRORS = 5
MAX_ERROR_LENGTH = 400

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)


def read_reply(raw: str, type: type[T], *, truncated: bool = False, max_tokens: int | None = None) -> T | Malformed:
    """Validate ``raw`` against ``type``. JSON inside a Markdown fence is accepted.

    ``truncated``: whether the provider reports that the reply ended at ``max_tokens``.
    """
    text = json_in(raw)
    if not text:
        why = "The reply is empty" + (" (it reached the length limit while reasoning)" if truncated else "")
        return Malformed(raw, f"{why}. Reply with one JSON object.", cut=truncated)
    try:
        return type.model_validate_json(text)
    except ValidationError as error:
        if truncated:
            limit = f" of {max_tokens} tokens" if max_tokens else ""
            return Malformed(raw, f"The reply was cut off at the limit{limit}. Answer again, more briefly.", cut=True)
        return Malformed(raw, explain(error, text))


def json_in(raw: str) -> str:
    """The JSON of a reply: the text itself, or the content of its only Markdown fence."""
    text = unfenced(raw).strip()
    if text.startswith(("{", "[")):
        return text
    fenced = _FENCE.findall(text)
    return fenced[0].strip() if len(fenced) == 1 else text


def explain(error: ValidationError, text: str) -> str:
    """What is wrong with a reply, worded for the model: the path of each invalid field, and the valid values."""
    details = error.errors(include_url=False)
    if details and details[0]["type"] == "json_invalid":
        why = cut(details[0]["msg"], MAX_ERROR_LENGTH)
        return f"The reply is not valid JSON: {why}. Reply with one JSON object and nothing else."
    try:
        data: object = json.loads(text)
    except ValueError:  # broken Unicode, which pydantic reports as something else
        return "The reply is not valid JSON. Reply with one JSON object and nothing else."
    lines = [
        f"{_path(one['loc'], data, one['type'])}: {cut(_said(one['msg'], one.get('ctx', {})), MAX_ERROR_LENGTH)}"
        for one in details[:MAX_ERRORS]
    ]
    if len(details) > MAX_ERRORS:
        lines.append(f"and {len(details) - MAX_ERRORS} more")
    return "The reply does not fit. " + "; ".join(lines) + "."


def _said(wrong: str, context: Mapping[str, object]) -> str:
    """What is wrong with a field. For an unknown name, the most similar name comes before the list of all names."""
    if "expected_tags" not in context:
        return wrong
    name, listed = str(context["tag"]), str(context["expected_tags"])
    meant = did_you_mean(name, [each.strip("'") for each in listed.split(", ")])
    return f"there is no {name!r} here.{meant} There are {listed}"


def _path(location: Sequence[int | str], data: object, kind: str) -> str:
    """The path of a field as in the reply: pydantic's also has the names of union members, which are not in the reply."""
    names: list[str] = []
    for position, key in enumerate(location):
        inside = _item(data, key)
        if inside is not None:
            names.append(str(key))
            data = inside[0]
        elif kind == "missing" and position == len(location) - 1:
            names.append(str(key))
    return cut(".".join(names), MAX_ERROR_LENGTH) or "the reply"


def _item(data: object, key: int | str) -> tuple[object] | None:
    """The value under ``key`` in a 1-tuple, since the value itself may be None; None if there is no such key."""
    if is_object(data):
        return (data[key],) if key in data else None
    if is_list(data) and isinstance(key, int):
        return (data[key],) if 0 <= key < len(data) else None
    return None
