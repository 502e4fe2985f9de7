"""Numbers formatted as a workbook shows them: percentages, currencies, dates, leading zeros."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise, takewhile
from typing import NamedTuple

from babel.numbers import parse_pattern

_SECTION = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])+')
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<whole>h+|m+|s+)\]|\[[^\]]*\]|_.|\*.'
    r"|(?P<sign>AM/PM|A/P|y+|m+|d+|h+|s+|General|.)",
    re.IGNORECASE | re.DOTALL,
)
_OF_NUMBERS = "0#?.,%"
_UNKNOWN = ("/", "e", "general", "@")
"""Characters of formats that are not supported: fractions, powers of ten, and "no format"."""
_SECONDS = {"h": 3600, "m": 60, "s": 1}


class _FormatToken(NamedTuple):
    """A token of a number format. ``kind``: "literal"; "whole" for hours, minutes or seconds beyond a day; "sign"."""

    kind: str
    text: str


def shown(value: float, moment: datetime, code: str) -> str:
    """A number in the number format ``code``, with a decimal point and English month names; ``moment``: the number as a
    date. Raises ValueError and the like for an unsupported format."""
    sections = _SECTION.findall(code)
    own = value < 0 and len(sections) > 1
    found = _TOKEN.finditer(sections[1] if own else sections[2] if value == 0 and len(sections) > 2 else sections[0])
    tokens = [_token(each) for each in found]
    if any(each.kind == "whole" or (each.kind == "sign" and each.text[0] in "ymdhs") for each in tokens):
        return _date(value, moment, tokens)
    if any(each.kind == "sign" and each.text in _UNKNOWN for each in tokens):
        raise ValueError(f"the number format {code} is not known")
    tokens, thousands = _scaled(tokens)
    value /= 1000**thousands
    signs = ((each.text.replace("?", "#"), each.kind == "sign" and each.text in _OF_NUMBERS) for each in tokens)
    pattern = "".join(text if of_number else "'" + text.replace("'", "") + "'" for text, of_number in signs if text)
    return parse_pattern(pattern).apply(abs(value) if own else value, "en")


def _scaled(tokens: list[_FormatToken]) -> tuple[list[_FormatToken], int]:
    """A format without the commas behind its last digit, and how many these are: each divides by a thousand."""
    digits = [at for at, each in enumerate(tokens, start=1) if each.kind == "sign" and each.text in "0#?"]
    end = max(digits, default=len(tokens))
    commas = len([*takewhile(lambda each: each == _FormatToken("sign", ","), tokens[end:])])
    return tokens[:end] + tokens[end + commas :], commas


def _token(match: re.Match[str]) -> _FormatToken:
    kind, text = match.lastgroup, match[match.lastgroup] if match.lastgroup else ""
    if kind in ("sign", "whole"):
        return _FormatToken(kind, text.lower())
    return _FormatToken("literal", text)


def _date(value: float, moment: datetime, tokens: list[_FormatToken]) -> str:
    half = any(each.text in ("am/pm", "a/p") for each in tokens)
    clock = [number for number, each in enumerate(tokens) if each.kind != "literal" and each.text[0] in "hms"]
    # An m is of minutes after an h, or before an s.
    minutes = {
        number
        for before, after in pairwise(clock)
        for number, other in ((before, after), (after, before))
        if tokens[number].text[0] == "m" and tokens[other].text[0] == ("s" if other > number else "h")
    }
    return "".join(
        str(int(round(value * 86400) // _SECONDS[each.text[0]]))
        if each.kind == "whole"
        else each.text
        if each.kind == "literal"
        else f"{moment.minute:0{len(each.text)}}"
        if number in minutes
        else _of_moment(moment, each.text, half=half)
        for number, each in enumerate(tokens)
    )


def _of_moment(moment: datetime, sign: str, *, half: bool) -> str:
    number = {"m": moment.month, "d": moment.day, "h": moment.hour, "s": moment.second}
    match sign[0], len(sign):
        case "y", length:
            return f"{moment.year:04}" if length > 2 else f"{moment.year % 100:02}"
        case "a", length:
            return moment.strftime("%p")[: 2 if length > 3 else 1]
        case "m" | "d" as unit, length if length > 2:
            return moment.strftime(("%B" if unit == "m" else "%A") if length > 3 else ("%b" if unit == "m" else "%a"))
        case "h", length if half:
            return f"{(moment.hour - 1) % 12 + 1:0{length}}"
        case unit, length if unit in number:
            return f"{number[unit]:0{length}}"
        case _:
            return sign
