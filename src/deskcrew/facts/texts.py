"""Finds names of files and of things, quoted passages and given strings in a text. It works alike in every language; only a
few English abbreviations that are spelled like a file name are built in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

# Not e.g., i.e., a.m., p.m., U.S. and U.K., nor what stands before the @ of an address.
FILE_NAME = re.compile(
    r"(?<![\w/.@-])(?!(?:[eE]\.g|[iI]\.e|[aApP]\.[mM]|U\.[SK])\b)(?:[\w-]+/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,4}\b(?![\w.+-]*@)"
)
QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«\s*([^»\n]{1,200}?)\s*»|„([^“”\n]{1,200})[“”]|`([^`\n]{1,200})`|(?<!\w)'([^'\n]{2,200})'(?!\w)"
)
_PLACEHOLDERS = re.compile(r"(?<![A-Za-z])(?:[YMDHNX]{2,}(?:SS)?|[NX])(?![A-Za-z])")
_CAPITAL = r"[A-Z][\w]*(?:[-'’&][\w]+)*"
_NAMES = re.compile(rf"(?<![\w.$#/'’-]){_CAPITAL}(?:\s+{_CAPITAL})*")
_IDS = re.compile(r"(?<![\w./-])#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w./-])")
WORD = re.compile(r"\w+")
_NEEDLESS = re.compile(r"(?<=\d)(?:[,\u202f'](?=\d{3}\b)|\.0+\b|(\.\d*?[1-9])0+\b)")
"""Optional parts of a number: thousands separators, and trailing zeros of decimals."""
_BEGINNING = (".", "!", "?", ":", ";", "(", '"', "“", "-", "*", "•")
"""Characters after which a sentence or a list entry begins."""
SHORTEST = 3
"""The minimum length of a name; shorter ones occur everywhere."""


def unfenced(text: str) -> str:
    """The content of the Markdown fence around a whole text; the text itself if there is none."""
    first, _, rest = text.strip().partition("\n")
    if not (first.startswith("```") and _is_word(first[3:].rstrip()) and rest.endswith("```")):
        return text
    return rest.removesuffix("```").rstrip(" \t").removesuffix("\n").removesuffix("\r")


def words_in(text: str) -> list[str]:
    """The words and numbers of a text, in order."""
    return WORD.findall(text)


def _is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum() or not text


def file_names(text: str) -> tuple[str, ...]:
    """The strings in ``text`` that look like file names, in order, each once."""
    return tuple(dict.fromkeys(match.group(0) for match in FILE_NAME.finditer(text)))


def quoted(text: str) -> tuple[str, ...]:
    """The passages in quotation marks, in order, each once, without file names."""
    names = set(file_names(text))
    found = (match.group(match.lastindex or 0) for match in QUOTED.finditer(text))
    return tuple(dict.fromkeys(each for each in found if each not in names))


def is_pattern(name: str) -> bool:
    """Whether a file name is a pattern ("report-YYYY-MM-DD.txt"), and so not to be searched literally."""
    return _PLACEHOLDERS.search(name) is not None


_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
LETTER = rf"[^\W{_UNSPACED}]"
"""A pattern for letters and digits of scripts that put spaces between words. Chinese, Japanese, Thai and others do not, so
that there a number may have letters on both sides."""


_RANGES = [(each[0], each[-1]) for each in (_UNSPACED[at : at + 3] for at in range(0, len(_UNSPACED), 3))]


def is_name(text: str) -> bool:
    """Whether a text is a valid name of a session or server: at most 64 ASCII letters, digits, ``.``, ``_`` and ``-``,
    beginning with a letter or digit."""
    return (
        len(text) <= 64 and text.isascii() and text[:1].isalnum() and all(each.isalnum() or each in "._-" for each in text)
    )


def spaced(text: str) -> bool:
    """Whether spaces separate the words of ``text``: all its letters and digits belong to scripts with spaces."""
    return not any(each.isalnum() and not is_letter(each) for each in text)


def is_letter(sign: str) -> bool:
    """Whether a character matches :data:`LETTER`."""
    return (sign.isalnum() or sign == "_") and not any(first <= sign <= last for first, last in _RANGES)


def folded(text: str) -> str:
    """A text with case folded and white space collapsed, for comparisons that ignore both."""
    return " ".join(text.split()).casefold()


def stands_in(part: str, whole: str) -> bool:
    """Whether ``part`` occurs in ``whole`` as a whole word or number: 12 does not occur in 3120, nor in -12."""
    return in_words(normal(part), normal(whole))


def in_words(part: str, whole: str) -> bool:
    """Like :func:`stands_in`, but without normalizing the texts."""
    return any(_is_apart(whole, at, at + len(part)) for at in places_of(part, whole))


def reworded(text: str, old: str, new: str, places: Sequence[int] | None = None) -> str:
    """A text with ``old`` replaced at ``places``, by default wherever it occurs as a whole word or number, in any case."""
    for at in reversed(told_at(text, old) if places is None else places):
        text = f"{text[:at]}{new}{text[at + len(old) :]}"
    return text


def told_at(text: str, part: str) -> list[int]:
    """The indices at which ``part`` occurs in a text as a whole word or number, in any case."""
    plain = text.casefold()
    places = places_of(part.casefold(), plain) if len(plain) == len(text) else ()
    return [at for at in places if _is_apart(plain, at, at + len(part))]


def _is_apart(whole: str, start: int, end: int) -> bool:
    """Whether the text between two indices is not part of a longer word or number."""
    before, after = whole[start - 1 : start], whole[end : end + 1]
    if is_letter(whole[start]) and before and (before == "." or is_letter(before)):
        return False
    if whole[start].isdigit() and before in ("-", "\u2212") and not _is_in_word(whole[start - 2 : start - 1]):
        return False
    longer = after == "." and whole[end + 1 : end + 2].isdecimal()
    return not (is_letter(whole[end - 1]) and after and (longer or is_letter(after)))


def _is_in_word(sign: str) -> bool:
    return bool(sign) and _is_word(sign)


def places_of(part: str, whole: str) -> Iterator[int]:
    """The indices at which ``part`` begins in ``whole``; none if ``part`` is empty."""
    at = whole.find(part) if part else -1
    while at >= 0:
        yield at
        at = whole.find(part, at + 1)


def stands_alone(part: str, whole: str, *, before: str = "", after: str = "", joins: str = "") -> bool:
    """Whether ``part`` occurs in ``whole`` on its own: no letter or digit (of a script with spaces) next to it, none of
    ``before`` in front of it, none of ``after`` behind it, and no ``joins`` behind it that a letter or digit follows."""
    for at in places_of(part, whole):
        end = at + len(part)
        first, last, next_one = whole[at - 1 : at], whole[end : end + 1], whole[end + 1 : end + 2]
        free = not first or not (is_letter(first) or first in before)
        if free and not (last and (is_letter(last) or last in after or (last in joins and _is_in_word(next_one)))):
            return True
    return False


def names_file(text: str, path: str) -> bool:
    """Whether ``text`` names a file, by its path or by its name alone. People write names as they remember them, so case
    counts only in names without a suffix; a name that could be any word, such as "report" or "notes", must be preceded by
    its folder."""
    name = path.rpartition("/")[2]
    a_word = "." not in name and name == name.lower()
    if "." in name:
        path, name, text = path.casefold(), name.casefold(), text.casefold()
    called = ({path} if "/" in path else set[str]()) | (set[str]() if a_word else {name})
    found = (f"{here}{each}" for each in called if each in text for here in ("", "./"))
    return any(stands_alone(each, text, before="./@-", after="@", joins=".") for each in found)


def speaks_of(text: str, folder: str) -> bool:
    """Whether ``text`` names a folder, and not just something whose name contains the folder's."""
    return stands_alone(folder, text, before="-", after="-")


