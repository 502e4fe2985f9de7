"""Whether what a small model's program printed answers the part at all, and whether the run's results answer its task.

Such a program takes another row or column where the one asked for made an error, or one file of several, and prints a
figure that looks right. What is said here of a program is shown to its role, which then tries again; what is said of a whole
run only ever makes it unverified.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deskcrew.actions.tables import TABLES, delimiter_of
from deskcrew.english.clauses import asks, clauses, verb_of
from deskcrew.english.mentions import ordinal
from deskcrew.english.orders import tokens
from deskcrew.english.vocabulary import vocabulary
from deskcrew.errors import ActionError
from deskcrew.goals.origin import inputs_of, typed_in_one
from deskcrew.journal.fold import OUTPUT_ACTIONS, RunState
from deskcrew.journal.records import Done
from deskcrew.observation import Observation
from deskcrew.situation import Situation
from deskcrew.texts import FILE_NAME, QUOTED, file_names, names_in, speaks_of
from deskcrew.verdict import Check

TIMES = 2
"""Maximum number of times a role is sent back for this; an answer that it then keeps does not count as certain."""
SHORT = 60
"""Maximum length of a result that can be an answer as it is, in characters."""
MOST_FILES = 8
"""Maximum number of files named in a complaint."""
_CELLS = 20_000
"""Maximum number of a table's cells that are compared with the names in a subtask."""
_SHEET = re.compile(r"^\[sheet .+\]$", re.M)
_COUNTS = re.compile(r"\b(?:enumerate|islice|range|iloc|nth|row_number|nlargest|nsmallest)\b|\bnext\(|\+=\s*1\b")


def uncovered(situation: Situation) -> str:
    """What the last program did not look at although the subtask mentions it, worded for its role; '' if nothing."""
    done = situation.last_done
    if done is None or done.operation.function not in OUTPUT_ACTIONS or not done.ok:
        return ""
    code = "\n".join(str(done.operation.params.get(name) or "") for name in ("code", "command"))
    tables = [path for path in done.reads if path.lower().endswith(TABLES)]
    texts = {path: _text(situation, path) for path in tables}
    if column := compared_as_text(code, [text for path, text in texts.items() if path.lower().endswith((".csv", ".tsv"))]):
        return f"The values of {column} are texts in the program, so 9 comes after 100: order by float(row[{column!r}])."
    part = " ".join(each for each in clauses(situation.part) if asks(each) or verb_of(each) == "find")
    if not part:
        return ""
    if not done.text.strip() and situation.part.rstrip().endswith("?"):
        return "It printed nothing. Print the answer."
    if odd := _wrong_kind(part, done.text) or uncounted(part, code):
        return odd
    if not done.reads:
        return ""
    unused = _unused(part, f"{code}\n{done.text}".casefold(), list(texts.values())) if len(tables) == len(done.reads) else ""
    return _unread(situation, part, done) or unused


def _text(situation: Situation, path: str) -> str:
    """A file's text; '' if it cannot be read."""
    try:
        return situation.text_of(path)
    except ActionError:
        return ""


def _wrong_kind(part: str, text: str) -> str:
    """Complains about a short result without a number if an amount or a date is asked for; '' otherwise."""
    said = text.strip()
    if not said or len(said) > SHORT or "\n" in said or any(character.isdigit() for character in said):
        return ""
    return f"It printed {said!r}, but a number is asked for." if asks_figure(part) else ""


def uncounted(part: str, code: str) -> str:
    """Complains about a program that does not count to the ordinal that the subtask mentions ("the third device"); ''
    if it does, and for the first, which loops find without counting."""
    found = ordinal(part)
    if found is None or _COUNTS.search(code):
        return ""
    said, number = found
    if number < 2 or re.search(rf"(?<![\w.])-?(?:{number}|{number - 1})(?![\w.])", code):
        return ""
    return f"The program does not count to the {said}: of all that fit, in their order, take [{number - 1}]."


def _unread(situation: Situation, part: str, done: Done) -> str:
    """Files that the subtask names and that were not read; for a folder, its files of the most common type."""
    # What the crew wrote itself is not a source.
    own = situation.made
    there = [entry.path for entry in situation.now.files if entry.kind == "file" and entry.path not in own]
    named = sorted(inputs_of(part, situation.now) - own)
    if not named and not file_names(part):
        within = [path for path in there if "/" in path and speaks_of(part, path.rpartition("/")[0])]
        kinds = [path.rpartition(".")[2] for path in within]
        named = [path for path in within if path.endswith(max(kinds, key=kinds.count))]
    left = [path for path in named if path not in done.reads]
    return f"The program did not read {', '.join(left[:MOST_FILES])}, which the part speaks of." if left else ""


