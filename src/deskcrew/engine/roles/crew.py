"""A crew is one TOML file: who is in it and how it works. A paper's system is a crew, not a fork."""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError, ValidationInfo, field_validator

from deskcrew.actions import builtin
from deskcrew.actions.action import Action
from deskcrew.actions.added import ActionFile, by_name
from deskcrew.engine.roles.role import EVERYBODY, PROTOCOL, Role, config_error
from deskcrew.engine.roles.role_kinds import CONSENTING, KINDS, KindName
from deskcrew.errors import ConfigError, UsageError
from deskcrew.learning.skills.offering import as_action, functions
from deskcrew.learning.skills.skill import Skill
from deskcrew.models.client import FreeText, Profile
from deskcrew.settings import LARGEST_INTEGER, Limits, read_config

BUILTIN = Path(__file__).parent.parent / "crews"
MOST_LANES = 8
MOST_CANDIDATES = 5


class CrewHead(BaseModel):
    """The settings of a crew file. Guard, journal and goal verification have none, and limits cannot be turned off."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    planner: str = "Planner"
    """The role that plans. '': none, the whole task is one subtask."""
    scheduler: str = "TaskScheduler"
    """The role that assigns subtasks. '': none, the first agent of the pool does everything."""
    planner_assigns: bool = True
    """Whether the planner may assign subtasks to agents (MMAC). The scheduler is then asked only about unassigned
    ones."""
    details: tuple[Literal["expect", "needs", "type"], ...] = ()
    """What the planner says about each subtask besides its goal. ``expect``: the state that should hold after it (A2);
    ``needs``: the subtasks that must be done before it (F1), unless each needs the previous one; ``type``: which of
    ``types`` it is, instead of the agent that does it (F2)."""
    types: dict[str, str] = Field(default_factory=dict[str, str], validate_default=True)
    """The types of subtasks, each with the agent of the pool that does them."""
    replan: Literal["anew", "patch"] = "anew"
    """How a plan that did not work is changed. ``anew``: new subtasks replace all open ones, as in COLA; ``patch``:
    single subtasks are inserted, revised or dropped."""
    pool: tuple[str, ...] = Field(min_length=1)
    """The decision agents. ``"*"`` stands for all other agents with a role file, except ``Solo`` and those with
    ``joins: false``."""
    generalist: str = ""
    """An agent that can do whole tasks alone, which joins the pool. '': there is none."""
    reviewer: str = "Reviewer"
    review: Literal["rules", "rules-first", "model"] = "rules-first"
    """When the reviewer is asked. ``model``: after every operation (C9); ``rules-first``: if rules cannot decide;
    ``rules``: never."""
    checker: str = ""
    """The role that says whether the expected state holds after an agent has done its subtask (A3; M6, F13). Its word
    ends a subtask but never a run, which needs evidence. '': none, the agent's word and the rules are enough."""
    check: Literal["claims", "failures"] = "claims"
    """When the checker is asked. ``claims``: once an agent says that its subtask is finished; ``failures``: also after
    an operation that failed (A3's false_check)."""
    scores: bool = False
    """Whether the checker also scores accepted Python code: how well it would do for other tasks of its kind (0 to 10;
    F13). A score of 8 or more makes it a candidate for a skill (F14)."""
    amends: dict[str, str] = Field(default_factory=dict[str, str])
    """The agent that continues a rejected subtask, by the agent that it is taken from (FRIDAY's refiner, F15). Agents
    without an entry fix their own work."""
    appeals: bool = False
    """Whether the planner decides on requests for another plan (A4) from the checker, or from an agent that cannot do
    its subtask. It revises its plan, overrules the request, or asks the user. If false, a plan that the checker rejects
    is made again, and a subtask that an agent cannot do is reassigned."""
    viewer: str = ""
    """The agent that describes the screen before the first plan is made (M3), in its `observation`. '': none."""
    knowledge: bool = False
    """Whether the planner may look one thing up on the web before its first plan (A7). It is shown at most 100 words of
    what was found, as untrusted data. Nothing is looked up without a search service, or if the policy would have to ask
    a person first."""
    insights: bool = False
    """Whether the checker may also accept a subtask and say why the rest of the plan should change (M4, M6)."""
    collation: bool = False
    """Whether the planner judges, once all subtasks are done, if the task is done (A5). It is asked only if the rules
    do not object, and evidence decides."""
    answerer: str = "FinalAnswer"
    contract: str = "ContractWriter"
    """The role that says what must hold when the task is done, before anything is done. Only models that can are asked:
    without it, and without requirements of the user's or a skill's, no run ends done."""
    consent: str = "ConsentReader"
    """The role that reads in the user's words what they have ordered and so consent to; the model of the contract's writer
    is asked, once, when the guard would otherwise ask a person. It is shown nothing but these words."""
    matcher: str = "OrderMatcher"
    """The role that says whether what is about to be done or sent on a page is what one of these orders is about; the same
    model is asked, where letters do not tell."""
    verifier: str = "Verifier"
    """The role that writes probes for requirements that no typed check covers."""
    reader: str = "Reader"
    """The role that judges what only reading can settle."""
    chooser: str = "SkillChooser"
    """The role that says which skill does the whole task, and with which values, if it can be one of them. Only models
    that do nothing but skills are asked; others choose skills among their actions. '': skills are actions for all."""
    maker: str = "SkillMaker"
    """The role that writes a function to become a skill."""
    critic: str = "SkillCritic"
    """The role that scores it."""
    refiner: str = "SkillRefiner"
    """The role that fixes it. Maker, critic and refiner are not asked in a run that does a task."""
    teacher: str = "Teacher"
    """The role that proposes lessons (``deskcrew learn``). It is not asked in a run that does a task."""
    drafter: str = "Drafter"
    """The role that drafts an agent from a guide (``deskcrew role from-guide``). It is not asked in a run that does a
    task."""
    comparer: str = "AttemptJudge"
    """The role that compares attempts at a task, if several satisfy contract and evidence (``--attempts``)."""
    batch: int = Field(6, ge=1)
    """Maximum number of operations in one decision."""
    groups: bool = False
    """Whether consecutive subtasks of one agent form one assignment, closed by one finish (C6)."""
    candidates: int = Field(1, ge=1, le=MOST_CANDIDATES)
    """How many alternative programs an agent may give at once. Each runs on a copy of the
    workspace, and the one that verifiably meets the requirements is kept. If programs have network access, only one is
    given."""
    lanes: int = Field(1, ge=1, le=MOST_LANES)
    """Maximum number of subtasks worked on concurrently (F4). Concurrent subtasks need no results of each other and share
    no file; those that work in windows or on pages each need a desktop or browser of their own, or take turns. With more
    than one, the planner says what each subtask ``needs``."""
    results: Literal["all", "needs"] = "all"
    """Whose findings an agent is shown: those of all finished subtasks, or only of those that its own subtask needs
    (F5)."""
    memory: Literal["kept", "subtask"] = "subtask"
    """``kept``: short-term memory outlives a subtask, as in COLA; ``subtask``: it starts afresh with each."""
    fields: Literal["full", "profile"] = "profile"
    """``full``: all of C14's reply fields whatever the model; ``profile``: as many as suit the model."""
    pictures: Literal["poor", "always"] = "poor"
    """When a role that works in windows, and whose model accepts pictures, is shown the screen: if its text form is
    poor, or always (C7)."""
    limits: Limits = Limits()
    """Limits on rounds, replies and the like that suit the crew's way of working (M10); the user's own limits take
    precedence. Only the user can limit cost, in tokens, seconds or money."""
    without: tuple[str, ...] = ()
    """Keys of the protocol that no role of this crew may read."""
    narrowing: bool = True
    """Whether replies can name only controls, options and texts that exist now. If not, a role may name anything, and
    is told if it does not exist."""

    @field_validator("limits")
    @classmethod
    def _of_work(cls, value: Limits) -> Limits:
        if costs := sorted(value.model_fields_set & {"tokens", "seconds", "money"}):
            raise ValueError(f"{costs[0]} cannot be limited by a crew, only by the user")
        return value

    @field_validator("types")
    @classmethod
    def _asked_for(cls, value: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        if bool(value) != ("type" in info.data.get("details", ())):
            raise ValueError("'types' needs \"type\" in 'details', and the other way round")
        return value

    @field_validator("lanes")
    @classmethod
    def _independent(cls, value: int, info: ValidationInfo) -> int:
        if value > 1 and (wrong := _single_file(info.data)):
            raise ValueError(wrong)
        return value

    @field_validator("appeals", "knowledge", "insights", "collation")
    @classmethod
    def _by_a_planner(cls, value: bool, info: ValidationInfo) -> bool:
        if value and not info.data.get("planner"):
            raise ValueError("there is no planner")
        return value


class Crew(CrewHead):
    """A crew file, loaded and validated against the existing roles."""

    roles: dict[str, Role]
    digest: str
    text: str
    """The whole file."""
    added: tuple[InstanceOf[ActionFile], ...] = ()
    """Actions from outside the package; see :func:`with_actions`."""
    skills: tuple[InstanceOf[Skill], ...] = ()
    """The skills offered to it; see :func:`with_skills`."""

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    @property
    def actions(self) -> dict[str, Action]:
        """All actions of this crew by name: built in, added and skills."""
        return builtin() | by_name(self.added) | {skill.action: as_action(skill) for skill in self.skills}

    def type_of(self, agent: str) -> str:
        """The type of the subtasks that an agent does or fixes; its own name if it has none."""
        whose = next((first for first, amender in self.amends.items() if amender == agent), agent)
        return next((type for type, name in self.types.items() if name == whose), agent)

    @property
    def members(self) -> tuple[str, ...]:
        """The names of all roles that are asked anything in this crew's name, whatever their kind."""
        named = (cast("str | tuple[str, ...]", getattr(self, field)) for field in _KINDS)
        names = (name for each in named for name in ((each,) if isinstance(each, str) else each))
        return tuple(dict.fromkeys(name for name in names if name in self.roles))

    @property
    def agents(self) -> tuple[Role, ...]:
        return tuple(self.roles[name] for name in self.pool)

    def hearers(self, name: str) -> dict[str, tuple[str, ...]]:
        """For each key of a reply, which roles of this crew are told what ``name`` reports in it (M7)."""
        named = (self.roles[each] for each in dict.fromkeys((self.planner, self.checker, *self.pool)) if each)
        told = [(key, role.name) for role in named for key in role.hears if role.hears_of(key, name)]
        return {key: tuple(who for each, who in told if each == key) for key, _ in told}

    def free_text(self, profile: Profile) -> FreeText:
        """How much reasoning the replies of its roles contain beside the operations."""
        return "full" if self.fields == "full" else profile.free_text

    def limited(self, asked: Limits) -> Limits:
        """The limits of a run: those that were ``asked`` for, then the crew's, then the defaults."""
        return Limits.model_validate(self.limits.model_dump(exclude_unset=True) | asked.model_dump(exclude_unset=True))


def load_crew(name: str, folders: Iterable[Path], roles: dict[str, Role]) -> Crew:
    """The crew called ``name``. Raises UsageError if there is none, ConfigError if its file is invalid."""
    folders = tuple(folders)
    for folder in folders:
        path = folder / f"{name}.toml"
        if path.is_file():
            crew = parse_crew(read_config(path), path, roles)
            _refuse_idle(crew, path)
            return crew
    known = sorted({path.stem for folder in folders for path in folder.glob("*.toml")})
    raise UsageError(f"There is no crew {name!r}.", hint=f"There are: {', '.join(known)}.")


def parse_crew(text: str, path: Path, roles: dict[str, Role], *, recorded: bool = False) -> Crew:
    """A crew from the text of its file; ``path`` is its name in errors. ``recorded``: it is in a run's record, so what an
    earlier version read in it and this one does not is left out. Raises ConfigError."""
    try:
        given = tomllib.loads(text)
        head = CrewHead.model_validate({k: v for k, v in given.items() if k in CrewHead.model_fields} if recorded else given)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}.") from error
    except ValidationError as error:
        raise config_error(path, text, error) from error
    head = head.model_copy(update={"pool": _pool(head.pool, roles)})
    if head.viewer and head.viewer not in head.pool:
        raise ConfigError(f"{path}, field 'viewer': {head.viewer!r} is not in the pool.")
    for kind in CONSENTING:
        if not any(role.kind == kind for role in roles.values()):
            head = head.model_copy(update={KINDS[kind].named_by: ""})  # in a record from before there was such a role
    for field, name in _named(head):
        if not name and _KINDS[field] in CONSENTING:
            continue
        fitting = sorted(role.name for role in roles.values() if role.kind == _KINDS[field])
        if name not in fitting:
            line = _line(text, field, name)
            what = f"the role {name!r} is not of kind {_KINDS[field]}" if name in roles else f"there is no role {name!r}"
            raise ConfigError(f"{path}, line {line}, field {field!r}: {what}.", hint=f"There are: {', '.join(fitting)}.")
    for field, named in (("types", head.types.values()), ("amends", (*head.amends, *head.amends.values()))):
        if others := [name for name in named if name not in head.pool]:
            line = _line(text, field, others[0])
            told = f"{path}, line {line}, field {field!r}: {others[0]!r} is not in the pool."
            raise ConfigError(told, hint=f"There are: {', '.join(head.pool)}.")
    return Crew(**dict(head), roles=roles, digest=hashlib.sha256(text.encode()).hexdigest(), text=text)


