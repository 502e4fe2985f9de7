"""What long-term memory takes: a text embedded, and what a role remembers found among thousands or a million of entries.

The entries are of one role, the worst case, and are written as runs write them, except that their vectors are made up: of
the vectors of real sentences and noise, so that they lie as near to each other as real ones do. Among them stand a few real
episodes, which are asked for in other words and languages. The alternative to search by sign bits is the cosine with every
vector, which is exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deskcrew.engine.roles.recalling import TOKENS
from deskcrew.facts.observation import Frozen
from deskcrew.learning.memory.codes import ROWS
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.long_term import Wanted
from deskcrew.learning.memory.recollection import Recollection
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.memory.store import Memory
from deskcrew_bench.figure import Figure, summarise

ROLE = "Operator"
KNOWN = (
    ("Write the total of the amounts in sales.csv to total.txt", "Summe der Beträge in umsatz.csv in eine Datei schreiben"),
    ("Move the invoices that are overdue into the folder late", "Déplacer les factures en retard dans un autre dossier"),
    ("Book a meeting room for Thursday on the web page", "在网页上预订会议室"),
    ("Rename every photo by the date it was taken", "写真をすべて日付でリネームする"),
    ("Open the calculator and multiply two numbers", "Otwórz kalkulator i pomnóż dwie liczby"),
    ("Fill in the contact form with the customer's address", "Заполнить контактную форму адресом клиента"),
    ("Translate the letter into French", "Traducir la carta al francés"),
    ("Make an archive of all documents", "Maak een archief van alle documenten"),
)
"""Episodes, and what is asked for in their place."""
NOUNS = ("report", "letter", "photo", "invoice", "table", "calendar", "contract", "song", "map", "recipe", "page", "note")
VERBS = ("sort", "print", "copy", "close", "compare", "delete", "sign", "open", "draw", "count", "mail", "check")
ROUNDS = 5


class Recall(Frozen):
    """Figures of one size. ``found``: of the episodes asked for in another language, how many came first."""

    entries: int
    time: Figure
    found: int
    asked: int
    opening: float
    """Milliseconds of the first search after the file was opened."""


def embedding(samples: int = 40) -> Figure:
    """Milliseconds of processor time for a text by itself, beside the same text in a batch."""
    embedder = SentenceEmbedder()
    texts = [text for pair in KNOWN for text in pair]
    embedder.embed(texts)
    alone = [_processor(lambda at=at: embedder.embed([texts[at % len(texts)]])) for at in range(samples)]
    together = [_processor(lambda: embedder.embed(texts)) / len(texts) for _ in range(ROUNDS)]
    return summarise(alone, "ms", alternative="in a batch of 16", against=together)


def measure(folder: Path, entries: int, address: str = "") -> Recall:
    """Fill a memory with ``entries`` and search it. ``folder``: where its file may lie; a million take 2 GB. ``address``: of
    a database on a server in which there is no memory."""
    path = folder / f"memory-{entries}.db"
    embedder = SentenceEmbedder()
    fill(path, embedder, entries, address)
    memory = Memory(path, embedder, address=address)
    try:
        recollection = Recollection(memory, "", "", lambda _: None)
        opening = _elapsed(lambda: recollection.find(_wanted(KNOWN[0][1])))
        took: list[float] = []
        first = 0
        for _, asked in KNOWN:
            recollection.find(_wanted(asked))  # embeds it, which has a figure of its own
            took += [_elapsed(lambda asked=asked: recollection.find(_wanted(asked))) for _ in range(ROUNDS)]
        for meant, asked in KNOWN:
            hits = recollection.alike(asked, ROLE, 1)
            first += bool(hits) and hits[0].situation == meant
        exact = _exact(entries, embedder)
    finally:
        memory.close()
    return Recall(
        entries=entries,
        time=summarise(took, "ms", alternative="the exact cosine with every vector", against=exact),
        found=first,
        asked=len(KNOWN),
        opening=round(opening, 1),
    )


def fill(path: Path, embedder: SentenceEmbedder, entries: int, address: str = "") -> None:
    """A memory with the known episodes among ``entries``, all of one role."""
    made = _MadeUp(embedder)
    memory = Memory(path, made, address=address)
    known = [_entry(text, number) for number, (text, _) in enumerate(KNOWN)]
    memory.settle("known", known, "")
    memory.index()
    for start in range(len(KNOWN), entries, ROWS):
        numbers = range(start, min(entries, start + ROWS))
        memory.settle(f"r{start}", [_entry(made.sentence(number), number) for number in numbers], "")
        memory.index(ROWS)
    memory.close()


class _MadeUp:
    """The embedder, except for the sentences that it has made up: those have the vector of a real one, and noise."""

    def __init__(self, embedder: SentenceEmbedder) -> None:
        self.name, self.dimensions, self.alike = embedder.name, embedder.dimensions, embedder.alike
        self._embedder = embedder
        self._real = [f"{verb} the {noun}" for verb in VERBS for noun in NOUNS]
        self._vectors = embedder.embed(self._real)
        self._random = np.random.default_rng(1)

    def sentence(self, number: int) -> str:
        return f"{self._real[number % len(self._real)]} {number:x}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        places = [self._places.get(text.rpartition(" ")[0], -1) for text in texts]
        if -1 in places:
            return self._embedder.embed(texts)
        noise = self._random.normal(scale=0.5 / self.dimensions**0.5, size=(len(texts), self.dimensions))
        vectors = (self._vectors[places] + noise).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self._real)}


def _exact(total: int, embedder: SentenceEmbedder) -> list[float]:
    """What the cosine of a query with every vector takes, all of them in memory as 32-bit numbers, or as many as fit into a
    gibibyte, and the rest reckoned."""
    some = min(total, (1 << 30) // (4 * embedder.dimensions))
    matrix = np.random.default_rng(2).normal(size=(some, embedder.dimensions)).astype(np.float32)
    query = embedder.embed([KNOWN[0][1]])[0]

    def scan() -> NDArray[np.float32]:
        return np.argsort(-(matrix @ query))[:3].astype(np.float32)

    return [_elapsed(scan) * total / some for _ in range(3)]


def _wanted(situation: str) -> Wanted:
    return Wanted(role=ROLE, subtask=None, situation=situation, count=3, tokens=TOKENS)


def _entry(situation: str, number: int) -> Entry:
    return Entry(
        id=entry_id(situation, number),
        role=ROLE,
        situation=situation,
        decision=f'click_input button "{number}"',
        result="it held",
        verdict="proven",
        verified_by="rules",
        run=f"r{number // 10}",
        created=float(number),
    )


def _processor(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return (time.process_time() - began) * 1000


def _elapsed(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return (time.perf_counter() - began) * 1000
