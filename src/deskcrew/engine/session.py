"""One run: the composition root and the process boundary."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypedDict, TypeVar, Unpack

import anyio
import anyio.to_thread

from deskcrew.actions import media, readers
from deskcrew.actions.added import by_name, changed_servers
from deskcrew.actions.applications import OPEN_APPLICATION
from deskcrew.actions.files import remove_half_written
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine import browsers, rewind
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.browsers import hosts_of
from deskcrew.engine.context import Run
from deskcrew.engine.following import earlier, spoken
from deskcrew.engine.human.human import Human, mode_of
from deskcrew.engine.human.interventions import Interventions
from deskcrew.engine.human.outside import Outside
from deskcrew.engine.human.responder import Nobody, Responder
from deskcrew.engine.loop import Loop
from deskcrew.engine.programs import abilities, open_before, programs_of, reopen
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import CLIPBOARD, START, Record
from deskcrew.engine.request import (
    LENT,
    NOTHING,
    Opened,
    Own,
    RunRequest,
    able_again,
    check_changes,
    lent,
    offered_skills,
    prepare,
    profile_of,
    removed_unless_begun,
    request_of,
    secrets_of,
    settings_of,
    unused_servers,
    with_desks,
    with_desktop_if_needed,
    workspace_of,
)
from deskcrew.engine.roles import recorded
from deskcrew.engine.roles.ask import Asker
from deskcrew.engine.roles.crew import Crew, with_makes, within_reach
from deskcrew.engine.roles.notes import notes_of
from deskcrew.engine.saves import Saves
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments import ocr
from deskcrew.environments.claiming import claimed
from deskcrew.environments.desk import Desk, Pictures, Services
from deskcrew.environments.desks import Desks
from deskcrew.environments.environment import Desktop
from deskcrew.environments.pictures import scaled_down
from deskcrew.environments.placing import opened
from deskcrew.environments.save_point import SavePoints
from deskcrew.environments.search.factory import create as search_with
from deskcrew.environments.suitable import measure
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, EnvironmentFailure, JournalError, UsageError, needing
from deskcrew.facts.events import (
    ActionStarted,
    Event,
    Gives,
    HumanSaid,
    RunFinished,
    RunInterrupted,
    RunResumed,
    RunStarted,
)
from deskcrew.facts.verdict import Outcome
from deskcrew.guard.again import policy_of
from deskcrew.guard.guard import Guard
from deskcrew.guard.hosts import HostRule
from deskcrew.guard.policy import Policy, user_policy
from deskcrew.guard.proxy import Proxy
from deskcrew.journal import tracing
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import repeating
from deskcrew.journal.store import Store
from deskcrew.journal.stored import Stored
from deskcrew.journal.tracing import traced
from deskcrew.learning.memory.embedder import likeness
from deskcrew.learning.memory.factory import embedder_of
from deskcrew.learning.memory.keeping import remembering
from deskcrew.learning.memory.long_term import LongTerm
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.learning.skills.scoring import Noting
from deskcrew.learning.skills.trials import Trials
from deskcrew.models.client import Model
from deskcrew.models.factory import check_there, create
from deskcrew.models.grounding import create as ground_with
from deskcrew.models.options import ModelOptions
from deskcrew.models.prices import source
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.vault import Vault
from deskcrew.settings import Settings

Watch = Callable[[Event, Journal], None]
Read = TypeVar("Read")
STOPPED_BY_USER = Outcome(status="stopped", why="stopped by the user")


class Beside(TypedDict, total=False):
    """What a caller may give a run besides its request.

    ``watch`` is called with every event; ``human`` is asked as the mode demands, and may intervene at any time, None:
    nobody; ``model`` replaces the model that the request names, and is not closed; ``notice`` is told what is being waited
    for before the first event; ``lend`` receives the desk, for a live display; ``own``: the caller's actions and roles.
    """

    watch: Watch | None
    human: Responder | None
    model: Model | None
    notice: Callable[[str], None] | None
    lend: Callable[[Desk], None] | None
    own: Own


async def run(
    request: RunRequest, settings: Settings, *, environment: Desktop | None = None, run: str = "", **beside: Unpack[Beside]
) -> Journal:
    """Do one task and return its journal, whose state has the outcome.

    ``environment``: an open browser or desktop to use, if the request's desktop is a browser or the user's own; it is closed
    at the end. ``run``: the name of the run; '' generates one. Raises UsageError and ConfigError before anything is started,
    EnvironmentFailure and ModelFailure if environment or model are not available; once the run has begun, failures become
    its outcome. Cancelling ends it as ``stopped``.
    """
    model, told = beside.get("model"), beside.get("notice") or nobody
    request = lent(request, environment) if environment is not None else request
    told("looking for skills that fit")  # which takes a second or more: what compares meanings is loaded for it
    before = earlier(request, settings)
    able = model.profile if model is not None else None
    small = able is not None and not able.freely
    offered = offered_skills(spoken(request, before), settings, able) if before or small else None
    crew = prepare(request, settings, offered, own=beside.get("own", NOTHING))
    profile = able or profile_of(request.model, settings)
    request = with_desktop_if_needed(request, crew, profile)
    request = with_desks(replace(request, limits=crew.limited(request.limits)), crew, settings)
    request, policy = ruled(request, settings, crew)
    if model is None:
        check_there(request.model, ModelOptions.of(settings))  # before any file is copied
    search_with(settings.search)  # the same
    ground_with(settings.grounding)
    traces = tracing.checked(settings.tracing)
    place = await anyio.to_thread.run_sync(workspace_of, request, settings)
    for unused in () if request.agent else unused_servers(settings):
        told(unused)

    def first(started: RunStarted) -> RunStarted:
        return started.model_copy(update={"earlier": before, "notes": notes_of(place[0], settings)})

    begun = beginning(request, settings, crew, place, beside, first, policy, run=run, environment=environment)
    async with begun as (journal, parts):
        await _carry_out(request, settings, journal, crew, parts, beside, traces)
    return journal


async def resume(
    name: str,
    settings: Settings,
    *,
    change: Callable[[RunRequest], RunRequest] = lambda request: request,
    **beside: Unpack[Beside],
) -> Journal:
    """Continue a run that was interrupted, was stopped, or lost its model or environment, or a branch that a rewind began;
    return its journal.

    ``change`` may replace model, mode or limits in the request that the run began with; crew and workspace stay the
    same. Programs that the crew had open are started again. Raises UsageError if the run has ended by itself, or
    another process works on it; else what :func:`run` raises.
    """
    journal = Store.of(settings).journal(name)
    with journal.claimed(), ExitStack() as alone:
        request = change(request_of(journal))
        _refuse_over(journal, request, settings, beside.get("model"))
        traces = tracing.checked(settings.tracing)
        crew = able_again(recorded.recorded_crew(journal), settings, beside.get("own", NOTHING))
        check_changes(request, crew, settings)
        there = request.workspace is not None and request.workspace.is_dir()
        workspace, _ = workspace_of(replace(request, attachments=()), settings)
        alone.enter_context(claimed(workspace))(journal.run)
        journal.redactor = Redactor(request.secrets)
        points, gone = points_of(workspace, journal), tuple[str, ...]()
        if (journal.moved or not there) and workspace.is_relative_to(settings.data.resolve()):
            gone = await anyio.to_thread.run_sync(rewind.bring_here, journal, points)
        await anyio.to_thread.run_sync(rewind.finish, journal, points)
        clear_up(journal, workspace)
        policy = policy_of(journal, journal.state.started)
        begun, model, told = began_of(journal), beside.get("model"), beside.get("notice") or nobody
        async with parts(request, settings, workspace, model, told, policy, begun) as (desk, sandbox, models):
            (beside.get("lend") or nobody)(desk)
            sandbox.layers = layers_of(settings, journal)
            if (watch := beside.get("watch")) is not None:
                journal.watchers.append(lambda event: watch(event, journal))
            back = await anyio.to_thread.run_sync(reopen, journal, desk)
            journal.append(
                RunResumed(
                    version=importlib.metadata.version("deskcrew"),
                    model=models[""].name,
                    applications=programs_of(desk),
                    reopened=tuple(" ".join(word for word in program if word) for program in back.programs),
                    lost=(*gone, *back.lost),
                    stands=not (gone or back.lost),
                    settings=settings_of(request, desk, _priced_by(request, settings, model)),
                    profile=models[""].profile.model_dump(mode="json"),
                )
            )
            set_modes(journal, request)
            journal.commit()
            await _carry_out(request, settings, journal, crew, Parts(desk, sandbox, models), beside, traces)
    return journal


def _refuse_over(journal: Journal, request: RunRequest, settings: Settings, model: Model | None) -> None:
    """Raise UsageError if a run cannot be continued. ``model``: replaces the one that the request names."""
    run, begun, outcome = journal.run, journal.state.started, journal.state.outcome
    if outcome is not None and not outcome.continuable:
        hint = f"`deskcrew rewind {run} EVENT` goes back to a reply and continues from there."
        raise UsageError(f"Run {run} has ended ({outcome.word}).", hint=hint)
    if begun is not None and begun.settings.making is not None:
        raise UsageError(f"Run {run} made a skill, which must be started again.", hint="deskcrew skill make")
    if begun is not None and begun.crew == TAUGHT:
        told = f"Run {run} was demonstrated by a person, and nobody else can continue it."
        raise UsageError(told, hint="Demonstrate it again: deskcrew teach")
    able = model.profile if model is not None else profile_of(request.model, settings)
    if begun is not None and (repeated := repeating(journal.events)) is not None and not able.freely:
        of = f"uses the skill {repeated.skill}" if repeated.skill else "repeats another run"
        told = f"Run {run} {of}, and only a model that can reason could go on in the middle."
        raise UsageError(told, hint=f"Start it again: {repeated.command(begun.folder(run))}")
    if missing := secrets_of(journal) - {secret.name for secret in request.secrets}:
        told = f"Run {run} cannot go on without its secrets: {', '.join(sorted(missing))}."
        raise UsageError(told, hint="Without their values, text that contains them could not be recognised.")


async def _carry_out(
    request: RunRequest,
    settings: Settings,
    journal: Journal,
    crew: Crew,
    parts: Parts,
    beside: Beside,
    traces: tracing.URL | None,
) -> None:
    """Continue until the run ends, with its memory; record the results of skills."""
    human, told = beside.get("human") or Nobody(), beside.get("notice") or nobody
    with traced(traces, journal, told):
        async with remembering(request.memory != "off", journal, settings, told) as memory:
            noting = Noting(Trials(settings.data), journal)
            await go_on(journal, lambda: assemble(request, journal, crew, parts, human, memory, noting))
            noting.settle()


async def check(journal: Journal, request: RunRequest, settings: Settings) -> None:
    """Check that a run can be continued with this request; changes nothing. Raises UsageError if the request is invalid
    or the search service has no key, ModelFailure if the model is unavailable."""
    check_changes(request, able_again(recorded.recorded_crew(journal), settings), settings)
    search_with(settings.search)
    ground_with(settings.grounding)
    await create(request.model, options=ModelOptions.of(settings)).close()


def clear_up(journal: Journal, workspace: Path) -> None:
    """Remove the half-written file of a process that was killed within an action."""
    started = journal.state.under_way
    body = started.body if started is not None else None
    if isinstance(body, ActionStarted):
        remove_half_written(Workspace(workspace, began=began_of(journal)), body.operation)


def layers_of(settings: Settings, journal: Journal) -> Path:
    """The folder of the layer that holds what a run's programs write until it may be applied. It outlives the process,
    so that a continued run can apply what was allowed."""
    return settings.data / "layers" / journal.run


def began_of(journal: Journal) -> float | None:
    """When a run began, in Unix seconds; None for one without an event."""
    return journal.all[0].header.time if journal.all else None


def points_of(workspace: Path, journal: Journal) -> SavePoints:
    """The save points of a run's workspace. A file that contains a secret is named in them, but not kept."""
    redactor = journal.redactor
    return SavePoints(workspace, journal.blob, journal.read_blob, keeps=lambda data: not (redactor and redactor.holds(data)))


