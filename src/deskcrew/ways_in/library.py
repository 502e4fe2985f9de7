"""Deskcrew as a library: a task in, a result out.

    import deskcrew

    result = deskcrew.run("Add up the amounts in june.xlsx.", attach=["june.xlsx"], desktop="none")
    print(result.outcome, result.answer)

This does the same as ``deskcrew run``: the run is in the journal, under ``result.run``, and can be inspected, repaired
and replayed. If you need more, use :mod:`deskcrew.engine.session`, on which this is built.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypedDict, Unpack, get_args, get_type_hints

import anyio
from pydantic import TypeAdapter, ValidationError

from deskcrew.actions.action import Action
from deskcrew.actions.added import of_program
from deskcrew.engine import attempts
from deskcrew.engine.following import request_after
from deskcrew.engine.human.questions import Mode, Question
from deskcrew.engine.human.responder import Answering, Nobody, Responder, responder_of
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.request import MemoryUse, Opened, Own, RunRequest, existing_folder, usable_skill, usual
from deskcrew.engine.workshop.fitting import GivenFiles
from deskcrew.engine.workshop.trying import chosen, request_for, try_skill
from deskcrew.environments.environment import Browser, Desktop
from deskcrew.errors import DeskcrewError, UsageError
from deskcrew.evidence.required import required_contract
from deskcrew.facts.events import DesktopKind, Event
from deskcrew.facts.meant import unknown
from deskcrew.facts.unfit import fault
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Model
from deskcrew.secrets.binding import Secret
from deskcrew.settings import Limits, Settings
from deskcrew.ways_in.report.result import Result, result_of
from deskcrew.ways_in.report.text import OPTION
from deskcrew.ways_in.running.reachable import Hooks, reached

SETTINGS = 'settings such as deskcrew.Settings(data="./runs")'
RENAMED = {"allow-host": "hosts", "limit": "limits", "open": "opened", "secret": "secrets"}
"""The command line's options that are called otherwise here."""
CALLS = {
    'deskcrew run "..."': 'deskcrew.run("...")',
    "(deskcrew skill use)": "(deskcrew.use_skill)",
    "(deskcrew resume, at a terminal)": "(ask=)",
}
"""Commands in hints, and what is called here instead."""


class Options(TypedDict, total=False):
    """How to do a task, like the options of ``deskcrew run``; the settings apply to what is left out.

    All other fields of :class:`~deskcrew.engine.request.RunRequest` are for callers of :func:`deskcrew.engine.session.run`.
    """

    model: str | Model | None
    """A model's name, as for ``--model``, or a model of your own; None for the settings' model."""
    on_event: Callable[[Event], None] | None
    """A function that is called with every event as it is written."""
    ask: Responder | Callable[[Question], Answering] | None
    """Answers questions: a function that gets each question and returns True, False, or a sentence that says what to do
    instead; or a :class:`~deskcrew.engine.human.responder.PythonResponder`; None denies what needs approval."""
    settings: Settings | None
    """Settings to use; None for the user's."""
    crew: str
    """A crew by its name or file: ``default``, ``solo``, ``cola``..."""
    workspace: str | Path
    """The folder to work in. Default: a new one beside the journal, which is kept."""
    copy: bool
    """Work in a copy of ``workspace``, which is only read."""
    desktop: DesktopKind
    """``virtual`` (the default: a desktop of its own), ``browser``, ``none`` (files and code only), ``real`` or
    ``windows``."""
    at: str
    """The agent of a Windows desktop: ``stdio:COMMAND``, or the address where it listens: ``wss://HOST:PORT``."""
    url: str
    """The page that the browser opens first."""
    endpoint: str
    """The debugging address of an open browser to use."""
    session: str
    """The name under which a browser's cookies are kept for later runs."""
    opened: tuple[Opened, ...]
    """Programs to open on a virtual desktop first."""
    mode: Mode
    """How often ``ask`` is called: ``automatic`` (the default), ``passive`` (the default with ``ask``) or ``active``."""
    yes: bool
    """Assume, without asking, that a small model chose the right skill of yours and its values, as with ``--yes``. With a
    shipped skill only an answer proves that; :func:`use_skill` needs none."""
    seed: int
    attempts: int
    """The maximum number of attempts at the task, each from the same start, until one is proven; the best is kept."""
    lanes: int
    """The maximum number of subtasks worked on at once. Default: the crew's."""
    limits: Limits
    """Limits on calls, tokens, seconds, operations and cost."""
    network: bool
    """Whether programs may reach every host."""
    hosts: tuple[str, ...]
    """Hosts that programs may reach; see :meth:`~deskcrew.guard.hosts.HostRule.parse`."""
    policy: str | Path
    """A policy file, instead of the user's."""
    secrets: tuple[Secret, ...]
    """Secrets that may be typed."""
    require: str | tuple[str, ...]
    """What must hold in the end, each as ``file_contains report.txt 348``."""
    check: str | Path | tuple[str | Path, ...]
    """Programs that must reject the folder before the work (any exit code but 0), and accept it after."""
    contract: str | Path
    """A TOML or JSON file with all that must hold, instead of what a model would write."""
    actions: Action | Callable[..., object] | Sequence[Action | Callable[..., object]]
    """Actions of your own, or plain functions: see :meth:`~deskcrew.actions.action.Action.of`."""
    roles: str | Path | Sequence[str | Path]
    """Files of roles of your own, which crews with ``"*"`` in their pool can use."""
    environment: Desktop
    """A browser or desktop of your own instead of a new one, for one task; it is closed at the end."""
    memory: MemoryUse
    """``off`` (the default), ``read`` or ``on``: whether earlier runs are recalled, and this one kept."""


