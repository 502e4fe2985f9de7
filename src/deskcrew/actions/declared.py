"""The declaration of an action from elsewhere without its code: plain data, which a run's journal stores.

A live run, too, uses the action as declared, and its own parameter class only within its own code. So a replay from the
record alone, without the code, offers, parses and judges the same.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import Field, create_model
from pydantic.fields import FieldInfo

from deskcrew.actions.action import Action, Effect, Needs, Params, Postcondition, Result, Risk, Run, Scene, result_decides
from deskcrew.actions.params import Brief, Fillable, OneOf, Source
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, ControlOperation, Frozen

Kind = Literal["text", "integer", "number", "truth", "texts", "choice"]
_TYPES: dict[Kind, Any] = {"text": str, "integer": int, "number": float, "truth": bool, "texts": tuple[str, ...]}
_LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


class DeclaredParam(Frozen):
    """One parameter. ``default`` counts if it is not ``required``; the last three are the annotations in
    ``actions/params.py``."""

    kind: Kind
    description: str
    required: bool
    default: Any = None
    choices: tuple[str, ...] = ()
    limits: dict[str, int | float | str] = Field(default_factory=dict)
    one_of: Source | None = None
    brief: int | None = None
    fillable: bool = False

    @classmethod
    def of(cls, name: str, info: FieldInfo) -> Self:
        """The declaration of a field of a parameter class. Raises ValueError if no reply could fill it in."""
        choices = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
        plain: Kind | None = next((kind for kind, type in _TYPES.items() if type == info.annotation), None)
        kind: Kind | None = "choice" if choices else plain
        if kind is None or not all(isinstance(choice, str) for choice in choices):
            raise ValueError(f"parameter {name!r}: it must be str, int, float, bool, tuple[str, ...] or a Literal of texts")
        if not info.description:
            raise ValueError(f"parameter {name!r}: it has no description, which models are shown")
        marks: dict[Any, Any] = {type(mark): mark for mark in info.metadata}
        one_of, brief = (marks.get(kind) for kind in (OneOf, Brief))
        return cls(
            kind=kind,
            description=info.description,
            required=info.is_required(),
            default=None if info.is_required() else info.get_default(call_default_factory=True, validated_data={}),
            choices=choices,
            limits={
                limit: value
                for rule in info.metadata
                for limit in _LIMITS
                if (value := getattr(rule, limit, None)) is not None
            },
            one_of=one_of.source if one_of else None,
            brief=brief.chars if brief else None,
            fillable=Fillable in marks,
        )

    def field(self) -> tuple[Any, Any]:
        """The annotation and default of the parameter as a field of a parameter class."""
        marks = [
            *([OneOf(self.one_of)] if self.one_of else []),
            *([Brief(self.brief)] if self.brief is not None else []),
            *([Fillable()] if self.fillable else []),
        ]
        plain: Any = Literal[self.choices] if self.choices else _TYPES[self.kind]
        limits: dict[str, Any] = dict(self.limits)
        default = tuple(self.default) if self.kind == "texts" and not self.required else self.default
        field = Field(... if self.required else default, description=self.description, **limits)
        return (Annotated[plain, *marks] if marks else plain), field


def _check_params(given: object) -> None:
    """Raises ValueError if ``given`` is not a parameter class: it may come from anybody's code."""
    if not (isinstance(given, type) and issubclass(given, Params)):
        raise ValueError("params: it is not a class of parameters derived from Params")


class Declared(Frozen):
    """An action without its code."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{1,39}$")
    summary: str = Field(min_length=1)
    params: dict[str, DeclaredParam]
    risk: Risk
    effect: Effect
    needs: Needs
    control: Literal["none", "optional", "required"]
    admits: tuple[ControlOperation, ...]
    roles: tuple[str, ...]

    @classmethod
    def of(cls, action: Action) -> Self:
        """The declaration of an action. Raises ValueError, possibly pydantic's, that says what is wrong with it."""
        _check_params(action.params)
        if not callable(action.run) or not action.summary:
            raise ValueError("its function has no docstring, which models are shown")
        params = {name: DeclaredParam.of(name, info) for name, info in action.params.model_fields.items()}
        return cls(params=params, **{name: getattr(action, name) for name in cls.model_fields if name != "params"})

    def action(self, run: Run | None = None, postcondition: Postcondition = result_decides) -> Action:
        """The action with this code. ``run`` None: calling the action fails with a message that its code is missing."""

        def declared(scene: Scene, params: Any, control: Control | None) -> Result:
            if run is None:
                raise ActionError(f"The code of {self.name} is not here.")
            return run(scene, params, control)

        declared.__doc__ = self.summary  # prompts are made from it
        fields: dict[str, Any] = {name: param.field() for name, param in self.params.items()}
        params = create_model("Params", __base__=Params, **fields)
        same = {name: getattr(self, name) for name in Declared.model_fields if name not in ("summary", "params")}
        return Action(params=params, run=declared, postcondition=postcondition, **same)
