"""A skill as plain data: what it does, its typed parameters, how it is done, the checks that prove it, and where it
came from.

A skill is done in one of three ways. Steps are recorded operations with the recorded values in them; a parameter names one
of those values, which is replaced when the skill is used, as in a live replay. A function is Python that a crew wrote and
tested. A request goes to a web service. Functions and requests receive their parameters as data, which is never executed as
code.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import Formatter
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, JsonValue, ValidationError, model_validator

from deskcrew.actions.code import RUN_PYTHON_CODE
from deskcrew.errors import ConfigError
from deskcrew.facts.contract import Contract, Requirement, TypedCheck, name_of
from deskcrew.facts.events import DesktopKind, GoalSet, Observed, Operation, RunStarted
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Frozen, Observation
from deskcrew.facts.plan import Subtask
from deskcrew.facts.texts import file_names
from deskcrew.learning.repeating.recording import Recording, Step
from deskcrew.learning.repeating.values import Value, built_in

NAME = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
"""The form of a skill's name: as in the Agent Skills format, and beginning with a letter."""
MOST_STEPS = 200
"""The maximum number of steps: longer skills should be split, and an untrusted skill must end."""
LONGEST_NAME, LONGEST_DESCRIPTION = 40, 1024
LONGEST_NUMBER = 4000
"""The maximum number of characters of a whole number."""
IDENTIFIER = r"^[a-z][a-z0-9_]{0,39}$"
"""The form of the names of functions and parameters."""
WORKSPACE = "{workspace}"
"""Placeholder for the folder of the run that the skill came from. No real path has this form."""
PART = "1"
"""The id of the only subtask in the plan of a run that uses a skill."""


NAMES = (
    "Begin with a lower-case letter; then such letters, digits and _, 40 at most; "
    "not function, control or params, and no name of pydantic's, such as copy or schema."
)
"""The rules for parameters' names, for hints; see :func:`names_parameter`."""


def names_parameter(text: str) -> bool:
    """Whether ``text`` can name a new parameter. It must differ from ``function``, ``control`` and ``params``, which are
    beside it in replies."""
    return _names_field(text) and text not in Operation.model_fields


def is_identifier(text: str) -> bool:
    """Whether a text has the form of a function's or parameter's name."""
    return re.fullmatch(IDENTIFIER, text) is not None


def _names_field(text: str) -> bool:
    """Whether a text can name a field of a pydantic model, which has attributes such as ``copy`` and ``schema`` itself."""
    return is_identifier(text) and not hasattr(BaseModel, text)


def _parameter_name(text: str) -> str:
    if not _names_field(text):
        raise ValueError(f"{text!r} cannot name a parameter")
    return text


Kind = Literal[
    "text", "mention", "file", "files", "folder", "column", "columns", "sheet", "rows", "integer", "number", "truth", "json"
]
"""``mention``: a text that occurs in the task; ``files``: names and patterns, ``columns``: headings of a table, each
separated by commas; ``sheet``: the name of a sheet of a workbook; ``rows``: conditions for rows of a table."""
Holds = Literal["numbers", "dates", "times", "measures", "mails", "phones", "words", "keys", "codes", "gaps"]
"""What a column has in most of its rows. ``measures``: numbers, dates or times; ``keys``: a different value in each row;
``codes``: running numbers; ``gaps``: nothing in some rows."""


class Saying(Frozen):
    """How people say that they want one of a parameter's choices. ``words``: words and phrases, separated by commas; a word
    may be up to two letters longer; ``alone``: said where a value is missing, so that it names no value; ``turns``: said of
    things to take out, so that it means the opposite of any other choice; ``tells``: said only of one kind of column, so
    that no column need be named, such as "cheapest"."""

    choice: str
    words: str
    turns: bool = Field(default=False, exclude_if=lambda turns: not turns)
    alone: bool = Field(default=False, exclude_if=lambda alone: not alone)
    tells: bool = Field(default=False, exclude_if=lambda tells: not tells)


