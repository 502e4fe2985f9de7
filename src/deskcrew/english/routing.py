"""Whose a clause of a task is, as far as its words say it beyond doubt: rules before models.

A small model asked to choose an agent takes the first one for anything that mentions a folder. What a verb and its object
settle is settled here; everything else stays the planner's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from deskcrew.english.clauses import FILE_NAME, QUOTED, WONDERS, clauses, file_names, informs, opens, stays, unquoted
from deskcrew.english.edits import edit_of
from deskcrew.english.titles import lists_titles

Work = Literal["open", "files", "read", "code", "look", "windows", "nobody"]
"""Starting a program; handling files as they are; reading a document; running code; reading a window; working in one."""
ACTION: Mapping[Work, str] = {
    "open": "open_application",
    "files": "move_file",
    "read": "read_file",
    "code": "run_python_code",
    "look": "select_option",
    "windows": "set_value",
}
"""The action whose owner does that work."""

_POLITE = r"^(?:(?:and|now|also|please|kindly|(?:could|can|would|will) you(?: please)?|i(?: would|'d) like you to)\s+)*"
_FOLDERS = re.compile(rf"{_POLITE}(?:make|create|add|set up)\s+(?:\w+\s+){{0,3}}(?:folder|directory)\b", re.I)
_MOVES = re.compile(
    rf"{_POLITE}(?:move|rename|delete|remove|unzip|unpack|extract|duplicate|trash|back up|file away)\b", re.I
)
_COPIES = re.compile(rf"{_POLITE}copy\b", re.I)
_OBJECTS = re.compile(r"\b(?:files?|folders?|director(?:y|ies)|archive|documents?|photos?|pictures?|images?)\b", re.I)
_INSIDE = re.compile(
    r"\b(?:lines?|words?|rows?|columns?|cells?|paragraphs?|sentences?|text|selection|figure|number|value|title)\b", re.I
)
_MANY = re.compile(r"\b(?:all|every|each|any)\b|\b(?:files|folders|documents|photos|pictures|images)\b", re.I)
_REFERS = re.compile(r"\b(?:it|them|there|this|that|these|those)\b", re.I)
_STATES = re.compile(
    r"^(?!(?:please|run|execute|use|press|type|enter)\b)"
    r"(?:[^,]*(?:\b(?:is|are)|\b(?:it|that|file|note)['’]s)\s+(?:already\s+|now\s+|currently\s+)?open(?:ed)?\b[^,]*"
    r"|(?:i|we|you)(?:['’]ve|\s+have|\s+got|['’]ve\s+got|\s+have\s+got)\s[^,]*\bopen(?:ed)?\b[^,]*)$",
    re.I,
)
_BLANK = re.compile(
    rf"{_POLITE}(?:make|create|write|start|set up|need|prepare)\s+(?:me\s+|us\s+)?(?:an?|the)\s+(?:[\w-]+\s+){{0,3}}?"
    r"(?:note|list|text|file|document|letter)(?:\s+for\s+(?:me|us|the\s+\w+))?\W*$",
    re.I,
)
"""A clause that has something written whose contents other clauses say."""
_KEEPS = re.compile(
    rf"{_POLITE}(?:(?:keep|leave|stay|stick)\b.*\b(?:format|alone|as (?:it is|they are|is)|untouched|unchanged)\b.*"
    r"|with\s+(?!.*\b(?:write|put|type)\b).*)$",
    re.I,
)
"""A clause that says how, or what stays as it is."""
_SAYS = re.compile(
    r"^(?:it|this|that|(?:the|this|its)\s+(?:\w+\s+)?(?:page|form|site|website|window|program|dialog|app|sheet|screen))\s+"
    r"(?:then\s+|will\s+)?(?:says?|shows?|tells?|gives?|displays?|works?|calculates?|lists?|has|have|contains?)\b",
    re.I,
)
"""How a clause begins that says what can be seen where; what it says of pressing something is for who looks."""
_LOOKS = re.compile(rf"{_POLITE}(?:look|have a look|take a look|read)\s+(?:at|it|through|the|that|this|on|in|from)\b", re.I)
_USES = re.compile(
    rf"{_POLITE}(?:use|(?:do|fix|correct) (?:it|this|that) (?:in|with|on|using))\s+"
    r"(?:the\s+|a\s+|an\s+|my\s+)?(?:[\w-]+\s+){0,2}[\w-]+"
    r"(?:\s+(?:for (?:it|this|that)|(?:that|which) is (?:already )?open))?\W*$",
    re.I,
)
"""A clause that only says with what the others are done."""
_TO_USE = re.compile(
    r"^(?:[\w-]+\s+){1,4}(?:is|['’]s)\s+(?:the|my)\s+(?:editor|program|app|application|tool)\b[^.]*"
    r"\b(?:use[ds]?|prefer|like|work(?:\s+with)?|take)\b[^.]*\.?$",
    re.I,
)
_TO_SEE = re.compile(
    rf"{_POLITE}(?:press|click|push|hit|use)\b.*\bto\s+(?:see|get|find out|learn|show|calculate|work out|know|have)\b|"
    rf"{_POLITE}(?:press|click|push|hit)\b.*\bfor\s+(?:it|this|that|the (?:answer|result))\W*$",
    re.I,
)
"""A clause that says how what was asked can be seen."""
_RUNS = re.compile(rf"{_POLITE}(?:run|execute|type|enter)\b.*\b(?:terminal|shell|console|command line)\b", re.I)
_PLACE = re.compile(
    r"^(?:please\s+)?(?:in|with|using|on|via|inside)\s+(?:the\s+|a\s+|an\s+|my\s+)?[^,.;:?!`\"“]{2,60},\s+"
    r"(?=(?:please|could|can|would|i|what|which|who|how|find|look|run|execute|press|click|work|calculate|compute|enter|type|"
    r"read|tell|tick|choose|select|set|put|write|see|check)\b)",
    re.I,
)
_NEW = re.compile(r"\bnew\b|\b(?:file|document|note)\s+(?:called|named)\b", re.I)
_READ_ONLY = re.compile(r"terminal\b|\b(?:calculator|browser|viewer|shell|console|command line)\b", re.I)
_WRITERS = re.compile(r"\b(?:editor|word processor|writer|notepad|\w+pad|office|calc|spreadsheet|notes|window)\b", re.I)
"""What a task calls programs in which nothing, or something, can be written and saved."""
_IN_TERMINAL = re.compile(
    r"(?=.*\b(?:\w*terminal|shell|console|command line)\b)(?=.*`[^`]+`)(?!.*\b(?:open|start|launch)\b)", re.I | re.S
)
"""A command, and where it is typed."""
_RECKON = r"(?:work(?:ing)? out|calculat\w+|comput\w+|multiply|divide|add|subtract|reckon|find out|see|get)"
_RECKONS = re.compile(rf"\b{_RECKON}\b[^.?!]*\bcalculator\b|\bcalculator\b[^.?!]*\b{_RECKON}\b", re.I)
"""A clause that has something worked out in the calculator."""
_COMMANDS = re.compile(rf"{_POLITE}(?:run|execute)\b[^`\"“]*(?:`[^`]+`|\"[^\"]+\"|“[^”]+”|'[^']+')", re.I)
_ARCHIVES = re.compile(rf"{_POLITE}(?:unzip|unpack|extract)\b", re.I)
_TABLES = re.compile(r"\.(?:csv|tsv|xlsx|xlsm|ods|json|jsonl|xml|sqlite|db)\b", re.I)
_TABLE_WORDS = re.compile(r"\b(?:(?:csv|tsv|excel|json|xml)(?:\s+(?:files?|tables?))?|spreadsheets?|workbooks?)\b", re.I)
"""Tables that are spoken of without a name."""
_SAVES = re.compile(
    rf"{_POLITE}(?:then\s+|finally\s+)*(?:save|store|keep)\s+(?:it|them|that|this|everything|(?:all\s+)?(?:the|my|your|its|these)\s+(?:\w+\s+)?"
    r"(?:files?|documents?|tables?|changes?|result|text))(?:\s+(?:again|back|too|as well|afterwards|in place))*[.!]?$",
    re.I,
)
"""A clause that has saved what has just been changed: code and actions on files leave nothing that is not."""
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|bmp|tiff?|webp)$", re.I)
_READ_FIRST = re.compile(rf"\.(?:pdf|docx|odt|rtf|pptx|odp|eml)$|{_PICTURE.pattern}", re.I)
_DOCUMENTS = re.compile(
    r"\.(?:pdf|docx|odt|pptx|odp|html?|md|txt|rtf|eml|log|png|jpe?g|gif|bmp|tiff?|webp|zip|tar|gz|ini|toml|ya?ml)\b", re.I
)
_TEXT = re.compile(r"\.(?:txt|md|log|ini|conf|cfg|toml|ya?ml)$", re.I)
_WRITABLE = re.compile(r"\.(?:txt|csv|tsv|json|xml|md|html?|log)$", re.I)
_PACKS = re.compile(rf"{_POLITE}(?:zip|compress|pack)\b.*\b(?:files?|folders?|\w+\.\w{{2,4}})\b", re.I)
_REWORKS = re.compile(rf"{_POLITE}(?:sort|reverse|combine|merge|join|concatenate|split|deduplicate)\b", re.I)
_MAKES_DATA = re.compile(
    rf"{_POLITE}(?:make|create|write|put|save|generate|build|produce|export|convert|turn|combine|merge|filter)\b", re.I
)
_PAGE = re.compile(r"\.html?\b", re.I)
_COMPUTES = re.compile(
    r"\b(?:total|sums?|count|average|mean|median|how many|how much|largest|smallest|highest|lowest|most|least|maximum|"
    r"minimum|difference|percent\w*|add(?:ed)? up|calculate|compute|work out|with python|altogether|biggest|longest|"
    r"shortest|oldest|newest|latest|earliest)\b",
    re.I,
)
_TELL = r"tell (?:me|us|what|which|who|how|when|where)|let (?:me|us) know"
_ASKS = re.compile(
    rf"{_POLITE}(?:what|which|who|whose|where|when|how|find(?: out)?|look up|read|get|take|count|calculate|compute|"
    r"(?:take|have) a (?:quick |close )?look|work out|add up|sum up|total up|list|see|check|show me|"
    r"give me|"
    rf"{_TELL}|{WONDERS})\b|\?\s*$|\band (?:then )?(?:please )?(?:{_TELL})\b",
    re.I,
)
_CALCULATES = re.compile(rf"{_POLITE}(?:compute|calculate|add up|sum up|count|work out)\b", re.I)
_BY_HAND = re.compile(r"\b(?:calculator|galculator|calc|spreadsheet|formula)\b", re.I)
"""What else than a program of the crew's own could do the sum."""
_HANDS = re.compile(
    rf"{_POLITE}(?:click|press|tick|untick|check the|uncheck|choose|select|scroll|drag|type|go to|log in|sign in|submit)\b",
    re.I,
)
_WRITES = re.compile(
    rf"{_POLITE}(?:write|put|enter|insert|append|add|replace|change|correct|fill in|save|sort|convert|turn|make|set|remove|"
    r"delete)\b",
    re.I,
)


