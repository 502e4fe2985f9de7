"""A crew is one TOML file: who is in it and how it works. A paper's system is a crew, not a fork."""

from __future__ import annotations

import hashlib
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError, field_validator

from deskcrew.actions import builtin
from deskcrew.actions.action import Action
from deskcrew.actions.added import ActionFile, by_name
from deskcrew.engine.roles import former
from deskcrew.engine.roles.role import Role, config_error
from deskcrew.engine.roles.role_kinds import CONSENTING, KINDS, KindName
from deskcrew.errors import ConfigError
from deskcrew.facts.meant import unknown
from deskcrew.facts.messages import EVERYBODY
from deskcrew.learning.skills.offering import as_action, functions
from deskcrew.learning.skills.skill import Skill
from deskcrew.models.client import FreeText, Profile
from deskcrew.settings import LARGEST_INTEGER, Limits, read_config

BUILTIN = Path(__file__).parent.parent / "crews"
MOST_LANES = 8

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
    "backtracker",
]
"""Parts of a crew that can be left out, to measure what they contribute."""
SWITCHES: tuple[Switch, ...] = get_args(Switch)


class CrewHead(BaseModel):
    """The settings of a crew file: who is in the crew, and how it works. Settings of a single role,
    such as how a planner plans, are in its role file (:class:`~deskcrew.engine.roles.role.RoleHead`). Guard, journal and
    proof cannot be configured here, and limits cannot be turned off."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    pool: tuple[str, ...] = Field(min_length=1)
    """The decision agents. ``"*"`` stands for all other agents with a role file, except those with ``joins: false`` and
    ``Worker``, which can do whole tasks alone and must be named."""
    planner: str = "Planner"
    """The role that plans (COLA, MMAC, FRIDAY and CoAct each have one). '': none; the whole task is one subtask."""
    assigns: tuple[Literal["planner", "scheduler"], ...] = ("planner", "scheduler")
    """Who assigns subtasks to agents: the planner (MMAC), the task scheduler (COLA), or both: the scheduler then assigns
    what the planner left open. (): nobody; the first agent of the pool does everything."""
    review: Literal["rules", "rules-first", "model"] = "rules-first"
    """When the reviewer is asked. ``model``: after every operation (COLA, C9); ``rules-first``: if rules cannot decide;
    ``rules``: never."""
    checker: str = ""
    """The role that judges whether the expected state holds after an agent has done its subtask (A3; M6, F13). Its verdict
    ends a subtask, but never a run, which needs evidence. '': none; the agent's claim and the rules suffice."""
    check: Literal["claims", "failures"] = "claims"
    """When the checker is asked. ``claims``: once an agent says that its subtask is finished; ``failures``: also after
    an operation that failed (CoAct's false_check, A3)."""
    backtracker: str = ""
    """The role that names the first wrong reply when something is found wrong, so that the run goes back to it by itself.
    '': none; mistakes are repaired by further work."""
    batch: int = Field(6, ge=1)
    """Maximum number of operations in one decision. COLA: one."""
    groups: bool = False
    """Whether consecutive subtasks of one agent form one assignment, closed by one finish, and the agent's short-term memory
    outlives it (COLA, C6)."""
    lanes: int = Field(1, ge=1, le=MOST_LANES)
    """Maximum number of subtasks worked on concurrently (FRIDAY, F4). Concurrent subtasks do not need each other's results,
    and share no file; those in windows or on pages have a desktop or browser each, or take turns."""
    results: Literal["all", "needs", "latest"] = "all"
    """The findings that an agent is shown: of all finished subtasks, only of those that its own subtask needs (FRIDAY, F5),
    or of the latest one whose operations returned anything (COLA, table 8)."""
    fields: Literal["full", "profile"] = "profile"
    """``full``: all of COLA's reply fields (C14), whatever the model; ``profile``: as many as suit the model."""
    pictures: Literal["poor", "always"] = "poor"
    """When a role that works in windows, and whose model accepts pictures, is shown the screen: if its text form is
    poor, or always (COLA, C7)."""
    limits: Limits = Limits()
    """Limits on rounds, replies and the like that suit the crew's way of working (MMAC, M10); the user's own limits take
    precedence. Only the user can limit cost, in tokens, seconds or money."""

    @field_validator("limits")
    @classmethod
    def _of_work(cls, value: Limits) -> Limits:
        if costs := sorted(value.model_fields_set & {"tokens", "seconds", "money"}):
            raise ValueError(f"{costs[0]} cannot be limited by a crew, only by the user")
        return value