def _line(text: str, field: str, name: str) -> int:
    """The number of the line of a crew file that names ``name``, else of the line of its ``field``."""
    lines = list(enumerate(text.splitlines(), 1))
    named = next((number for number, line in lines if name and name in line), 0)
    return named or next((number for number, line in lines if line.lstrip().removeprefix("[").startswith(field)), 1)


def _refuse_idle(crew: Crew, path: Path) -> None:
    """Raises ConfigError for what is written in a crew file and would do nothing. A crew in a record is not asked: it was
    what it was."""
    twice = next((name for name, times in Counter(crew.pool).items() if times > 1), "")
    unknown = next((key for key in crew.without if key not in PROTOCOL), "")
    idle = next((field for field in ("insights", "scores") if getattr(crew, field) and not crew.checker), "")
    circle = next((name for name in crew.amends if name in _amenders(crew, name)), "")
    for field, name, wrong in (
        ("name", "", f"the file is called {path.stem!r}" if crew.name != path.stem else ""),
        ("pool", twice, f"{twice!r} is there twice" if twice else ""),
        ("without", unknown, f"no role reads {unknown!r}" if unknown else ""),
        (idle, "", "there is no checker" if idle else ""),
        ("amends", "", f"what {circle!r} did would come back to it" if circle else ""),
    ):
        if wrong:
            hint = f"There are: {', '.join(sorted(PROTOCOL))}." if field == "without" else ""
            raise ConfigError(f"{path}, line {_line(crew.text, field, name)}, field {field!r}: {wrong}.", hint=hint)


