"""The names that a text is about: what stands in quotation marks, words with a capital letter, and numbers with letters.

Nothing is known of them but how they are written, so they are looked for only in what has them as they stand.
"""

from __future__ import annotations

import re

from deskcrew.english.texts import FILE_NAME, QUOTED, quoted

_WORD = r"[A-Z][\w]*(?:[-'’&][\w]+)*"
_NAMES = re.compile(rf"(?<![\w.$#/'’-]){_WORD}(?:\s+{_WORD})*")
_IDS = re.compile(r"(?<![\w./-])#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w./-])")
_BEGINS = re.compile(r"(?:^|[.!?:;(\"“\n]\s*|[-*•]\s*)$")
SHORTEST = 3
"""Letters of a name; what is shorter stands everywhere."""


def names_in(text: str) -> tuple[str, ...]:
    """The names in ``text``, in order, each once; without those of files. A word that begins a sentence is none."""
    plain = FILE_NAME.sub(lambda match: "_" * len(match.group(0)), text)
    found = [(plain.find(each), each) for each in quoted(plain) if "_" not in each]
    plain = QUOTED.sub(lambda match: "_" * len(match.group(0)), plain)
    for match in _NAMES.finditer(plain):
        words = match.group(0).split()
        said = " ".join(words[1:] if _BEGINS.search(plain[: match.start()]) else words)
        found.append((match.start(), said.removesuffix("'s").removesuffix("’s")))
    found += [(match.start(), match.group(0).lstrip("#")) for match in _IDS.finditer(plain)]
    return tuple(dict.fromkeys(name for _, name in sorted(found) if len(name) >= SHORTEST))
