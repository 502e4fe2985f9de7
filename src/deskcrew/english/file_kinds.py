"""Kinds of files in a task ("all the PDF files") as the names of those that are there, and "it" as the folder it means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deskcrew.english.demands_files import FOLDER
from deskcrew.english.stand_ins import Names
from deskcrew.observation import Observation

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
_BY_NAME = re.compile(
    r"\s*,?\s*(?:(?:that|which)\s+(?:have\s+names?\s+(?:that|which)\s+)?|whose\s+(?:file\s*)?names?\s+"
    r"|with\s+(?:a\s+)?(?:file\s*)?names?\s+(?:that\s+|which\s+)?)?"
    r"(?P<how>start|begin|end|contain)(?:s|ning|ting|ing)?\s+(?:(?:with|in)\s+)?(?:the\s+(?:word|letters?|text)\s+)?"
    r"[\"“'‘`](?P<what>[\w.-]+)[\"”'’`]"
    r"|\s*(?:with|that\s+(?:have|contain))\s+[\"“'‘`](?P<within>[\w.-]+)[\"”'’`]\s+in\s+(?:its|their|the|his)\s+(?:file\s*)?names?",
    re.I,
)
"""A restriction of files to those with something quoted in their names."""
_MAKES = re.compile(FOLDER, re.IGNORECASE)
_THERE = re.compile(
    r"\b(?:(?:into|in|to|inside)\s+(?:it|(?:this|that|the\s+new)\s+(?:folder|directory))|(?:in\s+)?there)(?=[\s.,;]|$)", re.I
)
_MOVES = re.compile(r"\b(?:move|copy|put|extract|unpack|unzip)\b", re.I)
_TRANSFERS = re.compile(r"\b(?:move|copy|delete|remove|erase|put)\b", re.I)


def spelt_out(order: str, before: Observation, names: Names) -> str:
    """``order`` with the files of a kind by name, where all of that kind are meant, or all with something in their names."""
    if not _TRANSFERS.search(order):
        return order
    made, at = "", 0
    for match in _KIND.finditer(order):
        by_name = _BY_NAME.match(order, match.end())
        end = by_name.end() if by_name else match.end()
        files = None if _RESTRICTED.match(order[end:]) else _meant(match, by_name, before)
        if files and match.start() >= at:
            made, at = f"{made}{order[at : match.start()]}{_list([names.alias(path) for path in files])}", end
    return f"{made}{order[at:]}"


def _meant(match: re.Match[str], by_name: re.Match[str] | None, before: Observation) -> list[str] | None:
    """The files of a kind, None where not all of them are meant, or not for certain."""
    said, kind = match.group(0), match.group("kind")
    every = by_name or re.search(r"\b(?:all|each|every|both)\b", said, re.I) or match.group("glob")
    several = every or re.search(r"s$", said, re.I)
    endings = (match.group("ending") or match.group("glob"),) if kind is None else _endings(kind)
    is_kind = kind is None or match.group("thing") or said[-1:] in "sS" or not endings
    if not is_kind or (not endings and not every):
        return None
    of_kind = (e.path for e in before.files if e.kind == "file" and (not endings or _ending(e.path) in endings))
    files = [path for path in _top(of_kind) if by_name is None or _is_named(path, by_name)]
    return None if not several and len(files) > 1 else files


def _is_named(path: str, restriction: re.Match[str]) -> bool:
    name, how = path.rpartition("/")[2].casefold(), (restriction["how"] or "contain").casefold()
    what = (restriction["what"] or restriction["within"]).casefold()
    stem = name.rpartition(".")[0] or name
    return {"contain": what in name, "end": name.endswith(what) or stem.endswith(what)}.get(how, name.startswith(what))


_LIES = r"\b(?:is|are|was|were|lies?|lying|stored|kept|saved|now|already)\s+"
"""What stands before the folder in which something is, and not into which it goes."""


def with_folder(order: str, said: str, before: Observation) -> str:
    """``order`` with folders written as such: those that are there, and the one made before in place of "it". ``said``: the
    order and those before it."""
    if not _MOVES.search(order):
        return order
    folders = [entry.path for entry in before.files if entry.kind == "folder"]
    for folder in folders:
        goes = rf"\b(?:into|to|in|inside)\s+(?:the\s+)?{re.escape(folder)}/?(?=[\s.,;]|$)(?!\.\w|\s+folder)"
        order = re.sub(
            rf"(?P<lies>{_LIES})?{goes}",
            lambda match, folder=folder: match.group(0) if match.group("lies") else f'into the folder "{folder}"',
            order,
        )
    made = list(_MAKES.finditer(said))
    if not made:
        return order
    name = next(name for name in made[-1].groups() if name).strip('"“”/')
    return order if name in folders else _THERE.sub(f'into the folder "{name}"', order)


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