def _amenders(crew: Crew, name: str) -> list[str]:
    """Who continues what an agent did, and who what those did."""
    found: list[str] = []
    while (name := crew.amends.get(name, "")) and name not in found:
        found.append(name)
    return found


TRIAL = """\
name = "trial"
description = "One agent, tried on one task."
pool = ["{agent}"]
planner = ""
scheduler = ""
"""


def on_trial(agent: Role, roles: Mapping[str, Role]) -> Crew:
    """A crew in which this agent does the whole task alone."""
    return parse_crew(TRIAL.format(agent=agent.name), Path("the crew of a trial"), {**roles, agent.name: agent})


def _single_file(head: Mapping[str, object]) -> str:
    """Why a crew's subtasks can only be done one after the other; '' if they can be concurrent."""
    if not head.get("planner"):
        return "there is no planner"
    if head.get("groups"):
        return "with groups, parts are done one after the other"
    details = head.get("details")
    return "" if isinstance(details, tuple) and "needs" in details else "lanes need \"needs\" in 'details'"


ALONE = "Solo"
"""The agent that has every action and takes a pool's place."""


def _pool(names: Sequence[str], roles: Mapping[str, Role]) -> tuple[str, ...]:
    """The names in a pool, with :data:`EVERYBODY` replaced by those that it stands for."""
    joining = {role.name for role in roles.values() if role.kind == "decision" and role.joins}
    others = sorted(joining - {ALONE, *names})
    return tuple(each for name in names for each in (others if name == EVERYBODY else [name]))