_ALTERS = re.compile(
    rf"{_POLITE}(?:in\s+\S+,?\s+)?(?:replace|change|correct|remove|delete|sort|convert|turn|raise|lower|increase|reduce|update|"
    r"capitali[sz]e|uppercase|lowercase|reverse|swap|rename|double|round)\b",
    re.I,
)
_PROGRAMS = re.compile(r"\b(?:editor|browser|calculator|terminal|viewer|file manager|word processor|window)\b")
_SEEN = re.compile(
    r"\b(?:windows?|screen|click|press|tick|buttons?|menus?|tabs?|typed?|dialog|(?:web)?sites?|web|browse|pages?|apps?|"
    r"applications?|programs?|games?|open(?:ed)?|start|launch|settings?|play|show|log in|sign in|scroll)\b|\.html?\b",
    re.I,
)
"""Words of tasks that may want something done in a window."""
NOT_NAMED = (0, False)
_COMMON = frozenset(
    [
        "text",
        "file",
        "files",
        "document",
        "documents",
        "center",
        "manager",
        "processor",
        "view",
        "image",
        "editor",
        "libreoffice",
        "start",
        "word",
        "system",
        "settings",
        "open",
    ]
)
"""Last words of programs' names that say nothing of a program."""


def work_of(clause: str, *, windows: bool, whole: str) -> Work | None:
    """What kind of work a clause is; None where its words leave it open.

    ``windows``: whether a program is open, or the task speaks of one; ``whole``: the task, for what the clause leaves out.
    """
    if windows and _IN_TERMINAL.search(clause):
        return "windows"
    clause = _without_place(clause)
    if informs(clause) or stays(clause) or _SAYS.match(clause):
        return "nobody"
    if _STATES.search(QUOTED.sub('""', clause)) and not _ASKS.match(clause):
        return "nobody"
    if windows and (_USES.match(clause) or _TO_USE.match(clause)) and not file_names(clause):
        return "nobody"
    if opens(clause):
        return "open"
    if _BLANK.match(clause) and len(whole) > len(clause) + 12:
        return "nobody"
    if _KEEPS.match(clause) and not QUOTED.search(clause) and not file_names(clause):
        return "nobody"
    if lists_titles(clause):
        return "code"
    if _FOLDERS.match(clause):
        return "files"
    handled = _MOVES.match(clause) or (_COPIES.match(clause) and (file_names(clause) or _OBJECTS.search(clause)))
    if handled and not (_INSIDE.search(clause) and not _OBJECTS.search(clause)):
        if _ARCHIVES.match(clause) or (_MANY.search(clause) and len(file_names(clause)) < 2):
            return "code"
        return "files" if file_names(clause) or _OBJECTS.search(clause) else None
    if _HANDS.match(clause):
        return "windows" if windows else None
    if windows and (_RUNS.match(clause) or _COMMANDS.match(clause)):
        return "windows"
    if windows and _reckons(clause):
        return "windows"
    if windows and _LOOKS.match(clause) and not _better_read(clause):
        return "look"
    if _ASKS.search(clause):
        return _asking(clause, whole, windows)
    if not windows and _makes_data(clause, whole):
        return "code"
    if not windows and (_SAVES.match(clause) and len(whole) > len(clause) + 12):
        return "nobody"
    if not windows and _notes_down(clause, whole):
        return "files"
    if _WRITES.match(clause) or edit_of(clause) is not None:
        return "windows" if windows else "code" if _edits_data(clause) else None
    return None


