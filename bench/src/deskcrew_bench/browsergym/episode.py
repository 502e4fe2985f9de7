"""An episode of BrowserGym, done by a crew on the page that BrowserGym owns, in turns with it.

A process of its own: BrowserGym and AgentLab pin libraries of which Deskcrew needs newer ones, so their agent
(``bench/browsergym``) starts ``python -m deskcrew_bench.browsergym`` and speaks with it over two pipes, one JSON object per
line. A :class:`Beginning` comes in. A :class:`Done` goes out for each operation, and before the next one a line is waited
for; it comes when BrowserGym has taken its step. At last an :class:`Ended` or a :class:`Refused` goes out. When nothing
more can come in, the episode is over.
"""

from __future__ import annotations

import base64
import queue
import re
import secrets
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, TextIO

import anyio
import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.human.questions import Question, Response, Said
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.browser import connect_browser
from deskcrew.errors import DeskcrewError
from deskcrew.facts.events import ActionFinished, Event, HumanSaid, Observed
from deskcrew.facts.observation import Control, Frozen, Observation
from deskcrew.facts.verdict import OUTSIDE
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.settings import Settings
from deskcrew.ways_in.report.render import operation
from deskcrew.ways_in.report.text import one_line

POLICIES = {"own": Path(__file__).with_name("own.toml"), "open": Path(__file__).with_name("open.toml")}
"""What may be done: on sites that somebody set up for a benchmark, and on the open web. Nobody is there to be asked."""
_PICTURE = re.compile(r"data:image/([a-z]+);base64,(.*)", re.DOTALL)


class Part(Frozen):
    """A part of a goal, as OpenAI's messages have them: a text, or the address of a picture, which may hold it."""

    type: Literal["text", "image_url"]
    text: str = ""
    image_url: str | dict[str, str] = ""

    @property
    def address(self) -> str:
        return self.image_url if isinstance(self.image_url, str) else self.image_url["url"]


class Beginning(Frozen):
    """What an episode begins with. ``endpoint``: debugging address of BrowserGym's browser; ``target``: what that calls the
    page in front; ``data``: folder of the journal, '': the user's. ``model`` may be ``rules``: nobody is asked what rules do
    not know."""

    goal: tuple[Part, ...]
    endpoint: str
    target: str
    sites: Literal["own", "open"] = "open"
    model: str = "local"
    crew: str = "default"
    seed: int | None = None
    data: str = ""


class Spent(Frozen):
    """What the run has cost so far. Tokens None: the model does not tell."""

    calls: int
    input: int | None
    output: int | None
    cached: int | None


class Done(Frozen):
    """An operation was carried out, and the run waits. ``words``: which, on what; ``said``: what came of it."""

    type: Literal["done"] = "done"
    run: str
    words: str
    ok: bool
    said: str
    spent: Spent


class Ended(Frozen):
    """The run has ended. ``outcome``, ``reason``, ``why`` and ``answer``: of its outcome."""

    type: Literal["ended"] = "ended"
    run: str
    outcome: str
    reason: str
    why: str
    answer: str
    spent: Spent


class Refused(Frozen):
    """There is no run, or none any more: something is wrong that a person must mend. No result of the crew's."""

    type: Literal["refused"] = "refused"
    error: str
    hint: str


Tell = Callable[[Done | Ended | Refused], None]


class Lines:
    """The lines that come in, read on a thread of their own: so it is known at once when no more can come."""

    def __init__(self, source: TextIO) -> None:
        self.over = False
        self._source = source
        self._read: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="browsergym-lines", daemon=True).start()

    def next(self) -> str | None:
        """The next line, None where there is no more. Blocking."""
        return self._read.get()

    def _listen(self) -> None:
        for line in self._source:
            self._read.put(line)
        self.over = True
        self._read.put(None)


