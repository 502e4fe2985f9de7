"""Tasks of WebArena's form, done: each with each seed in a browser of its own, which is looked at in the end."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import anyio.to_thread
from playwright.async_api import Page

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.errors import ActionError, EnvironmentFailure, UsageError
from deskcrew.facts.contract import Contract
from deskcrew.guard.proxy import Proxy
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.suites.controls import IDLE, Idle, as_control
from deskcrew_bench.suites.trial import By, Trial, ended, run_of
from deskcrew_bench.webarena import own
from deskcrew_bench.webarena.evaluators import Ended, Judge, wrong
from deskcrew_bench.webarena.oracle import NAME as ORACLE
from deskcrew_bench.webarena.oracle import Oracle
from deskcrew_bench.webarena.own import OwnSites
from deskcrew_bench.webarena.pages import contents
from deskcrew_bench.webarena.tasks import IMPOSSIBLE, Task, Tasks
from deskcrew_bench.webarena_infinity.oracles import Solution

CONTROLS = (ORACLE, IDLE)
"""Names of models that are none: one does what is written down, one does nothing. Both work in the crew ``solo``."""
STEPS = 30
"""Operations of a run, as in WebArena."""
SECONDS = 900.0
"""Of a run where no limit is set."""
POLICY = Path(__file__).with_name("policy.toml")


@dataclass(frozen=True)
class Sites:
    """Where the sites of tasks are. ``hosted``: addresses by name, of those that somebody hosts; ``own``: those that
    are started for each task; ``logins``: a folder of files of people who have logged in."""

    hosted: Mapping[str, str]
    own: OwnSites | None = None
    logins: Path | None = None

    @contextmanager
    def ready(self, task: Task, folder: Path) -> Generator[tuple[dict[str, str], Path | None]]:
        """The addresses of all sites while a task is done, and a file of whoever is logged in, ``folder`` being its
        own. Blocking. Raises EnvironmentFailure."""
        with ExitStack() as running:
            addresses = dict(self.hosted)
            if self.own is not None:
                addresses |= running.enter_context(self.own.running(folder))
            state = folder / "state.json" if task.state_file else None
            if state is not None and task.state_file in own.LOGINS:
                site = own.LOGINS[task.state_file]
                state.write_text(own.log_in(site, addresses[site]), encoding="utf-8")
            elif state is not None and self.logins is not None:
                shutil.copyfile(self.logins / task.state_file, state)  # the browser writes in it at the end
            yield addresses, state

    def check(self, tasks: Tasks) -> None:
        """Raises UsageError for what tasks need and is not there. Blocking."""
        there = {*self.hosted, *(self.own.names if self.own is not None else ())}
        if unknown := [name for name in tasks.sites() if name not in there]:
            hint = f"Say where they are: {' '.join(f'--site {name}=URL' for name in unknown)}; or leave them out: --of SITE."
            raise UsageError(f"The addresses of these sites are not known: {', '.join(unknown)}.", hint=hint)
        wanted = [name for name in tasks.sites() if name in self.hosted]
        if silent := [name for name in wanted if not own.answers(self.hosted[name])]:
            told = ", ".join(f"{name} ({self.hosted[name]})" for name in silent)
            raise UsageError(f"These sites do not answer: {told}.", hint="Start them, or leave their tasks out: --of SITE.")
        files = {task.state_file for task in tasks.at({})} - {"", *own.LOGINS}
        missing = sorted(name for name in files if self.logins is None or not (self.logins / name).is_file())
        if missing:
            hint = "WebArena's browser_env/auto_login.py makes them; name their folder: --logins DIR"
            raise UsageError(f"Nobody is logged in: {', '.join(missing)} missing.", hint=hint)


@dataclass
class Examiner:
    """Looks at the pages before the browser of a run is closed: one that is done closes it before it says so."""

    browser: BrowserDesktop
    task: Task
    addresses: Mapping[str, str]
    url: str = ""
    contents: tuple[str, ...] = ()
    trouble: str = "its browser was gone before its pages were looked at"
    """Why nothing could be seen; '' where all was."""

    def __post_init__(self) -> None:
        close, looked = self.browser.close, False

        def last() -> None:
            nonlocal looked
            if not looked:
                looked = True
                self._look()
            close()

        self.browser.close = last

    def _look(self) -> None:
        evaluation = self.task.evaluation
        try:
            self.url = self.browser.with_page(_address)
            if "program_html" in evaluation.kinds:
                self.contents = self.browser.with_page(lambda page: contents(page, evaluation, self.addresses))
        except (EnvironmentFailure, ActionError) as error:
            self.trouble = str(error)
        else:
            self.trouble = ""


async def _address(page: Page) -> str:
    return page.url


def wanted(tasks: Iterable[Task], seeds: Iterable[int]) -> dict[tuple[str, int], Task]:
    """Every task with every seed, seed by seed: a series that is interrupted has seen each task."""
    tasks = tuple(tasks)
    return {(task.name, seed): task for seed in seeds for task in tasks}


def regime(judge: str) -> str:
    """What a figure says of who compared the answers that only a model can compare."""
    return f"judged by {judge}" if judge else ""


async def attempt(
    tasks: Tasks,
    task: Task,
    seed: int,
    sites: Sites,
    settings: Settings,
    *,
    by: By,
    judge: tuple[str, Judge] | None = None,
    solution: Solution | None = None,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """Do a task of ``tasks``. ``judge``: who compares answers, with its name; ``solution``: what the oracle does;
    ``loaded``: answers in place of the model. One whose pages could not be looked at is ``lost``. Raises what the
    session raises, and EnvironmentFailure where a site of ours does not start."""
    folder = settings.data / "workspaces" / f"webarena-{task.name}-{seed}-{secrets.token_hex(3)}"
    place = settings.data / "sites" / folder.name
    with ExitStack() as around:
        for each in (folder, place):
            each.mkdir(parents=True)
            around.callback(shutil.rmtree, each, ignore_errors=True)
        addresses, state = await anyio.to_thread.run_sync(around.enter_context, sites.ready(task, place))
        placed = next(each for each in tasks.at(addresses) if each.task_id == task.task_id)
        browser = await anyio.to_thread.run_sync(_opened, around, placed, addresses, folder, state)
        examiner = Examiner(browser, placed, addresses)
        request, loaded = _requested(placed, seed, addresses, folder, settings, by, solution, loaded)

        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch, environment=browser)
        seconds = time.perf_counter() - began
    what = ended(journal)
    lost = bool(examiner.trouble) and not journal.state.interrupted
    if lost:
        what["why"] = examiner.trouble
    # A run that gives a task up as one that cannot be done says just that.
    answer = IMPOSSIBLE if what["reason"] == "infeasible" and not what["answer"] else what["answer"]
    said = examiner.trouble
    if not said:
        said = await wrong(placed, Ended(answer, examiner.url, examiner.contents), judge[1] if judge else None)
    model, crew, pool, without = by
    return Trial(
        suite="webarena", task=task.name, seed=seed, model=model, crew=crew, pool=pool, without=without,
        regime=regime(judge[0] if judge else ""), agents=1, infeasible=False,
        right=not said, said=said, seconds=round(seconds, 1), lost=lost, **what,
    )  # fmt: skip


def _opened(around: ExitStack, task: Task, addresses: Mapping[str, str], folder: Path, state: Path | None) -> BrowserDesktop:
    """The browser of a run, logged in, with all pages but the first open already. It reaches the sites alone."""
    proxy = around.enter_context(_proxy(addresses))
    browser = start_browser(folder, proxy=proxy, session=state)
    around.callback(browser.close)
    for page in task.pages[:0:-1]:
        browser.open_url(page)
        browser.open_url("about:blank", new_window=True)
    return browser


@contextmanager
def _proxy(addresses: Mapping[str, str]) -> Generator[Proxy]:
    proxy = Proxy(_hosts(addresses))
    try:
        yield proxy
    finally:
        proxy.close()


def _hosts(addresses: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(urlsplit(each).netloc.rpartition("@")[2] for each in addresses.values()))


def _requested(
    task: Task,
    seed: int,
    addresses: Mapping[str, str],
    folder: Path,
    settings: Settings,
    by: By,
    solution: Solution | None,
    loaded: Model | None,
) -> tuple[RunRequest, Model | None]:
    """What is asked, and who answers in place of the model."""
    model, crew, pool, without = by
    limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS, "operations": STEPS})
    request = RunRequest(
        task=task.asked, model=model, crew=crew, workspace=folder, desktop="browser", url=task.pages[0],
        hosts=_hosts(addresses), policy=POLICY, pool=pool, without=without, seed=seed, limits=limits,
    )  # fmt: skip
    if model not in CONTROLS:
        return request, loaded
    request = as_control(request, settings)
    if model == IDLE:
        return request, Idle()
    if solution is None:
        raise UsageError(f"What is done to solve task {task.name} is not written down.", hint="--oracles FILE")
    asked = Contract(by="human").asking(task.asked) if solution.answer else None
    return replace(request, required=asked), Oracle(solution)
