"""The words of a skill: those with which people ask for it, and those that say what it does and needs."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from deskcrew.skills import folders
from deskcrew.skills.skill import Parameter, Skill

COMMON = 4
"""The number of skills that have a word in common for it to say nothing about any of them."""
POLITE = frozenset({"please", "thanks"})
"""Words that ask for nothing; those of other languages are near to them."""
WORD = re.compile(r"[^\W\d_]+")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, without numbers."""
    found: list[str] = WORD.findall(text.casefold())
    return found


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Words that say nothing about any skill: polite ones, and those that many of the skills that ship have."""
    shipped = (folders.load(folders.read(each.parent, "shipped")) for each in folders.SHIPPED.glob(f"*/{folders.METHOD}"))
    counted = Counter(word for skill in shipped for word in lexicon(skill))
    return POLITE | {word for word, count in counted.items() if count >= COMMON}


@lru_cache(maxsize=256)
def lexicon(skill: Skill) -> frozenset[str]:
    """The words with which people ask for a skill, and those that say what it does and needs."""
    method = skill.method
    told = (skill.name.replace("-", " "), skill.description, *method.asked, method.provenance.task)
    return frozenset(words_of(" ".join((*told, *(text for each in method.parameters for text in _told(each))))))


def _told(parameter: Parameter) -> tuple[str, ...]:
    return (parameter.description, *parameter.choices, *parameter.endings)
