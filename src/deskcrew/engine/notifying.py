"""Notifications that a run asks something or has ended: in the desktop session, to a webhook as a small JSON object, and to
a topic of ntfy or a compatible server as text.

Nothing here can fail or delay a run: what could not be delivered is reported.
"""

from __future__ import annotations

import asyncio
import html
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.header import Header
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from deskcrew.engine.human.questions import HelpQuestion, LimitQuestion, OperationQuestion, Question, ReplyQuestion, Response
from deskcrew.engine.human.responder import Nobody, Passing
from deskcrew.engine.session import Beside, nobody
from deskcrew.errors import DeskcrewError, UsageError, extra_installed
from deskcrew.facts.events import Event
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.secrets.binding import Secret
from deskcrew.secrets.store import PASSPHRASE, open_store
from deskcrew.settings import NotifySettings, Settings

if TYPE_CHECKING:
    import httpx

TRIES = 3
SECONDS = 10.0
"""A webhook that takes longer has not answered."""
WAIT = 1.0
"""Seconds before the second try, doubled before each further one."""
LAST = 15.0
"""Seconds that the end of a run waits for what is still being sent."""
ASKED = 400
"""The number of a question's characters that are sent, besides how to answer it."""
LONGEST = 2000
"""The number of an answer's characters that are sent. The journal has all of it."""
PATH, NAME = "/org/freedesktop/Notifications", "org.freedesktop.Notifications"
"""The notification service: its object path, and the name of both its bus and its interface."""


class News(Frozen):
    """News of a run, as a webhook receives it. ``run``: the run's name, '' if none could start; ``outcome``: as in
    ``deskcrew run --json``, or ``not begun``, or ``asks`` with the question in ``why``; ``schedule``, ``file``: the schedule
    that began the run, and the file that it is for."""

    schedule: str = ""
    task: str
    file: str = ""
    run: str = ""
    outcome: str
    answer: str = ""
    why: str = ""

    @property
    def words(self) -> str:
        """A summary on a line or two."""
        return f"{self.outcome}: {self.answer or self.why or self.task}"

    @property
    def title(self) -> str:
        return f"Deskcrew: {' '.join(self.task[:100].split())}"


def _about(question: OperationQuestion) -> str:
    """The operation, its target, and why it is asked about. Of the parameters only paths are included: others may hold a
    file's content."""
    target = question.bound.target
    at = (target.name, target.page or target.window) if target is not None else ()
    about = ", ".join(filter(None, [*(file.path for file in question.bound.files), *at]))
    why = question.why or question.intention or "may it be done?"
    return f"{question.role}, {' '.join(filter(None, (question.operation.function, about)))}: {why}. {question.told}".strip()


class Unsent(Exception):
    """A server did not accept the message, but another try may succeed."""


async def tell(news: News, settings: NotifySettings, secret: Callable[[str], Secret], say: Callable[[str], None]) -> None:
    """Send all notifications. ``secret``: looks up a secret by name, raising UsageError if there is none; ``say``: called
    with what could not be delivered."""
    if settings.desktop and (wrong := await anyio.to_thread.run_sync(notify, news)):
        say(f"No notification was shown: {wrong}")
    try:
        if settings.webhook and (wrong := await post(news, settings, secret)):
            say(f"The webhook was not notified: {wrong}")
        if settings.ntfy and (wrong := await publish(news, settings, secret)):
            say(f"The topic was not notified: {wrong}")
    except ModuleNotFoundError as error:
        say(f"No webhook or topic was notified: {error.name} is not installed. {extra_installed('services')}")


