"""What an order demands of files and folders as such: that they are there, are gone, or are what another one was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deskcrew.english.clauses import FILE_NAME, WRITES, file_names
from deskcrew.excerpts import shorten
from deskcrew.verdict import EMPTY, FROM, NEW, Check

FILE = FILE_NAME.pattern
A_FILE = r"(?:the\s+)?(?:files?\s+)?"
ENDINGS = {
    "pdf": "pdf",
    "csv": "csv",
    "json": "json",
    "html": "html",
    "png": "png",
    "jpe?g": "jpg",
    "odt": "odt",
    "ods": "ods",
    "markdown": "md",
    "plain text": "txt",
    "excel": "xlsx",
}
"""The kinds of files that something is converted to, with how their names end."""
FILES = rf"{FILE}(?:(?:,\s*|,?\s+and\s+){A_FILE}{FILE})*"
_DELETES = re.compile(
    rf"\b(?:delete|erase|remove|trash|get\s+rid\s+of|throw\s+away)\s+(?:both\s+)?{A_FILE}({FILES})(?!\s*['’]s\b)",
    re.IGNORECASE,
)
_NO_NAME = (
    r"(?!(?:same|current|new|given|other|workspace|home|folder|directory|and|or|for|with|in|on|to|at|as|from|where|which|that|of|"
    r"inside|here|there|named|called|then|if|it|is|are|different|separate|parent|second|another|right|main|root|top|shared|first|last|correct|"
    r"original|its|their|matching|who|whose|so|but|again|above|below)(?![\w-]))"
)
_NAME = rf"([\"“][\w./ -]+[\"”]|{_NO_NAME}[\w/-]+(?:\.[\w/-]+)*)"
FOLDER = (
    rf"(?:(?:the|a|my|our)\s+)?(?:new\s+)?(?:sub)?(?:folder|directory)\s+(?:(?:called|named|with\s+the\s+name)\s+)?{_NAME}"
    rf"|(?:the|a|my|our)\s+(?:new\s+)?{_NAME}\s+(?:sub)?(?:folder|directory)"
)
_TRANSFERS = re.compile(
    rf"\b(?:(copy|duplicate|back\s+up)\s+|(?:make\s+|save\s+)?a\s+(?:backup\s+)?(copy)\s+of\s+|(move|rename|put)\s+)"
    rf"(?:both\s+)?{A_FILE}({FILES})\s+(?:as|(?:in)?to|in|inside|called|named)\s+"
    rf"(?:{A_FILE}({FILE})|{FOLDER}|([\w/-]+)/(?=[\s.,;]|$))(?!\s+(?:as|with)\s+{FILE})",
    re.IGNORECASE,
)
_PAIRS = re.compile(rf"\s*(?:,|,?\s+and)\s+{A_FILE}({FILE})\s+(?:in)?to\s+{A_FILE}({FILE})", re.IGNORECASE)
_INTO = re.compile(rf"\b(move|copy|put)\b[^;]*?\b(?:into|to|in|inside)\s+(?:{FOLDER})", re.IGNORECASE)
_IN_FOLDER = re.compile(
    rf"({FILE})\s+(?:in|into|inside|under|to)\s+(?:{FOLDER})|\b(?:in|into|inside|under|to)\s+(?:{FOLDER})\s+as\s+({FILE})",
    re.IGNORECASE,
)
_UNPACKS = re.compile(r"\b(?:unpack|unzip|extract|decompress)\b", re.IGNORECASE)
_UNPACKS_ALL = re.compile(
    rf"{_UNPACKS.pattern}\s+(?:it|(?:the\s+)?(?:(?:whole\s+)?(?:archive|zip)(?:\s+file)?\s*)?(?:{FILE})?)(?=[\s.,;!]|$)(?!\s+from\b)",
    re.I,
)
_OF_ARCHIVES = re.compile(r"\b(?:unpack|unzip|decompress|archive|zip)\b", re.IGNORECASE)
_AND_FOLDER = re.compile(rf"(?:,\s*|,?\s+and\s+)(?:{FOLDER})", re.IGNORECASE)
_MAKES_FOLDERS = re.compile(
    rf"\b(?:make|create|add|set\s+up)\s+(?:the\s+|two\s+|three\s+|four\s+)?(?:new\s+)?(?:sub)?(?:folders|directories)\s+"
    rf"(?:called\s+|named\s+)?((?:{_NAME.replace('(', '(?:', 1)})(?:(?:,\s*|,?\s+and\s+){_NAME.replace('(', '(?:', 1)})+)",
    re.IGNORECASE,
)
_MAKES_FOLDER = re.compile(rf"\b(?:make|create|add|set\s+up)\s+(?:{FOLDER})", re.IGNORECASE)
_MOVES_AWAY = re.compile(
    rf"\b(?:move|rename)\s+{A_FILE}({FILES})(?!.*\b(?:window|screen|front|foreground|background|left|right)\b)",
    re.IGNORECASE,
)
_OTHER_KIND = re.compile(
    r"\b(?:convert|export|save|turn|print)\b[^;]*?\b(?:to|as|into)\s+(?:an?\s+)?(?:new\s+)?(?:\.)?"
    rf"({'|'.join(ENDINGS)})(?:\s+(?:files?|documents?|pictures?|images?|pages?|formats?))?(?=[\s.,;!]*(?:$|and\b|then\b|in\b|,|;))",
    re.IGNORECASE,
)
_ONLY_LOOKS = re.compile(
    r"^\W*(?:please\s+)?(?:open|read|look|view|show|tell|find|search|check|see|answer|compare|what)\b", re.I
)
_MAKES = re.compile(
    r"\b(?:make|create|save|convert|export|turn|produce|generate|build|store|print|draw|pack|zip|compress|merge|combine|split|"
    r"download|extract|unpack|copy|move|rename|name|called|translate|output|prepare|collect|keep|record|note|start|begin|fill)\w*",
    re.IGNORECASE,
)


def files_of(order: str, there: frozenset[str], archives: tuple[str, ...] = ()) -> Iterator[Check]:
    """A file that is named and not there yet must be there, one that is to be deleted gone, and a copy must be one.
    ``archives``: those that the whole task names."""
    for match in _DELETES.finditer(order):
        yield from (Check(kind="file_absent", target=path_of(name, there)) for name in file_names(match.group(1)))
    yield from _transfers(order, there)
    yield from _folders(order, [path for path in (path_of(name, there) for name in archives) if path in there])
    left = _TRANSFERS.sub("", _DELETES.sub("", order))
    if re.search(r"\b(?:delete|remove|erase)\b", left, re.IGNORECASE):
        return
    if _ONLY_LOOKS.search(left) and not (WRITES.search(left) or _MAKES.search(left)):
        return
    text = EMPTY if re.search(r"\bempty\b", left, re.IGNORECASE) else ""
    new = new_files(left, there)
    yield from (Check(kind="file_exists", target=name, text=text) for name in new)
    if not new and (kind := _OTHER_KIND.search(left)) and (ending := _ending(kind.group(1))):
        names = file_names(left)
        if not any(name.lower().endswith(f".{ending}") for name in names):
            yield Check(kind="file_exists", target=f"*.{ending}", text=NEW)


def new_files(order: str, there: frozenset[str]) -> list[str]:
    """The files named that are not there yet, each in the folder that the order says."""
    folders = {name: f"{folder}/{name}" for name, folder in _in_folders(order)}
    bare = {path.rpartition("/")[2] for path in there}
    return [path for name in file_names(order) if (path := folders.get(name, name)) not in there and name not in bare]


def path_of(name: str, there: frozenset[str]) -> str:
    """The path that is meant by ``name``: itself, or the one file of that name in a folder."""
    found = [path for path in there if path == name or path.rpartition("/")[2] == name]
    return name if name in there or len(found) != 1 else found[0]


def without_folders(order: str) -> str:
    """The order without names of folders, which may be in quotation marks as well."""
    return re.sub(FOLDER, "", order, flags=re.IGNORECASE)


def _in_folders(order: str) -> Iterator[tuple[str, str]]:
    for match in _IN_FOLDER.finditer(order):
        first, *named, last = match.groups()
        yield first or last, _bare(next(name for name in named if name))


def _transfers(order: str, there: frozenset[str]) -> Iterator[Check]:
    known = False
    for match in _TRANSFERS.finditer(order):
        known = True
        sources, goal = file_names(match.group(4)), match.group(5)
        if (match.group(3) or "").casefold() == "put" and (goal or sources[0] not in map(_base, there)):
            continue
        folder = _bare(next((name for name in match.groups()[5:] if name), ""))
        pairs = [(source, goal or f"{folder}/{_base(source)}") for source in sources] if folder else [(sources[-1], goal)]
        rest = order[match.end() :]
        while goal and (more := _PAIRS.match(rest)):
            pairs.append((more.group(1), more.group(2)))
            rest = rest[more.end() :]
        for source, target in pairs:
            yield from _transferred(path_of(source, there), target, there, moved=bool(match.group(3)))
    if not known:
        for match in _MOVES_AWAY.finditer(order):
            names = (path_of(name, there) for name in file_names(match.group(1)))
            gone = [Check(kind="file_absent", target=name) for name in names if name in there]
            yield from gone
            if gone:  # that it has left shows nothing of where it went
                yield Check(kind="deed", text=shorten(order.strip(" ;."), 160))
    if not known and (match := _INTO.search(order)):
        # Nobody can say which files are meant, but some are.
        yield Check(kind="file_exists", target=f"{_bare(next(name for name in match.groups()[1:] if name))}/*", text=NEW)


def _transferred(source: str, target: str, there: frozenset[str], *, moved: bool) -> Iterator[Check]:
    if source in there:
        yield Check(kind="same_as", target=target, text=source)
    else:  # nobody knows yet what it will be
        yield Check(kind="file_exists", target=target)
    if moved:
        yield Check(kind="file_absent", target=source)


def _folders(order: str, archives: list[str]) -> Iterator[Check]:
    """Of folders that are made, and of what is unpacked, wherever to."""
    for match in _MAKES_FOLDER.finditer(order):
        yield Check(kind="file_exists", target=f"{_bare(next(name for name in match.groups() if name))}/")
        rest = order[match.end() :]
        while more := _AND_FOLDER.match(rest):
            yield Check(kind="file_exists", target=f"{_bare(next(name for name in more.groups() if name))}/")
            rest = rest[more.end() :]
    for match in _MAKES_FOLDERS.finditer(order):
        for name in re.split(r",\s*(?:and\s+)?|\s+and\s+", match.group(1)):
            yield Check(kind="file_exists", target=f"{_bare(name)}/")
    if _UNPACKS.search(order) and (archives or _OF_ARCHIVES.search(order)):
        folder = re.search(rf"\b(?:in|into|to|inside)\s+(?:{FOLDER})", order, re.IGNORECASE)
        name = next((name for name in folder.groups() if name), "") if folder else ""
        whole = _UNPACKS_ALL.search(order) and len(archives) == 1
        text = f"{FROM}{archives[0]}" if whole else NEW
        yield Check(kind="file_exists", target=f"{_bare(name)}/*" if name else "*", text=text)


def _ending(kind: str) -> str:
    return next(ending for form, ending in ENDINGS.items() if re.fullmatch(form, kind, re.IGNORECASE))


def _bare(folder: str) -> str:
    return folder.strip('"“”/')


def _base(path: str) -> str:
    return path.rpartition("/")[2]
