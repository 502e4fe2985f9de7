"""What cannot be done is refused before a small model makes something up: a file that is not there, a name of the question
that no file it can be answered from speaks of.

No model is asked. The run ends as infeasible and says what is missing; where anything is left to doubt (a window in which it
may be seen, a file that cannot be read in whole, a program that may still make it) the role is asked as ever.
"""

from __future__ import annotations

import html
import re

from deskcrew.actions.readers import MEMBER, members
from deskcrew.errors import ActionError
from deskcrew.observation import FileEntry, Observation
from deskcrew.plan import Subtask
from deskcrew.review.asked import names_in, occurs
from deskcrew.review.origin import inputs_of
from deskcrew.review.wording import speaks_of, words_of
from deskcrew.roles.clauses import FILE_NAME, INTO_FILE, QUOTED, WRITES, clauses, file_names, questions, sentences
from deskcrew.roles.role import Role
from deskcrew.roles.routing import alters, names_program, work_of
from deskcrew.steps.ruling import last_done, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Verdict

MOST_FILES = 8
MOST_BYTES = 4 << 20
"""More of either is not read for a question."""
_UNSURE = re.compile(
    r"\[cut here|characters can be wrong|\(no text on this page|No text was found|\[\d+ more lines|"
    r"Content-Transfer-Encoding: (?:b|q)",
    re.I,
)
"""What a reader says of a file that it did not read in whole, or not for certain."""
_KEY = re.compile(r"KeyError: '([^']{1,60})'|KeyError: 'Worksheet ([^']{1,60}) does not exist|KeyError: \"([^\"]{1,60})\"")
_GENERAL = words_of(
    "amount total sum name number count value price cost costs date day month year time id type kind item items person "
    "people quantity size average title description category status file row column key data result entry place average"
)
"""Words that data say in other words."""
_KNOWN = re.compile(
    r"\.(?:csv|tsv|xlsx?|xlsm|ods|jsonl?|xml|pdf|docx?|odt|pptx?|odp|html?|md|txt|rtf|eml|log|png|jpe?g|gif|bmp|tiff?|webp|svg|"
    r"zip|tar|gz|ini|toml|ya?ml|db|sqlite|mp3|mp4|wav|py|ics|vcf)$",
    re.I,
)
"""Endings of files; example.org is none."""
_SORTS = (
    (r"e-?mails?(?:\s+address(?:es)?)?", re.compile(r"@|mail", re.I)),
    (r"(?:tele)?phone\s+numbers?|mobile\s+numbers?", re.compile(r"phone|tel|mobile|cell|call|\d[\d ()/-]{4,}\d", re.I)),
    (r"web\s?sites?|web\s+address(?:es)?|home\s?pages?|urls?", re.compile(r"http|www|web|url|link|\w\.\w{2,}", re.I)),
    (r"post(?:al)?\s*codes?|zip\s+codes?", re.compile(r"code|post|zip|\d{4}|[A-Z]\d", re.I)),
)
"""What can be known by its form, and what a text has that holds one."""
_TAKES = re.compile(
    r"^(?:please\s+)?(?:copy|move|rename|delete|remove|read|unpack|unzip|extract|convert|sort|duplicate|back up)\s+"
    r"(?:the\s+)?(?:file\s+|archive\s+|document\s+)?$",
    re.I,
)
"""What stands before the name of a file that has to be there."""
_FROM = re.compile(
    r"\b(?:in|from|of|according to|see|into account|look at|read|check|for|within)\s+(?:the\s+)?(?:\w+\s+)?(?:file\s+)?$",
    re.I,
)


_OPENS = re.compile(
    r"\b(?:open(?:ing)?|load|view|display|show(?: me)?|bring up|pull up|look at|look into|have a look at|take a look at)\b",
    re.I,
)
_HERE = re.compile(
    r"\b(?:(?:it|they|that|this|these|those|which|figures?|numbers?|data|details)\s+(?:is|are|stands?|can be found)|"
    r"(?:look|see|find out|look up|find|check|read)\b.*)\s*\b(?:in|from)\s+(?:(?:the|my|our|a)\s+)?(?:\w+\s+)?$|"
    r"\baccording to\s+$",
    re.I,
)
"""What stands before the name of a file in which something is."""
_MAKES = re.compile(r"\b(?:new|create|make|called|named|save(?:d)?\s+(?:it|this|that|as)|export|download|generate)\b", re.I)
_HANDLES = re.compile(
    r"\b(?:copy|move|rename|convert|turn|pack|zip|unzip|unpack|extract|run|execute|type|print|sort|delete|remove)\b", re.I
)
"""Verbs after which a name may be that of something which is to be made, or is gone."""
_DOUBTS = re.compile(
    r"\b(?:if|whether|unless|in case|otherwise|when)\b|\b(?:is|are) there\b|\bexists?\b|\bmissing\b|https?://|\bdownload\b",
    re.I,
)
"""Words of a task that foresees that a file is not there, or gets it from elsewhere."""
_ASKED = re.compile(
    r"\b(?:tell|say|know|learn|find out|look up|see|check|report|answer|write|note)(?:\s+down)?"
    r"(?:\s+(?:me|us|him|her|them))?\s+(?:when|whether|if)\b|\bwhen\s+(?:is|was|are|were|do|does|did|will|would|can|has|have)\b",
    re.I,
)
"""The same words where they only ask for something in a file."""
_PLAIN = (".txt", ".md", ".csv", ".log", ".html", ".json")
"""Endings of files that an editor makes by opening them."""


