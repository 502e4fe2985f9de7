"""GAIA's scorer: an answer is compared as what the right one is, a number, a list or a string.

It does as the official one does, but for one thing: what is no number counts as infinity there, and would be right where
infinity is the answer.
"""

from __future__ import annotations

import re
import string

_SEPARATORS = re.compile("[,;]")
_UNITS = str.maketrans("", "", "$%,")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def right(answer: str, truth: str) -> bool:
    """Whether ``answer`` is as good as ``truth``."""
    if _number(truth) is not None:
        return _same_number(answer, truth)
    wanted, given = _SEPARATORS.split(truth), _SEPARATORS.split(answer)
    if len(wanted) == 1:
        return _plain(answer).translate(_PUNCTUATION) == _plain(truth).translate(_PUNCTUATION)
    return len(given) == len(wanted) and all(map(_same_element, given, wanted))


def _same_element(answer: str, truth: str) -> bool:
    """The same of one element of a list, whose punctuation counts."""
    return _plain(answer) == _plain(truth) if _number(truth) is None else _same_number(answer, truth)


def _same_number(answer: str, truth: str) -> bool:
    """Whether ``answer`` is the number ``truth``, also with a sign of dollars or percent and separators of thousands."""
    given = _number(answer.translate(_UNITS))
    return given is not None and given == _number(truth)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _plain(text: str) -> str:
    return re.sub(r"\s", "", text).lower()
