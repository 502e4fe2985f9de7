"""Hypothetical operations to test a policy with: from a command line, or from a file of cases with expected decisions.

A case describes the operation and, on the desktop, the window and control that it would act on.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from deskcrew.actions import builtin
from deskcrew.actions.action import Action, Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.beginning import Beginning
from deskcrew.environments.manifest import Manifest, ManifestEntry
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, ConfigError, UsageError
from deskcrew.facts.events import PATHS, DesktopKind, Operation
from deskcrew.facts.observation import Box, Control, ControlOperation, Frozen, Observation, Window
from deskcrew.facts.unfit import choices, fault
from deskcrew.guard.commands import ORDER
from deskcrew.guard.facets import Facets
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.patterns import normal_host
from deskcrew.guard.policy import Policy
from deskcrew.guard.policy_file import meant
from deskcrew.guard.risk import unusable
from deskcrew.guard.rules import Decision

Added = Mapping[str, Action] | None
"""Actions besides the built-in ones, by name."""
_BOX = Box(x=0, y=0, width=100, height=20)
_LABEL = "1"


class PolicyCase(Frozen):
    """One operation.

    ``control``, ``role``, ``value``: the control it acts on; ``app``, ``title``, ``dialog``: the window; ``host``: an
    additional destination; ``agent``: the role of the crew. ``there``: the files that it names existed before the run.
    ``rule``: the rule expected to decide, None: any.
    """

    action: str
    params: dict[str, Any] = Field(default_factory=dict)
    name: str = ""
    control: str = ""
    role: str = ""
    value: str | None = None
    app: str = ""
    title: str = ""
    dialog: bool = False
    clipboard: str | None = None
    agent: str = ""
    host: tuple[str, ...] = ()
    desktop: DesktopKind = "virtual"
    network: bool = False
    unsafe_host: bool = False
    there: bool = True
    expect: Decision | None = None
    rule: str | None = None

    @field_validator("host", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def title_line(self) -> str:
        """The case's title in a report."""
        said = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return self.name or f"{self.action}({said})"

    def met_by(self, decision: GuardDecision) -> bool:
        """Whether the decision is the expected one."""
        return self.expect in (None, decision.effect) and self.rule in (None, decision.rule)


def decide(policy: Policy, case: PolicyCase, folder: Path, added: Added = None) -> GuardDecision:
    """A policy's decision about a case, as in a run. ``folder``: taken as the workspace; ``added``: actions besides the
    built-in ones.

    Raises UsageError for an unknown action.
    """
    guard = Guard(policy, case.desktop)
    operation = Operation(function=case.action, control=_LABEL if case.control or case.role else None, params=case.params)
    facets = guard.assess(operation, action_named(case.action, added), _scene(case, folder), agent=case.agent)
    return guard.rule_on(operation, guard.eased(_going_to(facets, case.host)), now=None)


def if_new(
    policy: Policy, case: PolicyCase, decision: GuardDecision, folder: Path, added: Added = None
) -> GuardDecision | None:
    """The decision if the files that the case names were made by the run itself; None if it is the same as ``decision``."""
    other = decide(policy, case.model_copy(update={"there": False}), folder, added)
    return other if other.effect != decision.effect else None


def refused(case: PolicyCase, folder: Path, added: Added = None) -> str:
    """Why the operation would fail even if a policy allows it: it names a path that cannot be used; '' if it would not.
    Raises UsageError for an unknown action."""
    operation = Operation(function=case.action, params=case.params)
    return unusable(operation, action_named(case.action, added), Workspace(folder))


def action_named(name: str, added: Added = None) -> Action:
    """The action of that name, built in or ``added``. Raises UsageError that suggests the closest known name."""
    actions = builtin() | dict(added or {})
    if name not in actions:
        raise UsageError(f"There is no action {name!r}.", hint=meant(name, sorted(actions)))
    return actions[name]