def set_modes(journal: Journal, request: RunRequest) -> None:
    """Apply the modes of the request from here on, whatever applied before."""
    state, own = journal.state, dict(request.modes)
    for role in ("", *sorted({*state.modes, *own} - {""})):
        mode = own.get(role, request.mode)
        if mode_of(state, role) != mode:
            journal.append(HumanSaid(kind="mode", text=mode, role=role or None))


def ruled(request: RunRequest, settings: Settings, crew: Crew) -> tuple[RunRequest, Policy]:
    """The request with all hosts that it and the user's policy name, and that policy. Raises ConfigError if the policy is
    invalid."""
    policy = user_policy(settings.config, request.policy, workspace=request.workspace, actions=crew.actions)
    hosts = () if request.agent else tuple(dict.fromkeys((*request.hosts, *policy.hosts, *hosts_of(request.url))))
    return replace(request, hosts=hosts), policy.going_to(HostRule.parse(host).host for host in hosts)


class Parts(NamedTuple):
    """What a run works with. ``models``: by role, '' for all others."""

    desk: Desk
    sandbox: Sandbox
    models: dict[str, Model]


@asynccontextmanager
async def beginning(
    request: RunRequest,
    settings: Settings,
    crew: Crew,
    place: tuple[Path, str | None],
    beside: Beside,
    first: Callable[[RunStarted], RunStarted],
    policy: Policy | None = None,
    *,
    run: str = "",
    environment: Desktop | None = None,
    points: bool = False,
) -> AsyncGenerator[tuple[Journal, Parts]]:
    """A new run's journal, claimed and watched, with its first event, and its parts. ``place``: what
    :func:`~deskcrew.engine.request.workspace_of` returned, removed again unless the run begins; ``first``: adds what only
    the caller knows to the first event; ``run``: the run's name, '' generates one. The rest is for :func:`parts`."""
    workspace, name = place
    model, told, watch = beside.get("model"), beside.get("notice") or nobody, beside.get("watch")
    with removed_unless_begun(workspace, name) as made, claimed(workspace) as claim:
        size = await anyio.to_thread.run_sync(
            lambda: measure(workspace, files=settings.workspace_files, size=settings.workspace_bytes, told=told)
        )
        if large := size.left_out():
            told(large)
        async with parts(
            request, settings, workspace, model, told, policy, opened=request.opened, environment=environment, points=points
        ) as found:
            (beside.get("lend") or nobody)(found.desk)
            for changed in await anyio.to_thread.run_sync(changed_servers, crew.added, found.sandbox, found.desk.vault):
                told(changed)
            begun = first(started(request, crew, found.desk, found.models[""], policy, _priced_by(request, settings, model)))
            texts = (*recorded.texts(crew), *((policy.record(),) if policy is not None else ()))
            redactor = found.desk.vault.redactor
            journal = Store.of(settings).create(begun, run=run or name, texts=texts, redactor=redactor)
            made.pop_all()
            claim(journal.run)
            with journal.claimed():
                if watch is not None:
                    journal.watchers.append(lambda event: watch(event, journal))
                    watch(journal.events[0], journal)
                found.sandbox.layers = layers_of(settings, journal)
                set_modes(journal, request)
                told(f"keeping the workspace: {size.words()}")  # shown as long as the first save point takes
                yield journal, found


