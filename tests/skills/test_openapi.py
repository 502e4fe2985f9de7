"""Operations of a web service as skills: from its description, sent to a real server through the guard, and judged."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from deskcrew.engine import session
from deskcrew.engine.replay.live import LiveRequest
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest, offered_skills, own_skills
from deskcrew.engine.workshop.keeping import skill_files
from deskcrew.engine.workshop.trying import TriedSkill, chosen, request_for, try_skill
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.folders import FOLDER, parse, write
from deskcrew.learning.skills.openapi import MOST_BYTES, operations
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.settings import Settings
from deskcrew.ways_in.running import Runs
from support.crew import bodies, offered, settings_in

pytestmark = pytest.mark.anyio

TOKEN = "tok-5f2c9a71"
BOOKS = {"7": {"id": 7, "title": "Emma", "lent": False}, "8": {"id": 8, "title": "Ulysses", "lent": True}}
BOOK = {
    "type": "object",
    "required": ["id", "title"],
    "properties": {"id": {"type": "integer"}, "title": {"type": "string"}, "lent": {"type": "boolean"}},
}
DESCRIPTION: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Library", "version": "1"},
    "components": {
        "schemas": {"Book": BOOK},
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        "parameters": {"id": {"name": "bookId", "in": "path", "schema": {"type": "integer"}, "example": 7}},
    },
    "security": [{"token": []}],
    "paths": {
        "/books/{bookId}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "get": {
                "operationId": "getBook",
                "summary": "Show one book of the library.",
                "parameters": [
                    {"name": "language", "in": "query", "schema": {"type": "string", "enum": ["en", "de"]}},
                    {"name": "pages", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}}}},
            },
            "delete": {"operationId": "removeBook", "summary": "Remove a book.", "responses": {}},
        },
        "/books": {
            "post": {
                "operationId": "addBook",
                "summary": "Put a new book on the shelf.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "allOf": [
                                    {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
                                    {"properties": {"tags": {"type": "array"}, "lent": {"type": "boolean"}}},
                                ]
                            }
                        }
                    },
                },
                "responses": {"201": {}},
            }
        },
        "/covers": {
            "post": {
                "operationId": "addCover",
                "requestBody": {"content": {"multipart/form-data": {"schema": {}}}},
                "responses": {},
            }
        },
        "/orders": {"post": {"operationId": "payNow", "summary": "Pay now", "responses": {}}},
    },
}


class Library(ThreadingHTTPServer):
    """A web service that remembers what it was asked. ``odd``: it answers books otherwise than it is described."""

    odd = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Shelf)
        self.asked: list[tuple[str, str, str, Any]] = []

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class Shelf(BaseHTTPRequestHandler):
    server: Library  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: Any) -> None: ...

    def _answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        sign = self.headers.get("Authorization") or ""
        self.server.asked.append((self.command, self.path, sign, body))
        if sign != f"Bearer {TOKEN}":
            return self._say(401, {"error": "who are you?"})
        if self.command == "GET":
            book = BOOKS.get(self.path.partition("?")[0].rpartition("/")[2])
            if self.server.odd:
                book = {"number": 1}
            return self._say(200 if book else 404, {**book, "token": TOKEN} if book else {"error": "no such book"})
        return self._say(201, {})

    do_GET = do_POST = do_DELETE = _answer

    def _say(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def library() -> Iterator[Library]:
    server = Library()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def described(folder: Path, **changes: Any) -> Path:
    path = folder / "library.yaml"
    path.write_text(yaml.safe_dump({**DESCRIPTION, **changes}, sort_keys=False))
    return path


def skills(folder: Path, library: Library) -> dict[str, Skill]:
    """The skills of the description, through the files that they are kept in."""
    found: dict[str, Skill] = {}
    for one in operations(described(folder), server=f"http://{library.host}"):
        if one.method is not None:
            files = skill_files(one.name, one.description, one.method)
            found[one.name] = parse(one.name, files, one.name)
    return found


def secret(library: Library, *, host: str = "") -> Secret:
    return Secret("token", TOKEN, Binding(hosts=(host or library.host,)))


async def tried(
    folder: Path, library: Library, skill: Skill, *params: str, hosts: tuple[str, ...] | None = None, bound: str = ""
) -> TriedSkill:
    settings = settings_in(folder)
    request = replace(
        request_for(skill, settings),
        hosts=(library.host,) if hosts is None else hosts,
        secrets=(secret(library, host=bound),),
    )
    return await try_skill(skill, chosen(skill, params), LiveRequest(request, patience=0.2), settings)


def outcome(found: TriedSkill | Journal) -> Any:
    return (found.live.journal if isinstance(found, TriedSkill) else found).state.outcome


def test_each_operation_is_described_by_its_own_words_and_types(tmp_path: Path, library: Library) -> None:
    found = {one.id: one for one in operations(described(tmp_path), server="https://books.example/v1/")}
    assert list(found) == ["getBook", "removeBook", "addBook", "addCover", "payNow"]
    assert "multipart/form-data" in found["addCover"].why
    get = found["getBook"].method
    assert get is not None
    assert get.request is not None
    assert (get.request.method, get.request.address) == ("GET", "https://books.example/v1/books/{bookId}")
    assert [(p.name, p.kind, p.optional, p.choices, p.value) for p in get.parameters] == [
        ("book_id", "integer", False, (), "7"),
        ("language", "text", True, ("en", "de"), "en"),
        ("pages", "integer", True, (), ""),
    ]
    assert get.provenance.secrets == ("token",)
    add = found["addBook"].method
    assert add is not None
    assert [(p.name, p.kind, p.optional) for p in add.parameters] == [
        ("title", "text", False),
        ("tags", "json", True),
        ("lent", "truth", True),
    ]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"openapi": "2.0"}, "not an OpenAPI 3"),
        ({"paths": {}}, "describes no operation"),
    ],
)
def test_what_is_no_description_is_refused(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        operations(described(tmp_path, **changes))


def test_what_a_stranger_sends_is_bounded(tmp_path: Path) -> None:
    """Ten lines of aliases would be a billion words once they are followed; a device never ends."""
    laughs = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))
    (tmp_path / "laughs.yaml").write_text(f"openapi: 3.0.0\nl0: &l0 [x]\n{laughs}\npaths: {{/x: {{get: *l9}}}}\n")
    (tmp_path / "large.yaml").write_bytes(b"#" * (MOST_BYTES + 1))
    for place, why in (
        (tmp_path / "laughs.yaml", "aliases"),
        (tmp_path / "large.yaml", "too large"),
        (tmp_path, "is not a file"),
        (tmp_path / "none.yaml", "does not exist"),
        (Path("/dev/zero"), "is not a file"),
    ):
        with pytest.raises(ConfigError, match=why):
            operations(place)


def test_references_that_multiply_are_followed_so_far(tmp_path: Path) -> None:
    def schema(level: int) -> dict[str, Any]:
        return {"properties": {str(name): {"$ref": f"#/components/schemas/l{level + 1}"} for name in range(9)}}

    parts = {"schemas": {f"l{level}": schema(level) for level in range(11)} | {"l11": {"type": "string"}}}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/l0"}}}}
    paths = {"/x": {"get": {"responses": {"200": body}}}}
    given = described(tmp_path, components=parts, paths=paths, security=[])
    (one,) = operations(given, server="https://books.example")
    assert "too large" in one.why


@pytest.mark.parametrize("server", ["notaurl", "ftp://books.example", "https://", "http://[1"])
def test_a_server_is_an_address(tmp_path: Path, server: str) -> None:
    with pytest.raises(ConfigError, match="is not an address"):
        operations(described(tmp_path), server=server)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"$ref": "other.yaml#/x"}, "another file"),
        ({"$ref": "#/components/nothing"}, "does not exist"),
        ({"get": {"parameters": [{"name": "x", "in": "body"}]}}, "no name or no place"),
        ({"get": {"responses": {}, "security": [{"nobody": ["all"]}]}}, "is not supported"),
    ],
)
def test_an_operation_that_cannot_be_a_skill_says_why(tmp_path: Path, given: Any, why: str) -> None:
    (one,) = operations(described(tmp_path, paths={"/x": given}), server="https://books.example")
    assert one.method is None
    assert why in one.why


def test_without_a_server_nothing_can_be_sent(tmp_path: Path) -> None:
    assert all("--server" in one.why for one in operations(described(tmp_path)) if one.id != "addCover")


async def test_it_is_sent_with_its_secret_and_scored_by_its_answer(tmp_path: Path, library: Library) -> None:
    get = skills(tmp_path, library)["get-book"]
    first = await tried(tmp_path, library, get, "language=de", "pages=12")
    assert (outcome(first).status, first.score) == ("unverified", (2, 5)), outcome(first)
    assert library.asked == [("GET", "/books/7?language=de&pages=12", f"Bearer {TOKEN}", None)]
    (approved,) = bodies(first.live.journal, e.OperationApproved)
    assert (approved.hosts, approved.by) == (("127.0.0.1",), "policy")
    (finished,) = bodies(first.live.journal, e.ActionFinished)
    assert '"title": "Emma"' in finished.text
    assert "[secret token]" in finished.text, "the service says it again"
    again = await tried(tmp_path, library, get, "language=de", "pages=12")
    assert again.score == (5, 5), "the same input"
    other = await tried(tmp_path, library, get, "book_id=8", "language=")
    assert other.score == (5, 8)
    assert library.asked[-1][1] == "/books/8", "what is optional can be left out"
    with pytest.raises(UsageError, match="book_id has no value"):
        chosen(get, ["book_id="])
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert TOKEN.encode() not in kept


async def test_it_can_be_tried_again_once_runs_are_offered_it(tmp_path: Path, library: Library) -> None:
    get, settings = skills(tmp_path, library)["get-book"], settings_in(tmp_path)
    files = skill_files("get-book", get.method.provenance.task, get.method)
    write(own_skills(settings) / "get-book", files)
    known = parse("get-book", files, "")
    for number in "78":
        Trials(settings.data).add(known.digest, Trial(run="r", input=number, done=True))
    offered = offered_skills(replace(request_for(known, settings), secrets=(secret(library),)), settings)
    assert [each for each in offered if not each.shipped] == [known]
    found = await tried(tmp_path, library, known, "book_id=8")
    assert found.score == (8, 10), outcome(found)


@pytest.mark.deep
async def test_what_nothing_describes_shows_nothing_until_a_person_says_so(tmp_path: Path, library: Library) -> None:
    """The run ends unverified, as any in which nothing could be looked at: the score stays. A yes counts once an input, and
    a no takes it back."""
    get, settings = skills(tmp_path, library)["get-book"], settings_in(tmp_path)
    assert get.method.request is not None
    request = get.method.request.model_copy(update={"answer": None})
    files = skill_files("get-book", get.description, get.method.model_copy(update={"request": request}))
    write(own_skills(settings) / "get-book", files)
    bare = parse("get-book", files, "get-book")

    def score() -> int:
        return Trials(settings.data).score(bare.digest)

    ran = [await tried(tmp_path, library, bare, *params) for params in ((), (), ("book_id=8",))]
    for found in ran:
        (finished,) = bodies(found.live.journal, e.ActionFinished)
        assert finished.ok
        assert (outcome(found).status, found.score) == ("unverified", (2, 2))
    runs, scores = Runs(settings), list[int]()
    for found in ran:
        found.live.journal.close()
        runs.confirm(found.live.journal.run, holds=True)
        scores.append(score())
    assert scores == [5, 5, 8]
    offered = offered_skills(
        replace(RunRequest("Show one book of the library", crew="planned"), secrets=(secret(library),)), settings
    )
    assert [each for each in offered if not each.shipped] == [bare]
    runs.confirm(ran[2].live.journal.run, holds=True)
    assert score() == 8, "the same word again"
    runs.confirm(ran[2].live.journal.run, holds=False)
    assert score() < 8


@pytest.mark.parametrize("hosts", [(), ("127.0.0.1",)])
async def test_what_may_not_be_reached_is_said_with_what_allows_it(
    tmp_path: Path, library: Library, hosts: tuple[str, ...]
) -> None:
    """A host without its port is that of the web's ports."""
    found = await tried(tmp_path, library, skills(tmp_path, library)["get-book"], hosts=hosts)
    (denied,) = bodies(found.live.journal, e.OperationDenied)
    assert f"{library.host} is not among the hosts of this run; --allow-host {library.host} allows it" in denied.why
    assert (outcome(found).status, found.score) == ("denied", (2, 2))
    assert library.asked == []


