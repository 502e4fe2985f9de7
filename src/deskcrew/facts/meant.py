"""What is asked of somebody who wrote a name that there is not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, among: Iterable[str], *, most: int = 1, cutoff: float = 0.6, shown: str = "{}") -> str:
    """A question that follows a sentence, such as " Did you mean 'model'?"; '' if no name is near, whatever the case.
    ``shown``: the form in which a name is told."""
    plain = {each.casefold(): each for each in among}
    near = get_close_matches(name.casefold(), plain, most, cutoff)
    return f" Did you mean {' or '.join(repr(shown.format(plain[each])) for each in near)}?" if near else ""
