"""Values of a recorded run that can be replaced in a live replay: values in its task, and results that it computed.

A quoted text or a file name in the task is a *constant*: ``--set`` replaces it wherever it occurs. The output of a program
or the content of a file is a *result*: the program is run again, and its new output replaces the old one wherever that was
typed. docs/design/repair.md says what this cannot detect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from deskcrew.actions import action_of
from deskcrew.actions.params import Fixed
from deskcrew.errors import UsageError
from deskcrew.facts.events import Operation
from deskcrew.facts.json_values import is_sequence
from deskcrew.facts.texts import file_names, quoted
from deskcrew.learning.repeating.programs import Swap, Unwritable, in_python, in_shell, names_in_python, names_in_shell
from deskcrew.learning.repeating.recording import Step
from deskcrew.learning.repeating.titles import loosen

CODE = frozenset({"code", "command"})
"""Parameters that are programs. Results are not replaced there, since a number may mean something else in a program."""
SHORTEST_WORD = 3
SHORTEST_IN_CODE = 3
LONGEST_RESULT = 2000
_GIVEN = frozenset({"start", "end", "before", "after"})
"""Parameter names of every function that checks a requirement."""
_NUMBER = r"\d+(?:[.,']\d+)*"
_TOKEN = re.compile(rf"{_NUMBER}|\w+|[^\w\s]")
_JOINED = re.compile(rf"{_NUMBER}(?:[:/-]{_NUMBER})+")
"""A time of day or a date, whose numbers also have a meaning together."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that ``--set`` can replace. ``places``: where it occurs and is replaced, in words; ``fixed``: why it cannot be
    replaced, '' if it can."""

    name: str
    value: str
    kind: Literal["text", "file"]
    places: tuple[str, ...]
    fixed: str = ""


class Unclear(Exception):
    """The new value of a result that was used is unknown. ``str()``: why, in words."""


def find_values(task: str, attachments: Sequence[str], steps: Sequence[Step], program: str = "") -> tuple[Value, ...]:
    """The constants of a recorded run, in the order of the task, named text1, text2, file1 and so on. ``program``: the code
    of its checks."""
    files = tuple(dict.fromkeys((*file_names(task), *attachments)))
    found: list[Value] = []
    kinds: tuple[tuple[Literal["text", "file"], Iterable[str]], ...] = (("text", quoted(task)), ("file", files))
    for kind, values in kinds:
        for number, value in enumerate(values, 1):
            places = ["task"] if _holds(value, kind, task) else []
            places += ["attachment"] if value in attachments else []
            places += _places(value, kind, steps)
            found.append(Value(f"{kind}{number}", value, kind, tuple(places), _built_in(value, steps, program)))
    return tuple(found)


def value_named(name: str, value: str, steps: Sequence[Step], program: str = "") -> Value:
    """A value that a person names, with its places in the operations. The task need not quote it."""
    kind = "file" if value in file_names(value) else "text"
    return Value(name, value, kind, tuple(_places(value, kind, steps)), _built_in(value, steps, program))


def _places(value: str, kind: Literal["text", "file"], steps: Sequence[Step]) -> Iterable[str]:
    """The parameters of operations, in words, that would change with the value."""
    replacing = Replacing([Value("", value, kind, ())], {value: "1" if value == "0" else "0"})
    for step in steps:
        function, params = step.operation.function, step.operation.params
        now = replacing.operation(step.operation).params
        yield from (f"#{step.number} {function} {name}" for name, given in params.items() if now[name] != given)


def _built_in(value: str, steps: Sequence[Step], program: str) -> str:
    return built_in(value, [step.operation for step in steps], program)


def built_in(value: str, operations: Iterable[Operation], program: str) -> str:
    """Why a value cannot be replaced: it is also part of the code of an operation or of the checks (``program``), where
    nothing is replaced, so that another value would change nothing, and be found right. '' if it can be replaced."""
    params = [(each.function, name, text) for each in operations for name, text in each.params.items() if name in CODE]
    where = next((f"of {function}" for function, name, text in params if _names(value, name, str(text))), "")
    if not where and names_in_python(value, program, _GIVEN):
        where = "that checks it"
    return f"it is also a name or an operator in the code {where}, which stays the same with any value" if where else ""


def _names(value: str, param: str, text: str) -> bool:
    return names_in_shell(value, text) if param == "command" else names_in_python(value, text)


def read_sets(given: Sequence[str], values: Sequence[Value]) -> dict[str, str]:
    """The new values by old value, from texts ``name=value`` as people type them. Raises UsageError if a name is unknown (it
    lists the valid ones), a value cannot be replaced, or the new value is missing."""
    chosen: dict[str, str] = {}
    for text in given:
        names = [(name, v) for v in values for name in (v.name, v.value) if text.startswith(f"{name}=")]
        if not names:
            listed = "; ".join(f"{v.name}={v.value}" for v in values) or "none"
            raise UsageError(f"--set {text!r} names no value of this run.", hint=f"There are: {listed}.")
        name, value = max(names, key=lambda pair: len(pair[0]))
        if value.fixed:
            raise UsageError(
                f"{value.value!r} cannot be replaced: {value.fixed}.", hint="Have a model do the task: deskcrew run"
            )
        new = text[len(name) + 1 :]
        if not new.strip():
            raise UsageError(f"--set {text!r} gives no value.", hint=f'For example: --set {value.name}="{value.value}"')
        chosen[value.value] = new
    return chosen


class Replacing:
    """Replaces old values by new ones. ``sets``: from :func:`read_sets`. Results are learnt as programs are run again."""

    def __init__(self, values: Sequence[Value], sets: Mapping[str, str], *, paths: Mapping[str, str] | None = None) -> None:
        """``paths``: new paths by old path, for folders such as the workspace, replaced where they are shown."""
        self._kinds = {value.value: value.kind for value in values}
        # A value that stays is in here as well, so that no result is seen inside it.
        self._constants = {value.value: sets.get(value.value, value.value) for value in values}
        self._paths = dict(paths or {})
        self._results: dict[str, str | None] = {}
        self._sources: dict[str, int] = {}

    def text(self, text: str) -> str:
        """``text`` with new constants."""
        return _swap(text, {old: _bounded(old, self._kinds[old]) for old in self._constants}, self._constants.__getitem__)

    def typed(self, text: str) -> str:
        """``text`` with new constants and results. Raises Unclear if the new value of a result in it is unknown."""
        patterns = {old: _bounded(old, "result") for old in self._results}
        patterns |= {old: _bounded(old, self._kinds[old]) for old in self._constants}

        def new(old: str) -> str:
            return self._constants[old] if old in self._constants else self._result(old)

        return _swap(text, patterns, new)

    def operation(self, operation: Operation) -> Operation:
        """An operation with new constants and results in its parameters. Raises Unclear like :meth:`typed`."""
        fields = action.params.model_fields if (action := action_of(operation)) is not None else {}
        fixed = {name for name, info in fields.items() if Fixed() in info.metadata}
        params = {name: value if name in fixed else self._param(name, value) for name, value in operation.params.items()}
        return operation.model_copy(update={"params": params})

    def code(self, text: str) -> str:
        """A program with new constants. Raises Unclear if it contains a result that has changed."""
        self._check_code(text)
        return self._program(in_python, text)

    def command(self, text: str) -> str:
        """A shell command with new constants. Raises Unclear like :meth:`code`."""
        self._check_code(text)
        return self._program(in_shell, text)

    def _program(self, inside: Callable[[str, Swap], str], text: str) -> str:
        patterns = {old: _bounded(old, self._kinds[old]) for old in self._constants}

        def swap(piece: str, written: Callable[[str], str]) -> str:
            now = self._constants
            return _swap(piece, patterns, lambda old: old if now[old] == old else written(now[old]))

        try:
            return inside(text, swap)
        except Unwritable as error:
            raise Unclear(f"the program cannot hold {str(error)!r} in the place of the value that it held") from error

    def forms(self, shown: str) -> tuple[str, ...]:
        """What a recorded name or title may be now, likeliest first.

        First with new values; then also with the new stem of a file's name; then as it was, unless it named a file that was
        replaced; and last with any number or file name in place of those that are not values (``titles.py``).
        """
        for old, new in self._paths.items():
            shown = shown.replace(old, new)
        try:
            replaced = self.typed(shown)
        except Unclear:
            replaced = self.text(shown)
        files = {old: new for old, new in self._constants.items() if self._kinds[old] == "file" and old != new}
        stems = {PurePosixPath(old).stem: PurePosixPath(new).stem for old, new in files.items()}
        stemmed = _swap(replaced, {old: _bounded(old, "file") for old in stems}, stems.__getitem__)
        renamed = any(_holds(old, "file", shown) for old in files)
        told = (replaced, stemmed) if renamed else (replaced, stemmed, shown)
        return tuple(dict.fromkeys((*told, loosen(stemmed, {*self._constants.values(), *stems.values()}))))

    def learn(self, number: int, old: str, new: str) -> None:
        """Learn results from what event ``number`` printed then (``old``), and what the same operation prints now."""
        if old.strip() == new.strip():
            new = old
        weak = _pairs(old, new)
        strong = {a.strip(): b.strip() for a, b in _lines(old, new) if a.strip() != b.strip() and len(a) <= LONGEST_RESULT}
        if old.strip() != new.strip() and len(old) <= LONGEST_RESULT:
            strong[old.strip()] = new.strip()
        for part, now in {**weak, **{k: {v} for k, v in strong.items() if k}}.items():
            self._learn_one(number, part, next(iter(now)) if len(now) == 1 else None)

    def _learn_one(self, number: int, old: str, new: str | None) -> None:
        if old in self._constants:
            return
        if old in self._results and self._results[old] != new:
            new = None
        self._results[old] = new
        self._sources[old] = number

    def _result(self, old: str) -> str:
        new = self._results[old]
        if new is None:
            said = f"{old!r} was in what event {self._sources[old]} said"
            raise Unclear(f"{said}, and its new value cannot be determined from the new output")
        return new

    def _param(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            if name not in CODE:
                return self.typed(value)
            return self.command(value) if name == "command" else self.code(value)
        if is_sequence(value):
            return [self._param(name, item) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and f"{value:g}" in self._results:
            try:
                return float(self._result(f"{value:g}").replace(",", ""))
            except ValueError as error:
                raise Unclear(f"{value:g} was a result, and what it is now is no number") from error
        return value

    def _check_code(self, code: str) -> None:
        """Raise Unclear if a program contains a result that has changed."""
        masked = _swap(code, {old: _bounded(old, self._kinds[old]) for old in self._constants}, _blank)
        for old, new in self._results.items():
            long = len(old) >= SHORTEST_IN_CODE
            if new != old and long and _holds(old, "result", masked):
                raise Unclear(f"the program holds {old!r}, which was in what event {self._sources[old]} said")


def _pairs(old: str, new: str) -> dict[str, set[str]]:
    """The words, numbers, times and dates of an old output, each with what is in its place in the new one; an empty set if
    that is unknown.

    They are compared line by line, if both have equally many lines. If a line differs in form, its numbers that no longer
    occur are unknown, and its words are left out.
    """
    pairs: dict[str, set[str]] = {}
    unknown = set[str]()
    for pattern in (_TOKEN, _JOINED):
        there = set(pattern.findall(new))
        for one_line, other_line in _lines(old, new) or [(old, new)]:
            before, after = pattern.findall(one_line), pattern.findall(other_line)
            if len(before) != len(after):
                unknown |= {one for one in before if one[0].isdigit() and one not in there}
                continue
            for one, other in zip(before, after, strict=True):
                if one[0].isdigit() or len(one) >= SHORTEST_WORD:
                    pairs.setdefault(one, set()).add(other)
    return pairs | {one: set[str]() for one in unknown}


def _lines(old: str, new: str) -> list[tuple[str, str]]:
    before, after = old.strip().splitlines(), new.strip().splitlines()
    return list(zip(before, after, strict=True)) if len(before) == len(after) else []


def _blank(old: str) -> str:
    return " "


def _bounded(value: str, kind: str) -> str:
    """A pattern for ``value`` as a whole word, number, or file name."""
    before = {"file": r"(?<![\w.-])", "result": r"(?<![\w.])(?<!\d,)"}.get(kind, r"(?<!\w)")
    after = {"file": r"(?![\w-]|\.\w)", "result": r"(?!\w|[.,]\d)"}.get(kind, r"(?!\w)")
    head = before if value[:1].isalnum() or value[:1] == "_" else ""
    tail = after if value[-1:].isalnum() or value[-1:] == "_" else ""
    return f"{head}{re.escape(value)}{tail}"


def _holds(value: str, kind: str, text: str) -> bool:
    return re.search(_bounded(value, kind), text) is not None


def _swap(text: str, patterns: Mapping[str, str], new: Callable[[str], str]) -> str:
    """Replace all patterns at once, the longest value first, so that a new value is not replaced again."""
    if not patterns:
        return text
    ordered = sorted(patterns, key=len, reverse=True)
    found = re.compile("|".join(f"({patterns[old]})" for old in ordered))
    return found.sub(lambda match: new(ordered[(match.lastindex or 1) - 1]), text)