@asynccontextmanager
async def parts(
    request: RunRequest,
    settings: Settings,
    workspace: Path,
    model: Model | None,
    notice: Callable[[str], None],
    policy: Policy | None = None,
    began: float | None = None,
    opened: Sequence[Opened] = (),
    environment: Desktop | None = None,
    *,
    points: bool = False,
) -> AsyncGenerator[Parts]:
    """Start the parts of a run, and end them whatever happens. ``began``: when a continued run began; ``opened``: what is
    opened on the desktop beforehand; ``environment``: an open desktop or browser to use; ``points``: act on points of the
    screenshot even if no model sees it."""
    models: dict[str, Model] = {}
    desk: Desk | None = None
    proxy = proxy_of(request, policy or Policy.default())
    sandbox = Sandbox(workspace, network=request.network, unsafe_host=request.unsafe_host, proxy=proxy, hosts=request.hosts)
    try:
        # First: it is cheap, and what is wrong with it is told before a desktop is started.
        models[""] = model or create(request.model, options=ModelOptions.of(settings), on_loading=loading_told(notice))
        search, grounder = search_with(settings.search), ground_with(settings.grounding, settings.prices)
        sees = models[""].profile.vision
        notice("checking the sandbox")
        if (reason := await anyio.to_thread.run_sync(sandbox.why_not)) and not request.unsafe_host:
            raise EnvironmentFailure(f"No sandbox is available: {reason}", hint="`deskcrew doctor` says what to install.")
        if request.desktop != "none":
            notice("starting the desktop")
        desktop = await anyio.to_thread.run_sync(start_desktop, request, settings, workspace, proxy, environment, policy)
        alike = likeness(embedder) if (embedder := embedder_of(settings.memory)) is not None else None
        desk = Desks(
            Workspace(workspace, began=began, direct=request.desktop in ("virtual", "browser") or request.unsafe_host),
            desktop,
            Vault(request.secrets),
            Services(search, grounder if desktop is not None else None, alike),
            start=lambda: start_desktop(replace(request, url="", session=""), settings, workspace, proxy, None, policy),
            most=request.desks,
            # What is written at a point has to be read before anything is done there.
            pictures=Pictures(
                sees, desktop is not None and desktop.points and ocr.available() and (points or sees or grounder is not None)
            ),
        )
        for app in opened:
            notice(f"opening {app.name}")
            await anyio.to_thread.run_sync(open_before, desk, app)
        yield Parts(desk, sandbox, models)
    finally:
        with anyio.CancelScope(shield=True):
            sandbox.close()
            if desk is not None:
                await anyio.to_thread.run_sync(desk.close)
            if proxy is not None:
                await anyio.to_thread.run_sync(proxy.close)
            for each in models.values():
                if each is not model:  # that one is its owner's to close
                    await each.close()