class Turns:
    """In the place of a person: holds the run before an operation until BrowserGym has taken its step for the one before,
    and stops it when the episode is over."""

    def __init__(self, lines: Lines, tell: Tell) -> None:
        self._lines = lines
        self._tell = tell
        self._journal: Journal | None = None
        self._done: Done | None = None
        self._held = False
        self._stopped = False

    def watch(self, event: Event, journal: Journal) -> None:
        """Know the run, and what it has done since BrowserGym's last step."""
        self._journal = journal
        if isinstance(event.body, ActionFinished):
            self._done = done(event.body, journal)

    async def ask(self, question: Question) -> Response | None:
        """Nobody is there."""
        return None

    def said(self) -> Said | None:
        """That the run is held, where the next thing would be an operation and the last one had no step yet; or stopped.
        Each is said once."""
        if self._lines.over:
            return self._stop()
        if self._held or self._done is None or self._journal is None or self._journal.state.phase != "execute":
            return None
        self._held = True
        return HumanSaid(kind="pause", text="BrowserGym takes a step")

    async def wait(self) -> Said | None:
        """Have the step taken."""
        await self.step()
        self._held = False
        return self._stop() if self._lines.over else HumanSaid(kind="resume")

    async def step(self) -> None:
        """Tell what was done last and wait until BrowserGym has looked at it; nothing where there is nothing to tell."""
        if self._done is None:
            return
        self._tell(self._done)
        self._done = None
        await anyio.to_thread.run_sync(self._lines.next, abandon_on_cancel=True)

    def tell(self, text: str) -> None:
        """There is nobody to tell."""

    def _stop(self) -> Said | None:
        if self._stopped:
            return None
        self._stopped = True
        return HumanSaid(kind="stop", text="BrowserGym has ended the episode")


def done(body: ActionFinished, journal: Journal) -> Done:
    """What is told of an operation."""
    on = _control(body.operation.control or "", journal)
    words = operation(body.operation).plain + (f" ({on.role} {on.name!r})" if on is not None and on.name else "")
    said = one_line(body.text or "done" if body.ok else body.error)
    return Done(run=journal.run, words=words, ok=body.ok, said=said, spent=spent(journal))


def _control(label: str, journal: Journal) -> Control | None:
    """A control as it was before the last operation."""
    looks = (event.body.observation for event in reversed(journal.events) if isinstance(event.body, Observed))
    last = next(looks, "") if label else ""
    return Observation.model_validate_json(journal.read_blob(last)).control(label) if last else None


def spent(journal: Journal) -> Spent:
    """What a run has cost so far."""
    sums = journal.state.spent
    calls = len(model_replies(journal.events))
    if sums.untold:
        return Spent(calls=calls, input=None, output=None, cached=None)
    return Spent(calls=calls, input=sums.input, output=sums.output, cached=sums.cached)


def task_of(goal: tuple[Part, ...], folder: Path) -> str:
    """A goal in words. Its pictures become files in ``folder``, which the words name."""
    words: list[str] = []
    for number, part in enumerate(goal, 1):
        if part.type == "text":
            words.append(part.text)
            continue
        name, picture = part.address, _PICTURE.fullmatch(part.address)
        if picture is not None:
            name = f"picture-{number}.{picture[1]}"
            (folder / name).write_bytes(base64.b64decode(picture[2]))
        words.append(f"The picture {name} belongs to this.")
    return "\n".join(words)


async def episode(begun: Beginning, settings: Settings, lines: Lines, tell: Tell) -> None:
    """Do one episode, from its beginning to its end. Raises what the session raises."""
    folder = settings.data / "workspaces" / f"browsergym-{secrets.token_hex(4)}"
    folder.mkdir(parents=True)
    connect = partial(connect_browser, begun.endpoint, folder, target=begun.target, alone=False)
    browser = await anyio.to_thread.run_sync(connect)
    request = RunRequest(
        task=task_of(begun.goal, folder),
        model=begun.model,
        crew=begun.crew,
        workspace=folder,
        desktop="browser",
        policy=POLICIES[begun.sites],
        seed=begun.seed,
        limits=settings.limits,
    )
    turns = Turns(lines, tell)
    journal = await session.run(request, settings, watch=turns.watch, human=turns, environment=browser)
    outcome = journal.state.outcome
    assert outcome is not None  # a run that returned has one
    if outcome.reason in OUTSIDE:
        tell(Refused(error=f"Run {journal.run} was broken off: {outcome.why}", hint="Run the episode again."))
        return
    await turns.step()
    tell(
        Ended(
            run=journal.run,
            outcome=outcome.status,
            reason=outcome.reason,
            why=outcome.why,
            answer=outcome.answer,
            spent=spent(journal),
        )
    )


def main() -> int:
    """Do the episode that the first line asks for. The exit code."""
    out, sys.stdout = sys.stdout, sys.stderr  # nothing else may get between the lines
    lines = Lines(sys.stdin)

    def tell(said: Done | Ended | Refused) -> None:
        try:
            print(said.model_dump_json(), file=out, flush=True)
        except BrokenPipeError:
            lines.over = True

    first = lines.next()
    if first is None:
        return 0
    begun = Beginning.model_validate_json(first)
    try:
        settings = Settings.load()
        if begun.data:
            settings = settings.model_copy(update={"data": Path(begun.data).resolve()})
        anyio.run(episode, begun, settings, lines, tell)
    except DeskcrewError as error:
        tell(Refused(error=str(error), hint=error.hint))
        return 1
    return 0
