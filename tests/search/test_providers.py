"""Each search service against a local server that answers as the real one does, well and badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.environments.search.asking import LARGEST, wanted_wait
from deskcrew.environments.search.factory import KEY_VARIABLES, create
from deskcrew.environments.search.provider import Patience, Remembered, SearchProvider
from deskcrew.errors import SearchFailure, UsageError
from deskcrew.settings import SearchSettings

KEY = "tvly-7f3a9c5e1b-secret"
HITS = [
    {
        "title": "Lamps &amp; more",
        "url": "https://lamps.example.org/a?b=1",
        "content": "Blue lamps, 12 euros.",
        "description": "d",
    },
    {"title": "Chairs", "url": "http://chairs.example.org/", "content": None, "description": "d"},
]
PATHS = {"searxng": "/search", "brave": "/res/v1/web/search", "tavily": "/search"}
NAMES = tuple(PATHS)
KEYED = ("brave", "tavily")
Make = Callable[..., SearchProvider]


def answer(name: str, hits: list[Any]) -> dict[str, Any]:
    return {"type": "search", "web": {"results": hits}} if name == "brave" else {"results": hits}


@pytest.fixture
def waits() -> list[float]:
    """Seconds that were waited between tries; nobody really waits."""
    return []


@pytest.fixture
def make(httpserver: HTTPServer, waits: list[float]) -> Make:
    def provider(name: str, *, key: str = KEY, address: str = "", **patience: Any) -> SearchProvider:
        settings = SearchSettings(provider=name, address=address or f"http://127.0.0.1:{httpserver.port}")  # type: ignore[arg-type]
        environment = {variable: key for variables in KEY_VARIABLES.values() for variable in variables[:1]}
        made = create(settings, environment=environment, patience=Patience(sleep=waits.append, **patience))
        assert made is not None
        return made

    return provider


def failure(provider: SearchProvider, words: str = "lamps") -> SearchFailure:
    with pytest.raises(SearchFailure) as raised:
        provider.search(words, 5)
    assert KEY not in f"{raised.value} {raised.value.hint} {raised.value!r}"
    return raised.value


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_and_what_comes_back(make: Make, httpserver: HTTPServer, name: str) -> None:
    seen: list[Request] = []

    def reply(request: Request) -> Response:
        seen.append(request)
        return Response(json.dumps(answer(name, [*HITS, HITS[0]])), content_type="application/json")

    httpserver.expect_request(PATHS[name]).respond_with_handler(reply)
    found = make(name).search("blue lamps", 2)
    assert [hit.address for hit in found] == ["https://lamps.example.org/a?b=1", "http://chairs.example.org/"]
    request = seen[0]
    if name == "searxng":
        assert (request.method, dict(request.args)) == ("GET", {"q": "blue lamps", "format": "json"})
        assert not {"Authorization", "X-Subscription-Token"} & set(request.headers.keys())
        assert (found[0].excerpt, found[1].excerpt) == ("Blue lamps, 12 euros.", "")
    elif name == "brave":
        assert (request.method, request.args["q"], request.args["count"]) == ("GET", "blue lamps", "2")
        assert request.headers["X-Subscription-Token"] == KEY
        assert found[0].title == "Lamps & more"
    else:
        assert (request.method, request.headers["Authorization"]) == ("POST", f"Bearer {KEY}")
        assert request.get_json() == {"query": "blue lamps", "max_results": 2, "search_depth": "basic"}
        assert found[0].excerpt == "Blue lamps, 12 euros."


def test_a_service_on_this_machine_is_not_asked_through_a_proxy(
    make: Make, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    httpserver.expect_request("/search").respond_with_json({"results": HITS})
    assert len(make("searxng").search("lamps", 5)) == 2


@pytest.mark.parametrize("name", NAMES)
def test_nothing_found_is_no_error(make: Make, httpserver: HTTPServer, name: str) -> None:
    httpserver.expect_request(PATHS[name]).respond_with_json(answer(name, []))
    assert make(name).search("lamps", 5) == ()


def test_brave_leaves_the_list_out_where_nothing_was_found(make: Make, httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATHS["brave"]).respond_with_json({"type": "search", "query": {"original": "lamps"}})
    assert make("brave").search("lamps", 5) == ()


def test_an_instance_whose_engines_are_silent_says_so(make: Make, httpserver: HTTPServer) -> None:
    said = {"results": [], "unresponsive_engines": [["google", "timeout"], ["bing", "access denied"], "odd"]}
    httpserver.expect_request("/search").respond_with_json(said)
    error = failure(make("searxng"))
    assert "google (timeout), bing (access denied), odd" in str(error)
    assert "engines" in error.hint


def brave_error(code: str, detail: str) -> dict[str, Any]:
    return {"type": "ErrorResponse", "error": {"code": code, "detail": detail, "meta": {}}, "time": 1}


REFUSED = [
    ("searxng", 403, None, "403", "formats: [html, json]"),
    ("searxng", 404, None, "404", "without /search"),
    ("brave", 422, brave_error("SUBSCRIPTION_TOKEN_INVALID", f"The token {KEY} is invalid."), "422", "BRAVE_API_KEY"),
    ("brave", 401, None, "401", "BRAVE_API_KEY"),
    ("brave", 403, None, "403", "BRAVE_API_KEY"),
    ("brave", 404, {"errors": [{"code": "SUBSCRIPTION_NOT_FOUND", "detail": "No plan"}]}, "No plan", "subscribe"),
    ("brave", 422, brave_error("VALIDATION", "q is too long"), "q is too long", "says why"),
    ("tavily", 401, {"detail": {"error": f"Unauthorized: invalid API key {KEY}"}}, "Unauthorized", "TAVILY_API_KEY"),
    ("tavily", 403, {"detail": 'say "yes"'}, "403: \"say 'yes'\".", "TAVILY_API_KEY"),
    ("tavily", 432, {"detail": {"error": "This request exceeds your plan's set usage limit"}}, "usage limit", "used up"),
    ("tavily", 433, {"detail": {"error": "pay-as-you-go limit"}}, "pay-as-you-go", "used up"),
    ("tavily", 400, {"detail": {"error": "Query is too long."}}, "too long", "says why"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "status", "body", "said", "hint"), REFUSED)
def test_a_refusal_says_what_to_do_and_is_not_repeated(
    make: Make, httpserver: HTTPServer, waits: list[float], name: str, status: int, body: Any, said: str, hint: str
) -> None:
    """Services that tell the key back do not get it into any text."""
    text = json.dumps(body) if body is not None else "<!doctype html><title>403 Forbidden</title>"
    kind = "application/json" if body is not None else "text/html"
    httpserver.expect_request(PATHS[name]).respond_with_data(text, status=status, content_type=kind)
    error = failure(make(name))
    assert said in str(error)
    assert hint in error.hint
    assert error.status == status
    assert waits == []
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_may_pass_is_asked_again(
    make: Make, httpserver: HTTPServer, waits: list[float], name: str, status: int
) -> None:
    httpserver.expect_ordered_request(PATHS[name]).respond_with_data("busy", status=status, headers={"Retry-After": "3"})
    httpserver.expect_ordered_request(PATHS[name]).respond_with_json(answer(name, HITS))
    assert len(make(name).search("lamps", 5)) == 2
    assert waits == [3.0]


@pytest.mark.parametrize(("name", "hint"), [("searxng", "limiter: false"), ("brave", "too often"), ("tavily", "too often")])
def test_too_often_is_said_after_three_tries(
    make: Make, httpserver: HTTPServer, waits: list[float], name: str, hint: str
) -> None:
    httpserver.expect_request(PATHS[name]).respond_with_data("", status=429)
    error = failure(make(name))
    assert "429" in str(error)
    assert hint in error.hint
    assert (len(httpserver.log), len(waits)) == (3, 2)


def test_a_wait_that_is_too_long_is_not_waited_for(make: Make, httpserver: HTTPServer, waits: list[float]) -> None:
    httpserver.expect_request("/search").respond_with_data("", status=429, headers={"Retry-After": "3600"})
    assert "It asks to wait 3600 s." in str(failure(make("tavily")))
    assert (len(httpserver.log), waits) == (1, [])


def test_braves_windows_say_how_long_to_wait_and_a_used_up_plan_is_not_asked_again(
    make: Make, httpserver: HTTPServer, waits: list[float]
) -> None:
    windows = {"X-RateLimit-Remaining": "0, 812", "X-RateLimit-Reset": "1, 1419704"}
    again = httpserver.expect_ordered_request(PATHS["brave"])
    again.respond_with_json(brave_error("RATE_LIMITED", "too many"), status=429, headers=windows)
    used_up = {"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"}
    over = httpserver.expect_ordered_request(PATHS["brave"])
    over.respond_with_json(brave_error("QUOTA_LIMITED", "quota"), status=429, headers=used_up)
    assert "used up" in failure(make("brave")).hint
    assert waits == [1.0]
    assert len(httpserver.log) == 2


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": format_datetime(datetime.now(UTC) - timedelta(days=1))}, 0.0),
        ({"x-ratelimit-remaining": "0, 0", "x-ratelimit-reset": "1, 90"}, 90.0),
        ({"x-ratelimit-remaining": "3", "x-ratelimit-reset": "1, 90"}, None),
        ({"x-ratelimit-remaining": "many", "x-ratelimit-reset": "1"}, None),
        ({"x-ratelimit-remaining": "5", "x-ratelimit-reset": "7"}, None),
    ],
)
def test_the_wait_that_is_asked_for(headers: dict[str, str], seconds: float | None) -> None:
    assert wanted_wait(headers) == seconds


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("<!DOCTYPE html><html>results</html>", "text/html", "a web page instead of JSON"),
        ('{"results": [{"title": ', "application/json", "something else instead of JSON"),
        ("[" * 100_000, "application/json", "something else instead of JSON"),
        ("", "application/json", "something else instead of JSON"),
        ('["a"]', "application/json", "something else instead of JSON"),
        ('{"items": []}', "application/json", "not a list of results"),
        ('{"results": "none"}', "application/json", "not a list of results"),
    ],
)
def test_what_is_no_list_of_results_is_said(
    make: Make, httpserver: HTTPServer, name: str, body: str, kind: str, said: str
) -> None:
    httpserver.expect_request(PATHS[name]).respond_with_data(body, content_type=kind)
    error = failure(make(name))
    assert said in str(error)
    assert error.hint
    if name == "searxng" and kind == "text/html":
        assert "formats: [html, json]" in error.hint


def test_no_list_is_read_without_an_end(make: Make, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/search").respond_with_data("x" * (LARGEST + 1))
    assert "more than 2 MB" in str(failure(make("searxng")))


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_who_does_not_answer_is_not_waited_for(make: Make, httpserver: HTTPServer, released: threading.Event) -> None:
    def hangs(request: Request) -> Response:
        released.wait(60)
        return Response("{}")

    httpserver.expect_request("/search").respond_with_handler(hangs)
    try:
        assert "did not answer within 0.2 s" in str(failure(make("searxng", seconds=0.2)))
    finally:
        released.set()


def test_an_answer_that_drips_is_given_up(make: Make, httpserver: HTTPServer, released: threading.Event) -> None:
    def drips() -> Iterator[bytes]:
        while not released.wait(0.02):
            yield b" "

    httpserver.expect_request("/search").respond_with_handler(lambda _: Response(drips()))
    try:
        assert "did not answer within" in str(failure(make("searxng", seconds=0.3)))
    finally:
        released.set()


@pytest.mark.parametrize("name", NAMES)
def test_who_is_not_there_is_said(make: Make, name: str, waits: list[float]) -> None:
    error = failure(make(name, address="http://127.0.0.1:9"))
    assert "cannot be reached at http://127.0.0.1:9" in str(error)
    assert "address" in error.hint
    assert len(waits) == 2


@pytest.mark.parametrize("name", KEYED)
def test_words_and_key_are_not_sent_on_to_another_host(make: Make, httpserver: HTTPServer, name: str) -> None:
    elsewhere = f"http://127.0.0.1:{httpserver.port}/elsewhere?{KEY}"
    httpserver.expect_request(PATHS[name]).respond_with_data("", status=307, headers={"Location": elsewhere})
    assert "redirects to" in str(failure(make(name)))
    assert len(httpserver.log) == 1


def test_what_strangers_wrote_is_tamed(make: Make, httpserver: HTTPServer) -> None:
    hostile = [
        {"title": "a\nb\x1b[31m\u202e c\x00", "url": "https://a.example/", "content": "x" * 5000},
        {"title": "script", "url": "javascript:alert(1)", "content": ""},
        {"title": "file", "url": "file:///etc/passwd", "content": ""},
        {"title": "space", "url": "https://b.example/ and more", "content": ""},
        {"title": "hidden", "url": "https://c.example/\u200b", "content": ""},
        {"title": "long", "url": "https://d.example/" + "x" * 600, "content": ""},
        {"title": "broken", "url": "https://[::1", "content": ""},
        {"title": 7, "url": "https://e.example/", "content": {"a": 1}},
        "no result at all",
        {"title": "none", "url": None},
    ]
    httpserver.expect_request("/search").respond_with_json({"results": hostile})
    found = make("searxng").search("x", 20)
    assert [(hit.title, hit.address) for hit in found] == [
        ("a b[31m c", "https://a.example/"),
        ("e.example", "https://e.example/"),
    ]
    assert len(found[0].excerpt) == 1000
    assert found[0].excerpt.endswith("…")
    assert found[1].excerpt == ""


@pytest.mark.parametrize("name", KEYED)
def test_a_key_that_a_service_tells_back_is_in_no_result(make: Make, httpserver: HTTPServer, name: str) -> None:
    told = [{"title": f"You are {KEY}", "url": f"https://a.example/{KEY}", "content": KEY, "description": KEY}]
    httpserver.expect_request(PATHS[name]).respond_with_json(answer(name, told))
    assert KEY not in repr(make(name).search("x", 5))


# Settings and keys.


@pytest.mark.parametrize("name", KEYED)
def test_without_its_key_a_provider_is_refused_and_says_which(name: str) -> None:
    with pytest.raises(UsageError, match="needs its API key") as raised:
        create(SearchSettings(provider=name), environment={})  # type: ignore[arg-type]
    assert f"export {KEY_VARIABLES[name][0]}=" in raised.value.hint


@pytest.mark.parametrize("key", ["abc", "two words in it", "line\nbreak-in-it", "schlüssel-1234"])
def test_what_is_no_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError, match="TAVILY_API_KEY is not an API key") as raised:
        create(SearchSettings(provider="tavily"), environment={"TAVILY_API_KEY": key})
    assert key not in f"{raised.value} {raised.value.hint}"


def test_a_key_is_in_no_repr_and_not_sent_in_clear() -> None:
    environment = {"BRAVE_SEARCH_API_KEY": f" {KEY}\n"}
    made = create(SearchSettings(provider="brave"), environment=environment)
    assert made is not None
    assert KEY not in repr(made)
    assert (made.name, made.host) == ("brave", "api.search.brave.com")
    with pytest.raises(UsageError, match="unencrypted"):
        create(SearchSettings(provider="brave", address="http://search.example.org"), environment=environment)


def test_no_provider_is_none_and_one_that_is_only_remembered_cannot_be_asked() -> None:
    assert create(SearchSettings()) is None
    made = create(SearchSettings(provider="searxng", address="https://Search.Example.org/sub/"))
    assert made is not None
    assert (made.name, made.host) == ("searxng", "search.example.org")
    with pytest.raises(SearchFailure, match="only recorded"):
        Remembered(made.name, made.host).search("x", 1)
