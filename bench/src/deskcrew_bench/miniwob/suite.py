"""MiniWoB++, run: each task with each seed on a page of its own, which says by itself what came of it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.human.questions import Question, Response, Said
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.events import DesktopKind, Event, HumanSaid
from deskcrew.guard.proxy import Proxy
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.miniwob.controls import RANDOM, Clicker
from deskcrew_bench.miniwob.pages import READY_SECONDS, Episode, Pages
from deskcrew_bench.suites.controls import IDLE, Idle, as_control
from deskcrew_bench.suites.trial import LONGEST, By, Trial, ended, run_of

CONTROLS = (IDLE, RANDOM)
"""Names of models that are none. They work in the crew ``solo``."""
SIZE = (500, 320)
"""Pixels of the browser's window, as in BrowserGym."""
STEPS = 10
"""Operations of an episode."""
POLICY = Path(__file__).with_name("policy.toml")
"""All may be done on a page from which no other host can be reached; nobody is there to be asked."""
_STILL_JUDGED = frozenset({"review", "judge", "answer", "recover", "finish", "end"})
"""What a run may still do when its page has ended: say what came of it, without doing or asking anything more."""


class Referee:
    """In the place of a person: stops a run whose page says that the episode is over, once all has been judged that needs
    nobody to be asked."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._journal: Journal | None = None
        self._said = False

    def watch(self, event: Event, journal: Journal) -> None:
        """Know the run."""
        self._journal = journal

    async def ask(self, question: Question) -> Response | None:
        """Nobody is there."""
        return None

    def said(self) -> Said | None:
        """That it is over, once."""
        if self._said or not self._episode.over or self._journal is None:
            return None
        state = self._journal.state
        if state.phase in _STILL_JUDGED and not (state.phase == "answer" and state.question):
            return None
        self._said = True
        return HumanSaid(kind="stop", text="the page says that the task is over")

    async def wait(self) -> Said | None:
        """Nobody holds the run."""
        return None

    def tell(self, text: str) -> None:
        """There is nobody to tell."""


@dataclass
class Instructions:
    """What the pages ask for: read in a browser of its own, before a run that is told so begins. Use it as a context
    manager; the browser is started when it is needed."""

    pages: Pages
    folder: Path
    _browser: BrowserDesktop | None = field(default=None, repr=False)
    _proxy: Proxy | None = field(default=None, repr=False)

    def __enter__(self) -> Instructions:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close()

    def of(self, task: str, seed: int) -> str:
        """What a task asks for with a seed. Blocking. Raises EnvironmentFailure where its page does not say."""
        episode = self.pages.episode(task, seed)
        try:
            self._opened().open_url(episode.address)
        except EnvironmentFailure:  # between two trials it may have ended as well as in one: once more, with another
            self._close()
            self._opened().open_url(episode.address)
        if not episode.ready.wait(READY_SECONDS):
            raise EnvironmentFailure(f"The page of {task} with seed {seed} did not begin.", hint="Leave it out.")
        return episode.instruction

    def _opened(self) -> BrowserDesktop:
        if self._browser is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._proxy = Proxy((self.pages.host,))
            self._browser = start_browser(self.folder, size=SIZE, proxy=self._proxy)
        return self._browser

    def _close(self) -> None:
        if self._browser is not None:
            self._browser.close()
        if self._proxy is not None:
            self._proxy.close()
        self._browser = self._proxy = None


async def attempt(
    key: tuple[str, int],
    pages: Pages,
    instruction: Callable[[str, int], str],
    settings: Settings,
    *,
    by: By,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """One episode in a fresh folder. ``loaded``: answers in place of the model. One that loses its browser before the page
    says what came of it is ``lost``. Raises what the session raises."""
    task, seed = key
    model, crew, pool, without = by
    asked = await anyio.to_thread.run_sync(instruction, task, seed)
    folder = settings.data / "workspaces" / f"miniwob-{task}-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    episode = pages.episode(task, seed)
    limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or LONGEST, "operations": STEPS})
    request = RunRequest(
        task=asked, model=model, crew=crew, workspace=folder, desktop="browser", screen=SIZE, url=episode.address,
        pool=pool, without=without, policy=POLICY, seed=seed, limits=limits,
    )  # fmt: skip
    if model in CONTROLS:
        request = as_control(request, settings)
        loaded = Idle() if model == IDLE else Clicker(f"{task} {seed}")
    referee = Referee(episode)

    def seen(event: Event, journal: Journal) -> None:
        referee.watch(event, journal)
        if watch is not None:
            watch(event, journal)

    began = time.perf_counter()
    journal = await run_of(request, settings, loaded, seen, referee)
    seconds = time.perf_counter() - began
    outcome = journal.state.outcome
    return Trial(
        suite="miniwob", task=task, seed=seed, model=model, crew=crew, pool=pool, without=without,
        agents=1, infeasible=False,
        right=(episode.reward or 0) > 0, said=said(episode, asked), seconds=round(seconds, 1),
        lost=outcome is not None and outcome.reason == "environment" and not episode.over,
        **ended(journal),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Episodes:
    """Trials on the nodes of a fleet, which are sent the pages of these ``names``."""

    by: By
    names: tuple[str, ...]
    desktop: DesktopKind = "browser"

    @property
    def model(self) -> str:
        return self.by[0]

    async def attempt(self, key: tuple[str, int], files: Path, settings: Settings, loaded: Model | None) -> Trial:
        """One of them; raises what :func:`attempt` raises."""
        place = settings.data / "workspaces" / f"miniwob-{secrets.token_hex(4)}"
        with Pages(files, self.names) as served, Instructions(served, place) as asked:
            return await attempt(key, served, asked.of, settings, by=self.by, loaded=loaded)


def said(episode: Episode, asked: str) -> str:
    """What the page says of an episode."""
    if episode.instruction != asked:
        return f"the page asked for something else in the run: {episode.instruction!r}"
    if episode.reward is None:
        return "the page's task was not over"
    return f"reward {episode.reward:g}{f' ({episode.reason})' if episode.reason else ''}"
