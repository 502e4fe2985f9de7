"""Words that change what a request means: absence, totals, ranks, times before today. A reading must use each that is said:
with a value that people say so, or that is called so, or because its skill is asked for in such words. Else the skill does
something else, and who is shown the reading easily overlooks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from deskcrew.engine.steps.common_words import COLUMNS, CONTRASTING, INTO, NEGATING, REMOVING
from deskcrew.engine.steps.sayings import plain, values_said
from deskcrew.learning.skills.lexicon import WORD, deed, shared_by, words_of
from deskcrew.learning.skills.skill import Parameter, Skill


class Group(NamedTuple):
    """Phrases for one meaning. ``usual``: how many ways of asking for a skill must have one, for any of them to be usual.
    One negation says nothing of another."""

    phrases: tuple[tuple[str, ...], ...]
    usual: int = 1


class Spoken(NamedTuple):
    """A phrase of a group in a text, where it begins and ends, the word before it and the two behind it, '' at an
    end."""

    phrase: str
    group: Group
    begin: int
    end: int
    before: str
    behind: tuple[str, ...]

    @property
    def beside(self) -> tuple[str, str, str]:
        return self.before, self.phrase, self.behind[0]

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.phrase, each) for each in self.behind)


def _group(words: str, *phrases: str, usual: int = 1) -> Group:
    return Group(tuple(tuple(words_of(plain(each))) for each in (*words.split(), *phrases)), usual)


OFTEN = 5
FEW = 8
"""How many ways of asking with a negation make any usual, and the maximum number of skills that a telling word is of."""
GROUPS = (
    _group(
        " ".join((*NEGATING, "neither none nobody nothing nein niemand nichts nadie nada non")),
        *("apart from", "other than", "leaving out", "abgesehen von", "aparte de"),
        usual=OFTEN,
    ),
    _group(" ".join(REMOVING)),
    _group(" ".join(CONTRASTING)),
    _group("empty blank missing lacking leer leere leeren fehlt fehlen vacío vacía vacíos vacías falta vide vides manque"),
    _group("total totals altogether overall sum count summe gesamt insgesamt suma somme", "in all"),
    _group("average mean durchschnitt durchschnittlich promedio media moyenne"),
    _group("median mediana médiane zentralwert"),
    _group("smallest lowest least fewest minimum kleinste kleinsten niedrigste niedrigsten wenigsten mínimo"),
    _group("largest biggest highest greatest most maximum größte größten höchste höchsten meisten máximo"),
    _group(
        "zweithöchste zweithöchsten zweitgrößte zweitgrößten",
        *(f"{place} {end}" for place in ("second", "third") for end in ("largest", "biggest", "highest", "lowest", "best")),
        *("segundo más", "segunda más", "deuxième plus", "seconde plus"),
    ),
    _group("häufigste häufigsten", "most common", "most often", "most frequent", "más frecuente", "plus souvent"),
    _group(
        "mindestens höchstens",
        *("at least", "at most", "more than", "less than", "fewer than", "mehr als", "weniger als", "al menos", "más de"),
        *("como máximo", "menos de"),
    ),
    _group("", "range of", "difference between", "unterschied zwischen", "diferencia entre", "différence entre"),
    _group("different distinct verschiedene verschiedenen distintos distintas différents différentes"),
    _group("same gleiche gleichen selben misma mismo mismos même mêmes"),
    _group("per pro"),
    _group("percentage percent proportion prozent anteil porcentaje pourcentage", "share of"),
    _group("raise increase off discount rabatt descuento remise erhöhe erhöhen senke senken aumenta sube augmente baisse"),
    _group("characters zeichen caracteres caractères", "how many letters", "wie viele buchstaben", "cuántas letras"),
    _group("wieviele cuántos cuántas", "how many", "number of files", "anzahl der dateien", "wie viele", "combien de"),
    _group("age alter edad âge", "how old", "wie alt", "quel âge"),
    _group(
        "yesterday today tomorrow overdue ago gestern heute überfällig vencida",
        *("this week", "last week", "next week", "this month", "last month", "next month", "this quarter", "last quarter"),
        *("this year", "last year", "next year", "diese woche", "letzte woche", "nächste woche", "diesen monat"),
        *("letzten monat", "nächsten monat", "dieses jahr", "letztes jahr", "nächstes jahr", "esta semana", "este mes"),
        *("semana pasada", "mes pasado", "este año", "año pasado", "cette semaine", "semaine dernière", "ce mois"),
        *("mois dernier", "cette année", "année dernière", "en retard"),
    ),
)
"""What a request may mean, in four languages."""


def passed_over(request: str, skill: Skill, values: Mapping[str, Any]) -> str:
    """The first phrase of a group in a request that a skill does not use with these values; '' if there is none. A value
    that is left out of ``values`` may be any; under '' is what several may be."""
    text, chosen, usual = plain(request), _chosen(skill), _usual(skill)
    heard = values_said(text, skill, values)
    others = {found.group for found in _phrases(plain(str(values.get("", ""))))}
    for said in _phrases(text):
        told = any(each.begin <= said.begin < each.end and said.group in _groups(each.words) for each in heard)
        asked_so = said.group not in chosen and not usual.isdisjoint((said.group, said.phrase, said.beside, *said.pairs))
        used = told or asked_so or said.group in others
        if not used and not any(_uses(each, values.get(each.name), said) for each in skill.method.parameters):
            return said.phrase
    return ""


def _uses(parameter: Parameter, value: object, said: Spoken) -> bool:
    """Whether a value of a parameter (None or several: it is open) has a phrase of the same group as one that is said: Paid
    is "no". A text that is looked for is more than just that phrase. What is done if nothing is chosen, and what a number or
    an open value is for, is in the description."""
    if parameter.names_file or parameter.kind in ("files", "folder"):
        return False
    open_, text = not isinstance(value, str | int), plain(str(value))
    if open_ and parameter.kind == "text" and not parameter.choices and said.before in COLUMNS | INTO:
        return True  # a column Total
    found = () if value is None else _phrases(text)
    if any(each.group == said.group and not (parameter.said and each.phrase == text) for each in found):
        return True
    described = value == "" if parameter.choices else open_ or (bool(text) and parameter.kind == "integer")
    return described and any(each.group == said.group for each in _phrases(plain(parameter.description)))


@lru_cache(maxsize=256)
def _chosen(skill: Skill) -> frozenset[Group]:
    """The groups between which a skill has a choice: it must have chosen the one that is said."""
    sayings = (saying for each in skill.method.parameters if each.choices for saying in each.said)
    return frozenset(group for saying in sayings for group in _groups(saying.words))


@lru_cache(maxsize=1024)
def _groups(sayings: str) -> frozenset[Group]:
    return frozenset(found.group for part in sayings.split(",") for found in _phrases(plain(part)))


@lru_cache(maxsize=256)
def _usual(skill: Skill) -> frozenset[Group | str | tuple[str, ...]]:
    """What a skill is asked for with: the groups of which enough of its examples have a phrase, that of its verb, phrases of
    its description, and phrases of an example with both words beside them, or a word behind them that is of few skills: no
    duplicates."""
    asked = [[*_phrases(plain(each))] for each in skill.method.asked]
    groups = Counter(group for found in asked for group in {each.group for each in found})
    return frozenset(
        (
            *(group for group in GROUPS if groups[group] >= group.usual or (deed(skill),) in group.phrases),
            *(each.phrase for each in _phrases(plain(skill.description))),
            *(each.beside for found in asked for each in found),
            *(pair for found in asked for each in found for pair in each.pairs if pair[1] and shared_by(pair[1]) <= FEW),
        )
    )


def _phrases(text: str) -> Iterator[Spoken]:
    """The phrases of the groups in a plain text, the longest at each place."""
    places = list(WORD.finditer(text))
    words, at = [each.group() for each in places], 0
    while at < len(words):
        found = [(len(each), group) for each, group in _beginning(words[at]) if (*words[at : at + len(each)],) == each]
        size, group = max(found, default=(1, None), key=lambda each: each[0])
        if group is not None:
            before, behind = ["", *words][at], (*words[at + size :], "", "")[:2]
            begin, end = places[at].start(), places[at + size - 1].end()
            yield Spoken(" ".join(words[at : at + size]), group, begin, end, before, behind)
        at += size


@lru_cache(maxsize=1024)
def _beginning(word: str) -> tuple[tuple[tuple[str, ...], Group], ...]:
    return tuple((phrase, group) for group in GROUPS for phrase in group.phrases if phrase[0] == word)
