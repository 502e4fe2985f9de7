"""What is said of a name that does not exist: the question "Did you mean ...?", and the names that there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from deskcrew.errors import UsageError


def did_you_mean(name: str, among: Iterable[str], *, most: int = 1, cutoff: float = 0.6, shown: str = "{}") -> str:
    """A question to append to a sentence, such as " Did you mean 'model'?"; '' if no name is similar. Case is ignored.
    ``shown``: the format string for each suggested name."""
    plain = {each.casefold(): each for each in among}
    near = get_close_matches(name.casefold(), plain, most, cutoff)
    return f" Did you mean {' or '.join(repr(shown.format(plain[each])) for each in near)}?" if near else ""


def unknown(told: str, name: str, among: Collection[str], kind: type[UsageError] = UsageError) -> UsageError:
    """The error for a name that is not ``among`` the names that there are. ``told``: the sentence, without its full stop."""
    listed = f"There are: {', '.join(among) or 'none'}."
    return kind(f"{told}.{did_you_mean(name, among, most=2)}", hint=listed)