def alters(clause: str) -> bool:
    """Whether a clause has something changed that is there."""
    return _ALTERS.match(clause) is not None


def _edits_data(clause: str) -> bool:
    """Whether a clause has the text or the table of a file changed, of which no program is spoken."""
    names = file_names(clause)
    return alters(clause) and len(names) == 1 and bool(_TEXT.search(names[0]) or _TABLES.search(names[0]))


def _notes_down(clause: str, whole: str) -> bool:
    """Whether a clause has something put into a text file that a document or a picture says, if the task names any."""
    others = [name for name in file_names(whole) if name not in file_names(clause) or not _WRITABLE.search(name)]
    if not writes_file(clause) or not others or not all(map(read_first, others)):
        return False
    return all(map(_PICTURE.search, others)) or _COMPUTES.search(FILE_NAME.sub("", whole)) is None


def _without_place(clause: str) -> str:
    """ "In the terminal, run X" as "run X": where something is done says nothing of what is done, unless it is a file."""
    match = _PLACE.match(clause)
    return clause if match is None or file_names(match.group(0)) else clause[match.end() :]


def _writes_nowhere(clause: str, whole: str) -> bool:
    """Whether a clause has a new file written, while the programs that a task speaks of are none to write in."""
    return _NEW.search(clause) is not None and _READ_ONLY.search(whole) is not None and _WRITERS.search(whole) is None


