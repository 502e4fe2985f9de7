"""Whether a program counts to the one that is meant by "the third device": small models take any that fits."""

from __future__ import annotations

import re

_WORDS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_ORDINAL = re.compile(
    rf"\bthe\s+(?P<said>(?P<word>{'|'.join(_WORDS)})|(?P<number>\d{{1,2}})(?:st|nd|rd|th))\s+"
    rf"(?!of\b|half\b|quarter\b|and\b|or\b|(?:{_MONTHS})\w*\b)[a-z]\w+",
    re.I,
)
_COUNTS = re.compile(
    r"\b(?:enumerate|islice|nth|range|row_number|nrows|nlargest|nsmallest|cycle|iloc|seek)\b|\bnext\(|\+=\s*1\b"
)


def uncounted(part: str, code: str) -> str:
    """That a program counts nowhere to the one that the part speaks of, in words for its role; '' where it does.

    Not said of the first and the last, which sorting and loops take by themselves.
    """
    said = _ORDINAL.search(part)
    if said is None or _COUNTS.search(code):
        return ""
    number = _WORDS.index(said["word"].lower()) + 2 if said["word"] else int(said["number"])
    if number < 2 or re.search(rf"(?<![\w.])-?(?:{number}|{number - 1})(?![\w.])", code):
        return ""
    return f"The program does not count to the {said['said'].lower()}: of all that fit, in their order, take [{number - 1}]."
