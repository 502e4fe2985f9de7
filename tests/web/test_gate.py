"""Who is turned away: pages of other sites, other names, and whoever has no link."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from deskcrew.ways_in.web.access import SESSION_SECONDS, Access
from web.conftest import ORIGIN

EVERY_PAGE = [
    "/",
    "/start",
    "/roles",
    "/actions",
    "/schedules",
    "/schedules/new",
    "/notes",
    "/policy",
    "/models",
    "/settings",
    "/skills",
    "/memory",
    "/memory/export",
    "/runs/x",
    "/runs/x/live",
    "/runs/x/picture/1",
]


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_somebody_without_a_link_sees_nothing(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 401
    assert "locked" in answer.text


def test_a_link_opens_once(stranger: TestClient, access: Access) -> None:
    token = access.link()
    first = stranger.get("/enter", params={"token": token})
    assert first.status_code == 200
    kept = first.headers["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=strict" in kept
    assert stranger.get("/").status_code == 200
    stranger.cookies.clear()
    assert stranger.get("/enter", params={"token": token}).status_code == 401
    assert stranger.get("/").status_code == 401


def test_a_link_that_is_only_fetched_beforehand_still_opens(stranger: TestClient, access: Access) -> None:
    token = access.link()
    assert stranger.get("/enter", params={"token": token}, headers={"sec-purpose": "prefetch;prerender"}).status_code == 503
    assert stranger.get("/enter", params={"token": token}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9999", "evil.example:8700", ""])
def test_a_name_that_was_made_to_lead_here_is_not_ours(person: TestClient, host: str) -> None:
    """DNS rebinding: for the browser the attacker's page and its requests are of one origin, under a name not ours."""
    answer = person.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "<li>" not in answer.text


def test_names_of_this_machine_are_ours(person: TestClient) -> None:
    assert person.get("/", headers={"host": "localhost:8700", "origin": "http://localhost:8700"}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:3000", "null", "https://127.0.0.1:8700", None])
def test_a_page_of_another_site_changes_nothing(person: TestClient, origin: str | None) -> None:
    """CSRF: the browser would send the cookie along, at least from another port of this machine."""
    del person.headers["origin"]
    headers = {} if origin is None else {"origin": origin}
    assert person.post("/leave", headers=headers).status_code == 403
    assert person.get("/").status_code == 200


def test_a_page_of_ours_changes_something(person: TestClient) -> None:
    assert person.post("/leave").status_code == 303
    assert person.get("/").status_code == 401


def test_a_cookie_that_was_kept_opens_nothing_after_leaving(person: TestClient, access: Access, tmp_path: Path) -> None:
    kept = dict(person.cookies)
    assert person.get("/").status_code == 200
    assert person.post("/leave").status_code == 303
    for name, value in kept.items():
        person.cookies.set(name, value, domain="127.0.0.1")
    assert person.get("/").status_code == 401
    # Another browser of the same person stays, and what was left stays so when the server is started again.
    first = Access(b"k" * 32, folder=tmp_path)
    left, other = first.session(), first.session()
    first.leave(left)
    first.leave("no.such.cookie")
    again = Access(b"k" * 32, folder=tmp_path)
    assert not again.knows(left)
    assert again.knows(other)
    assert (tmp_path / "web.left").stat().st_mode & 0o077 == 0


def test_one_of_our_names_is_not_the_origin_of_another(person: TestClient) -> None:
    assert person.post("/leave", headers={"host": "localhost:8700", "origin": ORIGIN}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_embeds_nothing_of_ours(person: TestClient, site: str) -> None:
    del person.headers["origin"]
    part = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    assert person.get("/", headers=part).status_code == 403
    link = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert person.get("/", headers=link).status_code == 200
    frame = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
    assert person.get("/", headers=frame).status_code == 403


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"host": "evil.example", "origin": "http://evil.example"}]
)
def test_a_websocket_is_opened_from_our_pages_only(person: TestClient, headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect) as refused, person.websocket_connect("/runs/x/desktop", headers=headers):
        pass
    assert refused.value.code == 1008


def test_a_websocket_is_opened_with_the_cookie_only(stranger: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        stranger.websocket_connect("/runs/x/desktop", headers={"origin": ORIGIN}),
    ):
        pass
    assert refused.value.code == 1008


def test_every_answer_is_held_to_itself(stranger: TestClient, person: TestClient) -> None:
    for path in ("/", "/nowhere", "/static/deskcrew.css", "/enter"):
        headers = person.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    assert person.get("/").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd"]
)
def test_static_files_are_all_that_is_open(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code in (401, 404)
    assert "create_app" not in answer.text
    assert "root:" not in answer.text


def test_a_forged_or_old_cookie_opens_nothing() -> None:
    now = 1_000_000.0
    access = Access(b"k" * 32, now=lambda: now)
    cookie = access.session()
    assert access.knows(cookie)
    assert not Access(b"l" * 32, now=lambda: now).knows(cookie)
    assert not access.knows(cookie[:-1] + ("0" if cookie[-1] != "0" else "1"))
    for forged in ("", ".", "..", "9999999999", "-1.x.", "٣.x.y", f"{int(now)}.x.{'0' * 64}"):
        assert not access.knows(forged)
    now += SESSION_SECONDS
    assert not access.knows(cookie)


def test_a_token_that_was_set_opens_again_and_again() -> None:
    access = Access(b"k" * 32, token="correct horse battery staple")
    assert access.opens("correct horse battery staple")
    assert access.opens("correct horse battery staple")
    assert not access.opens("")
    assert not access.opens("correct horse battery stapl")
    assert not Access(b"k" * 32).opens("")