def loading_told(notice: Callable[[str], None]) -> Callable[[float, int], None]:
    """Tells that the first reply waits for a local model to be loaded."""

    def told(fraction: float, size: int) -> None:
        waits = f"loading the model into memory: {size / 1e9:.1f} GB, about half a minute"
        notice(waits if fraction < 1 else "the model is reading what it is asked")

    return told


def proxy_of(request: RunRequest, policy: Policy) -> Proxy | None:
    """The proxy for programs that may reach only some hosts; None if they may reach none, or all."""
    if not request.hosts or request.network or (request.unsafe_host and request.desktop != "virtual"):
        return None
    return Proxy(request.hosts, denied=policy.denied_hosts)


def start_desktop(
    request: RunRequest,
    settings: Settings,
    workspace: Path,
    proxy: Proxy | None = None,
    environment: Desktop | None = None,
    policy: Policy | None = None,
) -> Desktop | None:
    """The requested desktop; None if none. ``environment``: an open one to use; ``policy``: its denied paths are hidden from
    programs. Blocking; raises EnvironmentFailure if it cannot be started, UsageError for an invalid page."""
    if request.desktop == "none":
        return None
    if request.endpoint == LENT and environment is None:
        hint = "Begin a new run in that program."
        raise UsageError("The environment of this run belongs to the program that began it.", hint=hint)
    hidden = _denied(policy, workspace) if policy is not None else ()
    if request.desktop == "virtual":
        with needing("desktop"):
            from deskcrew.environments.linux.sandbox.sandbox import Confines, VirtualScreen
            from deskcrew.environments.virtual import start_virtual

        return start_virtual(
            workspace,
            screen=VirtualScreen(request.screen, request.scale, request.monitors),
            network=request.network,
            proxy=proxy,
            confines=Confines(settings.desktop, request.home, hidden),
        )
    if request.desktop == "browser":
        return browsers.start(request, settings, workspace, proxy, environment, hidden)
    if environment is not None:
        return environment
    if request.desktop == "windows":
        with needing("windows"):
            from deskcrew.environments.windows.desktop import connect_windows

        return connect_windows(request.at, workspace)
    with needing("desktop"):
        from deskcrew.environments.linux.real import connect_real

    return connect_real(workspace)