class Crew(CrewHead):
    """A crew file, loaded and validated against the existing roles."""

    roles: dict[str, Role]
    digest: str
    text: str
    """The text of the whole file."""
    added: tuple[InstanceOf[ActionFile], ...] = ()
    """Actions from outside the package; see :func:`with_actions`."""
    skills: tuple[InstanceOf[Skill], ...] = ()
    """The skills offered to it; see :func:`with_skills`."""
    left_out: tuple[Switch, ...] = ()
    """Parts of the crew that are left out for a measurement; see :func:`without_parts`."""

    contract: ClassVar[str] = "ContractWriter"
    """The role that says, before anything is done, what must hold when the task is done. This role and the following are in
    every crew; a role file of that name changes one."""
    consent: ClassVar[str] = "ConsentReader"
    """The role that reads in the user's words what they have ordered, when the guard would otherwise ask a person."""
    matcher: ClassVar[str] = "OrderMatcher"
    """The role that says whether an action on a page carries out one of these orders."""
    answerer: ClassVar[str] = "FinalAnswer"
    verifier: ClassVar[str] = "Verifier"
    """The role that writes probes for requirements that no typed check covers."""
    reader: ClassVar[str] = "Reader"
    """The role that judges what can only be decided by reading."""
    maker: ClassVar[str] = "SkillMaker"
    critic: ClassVar[str] = "SkillCritic"
    refiner: ClassVar[str] = "SkillRefiner"
    teacher: ClassVar[str] = "Teacher"
    drafter: ClassVar[str] = "Drafter"
    describer: ClassVar[str] = "Describer"
    comparer: ClassVar[str] = "AttemptJudge"

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    @property
    def actions(self) -> dict[str, Action]:
        """All actions of this crew by name: built in, added and skills."""
        return builtin() | by_name(self.added) | {skill.action: as_action(skill) for skill in self.skills}

    @property
    def scheduler(self) -> str:
        """The role that assigns subtasks; '' if none is asked."""
        return SCHEDULER if "scheduler" in self.assigns else ""

    @property
    def planner_assigns(self) -> bool:
        """Whether the planner says which agent does a subtask (MMAC). The scheduler is then asked only about the others."""
        return "planner" in self.assigns

    @property
    def reviewer(self) -> str:
        """The role that reviews operations; '' if none is asked."""
        return "" if self.review == "rules" else REVIEWER

    @property
    def chooser(self) -> str:
        """The role that chooses the skill for the whole task, asked only if no model may work freely; '' if skills are left
        out or are ordinary actions."""
        return "" if {"skills", "chooser"} & set(self.left_out) else CHOOSER

    @property
    def generalist(self) -> str:
        """The agent of the pool that can do whole tasks alone; '' if there is none, or no other agent."""
        return ALONE if ALONE in self.pool and len(self.pool) > 1 else ""

    @property
    def delegates(self) -> bool:
        """Whether agents may delegate subtasks: nobody plans, and there are other agents in the pool or other lanes."""
        return not self.planner and (len(self.pool) > 1 or self.lanes > 1)

    @property
    def viewer(self) -> str:
        """The agent that describes the screen to the planner before the first plan is made (M3); '' if there is none."""
        heard = self.roles[self.planner].hears.get("observation", ()) if self.planner else ()
        return next((name for name in self.pool if name in heard), "")

    @property
    def details(self) -> tuple[str, ...]:
        """What the planner says about each subtask besides its goal: ``expect``, the state that should hold after it (A2);
        ``needs``, the subtasks that must be done before it (F1); ``type``, one of :attr:`types` (F2)."""
        there = ("expect", "needs", "type") if self.types else ("expect", "needs")
        return tuple(each for each in self._planned() if each in there)

    @property
    def types(self) -> dict[str, str]:
        """The types of subtasks, each with the agent of the pool that does them."""
        typed = self.agents if "type" in self._planned() else ()
        return {role.type: role.name for role in typed if role.type}

    @property
    def amends(self) -> dict[str, str]:
        """The agent that continues rejected subtasks of another, by that other agent (FRIDAY's refiner, F15)."""
        return {role.amends: role.name for role in self.agents if role.amends in self.pool}

    @property
    def replan(self) -> Literal["anew", "patch"]:
        """How a plan that did not work is changed. ``anew``: new subtasks replace all open ones, as in COLA; ``patch``:
        single subtasks are inserted, revised or dropped."""
        return "patch" if "changes" in self._planned() else "anew"

    @property
    def appeals(self) -> bool:
        """Whether the planner decides on requests for another plan (A4). Otherwise a plan that the checker rejects is
        replaced, and a subtask that an agent cannot do is reassigned."""
        return self._plans_from("appeal")

    @property
    def knowledge(self) -> bool:
        """Whether the planner may look one thing up on the web before its first plan (A7)."""
        return self._plans_from("searching")

    @property
    def collation(self) -> bool:
        """Whether the planner judges if the task is done once all subtasks are (A5)."""
        return self._plans_from("collation")

    @property
    def scores(self) -> bool:
        """Whether the checker also scores accepted Python code (F13), so that it may become a skill (F14)."""
        return "skills" not in self.left_out and "score" in self._checked()

    @property
    def insights(self) -> bool:
        """Whether the checker may also accept a subtask and say why the rest of the plan should change (M4, M6)."""
        return bool(self.planner) and "adjust" in self._checked()

    @property
    def consents(self) -> bool:
        """Whether a separate role reads what the user ordered. In records of earlier crews the contract's writer did."""
        return self.consent in self.roles

    @property
    def without(self) -> frozenset[str]:
        """The keys that no role of this crew is shown."""
        return frozenset(("history", "recalled") if "memory" in self.left_out else ())

    def _planned(self) -> tuple[str, ...]:
        return self.roles[self.planner].fields if self.planner else ()

    def _checked(self) -> tuple[str, ...]:
        return self.roles[self.checker].fields if self.checker else ()

    def _plans_from(self, key: str) -> bool:
        return bool(self.planner) and key in self.roles[self.planner].reads

    def type_of(self, agent: str) -> str:
        """The type of the subtasks that an agent does or fixes; its own name if it has none."""
        whose = next((first for first, amender in self.amends.items() if amender == agent), agent)
        return next((type for type, name in self.types.items() if name == whose), agent)

    @property
    def members(self) -> tuple[str, ...]:
        """The names of all roles that this crew can ask, of every kind."""
        named: Iterable[str | tuple[str, ...]] = (getattr(self, kind.named_by) for kind in KINDS.values())
        names = (name for each in named for name in ((each,) if isinstance(each, str) else each))
        return tuple(dict.fromkeys(name for name in names if name in self.roles))

    @property
    def agents(self) -> tuple[Role, ...]:
        return tuple(self.roles[name] for name in self.pool)

    def hearers(self, name: str) -> dict[str, tuple[str, ...]]:
        """For each field of a reply, the roles of this crew that are told what ``name`` reports in it (M7)."""
        named = (self.roles[each] for each in dict.fromkeys((self.planner, self.checker, *self.pool)) if each)
        told = [(key, role.name) for role in named for key in role.hears if role.hears_of(key, name)]
        return {key: tuple(who for each, who in told if each == key) for key, _ in told}

    def free_text(self, profile: Profile) -> FreeText:
        """How much reasoning the replies of the crew's roles contain besides operations."""
        return "full" if self.fields == "full" else profile.free_text

    def limited(self, asked: Limits) -> Limits:
        """The limits of a run: those ``asked`` for, else the crew's, else the defaults."""
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
    raise unknown(f"There is no crew {name!r}", name, known)


