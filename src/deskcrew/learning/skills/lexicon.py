"""The vocabulary of skills: the words for what each does and needs, and how common they are."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log

from deskcrew.learning.skills import folders
from deskcrew.learning.skills.skill import Parameter, Skill

SHORT, COMMON = 4, 14
"""The most letters of a small word, and the number of skills above which a word is common."""
FILTER = "filter-rows"
WORD = re.compile(r"[^\W\d_]+")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, without numbers."""
    found: list[str] = WORD.findall(text.casefold())
    return found


def telling(word: str) -> float:
    """How much a word says about what is to be done, from 0 to 1: little if many shipped skills have it."""
    skills, counted = _counted()
    return 1 - log(max(1, counted[word])) / log(skills)


@lru_cache(maxsize=1)
def shipped() -> tuple[Skill, ...]:
    """All shipped skills."""
    return tuple(folders.shipped_skill(each.parent) for each in sorted(folders.SHIPPED.glob(f"*/{folders.METHOD}")))


@lru_cache(maxsize=1)
def _counted() -> tuple[int, Counter[str]]:
    return len(shipped()), Counter(word for skill in shipped() for word in lexicon(skill))


@lru_cache(maxsize=256)
def lexicon(skill: Skill) -> frozenset[str]:
    """The words for what a skill does and needs, from its description. They do not include the ways in which people ask for
    it, since these name things that people have."""
    method = skill.method
    told = (skill.name.replace("-", " "), skill.description, method.provenance.task)
    return frozenset(words_of(" ".join((*told, *(text for each in method.parameters for text in _told(each))))))


def shared_by(word: str) -> int:
    """How many shipped skills have this word in their description, or in a phrase by which people ask for them."""
    return _asked()[word]


@lru_cache(maxsize=1)
def deeds() -> frozenset[str]:
    """The verbs of all shipped skills, the first words of their names: sort, merge."""
    return frozenset(map(deed, shipped()))


def deed(skill: Skill) -> str:
    """The verb of a skill, the first word of its name."""
    return skill.name.partition("-")[0]


@lru_cache(maxsize=1)
def kinds() -> frozenset[str]:
    """The endings of the files that the skills that ship take or make, without the dot."""
    return frozenset(end[1:] for skill in shipped() for each in skill.method.parameters for end in each.endings)


@lru_cache(maxsize=1)
def _asked() -> Counter[str]:
    return Counter(word for skill in shipped() for word in usual_words(skill))


@lru_cache(maxsize=256)
def own_words(skill: Skill) -> frozenset[str]:
    """The words for what a skill does, needs and can be told."""
    sayings = (saying.words for each in skill.method.parameters for saying in each.said)
    return lexicon(skill).union(words_of(" ".join(sayings)))


@lru_cache(maxsize=256)
def usual_words(skill: Skill) -> frozenset[str]:
    """The words of a skill, including those with which people ask for it and for its choices, but no names of people and
    places that happen to be in these: another request means another Berlin."""
    return own_words(skill).union(set(words_of(" ".join(skill.method.asked))) - _names())


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """The words that are only ever capitalised where people ask for skills, and are not the first of what they say."""
    said = [WORD.findall(text) for skill in shipped() for text in skill.method.asked]
    plain = {word.casefold() for words in said for word in words if word[:1].islower()}
    return frozenset(word.casefold() for words in said for word in words[1:] if word.istitle()) - plain


@lru_cache(maxsize=1)
def conditions() -> Parameter:
    """The parameter that says how people compare the values of a column, the same for all skills."""
    return next(each for skill in shipped() for each in skill.method.parameters if skill.name == FILTER and each.opposites)


def is_small(word: str) -> bool:
    """Whether a word is in every other sentence, and so names nothing: in, of, the."""
    return len(word) <= SHORT and shared_by(word) > COMMON


def _told(parameter: Parameter) -> tuple[str, ...]:
    return (parameter.description, *parameter.choices, *parameter.endings)
