"""What a user requires: typed checks (``file_contains report.txt 348``), programs, or a whole contract from a file.

The first two are a contract of their own, or are added to the contract that a model writes: what the user requires is never
reworded. ``run --require``, ``--check`` and ``--contract`` give it, and the same in Python, on the page and in schedules.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tomllib
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Annotated, Self, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from deskcrew.environments.workspace import workspace_path
from deskcrew.errors import UsageError
from deskcrew.facts.contract import (
    OF_THE_SCREEN,
    SEEN_BY,
    STATES,
    Contract,
    Program,
    Requirement,
    SeenBy,
    TypedCheck,
    TypedKind,
    in_state,
)
from deskcrew.facts.json_values import JsonObject, is_list, is_object
from deskcrew.facts.legible import one_line
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.observation import Frozen

KINDS: tuple[TypedKind, ...] = get_args(TypedKind)
_WITHOUT_TEXT = frozenset({"file_exists", "file_absent", "program_runs"})
_OF_LINES = frozenset({"file_replaced", "names_are"})
"""Kinds whose text is of several lines: on a command line each of its words is one."""
_NEVER_EMPTY = frozenset({"file_contains", "file_lacks", "file_appended", "same_as", "window_shows"})
CHANGES = "# changes:"
"""The beginning of a line in a program that names existing files which may change."""
_EXAMPLE = "file_contains report.txt 348"
_PROGRAM = "Name a program that ends in .py or begins with a line such as #!/bin/sh, and whose exit code is 0 if all holds."
_SHELLS = ("sh", "bash", "dash")
_FILE = "`deskcrew docs say-what-must-hold` shows a contract."
_BEGINS = 'It begins with [[requirements]] in TOML, and with {"requirements": [ in JSON.'
MOST = 3
"""The number of faults of a contract that are told at once."""
_RIGHT = {
    "requirements": "a list with at least one requirement",
    "question": "a sentence",
    "says": "a sentence",
    "seen_by": f"one of {', '.join(SEEN_BY)}",
    "files": 'a list of paths, such as ["report.txt"]',
    "checks": f'a list, such as ["{_EXAMPLE}"]',
    "stays": "true or false",
    "kind": f"one of {', '.join(KINDS)}",
    "target": "a text",
    "text": "a text",
}
"""What would be right in the fields of a contract file."""
_ONE = {
    "requirements": 'several fields, such as {"says": "The report has the total"}',
    "files": "a path",
    "checks": f'a text such as "{_EXAMPLE}", or its fields kind, target and text',
}
"""What would be right as a part of a list in it."""
LONGEST = 64 << 10
"""Maximum size of a program or contract, in bytes."""


def check_of(stated: str) -> TypedCheck:
    """The check in ``KIND TARGET [TEXT]``, quoted as in a shell. The clipboard has no target.

    Raises UsageError, with a hint, if it cannot be read or its kind is unknown.
    """
    try:
        kind, *words = shlex.split(stated) or [""]
    except ValueError as error:
        raise UsageError(f"The requirement {stated!r} cannot be read: {error or 'it is empty'}.", hint=_kinds()) from error
    known: TypedKind | None = next((each for each in KINDS if each == kind), None)
    if known is None:
        raise UsageError(f"{kind!r} is not a kind of requirement.{did_you_mean(kind, KINDS)}", hint=_kinds())
    target, *rest = ["", *words] if known == "clipboard_holds" else words or [""]
    if not target and known != "clipboard_holds":
        raise UsageError(f"The requirement {stated!r} names nothing to look at.", hint=f"For example: '{_EXAMPLE}'")
    if bool(rest) == (known in _WITHOUT_TEXT):
        wants = "takes no text" if rest else "needs a text after what it looks at"
        raise UsageError(f"{known} {wants}: {stated!r}.", hint=f"For example: '{_EXAMPLE}'")
    return _usable(TypedCheck(kind=known, target=target, text=("\n" if known in _OF_LINES else " ").join(rest)))


def _usable(check: TypedCheck) -> TypedCheck:
    """The check, if it can be evaluated at all. Raises UsageError, with an example, if not."""
    old, between, new = check.text.partition("\n")
    paths = () if check.kind in OF_THE_SCREEN else (check.target, *((check.text,) if check.kind == "same_as" else ()))
    outside = next((path for path in map(workspace_path, paths) if path != "/" and _leads_out(path)), "")
    if outside:
        wrong, example = f"looks only into the workspace, not at {outside}", "file_exists reports/june.txt"
    elif check.kind in _NEVER_EMPTY and not check.text.strip():
        wrong, example = "needs a text that is not empty", _EXAMPLE
    elif check.kind == "file_replaced" and (not old or not between or "\n" in new.removesuffix("\n")):
        wrong, example = "needs two texts, the old and the new one", 'file_replaced note.txt "Ann Lee" "Bob Ray"'
    elif check.kind == "value_is" and not check.target.partition("#")[2].strip():
        wrong, example = "needs an address after the file's name", "value_is sales.xlsx#Sheet1!B2 348"
    elif check.kind == "control_is" and in_state(check.text)[0] not in STATES:
        wrong, example = f"needs one of these states: {', '.join(sorted(STATES))}", 'control_is "I agree" "not checked"'
    elif check.kind == "page_at" and not urlsplit(check.text.strip()).scheme:
        wrong, example = "needs a whole address", "page_at Shop https://shop.example/cart"
    else:
        return check
    raise UsageError(f"{check.kind} {wrong}: {check.target} {check.text!r}.", hint=f"For example: '{example}'")


def _leads_out(path: str) -> bool:
    return path.startswith("/") or ".." in PurePath(path).parts


def program_of(text: str, name: str) -> Program:
    """A program of the user's: Python, or for the interpreter in its first line. Raises UsageError if it could never say
    yes: its interpreter is missing, or cannot read it."""
    by = text.partition("\n")[0][2:].split() if text.startswith("#!") else ["python3"] if name.endswith(".py") else []
    if not by:
        raise UsageError(f"{name} does not say what runs it.", hint=_PROGRAM)
    if any(PurePath(word).name.startswith("python") for word in by[:2]):
        _read_by_python(text, name)
    else:
        _read_by(by, text, name)
    return Program(name=name, text=text)


def _read_by_python(text: str, name: str) -> None:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise UsageError(f"{name} is not a Python program: line {error.lineno}: {error.msg}.", hint="Correct it.") from error
    except ValueError as error:
        raise UsageError(f"{name} is not a Python program: {error}.", hint="Correct it.") from error


def _read_by(by: list[str], text: str, name: str) -> None:
    """Check that a program's interpreter exists and, if it is a shell, can read the program. Raises UsageError if not."""
    words = [word for word in by[1:] if not word.startswith("-") and "=" not in word] if by[0].endswith("/env") else by
    found = shutil.which(words[0]) if words else None
    if found is None:
        raise UsageError(f"{name} is run by {' '.join(by)}, which is not installed.", hint=_PROGRAM)
    if PurePath(found).name in _SHELLS:
        read = subprocess.run([found, "-n"], input=text, capture_output=True, text=True, check=False)
        if read.returncode:
            raise UsageError(f"{name} is not a program for {words[0]}: {read.stderr.strip()}.", hint="Correct it.")


