"""The request for a run: checked before anything is started, and read back from a journal to resume it."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import stat
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import PlainSerializer

from deskcrew.actions import added, builtin
from deskcrew.actions.action import Action
from deskcrew.actions.allowed import Allowed
from deskcrew.engine.human.questions import MODES, Mode
from deskcrew.engine.limits import limits_of
from deskcrew.engine.roles import crew as crews
from deskcrew.engine.roles import recorded
from deskcrew.engine.roles import role as roles_
from deskcrew.engine.roles.crew import (
    MOST_LANES,
    SWITCHES,
    Crew,
    load_crew,
    on_trial,
    with_actions,
    with_lanes,
    with_skills,
    without_parts,
    without_pool,
)
from deskcrew.engine.roles.descriptions import Experience
from deskcrew.engine.roles.draft import Guide
from deskcrew.engine.roles.examples import refuse_unusable
from deskcrew.engine.roles.role import Role, load_files, load_roles, parse_role
from deskcrew.environments.desk import Desk
from deskcrew.environments.environment import Browser, Desktop
from deskcrew.environments.placing import copy_tree
from deskcrew.environments.suitable import measure, refuse_place
from deskcrew.environments.trees import FOLDER, remove
from deskcrew.environments.workspace import TRASH
from deskcrew.errors import ConfigError, UnknownError, UsageError
from deskcrew.facts.contract import Contract
from deskcrew.facts.events import YOURS, ConfirmedReading, DesktopKind, HumanSaid, RunStarted, WordsOf
from deskcrew.facts.meant import did_you_mean, unknown
from deskcrew.facts.run_settings import SCREEN, MemoryUse, Opened, RunSettings, SearchService
from deskcrew.facts.texts import is_name
from deskcrew.journal.journal import Journal
from deskcrew.learning.memory.factory import packaged_embedder
from deskcrew.learning.skills import folders as skills
from deskcrew.learning.skills.course import Course
from deskcrew.learning.skills.offering import fitting, nearest
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import OFFERED, Trials
from deskcrew.learning.skills.wording import values_in
from deskcrew.models import profiles
from deskcrew.models.client import Profile
from deskcrew.models.options import ModelOptions
from deskcrew.models.prices import price_known
from deskcrew.secrets.binding import Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.store import SecretStore
from deskcrew.settings import LARGEST_INTEGER, Limits, Settings

LARGEST_SCALE, MOST_MONITORS = 3.0, 4
MOST_ATTEMPTS = 10


def _asked_for(limits: Limits) -> dict[str, Any]:
    return limits.model_dump(exclude_unset=True)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request for a run. ``task``: what to do, in plain words; ``model`` and ``crew``: as ``--model`` and ``--crew`` take
    them; ``workspace`` None: a new folder beside the journal; ``attachments`` are copied into it."""

    task: str
    model: str = "local"
    crew: str = "default"
    workspace: Path | None = None
    copy: bool = False
    """Work in a copy of ``workspace``, which is only read: any number of runs may do so."""
    yes: bool = False
    """Do not ask whether a small model's reading of the task is right; if it chooses one of the user's own skills, that
    counts as confirmed."""
    plan_only: bool = False
    """Stop after contract and plan; a resumed run carries them out."""
    attachments: tuple[Path, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict[str, str])
    """What to say of each file that the task names and that is not where the user stands, by name."""
    desktop: DesktopKind = "virtual"
    at: str = ""
    """The agent of a Windows desktop: ``stdio:COMMAND``, or the address where it listens, ``wss://HOST:PORT``."""
    screen: tuple[int, int] = SCREEN
    """Pixels of each monitor of a virtual desktop."""
    scale: float = 1.0
    """Display scale: physical pixels per logical pixel, 1 to 3; 2 is 200 %."""
    monitors: int = 1
    """Number of monitors of a virtual desktop, side by side."""
    opened: tuple[Opened, ...] = ()
    """Programs to open on a virtual desktop before the first observation, the lowest window first."""
    home: tuple[str, ...] = ()
    """Folders of the home of a virtual desktop's programs, such as ``.config/NAME``, that lie in the workspace under the
    same path: what a program keeps there outlasts the desktop."""
    url: str = ""
    """Page that the browser opens first: an address, or a file in the workspace."""
    endpoint: str = ""
    """Debugging address of an open browser to use; '' starts a browser in a sandbox."""
    session: str = ""
    """Name under which a browser's cookies are kept for later runs; '': they are discarded at the end."""
    pool: bool = True
    without: tuple[str, ...] = ()
    """Parts of the crew to leave out: names of ``SWITCHES`` in ``engine/roles/crew.py``."""
    mode: Mode = "automatic"
    """How much a person takes part: automatic, passive or active. What needs approval is denied if nobody is there."""
    modes: tuple[tuple[str, Mode], ...] = ()
    """Modes of single roles, as (role, mode)."""
    seed: int | None = None
    limits: Annotated[Limits, PlainSerializer(_asked_for)] = field(default_factory=Limits)
    """Limits that were not set here are the crew's, even if the request is sent to another process first."""
    network: bool = False
    hosts: tuple[str, ...] = ()
    """Hosts that programs may reach while ``network`` is False; see ``HostRule.parse``."""
    unsafe_host: bool = False
    policy: Path | None = None
    """A policy file. None: the user's own, else the built-in one."""
    secrets: tuple[Secret, ...] = ()
    """Secrets that this run may type. It does not know any others."""
    memory: MemoryUse = "off"
    """Whether roles remember earlier runs. ``read``: nothing of this run is stored; ``off``: nothing is recalled either. The
    command line and the web app default to the settings."""
    course: Course | None = None
    """The course to propose lessons for: the run does nothing else (``proposing.py``)."""
    guide: Guide | None = None
    """The guide to draft an agent from: the run does nothing else (``proposing.py``)."""
    experience: Experience | None = None
    """The agent to describe anew: the run does nothing else (``proposing.py``)."""
    attempts: int = 1
    """The maximum number of attempts, each from the same start, until one is proven (``attempts.py``)."""
    lanes: int = 0
    """The maximum number of subtasks worked on in parallel; 0: as the crew says."""
    desks: int = 1
    """The maximum number of browsers or virtual desktops for its lanes, the run's own included: see :func:`with_desks`."""
    agent: str = ""
    """The text of a role file that is in no folder yet: its agent does the whole task instead of the crew, with
    built-in actions and roles only, and reaches no host. '': no agent is on trial."""
    follows: str = ""
    """Id of the run that this one follows; its roles are told what that run did (``following.py``)."""
    meant: ConfirmedReading | None = None
    """The reading of the task that a person confirmed beforehand: a small model that reads it the same way asks nobody."""
    words_of: WordsOf = "person"
    """Whose words the task is in: an agent's words, or those of a run that an arriving file begins, authorize nothing that
    the guard asks about."""
    required: Contract | None = None
    """What must hold in the end, as stated by the user: in addition to the contract that a model writes, or alone."""