class Parameter(Frozen):
    """A value that may differ each time. ``value``: the value that the skill was recorded or tried with; ``given``: whether
    it is a file that must exist in the workspace beforehand; ``optional``: whether it may be left out, as ''; ``choices``:
    all allowed values, () for any; ``endings``: all allowed suffixes of files, () for any; ``least``: the minimum number of
    files or columns; ``holds``: what its columns must contain, None for anything; ``among``: the parameter with the column
    that it is compared with; ``said``: how people say its choices, except usual ones, or the words that are no part of a
    text; ``usual``: the choice that is meant if none is said (several said mean none), '' if there is no such choice;
    ``opposites``: pairs of opposite choices."""

    name: Annotated[str, AfterValidator(_parameter_name)]
    kind: Kind
    value: Annotated[str, Field(max_length=2000)]
    description: str = ""
    given: bool = False
    optional: bool = False
    choices: tuple[str, ...] = ()
    endings: tuple[str, ...] = Field(default=(), exclude_if=lambda endings: not endings)
    least: int = Field(default=1, exclude_if=lambda least: least == 1)
    holds: Holds | None = Field(default=None, exclude_if=lambda holds: holds is None)
    among: str = Field(default="", exclude_if=lambda among: not among)
    said: tuple[Saying, ...] = Field(default=(), exclude_if=lambda said: not said)
    usual: str = Field(default="", exclude_if=lambda usual: not usual)
    opposites: tuple[tuple[str, str], ...] = Field(default=(), exclude_if=lambda opposites: not opposites)

    @property
    def names_file(self) -> bool:
        """Whether the values are paths in the workspace. A function's parameter is a ``text`` even then, if the file
        need not exist."""
        return self.kind == "file" or (self.kind == "text" and file_names(self.value) == (self.value,))

    def read(self, given: object) -> JsonValue:
        """Convert ``given``, a value or its text, to the parameter's kind. Returns the usual choice, or None, if it is left
        out. Raises ValueError if it does not fit the kind."""
        text = str(given)
        if not text and self.optional:
            return self.usual or None
        if not text:
            raise ValueError(f"{self.name} needs a value")
        match self.kind:
            case "integer":
                if not text.strip().removeprefix("-").removeprefix("+").isdecimal() or len(text) > LONGEST_NUMBER:
                    raise ValueError(f"{self.name} is {text!r}, not a whole number")
                return int(text)
            case "number":
                try:
                    number = float(text)
                except ValueError:
                    number = math.nan
                if not math.isfinite(number):
                    raise ValueError(f"{self.name} is {text!r}, not a number")
                return number
            case "truth":
                if text.casefold() not in ("true", "false"):
                    raise ValueError(f"{self.name} is {text!r}, neither true nor false")
                return text.casefold() == "true"
            case "json":
                try:
                    return json.loads(text)
                except (ValueError, RecursionError) as error:
                    raise ValueError(f"{self.name} is {shorten(text, 60)!r}, which cannot be read as JSON") from error
            case _:
                if self.choices and text not in self.choices:
                    raise ValueError(f"{self.name} is {text!r}, not one of {', '.join(self.choices)}")
                return text


class SkillStep(Frozen):
    """One recorded operation. ``before`` and ``after``: the parts of the observations that are needed to find its control
    again and to compare its effect, None without a screen; ``held``: whether it had its intended effect."""

    operation: Operation
    intention: str = ""
    before: Observation | None = None
    after: Observation | None = None
    held: bool = True
    exit_code: int | None = None
    output: str = ""


class ExampleText(Frozen):
    """A text file that exists before an example is run."""

    path: str
    text: str = ""


class Example(Frozen):
    """One input that a function was tried on, and the expected result. ``files`` exist beforehand, with the changes that
    ``setup`` (Python code) makes to them; ``expects``: checks at the end; ``tells``: what the returned text must contain."""

    values: dict[str, str]
    files: tuple[ExampleText, ...] = ()
    setup: str = ""
    expects: tuple[TypedCheck, ...] = ()
    tells: str = ""


Script = Annotated[str, Field(pattern=r"^scripts/[a-z][a-z0-9_]*\.py$")]


class Code(Frozen):
    """One Python function. ``script``: its file in the skill's folder; ``shares``: files whose code comes before it;
    ``digest``: SHA-256 (hex) of all these files, one after the other."""

    name: Annotated[str, Field(pattern=IDENTIFIER)]
    script: Script
    shares: tuple[Script, ...] = ()
    digest: str


class Checker(Code):
    """A function that checks whether a call did what it should. Its arguments are the workspace before and after, then the
    parameters, and it shares no code with the function that it checks, but for counts in words. ``files``: paths and
    patterns that the call may change, in which ``{parameter}`` stands for a value."""

    files: tuple[str, ...] = ()


