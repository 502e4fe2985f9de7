"""What words mean of a file's data: the record that a form is filled in from, and the value of something in a text.

Where two could be meant, none is.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from deskcrew.actions.tables import delimiter_of
from deskcrew.roles import tabular
from deskcrew.roles.tabular import Table


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


DATA = (".json", ".csv", ".tsv", ".txt", ".md", ".docx", ".odt", ".pdf", ".eml", ".xml", ".yaml", ".yml", ".ini", ".rtf")
"""Endings of files in which values may be looked up for a window."""
_LINE = re.compile(r"^\W*([^\W\d][\w /()-]{1,40}?)\s*[:=|\t]\s*(\S.{0,118}?)\s*$")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])")
_SMALL = _split(
    "the a an of for from in on at to and or it its that this there file document by with per is are was as our my your his "
    "her their one each into"
)
_ATTRIBUTES = _split(
    "price cost costs amount total sum number value fee rate rent phone telephone quantity count weight size height length "
    "width age salary wage pay balance figure date time year"
)
"""Words for what is said of a thing; a sentence may say it in others."""


_SORTS = (
    (r"\be-?mail\b", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (r"\b(?:(?:tele)?phone|mobile|fax|cell)\b", re.compile(r"(?<![\w.])\+?\d[\d ()/-]{4,}\d(?![\w.])")),
    (r"\b(?:web\s?site|home\s?page|url)\b", re.compile(r"\b(?:https?://|www\.)[^\s,;]+[^\s,;.)]")),
)
"""What is known by its form."""
_SORT = re.compile(r"e-?mail|mail|(?:tele)?phone|mobile|fax|cell|web|site|website|home|page|homepage|url|address", re.I)


def records(path: str, text: str) -> list[dict[str, str]]:
    """The records of a file, each by its keys: rows of a table, objects of JSON, else one of lines such as "Name: Ann"."""
    ending = path.lower().rpartition(".")[2]
    if ending == "json":
        try:
            return _objects(json.loads(text))
        except ValueError:
            return []
    if ending in ("csv", "tsv"):
        rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter_of(text)) if any(row)]
        return [dict(zip(rows[0], row, strict=True)) for row in rows[1:] if len(row) == len(rows[0])] if rows else []
    lines = [match for line in text.splitlines() if (match := _LINE.match(line))]
    found = {match[1]: match[2] for match in lines}
    return [found] if len(found) == len(lines) > 0 else []


def record_for(found: Iterable[Mapping[str, str]], words: str) -> Mapping[str, str]:
    """The record that ``words`` mean: the only one, or the only one of which a text stands in them; {} where there is a
    doubt."""
    all_of_them = list(found)
    if len(all_of_them) == 1:
        return all_of_them[0]
    named = [each for each in all_of_them if any(_names(value, words) for value in each.values())]
    return named[0] if len(named) == 1 else {}


def value_in(path: str, text: str, words: str) -> str:
    """What ``words`` ("the price of the oak table") mean of a file's text, '' where there is a doubt."""
    found = records(path, text)
    if len(found) > 1 and all(each.keys() == found[0].keys() for each in found):
        rows = (tuple(found[0]), *(tuple(each.values()) for each in found))
        return tabular.value_named([Table(rows)], words)
    if value := tabular.value_named(tabular.tables_in(text), words):
        return value
    said = [word for word in re.findall(r"[^\W\d_][\w-]*", words.casefold()) if word not in _SMALL]
    looked_for = [word for word in said if word not in _ATTRIBUTES] or said
    pieces = re.split(r"\n|(?<=[.!?;])\s+", text)
    lines = [line for line in pieces if looked_for and all(_stands(word, line) for word in looked_for)]
    if form := next((form for said_as, form in _SORTS if re.search(said_as, words, re.I)), None):
        return _of_form(form, pieces, said)
    numbers = {number for line in lines for number in _NUMBER.findall(line)}
    if len(lines) > 1:
        closer = [line for line in lines if all(_stands(word, line) for word in said)]
        numbers = set(_NUMBER.findall(closer[0])) if len(closer) == 1 else numbers
    return numbers.pop().rstrip(".,") if len(numbers) == 1 else ""


def _of_form(form: re.Pattern[str], pieces: Iterable[str], said: Iterable[str]) -> str:
    """The one thing of its form that stands in the lines with all the other words that are said."""
    others = [word for word in said if word not in _ATTRIBUTES and not _SORT.fullmatch(word)]
    found = {
        match[0].strip() for line in pieces if all(_stands(word, line) for word in others) for match in form.finditer(line)
    }
    return found.pop() if len(found) == 1 and others else ""


def key_for(label: str, keys: Iterable[str]) -> str:
    """The one of ``keys`` that means the same as a field's ``label``, '' where none or several may."""
    wanted, there = _words(label), {key: _words(key) for key in keys}
    same = [key for key, words in there.items() if words == wanted]
    near = [key for key, words in there.items() if words and wanted and (words <= wanted or wanted <= words)]
    found = same or near
    return found[0] if len(found) == 1 else ""


def _objects(data: Any) -> list[dict[str, str]]:
    if isinstance(data, list):
        return [each for entry in cast("list[Any]", data) if isinstance(entry, dict) for each in _objects(entry)]
    if not isinstance(data, dict):
        return []
    entries = cast("dict[str, Any]", data)
    if len(entries) == 1 and isinstance(only := next(iter(entries.values())), list):
        return _objects(cast("Any", only))
    flat: dict[str, str] = {}
    for key, value in entries.items():
        if isinstance(value, dict):
            flat |= {k: v for each in _objects(value) for k, v in each.items()}
        elif isinstance(value, bool):
            flat[key] = "yes" if value else "no"
        elif isinstance(value, str | int | float):
            flat[key] = str(value)
    return [flat] if flat else []


def _names(value: str, words: str) -> bool:
    return len(value) > 2 and not _NUMBER.fullmatch(value) and _stands(value, words)


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?:e?s)?(?!\w)", text, re.I) is not None


def _words(name: str) -> frozenset[str]:
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\be-mail", "email", name, flags=re.I))
    found = (word.rstrip("s") for word in re.findall(r"[^\W_]+", spread.casefold()) if word not in _SMALL)
    return frozenset(found) - {"number", "no", "your", "address"} or frozenset(re.findall(r"[^\W_]+", spread.casefold()))
