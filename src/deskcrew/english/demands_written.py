"""What an order demands of what is written into a file, and which file that is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from deskcrew.actions.tables import TABLES
from deskcrew.english.blanks import blank
from deskcrew.english.clauses import COMPUTED, QUOTED, WRITES, clauses, file_names, quoted
from deskcrew.english.demands_changed import ROW_VALUE, TAKES_OUT, marks, only, row, swapped, visible
from deskcrew.english.demands_files import A_FILE, FILE, new_files, path_of, without_folders
from deskcrew.english.edits import INSTEAD, QUOTE, SWAPS, definite, edits_of
from deskcrew.english.orders import orders
from deskcrew.english.sentences import wants_sentence
from deskcrew.english.stand_ins import ANY, with_stand_ins
from deskcrew.verdict import FOUND_OUT, RESULT, SENTENCE, Check

_VERB = r"(?:write|type|put|enter|add(?!\s+up)|append|insert|save|print|store|export|output|place|note|record|fill\s+in)"
_END = r"(?:(?:the\s+)?(?:very\s+)?(?:end|top|bottom|beginning|start|head|foot|last\s+line|first\s+line|last\s+page)\s+of)"
_TARGET = re.compile(
    rf"\b{_VERB}\b[^;]*?(?:\b(?:into|to|onto|as|{_END}|new\s+(?:line|paragraph|row|entry)\s+(?:in|of))|[\"”]\s+in)\s+"
    rf"(?:the\s+)?(?:end\s+of\s+)?{A_FILE}({FILE})",
    re.IGNORECASE,
)
_AFTER_QUOTE = re.compile(rf"\b{_VERB}\b[^;\"“]*{QUOTE}[^;]*?\b(?:in|into|to|of)\s+{A_FILE}(?P<file>{FILE})", re.IGNORECASE)
_BEFORE = re.compile(
    rf"^\W*(?:in|at|to)\s+(?:{_END}\s+)?{A_FILE}({FILE}),?\s+(?:please\s+)?{_VERB}\b|\b{_END}\s+{A_FILE}({FILE})", re.I
)
_OPENED = re.compile(
    rf"\bopen\s+{A_FILE}({FILE})[^;]*\b(?:add|append|insert|write|type|put|enter)\s+[^;\"“]*[\"“](?![^;]*\b(?:field|box|window|cell)\b)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:field|box|window|cell|calculator|terminal|search|form|dialog|browser|clipboard|address\s+bar|chat|mail|email|"
    r"message)\b",
    re.I,
)
_ADDS = re.compile(r"\b(?:add(?!\s+up)|append|insert)\b", re.IGNORECASE)
_BEGINS = r"(?:^\W*|[,;:]\s+|\b(?:and|then|please|also|but)\s+)"
_CHANGES = re.compile(
    rf"{_BEGINS}(?:(?:update|edit|change|fix|correct|overwrite|modify|replace|sort|reverse|swap|capitali[sz]e|uppercase|lowercase|"
    r"set|raise|lower|increase|reduce|mark|format|rearrange|alphabeti[sz]e|"
    r"rename\s+the\s+(?:sheet|tab|column|heading|title)|empty|clear|shorten|rewrite|fill\s+in|complete|reword|proofread|highlight|underline|indent|renumber)\b|"
    r"(?:delete|remove|erase)\s+(?:the|every|all|each)\s+(?:\w+\s+){0,2}(?:lines?|words?|rows?|paragraphs?|sentences?|entry|entries|"
    r"columns?|pages?|slides?|items?)\b|"
    r"(?:put|make|convert|turn)\b(?=.*\b(?:capitals|capital\s+letters|upper\s*-?case|small\s+letters|lower\s*-?case)\b)|"
    r"(?:delete|remove|erase|strike|cut|drop|take\s+out)\b(?=.*\b(?:from|in|of)\b))",
    re.IGNORECASE,
)
_WRITES_DOWN = re.compile(rf"{_BEGINS}(?:write|type|put|enter|add(?!\s+up)|append|insert)\b", re.IGNORECASE)
_WRITES_INTO = re.compile(
    rf"{_BEGINS}(?:write|type|put|enter|add(?!\s+up)|append|insert|copy|paste|fill\s+in)\b[^;]*?\b(?:in|into|to|at|under|below|above|on|as)\s+"
    r"(?:the|a|an)\s+(?:[^\s;,]+\s+){0,3}?(?:column|row|cell|sheet|table|list|line|section|heading|page|paragraph|slide|end|top|bottom)\b"
    rf"[^;]*?\b(?:in|of)\s+{A_FILE}({FILE})",
    re.IGNORECASE,
)
_JUST = re.compile(
    rf"\b(?:write|type|put|enter)\s+(?:(?:the|just|only)\s+)*(?:(?:text|words?|line|sentence)\s+)?(?={QUOTE})", re.I
)
"""That a text is written, and not that something is written about it or with it."""
_LINES = re.compile(r"\b(?:lines?|list|items|entries|below|under)\b", re.I)
_COMPOSES = re.compile(
    r"\b(?:write|type|note|jot|compose|draft)\s+(?!(?:(?:the|a|an)\s+)?(?:new\s+)?(?:text\s+)?file\b)[\w'\"“]", re.I
)
"""That something is written which is no file as such."""
_PLAIN = re.compile(r"\.(?:xlsx|xlsm|ods|csv|tsv|json|xml|html?|pptx|odp)$", re.I)
_HOLD = r"(?:contains?|includes?|holds?|says?|ha(?:ve|s)|(?:begins?|starts?|ends?)\s+with)\b"
_PLACE = (
    r"(?:section|chapter|sheet|tab|window|field|box|folder|directory|column|row|menu|page|dialog|editor|cell|heading|"
    r"paragraph)"
)
_BETWEEN = r"(?:(?!(?:and|then|type|write|put|add|insert|enter|append|replace)\b)[\w-]+\s+)"
_NOT_WRITTEN = re.compile(
    r"\b(?:under|underneath|below|beneath|above|after|before|following|behind|next\s+to|beside|from|between|instead\s+of|"
    rf"in\s+place\s+of|where\s+it\s+says)\s+{_BETWEEN}{{0,5}}?{QUOTE}(?:\s+and\s+{QUOTE})?"
    rf"|\b(?:in|inside|on|within|to|into|of)\s+{_BETWEEN}{{0,3}}?{_PLACE}\s+(?:called\s+|named\s+|titled\s+)?{QUOTE}"
    rf"|\b(?:except|other\s+than|excluding|ignoring|skipping)\s+{_BETWEEN}{{0,4}}?{QUOTE}"
    rf"|\b(?:how\s+often|how\s+many|(?:number|count)\s+of)\s+{_BETWEEN}{{0,5}}?{QUOTE}"
    rf"|\b(?:click|press|choose|select|search|find|look|run|execute|tick|delete|remove|erase|strike|cut|drop)\b\s+{_BETWEEN}{{0,4}}?{QUOTE}"
    rf"|{QUOTE}\s+(?:button|menu|field|box|sheet|tab|window|section|heading|column|folder|directory)\b",
    re.IGNORECASE,
)
_MUST_HOLD = re.compile(
    rf"\b(?:make\s+sure|ensure|so|see\s+to\s+it|let|want|need)\s+(?:that\s+)?{A_FILE}({FILE})\s+(?:to\s+)?{_HOLD}"
    rf"|\b{A_FILE}({FILE})\s+(?:must|should|has\s+to|needs\s+to)\s+{_HOLD}",
    re.IGNORECASE,
)
_MADE_WITH = re.compile(r"\b(?:make|create|start)\b.*\bwith\b[^\"“]{0,30}[\"“]", re.IGNORECASE)
_FINDS = re.compile(
    r"^(?:count|find|search|look|open|read|calculate|compute|check|select|choose|click|press|go|compare|work\s+out|add\s+up)\b",
    re.I,
)
_VIEWS = re.compile(r"\b(?:zoom|view|wallpaper|background|window|screen|theme|volume|scroll|filter)\b", re.I)
_PAGE, _FORM = re.compile(r"\.x?html?$", re.I), re.compile(r"\bfill\s+(?:in|out)\b|\bform\b", re.I)
"""A page that is filled in stays the file that it is."""
_FILLED_FROM = re.compile(
    r"\bfill\s+(?:in|out)\s+(?:the|this|that|my)\s+(?:[\w-]+\s+){0,3}?(?:form|page|fields?)\b[^;]*?"
    r"\b(?:from|with|using|as\s+in|according\s+to|out\s+of)\s",
    re.I,
)
"""What is filled in on a page from a file leaves the file as it is."""
_EXPLAINS = re.compile(r"\bwhere\s+\S+\s+(?:is|are|stands\s+for)\b[^,.;]*", re.IGNORECASE)
_KEYS = re.compile(
    r"\bwith\s+(?:the\s+)?(?:keys|columns|headers?|fields|column\s+(?:names|titles|headings))\s+((?:[\w-]+)(?:(?:,\s*|,?\s+and\s+)[\w-]+)*)",
    re.I,
)


@dataclass(frozen=True)
class Writing:
    """``there``: the files that were there at the start. What the whole ``task`` says decides what a sentence means that
    names no file."""

    task: str
    there: frozenset[str]

    def checks(self, order: str) -> Iterator[Check]:
        """What a sentence that has a file written obliges to: its quoted texts are in the file, and so is the computed
        result where it speaks of one ("the total", "the answer"); else a file that was there has to change."""
        new = new_files(order, self.there)
        changes = _CHANGES.search(QUOTED.sub('""', order)) is not None or self._says_so(order) or definite(order)
        if len(new) == 1 and any(form.search(order) for form in (WRITES, _KEYS, _MADE_WITH)):
            contents = [*self._contents(order, new[0]), *_keys(order, new[0])]
            yield from contents
            yield from self._made(order, new[0], contents)
            if contents and _JUST.search(order) and not _PLAIN.search(new[0]):
                yield Check(kind="nothing_else", target=new[0])
        elif not new and (target := self._target(order, changes=changes)):
            yield from self._on_old(order, target, changes=changes)

    def _made(self, order: str, target: str, contents: list[Check]) -> Iterator[Check]:
        """What can be said of a new file beyond the texts that are in it."""
        if wants_sentence(order):
            yield Check(kind="changed_since_start", target=target, text=SENTENCE)
        elif any(len(edit.texts) > 1 and edit.kind == "add" for edit in edits_of(order)) and _LINES.search(order):
            yield from only(order, target)
        elif not contents and _COMPOSES.search(order.replace(target, "")):
            yield Check(kind="changed_since_start", target=target, text=FOUND_OUT)

    def _says_so(self, order: str) -> bool:
        """Whether an order has a file changed in other words than a verb for it."""
        return any(marks(order)) or TAKES_OUT.search(order) is not None or any(form.search(order) for form in ROW_VALUE)

    def _on_old(self, order: str, target: str, *, changes: bool) -> Iterator[Check]:
        if found := row(order, target):
            yield found
            return
        contents = [*swapped(order, target), *self._contents(order, target)]
        yield from contents
        wanted = list(marks(order))
        yield from (Check(kind="changed_since_start", target=target, text=mark) for mark in wanted)
        marked = bool(wanted) or any(check.kind == "changed_since_start" for check in contents)
        exact = list(only(order, target))
        yield from exact
        if not exact and not marked and (not contents or _ADDS.search(order) or changes):
            yield Check(kind="changed_since_start", target=target)

    def _contents(self, order: str, target: str) -> list[Check]:
        if not visible(order, target):
            return []
        said = _NOT_WRITTEN.sub("", TAKES_OUT.sub("", INSTEAD.sub("", SWAPS.sub("", without_folders(order)))))
        writing = " ".join(clause for clause in clauses(said) if not _FINDS.match(clause))
        found = [text for text in quoted(writing) if not _is_stand_in(text, order)]
        formulas = target.lower().endswith(TABLES)
        texts = [with_stand_ins(text, self.task) for text in found if not (formulas and text.startswith("="))]
        checks = [Check(kind="file_contains", target=target, text=text, origin=_origin(text)) for text in texts]
        computed = COMPUTED.search(_EXPLAINS.sub("", QUOTED.sub("", order)))
        if (computed or wants_sentence(order)) and WRITES.search(order) and not any(RESULT in text for text in texts):
            checks.append(Check(kind="file_contains", target=target, text=RESULT, origin="evidence"))
        return checks

    def _target(self, order: str, *, changes: bool) -> str:
        """The file that was there and that the order has written or changed; '' when it speaks of none."""
        if re.search(r"\bcell\s+(?:\w+!)?\$?[A-Z]{1,3}\$?\d", order, re.I):
            return ""  # what a cell must be is said of the cell
        names = file_names(order)
        saves = re.search(r"\bsave\b", self.task, re.IGNORECASE) is not None
        match = (
            _TARGET.search(order)
            or (_OPENED.search(order) if saves else None)
            or _BEFORE.search(order)
            or _MUST_HOLD.search(order)
        )
        name = next((group for group in match.groups() if group), "") if match else ""
        if not name and not _ELSEWHERE.search(re.sub(r"\bcell\b", "", order)) and (into := _WRITES_INTO.search(order)):
            name = into.group(1)
        if not name and not _ELSEWHERE.search(QUOTED.sub("", order)) and (after := _AFTER_QUOTE.search(order)):
            name = after.group("file")
        if not name and len(names) == 1 and changes and _is_changed(order, names[0]) and not _fills_in(order, names[0]):
            name = names[0]
        if not names and (changes or _WRITES_DOWN.search(order)) and not _ELSEWHERE.search(order):
            name = self._only_file(saves=saves)
        path = path_of(name, self.there)
        return path if path in self.there else ""

    def _only_file(self, *, saves: bool) -> str:
        """The one file that the task speaks of, where it has that saved or says that it is open."""
        names = file_names(self.task)
        open_ = re.search(r"\b(?:is|are)\s+(?:already\s+)?open\b", self.task, re.IGNORECASE)
        return names[0] if len(names) == 1 and (saves or open_) else ""


def _fills_in(order: str, name: str) -> bool:
    """Whether a form is filled in from the file with this name."""
    filled = _FILLED_FROM.search(order)
    return filled is not None and order.find(name) >= filled.end()


def _is_changed(order: str, name: str) -> bool:
    """Whether what an order changes is in the file, and is not how something looks on the screen."""
    if _VIEWS.search(QUOTED.sub("", order)) or (_PAGE.search(name) and _FORM.search(order)):
        return False
    file = re.escape(name)
    in_it = rf"\b(?:in|of|from|inside|within|throughout|for)\s+(?:the\s+)?(?:\w+\s+){{0,2}}?{file}"
    itself = rf"{_BEGINS}[a-z]+\s+(?:\w+\s+)?(?:the\s+)?(?:file\s+)?{file}"
    opened = rf"\b(?:open|check|read|take|look\s+(?:at|through)|go\s+through)\s+{A_FILE}{file}.*{_BEGINS}\w+"
    return any(re.search(form, order, re.IGNORECASE) for form in (in_it, itself, opened))


def saved(task: str, there: frozenset[str]) -> Iterator[Check]:
    """That the one file has changed that the orders of a task speak of and have saved, whatever is done to it; and that what
    was found out is in it where it has a blank for that."""
    names = tuple(dict.fromkeys(name for order in orders(task) for name in file_names(order.text)))
    saves = re.search(rf"(?:{_BEGINS}|\bto\s+)save\b(?![^.;]*\bas\b)", task, re.IGNORECASE)
    if saves and len(names) == 1 and path_of(names[0], there) in there and not _ELSEWHERE.search(task):
        yield Check(kind="changed_since_start", target=path_of(names[0], there))
        if blank(task):
            yield Check(kind="file_contains", target=path_of(names[0], there), text=RESULT, origin="evidence")


def _origin(text: str) -> Literal["task", "evidence"]:
    return "evidence" if ANY in text or RESULT in text else "task"


def _is_stand_in(text: str, order: str) -> bool:
    """Whether a quoted text is only the name of a stand-in of another one."""
    return len(text) <= 12 and any(
        other != text and with_stand_ins(other, order) != other and text in other for other in quoted(order)
    )


def _keys(order: str, target: str) -> Iterator[Check]:
    for match in _KEYS.finditer(order):
        for key in re.split(r",\s*(?:and\s+)?|\s+and\s+", match.group(1)):
            yield Check(kind="file_contains", target=target, text=f'"{key}"' if target.endswith(".json") else key)
