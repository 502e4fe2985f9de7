"""Narrowing: the reduced action space of one reply, as the types of the operations that are possible now, so that
constrained decoding or validation admits nothing else (C26).

One flat type per action, with fields in the order in which a model should think: which action, on which control, with which
values. Labels are tied to the action that they admit, because small models type into buttons otherwise. The types give plain
JSON schemas (enum, string, integer, number, boolean, array), because llama.cpp's grammars support no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, create_model
from pydantic.fields import FieldInfo

from deskcrew.actions import keys
from deskcrew.actions.action import ON_DESKTOP, Action
from deskcrew.actions.params import Brief, OneOf, Source
from deskcrew.facts.addresses import LONGEST as LONGEST_ADDRESS
from deskcrew.facts.addresses import PATTERN as ADDRESS
from deskcrew.facts.events import Operation
from deskcrew.facts.json_values import JsonObject, object_in
from deskcrew.facts.observation import Control, FileEntry, Observation

MOST = 40
"""Maximum number of values of an enumeration; with more, the field is free text and the executor names the valid values."""
LONGEST = 200
"""Maximum length of free text if a parameter sets no limit, and of an enumerated value."""
ITEMS = 6
"""Maximum number of a list's items if a parameter sets no limit."""
_FIXED: set[Source] = {"applications"}
"""Sources that are enumerated even with ``ahead``: no operation adds to them, and nobody could guess the names."""
_MENUS = {"menu", "menu item", "check menu item", "radio menu item", "menu button"}