def contract_of(checks: Sequence[TypedCheck], programs: Sequence[Program] = ()) -> Contract | None:
    """The contract that consists of these checks and programs; None if there are none. With a program, new files are
    allowed, and so are changes of the existing files that it names (``# changes: a.csv, b.csv``)."""
    stated = [
        *(Requirement(id="", says=check.words, seen_by="checks", checks=(check,)) for check in checks),
        *(
            Requirement(id="", says=f"{each.name} passes", seen_by="checks", files=("*", *_changing(each)), program=each)
            for each in programs
        ),
    ]
    return Contract(requirements=_numbered(stated), by="user") if stated else None


def _changing(program: Program) -> Iterator[str]:
    """The files that a program says may change."""
    for line in program.text.splitlines():
        if line.startswith(CHANGES):
            yield from filter(None, (path.strip() for path in line.removeprefix(CHANGES).split(",")))


def contract_in(text: str, name: str) -> Contract:
    """The contract in TOML or JSON, which says all that must hold. ``name``: the name of its file, for errors.

    Raises UsageError, which says what is wrong with which requirement, and what would be right.
    """
    kind, read = ("JSON", json.loads) if text.lstrip().startswith("{") else ("TOML", tomllib.loads)
    try:
        told: JsonObject = read(text)
    except ValueError as error:
        raise UsageError(
            f"{name} is not a contract: as {kind} it cannot be read ({error}).", hint=f"{_BEGINS} {_FILE}"
        ) from error
    try:
        return _Written.model_validate(told).contract
    except ValidationError as error:
        every = error.errors(include_url=False)
        # Where no requirement is valid, their list counts as empty, too.
        first = [each for each in every if each["type"] != "too_short"][:MOST] or every
        faults = " ".join(_fault(each["loc"], each["type"], each["input"], each["msg"], told) for each in first)
        raise UsageError(f"{name} is not a valid contract. {faults}", hint=_FILE) from error


