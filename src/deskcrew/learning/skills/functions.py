"""Drafts of skills that a crew writes: one Python function, the checks that it ensures, and examples that it is tried on.

Name, parameters and purpose are read only from the function, so that they cannot be stated twice and differ.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from deskcrew.actions import builtin
from deskcrew.actions.code_runner import NAME
from deskcrew.actions.executor import explain
from deskcrew.errors import CrewMistake
from deskcrew.facts.contract import OF_THE_SCREEN, Contract, Requirement, TypedCheck
from deskcrew.facts.events import GoalSet
from deskcrew.learning.skills.skill import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    NAMES,
    Example,
    ExampleText,
    Function,
    Kind,
    Method,
    Parameter,
    Provenance,
    is_identifier,
    names_parameter,
    with_values,
)

REPAIRS = 3
"""The maximum number of repairs of a function (F15)."""
INPUTS = 2
"""The minimum number of different inputs that a function must work on."""
_KINDS: Mapping[str, Kind] = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "truth",
}
DAMAGES = frozenset({
    "BadZipFile", "EmptyFileError", "InvalidFileException", "PackageNotFoundError", "ParseError", "PdfReadError",
    "PdfStreamError", "ReadError", "UnidentifiedImageError",
})  # fmt: skip
"""What the readers of workbooks, documents, PDFs, pictures and archives raise for what is none."""
KINDS = {
    **dict.fromkeys((".xlsx", ".xlsm"), "a workbook"),
    **dict.fromkeys((".docx", ".odt"), "a document"),
    **dict.fromkeys((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"), "a picture"),
    **dict.fromkeys((".zip", ".tar", ".gz", ".tgz"), "an archive"),
    ".pdf": "a PDF",
}
_ASIDE = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
"""The only statements allowed besides functions, since a script must not do anything on import."""


@dataclass(frozen=True, slots=True)
class FunctionDraft:
    """A function that may become a skill. ``recorded``: its values in the run that it is made from, None without a run."""

    code: str
    name: str
    description: str
    parameters: tuple[Parameter, ...]
    ensures: tuple[TypedCheck, ...]
    examples: tuple[Example, ...]
    recorded: Mapping[str, str] | None = None

    @classmethod
    def of(cls, reply: Mapping[str, Any], *, recorded: bool = False) -> FunctionDraft:
        """The draft in a reply. ``recorded``: whether it is made from a run. Raises CrewMistake, worded for the role that
        wrote it, if the function or its examples are invalid."""
        code = f"{str(reply['code']).strip()}\n"
        function = _function(code)
        told, descriptions = _docstring(function)
        names = [argument.arg for argument in function.args.args]
        try:
            examples = tuple(_example(each, names) for each in reply["examples"])
            ensures = tuple(TypedCheck.model_validate(each) for each in reply["ensures"])
        except ValidationError as error:
            raise CrewMistake(explain(error)) from error
        parameters = tuple(_parameter(each, descriptions, examples) for each in function.args.args)
        for number, example in enumerate(examples, 1):
            _check_values(parameters, example.values, f"example {number}")
        values = _named(reply.get("recorded") or (), names, "recorded") if recorded else None
        if values is not None:
            _check_values(parameters, values, "recorded")
        if len({example.model_dump_json(include={"values", "files", "setup"}) for example in examples}) < INPUTS:
            raise CrewMistake(f"There must be {INPUTS} examples with different inputs.")
        return cls(code, function.name, told, parameters, ensures, examples, values)

    @property
    def called(self) -> str:
        """The name of the skill."""
        return self.name.replace("_", "-")

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the code, whose bytes are both tried and kept (W17)."""
        return hashlib.sha256(self.code.encode()).hexdigest()

    def ensured(self, values: Mapping[str, str]) -> tuple[TypedCheck, ...]:
        """The checks that must hold after a call with these values."""
        return tuple(with_values(check, values) for check in self.ensures)

    def method(self, provenance: Provenance, score: int = 0, reasons: str = "") -> Method:
        """The draft as a skill's method."""
        function = Function(
            name=self.name,
            script=f"scripts/{self.name}.py",
            digest=self.digest,
            ensures=self.ensures,
            examples=self.examples,
            score=score,
            reasons=reasons,
        )
        wanted = Requirement(id="1", says=self.description, seen_by="checks", checks=self.ensures)
        goal = GoalSet(contract=Contract(requirements=(wanted,))) if self.ensures else GoalSet()
        return Method(parameters=self.parameters, function=function, goal=goal, provenance=provenance)


def refusal(output: str) -> str:
    """What a function said is wrong with its input, from the output of a call: its own code raised ValueError, as functions
    must if their input is wrong. '' for any other ending, which may be the function's fault."""
    place, _, said = f"\n{output}".rpartition("\n  File ")[2].partition("\n")
    _, raised, told = f"\n{said}".partition("\nValueError")
    if not raised or not said.strip().startswith("raise ValueError") or not place.startswith(f'"{NAME}"'):
        return ""
    return told.removeprefix(":").strip() or "its values are wrong"


