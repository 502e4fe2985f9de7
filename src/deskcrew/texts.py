"""What a text contains: names of files and of things, quoted texts, and other texts. It is found alike in every language; of
English a few abbreviations are known, which are spelled like the name of a file."""

from __future__ import annotations

import re

# Not e.g., i.e., a.m., p.m., U.S. and U.K., nor what stands before the @ of an address.
FILE_NAME = re.compile(
    r"(?<![\w/.@-])(?!(?:[eE]\.g|[iI]\.e|[aApP]\.[mM]|U\.[SK])\b)(?:[\w-]+/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,4}\b(?![\w.+-]*@)"
)
QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«\s*([^»\n]{1,200}?)\s*»|„([^“”\n]{1,200})[“”]|`([^`\n]{1,200})`|(?<!\w)'([^'\n]{2,200})'(?!\w)"
)
_FENCED = re.compile(r"\s*```\w*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)
_PLACEHOLDERS = re.compile(r"(?<![A-Za-z])(?:[YMDHNX]{2,}(?:SS)?|[NX])(?![A-Za-z])")
_CAPITAL = r"[A-Z][\w]*(?:[-'’&][\w]+)*"
_NAMES = re.compile(rf"(?<![\w.$#/'’-]){_CAPITAL}(?:\s+{_CAPITAL})*")
_IDS = re.compile(r"(?<![\w./-])#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w./-])")
_BEGINS = re.compile(r"(?:^|[.!?:;(\"“\n]\s*|[-*•]\s*)$")
SHORTEST = 3
"""The minimum length of a name; shorter ones occur everywhere."""


def unfenced(text: str) -> str:
    """The content of the Markdown fence around a whole text; the text itself where there is none."""
    fenced = _FENCED.fullmatch(text)
    return fenced.group(1) if fenced else text


def file_names(text: str) -> tuple[str, ...]:
    """Names in ``text`` that look like files, in order, each once."""
    return tuple(dict.fromkeys(match.group(0) for match in FILE_NAME.finditer(text)))


def quoted(text: str) -> tuple[str, ...]:
    """Texts in quotation marks, in order, without those that are file names."""
    names = set(file_names(text))
    found = (match.group(match.lastindex or 0) for match in QUOTED.finditer(text))
    return tuple(dict.fromkeys(each for each in found if each not in names))


def is_pattern(name: str) -> bool:
    """Whether a file's name is a pattern for others ("report-YYYY-MM-DD.txt"), and so not to be searched literally."""
    return _PLACEHOLDERS.search(name) is not None


def hide(text: str) -> tuple[str, list[str]]:
    """``text`` with a number in place of each quoted text, and these texts with their quotation marks."""
    texts: list[str] = []

    def number(match: re.Match[str]) -> str:
        texts.append(match.group(0))
        return f'"{len(texts) - 1}"'

    return QUOTED.sub(number, text), texts


def show(text: str, texts: list[str]) -> str:
    """Restores what :func:`hide` took out."""
    return re.sub(r'"(\d+)"', lambda match: texts[int(match.group(1))], text)


LETTER = r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f]"
"""A pattern for letters and digits of scripts with spaces between words: Chinese, Japanese, Thai and others have none,
so a number there has their letters on both sides."""


def spaced(text: str) -> bool:
    """Whether spaces separate the words of ``text``: no letter or digit in it is of a script without them."""
    return not any(each.isalnum() and not re.match(LETTER, each) for each in text)


def folded(text: str) -> str:
    """A text to compare others with whose case and number of spaces do not count."""
    return " ".join(text.split()).casefold()


def stands_in(part: str, whole: str) -> bool:
    """Whether ``part`` occurs in ``whole`` as a word or number of its own: 12 does not in 3120, nor in -12."""
    return in_words(normal(part), normal(whole))


def in_words(part: str, whole: str) -> bool:
    """:func:`stands_in` for texts that are compared without normalization."""
    if not part or part not in whole:  # the most frequent case, without a pattern
        return False
    first, last = (re.match(LETTER, edge) is not None for edge in (part[0], part[-1]))
    before = rf"(?<!{LETTER})(?<!\.)" if first else ""
    if part[0].isdigit():
        before += r"(?<!(?<!\w)[-\u2212])"
    after = rf"(?!{LETTER}|\.\d)" if last else ""
    return re.search(before + re.escape(part) + after, whole) is not None


def names_file(text: str, path: str) -> bool:
    """Whether ``text`` names a file, by its path or by its name alone. Names are written as people remember them, so upper
    and lower case count only where there is no suffix; a name that could be any word, as "report" or "notes", must have
    its folder before it."""
    folder, _, name = path.rpartition("/")
    a_word = "." not in name and name == name.lower()
    if name.casefold() not in text.casefold() or (a_word and not folder):
        return False
    before = rf"(?:{re.escape(folder)}/)" + ("" if a_word else "?") if folder else ""
    found = rf"(?<!{LETTER})(?<![./@-])(?:\./)?{before}{re.escape(name)}(?!{LETTER}|\.\w|@)"
    return re.search(found, text, re.IGNORECASE if "." in name else 0) is not None


def speaks_of(text: str, folder: str) -> bool:
    """Whether ``text`` names a folder, and not just something with a longer name."""
    return re.search(rf"(?<![\w-]){re.escape(folder)}(?![\w-])", text) is not None


def normal(text: str, *, case: bool = False) -> str:
    """Lower case (but where ``case`` counts), single spaces, numbers without thousands separators or a trailing ``.0``, no
    closing punctuation."""
    text = re.sub(r"(?<=\d)[,\u202f'](?=\d{3}\b)", "", text)
    text = re.sub(r"(\d+)\.0+\b", r"\1", text)
    text = re.sub(r"(\d+\.\d*?[1-9])0+\b", r"\1", text)
    plain = " ".join(text.split()).strip(".!")
    return plain if case else plain.casefold()


def ascii_words(text: str) -> list[str]:
    """The words of a text that consist of ASCII letters and digits alone: what names are made of."""
    return "".join(each if each.isascii() and each.isalnum() else " " for each in text).split()


def names_in(text: str) -> tuple[str, ...]:
    """The names in ``text``, in order, each once, without those of files: quoted texts, capitalized words that do not
    begin a sentence, and numbers with letters. They are recognized by their spelling alone."""
    plain = FILE_NAME.sub(lambda match: "_" * len(match.group(0)), text)
    found = [(plain.find(each), each) for each in quoted(plain) if "_" not in each]
    plain = QUOTED.sub(lambda match: "_" * len(match.group(0)), plain)
    for match in _NAMES.finditer(plain):
        words = match.group(0).split()
        said = " ".join(words[1:] if _BEGINS.search(plain[: match.start()]) else words)
        found.append((match.start(), said.removesuffix("'s").removesuffix("’s")))
    found += [(match.start(), match.group(0).lstrip("#")) for match in _IDS.finditer(plain)]
    return tuple(dict.fromkeys(name for _, name in sorted(found) if len(name) >= SHORTEST))
