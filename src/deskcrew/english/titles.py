"""Lists read out of a document: all its headings, or the titles of all its slides, and the program that prints them.

Every title counts, in the order in which they stand. What wants some of them, or wants them otherwise, is none of this.
"""

from __future__ import annotations

import re

from deskcrew.english.clauses import ORDER, QUOTED, file_names

_OF = r"(?:\s+(?:of|on|from|in)\s+(?:all\s+|each\s+|every\s+)?(?:of\s+)?(?:the\s+|its\s+)?(?:slides?|sections?|chapters?))"
_TITLES = re.compile(
    rf"\b(?:(?:slide|section|chapter)\s+)?(?:titles|headings|headlines){_OF}?(?!\s+of\s+(?:the\s+)?(?:columns?|rows?|tables?))\b|"
    r"\b(?:what|how)\s+(?:the\s+|its\s+)?(?:slides|sections|chapters)\s+are\s+called\b",
    re.I,
)
_OTHERWISE = re.compile(
    r"\b(?:how\s+(?:many|much|often)|number\w*|count|first|last|second|third|only|except|but|without|that|which|whose|who|starting|"
    r"beginning|ending|longest|shortest|sort\w*|alphabet\w*|capitals?|upper\w*|lower\w*|reverse\w*|after|before|between|until|contain\w*|"
    r"mention\w*|about|if|separated|comma\w*|levels?|sub\w+|main|top\w*|column\w*|row\w*|replace|change|remove|delete|bold|page|pages|"
    r"and|or|with|under|below)\b",
    re.I,
)
_MANNER = re.compile(
    r"\b(?:one|each)\s+(?:(?:title|heading|headline|of\s+them)\s+)?(?:a|per|on\s+(?:each|its\s+own|a))\s+line\b|"
    r"\b(?:one\s+)?(?:below|under|after)\s+(?:the\s+|each\s+|one\s+an)other\b|\bin\s+(?:the\s+)?order\b[^,.;]*",
    re.I,
)
"""How a list is written that has a line for each."""


def lists_titles(clause: str) -> bool:
    """Whether all titles of a document are wanted, as they stand, and nothing else."""
    bare = _MANNER.sub(" ", QUOTED.sub(" ", clause))
    found = _TITLES.search(bare)
    if found is None:
        return False
    around = bare[: found.start()] + " " + bare[found.end() :]
    for name in file_names(clause):
        around = around.replace(name, " ")
    order = ORDER.match(around.strip())
    plain = order is None or order.group(0).casefold() in (
        "find",
        "extract",
        "read",
        "make",
        "write",
        "copy",
        "report",
        "tell",
        "show",
    )
    return plain and not _OTHERWISE.search(around)