async def test_an_answer_that_is_not_as_described_costs(tmp_path: Path, library: Library) -> None:
    get = skills(tmp_path, library)["get-book"]
    library.odd = True
    found = await tried(tmp_path, library, get)
    assert found.score == (2, 0)
    assert "the answer has no 'id'" in outcome(found).why


@pytest.mark.parametrize(
    ("params", "more", "why"),
    [
        (("book_id=99",), {}, "no such book"),
        ((), {"hosts": ("192.0.2.1",)}, ""),
        ((), {"bound": "books.example"}, "is for host books.example only"),
    ],
)
async def test_what_is_no_fault_of_the_skill_costs_nothing(
    tmp_path: Path, library: Library, params: tuple[str, ...], more: dict[str, Any], why: str
) -> None:
    found = await tried(tmp_path, library, skills(tmp_path, library)["get-book"], *params, **more)
    assert outcome(found).status != "done"
    assert why in outcome(found).why
    assert found.score == (2, 2)
    assert len(library.asked) == (1 if params else 0)


@pytest.mark.parametrize(
    ("name", "params", "risk"),
    [("add-book", ("title=Dune",), "send"), ("remove-book", ("book_id=7",), "destroy"), ("pay-now", (), "spend")],
)
async def test_what_sends_removes_or_spends_is_asked_about(
    tmp_path: Path, library: Library, name: str, params: tuple[str, ...], risk: str
) -> None:
    found = await tried(tmp_path, library, skills(tmp_path, library)[name], *params)
    (denied,) = bodies(found.live.journal, e.OperationDenied)
    assert (denied.risk, denied.by) == (risk, "nobody")
    assert library.asked == []


