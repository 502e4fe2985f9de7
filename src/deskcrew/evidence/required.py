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
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any, Self, get_args
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, model_validator

from deskcrew.environments.workspace import workspace_path
from deskcrew.errors import UsageError
from deskcrew.facts.contract import (
    OF_THE_SCREEN,
    STATES,
    Contract,
    Program,
    Requirement,
    SeenBy,
    TypedCheck,
    TypedKind,
    in_state,
)
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
_FILE = "`deskcrew docs say-what-must-hold` has one."
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
            Requirement(id="", says=f"{each.name} says yes", seen_by="checks", files=("*", *_changing(each)), program=each)
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

    Raises UsageError, which says where it is wrong.
    """
    try:
        told: Any = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        written = _Written.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{name} is not a contract: {place or 'it'}: {first['msg']}.", hint=_FILE) from error
    except ValueError as error:
        raise UsageError(f"{name} is not a contract: {error}.", hint=_FILE) from error
    return written.contract


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


class _Stated(Frozen):
    """A requirement in a contract file."""

    says: str = ""
    seen_by: SeenBy | None = None
    files: tuple[str, ...] = ()
    checks: tuple[TypedCheck | str, ...] = ()
    stays: bool = False

    def requirement(self, id: str) -> Requirement:
        checks = tuple(check_of(each) if isinstance(each, str) else _usable(each) for each in self.checks)
        says = self.says or "; ".join(each.words for each in checks)
        seen_by = self.seen_by or ("checks" if checks else "probe")
        return Requirement(id=id, says=says, seen_by=seen_by, files=self.files, checks=checks, stays=self.stays)


class _Written(Frozen):
    """A contract file. ``question``: what the user wants to be told."""

    requirements: tuple[_Stated, ...] = Field(min_length=1)
    question: str = ""

    @model_validator(mode="after")
    def _shown(self) -> Self:
        for number, each in enumerate(self.requirements, 1):
            if not each.says and not each.checks:
                raise ValueError(f"requirement {number} has neither says nor checks")
            if (each.seen_by == "checks") and not each.checks:
                raise ValueError(f"requirement {number} is to be seen by checks, and has none")
        return self

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
