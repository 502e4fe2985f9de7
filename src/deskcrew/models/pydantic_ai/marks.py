"""Where a prompt is marked for providers that cache what is marked, in whole blocks (Anthropic, OpenAI from GPT-5.6 on).

What a role is told grows at its end from call to call. A block that grew is another block, so each call's text is cut where
the call before ended, and where the two part: what was sent then is found again.
"""

from __future__ import annotations

from itertools import takewhile


class Marks:
    """Cuts the text of each role's calls that is to be found again; to be asked once a call."""

    def __init__(self) -> None:
        self._sent: dict[str, list[str]] = {}

    def blocks(self, role: str, text: str) -> list[str]:
        """``text`` in pieces that are all of it, the last of them new to the provider if there is anything new."""
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
    """The lines that both begin with."""
    pairs = zip(one.splitlines(keepends=True), other.splitlines(keepends=True), strict=False)
    common = "".join(line for line, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return common if common.strip() else ""