def damage(output: str, reads: Sequence[str]) -> str:
    """What the output of a call says of a damaged file, which is the last of those that it ``reads``; '' if nothing."""
    raised = output.rpartition("\n")[2].partition(": ")[0].rpartition(".")[2]
    if raised not in DAMAGES or not reads:
        return ""
    return f"{reads[-1]} is damaged, or is not {KINDS.get(Path(reads[-1]).suffix.casefold(), 'what its name says')}"


def _function(code: str) -> ast.FunctionDef:
    """The only public function in the code. Raises CrewMistake if there is not exactly one, or it is not allowed."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CrewMistake(f"The code is not Python: {error}.") from error
    public: list[ast.FunctionDef] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            public += [node] if not node.name.startswith("_") else []
        elif not isinstance(node, _ASIDE) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            raise CrewMistake(f"Line {node.lineno} does something by itself: the code may only import and define.")
    if len(public) != 1:
        named = ", ".join(node.name for node in public) or "none"
        raise CrewMistake(f"The code must define one function; names of helpers begin with _. It defines: {named}.")
    function = public[0]
    given = function.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults or function.decorator_list:
        raise CrewMistake(f"{function.name} must have plain parameters without defaults, and no decorators.")
    if wrong := [each.arg for each in given.args if _annotation(each) not in _KINDS]:
        raise CrewMistake(f"The parameter {wrong[0]!r} must be annotated as one of {', '.join(_KINDS)}.")
    if wrong := [each.arg for each in given.args if not names_parameter(each.arg)]:
        raise CrewMistake(f"{wrong[0]!r} cannot name a parameter. {NAMES}")
    if not is_identifier(function.name) or len(function.name) > LONGEST_NAME or function.name in builtin():
        raise CrewMistake(f"{function.name!r} cannot be the name: small letters, digits and _, and no action's name.")
    if "__" in function.name or function.name.endswith("_"):
        raise CrewMistake(f"{function.name!r} cannot be the name: words are separated by a single _.")
    return function


def _annotation(argument: ast.arg) -> str:
    return argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""


def _docstring(function: ast.FunctionDef) -> tuple[str, dict[str, str]]:
    """A function's purpose, and the descriptions of its parameters. Raises CrewMistake if its docstring lacks them."""
    text = ast.get_docstring(function) or ""
    told = " ".join(text.split("\n\n")[0].split())[:LONGEST_DESCRIPTION]
    found = dict(re.findall(r"^\s*(\w+)(?: \([^)]*\))?: *(\S.*)$", text, re.MULTILINE))
    missing = [argument.arg for argument in function.args.args if argument.arg not in found]
    if not told or missing:
        what = f"a line for {missing[0]!r}" if told else "a sentence that says what it does"
        raise CrewMistake(f"The docstring of {function.name} lacks {what}, like `name: what it is`.")
    if len(function.body) == 1:
        raise CrewMistake(f"{function.name} does nothing.")
    return told, found


def _parameter(argument: ast.arg, descriptions: Mapping[str, str], examples: Sequence[Example]) -> Parameter:
    """A parameter of the skill. A text that names an existing file in every example becomes a file that must exist."""
    values = [example.values[argument.arg] for example in examples]
    kind = _KINDS[_annotation(argument)]
    there = [value in {file.path for file in each.files} for value, each in zip(values, examples, strict=True)]
    given = kind == "text" and all(there)
    told = descriptions[argument.arg]
    return Parameter(
        name=argument.arg, kind="file" if given else kind, value=values[0], description=told.rstrip("."), given=given
    )


def _example(given: Mapping[str, Any], names: Sequence[str]) -> Example:
    example = Example(
        values=_named(given["values"], names, "an example"),
        files=tuple(ExampleText.model_validate(each) for each in given["files"]),
        setup=str(given.get("setup") or ""),
        expects=tuple(TypedCheck.model_validate(each) for each in given["expects"]),
        tells=str(given.get("tells") or ""),
    )
    if not example.expects and not example.tells.strip():
        raise CrewMistake("An example expects nothing: give checks of its end, or what the function tells.")
    if any(check.kind in OF_THE_SCREEN for check in example.expects):
        raise CrewMistake("An example has files only, and no screen.")
    return example


def _named(given: Sequence[Mapping[str, Any]], names: Sequence[str], where: str) -> dict[str, str]:
    values = {str(each["name"]): str(each["value"]) for each in given}
    if set(values) != set(names):
        raise CrewMistake(f"{where} must give a value for each of {', '.join(names) or 'no parameter'}, and for no other.")
    return values


def _check_values(parameters: Sequence[Parameter], values: Mapping[str, str], where: str) -> None:
    for parameter in parameters:
        try:
            parameter.read(values[parameter.name])
        except ValueError as error:
            raise CrewMistake(f"{where}: {error}.") from error
