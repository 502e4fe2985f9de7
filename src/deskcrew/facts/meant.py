"""The question "Did you mean ...?" for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, among: Iterable[str], *, most: int = 1, cutoff: float = 0.6, shown: str = "{}") -> str:
    """A question to append to a sentence, such as " Did you mean 'model'?"; '' if no name is similar. Case is ignored.
    ``shown``: the format string for each suggested name."""
    plain = {each.casefold(): each for each in among}
    near = get_close_matches(name.casefold(), plain, most, cutoff)
    return f" Did you mean {' or '.join(repr(shown.format(plain[each])) for each in near)}?" if near else ""
