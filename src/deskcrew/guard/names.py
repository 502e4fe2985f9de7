"""What a control does according to its name, with one table per language (``languages/*.toml``).

Labels are short: in some languages the verb comes first, in others last. So a table lists phrases that count as the
``whole`` of a clause, where it ``begins``, where it ``ends``, or anywhere as a ``part`` of it. Longer phrases that mean
something else ("order history") are removed beforehand; the words beside them still count.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Literal, get_args

import regex

from deskcrew.environments.dates import unaccented
from deskcrew.facts.observation import Frozen
from deskcrew.facts.texts import words_in

Raised = Literal["spend", "credential", "send", "destroy"]
BY_WEIGHT: tuple[Raised, ...] = get_args(Raised)
"""Risks from the most to the least serious: a name that matches several counts as the first of them."""
AMOUNT = "¤"
"""Stands for an amount of money in the tables."""
_LONGEST = 400
"""Maximum number of characters of a name that are read."""
_GONE = "\0"
"""Replaces removed text, so that its neighbours do not become the beginning or end of a clause."""
_BREAKS = re.compile(r"[|/\\;:!?()\[\]{}<>»«→←›‹·•–—…,+&„“”\"。、，！？：；（）「」『』【】・]|\.(?=\s|\.|$)|(?<=\s)-(?=\s)")
_EDGES = re.compile(rf"^(?:{_BREAKS.pattern}|\s)+|(?:{_BREAKS.pattern}|\s)+$")
_IGNORED = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
_SPACED = regex.compile(r"(?<!\w)(?:\w[ \u00a0._-]){2,}\w(?!\w)")
"""A word with spaces between its letters."""
_BETWEEN = str.maketrans(dict.fromkeys("._-", " "))
_MNEMONIC = re.compile(r"_|&(?=\w)(?<!\w&)")
_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")


class Phrases(Frozen):
    """Phrases by where in a clause they count. A ``*`` within a word stands for any letters, on its own for a word."""

    whole: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    part: tuple[str, ...] = ()


class Language(Frozen):
    """One language file. ``spaced``: words are separated by spaces. ``fillers`` may precede a phrase that begins a clause;
    ``joins`` end a clause. ``masked`` phrases are removed. ``opens``: phrases that usually open a dialog before anything is
    done. ``safe``: names of controls that are harmless on any page; ``saves``: of controls that keep entries where they are.
    ``wide``: words for several things, as "all"; ``numbers``: words for 0, 1 and so on, each in all its forms."""

    spaced: bool = True
    fillers: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    wide: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()
    saves: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    spend: Phrases = Phrases()
    credential: Phrases = Phrases()
    send: Phrases = Phrases()
    destroy: Phrases = Phrases()


@dataclass(frozen=True, slots=True)
class Said:
    """What a name says. ``risk``: the most serious of its ``risks``; ``amount``: it names a sum of money, not a price range;
    ``opens``: it usually opens a dialog first, as a name for sending with dots at its end does; ``safe``: it is known to be
    harmless; ``saves``: it is known to keep entries where they are."""

    risk: Raised | None = None
    amount: bool = False
    opens: bool = False
    safe: bool = False
    saves: bool = False
    risks: frozenset[Raised] = frozenset()


class Names:
    """The tables of all languages, compiled. Languages with spaces between words are searched together, as are those
    without."""

    def __init__(self, languages: Iterable[Language], currencies: Iterable[str]) -> None:
        """``currencies``: codes and names of currencies; currency signs are known."""
        every = list(languages)
        codes = "|".join(sorted(map(re.escape, currencies), key=len, reverse=True))
        sign, number = rf"(?:\p{{Sc}}|(?<!\p{{L}})(?:{codes}))", r"\d(?:[\d.,'’ ]*\d)?"
        self._amount = regex.compile(rf"\p{{L}}{{0,2}}{sign}\s*{number}|{number}\s*{sign}(?!\p{{L}})", regex.IGNORECASE)
        self._tables = [_Table([one for one in every if one.spaced is spaced], spaced=spaced) for spaced in (True, False)]
        self.numbers = _spelt(every)
        """The numbers that each word stands for, by word without accents."""
        self._wide, self._wide_unspaced = (
            frozenset(plain(word) for one in every if one.spaced is spaced for word in one.wide) for spaced in (True, False)
        )
        self.of = lru_cache(4096)(self._of)
        """What a name says. Cached, because the same names are looked up again and again."""

    @classmethod
    def load(cls, currencies: Iterable[str]) -> Names:
        """The built-in tables."""
        folder = resources.files("deskcrew.guard").joinpath("languages")
        files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
        return cls([_read(file.read_text(encoding="utf-8")) for file in files], currencies)

    def wide(self, name: str) -> str:
        """The word in a name that stands for several things, such as "all"; '' if there is none."""
        read = plain(name)
        apart = (word for word in words_in(read) if word in self._wide)
        return next(apart, "") or next((word for word in self._wide_unspaced if word in read), "")

    def _of(self, name: str) -> Said:
        """What a name says, both as written and as it looks: other alphabets' letters count as the Latin ones they
        resemble."""
        readings = dict.fromkeys(self._plain(reading) for reading in _readings(name))
        found = [table.of(reading) for reading in readings for table in self._tables]
        risks: frozenset[Raised] = frozenset(risk for said in found for risk in said.risks)
        grave: Raised | None = next((risk for risk in BY_WEIGHT if risk in risks), None)
        amount = AMOUNT in self._unmasked(next(iter(readings)))
        dots = grave == "send" and name.rstrip().endswith(("…", "..."))
        opens = dots or any(said.opens for said in found if said.risk == grave)
        safe, saves = (grave is None and any(getattr(said, kind) for said in found) for kind in ("safe", "saves"))
        return Said(grave, amount, opens, safe, saves, risks)

    def _plain(self, name: str) -> str:
        """A name without case, accents and mnemonics, with sums of money replaced."""
        with_sums = self._amount.sub(f" {AMOUNT} ", name)
        return " ".join(plain(_MNEMONIC.sub("", with_sums)).split())

    def _unmasked(self, reading: str) -> str:
        for table in self._tables:
            reading = table.unmasked(reading)
        return reading


def _spelt(languages: Iterable[Language]) -> dict[str, frozenset[int]]:
    known: dict[str, set[int]] = {}
    for one in languages:
        for number, forms in enumerate(one.numbers):
            for word in forms.split():
                known.setdefault(unaccented(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in known.items()}


class _Table:
    """The phrases of all languages written with spaces, or of all without."""

    def __init__(self, languages: list[Language], *, spaced: bool) -> None:
        self._languages, self._spaced = languages, spaced

    def of(self, reading: str) -> Said:
        clauses = self._clauses(reading)
        opens, safe, saves = (
            len(clauses) == 1 and bool(self._alone[kind].fullmatch(clauses[0])) for kind in ("opens", "safe", "saves")
        )
        risks: list[Raised] = [risk for risk in BY_WEIGHT if any(self._of_risk[risk].search(clause) for clause in clauses)]
        if not risks:
            return Said(safe=safe, saves=saves)
        return Said(risks[0], opens=opens, risks=frozenset(risks))

    def unmasked(self, reading: str) -> str:
        text = reading if self._spaced else reading.replace(" ", "")
        return self._alone["masked"].sub(f" {_GONE} ", text)

    def _clauses(self, reading: str) -> list[str]:
        """The independent parts of a label, and the whole label, which matches phrases that contain punctuation."""
        text = self.unmasked(reading)
        parts = [self._trimmed(part) for part in _BREAKS.sub("\n", text).splitlines()]
        joined = [self._trimmed(piece) for part in parts for piece in self._alone["joins"].split(part)]
        whole = self._trimmed(_EDGES.sub("", text))
        return list(dict.fromkeys(part for part in (*parts, *joined, whole) if part))

    def _trimmed(self, clause: str) -> str:
        return self._fillers.sub("", " ".join(clause.split()) if self._spaced else "".join(clause.split()))

    @cached_property
    def _of_risk(self) -> dict[Raised, re.Pattern[str]]:
        found: dict[Raised, re.Pattern[str]] = {}
        for risk in BY_WEIGHT:
            several: list[Phrases] = [getattr(one, risk) for one in self._languages]
            whole, begins, ends, part = (
                self._any(phrase for one in several for phrase in getattr(one, where))
                for where in ("whole", "begins", "ends", "part")
            )
            found[risk] = re.compile(f"^{whole}$|^{begins}|{ends}$|{part}")
        return found

    @cached_property
    def _alone(self) -> dict[str, re.Pattern[str]]:
        """The phrases that count wherever they stand, by kind."""
        kinds = ("opens", "safe", "saves", "masked", "joins")
        return {
            kind: re.compile(self._any(phrase for one in self._languages for phrase in getattr(one, kind))) for kind in kinds
        }

    @cached_property
    def _fillers(self) -> re.Pattern[str]:
        # All that a label says may be a filler; then it stays.
        return re.compile(f"^(?:{self._any(phrase for one in self._languages for phrase in one.fillers)} ?)+(?=.)")

    def _any(self, phrases: Iterable[str]) -> str:
        """A pattern for any of the phrases, the longest first."""
        known = sorted({plain(phrase) for phrase in phrases}, key=lambda phrase: (-len(phrase), phrase))
        either = "|".join(map(self._pattern, known)) or "(?!)"
        return rf"(?<!\w)(?:{either})(?!\w)" if self._spaced else f"(?:{either})"

    def _pattern(self, phrase: str) -> str:
        text = phrase if self._spaced else phrase.replace(" ", "")
        words = (r"\w+" if word == "*" else re.escape(word).replace(r"\*", r"\w*") for word in text.split(" "))
        return " ".join(words)


def plain(text: str) -> str:
    """A text without case, and Latin letters without accents, which are often omitted from capitals."""
    apart = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", apart))


def _readings(name: str) -> list[str]:
    """A name as written, without invisible characters, and as it looks: "d e l e t e" is a word."""
    written = _IGNORED.sub("", unicodedata.normalize("NFKC", name[:_LONGEST]))
    close = _SPACED.sub(lambda run: "".join(run[0].translate(_BETWEEN).split()), written)
    return [*_looks(written), *(_looks(close) if close != written else ())]


def _looks(written: str) -> list[str]:
    """A text, and the text with each letter replaced by the Latin letter that it resembles."""
    if written.isascii():
        return [written]
    from disarm import normalize_confusables  # its tables take a tenth of a second to load, and few names need them

    looks = "".join(letter if letter.isascii() else normalize_confusables(letter) for letter in written)
    lower = "".join(letter if letter.isascii() else normalize_confusables(letter) for letter in written.casefold())
    return [written, looks, lower]


def _read(text: str) -> Language:
    data = tomllib.loads(text)
    return Language.model_validate(data)
