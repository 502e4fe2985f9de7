"""What a task's evaluation reads from pages, in the browser of the run that has just ended.

So its user is still logged in. The functions that a task may name are those of WebArena's own helpers. Nothing in a
file of tasks is run as Python; its JavaScript runs in the page.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import json
import re
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from playwright.async_api import Error as BrowserError
from playwright.async_api import Page

from deskcrew.errors import ConfigError, EnvironmentFailure
from deskcrew_bench.webarena.tasks import Evaluation, Target

LAST = "last"
CALLS = "func:"
SETTLE_SECONDS = 3.0
"""Seconds in which a page that was opened for its contents comes to rest; WebArena waits as long in any case."""
SECONDS = 20.0
"""Seconds that a site's interface has for an answer."""
_SCRIPT = ("document.", "[...document.")
_POST = re.compile(r"/f/[^/]+/[^/]+")
_ORDERED = "searchCriteria[sortOrders][0]"
_LATEST_ORDER = f"{_ORDERED}[field]=created_at&{_ORDERED}[direction]=DESC&searchCriteria[pageSize]=1"
_MAGENTO = {"username": "admin", "password": "admin1234"}
"""The account that WebArena's shop is published with."""
_ROLE = """name => {
  const rows = [...document.querySelectorAll('td[data-label="Account"] span.gl-avatar-labeled-sublabel')];
  const at = rows.findIndex(row => row.outerText === '@' + name);
  return document.querySelectorAll('td.col-max-role span')[at].outerText;
}"""


@dataclass(frozen=True, slots=True)
class Look:
    """A page and the addresses of all sites by their names."""

    page: Page
    sites: Mapping[str, str]


Named = Callable[..., Awaitable[str]]


async def contents(page: Page, evaluation: Evaluation, sites: Mapping[str, str]) -> tuple[str, ...]:
    """What stands in each target of ``evaluation``, one after another: the page stays where the last one led. Raises
    EnvironmentFailure where an address cannot be opened or a site's interface does not answer, and ConfigError for a
    locator or function that is none."""
    look = Look(page, sites)
    return tuple([await _content(look, target) for target in evaluation.targets])


async def _content(look: Look, target: Target) -> str:
    page, url = look.page, target.url
    if url.startswith("func"):
        url = await _called(look, url.removeprefix(CALLS).replace("__last_url__", page.url))
    if url != LAST:
        try:
            await page.goto(url)
        except BrowserError as error:
            raise EnvironmentFailure(f"{url} cannot be opened: {error.message.splitlines()[0]}") from error
        with contextlib.suppress(BrowserError):
            await page.wait_for_load_state("networkidle", timeout=SETTLE_SECONDS * 1000)
    if not target.locator.strip():
        return await page.content()
    if target.locator.startswith(_SCRIPT):
        with contextlib.suppress(BrowserError):
            for action in target.prep_actions:
                await page.evaluate(f"() => {action}")
        try:
            return str(await page.evaluate(f"() => {target.locator}"))  # as WebArena: null is None, true is True
        except BrowserError:
            return ""  # another page than the right one
    if target.locator.startswith(CALLS):
        return await _called(look, target.locator.removeprefix(CALLS))
    raise ConfigError(f"{target.locator!r} is no locator.", hint="It begins with document. or func:, or is empty.")


async def _called(look: Look, expression: str) -> str:
    """The result of a function that a task names, such as ``reddit_get_post_url('...')``. Raises ConfigError."""
    try:
        call = ast.parse(expression.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
            raise ValueError(expression)
        function = _NAMED[call.func.id]
        given = [str(ast.literal_eval(each)) for each in call.args if not _is_page(each)]
        inspect.signature(function).bind(look, *given)
    except (SyntaxError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{expression!r} is no function of WebArena.", hint=f"There are: {', '.join(_NAMED)}.") from error
    return await function(look, *given)


def _is_page(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Name) and argument.id == "__page__"


async def _latest_order(look: Look) -> str:
    orders = await _shop(look, f"/rest/V1/orders?{quote(_LATEST_ORDER, safe='=&')}")
    number = int(orders["items"][0]["increment_id"])
    return f"{_site(look, 'shopping')}/sales/order/view/order_id/{number}/"


async def _review_author(look: Look, sku: str) -> str:
    reviews = await _shop(look, f"/rest/V1/products/{quote(sku, safe='')}/reviews")
    return str(reviews[-1]["nickname"]) if reviews else ""


async def _review_rating(look: Look, sku: str) -> str:
    reviews = await _shop(look, f"/rest/V1/products/{quote(sku, safe='')}/reviews")
    return str(reviews[-1]["ratings"][0]["percent"]) if reviews else ""


async def _post_url(_: Look, url: str) -> str:
    """The page of a post, where ``url`` is of it or of a comment on it; else the same."""
    split = urlsplit(url)
    post = _POST.match(split.path)
    return f"{split.scheme}://{split.netloc}{post[0]}/" if post else url


async def _member_role(look: Look, name: str) -> str:
    try:
        return str(await look.page.evaluate(_ROLE, name))
    except BrowserError:
        return ""


_NAMED: Mapping[str, Named] = {
    "shopping_get_latest_order_url": _latest_order,
    "shopping_get_sku_latest_review_author": _review_author,
    "shopping_get_sku_latest_review_rating": _review_rating,
    "reddit_get_post_url": _post_url,
    "gitlab_get_project_memeber_role": _member_role,
}


def _site(look: Look, name: str) -> str:
    if name not in look.sites:
        raise ConfigError(f"A task asks the site {name}, whose address is not known.", hint=f"Say --site {name}=URL.")
    return look.sites[name].rstrip("/")


async def _shop(look: Look, path: str) -> Any:
    """What the shop's own interface answers to its administrator."""
    shop = _site(look, "shopping")

    def ask() -> Any:
        kind = {"Content-Type": "application/json"}
        token = _sent(f"{shop}/rest/default/V1/integration/admin/token", kind, json.dumps(_MAGENTO).encode())
        return _sent(f"{shop}{path}", {**kind, "Authorization": f"Bearer {token}"})

    try:
        return await asyncio.to_thread(ask)
    except (OSError, ValueError) as error:
        raise EnvironmentFailure(f"The interface of {shop} does not answer: {error}") from error


def _sent(url: str, headers: Mapping[str, str], body: bytes | None = None) -> Any:
    request = urllib.request.Request(url, data=body, headers=dict(headers))
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.loads(answer.read())