_OF_THE_POOL: dict[str, KindName] = {"generalist": "decision", "viewer": "decision"}
_KINDS: dict[str, KindName] = {**{kind.named_by: name for name, kind in KINDS.items()}, **_OF_THE_POOL}


def _named(head: CrewHead) -> list[tuple[str, str]]:
    """The roles that a crew file must name correctly, each with its field."""
    named = [("pool", name) for name in head.pool]
    single = [kind for kind in KINDS.values() if kind.presence != "apart" and kind.named_by != "pool"]
    needed = {kind.named_by for kind in single if kind.presence == "always"}
    for field in (*(kind.named_by for kind in single), *_OF_THE_POOL):
        name = str(getattr(head, field))
        if name or field in needed:
            named.append((field, name))
    return named


def without_pool(crew: Crew) -> Crew:
    """The crew with one agent that has every action instead of its pool (COLA's table 2): ``--no-pool``. Raises
    ConfigError if that agent does not exist."""
    if ALONE not in crew.roles:
        raise ConfigError(f"--no-pool needs the role {ALONE!r}, which does not exist.")
    arranged = {"types": dict[str, str](), "amends": dict[str, str](), "generalist": "", "viewer": ""}
    details = tuple(each for each in crew.details if each != "type")
    return crew.model_copy(update={**arranged, "pool": (ALONE,), "details": details, "name": f"{crew.name}-no-pool"})