async def arun(task: str, *, attach: Iterable[str | Path] = (), **options: Unpack[Options]) -> Result:
    """Do a task, in the running event loop; see :func:`run`. Cancelling ends the run as ``stopped``."""
    return await Session(**options).arun(task, attach=attach)


def run(task: str, *, attach: Iterable[str | Path] = (), **options: Unpack[Options]) -> Result:
    """Do a task, and return how it ended.

    ``attach``: files that are copied into the workspace. ``options``: see :class:`Options`.

        def asked(question):  # may be async, too
            print(question)
            return question.type == "operation" and question.risk == "write"

        deskcrew.run("Tidy up the downloads.", ask=asked)

    A run that is not done is a result like any other: see :attr:`Result.done` and :meth:`Result.or_raise`. Raises
    UsageError and ConfigError if the request is invalid, EnvironmentFailure and ModelFailure if the run could not
    begin.
    """
    alone = Session(**options)
    return _here(lambda: alone.arun(task, attach=attach))


async def ause_skill(
    name: str,
    folder: str | Path,
    /,
    *,
    on_event: Callable[[Event], None] | None = None,
    ask: Responder | Callable[[Question], Answering] | None = None,
    settings: Settings | None = None,
    **values: object,
) -> Result:
    """Have a skill do its chore, in the running event loop; see :func:`use_skill`."""
    try:
        _check("settings", settings, (Settings, NoneType), SETTINGS)
        _check("folder", folder, (str, Path), "the path of a folder")
        settings = settings or Settings.load()
        skill = usable_skill(name, settings)
        for each in skill.method.parameters:
            if each.names_file:
                _check(each.name, values.get(each.name, ""), (str, Path), "a text: the name of a file")
        place = existing_folder(Path(folder))
        typed = chosen(skill, [f"{key}={value}" for key, value in values.items()], GivenFiles(place))
        request = replace(
            request_for(skill, settings, typed),
            workspace=place,
            mode="passive" if ask else "automatic",
        )

        async def start(hooks: Hooks) -> Journal:
            return (await try_skill(skill, typed, LiveRequest(request), settings, **hooks)).live.journal

        journal = await _reached(start, settings, responder_of(ask), on_event)
    except DeskcrewError as error:
        raise _for_python(error) from None
    return _result(journal)


def use_skill(
    name: str,
    folder: str | Path,
    /,
    *,
    on_event: Callable[[Event], None] | None = None,
    ask: Responder | Callable[[Question], Answering] | None = None,
    settings: Settings | None = None,
    **values: object,
) -> Result:
    """Have a skill do its chore on the files of a folder, without a model, and check it, like ``deskcrew skill use``.

        deskcrew.use_skill("sort-table", "./june", source="may.csv", column="Amount", result="sorted.csv").or_raise()

    ``values`` are those of its parameters, which ``deskcrew skill show NAME`` lists. You say them yourself, so nobody is
    asked whether the task was understood; ``ask``, ``on_event`` and ``settings`` are those of :func:`run`. Raises
    UsageError, which names what is missing or does not fit.
    """
    given: dict[str, Any] = {"on_event": on_event, "ask": ask, "settings": settings, **values}
    return _here(lambda: ause_skill(name, folder, **given), "ause_skill")