def _reckons(clause: str) -> bool:
    """Whether a clause has something worked out in the calculator with a number that it names."""
    return _RECKONS.search(clause) is not None and re.search(r"\d", FILE_NAME.sub("", clause)) is not None


def _makes_data(clause: str, whole: str) -> bool:
    """Whether a clause has files made from the data of others, which the whole task may name elsewhere."""
    names = file_names(clause)
    if _PACKS.match(clause):
        return True
    return bool(names) and (
        (_MAKES_DATA.match(clause) is not None and any(_TABLES.search(name) for name in file_names(whole)))
        or (_REWORKS.match(clause) is not None and all(_TABLES.search(n) or _WRITABLE.search(n) for n in names))
    )


def _asking(clause: str, whole: str, windows: bool) -> Work | None:
    """A question: of a table by code, of a document by reading it; on the screen where no file is spoken of."""
    here = file_names(clause)
    told = " ".join(here or file_names(QUOTED.sub(_named_file, whole)))
    table = _TABLES.search(told) is not None or (not told and _TABLE_WORDS.search(whole) is not None)
    if _CALCULATES.match(clause) and table and not _BY_HAND.search(whole):
        return "code"
    in_file = table and (here or not (_BY_HAND.search(clause) or _in_window(told, whole)))
    if windows and not in_file:
        return _looking(clause, here, told, table=table)
    if table:
        return "code"
    if _DOCUMENTS.search(told):
        return "code" if re.search(r"\.(?:zip|tar|gz|log|txt)\b", told, re.I) and _COMPUTES.search(clause) else "read"
    return None


