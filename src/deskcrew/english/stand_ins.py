"""Stand-ins: what a task writes in place of something that is known only later.

"report-YYYY-MM-DD.docx" is no name and "They cost N euros", with the price in place of N, is no text: they are patterns. In
the target of a check ``?`` is a digit and ``*`` anything; in its text :data:`ANY` is anything that has a source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from deskcrew.english.clauses import COMPUTED, FILE_NAME, QUOTED, file_names
from deskcrew.english.wording import normal
from deskcrew.observation import FileEntry, Observation
from deskcrew.verdict import RESULT, Check

ANY = "{any}"
"""In the text of a ``file_contains``: something that the crew had to find out."""

_DIGITS = r"YYYY|YY|MM|DD|HH|JJJJ|TT"
_LETTERS = r"N{2,}|X{2,}|\#+"
_SEGMENT = rf"(?<![A-Za-z0-9])(?:{_DIGITS}|{_LETTERS})(?![A-Za-z0-9])|(?:YYYYMMDD|DDMMYYYY|YYMMDD)"
_BRACKETS = r"<[A-Za-z][\w -]*>|\{[A-Za-z][\w -]*\}|\[[A-Za-z][\w -]*\]"
_NAME = re.compile(
    rf"(?<![\w/.@\"“-])(?:[\w-]|/|\.(?=[\w-])|\#|{_BRACKETS})*(?:{_SEGMENT}|{_BRACKETS})(?:[\w-]|\#|{_BRACKETS})*\.([A-Za-z][A-Za-z0-9]{{0,4}})\b"
)
_LONE = re.compile(r"(?<![A-Za-z0-9])[NX](?![A-Za-z0-9])")
_WORD = re.compile(r"<[A-Za-z][\w ]*>|\{[A-Za-z][\w ]*\}|\[[A-Za-z][\w ]*\]|\([a-z][a-z ]*\)|_{2,}|\b[A-Z]{1,12}\b")
_OWN = re.compile(r"[<>{}\[\]*]|^(?:N+|X+|#+)$")
_SPACED = re.compile(
    r"\b((?:to|as|called|named|into)\s+(?:the\s+)?(?:file\s+)?)"
    r"[\"“]([\w() -]+\.(?:pdf|docx?|odt|txt|md|xlsx?|ods|csv|json|html?|png|jpe?g|gif|zip|pptx?))[\"”]",
    re.IGNORECASE,
)
_ALIAS = re.compile(r"ꙮ(\d+)ꙮ(?:\.\w+)?")


@dataclass
class Names:
    """Names in a task that are not written like file names, each replaced by one that is: patterns, and files that are there
    under names with spaces. ``meant``: the path or pattern, and the words it stands for."""

    there: frozenset[str]
    meant: list[tuple[str, str]] = field(default_factory=lambda: list[tuple[str, str]]())

    def simplified(self, task: str) -> str:
        """The task with such names replaced."""
        for path in sorted(self.there, key=len, reverse=True):
            for name in dict.fromkeys((path, path.rpartition("/")[2])):
                if not FILE_NAME.fullmatch(name) and re.search(r"\.\w+$", name):
                    task = re.sub(
                        rf"(?<![\w/.-])[\"“]?{re.escape(name)}[\"”]?(?![\w-])", lambda _, p=path: self.alias(p), task
                    )
        task = _SPACED.sub(lambda match: match.group(1) + self.alias(match.group(2)), task)
        quotes = [match.span() for match in QUOTED.finditer(task)]

        def pattern(match: re.Match[str]) -> str:
            name = match.group(0)
            inside = any(begin < match.start() < end for begin, end in quotes)
            return name if name in self.there or inside else self.alias(as_pattern(name), name)

        task = _NAME.sub(pattern, task)
        return FILE_NAME.sub(lambda match: self._lone(match.group(0), task), task)

    def alias(self, path: str, words: str = "") -> str:
        """A plain name for ``path``, as it is where that is one."""
        if FILE_NAME.fullmatch(path):
            return path
        if (path, words or path) not in self.meant:
            self.meant.append((path, words or path))
        ending = re.search(r"\.[A-Za-z][A-Za-z0-9]{0,4}$", path)
        return f"ꙮ{self.meant.index((path, words or path))}ꙮ{ending.group(0) if ending else '.x'}"

    def alias_of(self, path: str) -> str:
        """The plain name that the task has for ``path``, itself where it has none."""
        return self.alias(path) if (path, path) in self.meant else path

    def aliased(self) -> frozenset[str]:
        """All that is there, under the names that the task has for it."""
        return frozenset(map(self.alias_of, self.there))

    def in_(self, text: str) -> list[str]:
        """The paths and patterns that ``text`` names."""
        return [self._path(name) for name in file_names(text)]

    def restored(self, check: Check) -> Check:
        """A check with what its names stand for; one that a planner made of the words as they stand, as well."""
        target = next((path for path, words in self.meant if words == check.target), self._path(check.target))
        text = self._path(check.text) if check.kind == "same_as" else self.words(check.text)
        return check.model_copy(update={"target": target, "text": text})

    def words(self, text: str) -> str:
        """``text`` as the task has it."""
        return _ALIAS.sub(self._words, text)

    def _path(self, target: str) -> str:
        if whole := _ALIAS.fullmatch(target):
            return self.meant[int(whole.group(1))][0]

        def base(match: re.Match[str]) -> str:
            return self.meant[int(match.group(1))][0].rpartition("/")[2]

        return _ALIAS.sub(base, target)

    def _words(self, match: re.Match[str]) -> str:
        return self.meant[int(match.group(1))][1]

    def _lone(self, name: str, task: str) -> str:
        """A single N or X in a name is a stand-in only where the task says what for."""
        letter = _LONE.search(name)
        if name in self.there or letter is None or _ALIAS.search(name):
            return name
        it = letter.group(0)
        said = rf"\b(?:where|with)\b[^.;]*\b{it}\b|\b{it}\s+(?:is|being|stands)\b|\b(?:for|of)\s+{it}\b"
        return self.alias(_LONE.sub("*", name), name) if re.search(said, task.replace(name, "")) else name


def as_pattern(name: str) -> str:
    """A name with placeholders as the pattern that fits what they stand for."""
    name = re.sub(_BRACKETS, "*", name)
    return re.sub(_SEGMENT, lambda m: "*" if re.fullmatch(_LETTERS, m.group(0)) else "?" * len(m.group(0)), name)


def fitting(look: Observation, target: str) -> list[FileEntry]:
    """The files that a check's target speaks of: the one of that path, or those that fit the pattern."""
    files = [entry for entry in look.files if entry.kind == "file"]
    exact = [entry for entry in files if entry.path == target]
    if exact or not re.search(r"[?*]", target):
        return exact
    return [
        entry for entry in files if (found := filled(target, entry.path)) is not None and not any(map(_OWN.search, found))
    ]


