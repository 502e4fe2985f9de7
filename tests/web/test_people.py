"""Several people behind a proxy that signs them in: each has their own, and of another's there is nothing."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from pydantic import ValidationError
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import deskcrew
from deskcrew.engine.request import RunRequest, own_skills, usual
from deskcrew.engine.workshop.keeping import Corrections, keep
from deskcrew.errors import UsageError
from deskcrew.journal.store import Store
from deskcrew.learning.memory.declaring import declare
from deskcrew.learning.memory.store import Memory
from deskcrew.settings import Settings, WebSettings
from deskcrew.ways_in.cli.options import settings_with
from deskcrew.ways_in.cli.serve import serve
from deskcrew.ways_in.fleet.submissions import Submissions, version
from deskcrew.ways_in.fleet.tasks import Submission, Task
from deskcrew.ways_in.fleet.work import perform
from deskcrew.ways_in.running.messages import Start
from deskcrew.ways_in.schedules.changing import set_up
from deskcrew.ways_in.schedules.schedule import Schedules
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import PARTS, create_app
from deskcrew.ways_in.web.context import web_of
from support.crew import settings_in
from support.waiting import until

SITE, LIVE = "https://desk.example.org", "wss://desk.example.org"
TOKEN, PROXY = "a token of the proxy's", ("10.0.0.2", 4711)
WORD = "walrus"
"""Stands in everything of Alice's."""
TASK = f'Count the lines of {WORD}.txt, then write "Lines:" and the number into count.txt.'
COUNT = {"function": "run_python_code", "code": f"print(len(open('{WORD}.txt').readlines()))"}
WRITE = {"function": "write_file", "file_path": "count.txt", "text": "Lines: 2"}
REPLIES = [{"operations": [COUNT], "branch": "Continue"}, {"operations": [WRITE], "branch": "RoleTaskFinish"}]
FILLED = {"run": "", "page": "0", "number": "1", "before": "1", "after": "2", "path": "count.txt", "question": "a"}
"""The parts of addresses, besides what is somebody's."""
FORM = {
    "on": "true",
    "text": "It is mine.",
    "do": "accept",
    "kind": "guide",
    "task": "Do it.",
    "holds": "true",
    "event": "1",
}
ROUTES = [route for part in PARTS for route in part.router.routes if isinstance(route, APIRoute | APIWebSocketRoute)]


@dataclass
class Hers:
    """What Alice has: a run that has ended, an entry of memory, a schedule, a skill."""

    settings: Settings
    run: str
    entry: str
    schedule: str
    skill: str = f"{WORD}-skill"

    @property
    def state(self) -> object:
        """All of it as it is now."""
        journal = Store.of(self.settings).journal(self.run)
        assert journal.verify() == []
        kept = [each.model_dump() for each in Memory.of(self.settings).all(withdrawn=True)]
        schedules = [each.model_dump() for each in Schedules(self.settings).all()]
        files = sorted(
            str(path) for path in self.settings.data.rglob("*") if "workspaces" in path.parts or "own" in path.parts
        )
        return journal.all[-1].id, kept, schedules, files


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    address = request.getfixturevalue("postgres").journal() if request.param == "postgresql" else ""
    several = WebSettings(identity_header="X-Forwarded-User", trusted_proxies=("10.0.0.0/30",))
    return settings_in(tmp_path).model_copy(
        update={"database": address, "web": several, "model": f"scripted:{tmp_path / 'said.json'}"}
    )


@pytest.fixture
def app(settings: Settings, own_runtime: Path) -> FastAPI:
    return create_app(settings, Access(b"k" * 32, token=TOKEN), [SITE], folder=own_runtime / "runs")


def client_of(app: FastAPI, name: str = "", *, at: tuple[str, int] = PROXY, token: str = TOKEN) -> TestClient:
    """What the proxy sends for somebody of that name; '' for nobody."""
    headers = (
        {"origin": SITE} | ({"x-forwarded-user": name} if name else {}) | ({"x-deskcrew-token": token} if token else {})
    )
    return TestClient(app, base_url=SITE, headers=headers, client=at, follow_redirects=False, raise_server_exceptions=True)


@pytest.fixture
def alice(app: FastAPI) -> Iterator[TestClient]:
    with client_of(app, "alice") as client:
        yield client


@pytest.fixture
def bob(app: FastAPI) -> TestClient:
    return client_of(app, "bob")