def parse_crew(text: str, path: Path, roles: dict[str, Role], *, recorded: bool = False) -> Crew:
    """A crew from the text of its file. ``path``: the file's name in errors; ``recorded``: the text is from a run's record,
    perhaps of an earlier version (:mod:`~deskcrew.engine.roles.former`). Raises ConfigError if it is invalid."""
    try:
        given = tomllib.loads(text)
        head = CrewHead.model_validate(former.settings(given, CrewHead.model_fields) if recorded else given)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}.") from error
    except ValidationError as error:
        raise config_error(path, text, error) from error
    head = head.model_copy(update={"pool": _pool(head.pool, roles)})
    if not head.pool:
        wrong = 'nobody is in it: "*" stands for agents of your own, and there are none'
        raise ConfigError(f"{path}, line {_line(text, 'pool', '')}, field 'pool': {wrong}.")
    roles = former.roles(given, roles) if recorded else roles
    crew = Crew(**dict(head), roles=roles, digest=hashlib.sha256(text.encode()).hexdigest(), text=text)
    for kind, name in _named(crew):
        if name not in roles and (KINDS[kind].presence == "apart" or kind in ("choose", *CONSENTING)):
            continue  # nobody is asked: it does its work elsewhere, or the run is from before there was such a role
        fitting = sorted(role.name for role in roles.values() if role.kind == kind)
        if name not in fitting:
            field = KINDS[kind].named_by
            line = f", line {_line(text, field, name)}, field {field!r}" if field in CrewHead.model_fields else ""
            what = f"the role {name!r} is not of kind {kind}" if name in roles else f"there is no role {name!r}"
            raise unknown(f"{path}{line}: {what}", name, fitting, ConfigError)
    return crew


