"""A task as orders: all that it wants, in its own order, with what is not understood marked as such.

A clause becomes an order of a known kind only if every word of it is understood. What greets is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise

from deskcrew.english.clauses import asks, clauses, greets, only_asks, sentences, verb_of
from deskcrew.english.openings import opening, visiting
from deskcrew.english.orders import Order, Token, parse, said, tokens
from deskcrew.english.vocabulary import in_all_forms, vocabulary
from deskcrew.texts import file_names, is_pattern


def orders_of(
    task: str, there: Collection[str] = (), programs: Collection[str] = (), *, answered: bool = False
) -> tuple[Order, ...]:
    """The orders of ``task``. ``there``: paths that exist, folders with a slash at their end; ``programs``: those that
    can be opened; ``answered``: whether the run answers what is asked, so that a question orders nothing."""
    return tuple(order for sentence in sentences(task) for order in _of_sentence(sentence, there, programs, answered))


def _of_sentence(sentence: str, there: Collection[str], programs: Collection[str], answered: bool) -> Iterator[Order]:
    means, that, goal = sentence.partition(f" {vocabulary().purpose} ")
    part = sentence
    if that and (order := parse(_obliging(goal), there)) is not None:
        yield replace(order, sentence=sentence)
        part = means
    doubt = vocabulary().doubt["words"].intersection(said(tokens(part, there)))
    if doubt and not asks(part) and parse(part, there) is None:
        yield Order("doubted", words=part, sentence=part)
        return
    for clause in clauses(part):
        if not greets(clause):
            yield _of_clause(clause, sentence, there, programs, answered)


def _of_clause(clause: str, sentence: str, there: Collection[str], programs: Collection[str], answered: bool) -> Order:
    question, verb, words = only_asks(clause), verb_of(clause), tokens(clause, there)
    examples = _examples(words)
    files = tuple(t.value for t in words if t.slot == "FILE" and not is_pattern(t.value) and t.value not in examples)
    order = parse(clause, there)
    if order is None and answered and question:
        order = Order("ask", files=files)
    order = order or opening(clause, programs, there) or visiting(clause) or Order("", files=files)
    first = next((token.value.casefold() for token in words if token.slot == "WORD"), "")
    known = vocabulary().doubt
    # Which of several files is deleted, or what in them, is not known.
    certain = verb != "delete" or len(files) == 1
    return replace(
        order,
        words=clause.strip(" ,;."),
        sentence=sentence,
        asks=question,
        finds=verb == "find" or asks(clause),
        makes=certain and not in_all_forms(known["makes"]).isdisjoint(said(words)),
        changes=certain
        and (verb in ("replace", "append", "delete", "write") or (verb == "other" and first in known["changes"])),
    )


def _obliging(goal: str) -> str:
    """A purpose clause reworded as an obligation ("must ..."), without the words that describe its file ("the shop's
    book x.txt")."""
    words, known = goal.split(), vocabulary().plain
    file = next((n for n, word in enumerate(words) if file_names(word)), 0)
    if not {known.get(word.casefold()) for word in words[:file]} & {"of", "to", "with", "line", "every"}:
        words = words[file:]
    at = next(
        (n for n, word in enumerate(words) if known.get(word.casefold()) in ("hold", "show", "be", "must")), len(words)
    )
    return " ".join((*words[:at], "must", *words[at:]))


def _examples(words: list[Token]) -> frozenset[str]:
    """Files that only illustrate how others are named: "each with its date, like 2024-03-08.pdf"."""
    shows = vocabulary().doubt["examples"]
    return frozenset(
        token.value for before, token in pairwise(words) if token.slot == "FILE" and before.value.casefold() in shows
    )