LENT = "lent"
"""Instead of an endpoint: an environment that belongs to the program that began the run."""


class Own(NamedTuple):
    """What the program that begins a run adds to it: actions, and files of roles."""

    actions: tuple[added.ActionFile, ...] = ()
    roles: tuple[Path, ...] = ()


NOTHING = Own()


def lent(request: RunRequest, environment: Desktop) -> RunRequest:
    """The request for a run in an environment that was lent, which the guard treats as the user's own. Raises UsageError if
    the request asks for another desktop."""
    kind = "browser" if isinstance(environment, Browser) else "real"
    if request.desktop != kind:
        told = "A browser is lent, but not asked for." if kind == "browser" else "Another desktop is lent than asked for."
        raise UsageError(told, hint=f'Ask for desktop="{kind}".')
    return replace(request, endpoint=LENT)


def usual(settings: Settings) -> RunRequest:
    """The base of a request: model, crew and limits of the settings, and no task yet."""
    return RunRequest("", model=settings.model, crew=settings.crew, limits=settings.limits)


def prepare(
    request: RunRequest,
    settings: Settings,
    offered: Iterable[Skill] | None = None,
    needed: Collection[str] | None = None,
    own: Own = NOTHING,
) -> Crew:
    """Check the request and load its crew. ``offered``: the skills to offer, None for those relevant to the task;
    ``needed``: see :func:`offered_actions`; ``own``: the caller's actions and roles. Raises UsageError for an invalid
    request, ConfigError for an invalid file of a role, crew or action."""
    if request.copy and request.workspace is None:
        raise UsageError("There is no folder to copy.", hint="Name it: --workspace DIR.")
    if not isinstance(request.task, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # Python's callers may give any
        raise UsageError(
            f"The task must be a string, not {request.task!r}.", hint='Say what is to be done: "Sort sales.csv."'
        )
    if not request.task.strip():
        raise UsageError("The task is empty.", hint='Say what is to be done: deskcrew run "..."')
    if request.task.encode("utf-8", "replace").decode() != request.task:
        raise UsageError("The task is not valid UTF-8 text.")
    if request.seed is not None and abs(request.seed) > LARGEST_INTEGER:
        raise UsageError(f"The seed {request.seed} is too large.", hint=f"Use one up to {LARGEST_INTEGER}.")
    for file in request.attachments:
        if not file.is_file():
            hint = "Name a file that exists; a folder is worked on as the workspace."
            raise UsageError(f"There is no file {file} to attach.", hint=hint)
    if not 1 <= request.attempts <= MOST_ATTEMPTS:
        raise UsageError(f"There cannot be {request.attempts} attempts.", hint=f"Give 1 to {MOST_ATTEMPTS}.")
    if not 0 <= request.lanes <= MOST_LANES:
        raise UsageError(f"There cannot be {request.lanes} lanes.", hint=f"Give 1 to {MOST_LANES}.")
    if request.attempts > 1 and (request.desktop in YOURS or request.endpoint or request.unsafe_host):
        hint = "Leave out --attempts, or use a virtual desktop or a browser of the run's own."
        raise UsageError("Several attempts need a workspace that can be recreated for each.", hint=hint)
    if request.opened and request.desktop != "virtual":
        raise UsageError("Only on a virtual desktop can programs be opened before the run.", hint="Leave out --open.")
    scaled, several = request.scale != 1, request.monitors != 1
    if (scaled and request.desktop not in ("virtual", "browser")) or (several and request.desktop != "virtual"):
        raise UsageError(
            "Only a virtual desktop can be given a scale or monitors.", hint="Leave out --scale and --monitors."
        )
    if not 1 <= request.scale <= LARGEST_SCALE or not 1 <= request.monitors <= MOST_MONITORS:
        asked = f"a scale of {request.scale:g} with {request.monitors} monitors"
        hint = f"Scales are 1 to {LARGEST_SCALE:g}, monitors 1 to {MOST_MONITORS}."
        raise UsageError(f"A virtual desktop cannot have {asked}.", hint=hint)
    if (request.desktop == "windows") != bool(request.at):
        hint = "Give both, for example --desktop=windows --at=stdio:deskcrew-windows-agent.exe (`deskcrew docs windows`)."
        raise UsageError("A Windows desktop needs an address, and no other desktop has one.", hint=hint)
    _check_browser(request)
    if request.hosts and (request.unsafe_host or request.network):
        way, option = ("Without a sandbox", "unsafe-host") if request.unsafe_host else ("With the whole network", "network")
        hint = f"Leave out one of --allow-host and --{option}."
        raise UsageError(f"{way} programs reach every host, so hosts cannot be restricted.", hint=hint)
    if request.agent:
        crew = on_trial(parse_role(request.agent, Path("the agent on trial")), load_roles((roles_.BUILTIN,)))
        check_changes(request, crew, settings)
        return crew
    actions = added.distinct((*offered_actions(settings, needed), *own.actions))
    names = added.by_name(actions)
    roles = load_roles(role_folders(settings), names) | {role.name: role for role in load_files(own.roles, names)}
    crew = load_crew(request.crew, crew_folders(settings), roles)
    refuse_unusable(crew)
    if unknown := set(request.without) - set(SWITCHES):
        hint = f"These can be left out: {', '.join(SWITCHES)}."
        raise UsageError(f"This part of a crew cannot be left out: {', '.join(sorted(unknown))}.", hint=hint)
    crew = with_actions(without_parts(crew if request.pool else without_pool(crew), request.without), actions)
    crew = with_lanes(crew, request.lanes) if request.lanes else crew
    crew = with_skills(crew, offered_skills(request, settings) if offered is None else offered)
    check_changes(request, crew, settings)
    return crew


def role_folders(settings: Settings) -> tuple[Path, ...]:
    """The folders searched for role files: the project's, the user's, Deskcrew's own."""
    return Path.cwd() / ".deskcrew" / "roles", settings.config / "roles", roles_.BUILTIN


def all_roles(settings: Settings) -> dict[str, Role]:
    """Every role that has a file, by name. Raises ConfigError if a file is invalid."""
    return load_roles(role_folders(settings), added.by_name(offered_actions(settings)))


def crew_folders(settings: Settings) -> tuple[Path, ...]:
    """The folders searched for crew files, in order of precedence."""
    return Path.cwd() / ".deskcrew" / "crews", settings.config / "crews", crews.BUILTIN


def crew_names(settings: Settings) -> list[str]:
    """Names of all crews available to a run."""
    return sorted({path.stem for folder in crew_folders(settings) for path in folder.glob("*.toml")})


def action_sources(settings: Settings) -> tuple[added.ActionSource, ...]:
    """Where actions come from: folders, installed packages, and the servers that ``.mcp.json`` names. Executes none of their
    code; raises ConfigError for an installed package that cannot be loaded."""
    files = added.find(Path.cwd() / ".deskcrew" / added.FOLDER, settings.config / added.FOLDER)
    return files + added.find_servers(Path.cwd(), settings.config)


def offered_actions(settings: Settings, needed: Collection[str] | None = None) -> tuple[added.ActionFile, ...]:
    """The added actions that a run has. ``needed``: the names that it needs, None if it may need any. Raises ConfigError for
    a file that nobody has allowed, unless all needed actions are there without it. A server that nobody has allowed is left
    out, as ``.mcp.json`` may be meant for others: see :func:`unused_servers`."""
    if needed is not None and {*needed} <= {*builtin(), *added.by_name(trusted := _trusted_actions(settings))}:
        return trusted
    allowed = Allowed(settings.config).digests()
    sources = (each for each in action_sources(settings) if each.origin != "server" or each.trusted(allowed))
    return added.load(sources, allowed)


def unused_servers(settings: Settings) -> tuple[str, ...]:
    """A sentence for each server that runs leave out, saying why."""
    allowed = Allowed(settings.config).digests()
    return tuple(
        f"{each.problem.removesuffix('.')}."
        if each.problem
        else f"The MCP server {each.name} is not used, as nobody has allowed it: `deskcrew actions connect {each.name}`."
        for each in added.find_servers(Path.cwd(), settings.config)
        if not each.trusted(allowed)
    )


def own_skills(settings: Settings) -> Path:
    """The user's own folder of skills."""
    return settings.own / skills.FOLDER


def skill_folders(settings: Settings) -> tuple[tuple[skills.Origin, Path], ...]:
    """The folders of all skills, each with its origin. Reads none of them."""
    return tuple(skills.find(Path.cwd() / ".deskcrew" / skills.FOLDER, own_skills(settings), skills.SHIPPED))


def allowed_skills(settings: Settings) -> Allowed:
    """The project skills that a person has allowed."""
    return Allowed(settings.own, skills.ALLOWED)


def skill_source(name: str, settings: Settings) -> skills.Source:
    """The skill of this name, whether or not it may be used. Raises UsageError if there is none, ConfigError if it is
    unreadable."""
    origin, folder = skill_folder(name, settings)
    return skills.read(folder, origin)


def skill_folder(name: str, settings: Settings) -> tuple[skills.Origin, Path]:
    """The folder of the skill of this name, without reading it. Raises UnknownError if there is none."""
    there = skill_folders(settings)
    for found in there:
        if found[1].name == name:
            return found
    meant = did_you_mean(name, (folder.name for _, folder in there), most=2)
    raise UnknownError(f"There is no skill {name!r}.{meant}", hint="deskcrew skill list --shipped")


def usable_skill(name: str, settings: Settings, notice: Callable[[str], None] = lambda _: None) -> Skill:
    """The skill of this name: the project's if it is allowed, else the user's own, about which ``notice`` is told. Raises
    UsageError if there is none, ConfigError if nobody has allowed it."""
    source = skill_source(name, settings)
    allowed = allowed_skills(settings).digests()
    if source.trusted(allowed):
        return skills.load(source)
    why = "it has changed since you allowed it" if changed(source, allowed) else "nobody has allowed it yet"
    told = f"The skill {name} came with {source.folder.parent}, and {why}"
    own = own_skills(settings) / name
    if (own / skills.ABOUT).exists():
        notice(f"{told}: yours is used.")
        return skills.load(skills.read(own, "user"))
    raise ConfigError(f"{told}.", hint=f"Look at it: deskcrew skill show {name} --code; then: deskcrew skill allow {name}")


def changed(source: skills.Source, allowed: Mapping[str, str]) -> bool:
    """Whether a skill that may not be used was allowed before it changed. ``allowed``: paths of skills, by digest."""
    return str(source.folder) in allowed.values()


def offered_skills(request: RunRequest, settings: Settings, profile: Profile | None = None) -> tuple[Skill, ...]:
    """The skills that a run is offered: those that may be used, have worked on two inputs, type only the run's secrets, and
    are relevant to the task. One input is enough if a person is asked about a small model's reading of the task, and none is
    needed of a skill that ships, to whatever reading they objected. Unreadable skills are left out; () if the request leaves
    skills out. ``profile``: the profile of the run's model, None for that of the model that the request names."""
    if "skills" in request.without:
        return ()
    profile = profile or profile_of(request.model, settings)
    allowed, trials = allowed_skills(settings).digests(), Trials(settings.data)
    small = not profile.freely
    secrets, found, names = {secret.name for secret in request.secrets}, list[Skill](), set[str]()
    for origin, folder in skill_folders(settings):
        with suppress(ConfigError):
            if folder.name in names:
                continue
            if origin == "shipped":
                skill = skills.shipped_skill(folder)
            elif (source := skills.read(folder, origin)).trusted(allowed):
                names.add(source.name)
                skill = skills.load(source)
            else:
                continue
            usual = trials.score(skill.digest, shipped=skill.shipped) >= OFFERED
            asked = skill.shipped or (trials.worked(skill.digest) and values_in(request.task, skill.method) is None)
            if usual or (small and asked):
                found.append(skill)
    usable = tuple(each for each in found if set(each.method.provenance.secrets) <= secrets)
    near = fitting if profile.freely else nearest
    return near(_with_plain_names(request), usable, packaged_embedder(settings.memory))


def _with_plain_names(request: RunRequest) -> str:
    """The task without the spaces in the names of its files, so that what a file is called is not taken for words."""
    folder, task = request.workspace, request.task
    there = os.listdir(folder) if folder is not None and folder.is_dir() and os.access(folder, os.R_OK) else ()
    for name in (*there, *(file.name for file in request.attachments)):
        task = task.replace(name, name.replace(" ", "_")) if "." in name else task
    return task


def profile_of(model: str, settings: Settings) -> Profile:
    """The profile of the model of that name."""
    return profiles.find(model, user_file=ModelOptions.of(settings).profiles_file).profile


def asking_what_is_meant(request: RunRequest, settings: Settings) -> RunRequest:
    """The request, changed so that a person is asked about a small model's reading of the task, whatever the mode; unchanged
    if its model is not small. Raises UsageError and ConfigError as :func:`prepare` does."""
    if profile_of(request.model, settings).freely:
        return request
    crew = prepare(request, settings, offered=())
    return replace(request, modes=(*request.modes, (crew.chooser, "passive"))) if crew.chooser in crew.roles else request


def usable_actions(settings: Settings) -> dict[str, Action]:
    """The actions of all files whose code may be executed, by name, for display; without files that nobody has allowed yet.
    Raises ConfigError if a file is invalid."""
    return added.by_name(_trusted_actions(settings))


def _trusted_actions(settings: Settings) -> tuple[added.ActionFile, ...]:
    allowed = Allowed(settings.config).digests()
    return added.load((source for source in action_sources(settings) if source.trusted(allowed)), allowed)


def able_again(crew: Crew, settings: Settings, own: Own = NOTHING) -> Crew:
    """A recorded crew with the code of its actions. ``own``: the caller's actions and roles. Raises UsageError if code is
    missing or not allowed."""
    if not crew.added:
        return crew
    files = added.with_code(crew.added, action_sources(settings), Allowed(settings.config).digests(), own.actions)
    return crew.model_copy(update={"added": files})


def _check_browser(request: RunRequest) -> None:
    """Raise UsageError if the options of a browser do not fit the request."""
    if request.desktop != "browser" and (request.url or request.endpoint not in ("", LENT) or request.session):
        raise UsageError("Only a browser has a URL, an endpoint or a session.", hint="Say --desktop browser.")
    if request.session and not is_name(request.session):
        raise UsageError(f"{request.session!r} cannot be the name of a session.", hint="Letters, digits, '.', '_' and '-'.")
    if request.endpoint and request.session:
        raise UsageError("A browser that is already open keeps its own session.", hint="Leave out one of the two.")


def check_changes(request: RunRequest, crew: Crew, settings: Settings) -> None:
    """Check what may be changed when a run is continued: model, limits, modes. Raises UsageError if one is invalid."""
    if request.limits.money is not None and not price_known(request.model, settings.prices):
        raise UsageError(
            f"A money limit cannot be enforced: the price of {request.model} is not known.",
            hint=f'Give it in settings.toml, in US dollars per million tokens: [prices."{request.model}"] input = 1.0, '
            "output = 4.0, cached = 0.1. Or bound what the run may use: --limit money=none --limit tokens=N.",
        )
    grounding = settings.grounding.model
    if request.limits.money is not None and grounding and grounding not in settings.prices:
        raise UsageError(
            f"A money limit cannot be enforced: the price of the grounding model {grounding} is not known.",
            hint=f'Give it in settings.toml: [prices."{grounding}"] input = 0, output = 0 for one that costs nothing.',
        )
    there = recorded.role_kinds(crew)
    for role, _ in request.modes:
        if role not in there:
            raise unknown(f"There is no role {role!r} in the crew {crew.name}", role, there)


def role_modes(given: Iterable[str]) -> tuple[tuple[str, Mode], ...]:
    """The modes of single roles from ``ROLE=MODE`` pairs. Raises UsageError for anything else."""
    known: dict[str, Mode] = {mode: mode for mode in MODES}
    found: dict[str, Mode] = {}
    for pair in given:
        role, _, name = pair.partition("=")
        if not role or name not in known:
            hint = f"For example --mode-of Operator=active. Modes: {', '.join(MODES)}."
            raise UsageError(f"--mode-of {pair!r} is not ROLE=MODE.", hint=hint)
        found[role] = known[name]
    return tuple(found.items())


def existing_folder(path: Path) -> Path:
    """The folder that a person named to work in, as an absolute path. Raises UsageError if it is not a folder."""
    if path.is_dir():
        return path.resolve()
    if path.exists():
        raise UsageError(f"The workspace {str(path)!r} is not a folder.", hint="Name a folder.")
    hint = f"Make it first: {shlex.join(('mkdir', '-p', str(path)))}"
    raise UsageError(f"There is no folder {str(path)!r} to work in.", hint=hint)


def workspace_of(request: RunRequest, settings: Settings) -> tuple[Path, str | None]:
    """The run's folder with the attachments in it, and the run's name if the folder was made for it.

    Raises UsageError for a folder that no crew may change, see ``environments/suitable.py``.
    """
    name = None
    folder = None if request.copy else request.workspace
    if folder is None:
        name = time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
        folder = settings.data / "workspaces" / name
        make_data_folder(settings)
    else:
        refuse_place(folder, settings.data, (settings.config, settings.models))
    try:
        with removed_unless_begun(folder, name) as made:
            # Nobody else's business, unless it is a folder that the user chose.
            folder.mkdir(parents=True, exist_ok=True, mode=0o777 if name is None else 0o700)
            os.scandir(folder).close()
            os.stat(f"{folder}/.")  # fails where it may be listed, and nothing in it opened
            if request.copy and request.workspace is not None:
                _copy(request.workspace, folder, settings)
            for file in request.attachments:
                target = folder / file.name
                if target.exists() and not target.samefile(file):
                    raise UsageError(f"{target} already exists; {file} was not attached.", hint="Rename one of them.")
                if not target.exists():
                    shutil.copy2(file, target)
                    # The protection is the original's; the copy is there to be worked on.
                    target.chmod(target.stat().st_mode | stat.S_IWUSR)
            made.pop_all()
    except OSError as error:
        raise UsageError(f"The workspace {folder} cannot be used: {error.strerror}.", hint="Name another.") from error
    return folder.resolve(), name


def _copy(source: Path, goal: Path, settings: Settings) -> None:
    """Copy a folder's contents, except for its trash. Raises UsageError if it is too large or unsuitable for a crew,
    and OSError."""
    refuse_place(source, settings.data, (settings.config, settings.models))
    measure(source, files=settings.workspace_files, size=settings.workspace_bytes)
    deque(copy_tree(source, goal, lambda found: found.path != TRASH), maxlen=0)


def removed_unless_begun(folder: Path, name: str | None) -> ExitStack:
    """A context that on exit removes a workspace made for a run, unless ``pop_all`` was called because the run has begun.
    ``name``: the run's name, None if the folder was not made for it."""
    stack = ExitStack()
    if name is not None:
        stack.callback(remove_workspace, folder)
    return stack


def make_data_folder(settings: Settings) -> None:
    """Create the folder of the journal and the runs. Raises UsageError if that fails."""
    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        hint = "Name a folder that you may write to: --data DIR or DESKCREW_DATA."
        raise UsageError(f"The data folder {settings.data} cannot be used: {error.strerror}.", hint=hint) from error


_KEPT = RunSettings.model_fields.keys() & {each.name for each in fields(RunRequest)} - {
    "secrets",
    "limits",
    "course",
    "guide",
    "experience",
}
"""The fields that a request shares with the recorded settings of its run."""
_ALWAYS = frozenset({"hosts", "model", "network", "opened", "pool", "screen", "scale", "monitors", "unsafe_host"})
"""The shared fields that are recorded even if they have their default."""
_OF_BROWSER = frozenset({"url", "endpoint", "session"})


def settings_of(request: RunRequest, desk: Desk, prices: str = "") -> RunSettings:
    """The settings of a run as its events record them, with its search service, and with names and bindings of secrets, but
    never their values. ``prices``: where the prices of model calls come from, if they are known."""
    said = _ALWAYS | _OF_BROWSER if request.desktop == "browser" else _ALWAYS
    usual = RunSettings()
    kept = {name: getattr(request, name) for name in _KEPT}
    found: dict[str, object] = {
        "copy_of": str(request.workspace) if request.copy else "",
        "prices": prices,
        "search": SearchService(provider=desk.search.name, host=desk.search.host) if desk.search is not None else None,
        "points": desk.points,
        "course": request.course.model_dump(mode="json") if request.course is not None else None,
        "guide": request.guide.model_dump(mode="json") if request.guide is not None else None,
        "experience": request.experience.model_dump(mode="json") if request.experience is not None else None,
        "grounding": desk.grounder.name if desk.grounder is not None else "",
    }
    return RunSettings.model_validate(
        {name: value for name, value in (kept | found).items() if name in said or value != getattr(usual, name)}
        | {
            "limits": request.limits.model_dump(mode="json"),
            "secrets": [secret.name for secret in request.secrets],
            "bindings": {secret.name: (secret.binding.apps, secret.binding.hosts) for secret in request.secrets},
        }
    )


def request_of(journal: Journal) -> RunRequest:
    """The request with which the run began, with the modes and limits that the user has set since, on any branch."""
    begun = journal.state.started
    assert begun is not None
    told = begun.settings
    mode, modes = _modes(journal, begun)
    kept: dict[str, Any] = {name: getattr(told, name) for name in _KEPT} | {"model": told.model or begun.model}
    kept["plan_only"] = False  # that it was made is why the run ended
    return RunRequest(
        mode=mode,
        modes=modes,
        task=begun.task,
        words_of=begun.words_of,
        crew=recorded.asked_crew(begun),
        workspace=Path(begun.workspace),
        desktop=begun.desktop,
        meant=begun.meant,
        seed=begun.seed,
        limits=limits_of(journal.all),
        course=Course.model_validate(told.course) if told.course is not None else None,
        guide=Guide.model_validate(told.guide) if told.guide is not None else None,
        experience=Experience.model_validate(told.experience) if told.experience is not None else None,
        **kept,
    )


def _modes(journal: Journal, begun: RunStarted) -> tuple[Mode, tuple[tuple[str, Mode], ...]]:
    """The mode that was set last, and those of single roles that differ from it."""
    said = {"": begun.mode}
    for event in journal.all:
        if isinstance(event.body, HumanSaid) and event.body.kind == "mode":
            said[event.body.role or ""] = event.body.text
    known: dict[str, Mode] = {mode: mode for mode in MODES}
    mode = known.get(said.pop(""), "automatic")
    return mode, tuple((role, known[name]) for role, name in said.items() if name in known and name != mode)


def with_desks(request: RunRequest, crew: Crew, settings: Settings) -> RunRequest:
    """The request with as many browsers or virtual desktops as the settings allow its lanes. Only one if it is the user's
    own desktop, or a browser that was open before."""
    counts: dict[DesktopKind, int] = {"browser": settings.desks.browsers, "virtual": settings.desks.virtual}
    most = 1 if request.endpoint else counts.get(request.desktop, 1)
    return replace(request, desks=min(crew.lanes, most))


def with_desktop_if_needed(request: RunRequest, crew: Crew, profile: Profile) -> RunRequest:
    """The request, without its virtual desktop if nobody would use that: the model can only use skills, and no offered skill
    needs a desktop."""
    skills_only = crew.chooser in crew.roles and not profile.freely
    if request.desktop != "virtual" or request.opened or not skills_only:
        return request
    if any(skill.method.provenance.desktop != "none" for skill in crew.skills):
        return request
    return replace(request, desktop="none", scale=1.0, monitors=1)


def secrets_of(journal: Journal) -> set[str]:
    """Names of the secrets that a run began with."""
    begun = journal.state.started
    return set(begun.settings.secrets) if begun is not None else set()


def sieve(journal: Journal, opened: Callable[[], SecretStore]) -> Callable[[bytes], bool] | None:
    """The test of whether bytes contain a secret that a run was allowed; None if none of its secrets is still stored.

    No secret ever gets into a journal; this makes sure of it before one is exported. ``opened``: the user's store,
    opened only if needed.
    """
    names = secrets_of(journal)
    if not names:
        return None
    store = opened()
    # Of a run from elsewhere, or a secret that was removed since, there is nothing to look for.
    redactor = Redactor([store.get(name) for name in sorted(names & store.list().keys())])
    return redactor.holds if redactor else None


def remove_workspace(folder: Path) -> None:
    """Remove a folder that was made for a run, however deeply nested."""
    with suppress(OSError):
        parent = os.open(folder.parent, FOLDER)
        try:
            remove(parent, folder.name)
        finally:
            os.close(parent)
