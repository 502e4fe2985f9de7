"""A role is one Markdown file: front matter and a strict template. Adding an agent to the pool means adding one file.

Files are looked up in the project's ``.deskcrew/roles``, then in the user's folder, then among the built-in ones; the
first with a given name wins.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from jinja2 import Environment, StrictUndefined, Template, TemplateError, meta
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskcrew.actions import builtin, groups
from deskcrew.engine.roles.descriptions import Description, descriptions_in
from deskcrew.engine.roles.role_kinds import KINDS, KindName
from deskcrew.errors import ConfigError
from deskcrew.facts.json_values import list_in
from deskcrew.facts.messages import EVERYBODY
from deskcrew.facts.unfit import fault
from deskcrew.learning.skills import front_matter
from deskcrew.settings import read_config

ZONES = ("stable", "task", "memory", "volatile")
BUILTIN = Path(__file__).parent / "builtin"

PROTOCOL: dict[str, frozenset[KindName]] = {
    key: frozenset(name for name, kind in KINDS.items() if key in kind.reads.split())
    for key in dict.fromkeys(key for kind in KINDS.values() for key in kind.reads.split())
}
"""The kinds of roles that may read each key; enforced only here, for a role's ``reads``."""

ALWAYS = frozenset({"actions", "reply", "crew", "profile", "free_text", "agreed"})
"""Template variables that are not keys of the protocol: the role's actions, the description of its reply, the crew's
settings, the model's profile, how much reasoning its reply contains, and whether there is a contract."""


GONE = {"profile.reasons": "true", "clauses": "''"}
"""Variables of recorded templates that no longer exist, each with the value that replaces it."""
_GONE = re.compile(r"\bprofile\.reasons\b|\bclauses\b")
Reported = Literal["observation", "information", "answer", "analyze"]
"""Fields that only some roles' replies have, and that other roles may be told."""
Extra = Literal[Reported, "delegate", "expect", "needs", "type", "changes", "score", "adjust"]
"""Fields that a role's reply may have in addition to those of its kind."""
EXTRA: Mapping[str, tuple[Extra, ...]] = {
    "plan": ("expect", "needs", "type", "changes"),
    "check": ("observation", "score", "adjust"),
    "decision": ("observation", "information", "answer", "analyze", "delegate"),
}
"""The additional fields by kind of role; other kinds have none."""


class RoleHead(BaseModel):
    """The front matter of a role file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9]{1,39}$")
    kind: KindName
    joins: bool = True
    """Whether ``"*"`` in a crew's pool includes it. If not, it is only in crews that name it."""
    skills: str = ""
    """What the role can do, for the planner and the task scheduler; required for a decision agent."""
    further: dict[str, str] = Field(default_factory=dict)
    """Further skills, each by the action that the run must offer for it."""
    makes: str = ""
    """What the role can make, as planners and schedulers are told."""
    domain: tuple[str, ...] = ()
    """Names of the actions it may use: its action space (COLA table 3). The name of a group, such as ``pages``, stands for
    all its built-in actions, of which ``-NAME`` takes one out again; runs record their names."""
    needs: tuple[str, ...] = ()
    """Actions of the domain that it cannot work without: if the run does not offer all of them, it is left out of the
    pool."""
    services: bool = False
    """Whether it is offered operations of web services that are kept as skills, even if it runs no code (F17)."""
    reads: tuple[str, ...] = ()
    fields: tuple[Extra, ...] = ()
    """The additional fields of its replies (:data:`EXTRA`). Agents: some of C14's fields. Planners: for each subtask the
    state that should hold after it (``expect``, A2), the subtasks that must be done before it (``needs``, F1) and its
    ``type`` (F2); and ``changes`` to single subtasks instead of a new plan. Checkers: an ``observation``, a ``score`` for
    Python code (F13), and a verdict that the rest of the plan be ``adjust``\\ ed (M4)."""
    type: str = ""
    """The type of subtasks that the agent does, if planners give types (F2)."""
    amends: str = ""
    """The agent whose rejected subtasks it continues (FRIDAY's refiner, F15); '' if none."""
    hears: dict[Reported, tuple[str, ...]] = Field(default_factory=dict[Reported, tuple[str, ...]])
    """The reports of other roles that it is told (M7): for each field of replies, from which roles; ``"*"``: from all
    others. Shown as ``reported``."""
    short_term: int = Field(6, ge=0)
    """How many of its own latest replies it is shown (m; C30). Models that can read much are shown all of them, up to half
    of their context, except if the crew groups subtasks as COLA does."""
    long_term: int | None = Field(None, ge=0)
    """How many episodes from its own earlier runs it is shown (n; C30). None: 2 for a decision agent, 3 for any
    other."""
    max_tokens: int = Field(400, ge=16)
    batch: int = Field(99, ge=1)
    """Maximum number of operations in one of its decisions; its crew may allow fewer."""
    model: str | None = None

    def hears_of(self, key: str, name: str) -> bool:
        """Whether this role is told what the role ``name`` reports in the field ``key`` of its replies."""
        whose = cast("dict[str, tuple[str, ...]]", self.hears).get(key, ())
        return name in whose or (EVERYBODY in whose and name != self.name)

    @property
    def episodes(self) -> int:
        """The number of episodes to recall, n of C30."""
        return self.long_term if self.long_term is not None else 2 if self.kind == "decision" else 3