def normal(text: str, *, case: bool = False) -> str:
    """A text normalized for comparison: lower case (unless ``case`` counts), single spaces, numbers without thousands
    separators or trailing ``.0``, no closing punctuation."""
    plain = " ".join(_NEEDLESS.sub(r"\1", text).split()).strip(".!")
    return plain if case else plain.casefold()


def ascii_words(text: str) -> list[str]:
    """The maximal runs of ASCII letters and digits in a text, of which names can be made."""
    return "".join(each if each.isascii() and each.isalnum() else " " for each in text).split()


def latin_words(text: str) -> list[str]:
    """The words of a text in lower case and without accents."""
    return ascii_words(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())


@lru_cache(maxsize=16)  # each turn asks for those of the task
def names_in(text: str) -> tuple[str, ...]:
    """The names in ``text``, in order, each once, without file names: quoted passages, capitalized words that do not begin a
    sentence, and numbers with letters. They are recognized by their spelling alone."""
    plain = FILE_NAME.sub(lambda match: "_" * len(match.group(0)), text)
    found = [(plain.find(each), each) for each in quoted(plain) if "_" not in each]
    plain = QUOTED.sub(lambda match: "_" * len(match.group(0)), plain)
    for match in _NAMES.finditer(plain):
        parts = match.group(0).split()
        said = " ".join(parts[1:] if _begins(plain[: match.start()]) else parts)
        found.append((match.start(), said.removesuffix("'s").removesuffix("’s")))
    found += [(match.start(), match.group(0).lstrip("#")) for match in _IDS.finditer(plain)]
    return tuple(dict.fromkeys(name for _, name in sorted(found) if len(name) >= SHORTEST))


def _begins(before: str) -> bool:
    """Whether a sentence or a list entry begins after the text ``before``."""
    said = before.rstrip()
    return not said or said.endswith(_BEGINNING) or "\n" in before[len(said) :]