Switch = Literal[
    "reviewer",
    "checker",
    "planner",
    "scheduler",
    "memory",
    "skills",
    "force-stop",
    "batch",
    "narrowing",
    "chooser",
]
"""Parts of a crew that can be left out, to measure what they contribute."""
SWITCHES: tuple[Switch, ...] = get_args(Switch)
_CHANGES: Mapping[str, Mapping[str, object]] = {
    "reviewer": {"reviewer": "", "review": "rules"},
    "checker": {"checker": "", "insights": False, "scores": False},
    "planner": {
        "planner": "",
        "viewer": "",
        "details": (),
        "lanes": 1,
        "types": {},
        "appeals": False,
        "knowledge": False,
        "insights": False,
        "collation": False,
    },
    "scheduler": {"scheduler": "", "planner_assigns": True},
    "skills": {"scores": False, "chooser": ""},
    "batch": {"batch": 1},
    "narrowing": {"narrowing": False},
    "chooser": {"chooser": ""},
}


_FORCE_STOP: tuple[str, ...] = ("appeals", "repairs", "replans")
"""The limits that end a run whose work is rejected again and again (CoAct's force stop)."""


def reduced(crew: Crew, without: Sequence[str]) -> Crew:
    """The crew without some of its parts (``SWITCHES``): ``--no-reviewer``, ``--no-checker``, ``--no-planner``,
    ``--no-scheduler``, ``--no-memory``, ``--no-skills`` (none are offered to it, see ``request.prepare``, nobody chooses
    one, and its checker scores no code), ``--no-force-stop`` (only the user's own limits of appeals, repairs and replans,
    and those of replies and operations, end it), ``--single`` (one operation per decision), ``--no-narrowing``,
    and without the role that chooses skills, so that a model that does nothing else works as any other.

    Raises ConfigError for another name.
    """
    for switch in without:
        if switch == "memory":
            crew = crew.model_copy(update={"without": (*crew.without, "history", "recalled")})
        elif switch == "force-stop":
            unbounded = dict.fromkeys(_FORCE_STOP, LARGEST_INTEGER)
            crew = crew.model_copy(update={"limits": crew.limits.model_copy(update=unbounded)})
        elif switch in _CHANGES:
            crew = crew.model_copy(update=_CHANGES[switch])
        else:
            raise ConfigError(
                f"This part of a crew cannot be left out: {switch!r}.", hint=f"These can be left out: {', '.join(SWITCHES)}."
            )
        crew = crew.model_copy(update={"name": f"{crew.name}-no-{switch}"})
    return crew


