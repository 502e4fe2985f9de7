"""Recalls entries for a role: the nearest by meaning and by words, fused by rank, within a budget of prompt tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import anyio.to_thread

from deskcrew.errors import DeskcrewError
from deskcrew.facts.events import Hit, TrackRecord
from deskcrew.facts.excerpts import shorten
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.long_term import FIRST, REPLY, THEN, Found, Wanted
from deskcrew.learning.memory.store import Memory, counts_in
from deskcrew.learning.memory.words import words_of

SEARCHED = 12
"""The maximum number of results of each of the two searches."""
FLATTEST = 60
"""The constant of reciprocal rank fusion: the larger it is, the less differences of rank matter."""
SHARED = 0.4
"""The share of their words that two texts must have in common to be alike without embeddings."""
FACTS = 3
SHORTEST = 60
"""The minimum number of tokens that must be left to show another entry."""
READ = "; what it read is left out"


@dataclass(frozen=True, slots=True)
class Recollection:
    """Long-term memory for one run. ``run``: its id; ``place``: its workspace folder; ``tell``: called with a message if
    nothing can be recalled."""

    memory: Memory
    run: str
    place: str
    tell: Callable[[str], None]

    async def recall(self, wanted: Wanted) -> Found | None:
        """See :class:`~deskcrew.learning.memory.long_term.LongTerm`. If memory cannot be used, it counts as empty, and the
        run goes on."""
        try:
            return await anyio.to_thread.run_sync(self.find, wanted)
        except DeskcrewError as error:
            self.tell(f"nothing is recalled: {error}")
            return None

    def find(self, wanted: Wanted) -> Found | None:
        """Like :meth:`recall`, but blocking. Raises MemoryFailure if memory, ModelFailure if the embedder cannot be used."""
        if not self.memory.holds(wanted.role, "", *wanted.agents):
            return None
        with self.memory.searching(wanted.situation):
            return self._found(wanted)

    def _found(self, wanted: Wanted) -> Found | None:
        left = wanted.tokens
        facts, left = self._told(self._facts(wanted.situation), fact_text, left)
        records = tuple(each for agent in wanted.agents if (each := self._record(agent, wanted.situation)) is not None)
        left -= 12 * len(records)
        episodes = self.alike(wanted.situation, wanted.role, wanted.count) if wanted.count else []
        hits, _ = self._told(episodes, episode_text, left)
        return Found(hits, facts, records) if hits or facts or records else None

    def alike(self, situation: str, role: str, count: int) -> list[Entry]:
        """The ``count`` best episodes of a role that may be shown to it, best first."""
        meant, said = self._searched(situation, role)
        scores: dict[str, float] = {}
        entries: dict[str, Entry] = {}
        for found in (meant, said):
            for rank, entry in enumerate(found, 1):
                entries[entry.id] = entry
                scores[entry.id] = scores.get(entry.id, 0.0) + entry.weight / (FLATTEST + rank)
        # Of several episodes with the same decision, only the best is shown.
        best: dict[str, Entry] = {}
        for entry in sorted(entries.values(), key=lambda entry: (-scores[entry.id], -entry.created, entry.id)):
            if entry.verdict in ("proven", "corrected"):
                best.setdefault(entry.decision, entry)
        return list(best.values())[:count]

    def _searched(self, situation: str, role: str) -> tuple[list[Entry], list[Entry]]:
        """The entries found by meaning, and the entries found by words."""
        words = set(words_of(situation))
        nearest = self.memory.by_meaning(situation, role, SEARCHED)
        least = self.memory.embedder.alike if self.memory.embedder is not None else 1.0
        meant = [entry for entry, cosine in nearest if cosine >= least and self._counts(entry)]
        near = {entry.id for entry in meant}
        by_words = self.memory.by_words(situation, role, SEARCHED)
        said = [entry for entry in by_words if entry.id in near or shared(words, set(words_of(entry.situation))) >= SHARED]
        return meant, [entry for entry in said if self._counts(entry)]

    def _record(self, agent: str, situation: str) -> TrackRecord | None:
        """How often an agent completed and failed subtasks like this one; None if it had none."""
        meant, said = self._searched(situation, agent)
        verdicts = [entry.verdict for entry in {entry.id: entry for entry in (*meant, *said)}.values()]
        proven, failed = verdicts.count("proven"), verdicts.count("failed")
        return TrackRecord(role=agent, proven=proven, failed=failed) if proven + failed else None

    def _facts(self, situation: str) -> list[Entry]:
        """The user's most relevant facts; if there are few, all of them."""
        if not self.memory.holds(""):
            return []
        nearest = [entry for entry, _ in self.memory.by_meaning(situation, "", SEARCHED)]
        said = self.memory.by_words(situation, "", SEARCHED)
        others = self.memory.all(kind="fact")
        ranked = {entry.id: entry for entry in (*nearest, *said, *(others if len(others) <= FACTS else ()))}
        return [entry for entry in ranked.values() if self._counts(entry)][:FACTS]

    def _counts(self, entry: Entry) -> bool:
        return counts_in(entry, self.place) and entry.run != self.run

    def _told(self, entries: Iterable[Entry], text: Callable[[Entry, int], str], left: int) -> tuple[tuple[Hit, ...], int]:
        """As many entries as fit into ``left`` tokens, in the form in which roles see them, and the tokens that remain."""
        hits: list[Hit] = []
        for entry in entries:
            if left < SHORTEST:
                break
            if not (told := text(entry, left)):
                continue
            left -= tokens(told)
            hits.append(Hit(entry=entry.id, digest=entry.digest, text=told))
        return tuple(hits), left


