"""Orders to open a program or go to a page, and which program a text refers to.

The words are in ``vocabulary.toml``. An order is unambiguous if it begins with the verb, after politeness, and names
nothing but what is opened, one thing of each kind. Any other word makes it ambiguous, and so does a question or a
statement. Reflexes and checks both read openings here and nowhere else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from deskcrew.english.orders import Order, tokens
from deskcrew.english.vocabulary import Phrases, vocabulary
from deskcrew.texts import FILE_NAME

_ADDRESS = re.compile(r"[\"'“<(]?(https?://[^\s\"'”<>]+?)[\"'”>)]?(?=[.,;:!?]*(?:\s|$))", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_ENDS = frozenset(".!?")
_BETWEEN = {"program": ",", "page": ",:"}
"""Punctuation that may follow the verb; other marks make two sentences of it, or an aside."""


def opening(part: str, programs: Collection[str], there: Collection[str]) -> Order | None:
    """The order of ``part`` to open a program, or a file in whatever program; None if it says more or less than that.
    ``there``: paths that count as files however they are written."""
    order = _read("program", part, there)
    if order is None:
        return None
    verb, said_so, files = order
    words = [word.casefold() for word in said_so]
    program = program_named(" ".join(words), programs)
    if program and not _certain(program, said_so):
        return None  # "the archive" is no Archive Manager
    known, said = frozenset(_words(program)), vocabulary().opening
    if len(files) > 1 or not (program or (files and verb in said.alone)):
        return None
    if not files and not said.named.isdisjoint(set(words) - known):
        return None  # "the file", without a name
    if not set(words) <= said.around | said.things["program"] | said.named | known:
        return None
    return Order("open", what=(program,) if program else (), files=tuple(files), words=part)


def visiting(part: str) -> Order | None:
    """The order of ``part`` to open a page without doing anything with it; None if it says more or less than that."""
    found = _ADDRESS.findall(part)
    order = _read("page", _ADDRESS.sub(" ", part), ()) if len(found) == 1 else None
    if order is None or order[2]:
        return None
    said = vocabulary().opening
    if not {word.casefold() for word in order[1]} <= said.around | said.things["page"]:
        return None
    return Order("visit", what=(found[0],), words=part)


def _read(kind: str, part: str, there: Collection[str]) -> tuple[tuple[str, ...], list[str], list[str]] | None:
    """The opening verb that ``part`` begins with after politeness, the words behind it as they are written, and the files
    that it names; None where it begins otherwise, asks, or is more than one sentence."""
    known, found = vocabulary().opening, tokens(part, there)
    marks = [token.value for token in found if token.slot == "MARK"]
    while found and found[-1].value in _ENDS:
        found.pop()
    words = [token.value.casefold().replace("’", "'") for token in found]
    at, asked = 0, False
    while at < len(words):
        phrase = _phrase(words[at:], known.polite)
        if not phrase and words[at] not in known.before | {","}:
            break
        asked = asked or not vocabulary().clause["crew"].isdisjoint(phrase[-1:])
        at += len(phrase) or 1
    verb = _phrase(words[at:], known.verbs[kind])
    rest = found[at + len(verb) :]
    if not verb or ("?" in marks and not asked) or any(token.slot not in ("WORD", "FILE", "MARK") for token in rest):
        return None
    if any(token.slot == "MARK" and token.value not in _BETWEEN[kind] for token in rest):
        return None
    said = [token.value for token in rest if token.slot == "WORD"]
    return verb, said, [token.value for token in rest if token.slot == "FILE"]


def _phrase(words: Sequence[str], phrases: Phrases) -> tuple[str, ...]:
    return next((phrase for phrase in phrases if tuple(words[: len(phrase)]) == phrase), ())


def program_named(text: str, programs: Collection[str]) -> str:
    """The one of ``programs`` that ``text`` refers to; '' if there is none, or it could be several."""
    called = {name.casefold() for name in programs}
    # "server.log" does not refer to a program unless one has exactly this name.
    said = FILE_NAME.sub(lambda found: found[0] if found[0].casefold() in called else " ", text).casefold()
    # "the text editor (Name)" shares its kind with other programs, but not its name.
    times = Counter(word for told in programs for word in _words_of(told))
    shared = frozenset(word for word, count in times.items() if count > 1)
    for left_out in (shared, frozenset[str]()):
        found = {told: _closeness(told, said, left_out) for told in programs}
        closest = max(found.values(), default=(0, False))
        if closest > (0, False):
            best = [told for told, closeness in found.items() if closeness == closest]
            return best[0] if len(best) == 1 else ""
    kinds = [kind for kind in vocabulary().opening.kinds if _says(said, kind)]
    of_kind = [told for told in programs if any(kind in told.casefold() for kind in kinds)]
    return of_kind[0] if len(of_kind) == 1 else ""


def _certain(program: str, words: Sequence[str]) -> bool:
    """Whether ``words`` leave no doubt that they name a program: by its whole name, by what kind of program it is, or by a
    word of its name that is written as a name ("Calc")."""
    said = " ".join(words).casefold()
    whole = (*_pieces(program), *(kind for kind in vocabulary().opening.kinds if kind in program.casefold()))
    if any(_says(said, piece) for piece in whole):
        return True
    return any(word.casefold() in _words_of(program) and word in program for word in words if word[:1].isupper())


def _pieces(told: str) -> list[str]:
    """What a program is called: the name before its brackets, and what stands in them."""
    return [piece.strip() for piece in told.casefold().replace(")", "(").split("(") if piece.strip()]


def shows_program(program: str, shown: str, programs: Iterable[str] = ()) -> bool:
    """Whether a window that shows the name ``shown`` belongs to ``program``, or to another one of ``programs`` of the
    same kind: a program called just "Text Editor" stands for every text editor."""
    said = _BETWEEN_WORDS.sub(" ", shown.casefold())
    alike = (told for told in programs if told.partition("(")[0].strip().casefold() == program.casefold())
    return any(_closeness(_own_name(told), said) > (0, False) for told in (program, *alike))


def _own_name(told: str) -> str:
    """A program's own name without its kind, which others share."""
    kind, bracket, name = told.partition("(")
    return name.rstrip(") ") if bracket else kind


def _says(said: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", said) is not None


def _closeness(told: str, said: str, shared: frozenset[str] = frozenset()) -> tuple[int, bool]:
    """How closely the text ``said`` matches a program's name: the length of the longest matching word, and whether the
    whole name matches. ``shared``: words that do not count, because other programs have them."""
    words = [word for word in _words_of(told) - shared if _says(said, word)]
    return max(map(len, words), default=0), told.casefold() in words


def _words_of(told: str) -> frozenset[str]:
    """The words that may stand for a program, and the whole of what is in and before the brackets of its name."""
    words = {word for piece in _pieces(told) for word in (piece, *piece.split())}
    return frozenset(word for word in words if len(word) >= 4 and word not in vocabulary().programs)


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
