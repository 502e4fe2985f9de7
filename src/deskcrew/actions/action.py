"""An action: a typed function with a risk floor, an effect class and a postcondition (COLA C18-C26).

Which roles may use an action is listed in the role's file (its ``domain``), by its name or that of its group, so that adding
a role or an action changes no other file.
Prompt text is generated from the parameters and the docstring, so that prompt and code cannot drift apart.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, Self, cast, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo

from deskcrew.actions.asked import Asked, by_name
from deskcrew.actions.params import OneOf, Source
from deskcrew.errors import ConfigError
from deskcrew.facts.events import Gives, Operation
from deskcrew.facts.observation import Control, ControlOperation, Evidence, Frozen, Observation, Sent
from deskcrew.secrets.vault import NONE, Vault

if TYPE_CHECKING:
    from deskcrew.actions.sandbox import Sandbox
    from deskcrew.environments.beginning import Beginning
    from deskcrew.environments.changes import Changes
    from deskcrew.environments.desk import Likeness
    from deskcrew.environments.environment import Desktop, MayGo
    from deskcrew.environments.search.provider import SearchProvider
    from deskcrew.environments.workspace import Workspace

Risk = Literal["read", "write", "destroy", "network", "send", "spend", "credential", "unknown"]
Effect = Literal["none", "undoable", "lasting"]
"""``none``: reads only; ``undoable``: a save point restores it; ``lasting``: it cannot be undone."""
Needs = Literal["workspace", "desktop", "programs", "browser", "points", "grounding", "sandbox", "search"]
"""What an action operates on. ``desktop``: windows with controls; ``programs`` and ``browser``: windows of that kind;
``points``: points of their picture; ``grounding``: a model that finds such points; ``search``: a web search service."""
Group = Literal["windows", "pages", "transfers", "points", "files", "code"]
"""What a role's ``domain`` may name instead of each action. ``transfers``: files that a page is given or gives."""
_GROUPS: Mapping[Needs, Group] = {
    "desktop": "windows", "browser": "pages", "points": "points", "grounding": "points",
    "workspace": "files", "sandbox": "code",
}  # fmt: skip
Gesture = Literal[
    "press", "point", "type", "set", "keys", "choose", "menu", "drag", "upload", "scroll", "hover", "look", "wait",
    "clipboard", "start", "open", "back", "switch", "close",
]  # fmt: skip
"""What is done on a screen. ``press``: a control, ``point``: a point of the picture, with the mouse; ``type`` and ``set``:
text or a number is entered in a field; ``keys``: keys are pressed; ``look``: the screen or page is read; ``start``: a
program, ``open``: an address; ``back``: back or forward among visited pages; ``switch`` and ``close``: a window."""
PRESSES = frozenset[Gesture]({"press", "point"})
TYPES = frozenset[Gesture]({"type", "set"})
LOOKS = frozenset[Gesture]({"look", "wait", "scroll", "hover"})
"""Gestures that leave a page as it was."""
ON_DESKTOP = frozenset[Needs]({"desktop", "programs", "browser", "points", "grounding"})