class _Operation(BaseModel):
    """Base of the generated types."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def operation_types(
    actions: Iterable[Action],
    observation: Observation,
    *,
    labels: bool,
    applications: tuple[str, ...] = (),
    ahead: bool = False,
) -> list[type[BaseModel]]:
    """One type per action that can be done now, in the order given.

    ``labels`` False: the constant types of a role, with free text in place of names, so that a hosted model's cached prompt
    stays the same. Nothing is left out, and the types include the meaning of actions and parameters, which is otherwise in
    the prompt. ``applications``: what can be opened, see Desktop. ``ahead``: controls, windows and files are free text,
    since an earlier operation of the same reply may bring them up; the executor checks them.
    """
    if not labels:
        return [_broad(action) for action in actions]
    sources = _Sources(observation, applications, ahead)
    types = (_narrow(action, sources) for action in actions)
    return [made for made in types if made is not None]


def at_hand(actions: Iterable[Action], observation: Observation) -> list[Action]:
    """The actions that are worth telling a model now: while nothing is open, none that needs a window."""
    if observation.windows or observation.controls:
        return list(actions)
    sources = _Sources(observation, (), ahead=True)
    # Keys go to the window in front; to wait for a program is what may follow its start at once.
    keyless = (action for action in actions if action.gesture != "keys")
    return [action for action in keyless if action.needs not in ON_DESKTOP or sources.possible(action)]


def offered(actions: Mapping[str, Action], types: Iterable[type[BaseModel]]) -> dict[str, Action]:
    """The actions, by name, that a reply of these types can name."""
    named = {_function(kind) for kind in types}
    return {name: action for name, action in actions.items() if name in named}


def naming_controls(action: Action) -> list[str]:
    """The parameters of an action that name further controls."""
    marks = {name: _mark(info, OneOf) for name, info in action.params.model_fields.items()}
    return [name for name, mark in marks.items() if mark is not None and mark.source == "controls"]


def foresees(types: Iterable[type[BaseModel]]) -> bool:
    """Whether operations of these types may name a control that is not on the screen yet."""
    return any((field := kind.model_fields.get("control")) and field.metadata for kind in types)


def to_operation(model: BaseModel) -> Operation:
    """The operation in a reply of one of these types."""
    fields = model.model_dump()
    function, label = fields.pop("function"), fields.pop("control", None)
    return Operation(function=function, control=label or None, params={_plain(name): fields[name] for name in fields})


def from_operation(given: JsonValue, types: Iterable[type[BaseModel]]) -> JsonValue:
    """An operation's plain data in the form that its type parses; the inverse of :func:`to_operation`.

    Anything else, and an operation of none of the ``types``, is returned unchanged, for the types to reject.
    """
    if not isinstance(given, dict) or "params" not in given:
        return given
    flat: JsonObject = {_safe(name): value for name, value in object_in(given["params"]).items()}
    function, control = given.get("function"), given.get("control")
    kind = next((each for each in types if _function(each) == function), None)
    if control or (kind is not None and "control" in kind.model_fields):
        flat["control"] = control or ""
    return {"function": function, **flat}


def _function(kind: type[BaseModel]) -> str:
    """The name of the action that a type is for."""
    return str(get_args(kind.model_fields["function"].annotation)[0])


class _Sources:
    """All names that can be used, computed once per observation."""

    def __init__(self, observation: Observation, applications: tuple[str, ...], ahead: bool) -> None:
        self.ahead = ahead
        self.observation = observation
        self.applications = applications

    def controls(self, action: Action) -> list[Control]:
        admitted = set(action.admits)
        return [c for c in self.observation.controls if not admitted or admitted & set(c.operations)]

    def values(self, source: Source) -> tuple[str, ...]:
        """All values that may be named; () for any."""
        return () if self.ahead and source not in _FIXED else self.there(source)

    def there(self, source: Source) -> tuple[str, ...]:
        """All values that exist now. Empty: none are known (programs, menus, keys), or there are none."""
        look: dict[Source, Callable[[], Iterable[str]]] = {
            "files": lambda: self._files("file"),
            "entries": lambda: self._files("file", "folder", "link"),
            "folders": lambda: (".", *self._files("folder")),
            "controls": lambda: (control.label for control in self.observation.controls),
            "windows": lambda: (window.title for window in self.observation.windows),
            "applications": lambda: self.applications,
            "options": self._options,
            "menus": self._menus,
            "keys": lambda: keys.KEYS,
            "texts": tuple,
        }
        return tuple(dict.fromkeys(value for value in look[source]() if value))

    def _files(self, *kinds: str) -> Iterable[str]:
        files: tuple[FileEntry, ...] = self.observation.files
        return (entry.path for entry in files if entry.kind in kinds)

    def _options(self) -> Iterable[str]:
        """All options; none if a selectable control does not list its own."""
        able = [control for control in self.observation.controls if "select" in control.operations]
        if any(not control.options for control in able):
            return ()
        return (option for control in able for option in control.options)

    def _menus(self) -> Iterable[str]:
        """Names of menus and items, if the items are known: a closed menu does not list them."""
        shown = [control for control in self.observation.controls if control.role in _MENUS]
        if not any(control.role.endswith("item") for control in shown):
            return ()
        return (control.name for control in shown)

    def possible(self, action: Action) -> bool:
        """Whether there is anything for an action to act on."""
        observation = self.observation
        if action.needs in ON_DESKTOP and observation.screen is None and not observation.windows:
            return False
        comes = self.ahead and bool(observation.windows)  # an earlier operation of the reply may bring up what it needs
        if action.control == "required" and not comes and not self.controls(action):
            return False
        if action.control == "optional" and not observation.windows and not self.controls(action):
            return False
        if action.name == "choose_menu":
            return any(control.role in _MENUS for control in observation.controls)
        if action.name == "read_clipboard":
            return observation.clipboard != ""
        if action.name == "switch_window":
            return any(not window.active for window in observation.windows)
        marks = (_mark(info, OneOf) for info in action.params.model_fields.values())
        certain = {"files", "entries", "windows"}
        return all(self.there(mark.source) for mark in marks if mark and mark.source in certain)  # else there is nothing


def _narrow(action: Action, sources: _Sources) -> type[BaseModel] | None:
    if not sources.possible(action):
        return None
    able = None if sources.ahead else tuple(dict.fromkeys(control.label for control in sources.controls(action)))
    cells = sources.observation.sheet is not None and bool({"click", "type"} & set(action.admits))
    allowed: list[tuple[str, ...]] = []
    for info in action.params.model_fields.values():
        mark = _mark(info, OneOf)
        values = sources.values(mark.source) if mark else ()
        limit = len(keys.KEYS) if mark and mark.source == "keys" else MOST
        if not values or len(values) > limit or max(map(len, values)) > LONGEST:
            values = ()
        allowed.append(values)
    return _narrowed(action, able, tuple(allowed), cells)


@lru_cache(maxsize=256)
def _narrowed(
    action: Action, able: tuple[str, ...] | None, allowed: tuple[tuple[str, ...], ...], cells: bool
) -> type[BaseModel]:
    """The type for these labels, None for any, and these values; ``cells``: also for any address in a spreadsheet.

    Cached, because creating one takes longer than everything else in a turn together.
    """
    fields: dict[str, Any] = {}
    if able is None and action.control != "none":
        fields["control"] = _any_control(action)
    elif action.control == "required":
        fields["control"] = (_labels(able or (), cells=cells), ...)
    elif action.control == "optional" and able:
        # Required, so that a small model decides instead of forgetting it.
        fields["control"] = (_labels(("", *able), cells=cells), ...)
    elif action.control == "optional":
        fields["control"] = (_literal(("",)), "")  # a model that was shown the wide type may say so
    for (name, info), values in zip(action.params.model_fields.items(), allowed, strict=True):
        fields[_safe(name)] = _field(info, values)
    return _model(action, fields)


@lru_cache(maxsize=256)
def _broad(action: Action) -> type[BaseModel]:
    """The type that fits every observation: any label, any value."""
    fields: dict[str, Any] = {"control": _any_control(action)} if action.control != "none" else {}
    for name, info in action.params.model_fields.items():
        annotation, default = _field(info, ())
        fields[_safe(name)] = (annotation, Field(default, description=info.description))
    return _model(action, fields, told=action.summary)


def _any_control(action: Action) -> tuple[Any, Any]:
    """The annotation and default of a control that need not be listed."""
    if action.control == "required":
        return Annotated[str, Field(min_length=1, max_length=LONGEST)], ...
    return Annotated[str, Field(max_length=LONGEST)], ""


def _model(action: Action, fields: dict[str, Any], told: str | None = None) -> type[BaseModel]:
    title = "".join(word.capitalize() for word in action.name.split("_"))
    function = (_literal((action.name,)), ...)
    return create_model(title, __base__=_Operation, __doc__=told, function=function, **fields)


def _field(info: FieldInfo, values: tuple[str, ...]) -> tuple[Any, Any]:
    """The annotation and default of one parameter in a reply."""
    annotation: Any = info.annotation
    default: Any = ... if info.is_required() else info.get_default()
    limits = {key: getattr(rule, key) for rule in info.metadata for key in _RULES if hasattr(rule, key)}
    mark = _mark(info, Brief)
    longest = limits.get("max_length") or (mark.chars if mark else LONGEST)
    # However a value may be written, it may be so in a reply.
    written = _mark(info, BeforeValidator)
    if annotation is str:
        if values:
            return _literal(values if default is ... else (default, *values)), default
        free: Any = Annotated[str, Field(min_length=limits.get("min_length"), max_length=longest)]
        return (Annotated[free, written] if written else free), default
    if annotation == tuple[str, ...]:
        item = _literal(values) if values else Annotated[str, Field(max_length=mark.chars if mark else 60)]
        most = limits.get("max_length") or ITEMS
        several: Any = Annotated[list[item], Field(min_length=limits.get("min_length"), max_length=most)]
        return (Annotated[several, written] if written else several), default
    if annotation in (int, float):
        bounds = {key: limits[key] for key in ("ge", "le") if key in limits}
        return (Annotated[annotation, Field(**bounds)] if bounds else annotation), default
    return annotation, default


_M = TypeVar("_M")
_RULES = ("ge", "le", "min_length", "max_length")


def _literal(values: tuple[str, ...]) -> Any:
    return Literal[tuple(dict.fromkeys(values))]


def _labels(able: tuple[str, ...], *, cells: bool) -> Any:
    """The annotation for one of these labels or, with ``cells``, the address of cells, listed or not."""
    return _literal(able) | Annotated[str, Field(pattern=ADDRESS, max_length=LONGEST_ADDRESS)] if cells else _literal(able)


def _mark(info: FieldInfo, kind: type[_M]) -> _M | None:
    return next((mark for mark in info.metadata if isinstance(mark, kind)), None)


def _safe(name: str) -> str:
    """A name for a parameter that does not clash with our own two fields, as a foreign tool's may."""
    return f"param_{name}" if name in {"function", "control"} else name


def _plain(name: str) -> str:
    return name.removeprefix("param_") if name in {"param_function", "param_control"} else name
