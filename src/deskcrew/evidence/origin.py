"""Provenance of texts: which files a result is based on, and what the crew wrote itself.

A crew that writes "42" and reads it back has found out nothing. A text is therefore independent evidence only if the crew
did not write it before, or if it occurs in a file that the crew did not change and from which the result was made. If a task
names files, its results must be made from these files.
"""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from deskcrew.actions import action_of, gesture_of, shell
from deskcrew.actions.action import TYPES
from deskcrew.actions.code import SHELLS
from deskcrew.environments.workspace import workspace_path
from deskcrew.errors import ActionError
from deskcrew.facts.json_values import is_object, is_sequence
from deskcrew.facts.observation import Observation
from deskcrew.facts.texts import names_file, normal, stands_in
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected, Done

ENTERS = TYPES | {"keys"}
"""Gestures that enter text in windows."""
WRITTEN = ("keys", "text", "value", "command", "part", "find", "words")
"""Parameters of built-in actions that hold text written by a model; code is parsed separately. The other parameters
name existing things, places or counts."""
_SCRIPTED = frozenset({*SHELLS, "python", "python3", "perl", "ruby", "node", "make", "source", "."})
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def inputs_of(task: str, before: Observation) -> frozenset[str]:
    """The paths of files that ``task`` names and that existed before the run."""
    there = (entry.path for entry in before.files if entry.kind == "file")
    return frozenset(path for path in there if names_file(task, path))