async def test_without_its_secret_it_is_not_begun(tmp_path: Path, library: Library) -> None:
    get, settings = skills(tmp_path, library)["get-book"], settings_in(tmp_path)
    with pytest.raises(UsageError, match="token"):
        await try_skill(get, {}, LiveRequest(request_for(get, settings)), settings)


def owned(folder: Path, library: Library, name: str) -> tuple[Settings, Skill]:
    settings, skill = settings_in(folder), skills(folder, library)[name]
    assert skill.method.request is not None
    files = skill_files(name, skill.description, skill.method)
    write(settings.config / FOLDER / name, files)
    for number in range(2):
        Trials(settings.data).add(skill.digest, Trial(run="r", input=str(number), done=True))
    return settings, skill


async def used(
    folder: Path, library: Library, settings: Settings, *own: dict[str, Any], policy: Path | None = None, host: str = ""
) -> tuple[Journal, list[Any]]:
    waiting: dict[str, list[Any]] = {
        "Worker": list(own),
        "ContractWriter": [
            {
                "requirements": [{"parts": [1], "says": "The user is told the title", "seen_by": "answer"}],
                "context": [],
                "question": "What is the title?",
            }
        ],
        "FinalAnswer": [{"answer": "Emma", "sources": [], "branch": "Continue", "problem": ""}] * 3,
        "Reader": [{"texts": [], "why": ""}] * 9,
    }
    model = ScriptedModel(
        itertools.repeat(lambda call: waiting[call.role].pop(0)),
        profile=Profile(name="scripted", context=128_000, contracts=True),
    )
    task = "Show the title of book 7 of the library."
    request = RunRequest(
        task=task,
        model="scripted:",
        desktop="none",
        crew="solo",
        hosts=(host or library.host,),
        secrets=(secret(library),),
        policy=policy,
    )
    return await session.run(request, settings, model=model), model.calls