def notify(news: News, *, seconds: float = SECONDS) -> str:
    """Show a notification if there is a desktop session; returns what went wrong, or ''. Blocking."""
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return ""  # nobody has a session here
    # A notification's text is markup, and an answer may be of a stranger's page.
    body = html.escape(news.words[:LONGEST], quote=False)
    try:
        from jeepney import DBusAddress, MessageType, new_method_call  # pyright: ignore
        from jeepney.io.blocking import open_dbus_connection  # pyright: ignore
    except ImportError:
        return f"jeepney is not installed. {extra_installed('desktop')}"
    message = new_method_call(
        DBusAddress(PATH, bus_name=NAME, interface=NAME),
        "Notify",
        "susssasa{sv}i",
        ("Deskcrew", 0, "", news.title, body, [], {}, -1),
    )
    try:
        with open_dbus_connection("SESSION") as connection:
            reply: Any = connection.send_and_get_reply(message, timeout=seconds)  # pyright: ignore[reportUnknownMemberType]
    except (OSError, ValueError, TimeoutError) as error:
        return f"{type(error).__name__}: {error}"
    return str(reply.body[0]) if reply.header.message_type is MessageType.error else ""


async def post(news: News, settings: NotifySettings, secret: Callable[[str], Secret], *, wait: float = WAIT) -> str:
    """Send the news to the webhook, trying a few times if need be. Returns what went wrong, without any content of the
    response, or ''."""
    import httpx

    address = httpx.URL(settings.webhook)
    headers: dict[str, str] = {}
    if settings.secret:
        try:
            kept = await anyio.to_thread.run_sync(secret, settings.secret)
        except DeskcrewError as error:
            return error.whole
        if not _admits(kept, address):
            return f"the secret {kept.name} may not go to {address.host}; it may go to: {kept.binding or 'nobody'}"
        headers["Authorization"] = f"Bearer {kept.value}"
    body = news.model_copy(update={"answer": news.answer[:LONGEST], "why": news.why[:LONGEST]}).model_dump(mode="json")
    return await _delivered(httpx.Request("POST", address, headers=headers, json=body), wait)


async def publish(news: News, settings: NotifySettings, secret: Callable[[str], Secret], *, wait: float = WAIT) -> str:
    """Like :func:`post`, but to a topic, as text with a title. The secret is sent along if it is bound to that host."""
    import httpx

    address = httpx.URL(settings.ntfy)
    # Headers are ASCII: the server decodes what is encoded as in mails.
    headers = {"Title": news.title if news.title.isascii() else Header(news.title, "utf-8", maxlinelen=10_000).encode()}
    if settings.secret:
        try:
            kept = await anyio.to_thread.run_sync(secret, settings.secret)
        except DeskcrewError as error:
            return error.whole
        if _admits(kept, address):
            headers["Authorization"] = f"Bearer {kept.value}"
    request = httpx.Request("POST", address, headers=headers, content=news.words[:LONGEST].encode(errors="replace"))
    return await _delivered(request, wait)


def _admits(secret: Secret, address: httpx.URL) -> bool:
    return secret.binding.admits_origin(f"{address.scheme}://{address.netloc.decode()}")


async def _delivered(request: httpx.Request, wait: float) -> str:
    """Send a request, with retries. Returns what went wrong, or ''."""
    import httpx
    from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

    attempts = AsyncRetrying(
        retry=retry_if_exception_type((httpx.TransportError, Unsent)),
        stop=stop_after_attempt(TRIES),
        wait=wait_exponential(multiplier=wait),
        reraise=True,
    )
    try:
        async with httpx.AsyncClient(timeout=SECONDS) as client:
            reply: httpx.Response = await attempts(_sent, client, request)
    except (httpx.HTTPError, Unsent) as error:
        return f"{error or type(error).__name__} (tried {TRIES} times)"
    return "" if reply.is_success else f"it answered {reply.status_code}"