@dataclass(frozen=True)
class Origins:
    """The provenance of texts in one run. ``before``: its first observation; ``read`` returns the text of a workspace
    file or raises ActionError."""

    state: RunState
    before: Observation
    read: Callable[[str], str]

    @cached_property
    def inputs(self) -> frozenset[str]:
        return inputs_of(self.state.task, self.before)

    @cached_property
    def done(self) -> tuple[Done, ...]:
        """All operations that were attempted on this branch, oldest first."""
        return tuple(done for turn in self.state.turns for done in turn.done)

    def _maker(self, path: str) -> Done | None:
        """The last operation that wrote a file; None if there is none."""
        newest_first = (done for turn in reversed(self.state.turns) for done in reversed(turn.done))
        return next((done for done in newest_first if path in done.files), None)

    def supports(self, found: Collected, text: str) -> bool:
        """Whether ``found``, which contains ``text``, is a credible source for it."""
        return self._from_inputs(found) and (
            not self.written(text, until=found.number)
            or any(self._holds(path, text) for path in self._rests_on(found))
            or (found.kind == "output" and bool(self._rests_on(found)) and self._offered(text))
        )

    def foreign(self, found: Collected) -> bool:
        """Whether ``found`` was made from what the task names and has more in it than the crew's own words."""
        lines = [line for line in found.text.splitlines() if line.strip()]
        return self._from_inputs(found) and any(not self.written(line, until=found.number) for line in lines)

    def _offered(self, text: str) -> bool:
        """Whether the task itself offers ``text`` as a choice ("Ann or Bob?"). Numbers are computed, not chosen."""
        return not any(character.isdigit() for character in text) and stands_in(text, self.state.task)

    def made(self, path: str) -> bool:
        """Whether one of the crew's programs computed the content of ``path`` from files that the task names, so that
        it is not just text from the program's code."""
        maker = self._maker(path)
        if maker is None or not maker.ok or not self._is_program(maker):
            return False
        rests = self.files_of(maker)
        try:
            text = self.read(path)
        except ActionError:
            return False
        numbers = [word for word in re.findall(r"\w[\w.,]*", text) if any(character.isdigit() for character in word)]
        said = [word for word in numbers if not stands_in(word, self.state.task)] or [text]
        own = [word for word in said if self.written(word, until=maker.number)]
        worked_out = all(any(self._holds(each, word) for each in rests) for word in own)
        return worked_out and (self._among_inputs(rests) if self.inputs else bool(rests))

    def strays(self, path: str) -> str:
        """The files from which one of the crew's programs made ``path``, if the task names other files and those were
        never read; '' if there is no objection."""
        maker = self._maker(path)
        if maker is None or not self.inputs or not self._is_program(maker):
            return ""
        commands = shell.read(str(maker.operation.params.get("command") or "")).commands
        names = {word for each in commands for word in each.words[:1]}
        if not _SCRIPTED.isdisjoint(names) or any(name.startswith("./") for name in names):
            return ""  # nobody knows what a script reads
        rests = self.files_of(maker)
        known = frozenset(path for done in self.done if done.number <= maker.number for path in self.files_of(done))
        return "" if not rests or self._among_inputs(known) else ", ".join(sorted(rests))

    def written(self, text: str, *, until: int) -> bool:
        """Whether the crew wrote ``text`` itself in an operation up to event number ``until``."""
        return any(stands_in(text, words) for done in self.done if done.number <= until for words in _own_words(done))

    def files_of(self, done: Done) -> frozenset[str]:
        """The files that an operation's result is based on, traced back to files that the crew did not make."""
        action = action_of(done.operation)
        if self._is_program(done):
            reads = done.reads or self._named_in_command(done) or self._copied_from(done)
        elif done.reads or (action is not None and action.needs == "workspace"):
            reads = done.reads
        else:
            reads = self._opened(done.number)
        return frozenset(origin for path in reads for origin in self._origins(path, before=done.number))

    def _is_program(self, done: Done) -> bool:
        return self.state.given_by(done.operation) == "output"

    def _rests_on(self, found: Collected) -> frozenset[str]:
        done = next((done for done in self.done if done.number == found.number), None)
        if done is not None:
            return self.files_of(done)
        number = found.number
        return frozenset(origin for path in self._opened(number) for origin in self._origins(path, before=number))

    def _opened(self, until: int) -> tuple[str, ...]:
        """Files that were opened in a program up to an event: what the program shows or saves may come from them."""
        opened = (done for done in self.done if done.number <= until and gesture_of(done.operation) == "start")
        return tuple(path for done in opened for path in done.reads)

    def _origins(self, path: str, *, before: int) -> Iterator[str]:
        makers = [done for done in self.done if done.number < before and path in done.files]
        if not makers:
            yield path
        for maker in makers:
            yield from self.files_of(maker)

    def _from_inputs(self, found: Collected) -> bool:
        """Whether a source was made from files that the task names. Lists of files, clipboard contents and search results
        are based on no files."""
        if not self.inputs or (found.kind in ("content", "web") and not found.reads):
            return True
        if found.kind == "seen" and any(path.rpartition("/")[2] in found.text for path in self.inputs):
            return True
        return self._among_inputs(self._rests_on(found) | {*found.reads, *self._typed_from(found.number)})

    def _among_inputs(self, paths: frozenset[str]) -> bool:
        return any(wanted == path or wanted.startswith(f"{path}/") for wanted in self.inputs for path in paths)

    def _holds(self, path: str, text: str) -> bool:
        return stands_in(text, self._untouched(path))

    def _untouched(self, path: str) -> str:
        """The text of a file that the crew did not change; '' for any other."""
        if any(path in done.files for done in self.done):
            return ""
        try:
            return self.read(path)
        except ActionError:
            return ""

    def _named_in_command(self, done: Done) -> tuple[str, ...]:
        """Files that a shell command names, because the command's own reads are not recorded."""
        command = str(done.operation.params.get("command") or "")
        spoken = set(map(workspace_path, shell.read(command).words))
        made = {path for each in self.done if each.number < done.number for path in each.files}
        there = {entry.path for entry in self.before.files if entry.kind == "file"} | made
        return tuple(sorted(path for path in there if any(word and fnmatch.fnmatchcase(path, word) for word in spoken)))

    def _copied_from(self, done: Done) -> tuple[str, ...]:
        """For code that opens no file: the files read before, or named by the task, whose numbers occur in the code. Empty
        unless every number of more than one digit comes from them or from the task."""
        return self._carried(_own_words(done), before=done.number)

    def _typed_from(self, until: int) -> tuple[str, ...]:
        """The files whose numbers were typed into windows, or that a typed command from the task names: what a calculator or
        a terminal shows afterwards was made from them."""
        typed = [done for done in self.done if done.number <= until and gesture_of(done.operation) in ENTERS]
        words = [words for done in typed for words in _own_words(done)]
        commands = [said for said in words if " " in said and stands_in(said, self.state.task)]
        named = tuple(path for path in sorted(self.inputs) if any(path in said.split() for said in commands))
        return (*named, *self._carried((*words, typed_in_one(typed)), before=until))

    def _carried(self, said: Iterable[str], *, before: int) -> tuple[str, ...]:
        numbers = {number for words in said for number in NUMBER.findall(words) if len(number) > 1}
        read = [c for c in self.state.collected if c.number < before and c.kind == "content" and c.reads]
        sources = [(path, c.text) for c in read for path in c.reads]
        sources += [(path, text) for path in sorted(self.inputs) if numbers and (text := self._untouched(path))]
        known = [self.state.task, *(text for _, text in sources)]
        if not numbers or not all(any(stands_in(number, text) for text in known) for number in numbers):
            return ()
        return tuple(dict.fromkeys(path for path, text in sources if any(stands_in(number, text) for number in numbers)))


def typed_in_one(typed: Iterable[Done]) -> str:
    """Keys that were pressed one by one, joined into one text: the digits of a number may be separate operations."""
    pressed = (done.operation.params for done in typed if gesture_of(done.operation) == "keys")
    return "".join(
        "".join(key for key in each.get("keys") or () if len(key) == 1) + (each.get("text") or "") for each in pressed
    )


def _texts(value: object) -> Iterator[str]:
    """Every text and number in a value, at any depth."""
    if isinstance(value, str | int | float):
        yield str(value)
    elif is_object(value):
        for each in value.values():
            yield from _texts(each)
    elif is_sequence(value):
        for each in value:
            yield from _texts(each)


def _own_words(done: Done) -> Iterator[str]:
    """What the model itself wrote in an operation, piece by piece."""
    params = done.operation.params
    if action_of(done.operation) is None:
        # What an added action, a skill or an external tool returns is unknown: it may repeat its arguments.
        yield from (normal(text) for text in _texts(params))
        return
    for name in WRITTEN:
        if isinstance(value := params.get(name), str | int | float):
            yield normal(str(value))
    code = str(params.get("code") or "")
    if not code:
        return
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        yield code
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str | int | float):
            continue
        # A small integer in code that reads files is an index or a step, not a result.
        if not (done.reads and isinstance(node.value, int) and abs(node.value) < 10):
            yield normal(str(node.value))