def _line(text: str, field: str, name: str) -> int:
    """The number of the line of a crew file that contains ``name``, else of the line with ``field``, else 1."""
    lines = list(enumerate(text.splitlines(), 1))
    named = next((number for number, line in lines if name and name in line), 0)
    return named or next((number for number, line in lines if line.lstrip().removeprefix("[").startswith(field)), 1)


def _refuse_idle(crew: Crew, path: Path) -> None:
    """Raise ConfigError for settings that have no effect or cannot be combined. Recorded crews are not checked: they have
    run as they are."""
    twice = next((name for name, times in Counter(crew.pool).items() if times > 1), "")
    circle = next((name for name in crew.amends if name in _amenders(crew, name)), "")
    untyped = crew.planner if "type" in (crew.roles[crew.planner].fields if crew.planner else ()) and not crew.types else ""
    for field, name, wrong in (
        ("name", "", f"the file is called {path.stem!r}" if crew.name != path.stem else ""),
        ("pool", twice, f"{twice!r} is listed twice" if twice else ""),
        ("planner", untyped, f"{untyped!r} gives types, but no agent of the pool has one" if untyped else ""),
        ("pool", circle, f"agents amend each other in a circle, from {circle!r} on" if circle else ""),
        ("lanes", "", _single_file(crew, crew.details) if crew.lanes > 1 else ""),
    ):
        if wrong:
            raise ConfigError(f"{path}, line {_line(crew.text, field, name)}, field {field!r}: {wrong}.")


def _amenders(crew: Crew, name: str) -> list[str]:
    """The agents that continue an agent's rejected work: first its amender, then that agent's amender, and so on."""
    found: list[str] = []
    while (name := crew.amends.get(name, "")) and name not in found:
        found.append(name)
    return found


TRIAL = """\
name = "trial"
description = "One agent, tried on one task."
pool = ["{agent}"]
planner = ""
assigns = []
"""


def on_trial(agent: Role, roles: Mapping[str, Role]) -> Crew:
    """A crew in which this agent does the whole task alone."""
    return parse_crew(TRIAL.format(agent=agent.name), Path("the crew of a trial"), {**roles, agent.name: agent})


def _single_file(crew: Crew, details: Collection[str]) -> str:
    """Why a crew's subtasks can only be done one after another; '' if they can be done concurrently."""
    if not crew.planner:
        first = crew.roles[crew.pool[0]]
        return "" if "delegate" in first.fields else f"there is no planner, and {first.name} does not delegate"
    if crew.groups:
        return "with groups, subtasks are done one after another"
    return "" if "needs" in details else "lanes need a planner with \"needs\" in its 'fields'"


ALONE = "Worker"
"""The agent that has every action, and can replace a pool."""
SCHEDULER, REVIEWER, CHOOSER = "TaskScheduler", "Reviewer", "SkillChooser"


def _pool(names: Sequence[str], roles: Mapping[str, Role]) -> tuple[str, ...]:
    """The names in a pool, with :data:`EVERYBODY` replaced by the agents that it stands for."""
    joining = {role.name for role in roles.values() if role.kind == "decision" and role.joins}
    others = sorted(joining - {ALONE, *names})
    return tuple(each for name in names for each in (others if name == EVERYBODY else [name]))


def _named(crew: Crew) -> list[tuple[KindName, str]]:
    """The roles of a crew, each with the kind that it must be of."""
    named: list[tuple[KindName, str]] = [("decision", name) for name in crew.pool]
    for name, kind in KINDS.items():
        if name != "decision" and (role := str(getattr(crew, kind.named_by))):
            named.append((name, role))
    return named


def without_pool(crew: Crew) -> Crew:
    """The crew with one agent that has every action in place of its pool (COLA's table 2): ``--no-pool``. Raises ConfigError
    if that agent does not exist."""
    if ALONE not in crew.roles:
        raise ConfigError(f"--no-pool needs the role {ALONE!r}, which does not exist.")
    return crew.model_copy(update={"pool": (ALONE,), "name": f"{crew.name}-no-pool"})


_CHANGES: Mapping[str, Mapping[str, object]] = {
    "reviewer": {"review": "rules"},
    "checker": {"checker": ""},
    "backtracker": {"backtracker": ""},
    "planner": {"planner": "", "lanes": 1},
    "scheduler": {"assigns": ("planner",)},
    "batch": {"batch": 1},
}


_FORCE_STOP: tuple[str, ...] = ("appeals", "repairs", "replans")
"""The limits that end a run whose work is rejected repeatedly (CoAct's force stop)."""