def _denied(policy: Policy, workspace: Path) -> tuple[str, ...]:
    """Paths that the policy denies to the programs of a desktop, which anybody may operate, and to a browser's pages."""
    with opened(workspace) as root:
        return Guard(policy, "virtual").hidden(OPEN_APPLICATION.name, "", root)


def started(
    request: RunRequest,
    crew: Crew,
    desk: Desk,
    model: Model,
    policy: Policy | None = None,
    prices: str = "",
) -> RunStarted:
    """The first event: everything read from outside before the run. ``prices``: where the model's prices come from."""
    # What these return is to be known, whatever it is: the fold collects it.
    services = (skill.action for skill in crew.skills if skill.method.request is not None)
    gives: dict[str, Gives] = {name: each.gives for name, each in crew.actions.items() if each.gives is not None}
    gives.update((name, "content") for name in (*by_name(crew.added), *services))
    return RunStarted(
        task=request.task.strip(),
        crew=crew.name,
        model=model.name,
        mode=request.mode,
        workspace=str(desk.workspace.root),
        desktop=request.desktop,
        attachments=tuple(each.name for each in request.attachments if not (desk.workspace.root / each.name).samefile(each)),
        seed=request.seed,
        settings=settings_of(request, desk, prices),
        files=recorded.files(crew),
        policy=policy.digest if policy is not None else "",
        version=importlib.metadata.version("deskcrew"),
        applications=programs_of(desk),
        profile=model.profile.model_dump(mode="json"),
        begun_in=_here(),
        words_of=request.words_of,
        system=system() if any("system" in crew.roles[name].reads for name in crew.members) else "",
        required=request.required,
        meant=request.meant,
        gives=RunStarted.untold(gives),
        absent=dict(request.absent),
    )