def with_lanes(crew: Crew, lanes: int) -> Crew:
    """The crew with ``lanes`` subtasks worked on concurrently, whose planner says what each of them needs: ``--lanes
    N``. Raises ConfigError for a crew without a planner, or one that groups the subtasks of an agent."""
    if lanes == 1:
        return crew.model_copy(update={"lanes": 1})
    details = tuple(dict.fromkeys((*crew.details, "needs")))
    if wrong := _single_file({"planner": crew.planner, "groups": crew.groups, "details": details}):
        raise ConfigError(f"Crew {crew.name!r} cannot use lanes: {wrong}.")
    return crew.model_copy(update={"lanes": lanes, "details": details})


def with_actions(crew: Crew, added: tuple[ActionFile, ...]) -> Crew:
    """The crew with added actions. Each goes to the agents that it names in ``roles`` and to those whose file names it.
    If none of these is in the pool, it goes to all agents of the pool that have any action, so that one file is all
    that an action needs. Planner and scheduler are told about it in its summary.

    Raises ConfigError if an action names an unknown agent.
    """
    roles = dict(crew.roles)
    agents = sorted(role.name for role in roles.values() if role.kind == "decision")
    for action in by_name(added).values():
        if unknown := [name for name in action.roles if name not in agents]:
            told = f"The action {action.name!r} is for an unknown agent: {unknown[0]!r}."
            raise ConfigError(told, hint=f"There are: {', '.join(agents)}.")
        users = {*action.roles, *(name for name in agents if action.name in roles[name].domain)}
        able = (agent.name for agent in crew.agents if agent.domain)
        for name in users if users & set(crew.pool) else {*users, *able}:
            roles[name] = _able(roles[name], action)
    return crew.model_copy(update={"roles": roles, "added": added})


def with_skills(crew: Crew, skills: Iterable[Skill]) -> Crew:
    """The crew with skills, each offered to the agents that may do all its steps. Skills that no agent may do, or that
    have the name of an action, are left out."""
    roles, names = dict(crew.roles), crew.actions
    offered: list[Skill] = []
    for skill in skills:
        users = [name for name in {*crew.pool, crew.generalist} - {""} if _may_use(roles[name], skill)]
        if users and skill.action not in names:
            offered.append(skill)
            action = as_action(skill)
            for name in users:
                roles[name] = _able(roles[name], action, told=False)
    return crew.model_copy(update={"roles": roles, "skills": tuple(offered)})


def _may_use(role: Role, skill: Skill) -> bool:
    return functions(skill) <= set(role.domain) or (role.services and skill.method.request is not None)


def _able(role: Role, action: Action, *, told: bool = True) -> Role:
    """The role with one more action. ``told``: whether planners hear of it as something that the agent can do."""
    return role.model_copy(
        update={
            "domain": tuple(dict.fromkeys((*role.domain, action.name))),
            "further": ({action.name: action.summary} if told else {}) | role.further,
        }
    )


def within_reach(crew: Crew, actions: Collection[str]) -> Crew:
    """The crew without agents that could do nothing in this run, because none of their actions is among the available
    ``actions``, or one that they need is missing. An agent without any action only thinks, and always stays. Agents
    list their further skills if the actions for them are available."""
    there = set(actions)
    crew = _skilled(crew, lambda role: [skill for action, skill in role.further.items() if action in there])
    able = tuple(
        role.name for role in crew.agents if not role.domain or (there & set(role.domain) and there >= set(role.needs))
    )
    return crew.model_copy(update={"pool": able}) if able else crew


def with_generalist(crew: Crew) -> Crew:
    """The crew with its generalist in the pool, whose agents say what they can make."""
    if crew.generalist and crew.generalist not in crew.pool:
        crew = crew.model_copy(update={"pool": (*crew.pool, crew.generalist)})
    return _skilled(crew, lambda role: [role.makes] if role.makes else [])


def _skilled(crew: Crew, more: Callable[[Role], list[str]]) -> Crew:
    """The crew with further skills appended to those of its agents."""
    roles = {
        role.name: role.model_copy(update={"skills": " ".join((role.skills, *skills))})
        for role in crew.agents
        if (skills := more(role))
    }
    return crew.model_copy(update={"roles": {**crew.roles, **roles}}) if roles else crew