def parse_params(pairs: list[str], action: Action) -> dict[str, Any]:
    """``NAME=VALUE`` pairs as parameters; for an action parameter that is a list, values are separated by commas.

    Raises UsageError for an unknown name, or a value that does not fit.
    """
    params: dict[str, str | list[str]] = {}
    fields = action.params.model_fields
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in fields:
            hint = f"NAME=VALUE, where NAME is one of: {', '.join(fields) or 'none'}."
            if equals:
                raise UsageError(f"{action.name} has no parameter {name!r}.", hint=meant(name, sorted(fields)))
            raise UsageError(f"{pair!r} is not a parameter with a value.", hint=hint)
        is_list = "tuple" in str(fields[name].annotation)
        params[name] = [part.strip() for part in value.split(",")] if is_list else value
    try:
        return action.params.model_validate(params).model_dump(exclude_unset=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{action.name}, parameter {field!r}: {first['msg']}.", hint=f"It is {action.signature()}"
        ) from error


def read_cases(path: Path, added: Added = None) -> list[PolicyCase]:
    """The cases in a file; ``added``: actions besides the built-in ones. Raises ConfigError naming file, case, field."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}.") from error
    entries: object = data.get("cases")
    if set(data) != {"cases"} or not isinstance(entries, list) or not entries:
        raise ConfigError(f"{path} is not a file of cases.", hint="It may hold only [[cases]] with action and expect.")
    return [_case(path, number, entry, added) for number, entry in enumerate(entries, 1)]  # type: ignore[reportUnknownVariableType]


def _case(path: Path, number: int, entry: Mapping[str, Any], added: Added) -> PolicyCase:
    try:
        case = PolicyCase.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        there = choices(error)
        known = there or tuple(PolicyCase.model_fields)
        word = str(first["input"]) if there else field
        known_field = field in PolicyCase.model_fields and not there
        hint = "`deskcrew docs policy` shows such a file." if known_field else meant(word, known)
        raise ConfigError(f"{path}, case {number}, field {field!r}: {fault(error)}.", hint=hint) from error
    if case.expect is None:
        raise ConfigError(f"{path}, case {number}: expect is missing.", hint='It is "allow", "ask" or "deny".')
    action_named(case.action, added)
    return case


def _scene(case: PolicyCase, folder: Path) -> Scene:
    workspace = Workspace(folder)
    sandbox = Sandbox(workspace.root, network=case.network, unsafe_host=case.unsafe_host)
    return Scene(workspace, sandbox, None, _look(case), beginning=_beginning(case, workspace) if case.there else None)


def _beginning(case: PolicyCase, workspace: Workspace) -> Beginning:
    """A workspace with the files that the case names, each with different content."""
    files: dict[str, bytes] = {}
    for name in PATHS:
        with suppress(ActionError):  # it will be refused
            if path := str(case.params.get(name) or ""):
                files[workspace.relative(workspace.resolve(path))] = f"What was in {path}.\n".encode()
    contents = {hashlib.sha256(content).hexdigest(): content for content in files.values()}
    entries = (
        ManifestEntry(path, "file", 0o644, 0, len(contents[digest]), digest=digest)
        for path, digest in zip(files, contents, strict=True)
    )
    start = Manifest((ManifestEntry("", "folder", 0o755, 0), *sorted(entries)))
    return Beginning(start, start, frozenset(), frozenset(), contents.__getitem__)


def _look(case: PolicyCase) -> Observation:
    window = Window(id=1, title=case.title or case.app, app=case.app, box=_BOX, active=True, dialog=case.dialog)
    there = window if case.app or case.title or case.dialog or case.control or case.role else None
    controls: tuple[Control, ...] = ()
    if case.control or case.role:
        role = case.role or "button"
        takes_text = any(word in role for word in ("text", "field", "entry", "terminal", "document", "combo"))
        operations: tuple[ControlOperation, ...] = ("click", "type") if takes_text else ("click",)
        made = Control(
            label=_LABEL, role=role, name=case.control, value=case.value, box=_BOX, window=1, operations=operations
        )
        controls = (made,)
    focus = _LABEL if controls else None
    return Observation(windows=(there,) if there else (), controls=controls, focus=focus, clipboard=case.clipboard)


def _going_to(facets: Facets, hosts: tuple[str, ...]) -> Facets:
    if not hosts:
        return facets
    graver = ORDER.index(facets.risk) >= ORDER.index("network")
    return replace(
        facets,
        hosts=tuple(dict.fromkeys((*facets.hosts, *map(normal_host, hosts)))),
        risk=facets.risk if graver else "network",
        apart=facets.apart or facets.risk,
        why=facets.why if graver else f"it goes to {', '.join(hosts)}",
    )
