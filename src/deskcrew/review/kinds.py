"""Kinds of files in a task ("all the PDF files") as the names of those that are there, and "it" as the folder it means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deskcrew.observation import Observation
from deskcrew.review.demands_files import FOLDER
from deskcrew.review.stand_ins import Names

_KINDS: dict[str, tuple[str, ...]] = {
    r"pdfs?": ("pdf",),
    r"word": ("docx", "doc"),
    r"excel": ("xlsx", "xls"),
    r"spreadsheets?|workbooks?": ("xlsx", "xls", "ods"),
    r"powerpoints?|presentations?": ("pptx", "ppt", "odp"),
    r"csvs?": ("csv",),
    r"plain[ -]text|text|txt": ("txt",),
    r"html|web\s+pages?": ("html", "htm"),
    r"pngs?": ("png",),
    r"jpe?gs?|photos?": ("jpg", "jpeg"),
    r"pictures?|images?": ("png", "jpg", "jpeg", "gif"),
    r"zips?": ("zip",),
    r"json": ("json",),
    r"xml": ("xml",),
    r"markdown": ("md",),
    r"logs?": ("log",),
    r"files?": (),
}
_THINGS = r"(?:files?|documents?|pictures?|images?|photos?|tables?|sheets?|workbooks?|pages?|archives?)"
_KIND = re.compile(
    r"\b(?:(?:all|each|every|both)(?:\s+of)?(?:\s+(?:the|my|our|these|those))?|the|my|our|these)\s+"
    rf"(?:\*?\.(?P<ending>\w{{1,5}})|(?P<kind>{'|'.join(_KINDS)}))(?P<thing>\s+{_THINGS})?(?![\w-]|\.\w)"
    r"|(?<![\w/*])\*\.(?P<glob>\w{1,5})(?![\w-]|\.\w)(?:\s+files?)?",
    re.I,
)
_RESTRICTED = re.compile(
    r"\s*,?\s*(?:here\s+)?(?:that|which|whose|with|containing|older|newer|larger|smaller|bigger|from|about|of|except|but|where|named|"
    r"called|start\w*|begin\w*|end\w*|made|created|sent|in\s+(?!(?:this|the)\s+(?:workspace|folder|directory)\b))\b",
    re.I,
)
_MAKES = re.compile(FOLDER, re.IGNORECASE)
_THERE = re.compile(
    r"\b(?:(?:into|in|to|inside)\s+(?:it|(?:this|that|the\s+new)\s+(?:folder|directory))|(?:in\s+)?there)(?=[\s.,;]|$)", re.I
)
_MOVES = re.compile(r"\b(?:move|copy|put|extract|unpack|unzip)\b", re.I)
_TRANSFERS = re.compile(r"\b(?:move|copy|delete|remove|erase|put)\b", re.I)


def spelt_out(order: str, before: Observation, names: Names) -> str:
    """``order`` with the files of a kind by name, where all of that kind are meant."""

    def listed(match: re.Match[str]) -> str:
        said, kind = match.group(0), match.group("kind")
        every = re.search(r"\b(?:all|each|every|both)\b", said, re.I) or match.group("glob")
        several = every or re.search(r"s$", said, re.I)
        endings = (match.group("ending") or match.group("glob"),) if kind is None else _endings(kind)
        is_kind = kind is None or match.group("thing") or said[-1:] in "sS" or not endings
        if not is_kind or (not endings and not every) or _RESTRICTED.match(order[match.end() :]):
            return said
        files = _top(e.path for e in before.files if e.kind == "file" and (not endings or _ending(e.path) in endings))
        if not files or (not several and len(files) > 1):
            return said
        return _list([names.alias(path) for path in files])

    if not _TRANSFERS.search(order):
        return order
    return _KIND.sub(listed, order)


def with_folder(order: str, said: str, before: Observation) -> str:
    """``order`` with folders written as such: those that are there, and the one made before in place of "it". ``said``: the
    order and those before it."""
    if not _MOVES.search(order):
        return order
    for folder in (entry.path for entry in before.files if entry.kind == "folder"):
        order = re.sub(
            rf"\b(?:into|to|in|inside)\s+(?:the\s+)?{re.escape(folder)}/?(?=[\s.,;]|$)(?!\.\w|\s+folder)",
            f'into the folder "{folder}"',
            order,
        )
    made = list(_MAKES.finditer(said))
    if not made:
        return order
    name = next(name for name in made[-1].groups() if name).strip('"“”/')
    return _THERE.sub(f'into the folder "{name}"', order)


def _endings(said: str) -> tuple[str, ...]:
    return next(endings for kind, endings in _KINDS.items() if re.fullmatch(kind, said, re.I))


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _top(paths: Iterable[str]) -> list[str]:
    """Those that are in no folder; all, where there are none."""
    found = sorted(paths)
    return [path for path in found if "/" not in path] or found


def _list(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