def of(*operations: dict[str, Any], branch: str = "RoleTaskFinish") -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch}


GET = {"function": "get_book", "book_id": 7, "language": "", "pages": ""}


async def test_a_run_uses_it_as_an_action(tmp_path: Path, library: Library) -> None:
    settings, skill = owned(tmp_path, library, "get-book")
    journal, calls = await used(tmp_path, library, settings, of(GET))
    assert library.asked == [("GET", "/books/7", f"Bearer {TOKEN}", None)]
    assert offered(journal, "Worker")[0]["get_book"] == ["book_id", "language", "pages"]
    told = "".join(call.text(zone) for call in calls for zone in ("stable", "task", "memory", "volatile"))
    assert TOKEN not in told
    (finished,) = bodies(journal, e.ActionFinished)
    assert finished.ok
    assert journal.verify() == []
    assert Trials(settings.data).score(skill.digest) == 8
    again = await replay(journal)
    assert again.equal, again.difference


async def test_a_replay_denies_what_no_host_of_the_run_allowed(tmp_path: Path, library: Library) -> None:
    settings, _ = owned(tmp_path, library, "get-book")
    gives_up: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "I cannot"}
    journal, calls = await used(tmp_path, library, settings, of(GET), *[gives_up] * 5, host="127.0.0.1")
    (denied,) = bodies(journal, e.OperationDenied)
    assert f"--allow-host {library.host} allows it" in denied.why
    assert f"--allow-host {library.host} allows it" in "".join(call.text("volatile") for call in calls), "who works can say"
    assert library.asked == []
    again = await replay(journal)
    assert again.equal, again.difference