async def _sent(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """The response. Raises Unsent if another try may succeed, and what httpx raises."""
    reply = await client.send(request)
    if reply.status_code in (408, 429) or reply.status_code >= 500:
        raise Unsent(f"it answered {reply.status_code}")
    return reply


def stored(settings: Settings) -> Callable[[str], Secret]:
    """A function that looks up secrets by name. It raises UsageError if there is no such secret, or a passphrase would be
    asked for."""
    return lambda name: open_store(settings, _nobody).get(name)


class Pushes:
    """Sends notifications about a run of this process while it works. ``journal``: returns the run's journal, None before it
    has begun; ``say``: called with what could not be delivered, once for each channel."""

    def __init__(
        self, settings: Settings, task: str, journal: Callable[[], Journal | None], say: Callable[[str], None]
    ) -> None:
        self._settings, self._task, self._journal, self._say = settings, task, journal, say
        self._sending: set[asyncio.Task[None]] = set()
        self._said: set[str] = set()

    def asks(self, question: Question) -> None:
        answer = "yes|no"
        match question:
            case HelpQuestion(role=role, question=text):
                why, answer = f"{role}: {text}" if role else text, '"YOUR ANSWER"'
            case LimitQuestion():
                why = question.question
            case OperationQuestion():
                why = _about(question)
            case ReplyQuestion(reading=str() as reading, unused=unused) if reading:
                why = f"Is that what you want? {reading}"
                why, answer = (f"Ignoring your words: {unused}? {reading}", "ignore|no") if unused else (why, answer)
            case ReplyQuestion(contract=contract, role=role):
                what = "what must hold in the end" if contract else f"the reply of {role}"
                why, answer = f"Please look at {what}.", 'yes|"WHAT TO DO INSTEAD"'
        journal = self._journal()
        how = f" Answer: deskcrew answer {journal.run} {answer}" if journal else ""
        self._push("asks", why=shorten(why, ASKED, placeholder=" …") + how)

    def ended(self, journal: Journal) -> None:
        """Notify that a run ended, unless a person stopped it."""
        outcome = journal.state.outcome
        if outcome is not None and outcome.status != "stopped":
            self._push(outcome.status, answer=outcome.answer, why=outcome.why)

    async def sent(self) -> None:
        """Wait up to ``LAST`` seconds for what is still being sent, and cancel the rest."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=LAST)
        for task in self._sending:
            task.cancel()

    def _push(self, outcome: str, *, answer: str = "", why: str = "") -> None:
        journal = self._journal()
        news = News(task=self._task, run=journal.run if journal else "", outcome=outcome, answer=answer, why=why)
        news = journal.redactor.model(news) if journal else news
        sending = asyncio.create_task(tell(news, self._settings.notify, stored(self._settings), self._once))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    def _once(self, text: str) -> None:
        way = text.partition(":")[0]
        if way not in self._said:
            self._said.add(way)
            self._say(text if text.endswith(".") else f"{text}.")


@dataclass(frozen=True, slots=True)
class Pushing(Passing):
    """A responder that also sends a notification of each question."""

    pushes: Pushes

    async def ask(self, question: Question) -> Response | None:
        self.pushes.asks(question)
        return await self.responder.ask(question)


@asynccontextmanager
async def pushing(settings: Settings, task: str, beside: Beside) -> AsyncGenerator[Beside]:
    """``beside``, extended to send notifications if the settings say so."""
    if not settings.notify.runs:
        yield beside
        return
    seen: list[Journal] = []
    watch, human = beside.get("watch"), beside.get("human")

    def watching(event: Event, journal: Journal) -> None:
        seen[:] = [journal]
        if watch is not None:
            watch(event, journal)

    pushes = Pushes(settings, task, lambda: seen[0] if seen else None, beside.get("notice") or nobody)
    if human is not None and not isinstance(human, Nobody):
        human = Pushing(human, pushes)
    yield {**beside, "watch": watching, "human": human}
    if seen:
        pushes.ended(seen[0])
    await pushes.sent()


def _nobody(question: str) -> str:
    raise UsageError(
        "Your secrets need their passphrase, and a notification cannot ask for it.", hint=f"Set {PASSPHRASE} before the run."
    )