@pytest.fixture
def hers(settings: Settings, alice: TestClient, tmp_path: Path) -> Hers:
    own, file, said = settings.of("alice"), tmp_path / f"{WORD}.txt", tmp_path / "said.json"
    file.write_text("a\nb\n")
    said.write_text(json.dumps(REPLIES))
    needed, model = ["file_contains count.txt 'Lines: 2'"], f"scripted:{said}"
    done = deskcrew.run(
        TASK, attach=[file], require=tuple(needed), settings=own, model=model, crew="solo", desktop="none", memory="on"
    ).or_raise()
    assert done.run is not None
    keep(Store.of(own).journal(done.run), own, own_skills(own), f"{WORD}-skill", "", None, Corrections())
    memory = Memory.of(own)
    entry = declare(memory, f"The {WORD} eats at nine.", scope="user", place="", now=time.time()).id
    memory.close()
    request = replace(usual(own), task=f"Wash the {WORD}.", model=model, desktop="none")
    return Hers(own, done.run, entry, set_up(own, request, when="9:00").id)


def sent(client: TestClient, route: APIRoute, method: str, **filled: str) -> Any:
    return client.request(method, route.path_format.format(**FILLED | filled), data=FORM if method == "POST" else None)


def without(answer: Any, name: str) -> tuple[int, str]:
    return answer.status_code, answer.text.replace(name, "")


def test_everything_that_a_page_knows_comes_through_the_gate() -> None:
    """Whoever asks for anything of this server asks for it as somebody."""
    assert len(ROUTES) > 50
    for route in ROUTES:
        assert [each.call for each in route.dependant.dependencies][:1] == [web_of], route.path


@pytest.mark.first_case
def test_another_ones_run_is_not_there(app: FastAPI, alice: TestClient, bob: TestClient, hers: Hers) -> None:
    """By no address that names a run: what Bob is told of Alice's is what he is told of none."""
    before, tried, there = hers.state, 0, 0
    for route in (each for each in ROUTES if "{run}" in each.path):
        if isinstance(route, APIWebSocketRoute):
            with pytest.raises(WebSocketDisconnect) as refused, bob.websocket_connect(f"{LIVE}/runs/{hers.run}/desktop"):
                pass
            assert refused.value.code == 1008
            continue
        for method in sorted(route.methods or ()):
            answer = sent(bob, route, method, run=hers.run)
            assert answer.status_code == 404, (method, route.path)
            assert without(answer, hers.run) == without(sent(bob, route, method, run="none"), "none")
            tried += 1
            if method == "GET" and not route.path.endswith("/live"):
                there += sent(alice, route, method, run=hers.run).status_code == 200
    assert tried >= 20
    assert there >= 8
    assert hers.state == before
    assert alice.get(f"/runs/{hers.run}").status_code == 200
    assert alice.get(f"/runs/{hers.run}/files/count.txt").text == "Lines: 2"
    with pytest.raises(WebSocketDisconnect) as over, alice.websocket_connect(f"{LIVE}/runs/{hers.run}/desktop") as socket:
        socket.receive_bytes()
    assert over.value.code == 4000


@pytest.mark.first_case
def test_nothing_of_anothers_is_on_a_page(alice: TestClient, bob: TestClient, hers: Hers) -> None:
    """Not even where a page is asked for it by any of its parameters."""
    told = set[str]()
    for route in (
        each for each in ROUTES if isinstance(each, APIRoute) and "GET" in (each.methods or ()) and "{" not in each.path
    ):
        names = [each.alias for each in route.dependant.query_params if each.field_info.annotation is str]
        for query in [{}, *({name: value} for name in names for value in (hers.run, f"{hers.settings.data}/workspaces"))]:
            assert WORD not in bob.get(route.path, params=query).text.replace(str(hers.settings.data), ""), (
                route.path,
                query,
            )
            told |= {route.path} if WORD in alice.get(route.path, params=query).text else set()
    assert told >= {"/", "/memory", "/memory/export", "/skills", "/schedules", "/start", "/skills/keep"}


@pytest.mark.first_case
def test_nothing_of_anothers_is_changed(alice: TestClient, bob: TestClient, hers: Hers) -> None:
    before, tried = hers.state, set[str]()
    hers_all = {"entry": hers.entry, "id": hers.schedule, "name": hers.skill, "run": hers.run}
    for route in (each for each in ROUTES if isinstance(each, APIRoute)):
        if not any(f"{{{name}}}" in route.path for name in ("entry", "id", "name")):
            continue
        for method in sorted(route.methods or ()):
            answer = sent(bob, route, method, **hers_all)
            assert answer.status_code in (400, 404), (method, route.path, answer.text)
            tried.add(route.path)
    assert len(tried) >= 10
    assert bob.post("/skills/keep", data={"run": hers.run, "called": [], "value": []}).status_code == 404
    assert hers.state == before
    for name, method in (("entry", "/memory/{}/forget"), ("id", "/schedules/{}/remove"), ("name", "/skills/{}/remove")):
        assert alice.post(method.format(hers_all[name])).status_code in (200, 204)
    assert hers.state != before


