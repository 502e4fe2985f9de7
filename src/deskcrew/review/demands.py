"""What the words of a task demand, as checks: made before anything is executed, without a model.

Only what is clearly said obliges. A sentence that says not to, or only under a condition, obliges to nothing: a demand too
many would fail a run that did all it should, one too few leaves it unverified.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from deskcrew.observation import Observation
from deskcrew.review.demands_shown import shown
from deskcrew.roles.clauses import COMPUTED, FILE_NAME, QUOTED, WRITES, clauses, file_names, quoted, sentences
from deskcrew.roles.view import shorten
from deskcrew.verdict import EMPTY, RESULT, Check

FILE = FILE_NAME.pattern
UNOBLIGED = re.compile(
    r"\b(?:not|never|without|don't|if|unless|whether|otherwise)\b|^(?:is|are|does|do|did|has|was)\b", re.I
)
_A_FILE = r"(?:the\s+)?(?:files?\s+)?"
_DELETES = re.compile(
    rf"\b(?:delete|erase|remove|trash)\s+{_A_FILE}({FILE}(?:(?:,\s*|,?\s+and\s+){_A_FILE}{FILE})*)", re.IGNORECASE
)
_NO_NAME = r"(?!(?:same|current|new|given|other|workspace|home|folder|directory)\b)"
_NAME = r"([\"“][\w./ -]+[\"”]|[\w/-]+(?:\.[\w/-]+)*)"
_FOLDER = (
    rf"(?:(?:the|a)\s+)?(?:new\s+)?(?:folder|directory)\s+(?:called\s+|named\s+)?{_NAME}"
    rf"|the\s+{_NO_NAME}{_NAME}\s+(?:folder|directory)"
)
_TRANSFERS = re.compile(
    rf"\b(?:(copy)\s+|(?:make\s+)?a\s+(copy)\s+of\s+|(move|rename)\s+){_A_FILE}({FILE})\s+"
    rf"(?:as|(?:in)?to|in|called|named)\s+(?:{_A_FILE}({FILE})|{_FOLDER}|([\w/-]+)/(?=[\s.,;]|$))",
    re.IGNORECASE,
)
_IN_FOLDER = re.compile(
    rf"({FILE})\s+(?:in|into|inside|under|to)\s+(?:{_FOLDER})|\b(?:in|into|inside|under|to)\s+(?:{_FOLDER})\s+as\s+({FILE})",
    re.IGNORECASE,
)
_TARGET = re.compile(
    rf"\b(?:write|type|put|enter|add|append|insert|save|print|store|export|output)\b[^;]*?"
    rf"(?:\b(?:into|to|onto|as|end\s+of)|[\"”]\s+in)\s+(?:the\s+)?(?:end\s+of\s+)?{_A_FILE}({FILE})",
    re.IGNORECASE,
)
_OPENED = re.compile(
    rf"\bopen\s+{_A_FILE}({FILE})[^;]*\b(?:add|append|insert|write|type)\s+[^;\"“]*[\"“](?![^;]*\b(?:field|box|window|cell)\b)",
    re.IGNORECASE,
)
_ADDS = re.compile(r"\b(?:add(?!\s+up)|append|insert)\b", re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:update|edit|change|fix|correct|overwrite|modify|replace)\b", re.IGNORECASE)
_LASTING = re.compile(
    r"^(?:(?:then|now|also|and|please)\s+)*(?:click|press|tick|untick|submit|send|upload|install|subscribe|book|order|buy|pay|"
    r"enable|disable|turn|close|delete|remove|erase|move|rename|copy)\b",
    re.IGNORECASE,
)
_REPLACES = re.compile(rf"\b(?:replace|change)\s+(?:{QUOTED.pattern})\s+(?:with|by|to|into)\s+(?={QUOTED.pattern})", re.I)


_JUST = re.compile(
    rf"\b(?:write|type|put|enter)\s+(?:(?:the|just|only)\s+)*(?:(?:text|words?|line|sentence)\s+)?(?={QUOTED.pattern})",
    re.I,
)
"""That a text is written, and not that something is written about it or with it."""


def checks_of_task(task: str, before: Observation, planned: Iterable[Check] = ()) -> tuple[Check, ...]:
    """All checks of a task. ``planned``: what a planner expects; it may say more than the words, never less of a file."""
    wanted = list(planned)
    precise = {check.target for check in wanted if check.kind == "file_contains"}
    wanted += checks_of_files(task, before)
    wanted += [check for check in checks_of_writing(task, before) if check.target not in precise]
    wanted += shown(task)
    wanted += deeds(task, before, wanted)
    gone = {check.target for check in wanted if check.kind == "file_absent"}
    return tuple(dict.fromkeys(check for check in wanted if check.kind == "file_absent" or check.target not in gone))


def checks_of_files(task: str, before: Observation) -> tuple[Check, ...]:
    """A file that is named and not there yet must be there, one that is to be deleted gone, and a copy must be one."""
    there = {entry.path for entry in before.files}
    checks: list[Check] = []
    for sentence in sentences(task):
        if UNOBLIGED.search(QUOTED.sub("", sentence)):
            continue
        for match in _DELETES.finditer(sentence):
            checks += [Check(kind="file_absent", target=_there(name, there)) for name in file_names(match.group(1))]
        checks += _transfers(sentence, there)
        left = _TRANSFERS.sub("", _DELETES.sub("", sentence))
        if re.search(r"\b(?:delete|remove|erase)\b", left, re.IGNORECASE):
            continue
        text = EMPTY if re.search(r"\bempty\b", left, re.IGNORECASE) else ""
        checks += [Check(kind="file_exists", target=name, text=text) for name in _new(left, there)]
    return tuple(checks)


def checks_of_writing(task: str, before: Observation) -> tuple[Check, ...]:
    """What a sentence that has a file written obliges to: its quoted texts are in the file, and so is the computed
    result when the sentence speaks of one ("the total", "the answer"); else a file that was there has to change."""
    there = {entry.path for entry in before.files}
    saves = re.search(r"\bsave\b", task, re.IGNORECASE) is not None
    checks: list[Check] = []
    for sentence in sentences(task):
        if UNOBLIGED.search(QUOTED.sub("", sentence)):
            continue
        new = _new(sentence, there)
        writes = WRITES.search(sentence) is not None
        if len(new) == 1 and writes:
            contents = _contents(sentence, new[0])
            checks += contents
            if contents and _JUST.search(sentence):
                checks.append(Check(kind="nothing_else", target=new[0]))
        elif not new and (target := _old_target(sentence, there, saves=saves)):
            contents = _contents(sentence, target)
            checks += contents
            if not contents or _ADDS.search(sentence) or _CHANGES.search(sentence):
                checks.append(Check(kind="changed_since_start", target=target))
    return tuple(checks)


def deeds(task: str, before: Observation, wanted: Iterable[Check]) -> Iterator[Check]:
    """The sentences that want something lasting done of which no check speaks: nobody could say that all is done."""
    files = {check.target for check in wanted}
    for sentence in sentences(task):
        if not any(_LASTING.search(clause) for clause in clauses(sentence)):
            continue
        covered = (checks_of_files(sentence, before), checks_of_writing(sentence, before), tuple(shown(sentence)))
        if not any(covered) and not files & set(file_names(sentence)):
            yield Check(kind="deed", text=shorten(sentence.strip(" ;."), 160))


def _contents(sentence: str, target: str) -> list[Check]:
    said = _REPLACES.sub("", _plain(sentence))
    checks = [Check(kind="file_contains", target=target, text=text) for text in quoted(said)]
    if COMPUTED.search(QUOTED.sub("", sentence)):
        checks.append(Check(kind="file_contains", target=target, text=RESULT, origin="evidence"))
    return checks


def _old_target(sentence: str, there: set[str], *, saves: bool) -> str:
    """The file that was there and that the sentence has written or changed; '' when it speaks of none. ``saves``: whether
    the task has something saved: what is typed where a file was opened is only then in the file."""
    if "cell" in sentence.casefold():
        return ""  # what a cell must be is said of the cell
    match = _TARGET.search(sentence) or (_OPENED.search(sentence) if saves else None)
    names = file_names(sentence)
    name = match.group(1) if match else names[0] if len(names) == 1 and _CHANGES.search(sentence) else ""
    path = _there(name, there)
    return path if path in there else ""


def _new(sentence: str, there: set[str]) -> list[str]:
    """The files named that are not there yet, each in the folder that the sentence says."""
    folders = {name: f"{folder}/{name}" for name, folder in _in_folders(sentence)}
    return [path for name in file_names(sentence) if (path := folders.get(name, name)) not in there and name not in there]


def _in_folders(sentence: str) -> Iterator[tuple[str, str]]:
    for match in _IN_FOLDER.finditer(sentence):
        first, *named, last = match.groups()
        yield first or last, _bare(next(name for name in named if name))


def _plain(sentence: str) -> str:
    """The sentence without names of folders, which may be in quotation marks as well."""
    return re.sub(_FOLDER, "", sentence, flags=re.IGNORECASE)


def _transfers(sentence: str, there: set[str]) -> Iterator[Check]:
    for match in _TRANSFERS.finditer(sentence):
        source, goal = _there(match.group(4), there), match.group(5)
        folder = next((name for name in match.groups()[5:] if name), "")
        goal = goal or f"{_bare(folder)}/{source.rpartition('/')[2]}"
        if source in there:
            yield Check(kind="same_as", target=goal, text=source)
        else:  # nobody knows yet what it will be
            yield Check(kind="file_exists", target=goal)
        if match.group(3):
            yield Check(kind="file_absent", target=source)


def _bare(folder: str) -> str:
    return folder.strip('"“”/')


def _there(name: str, there: set[str]) -> str:
    """The path that is meant by ``name``: itself, or the one file of that name in a folder."""
    found = [path for path in there if path == name or path.rpartition("/")[2] == name]
    return name if name in there or len(found) != 1 else found[0]