class Params(BaseModel):
    """Base of every action's parameters: immutable, unknown fields refused, each field with a description."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Result(Frozen):
    """What an action returned. ``text`` is complete; a display that shortens it says so."""

    ok: bool
    text: str = ""
    error: str = ""
    exit_code: int | None = None
    reads: tuple[str, ...] = ()
    """Workspace files that the result is based on."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything an action may use. ``observation``: the last one, to which the operation's label refers; ``vault``: the
    secrets of the run; ``search``: the web search service, ``likeness``: compares meanings, each None if unavailable.
    ``settle``: decides whether a program's changes may be applied to the workspace, and returns why not, worded for the
    model; None: all may. ``sends``: decides the same about what pages want to send; ``may_go``: decides at once about what
    needs no approval. ``hidden``: returns the paths that programs must not see. ``beginning``: the files as they were before
    the run, None if unknown. ``typed``: what the run has typed so far, folded; ``shown``: how many characters of a result
    are shown to its reader."""

    workspace: Workspace
    sandbox: Sandbox
    desktop: Desktop | None
    observation: Observation
    vault: Vault = NONE
    search: SearchProvider | None = None
    likeness: Likeness | None = None
    settle: Callable[[Changes], str] | None = None
    sends: Callable[[tuple[Sent, ...]], str] | None = None
    may_go: MayGo | None = None
    hidden: Callable[[], tuple[str, ...]] = tuple
    beginning: Beginning | None = None
    typed: tuple[str, ...] = ()
    shown: int = 4000

    @property
    def room(self) -> int:
        """How many characters of a text can be shown, leaving room for the notes on it."""
        return self.shown - 200


class Finding(Frozen):
    """The result of a postcondition. ``held``: whether the operation did what it was meant to; None: rules cannot tell."""

    held: bool | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """Everything a postcondition may look at."""

    params: Any
    control: Control | None
    before: Observation
    after: Observation
    evidence: Evidence
    result: Result


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What an action sends to a web service, as the guard sees it. ``address``: '' for a program on this machine;
    ``called``: its name in the service's description; ``texts``: what is sent; ``why``: an explanation for a person, if
    method and address are not enough."""

    method: str
    address: str
    called: str
    texts: tuple[str, ...] = ()
    why: str = ""


_LIKE = 'Like this: def rate(currency: Annotated[str, "like EUR"]) -> str, with a docstring that says what it does.'
Run = Callable[[Scene, Any, Control | None], Result]
Postcondition = Callable[[Happening], Finding]


def result_decides(happening: Happening) -> Finding:
    """The postcondition of actions whose result says whether they succeeded."""
    return Finding(held=happening.result.ok, why=happening.result.error)