def refused_first(run: Run, subtask: Subtask, role: Role) -> bool:
    """End the run where the part's words and the files leave no doubt that it cannot be done. Whether that was done."""
    state = run.journal.state
    if not run.small(role) or state.correction is not None or state.guidance:
        return False
    if not state.operations and (why := missing_to_open(state.task, run.now)):
        run.stop(Verdict(kind="stop", reason="infeasible", why=why))
        return True
    if run.now.windows:
        return False
    if names_program(state.task, state.applications):
        return False
    if tried(run, subtask):
        why = missing_key(run, subtask)
    else:
        missing = "" if state.operations else missing_file(run, subtask.goal)
        why = missing or missing_name(run, subtask.goal) or missing_kind(run, subtask.goal)
    if why:
        run.stop(Verdict(kind="stop", reason="infeasible", why=why))
    return bool(why)


def missing_file(run: Run, part: str) -> str:
    """Which file that the part takes from is nowhere, '' where none is missing beyond doubt."""
    there = [entry.path for entry in run.now.files]
    if any(path.lower().endswith((".zip", ".tar", ".gz", ".tgz")) for path in there):
        return ""
    for clause in clauses(part):
        asks = work_of(clause, windows=False, whole=run.journal.state.task) in ("code", "read")
        for name in filter(_KNOWN.search, file_names(clause)):
            before = clause[: clause.index(name)]
            taken = _TAKES.search(before) or (asks and (_FROM.search(before) or clause.endswith("?")))
            if _product(name, before, there):
                continue
            if taken and not WRITES.search(before) and not any(_alike(name, path) for path in there):
                return f"{name} is not in the workspace."
    return ""


def missing_to_open(task: str, seen: Observation) -> str:
    """Which file that ``task`` has opened or looked at is nowhere, '' where none is missing beyond doubt. Nothing was done
    yet: what the task itself has made is not there either, nor is what an archive holds."""
    there = [entry.path for entry in seen.files]
    if any(path.lower().endswith((".zip", ".tar", ".gz", ".tgz")) for path in there):
        return ""
    titles = " ".join(f"{window.title} {window.app}" for window in seen.windows).casefold()
    first: dict[str, str] = {}
    for sentence in sentences(task):
        bare = QUOTED.sub(lambda match: match.group(0) if FILE_NAME.fullmatch(match.group(0)[1:-1]) else '""', sentence)
        for name in filter(_KNOWN.search, file_names(bare)):
            first.setdefault(name, bare)
    if any(_doubts(sentence) for sentence in sentences(task)):
        return ""
    only_asks = bool(questions(clauses(task))) and not any(words.search(task) for words in (WRITES, _MAKES, _HANDLES))
    for name, sentence in first.items():
        before = re.split(r",|\band\b", sentence[: sentence.index(name)])[-1]
        # Where nothing is written anywhere, every file that is named is one to look at.
        viewed = (
            only_asks
            or _OPENS.search(before)
            or (_HERE.search(before) and not WRITES.search(before) and _OPENS.search(task))
        )
        if _product(name, sentence[: sentence.index(name)], there):
            continue
        text = name.lower().endswith(_PLAIN) and (WRITES.search(task) or _MAKES.search(task))
        if not viewed or text or _MAKES.search(sentence) or any(_alike(name, path) for path in there):
            continue
        if name.rpartition("/")[2].rpartition(".")[0].casefold() not in titles:
            return f"{name} is not in the workspace."
    return ""


def _product(name: str, before: str, there: list[str]) -> bool:
    """Whether a file is one to be made, of another that is there and named before it: "list the names of a.csv in b.txt"."""
    taken = any(_alike(other, path) for other in file_names(before) for path in there)
    return taken and name.lower().endswith(_PLAIN) and INTO_FILE.search(before) is not None