def _here() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # it was removed
        return ""


def system() -> str:
    """The operating system on which code runs."""
    return f"{platform.system()} on {platform.machine()}"


def assemble(
    request: RunRequest,
    journal: Journal,
    crew: Crew,
    parts: Parts,
    human: Responder,
    memory: LongTerm | None = None,
    noting: Noting | None = None,
) -> Run:
    """The run, put together from its parts. ``noting``: receives the results of skills."""
    desk, sandbox, models = parts
    there = {"workspace", "sandbox", *abilities(desk, request.desktop)}
    actions = {name: action for name, action in crew.actions.items() if action.needs in there}
    pages_come = {"programs", "browser"} <= there
    crew = with_makes(crew)
    # Who could work on pages alone is of no use where there may never be one.
    crew = within_reach(crew, [name for name, action in actions.items() if not pages_come or action.needs != "browser"])
    person = Human(Outside(human, journal.floor))
    interventions = Interventions(journal, person, recorded.role_kinds(crew), desktop=desk.desktop is not None)
    record = Record(
        journal,
        crew,
        request.limits,
        read=lambda path: read_text(desk, journal, path),
        picture=lambda path: (
            media.picture(desk.workspace, sandbox, path)
            or read_file(desk, path, lambda file: scaled_down(file.read_bytes()))
        ),
    )
    saves = Saves(record, points_of(desk.workspace.root, journal), Stored(journal.path, journal.run))
    surroundings = Surroundings(record, desk, sandbox, actions, saves, pages_come)
    asker = Asker(
        journal,
        crew,
        models,
        request.limits,
        interventions,
        request.seed,
        memory=memory,
        until=lambda: record.until,
        redactor=desk.vault.redactor,
    )
    guard = Guard(policy_of(journal, journal.state.started), "real" if request.endpoint else request.desktop)
    authorization = Authorization(surroundings, guard, person, interventions, request.yes, request.meant)
    return Run(Prompting(surroundings, asker), authorization, noting)


