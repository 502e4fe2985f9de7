"""Texts of pages that are shown one after another: what each repeats of those before it, as a site's navigation does, is
shown once."""

from __future__ import annotations

from collections.abc import Iterator

LEAST = 3
"""Minimum number of consecutive lines that are left out: what is shorter may say something else on another page."""


class RepeatedLines:
    """Remembers the lines of texts that were shown."""

    def __init__(self) -> None:
        self._texts: list[list[str]] = []
        self._names: list[str] = []
        self._runs: dict[tuple[str, ...], tuple[int, int]] = {}
        """By their first :data:`LEAST` lines, where runs of lines begin: the text, and the line in it."""

    def without(self, name: str, text: str) -> str:
        """A text in which runs of lines that an earlier text had are counted, with its name; '' if nothing else is left.
        ``name``: what it is called when later texts repeat it."""
        told, new, every = list[str](), False, text.splitlines()
        numbers = [at for at, line in enumerate(every) if line.strip()]
        lines = [every[at] for at in numbers]
        for count, where in self._parts(lines):
            if where is None:
                since = numbers[count - 1] + 1 if count else 0
                told, new = [*told, *every[since : numbers[count] + 1]], True
            else:
                told.append(f"({count} lines as in {where})")
        self._names.append(name)
        self._texts.append(lines)
        for at in range(len(lines) - LEAST + 1):
            self._runs.setdefault(tuple(lines[at : at + LEAST]), (len(self._texts) - 1, at))
        return "\n".join(told) if new else ""

    def _parts(self, lines: list[str]) -> Iterator[tuple[int, str | None]]:
        """What the lines consist of, in order: the number of a line that is new, with None; or the length of a run, with the
        name of the text that has it."""
        at = 0
        while at < len(lines):
            found = self._runs.get(tuple(lines[at : at + LEAST]))
            if found is None:
                yield at, None
                at += 1
                continue
            earlier = self._texts[found[0]][found[1] :]
            pairs = zip(lines[at:], earlier, strict=False)
            length = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(lines) - at, len(earlier)))
            yield length, self._names[found[0]]
            at += length