class Role(RoleHead):
    """A role file, loaded. ``sections``: template text by zone; ``digest``: SHA-256 of ``text``."""

    sections: dict[str, str]
    digest: str
    path: str
    text: str
    """The text of the whole file, with the names of all actions in its ``domain``. A run records it, so that it can be
    replayed without the file."""

    def __hash__(self) -> int:
        return hash(self.digest)


def load_role(path: Path, added: Collection[str] = ()) -> Role:
    """Read one role file. Raises ConfigError, naming file, line and field, if it is invalid."""
    return parse_role(read_config(path), path, added)


def parse_role(text: str, path: Path, added: Collection[str] = ()) -> Role:
    """A role from the text of its file. ``path``: the file's name in errors; ``added``: names of actions that the role may
    use besides the built-in ones. Raises ConfigError if the text is invalid."""
    return _parsed(text, path, (*builtin(), *added))


@lru_cache(maxsize=256)
def _parsed(text: str, path: Path, actions: tuple[str, ...]) -> Role:
    """Cached, because every run reads all roles, and most of them ship with Deskcrew."""
    try:
        said, body = front_matter.split(text)
        head = RoleHead.model_validate(said)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        # The mark counts from the front matter's first line, which is the file's second.
        line = mark.line + 2 if mark else 1
        raise ConfigError(f"{path}, line {line}: not valid front matter: {getattr(error, 'problem', error)}.") from error
    except ValidationError as error:
        raise config_error(path, text, error) from error
    sections = _sections(path, body)
    if (domain := _without_groups(head.domain)) != head.domain:
        head = head.model_copy(update={"domain": domain})
        text = front_matter.with_list(text, "domain", domain)
    _check_keys(path, text, head, sections, actions)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Role(**head.model_dump(), sections=sections, digest=digest, path=str(path), text=text)


def _without_groups(domain: Iterable[str]) -> tuple[str, ...]:
    """The names of all actions in a domain."""
    there, names = groups(), dict[str, None]()
    for each in domain:
        if each[1:] in names and each.startswith("-"):
            del names[each[1:]]
        else:
            names |= dict.fromkeys(there.get(each, (each,)))
    return tuple(names)


@lru_cache(maxsize=256)
def recorded_role(text: str, path: Path, added: tuple[str, ...] = ()) -> Role | None:
    """A role from a run's record, without what only earlier versions read; None if its kind no longer exists. Raises
    ConfigError if the rest is invalid. Cached, because most runs record the same roles."""
    said, body = front_matter.split(text)
    if said.get("kind") not in KINDS:
        return None
    reads = [key for key in list_in(said.get("reads")) if key in PROTOCOL]
    known = {name: value for name, value in said.items() if name in RoleHead.model_fields}
    sections = _GONE.sub(lambda found: GONE[found[0]], body)
    written = front_matter.joined({**known, **({"reads": reads} if reads else {})}, sections)
    role = parse_role(written, path, added)
    return role.model_copy(update={"text": text, "digest": hashlib.sha256(text.encode()).hexdigest()})


def load_roles(folders: Iterable[Path], added: Collection[str] = ()) -> dict[str, Role]:
    """All roles by name, with the descriptions that a person has accepted; an earlier folder takes precedence. ``added``:
    see :func:`parse_role`. Raises ConfigError if a file is invalid."""
    roles: dict[str, Role] = {}
    accepted: dict[str, Description] = {}
    for folder in folders:
        for role in load_files(sorted(folder.glob("*.md")), added):
            roles.setdefault(role.name, role)
        for name, versions in descriptions_in(folder).items():
            accepted.setdefault(name, versions[-1])
    for name, description in accepted.items():
        if name in roles and roles[name].skills == description.replaces:
            role = roles[name]
            text = front_matter.with_value(role.text, "skills", json.dumps(description.skills, ensure_ascii=False))
            roles[name] = parse_role(text, Path(role.path), added)
    return roles