def episode_text(entry: Entry, most: int) -> str:
    """An episode in at most ``most`` prompt tokens. Operations are shown as replies, as many as fit, because a small model
    repeats the form that it sees. '' if there is no room for the first reply."""
    by = "judged, not proven" if entry.verified_by == "judge" else f"proven by {entry.verified_by or 'rules'}"
    by = f"{entry.word}, {by}" if entry.reading else by
    why = "corrected by the user" if entry.verdict == "corrected" else by
    result = f": {within(entry.result, most // 6)}" if entry.result else ""
    end = f"  Result ({why}{READ if entry.origins else ''}){result}"
    lines = entry.decision.split("\n")
    replies = [line for line in lines if line.startswith(REPLY)]
    said = " ".join(line for line in lines if not line.startswith(REPLY))
    begin = f"- {'Your part' if replies else 'Wanted'}: {within(entry.situation, most // 4)}"
    room = most - tokens(begin) - tokens(end) - 4
    told = [within(f"  Done: {said}", room)] if said else []
    for at, reply in enumerate(replies):
        room -= sum(map(tokens, told[-1:]))
        shown = f"{THEN if at else FIRST}{reply}"
        if tokens(shown) > room and (at or room < SHORTEST):
            break
        told.append(within(shown, room))
    if not told:
        return ""
    return "\n".join((begin, *told, end))


def fact_text(entry: Entry, most: int) -> str:
    """A fact in at most ``most`` prompt tokens."""
    return f"- {within(entry.situation, most - 2)}"


def within(text: str, most: int) -> str:
    """``text``, shortened to at most ``most`` tokens."""
    length = len(text)
    while tokens(text) > most and length > 8:
        length = length * 3 // 4
        text = shorten(text, length)
    return text


def tokens(text: str) -> int:
    """An estimate of the maximum number of tokens of a text in any usual vocabulary: one for three ASCII characters, and one
    for each other character."""
    plain = sum(character.isascii() for character in text)
    return plain // 3 + 1 + len(text) - plain


def shared(one: set[str], other: set[str]) -> float:
    """The share of their words that two texts have in common."""
    return len(one & other) / max(1, len(one | other))