@dataclass(frozen=True, slots=True)
class Action:
    """A typed function that a role can request.

    ``control``: whether it acts on a control; ``admits``: the operations of which that control must admit one. ``run`` is
    blocking; it raises ActionError for what the model can correct.
    """

    name: str
    params: type[Params]
    run: Run
    risk: Risk
    effect: Effect
    needs: Needs
    control: Literal["none", "optional", "required"] = "none"
    admits: tuple[ControlOperation, ...] = ()
    postcondition: Postcondition = field(default=result_decides)
    roles: tuple[str, ...] = ()
    """Roles that may use it, besides those whose file names it: only of actions from elsewhere (``actions/added.py``). The
    ``domain`` in a role's file, which runs record, is all that gives it a built-in one."""
    group: Group | Literal[""] | None = None
    """The group of a built-in one; None: that of what it needs; '': only a ``domain`` that has its own name includes it."""
    outgoing: Callable[[Any], Outgoing] | None = None
    """Returns what it sends to a web service with these parameters, or raises ActionError; None: it sends nothing."""
    loses: Callable[[Workspace, Any, Beginning], Changes] | None = None
    """Returns the files that would be lost with these parameters, raising ActionError if it will be refused; None: it loses
    none, or its losses are determined before its changes are applied."""
    gesture: Gesture | None = None
    """What it does on a screen; None: nothing, or something unknown, about which others are careful."""
    gives: Gives | None = None
    """What its result contains; None: only that it was done."""
    onward: str = ""
    """How a model gets the rest of a result of which only the beginning is shown."""
    writes: tuple[str, ...] = ()
    """The parameters that name what it creates or changes; ``removes``: the parameters that name what it removes."""
    removes: tuple[str, ...] = ()
    worded: Callable[[Asked], str] = by_name
    """Describes the operation for a person: ``Click "Save" in Letter``."""

    @classmethod
    def of(
        cls,
        function: Callable[..., object],
        *,
        risk: Risk = "write",
        effect: Effect = "undoable",
        needs: Needs = "workspace",
    ) -> Self:
        """An action from a plain function. Models see its name, the first paragraph of its docstring and its parameters,
        each with the annotation beside its type, ``Annotated[str, "a currency, like EUR"]``. Its return value is the result.
        A parameter of type :class:`Scene` receives what an action may use. Raises ConfigError if it cannot be one."""
        if not callable(function):
            raise ConfigError(f"{function!r} is neither a function nor an action.", hint=_LIKE)
        for what, given, there in (("risk", risk, Risk), ("effect", effect, Effect), ("needs", needs, Needs)):
            if given not in get_args(there):
                raise ConfigError(
                    f"{given!r} is no value of {what}.", hint=f"Give one of these: {', '.join(get_args(there))}."
                )
        name, fields, scenes = str(getattr(function, "__name__", function)), dict[str, Any](), list[str]()
        try:
            types = get_type_hints(function, include_extras=True)
            params = inspect.signature(function).parameters
        except (NameError, TypeError, ValueError) as error:
            raise ConfigError(f"The types of {name} cannot be read: {str(error).rstrip('.')}.", hint=_LIKE) from error
        if inspect.iscoroutinefunction(function):
            raise ConfigError(
                f"{name} is async, which an action cannot be.",
                hint="Use a blocking function: it runs in a thread of its own.",
            )
        for each, param in params.items():
            if (type_ := types.get(each)) is Scene:
                scenes.append(each)
                continue
            if type_ is None or param.kind in (param.VAR_POSITIONAL, param.VAR_KEYWORD, param.POSITIONAL_ONLY):
                raise ConfigError(f"The parameter {each!r} of {name} has no type that a model could fill in.", hint=_LIKE)
            beside = getattr(type_, "__metadata__", ())
            words = next((word for word in beside if isinstance(word, str)), each.replace("_", " "))
            default = ... if param.default is param.empty else param.default
            described = any(getattr(mark, "description", None) for mark in beside)
            fields[each] = (type_, default if described else Field(default, description=words))

        @wraps(function)
        def run(scene: Scene, params: Any, control: Control | None) -> Result:
            given = {each: getattr(params, each) for each in fields} | dict.fromkeys(scenes, scene)
            result = function(**given)
            return result if isinstance(result, Result) else Result(ok=True, text="" if result is None else str(result))

        made = create_model("Params", __base__=Params, **fields)
        return cls(name, made, cast("Run", run), risk, effect, needs)

    @property
    def in_group(self) -> str:
        """Its group, '' if it is in none."""
        return _GROUPS.get(self.needs, "") if self.group is None else self.group

    @property
    def learnt(self) -> bool:
        """Whether its result contains values that differ when it is repeated with other parameters."""
        return self.gives is not None and self.gives != "web"

    @property
    def summary(self) -> str:
        """The first paragraph of the function's docstring, which describes the action in prompts."""
        return inspect.cleandoc(self.run.__doc__ or "").split("\n\n")[0].replace("\n", " ")

    def naming(self, source: Source) -> tuple[str, ...]:
        """The parameters whose values are names from this source."""
        fields = self.params.model_fields.items()
        return tuple(name for name, info in fields if OneOf(source) in info.metadata)

    def operation(self, control: str | None = None, **params: object) -> Operation:
        return Operation(function=self.name, control=control, params=params)

    def signature(self) -> str:
        """One line for a prompt, e.g. ``click_input(control, button=left|right|middle, double=false)``."""
        words = ["control"] if self.control != "none" else []
        for name, info in self.params.model_fields.items():
            if choices := _choices(info):
                words.append(f"{name}={'|'.join(choices)}")
            else:
                words.append(name if info.is_required() else f"{name}={str(info.default).lower()}")
        return f"{self.name}({', '.join(words)})"

    def explained(self) -> str:
        """The meaning of each parameter, one indented line each, to follow the signature; '' without parameters."""
        lines: list[str] = []
        for name, info in self.params.model_fields.items():
            default = f" Default: {info.default}." if _choices(info) and not info.is_required() else ""
            lines += [f"\n  {name}: {info.description}{default}"] if info.description else []
        return "".join(lines)


def _choices(info: FieldInfo) -> tuple[str, ...]:
    """The possible values of a parameter; () if it is not an enumeration of strings."""
    choices = getattr(info.annotation, "__args__", ())
    return choices if all(isinstance(choice, str) for choice in choices) else ()