class Function(Code):
    """The Python function of a skill; if a crew made it, exactly the bytes that were tried and accepted (W17). ``ensures``:
    checks that hold after every call, in which ``{parameter}`` stands for a value; ``checker``: a function that checks more,
    None if there is none."""

    checker: Checker | None = None
    ensures: tuple[TypedCheck, ...] = ()
    examples: tuple[Example, ...] = ()
    score: int = 0
    reasons: str = ""


class RequestField(Frozen):
    """A part of a request. ``name``: its name in the request; ``parameter``: the parameter whose value it gets; if that is
    '', its value is ``text``, in which ``{{secret:NAME}}`` stands for a secret."""

    place: Literal["path", "query", "header", "cookie", "body"]
    name: str
    parameter: str = ""
    text: str = ""


HttpMethod = Literal["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]


class Request(Frozen):
    """One operation of a web service. ``address``: its URL, with ``{name}`` for variable parts of the path; ``answer``: the
    JSON Schema of a successful response, None if it is not described; ``called``: its name in the description."""

    method: HttpMethod
    address: Annotated[str, Field(pattern=r"^https?://[^/?#@]+(?:[/?].*)?$")]
    fields: tuple[RequestField, ...] = ()
    answer: dict[str, Any] | None = None
    called: str = ""


class Provenance(Frozen):
    """The origin of a skill. ``run``: '' if it comes from an OpenAPI description; ``secrets``: the names of secrets that it
    types; ``ordered``: whether its task ordered something to be sent or removed, which only a task's own words can do."""

    run: str
    task: str
    model: str = ""
    version: str = ""
    day: str = ""
    desktop: DesktopKind = "none"
    secrets: tuple[str, ...] = ()
    ordered: bool = False


class Method(Frozen):
    """How a skill is done, by ``steps``, a ``function`` or a ``request``, and what proves it: the ``goal`` and its probes'
    code (``program``). ``answer``: the recorded answer; ``asked``: ways in which people ask for it; ``told``: a sentence on
    what it does, with ``{parameter}`` for a value, and ``[a {parameter}|b]`` for ``a`` if that value is there, or ``b``."""

    format: Literal[1] = 1
    told: str = Field(default="", exclude_if=lambda told: not told)
    asked: tuple[str, ...] = Field(default=(), exclude_if=lambda asked: not asked)
    parameters: tuple[Parameter, ...] = ()
    steps: tuple[SkillStep, ...] = Field(default=(), max_length=MOST_STEPS)
    function: Function | None = None
    request: Request | None = None
    goal: GoalSet = GoalSet()
    program: str = ""
    answer: str = ""
    provenance: Provenance

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if [bool(self.steps), self.function is not None, self.request is not None].count(True) != 1:
            raise ValueError("it must have either steps, a function or a request")
        for what in ("name", "value") if self.steps else ("name",):
            given = [getattr(each, what) for each in self.parameters]
            if twice := next((each for each in given if given.count(each) > 1), None):
                raise ValueError(f"two parameters have the {what} {twice!r}")
        if self.told and sorted(_names_in(self.told)) != sorted(each.name for each in self.parameters):
            raise ValueError("its sentence (told) must name each parameter once")
        if self.steps and not all(each.value for each in self.parameters):
            raise ValueError("a parameter has no recorded value")
        operations = [step.operation for step in self.steps]
        for each in self.parameters if self.steps else ():
            if why := built_in(each.value, operations, self.program):
                raise ValueError(f"{each.value!r} cannot be the value of the parameter {each.name}: {why}")
        contract = self.goal.contract
        if self.steps and not self.goal.checks and (contract is None or not contract.standing):
            raise ValueError("it does not say what must hold when it is done")
        if contract is not None and contract.consents:
            raise ValueError("it orders something that only a person's own task can order")
        return self


def _texts(values: Mapping[str, JsonValue]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in values.items()}


def _told_with(sentence: str, values: Mapping[str, str]) -> str:
    """A sentence with values: see ``told`` of :class:`Method`."""

    def part(at: int, text: str) -> str:
        there, _, left_out = text.partition("|") if at % 2 else (text, "", "")  # every second one was in brackets
        return there if at % 2 == 0 or all(values[name] for name in _names_in(there)) else left_out

    parts = sentence.replace("]", "[").split("[")
    return "".join(part(at, text) for at, text in enumerate(parts)).format_map(values)


def _names_in(sentence: str) -> tuple[str, ...]:
    """The names of the values in a sentence."""
    return tuple(name for _, name, _, _ in Formatter().parse(sentence) if name)


def action_name(name: str) -> str:
    """The name of the action for a skill with this name."""
    return name.replace("-", "_")


class _RecordedSkill(Frozen):
    """The form in which a journal stores a skill that a run was offered."""

    name: str
    description: str
    method: Method
    digest: str
    code: str = Field(default="", exclude_if=lambda code: not code)
    checker: str = Field(default="", exclude_if=lambda code: not code)
    shipped: bool = Field(default=False, exclude_if=lambda shipped: not shipped)


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """A skill as it was read. ``digest``: SHA-256 of all files in its folder; ``code`` and ``checker``: the code of its
    function and its checker, '' if it has none; ``shipped``: whether it is part of the package; ``near``: how near
    it is to the task that it was compared with, as the logarithm of its odds against none."""

    name: str
    description: str
    method: Method
    digest: str
    code: str = ""
    checker: str = ""
    shipped: bool = False
    near: float = 0.0

    def __eq__(self, other: object) -> bool:
        # By the digest of all that it consists of: types of replies are found again by the skills of their crew.
        return isinstance(other, Skill) and (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def record(self) -> str:
        """The whole skill as JSON, to store in a journal."""
        return _RecordedSkill(
            name=self.name,
            description=self.description,
            method=self.method,
            digest=self.digest,
            code=self.code,
            checker=self.checker,
            shipped=self.shipped,
        ).model_dump_json()

    @classmethod
    def recorded(cls, text: str) -> Self:
        """Restore a skill from a journal. Raises ConfigError if this version cannot read it."""
        try:
            kept = _RecordedSkill.model_validate_json(text)
        except ValidationError as error:
            raise ConfigError("A skill of this run cannot be read: another version of Deskcrew recorded it.") from error
        return cls(kept.name, kept.description, kept.method, kept.digest, kept.code, kept.checker, kept.shipped)

    @property
    def action(self) -> str:
        """The name of the skill's action."""
        return action_name(self.name)

    def typed(self, given: Mapping[str, object]) -> JsonObject:
        """The typed values of all parameters, by name; by default the recorded ones. Raises ValueError if one is invalid."""
        return {each.name: each.read(given.get(each.name, each.value)) for each in self.method.parameters}

    def apart(self, values: JsonObject) -> tuple[JsonObject, JsonObject]:
        """Those of its typed values that its function is called with, and those that are set for its whole program, by the
        names of their variables: which sheet and rows of a table are read, of which the function knows nothing."""
        read_as = {each.name for each in self.method.parameters if each.kind in ("sheet", "rows")}
        own = {name: value for name, value in values.items() if name not in read_as}
        return own, {name.upper(): values[name] for name in sorted(read_as) if values[name]}

    def written_out(self, given: Mapping[str, object]) -> Self:
        """This skill, which has a function or a request, as a skill with one step and these values, so that it is done and
        repeated like recorded steps. Raises ValueError if a value is invalid."""
        values, method = self.typed(given), self.method
        said = _texts(values)
        values, settings = self.apart(values)
        sets = "".join(f"{name} = {value!r}\n" for name, value in settings.items())
        if method.function is not None:
            code = f"{self.code.rstrip()}\n\n\n{sets}{call_of(method.function.name, values)}\n"
            step = SkillStep(operation=RUN_PYTHON_CODE.operation(code=code), exit_code=0)
        else:
            step = SkillStep(operation=Operation(function=self.action, params=_told(method.parameters, values)))
        now = tuple(each.model_copy(update={"value": said[each.name]}) for each in method.parameters if said[each.name])
        goal, program = _filled(method.goal, said), ""
        if method.function is not None and (checker := method.function.checker) is not None:
            wanted = _checked(checker, goal, self.in_words(given), said)
            contract = goal.contract or Contract()
            goal = GoalSet(contract=contract.model_copy(update={"requirements": (*contract.requirements, wanted)}))
            call = call_of(f"return {checker.name}", values, "start", "end")
            program = f"{self.checker.rstrip()}\n\n\n{sets}def {name_of(wanted.id)}(start, end):\n    {call}\n"
        origin = method.provenance.model_copy(update={"task": method.provenance.task or self.in_words(given)})
        changes = {"parameters": now, "steps": (step,), "goal": goal, "program": program, "provenance": origin}
        return replace(self, method=method.model_copy(update=changes))

    def in_words(self, given: Mapping[str, object]) -> str:
        """What the skill does with these values, on one line. Raises ValueError if a value is invalid."""
        values = self.typed(given)
        if self.method.told:
            return _told_with(self.method.told, _texts(values))
        said = "; ".join(f"{name}: {value}" for name, value in values.items() if value is not None)
        return f"{self.description.removesuffix('.')} ({said})" if said else self.description

    @property
    def values(self) -> tuple[Value, ...]:
        """The parameters in the form that repeating a recording uses."""
        return tuple(
            Value(each.name, each.value, "file" if each.kind == "file" else "text", ()) for each in self.method.parameters
        )

    @property
    def given(self) -> frozenset[str]:
        """The recorded names of the files that must exist beforehand."""
        return frozenset(each.value for each in self.method.parameters if each.given)

    def recording(self, role: str) -> Recording:
        """The skill as a recording for a live replay. ``role``: the agent that does it."""
        blobs: dict[str, bytes] = {}

        def look(seen: Observation | None) -> Observed | None:
            if seen is None:
                return None
            data = seen.model_dump_json().encode()
            digest = hashlib.sha256(data).hexdigest()
            blobs[digest] = data
            return Observed(observation=digest)

        method, origin = self.method, self.method.provenance
        steps = tuple(
            Step(
                number=number,
                role=role,
                subtask=PART,
                operation=step.operation,
                intention=step.intention,
                before=look(step.before),
                after=look(step.after),
                held=step.held,
                exit_code=step.exit_code,
                output=step.output,
            )
            for number, step in enumerate(method.steps, 1)
        )
        return Recording(
            run=self.name,
            started=RunStarted(
                task=origin.task, crew="", model="", mode="automatic", workspace=WORKSPACE, desktop=origin.desktop
            ),
            steps=steps,
            goal=method.goal,
            subtasks=(Subtask(id=PART, goal=origin.task, role=role, status="done"),),
            answer=method.answer,
            files="",
            read_blob=blobs.__getitem__,
            program=method.program,
            words=("step", "skill"),
            sealed=self.shipped,
        )


def call_of(function: str, values: Mapping[str, Any], *names: str) -> str:
    """The Python code of a call with the variables ``names`` and then these values. Values are written as literals, so that
    their content is never executed."""
    return f"{function}({', '.join((*names, *(f'{name}={value!r}' for name, value in values.items())))})"


def filled_in(text: str, values: Mapping[str, str]) -> str:
    """``text`` with values in place of ``{parameter}``."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def _checked(checker: Checker, goal: GoalSet, says: str, values: Mapping[str, str]) -> Requirement:
    """A checker as a requirement, to be added to those of the goal."""
    there = len(goal.contract.requirements) if goal.contract is not None else 0
    paths = (filled_in(each, values).removeprefix("/") for each in checker.files)  # a folder that is left out is all of it
    return Requirement(id=str(there + 1), says=says, seen_by="probe", files=tuple(filter(None, paths)), exact=True)


def with_values(check: TypedCheck, values: Mapping[str, str]) -> TypedCheck:
    """A check with values in place of ``{parameter}``."""

    changed = {"target": filled_in(check.target, values), "text": filled_in(check.text, values)}
    return check.model_copy(update=changed)


def _filled(goal: GoalSet, values: Mapping[str, str]) -> GoalSet:
    contract = goal.contract
    if contract is None:
        return goal
    requirements = tuple(
        each.model_copy(update={"checks": tuple(with_values(check, values) for check in each.checks)})
        for each in contract.requirements
    )
    return goal.model_copy(update={"contract": contract.model_copy(update={"requirements": requirements})})


def _told(parameters: tuple[Parameter, ...], values: JsonObject) -> JsonObject:
    """The values in the form that the skill's action takes: optional values, and JSON, as text."""
    told: JsonObject = {}
    for each in parameters:
        value = values[each.name]
        as_text = each.optional or each.kind == "json"
        told[each.name] = value if not as_text else "" if value is None else json.dumps(value) if _plain(value) else value
    return told


def _plain(value: Any) -> bool:
    """Whether a value must be converted to JSON to be text: true for anything but a string."""
    return not isinstance(value, str)