async def test_in_a_run_a_misfit_takes_it_away_and_costs(tmp_path: Path, library: Library) -> None:
    settings, skill = owned(tmp_path, library, "get-book")
    library.odd = True
    stops = of(branch="Interrupt") | {"problem": "it does not say"}
    journal, _ = await used(tmp_path, library, settings, of(GET), stops)
    assert ["get_book" in names for names in offered(journal, "Worker")] == [True, False]
    assert Trials(settings.data).score(skill.digest) == 5
    again = await replay(journal)
    assert again.equal, again.difference


async def test_an_agent_that_runs_no_code_calls_it(tmp_path: Path, library: Library) -> None:
    """FRIDAY's API node, and the QA node that works with what it fetched (F17, F18)."""
    settings, _ = owned(tmp_path, library, "get-book")
    nodes: list[dict[str, Any]] = [
        {"goal": "Fetch book 7", "type": "api", "needs": []},
        {"goal": "Say its title", "type": "qa", "needs": ["1"]},
    ]
    waiting: dict[str, list[Any]] = {
        "GraphPlanner": [{"subtasks": nodes, "question": "What is the title?"}],
        "ApiCaller": [of(GET)],
        "QuestionAnswerer": [{"information": "Emma", "branch": "RoleTaskFinish"}],
        "Critic": [{"why": "it is there", "verdict": "accept", "score": None}] * 2,
        "FinalAnswer": [{"answer": "Emma", "sources": [], "branch": "Continue", "problem": ""}] * 3,
    }
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)))
    request = RunRequest(
        task="What is the title of book 7 of the library?", model="scripted:", desktop="none", crew="friday",
        hosts=(library.host,), secrets=(secret(library),),
    )  # fmt: skip
    journal = await session.run(request, settings, model=model)
    planner, _, _, answerer = model.calls[:4]
    assert "- api: Services and the web" in planner.text("stable")
    assert "get_book" in offered(journal, "ApiCaller")[0]
    assert "Show one book of the library" in planner.text("stable"), "a planner is told which services there are"
    assert '"title": "Emma"' in answerer.text("memory")
    assert not any("get_book" in names for names in offered(journal, "QuestionAnswerer"))
    assert library.asked == [("GET", "/books/7", f"Bearer {TOKEN}", None)]
    ended = journal.state.outcome
    assert ended is not None
    assert (ended.status, ended.answer, len(ended.sources)) == ("unverified", "Emma", 1), ended