def load_files(paths: Iterable[Path], added: Collection[str] = ()) -> list[Role]:
    """The roles of these files. Raises ConfigError if one is invalid."""
    return [load_role(path, added) for path in paths]


def config_error(path: Path, text: str, error: ValidationError) -> ConfigError:
    """A ConfigError for the first validation error, with the line of its field."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    name = str(first["loc"][-1]) if first["loc"] else ""
    top = str(first["loc"][0]) if first["loc"] else ""
    lines = text.splitlines()
    keys = [line.replace("=", ":").partition(":")[0].strip() if ":" in line or "=" in line else "" for line in lines]
    line = next((keys.index(key) + 1 for key in (name, top) if key in keys), 1)
    return ConfigError(f"{path}, line {line}, field {field!r}: {fault(error)}.")


def _sections(path: Path, content: str) -> dict[str, str]:
    pieces = re.split(r"^<!-- (\w+) -->\s*$", content, flags=re.MULTILINE)
    if pieces[0].strip():
        raise ConfigError(f"{path}: text before the first '<!-- stable -->' marker.")
    sections: dict[str, str] = {}
    for zone, text in zip(pieces[1::2], pieces[2::2], strict=True):
        if zone not in ZONES:
            raise ConfigError(f"{path}: unknown marker '<!-- {zone} -->'; there are {', '.join(ZONES)}.")
        sections[zone] = text.strip()
    if "stable" not in sections:
        raise ConfigError(f"{path}: no '<!-- stable -->' section.")
    return sections


def _check_keys(path: Path, text: str, head: RoleHead, sections: dict[str, str], actions: Collection[str]) -> None:
    """Raise ConfigError unless the template uses only keys in ``reads``, the role's kind may read these, and its fields,
    actions and skills fit together."""

    def wrong(word: str, problem: str, hint: str = "") -> ConfigError:
        lines = ("".join(each if each.isalnum() or each == "_" else " " for each in line) for line in text.splitlines())
        line = next((number for number, line in enumerate(lines, 1) if word in line.split()), 1)
        return ConfigError(f"{path}, line {line}, {problem}", hint=hint)

    for key in head.reads:
        if key not in PROTOCOL or head.kind not in PROTOCOL[key]:
            allowed = ", ".join(sorted(k for k, kinds in PROTOCOL.items() if head.kind in kinds))
            problem = f"field 'reads': a role of kind {head.kind} may not read {key!r}."
            raise wrong("reads", problem, f"It may read: {allowed}.")
    if strange := [each for each in head.fields if each not in EXTRA.get(head.kind, ())]:
        allowed = ", ".join(EXTRA.get(head.kind, ())) or "nothing more"
        problem = f"field 'fields': a role of kind {head.kind} does not say {strange[0]!r}."
        raise wrong("fields", problem, f"It may say: {allowed}.")
    if ("reported" in head.reads) != bool(head.hears):
        raise wrong("hears" if head.hears else "reads", "field 'hears': 'hears' and 'reported' in 'reads' need each other.")
    named = (
        ("domain", head.domain, (*actions, *groups())),
        ("needs", head.needs, head.domain),
        ("further", tuple(head.further), head.domain),
    )
    for field, names, there in named:
        if unknown := [name for name in names if name not in there]:
            problem = f"field {field!r}: there is no action {unknown[0]!r}."
            raise wrong(field, problem, f"There are: {', '.join(sorted(there))}.")
    if head.kind == "decision" and not head.skills:
        problem = "field 'skills': a decision agent needs them, because planner and scheduler choose by them."
        raise wrong("", problem)
    environment = environment_for_prompts()
    for zone, section in sections.items():
        try:
            used = meta.find_undeclared_variables(environment.parse(section))
        except TemplateError as error:
            raise ConfigError(f"{path}, section {zone}: {error}.") from error
        unread = sorted(used - set(head.reads) - ALWAYS)
        if unread:
            raise wrong(unread[0], f"section {zone}: the template uses {unread[0]!r}, which is not in 'reads'.")


def environment_for_prompts() -> Environment:
    """A Jinja environment in which a missing variable is an error and nothing is escaped."""
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    filters: dict[str, Any] = {"under": _under, "after": _after}
    environment.filters.update(filters)
    return environment


def _under(text: str, heading: str) -> str:
    """The text below a heading; '' if there is no text."""
    return f"{heading}\n{text}" if text else ""


def _after(text: str, label: str) -> str:
    """The text after a label; '' if there is no text."""
    return f"{label}{text}" if text else ""


@lru_cache(maxsize=256)
def template(text: str) -> Template:
    """``text``, compiled. Cached, because compiling takes a hundred times longer than rendering."""
    return environment_for_prompts().from_string(text)