def _fault(place: Sequence[int | str], kind: str, given: object, said: str, told: JsonObject) -> str:
    """A fault of a contract in a sentence, with the requirement that has it and what would be right. ``kind``, ``said``: of
    the error that pydantic found."""
    where = _where(place, told)
    if kind == "value_error":
        return f"{where}: {said.removeprefix('Value error, ').removesuffix('.')}."
    if not isinstance(name := place[-1], str):
        return f"{where} is {_shown(given)}, but must be {_ONE[str(place[-2])]}."
    if kind == "extra_forbidden":
        fields = (_Written, _Stated, TypedCheck)[len(place) // 2].model_fields
        return f"{where}: there is no field {name!r}.{did_you_mean(name, fields)} The fields are {', '.join(fields)}."
    if kind == "missing":
        return f"{where}: the field {name!r} is missing; it must be {_RIGHT[name]}."
    meant = did_you_mean(str(given), (*KINDS, *SEEN_BY)) if kind == "literal_error" else ""
    return f"{where}: {name!r} is {_shown(given)}, but must be {_RIGHT[name]}.{meant}"


def _where(place: Sequence[int | str], told: JsonObject) -> str:
    """The requirement at a place in a contract, and the check in it; else the contract itself."""
    if len(place) < 2 or not isinstance(number := place[1], int):
        return "The contract"
    wanted = told["requirements"]
    one = wanted[number] if is_list(wanted) else None
    says = one.get("says") if is_object(one) else None
    parts = [f"Requirement {number + 1}{f' ({_shown(says)})' if says and isinstance(says, str) else ''}"]
    if len(place) > 3 and isinstance(item := place[3], int):
        parts.append(f"{'check' if place[2] == 'checks' else 'file'} {item + 1}")
    return ", ".join(parts)


def _shown(given: object) -> str:
    return one_line(json.dumps(given, ensure_ascii=False, default=str), 100)


def required_contract(
    require: Sequence[str] = (), check: Sequence[Path] = (), contract: Path | None = None
) -> Contract | None:
    """What a user requires in these three ways; None if nothing. Raises UsageError if one of them cannot be read."""
    programs = [program_of(_text(path), path.name) for path in check]
    named = contract_of([check_of(each) for each in require], programs)
    return named if contract is None else with_required(contract_in(_text(contract), str(contract)), named)


def _text(path: Path) -> str:
    """The text of a file of the user's. Raises UsageError if it cannot be read or is too long."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST + 1).decode()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", hint="Name a file that is there.") from error
    except ValueError as error:
        raise UsageError(f"{path} is not text.", hint="Name a program as text, such as a script.") from error
    if len(text.encode()) > LONGEST:
        raise UsageError(f"{path} is longer than {LONGEST // 1024} KiB.", hint="Name a shorter one.")
    return text


def _read(given: object) -> object:
    """A check of a contract file, which may be in one text."""
    with _invalid():
        return check_of(given) if isinstance(given, str) else given


def _evaluable(check: TypedCheck) -> TypedCheck:
    with _invalid():
        return _usable(check)


@contextmanager
def _invalid() -> Generator[None]:
    """A context whose UsageErrors are faults of a contract, like those that pydantic finds."""
    try:
        yield
    except UsageError as error:
        raise ValueError(error.whole) from error


class _Stated(Frozen):
    """A requirement in a contract file."""

    says: str = ""
    seen_by: SeenBy | None = None
    files: tuple[str, ...] = ()
    checks: tuple[Annotated[TypedCheck, BeforeValidator(_read), AfterValidator(_evaluable)], ...] = ()
    stays: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.says and not self.checks:
            raise ValueError("it needs 'says', a sentence, or 'checks', such as [\"file_contains report.txt 348\"]")
        if self.seen_by == "checks" and not self.checks:
            raise ValueError("it is to be seen by checks, and has none; give some, or leave 'seen_by' out")
        return self

    def requirement(self, id: str) -> Requirement:
        says = self.says or "; ".join(each.words for each in self.checks)
        seen_by = self.seen_by or ("checks" if self.checks else "probe")
        return Requirement(id=id, says=says, seen_by=seen_by, files=self.files, checks=self.checks, stays=self.stays)


class _Written(Frozen):
    """A contract file. ``question``: what the user wants to be told."""

    requirements: tuple[_Stated, ...] = Field(min_length=1)
    question: str = ""

    @property
    def contract(self) -> Contract:
        wanted = [each.requirement(str(number)) for number, each in enumerate(self.requirements, 1)]
        if self.question and not any(each.seen_by == "answer" for each in wanted):
            says = f"The user is told: {self.question}"
            wanted.append(Requirement(id=str(len(wanted) + 1), says=says, seen_by="answer"))
        question = self.question or next((each.says for each in wanted if each.seen_by == "answer"), "")
        return Contract(requirements=_numbered(wanted), question=question, by="user", whole=True)


def _numbered(requirements: Sequence[Requirement], first: int = 1) -> tuple[Requirement, ...]:
    stated = {"stated": True}
    return tuple(each.model_copy(update=stated | {"id": str(number)}) for number, each in enumerate(requirements, first))


def with_required(contract: Contract, required: Contract | None) -> Contract:
    """A written contract, followed by what the user requires. If its writer words a question, that one is used."""
    if required is None:
        return contract
    left = [each for each in required.requirements if not contract.question or each.seen_by != "answer"]
    added = _numbered(left, len(contract.requirements) + 1)
    question = contract.question or required.question
    return contract.model_copy(update={"requirements": (*contract.requirements, *added), "question": question})


def _kinds() -> str:
    return f"There are: {', '.join(KINDS)}. For example: '{_EXAMPLE}'"