@pytest.mark.parametrize("settings", ["postgresql"], indirect=True)
def test_a_fleets_run_is_of_whom_it_was_submitted_for(
    settings: Settings, alice: TestClient, bob: TestClient, tmp_path: Path
) -> None:
    said = tmp_path / "said.json"
    said.write_text(json.dumps([{"branch": "RoleTaskFinish", "operations": [WRITE]}]))
    request = RunRequest(task="", model=f"scripted:{said}", crew="solo", desktop="none", memory="on")
    submissions = Submissions(settings)
    name = submissions.add(
        Submission(start=Start(request=request), version=version(), person="alice"), [Task(task=f"Feed the {WORD}.")]
    )
    (row,) = submissions.rows(name)
    perform(settings, row.run, "node")
    submissions.store.close()
    assert WORD in alice.get(f"/runs/{row.run}").text
    assert alice.get(f"/runs/{row.run}/files/count.txt").text == "Lines: 2"
    assert WORD in alice.get("/").text
    assert bob.get(f"/runs/{row.run}").status_code == 404
    assert WORD not in bob.get("/").text


@pytest.mark.deep
def test_what_somebody_starts_is_theirs(settings: Settings, alice: TestClient, bob: TestClient, tmp_path: Path) -> None:
    """Through the form, in a process of its own, which asks: its person answers, and nobody else."""
    said = tmp_path / "said.json"
    said.write_text(json.dumps(REPLIES))
    form = {"task": f"Feed the {WORD}.", "crew": "solo", "desktop": "none", "mode": "active"}
    place = alice.post("/start", data=form).headers["hx-redirect"]
    run = place.rpartition("/")[2]
    begun = Store.of(settings).journal(run) if settings.database else Store.of(settings.of("alice")).journal(run)
    assert begun.state.started is not None
    assert begun.state.started.person == "alice"
    assert Path(begun.state.started.workspace).is_relative_to(settings.of("alice").data)
    assert until(lambda: "/answers/" in alice.get(place).text)
    (where, *_) = re.findall(r'hx-post="([^"]+/answers/[^"]+)"', alice.get(place).text)
    assert bob.post(where, data={"do": "accept"}).status_code == 404
    assert bob.post(f"{place}/stop").status_code == 404
    assert place in alice.get("/", params={"show": "asks"}).text
    assert place not in bob.get("/", params={"show": "asks"}).text
    assert alice.post(f"{place}/stop", headers={"hx-request": "true"}).status_code == 204
    assert until(lambda: 'data-status="stopped"' in alice.get(place).text)


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("where", "form"),
    [
        ("/start", {"task": "Read it.", "workspace": "HERS"}),
        ("/start", {"task": "Read it.", "workspace": "/"}),
        ("/start", {"task": "Read it.", "desktop": "real"}),
        ("/start", {"task": "Read it.", "model": "scripted:HERS/orders.json"}),
        ("/start", {"task": "Read it.", "model": "local:HERS/orders.gguf"}),
        ("/start", {"task": "Read it.", "model": "http://192.0.2.1/v1#x"}),
        ("/skills/teach", {"what": "Read it.", "workspace": "HERS"}),
        ("/memory", {"text": "It is so.", "scope": "workspace", "workspace": "HERS"}),
        ("/notes/decide", {"path": "AGENTS.md", "digest": "0", "followed": "true", "workspace": "HERS"}),
        ("/schedules/new", {"task": "Read it.", "files": "HERS/*"}),
        ("/schedules/new", {"task": "Read it.", "when": "9:00", "workspace": "HERS"}),
    ],
)
def test_nobody_works_in_anothers_folder(
    settings: Settings, bob: TestClient, alice: TestClient, where: str, form: dict[str, str]
) -> None:
    folder = settings.of("alice").data / "workspaces" / "hers"
    folder.mkdir(parents=True)
    given = {name: value.replace("HERS", str(folder)) for name, value in form.items()}
    answer = bob.post(where, data=given)
    assert answer.status_code == 400
    told = ("of one of your runs", "server for several people", "cannot wait for files", "not a model that you may choose")
    assert any(words in answer.text for words in told)