def read_text(desk: Desk, journal: Journal, path: str) -> str:
    """What :attr:`Record.read` returns for ``path``. Raises ActionError, worded for the model, if there is no such text."""
    if path == CLIPBOARD:
        return clipboard_of(desk)
    if not path.startswith(START):
        return _text(desk, path)
    digest, _, name = path.removeprefix(START).partition("/")
    try:
        content = journal.read_blob(digest)
    except JournalError as error:
        raise ActionError(f"{name} was not kept.") from error
    return desk.vault.redactor.plain(readers.read_content(Path(name), content))


def read_file(desk: Desk, path: str, reader: Callable[[Path], Read]) -> Read:
    """What ``reader`` reads from a workspace file, without values of secrets. Raises ActionError, worded for the model, if
    the file cannot be read."""
    file = desk.workspace.resolve(path, must_exist=True)
    try:
        with desk.workspace.held(file) as place:
            return desk.vault.redactor.plain(reader(place))
    except OSError as error:
        raise ActionError(f"{path} cannot be read: {error.strerror}.") from error


def _text(desk: Desk, path: str) -> str:
    """The text of a workspace file, or of a file in an archive of it. Raises as :func:`read_file` does."""
    file, mark, member = path.partition(readers.MEMBER)
    return read_file(desk, file, lambda place: readers.member(place, member) if mark else readers.read(place))


def clipboard_of(desk: Desk) -> str:
    """The clipboard's text, without values of secrets. Raises ActionError, worded for the model, if there is none."""
    if desk.desktop is None:
        raise ActionError("There is no desktop in this run, and so no clipboard.")
    return desk.vault.redactor.plain(desk.desktop.clipboard())


def _priced_by(request: RunRequest, settings: Settings, model: Model | None) -> str:
    """Where the price of the run's model comes from, in words; '' if a caller replaced the model."""
    return source(request.model, settings.prices) if model is None else ""


def nobody(_: object) -> None:
    """Do nothing: stands for a callback that was not given."""


async def loop(run: Run) -> Outcome | None:
    """Run the loop until there is an outcome; None if the run is to go back first."""
    return await Loop(run).until_done()


async def go_on(
    journal: Journal, assembled: Callable[[], Run], drive: Callable[[Run], Awaitable[Outcome | None]] = loop
) -> Outcome | None:
    """Loop until there is an outcome. The process boundary: the only place that catches everything, to record it.

    ``assembled`` builds the run of ``journal``; it is called in here, so that its bugs are recorded too. ``drive``:
    takes the run to its outcome.
    """
    try:
        return await drive(assembled())
    except anyio.get_cancelled_exc_class():
        if journal.state.outcome is None:
            journal.append(RunFinished(outcome=STOPPED_BY_USER))
        raise
    except Exception as error:
        journal.redactor.exception(error)  # whoever catches it next prints it
        journal.append(RunInterrupted(error=f"{type(error).__name__}: {error}"))
        raise
    finally:
        journal.close()