def _unused(part: str, said: str, tables: Sequence[str]) -> str:
    """Complains about a name in the subtask that is a cell of the tables but that the program neither looks for nor
    prints; '' if there is none. ``said``: the program and its output."""
    places = {name: at for text in tables for name, at in _cells(text)}
    for name in names_in(part):
        at = places.get(name.casefold())
        if at is None or name.casefold() in said or any(f"[{each}]" in said for each in at):
            continue
        return f"The program does not use {name!r}, which the part asks about."
    return ""


def _cells(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The cells of a table in lower case; a column's name with the indexes by which code may refer to it."""
    for piece in _SHEET.split(text):
        try:
            rows = csv.reader(io.StringIO(piece.strip(), newline=""), delimiter=delimiter_of(piece))
            for number, row in enumerate(rows):
                if number * len(row) > _CELLS:
                    return
                for at, cell in enumerate(row):
                    yield " ".join(cell.split()).casefold(), () if number else (at, at - len(row))
        except csv.Error:
            return


def asks_figure(question: str) -> bool:
    """Whether a question asks for an amount, a count or a date: "how many", "which date", "what is the total"."""
    words = [token.value.casefold() for token in tokens(question) if token.slot in ("WORD", "RESULT")]
    known = vocabulary().clause
    if any(one in known["measures"] and other in known["amounts"] for one, other in pairwise(words)):
        return True
    asked = next((n for n, word in enumerate(words) if word in known["asking"]), len(words))
    return not vocabulary().doubt["figure"].isdisjoint(words[asked + 1 : asked + 4])


# -- numbers compared as texts: 9 then comes after 100

_ORDERS = frozenset({"sort", "sorted", "min", "max", "nlargest", "nsmallest"})
_CONVERTS = r"(?:int|float|Decimal)\s*\([^()\n]*\[\s*['\"]?{}['\"]?\s*\]"


def compared_as_text(code: str, tables: Sequence[str]) -> str:
    """The name of the numeric column by which ``code`` orders rows as text; '' if there is none, or it makes no
    difference. ``tables``: the texts of the CSV files that it read."""
    if "csv" not in code or "pandas" in code:
        return ""
    try:
        keys = dict.fromkeys(_keys(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    for key in keys:
        if re.search(_CONVERTS.format(re.escape(str(key))), code):
            continue
        for text in tables:
            if (name := _misordered(text, key)) is not None:
                return name
    return ""


def _keys(tree: ast.AST) -> Iterator[str | int]:
    """The literal keys that the code orders by: ``row['x']`` or ``row[1]`` without a conversion."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in _ORDERS:
            continue
        lambdas = [each.value.body for each in node.keywords if each.arg == "key" and isinstance(each.value, ast.Lambda)]
        plain = [each.elt for each in node.args if isinstance(each, (ast.GeneratorExp, ast.ListComp))]
        for body in lambdas or plain:
            if isinstance(body, ast.Subscript) and isinstance(body.slice, ast.Constant):
                value = body.slice.value
                if isinstance(value, (str, int)):
                    yield value


def _misordered(text: str, key: str | int) -> str | None:
    """The name of the column, if its numbers are ordered differently as text; else None."""
    try:
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)) if row]
    except (csv.Error, ValueError):
        return None
    at = key if isinstance(key, int) else header.index(key) if key in header else None
    if at is None or not -len(header) <= at < len(header):
        return None
    cells = [row[at] for row in rows if len(row) == len(header)]
    try:
        differs = sorted(cells) != sorted(cells, key=float)
    except ValueError:
        return None
    return header[at] if differs else None


# -- the whole run


def unused_quantity(state: RunState) -> str:
    """Says that a quantity in the question ("7 tickets") was not used in any computation; '' if all were."""
    if not state.collected_by("output"):
        return ""
    asked = FILE_NAME.sub(" ", QUOTED.sub(" ", state.question))
    done = [each for turn in state.turns for each in turn.done]
    used = " ".join((typed_in_one(done), *(str(value) for each in done for value in each.operation.params.values())))
    numbers = re.findall(r"(?<![\w.,:/-])\d{1,4}(?=\s+[a-z])", asked)
    left = [number for number in numbers if not re.search(rf"(?<![\d.]){number}(?![\d])", used)]
    return f"nothing that was worked out used the {left[0]} of the question" if left else ""


def unasked_files(checks: Sequence[Check], before: Observation, now: Observation) -> str:
    """Says which files in a new folder nobody asked for; '' if there are none."""
    there = {entry.path for entry in before.files}
    wanted = {check.target for check in checks}
    folders = {check.target.rpartition("/")[0] for check in checks if check.kind == "same_as"} - there - {""}
    files = (entry.path for entry in now.files if entry.kind == "file" and entry.path.rpartition("/")[0] in folders)
    more = [path for path in files if path not in wanted]
    return f"{', '.join(more[:5])} should not be there" if more else ""