def _doubts(sentence: str) -> bool:
    """Whether a sentence foresees that a file is not there; "say when it ends" does not, "say if a.pdf opens" may."""

    def kept(match: re.Match[str]) -> str:
        return match.group(0) if file_names(sentence[match.end() :]) else " "

    return _DOUBTS.search(_ASKED.sub(kept, sentence)) is not None


def _alike(name: str, path: str) -> bool:
    """Whether a file may be meant by ``name``: whatever its folder, its case, its ending, and what joins its words."""

    def plain(text: str) -> str:
        return re.sub(r"[\W_]+", "", text.rpartition("/")[2].rpartition(".")[0] or text.rpartition("/")[2]).casefold()

    # Of a name with spaces, a task's words show the end.
    return plain(name) == plain(path) or path.casefold().endswith(f" {name.casefold()}")


def missing_name(run: Run, part: str) -> str:
    """Which name that the part asks about stands in none of the files it can be answered from, '' where there is a doubt."""
    wanted = [name for clause in clauses(part) if _asks(clause, run.journal.state.task) for name in names_in(clause)]
    if not wanted:
        return ""
    files = answering(run, part)
    text = everything(run, files) if files else None
    if text is None:
        return ""
    missing = [name for name in dict.fromkeys(wanted) if not occurs(name, text)]
    if not missing:
        return ""
    where = ", ".join(entry.path for entry in files)
    return f"{' and '.join(missing)} {'does' if len(missing) == 1 else 'do'} not occur in {where}."


def missing_kind(run: Run, part: str) -> str:
    """What sort of thing the part asks for of which no file that it can be answered from has any; '' in doubt."""
    asked = " ".join(clause for clause in clauses(part) if _asks(clause, run.journal.state.task))
    wanted = [form for said, form in _SORTS if re.search(rf"\b(?:{said})\b", asked, re.I)]
    files = answering(run, part) if len(wanted) == 1 else []
    text = everything(run, files) if files else None
    if text is None or wanted[0].search(text):
        return ""
    what = next(found[0] for said, _ in _SORTS if (found := re.search(rf"\b(?:{said})\b", asked, re.I)))
    return f"There is no {what} in {', '.join(entry.path for entry in files)}."


def missing_key(run: Run, subtask: Subtask) -> str:
    """Which word of the part a program looked for as a column, key or sheet, that stands nowhere; '' where there is a doubt.

    Who is shown how the files are built and still looks for that word has found nothing there that means it."""
    last = last_done(run, subtask)
    match = _KEY.search(last.verdict or last.text) if last is not None and not last.ok else None
    key = next((group for group in match.groups() if group), "") if match else ""
    words = [word for word in re.findall(r"\w{3,}", key.casefold()) if word not in _GENERAL]
    files = answering(run, subtask.goal) if words and all(_says(subtask.goal, word) for word in words) else []
    text = everything(run, files) if files else None
    if text is None or any(occurs(word, text) for word in words):
        return ""
    return f"{key} does not occur in {', '.join(entry.path for entry in files)}."


def _says(part: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", part.casefold()) is not None


def _asks(clause: str, whole: str) -> bool:
    return (
        not WRITES.search(clause) and not alters(clause) and work_of(clause, windows=False, whole=whole) in ("code", "read")
    )


def answering(run: Run, part: str) -> list[FileEntry]:
    """The files that a part can be answered from: those named, those in a folder that is named, else all; none where they
    are too many."""
    files = [entry for entry in run.now.files if entry.kind == "file"]
    named = inputs_of(part, run.now) or inputs_of(run.journal.state.task, run.now)
    if not named:
        folders = [entry.path for entry in run.now.files if entry.kind == "folder"]
        within = [path for path in folders if speaks_of(part, path)]
        named = frozenset(e.path for e in files if any(e.path.startswith(f"{path}/") for path in within))
    chosen = [entry for entry in files if entry.path in named] if named else files
    small = len(chosen) <= MOST_FILES and sum(entry.size for entry in chosen) <= MOST_BYTES
    return chosen if small else []


def everything(run: Run, files: list[FileEntry]) -> str | None:
    """All that ``files`` say, with their names; None where some of it could not be read for certain."""
    texts = [entry.path for entry in run.now.files]
    for entry in files:
        try:
            text = run.text_of(entry.path)
            inside = members(text) if entry.path.lower().endswith(".zip") else []
            texts += [text, *(run.text_of(f"{entry.path}{MEMBER}{name}") for name in inside[:MOST_FILES])]
            if len(inside) > MOST_FILES:
                return None
        except ActionError:
            return None
    whole = "\n".join(texts)
    if _UNSURE.search(whole):
        return None
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match.group(1), 16)), html.unescape(whole))
    return whole if plain == whole else f"{whole}\n{plain}"