def filled(pattern: str, path: str) -> tuple[str, ...] | None:
    """What stands in ``path`` in place of the pattern's stand-ins; None where it does not fit."""
    parts = re.split(r"(\?+|\*)", pattern)
    wild = {"?": r"(\d{%d})", "*": r"(.+)" if pattern.endswith("/*") or pattern[:2] in ("*", "*.") else r"([^/]+)"}
    made = "".join(
        wild[part[0]].replace("%d", str(len(part))) if part[:1] in ("?", "*") else re.escape(part) for part in parts if part
    )
    match = re.fullmatch(made, path)
    return match.groups() if match else None


def with_stand_ins(text: str, task: str) -> str:
    """A quoted text whose stand-ins the task explains outside of quotation marks, as a pattern; as it is otherwise."""
    around = QUOTED.sub(
        lambda match: match.group(0) if len(match.group(0)) < 24 and match.group(0)[1:-1] in text else " ", task
    )
    around = around.replace(f'"{text}"', " ").replace(f"“{text}”", " ")
    for match in reversed(list(_WORD.finditer(text))):
        if meaning := _meaning(match.group(0), around):
            text = text[: match.start()] + (RESULT if COMPUTED.search(meaning) else ANY) + text[match.end() :]
    return text


def _meaning(word: str, around: str) -> str:
    """What the task says that ``word`` stands for, '' when it says nothing of it."""
    bare = word.strip("<>{}[]()")
    name = rf"[\"“'‘<{{\[(]*{re.escape(bare)}[\"”'’>}}\])]*"
    short = r"|for|where" if len(bare) < 3 or word != bare else ""
    says = (
        rf"\b(?:with|using|put|write|insert|fill\s+in|give)\s+([^.;\"“]{{1,80}}?)\s+(?:instead\s+of|in\s+(?:the\s+)?place\s+of{short})\s+(?:the\s+)?{name}(?!\w)",
        rf"\breplac(?:e|ing)\s+(?:the\s+)?{name}\s+(?:with|by)\s+([^.;]{{1,80}})",
        rf"\bwhere\s+(?:the\s+)?{name}\s+(?:is|are|stands\s+for|means|being)\s+([^.;]{{1,80}})",
        rf"(?<!\w){name}\s+(?:being|stands?\s+for|standing\s+for|is|=)\s+((?:the|its|their|how)\b[^.;]{{1,80}})",
        rf"\b(?:in\s+place\s+of|instead\s+of)\s+(?:the\s+)?{name},?\s+(?:put|write|insert|use)\s+([^.;]{{1,80}})",
    )
    for pattern in says:
        if match := re.search(pattern, around):
            return match.group(1)
    described = (
        word != bare
        and len(bare) > 1
        and re.search(rf"\b(?:the|its|their)\s+(?:\w+\s+)?({re.escape(bare)})\b", around, re.I)
    )
    if word != bare and word[0] in "<{[" and COMPUTED.search(f"the {bare}"):
        return f"the {bare}"
    return f"{bare} " if described else ""


def fillings(pattern: str, whole: str) -> list[tuple[str, ...]]:
    """What stands in ``whole`` in place of each stand-in of a text's ``pattern``, for every place where it fits."""
    parts = re.split(f"{re.escape(ANY)}|{re.escape(RESULT)}", pattern)
    fixed = [re.escape(normal(part)) for part in (*parts[:-1], parts[-1])]
    body = r"\s*(\S(?:.{0,80}?\S)?)\s*".join(fixed)
    begin = r"(?<!\w)" if parts[0][:1].isalnum() else ""
    end = r"(?!\w)" if parts[-1].strip() else r"(?=\s|$)"
    found = [match.groups() for match in re.finditer(begin + body + end, normal(whole))]
    stand_ins = {"n", "x", "xx", "nn"}
    return [each for each in found if not any(value in stand_ins or _OWN.search(value) for value in each)]
