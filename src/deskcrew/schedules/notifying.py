"""Notifications about the end of a schedule's run: in the desktop session, and to a webhook, as a small JSON object.

Nothing in here can fail a run: what could not be delivered is reported by the scheduler.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from typing import Any

import anyio.to_thread
import httpx
from jeepney import DBusAddress, MessageType, new_method_call  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
from jeepney.io.blocking import open_dbus_connection  # pyright: ignore[reportMissingTypeStubs]
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from deskcrew.errors import DeskcrewError
from deskcrew.observation import Frozen
from deskcrew.secrets.binding import Secret
from deskcrew.settings import NotifySettings

TRIES = 3
SECONDS = 10.0
"""A webhook that takes longer has not answered."""
WAIT = 1.0
"""Seconds before the second try, doubled before each further one."""
LONGEST = 2000
"""The number of an answer's characters that are sent. The journal has all of it."""
NOTIFICATIONS = DBusAddress(
    "/org/freedesktop/Notifications", bus_name="org.freedesktop.Notifications", interface="org.freedesktop.Notifications"
)


class Ending(Frozen):
    """How a run of a schedule ended, as a webhook receives it. ``run``: '' if none could start; ``outcome``: as of
    ``deskcrew run --json``, or ``not begun``; ``file``: the one it was for."""

    schedule: str
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


class Unsent(Exception):
    """A webhook did not accept the message, and may another time."""


async def tell(
    ending: Ending, settings: NotifySettings, secret: Callable[[str], Secret], say: Callable[[str], None]
) -> None:
    """Send all notifications. ``secret``: the secret of a name; raises UsageError if there is none. ``say``: called with
    what could not be delivered."""
    if settings.desktop and (wrong := await anyio.to_thread.run_sync(notify, ending)):
        say(f"No notification was shown: {wrong}")
    if settings.webhook and (wrong := await post(ending, settings, secret)):
        say(f"The webhook was not notified: {wrong}")


def notify(ending: Ending, *, seconds: float = SECONDS) -> str:
    """Show a notification if there is a desktop session; returns what went wrong, or ''. Blocking."""
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return ""  # nobody has a session here
    # A notification's text is markup, and an answer may be of a stranger's page.
    body = html.escape(ending.words[:LONGEST], quote=False)
    message = new_method_call(
        NOTIFICATIONS,
        "Notify",
        "susssasa{sv}i",
        ("Deskcrew", 0, "", f"Deskcrew: {ending.task[:100]}", body, [], {}, -1),
    )
    try:
        with open_dbus_connection("SESSION") as connection:
            reply: Any = connection.send_and_get_reply(message, timeout=seconds)  # pyright: ignore[reportUnknownMemberType]
    except (OSError, ValueError, TimeoutError) as error:
        return f"{type(error).__name__}: {error}"
    return str(reply.body[0]) if reply.header.message_type is MessageType.error else ""


async def post(ending: Ending, settings: NotifySettings, secret: Callable[[str], Secret], *, wait: float = WAIT) -> str:
    """Send it to the webhook, a few times if need be; returns what went wrong, or ''. That contains nothing of the
    response."""
    address = httpx.URL(settings.webhook)
    headers: dict[str, str] = {}
    if settings.secret:
        try:
            kept = await anyio.to_thread.run_sync(secret, settings.secret)
        except DeskcrewError as error:
            return error.whole
        if not kept.binding.admits_origin(f"{address.scheme}://{address.netloc.decode()}"):
            return f"the secret {kept.name} may not go to {address.host}; it may go to: {kept.binding or 'nobody'}"
        headers["Authorization"] = f"Bearer {kept.value}"
    body = ending.model_copy(update={"answer": ending.answer[:LONGEST], "why": ending.why[:LONGEST]}).model_dump(mode="json")
    attempts = AsyncRetrying(
        retry=retry_if_exception_type((httpx.TransportError, Unsent)),
        stop=stop_after_attempt(TRIES),
        wait=wait_exponential(multiplier=wait),
        reraise=True,
    )
    try:
        async with httpx.AsyncClient(timeout=SECONDS, headers=headers) as client:
            reply: httpx.Response = await attempts(_sent, client, address, body)
    except (httpx.HTTPError, Unsent) as error:
        return f"{error or type(error).__name__} (tried {TRIES} times)"
    return "" if reply.is_success else f"it answers {reply.status_code}"


async def _sent(client: httpx.AsyncClient, address: httpx.URL, body: dict[str, Any]) -> httpx.Response:
    """The response. Raises Unsent if another try may succeed, and what httpx raises."""
    reply = await client.post(address, json=body)
    if reply.status_code in (408, 429) or reply.status_code >= 500:
        raise Unsent(f"it answers {reply.status_code}")
    return reply