class Session:
    """A sequence of tasks in one workspace. The roles of each task are told what was done and found out before.

        session = deskcrew.Session(desktop="none")
        session.run("Fetch the prices from prices.html.", attach=["prices.html"])
        session.run("Put the three highest into a sheet.").or_raise()

    Each task is a run of its own. The options are those of :func:`run`, and apply to all tasks.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self.results: list[Result] = []
        """The results of the tasks, in order."""
        _check("settings", options.get("settings"), (Settings, NoneType), SETTINGS)
        self._settings = options.pop("settings", None) or Settings.load()
        self._model, self._on_event = options.pop("model", None), options.pop("on_event", None)
        self._ask, self._options = responder_of(options.pop("ask", None)), options
        _check("model", self._model, (str, Model, NoneType), "a name, or an object like deskcrew.ScriptedModel")
        _check("on_event", self._on_event, (Callable, NoneType), "a function that takes an event")
        actions, roles = options.pop("actions", ()), options.pop("roles", ())
        own = of_program([actions] if callable(actions) or isinstance(actions, (Action, str, NoneType)) else actions)
        self._own, self._environment = Own(own, tuple(map(Path, _several(roles)))), options.pop("environment", None)
        if self._environment is not None:
            what = "an instance of a subclass of Desktop (`deskcrew docs add-an-environment`)"
            _check("environment", self._environment, (Desktop,), what)
            self._options["desktop"] = "browser" if isinstance(self._environment, Browser) else "real"
        if self._ask is not None:
            self._options.setdefault("mode", "passive")  # who says who answers is to be asked

    async def arun(self, task: str, *, attach: Iterable[str | Path] = (), require: Iterable[str] = ()) -> Result:
        """Do the next task, in the running event loop; see :meth:`run`."""
        try:
            return await self._done(task, attach, require)
        except DeskcrewError as error:
            raise _for_python(error) from None

    async def _done(self, task: str, attach: Iterable[str | Path], require: Iterable[str]) -> Result:
        settings, model = self._settings, self._model
        if self.results and self._environment is not None:
            hint = "Begin another Session with a new one; what was done is in the workspace."
            raise UsageError("The environment was closed at the end of the first task.", hint=hint)
        if self.results:
            base = request_after(self.results[-1].run or "", settings)
            options = {name: value for name, value in self._options.items() if name not in ("workspace", "copy")}
        else:
            base, options = usual(settings), self._options
        request = replace(_changed(base, options), task=task, attachments=tuple(map(Path, _several(attach))))
        if wanted := required_contract(tuple(map(str, _several(require)))):
            request = replace(request, required=wanted)
        if isinstance(model, str):
            request, model = replace(request, model=model), None
        journal = await _reached(
            lambda hooks: attempts.run(
                request, settings, environment=self._environment, model=model, own=self._own, **hooks
            ),
            settings,
            self._ask,
            self._on_event,
        )
        self.results.append(_result(journal))
        return self.results[-1]

    def run(self, task: str, *, attach: Iterable[str | Path] = (), require: Iterable[str] = ()) -> Result:
        """Do the next task, and return how it ended. Raises as :func:`deskcrew.run`; the task then does not count."""
        return _here(lambda: self.arun(task, attach=attach, require=require))


async def _reached(
    start: Callable[[Hooks], Awaitable[Journal]],
    settings: Settings,
    human: Responder | None,
    on_event: Callable[[Event], None] | None,
) -> Journal:
    """Do what ``start`` does, and return the run's journal. Meanwhile ``deskcrew attach``, ``answer`` and ``stop`` can reach
    the run, unless no socket can be created."""
    begun = list[Journal]()
    with anyio.CancelScope() as scope:
        async with reached(settings, human or Nobody(), scope.cancel) as hooks:

            def watch(event: Event, journal: Journal) -> None:
                hooks["watch"](event, journal)
                if on_event is not None:
                    on_event(event)
                begun[:] = [journal]

            return await start({**hooks, "watch": watch})
    return begun[0]  # it was stopped


def _result(journal: Journal) -> Result:
    result = result_of(journal.run, journal.events, everything=journal.all)
    return result.model_copy(update={"why": in_python(result.why)})


def _for_python(error: DeskcrewError) -> DeskcrewError:
    """An error with a hint for somebody who writes Python. It says what to do: where it was noticed says nothing more."""
    if error.hint and (hint := in_python(error.hint)) != error.hint:
        error.__notes__.remove(f"Hint: {error.hint}")
        error.hint = hint
        error.add_note(f"Hint: {hint}")
    return error.with_traceback(None)


def in_python(text: str) -> str:
    """A sentence for a terminal, with options of :class:`Options` and calls in place of those of the command line."""
    for command, call in CALLS.items():
        text = text.replace(command, call)
    return OPTION.sub(_argument, text)


def _argument(option: re.Match[str]) -> str:
    name = RENAMED.get(option[1], option[1].replace("-", "_"))
    if name not in {*Options.__annotations__, "attach"}:
        return option[0]
    if option[2]:
        return f"{name}={option[2]!r}"
    return f"{name}={'True' if get_type_hints(Options).get(name) is bool else option[3] or ''}"


def _changed(base: RunRequest, options: Any) -> RunRequest:
    """A request with these options. Raises UsageError for an unknown option or an invalid value."""
    if other := sorted(set(options) - set(Options.__annotations__)):
        there = sorted({*Options.__annotations__, "attach"})
        raise unknown(f"There is no option {other[0]!r}", str(other[0]), there)
    types = get_type_hints(Options)
    values = {name: _valid(name, types[name], value) for name, value in options.items()}
    if "policy" in values:
        values["policy"] = Path(values["policy"])
    if "workspace" in values:
        values["workspace"] = existing_folder(Path(values["workspace"]))
    stating = {name: values.pop(name) for name in ("require", "check", "contract") if name in values}
    if stating:
        paths = [Path(path) for path in _several(stating.get("check", ()))]
        file = Path(stating["contract"]) if "contract" in stating else None
        values["required"] = required_contract(tuple(map(str, _several(stating.get("require", ())))), paths, file)
    return replace(base, **values)


def _check(name: str, given: object, kinds: tuple[Any, ...], what: str) -> None:
    """Raise UsageError unless an option is an instance of ``kinds``. ``what``: what to give instead, for the hint."""
    if isinstance(given, type) or not isinstance(given, kinds):
        raise UsageError(f"The option {name!r} cannot be {given!r}.", hint=f"Give {what}.")


def _several(given: Iterable[str | Path] | Path) -> tuple[str | Path, ...]:
    """The given values as a tuple; a single string or path counts as one value."""
    return (given,) if isinstance(given, str | Path) else tuple(given)


def _valid(name: str, type_: Any, value: object) -> Any:
    try:
        return TypeAdapter(type_).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        way = first["loc"]
        why = "there is no such field" if first["type"] == "extra_forbidden" else fault(error, shown=True)
        if isinstance(type_, UnionType):
            # There is an error for each type of the union: that with the longest place is about the one that is meant.
            way = tuple(each for each in max((each["loc"] for each in error.errors()), key=len) if isinstance(each, int))
            kinds = " or ".join(kind.__name__ for kind in get_args(type_))
            why = why if way else f"it takes {kinds}, not {type(value).__name__}"
        place = ".".join((name, *map(str, way)))
        raise UsageError(
            f"The option {place!r} cannot be that: {why.removesuffix('.')}.",
            hint="`deskcrew docs python` lists the options.",
        ) from error


def _here(begin: Callable[[], Coroutine[Any, Any, Result]], instead: str = "arun") -> Result:
    """Run a coroutine in a new event loop. Raises UsageError if a loop is already running. ``instead``: the function to
    await there, for the hint."""
    with suppress(RuntimeError):  # no event loop is running
        asyncio.get_running_loop()
        hint = f"Use: await deskcrew.{instead}(...)"
        raise UsageError("An event loop is already running, as in a notebook.", hint=hint)
    try:
        return anyio.run(begin)
    except DeskcrewError as error:
        raise error.with_traceback(None) from None  # it says what to do: where it was noticed says nothing more