def without_parts(crew: Crew, without: Sequence[str]) -> Crew:
    """The crew without the named parts (:data:`SWITCHES`); each but these two has an option ``--no-NAME``. ``batch``: one
    operation per decision (``--single``); ``chooser``: no role chooses skills, so that a model that may only use skills
    works like any other. ``skills``: none are offered (``request.prepare``) or chosen, and the checker scores no code.
    ``force-stop``: of the limits on rejected work only the user's own end the run.

    Raises ConfigError for another name.
    """
    for switch in without:
        if switch not in SWITCHES:
            raise ConfigError(
                f"This part of a crew cannot be left out: {switch!r}.", hint=f"These can be left out: {', '.join(SWITCHES)}."
            )
        changes: dict[str, object] = {**_CHANGES.get(switch, {}), "left_out": (*crew.left_out, switch)}
        if switch == "force-stop":
            changes["limits"] = crew.limits.model_copy(update=dict.fromkeys(_FORCE_STOP, LARGEST_INTEGER))
        crew = crew.model_copy(update={**changes, "name": f"{crew.name}-no-{switch}"})
    return crew


def with_lanes(crew: Crew, lanes: int) -> Crew:
    """The crew with up to ``lanes`` subtasks worked on concurrently (``--lanes N``), whose planner says what each of them
    needs. Raises ConfigError for a crew in which nobody plans or delegates, or that groups the subtasks of an agent."""
    if lanes == 1:
        return crew.model_copy(update={"lanes": 1})
    if wrong := _single_file(crew, ("needs",)):
        raise ConfigError(f"Crew {crew.name!r} cannot use lanes: {wrong}.")
    if not crew.planner:
        return crew.model_copy(update={"lanes": lanes})
    planner = crew.roles[crew.planner]
    told = planner.model_copy(update={"fields": tuple(dict.fromkeys((*planner.fields, "needs")))})
    return crew.model_copy(update={"lanes": lanes, "roles": {**crew.roles, planner.name: told}})


def with_actions(crew: Crew, added: tuple[ActionFile, ...]) -> Crew:
    """The crew with added actions. Each goes to the agents that it names in ``roles`` and to those whose file names it. If
    none of these is in the pool, it goes to all agents of the pool that have any action, so that an action needs no other
    file. Planner and scheduler are told its summary.

    Raises ConfigError if an action names an unknown agent.
    """
    roles = dict(crew.roles)
    agents = sorted(role.name for role in roles.values() if role.kind == "decision")
    for action in by_name(added).values():
        if other := next((name for name in action.roles if name not in agents), None):
            raise unknown(f"The action {action.name!r} is for an unknown agent: {other!r}", other, agents, ConfigError)
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
        users = [name for name in crew.pool if _may_use(roles[name], skill)]
        if users and skill.action not in names:
            offered.append(skill)
            action = as_action(skill)
            for name in users:
                roles[name] = _able(roles[name], action, told=False)
    return crew.model_copy(update={"roles": roles, "skills": tuple(offered)})


def _may_use(role: Role, skill: Skill) -> bool:
    return functions(skill) <= set(role.domain) or (role.services and skill.method.request is not None)


def _able(role: Role, action: Action, *, told: bool = True) -> Role:
    """The role with one more action. ``told``: whether planners are told that the agent can do it."""
    return role.model_copy(
        update={
            "domain": tuple(dict.fromkeys((*role.domain, action.name))),
            "further": ({action.name: action.summary} if told else {}) | role.further,
        }
    )


def within_reach(crew: Crew, actions: Collection[str]) -> Crew:
    """The crew without agents that could do nothing in this run, because none of their actions is among the available
    ``actions``, or one that they need is missing. An agent without any action only thinks, and always stays. Agents list a
    further skill if its action is available."""
    there = set(actions)
    crew = _skilled(crew, lambda role: [skill for action, skill in role.further.items() if action in there])
    able = tuple(
        role.name for role in crew.agents if not role.domain or (there & set(role.domain) and there >= set(role.needs))
    )
    return crew.model_copy(update={"pool": able}) if able else crew


def with_makes(crew: Crew) -> Crew:
    """The crew, with what agents can make added to their skills."""
    return _skilled(crew, lambda role: [role.makes] if role.makes else [])


def _skilled(crew: Crew, more: Callable[[Role], list[str]]) -> Crew:
    """The crew with further skills appended to those of its agents."""
    roles = {
        role.name: role.model_copy(update={"skills": " ".join((role.skills, *skills))})
        for role in crew.agents
        if (skills := more(role))
    }
    return crew.model_copy(update={"roles": {**crew.roles, **roles}}) if roles else crew