_OPENED = re.compile(r"\bopen(?:ed|s)?\s+(?:it|that|this|there|in|up)\b|\b(?:it|that|which) is open\b", re.I)
_WINDOWED = re.compile(r"\bopen(?:ed|s)?\b|\bcalc\b|\bspreadsheet\b|\beditor\b|\bbrowser\b", re.I)


def _in_window(names: str, whole: str) -> bool:
    """Whether a task has one of its tables shown in a window, as far as it says so: else it is better read."""
    if not names.strip() or _OPENED.search(whole):
        return True
    said = [clause for clause in clauses(whole) if any(name in clause for name in names.split())]
    return any(_WINDOWED.search(clause) for clause in said)


def _named_file(quote: re.Match[str]) -> str:
    """What of a quoted text speaks of files: a name that is in quotes as names are, not a text to write."""
    name = unquoted(quote)
    return name if FILE_NAME.fullmatch(name) else ""


def asks(clause: str) -> bool:
    """Whether a clause wants something found out."""
    return _ASKS.search(clause) is not None


def read_first(name: str) -> bool:
    """Whether a file is a document that is read before something of it is written down: code has no eyes for pictures, and
    no need to work anything out."""
    return _READ_FIRST.search(name) is not None


def writes_file(clause: str) -> bool:
    """Whether a clause has something put into a file that a program or a file action can write."""
    names = file_names(clause)
    return _WRITES.match(clause) is not None and len(names) == 1 and _WRITABLE.search(names[0]) is not None


def _looking(clause: str, here: Sequence[str], told: str, *, table: bool) -> Work | None:
    """A question where a program is open: on its screen, unless it may be one of a file that is better read."""
    if _better_read(" ".join(here)) or (table and _COMPUTES.search(clause)):
        return None
    on_page = _PAGE.search(told) or not _DOCUMENTS.search(told)
    return "look" if on_page else None


def _better_read(text: str) -> bool:
    """Whether a text names a file that shows more when it is read than in a window; a page may work out what it shows."""
    return bool(_TABLES.search(text) or _DOCUMENTS.search(_PAGE.sub("", text)))


def refers(clause: str) -> bool:
    """Whether a clause speaks of something that another one names."""
    return _REFERS.search(clause) is not None


def on_files_alone(task: str, applications: Iterable[str]) -> bool:
    """Whether a task names files and nothing that is done in windows."""
    return bool(file_names(task)) and not (_SEEN.search(task) or names_program(task, applications))


