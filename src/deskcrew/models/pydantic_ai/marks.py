"""Cache marks in a prompt, for providers that cache marked blocks as a whole (Anthropic, OpenAI from GPT-5.6 on).

A role's prompt grows at its end from call to call. A block that has grown is a different block, so each call's text is split
where the previous call's text ended, and where the two diverge: the earlier blocks are then found in the cache.
"""

from __future__ import annotations

from itertools import takewhile


class Marks:
    """Splits the text of each role's calls into cacheable blocks. Call :meth:`blocks` once per call."""

    def __init__(self) -> None:
        self._sent: dict[str, list[str]] = {}

    def blocks(self, role: str, text: str) -> list[str]:
        """``text`` in consecutive blocks. If any is new to the provider, it is the last."""
        before, blocks = self._sent.get(role, []), list[str]()
        left = text
        for block in before:
            if left.startswith(block):
                blocks.append(block)
                left = left.removeprefix(block)
                continue
            if common := _common_lines(block, left):
                blocks.append(common)
                left = left.removeprefix(common)
            break
        if left.strip():
            blocks.append(left)
        elif blocks:
            blocks[-1] += left
        self._sent[role] = blocks
        return blocks


def _common_lines(one: str, other: str) -> str:
    """The lines with which both texts begin."""
    pairs = zip(one.splitlines(keepends=True), other.splitlines(keepends=True), strict=False)
    common = "".join(line for line, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return common if common.strip() else ""