@pytest.mark.first_case
def test_an_imported_run_is_of_who_imports_it(alice: TestClient, bob: TestClient, hers: Hers) -> None:
    """Also where the same run is another's already, which is not said."""
    exported = alice.get(f"/runs/{hers.run}/export").content
    answer = bob.post("/import", files={"file": ("run.zip", exported)})
    assert answer.status_code == 204
    place = answer.headers["hx-redirect"]
    assert WORD in bob.get(place).text
    assert alice.get(place).status_code == (404 if place != f"/runs/{hers.run}" else 200)
    assert "Forget" not in bob.get("/memory").text


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "wrong",
    [
        {"at": ("10.0.0.9", 1)},
        {"at": ("127.0.0.1", 1)},
        {"at": ("testclient", 1)},
        {"token": ""},
        {"token": "a token of nobody's"},
    ],
)
def test_a_name_that_is_not_the_proxys_word_is_nobodys(app: FastAPI, wrong: dict[str, Any]) -> None:
    forger = client_of(app, "alice", **wrong)
    for route in ROUTES:
        if isinstance(route, APIWebSocketRoute):
            with pytest.raises(WebSocketDisconnect) as refused, forger.websocket_connect(f"{LIVE}/runs/x/desktop"):
                pass
            assert refused.value.code == 1008
            continue
        filled = {"run": "x", "entry": "x", "id": "x", "name": "x"}
        for method in sorted(route.methods or ()):
            assert sent(forger, route, method, **filled).status_code == 401, route.path
    forwarded = {"x-forwarded-for": "10.0.0.2", "forwarded": "for=10.0.0.2"}
    assert forger.get("/", headers=forwarded).status_code == 401
    assert forger.get("/static/deskcrew.css").status_code == 200


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize("names", [[], [""], [" "], ["alice", "bob"], ["a" * 201], ["al\tice"]])
def test_who_is_not_named_once_is_refused(app: FastAPI, settings: Settings, names: list[str]) -> None:
    """And is nobody: not the user of the machine, either, nor whoever has a link."""
    proxy = client_of(app)
    headers = [("x-forwarded-user", name) for name in names]
    answer = proxy.get("/", headers=headers)
    assert answer.status_code == 401
    assert "does not say who you are" in answer.text
    assert proxy.get("/enter", params={"token": TOKEN}, headers=headers).status_code == 401
    assert not settings.journal.exists()


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_names_are_texts_in_utf_8_and_two_are_two(app: FastAPI, settings: Settings) -> None:
    proxy = client_of(app)
    for name in ("Jo\u00e0", "Jo\u00c5", "x\u0105", "\u00c9va"):
        answer = proxy.get("/", headers=[(b"x-forwarded-user", name.encode())])
        assert (answer.status_code, name in answer.text) == (200, True)
    assert len({settings.of(name).data for name in ("Jo\u00e0", "Jo\u00c5")}) == 2


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
def test_the_page_says_who_it_is_for(app: FastAPI) -> None:
    assert "carol@example.org" in client_of(app, "carol@example.org", at=("::ffff:10.0.0.1", 1)).get("/").text


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "identify itself with a token"),
        ({"token": TOKEN}, "address of the proxy"),
        ({"token": "short", "origin": [SITE]}, "too short"),
    ],
)
def test_a_server_for_several_needs_the_proxys_token_and_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], wanted: str
) -> None:
    monkeypatch.setenv("DESKCREW_WEB__IDENTITY_HEADER", "X-Forwarded-User")
    monkeypatch.setenv("DESKCREW_WEB__TRUSTED_PROXIES", '["127.0.0.1"]')
    with pytest.raises(UsageError) as refused:
        serve(port=0, data=tmp_path, **given)
    assert wanted in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize(
    "wrong", [{"identity_header": "X-Forwarded-User"}, {"identity_header": "a b"}, {"trusted_proxies": ["anywhere"]}]
)
def test_a_header_is_believed_from_named_addresses_only(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WebSettings.model_validate(wrong)


def test_a_command_can_be_one_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    user = Settings.load()
    monkeypatch.setenv("DESKCREW_PERSON", "alice")
    hers = Settings.load()
    assert hers == user.of("alice")
    assert Settings.model_validate_json(hers.model_dump_json()) == hers
    assert settings_with(tmp_path / "other").data.is_relative_to(tmp_path / "other" / "people")
    assert own_skills(hers).is_relative_to(hers.data)
    assert hers.config == user.config


def test_names_that_are_alike_are_different_people(settings: Settings) -> None:
    names = ("Alice", "alice", "alice ", "alice/..", "../alice", "al-ice", "al ice", "people")
    folders = [settings.of(name).data for name in names]
    assert len({str(folder).casefold() for folder in folders}) == len(names)
    assert {folder.parent for folder in folders} == {settings.data / "people"}
    assert settings.of("") is settings