def names_program(text: str, applications: Iterable[str]) -> bool:
    """Whether ``text`` speaks of a program: one of ``applications``, by its name or what it is, or of a kind of them."""
    said = text.casefold()
    return _PROGRAMS.search(said) is not None or any(_closeness(told, said) > NOT_NAMED for told in applications)


def program_named(text: str, applications: Collection[str]) -> str:
    """The one of ``applications`` that ``text`` speaks of, '' where it is none, or could be several."""
    all_of_them = tuple(applications)
    called = {name.casefold() for name in all_of_them}
    # "server.log" speaks of no program, unless one is called just so.
    said = FILE_NAME.sub(lambda found: found[0] if found[0].casefold() in called else " ", text).casefold()
    # "the text editor (Name)" has the kind of several programs, and the name of one.
    times = Counter(word for told in all_of_them for word in _words_of(told))
    shared = frozenset(word for word, count in times.items() if count > 1)
    found = {told: _closeness(told, said, shared) for told in all_of_them}
    if max(found.values(), default=NOT_NAMED) == NOT_NAMED:
        found = {told: _closeness(told, said) for told in all_of_them}
    closest = max(found.values(), default=NOT_NAMED)
    if closest == NOT_NAMED:
        kinds = [kind for kind in ("terminal", "calculator", "file manager", "browser") if re.search(rf"\b{kind}\b", said)]
        of_kind = [told for told in all_of_them if any(kind in told.casefold() for kind in kinds)]
        return of_kind[0] if len(of_kind) == 1 else ""
    best = [told for told, closeness in found.items() if closeness == closest]
    return best[0] if len(best) == 1 else ""


def shows(title: str, program: str) -> bool:
    """Whether the title of a window has a program's name, or a word of it."""
    said = title.casefold()
    return _closeness(program, said) > NOT_NAMED or program.casefold() in said


def _closeness(told: str, said: str, shared: frozenset[str] = frozenset()) -> tuple[int, bool]:
    """How closely what is ``said`` fits a program's name: letters of it that are said, and whether that is all of it.
    ``shared``: words that do not count, since other programs have them."""
    words = [word for word in _words_of(told) - shared if re.search(rf"\b{re.escape(word)}\b", said)]
    return max(map(len, words), default=0), told.casefold() in words


def _words_of(told: str) -> frozenset[str]:
    """The words of a program's name that may be said for it, and those in and before its brackets together."""
    pieces = [piece for piece in re.split(r"\s*[()]\s*", told.casefold()) if piece]
    words = {word for piece in pieces for word in (piece, *piece.split())}
    return frozenset(word for word in words if len(word) >= 4 and word not in _COMMON)


def routed(
    parts: Sequence[str], task: str, owners: Mapping[str, Collection[str]], *, windows: bool, nobody: str
) -> dict[int, str]:
    """The agent of each part that rules can give away, by the part's number from 1. ``owners``: agents in the order of the
    pool, each with its actions; ``nobody``: whose a part is that only informs."""
    found: dict[int, str] = {}
    last: Work | None = None

    def give(number: int, work: Work) -> None:
        owner = next((name for name, actions in owners.items() if ACTION[work] in actions), None)
        if owner is not None:
            found[number] = owner

    for number, part in enumerate(parts, 1):
        work = work_of(part, windows=windows, whole=task)
        if last in ("code", "read") and part.endswith("?") and not file_names(part):
            work = "nobody"  # it only says what the part before is for
        if work is None and not windows and last in ("code", "read") and writes_file(part):
            work = "code" if last == "code" else "files"
        if work == "windows" and last in ("windows", "look") and writes_file(part) and _writes_nowhere(part, task):
            work = "files"
        if work == "code" and last == "files" and refers(part) and found.get(number - 1):
            del found[number - 1]  # it says where: who does this does both
            give(number - 1, work)
        if last == "look" and _TO_SEE.match(part) and not _reckons(part):
            work = "nobody"  # who looks does it
        last = work if work != "nobody" else last
        if work == "nobody":
            found[number] = nobody
        elif work is not None:
            give(number, work)
    return found
