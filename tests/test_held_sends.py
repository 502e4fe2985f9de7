"""Whole runs with nobody there to ask: what a page wants to send once a button is pressed, and what reaches its store."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote

import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import ORDERED, OTHER, bodies, settings_in
from support.sampling import sampled

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures("soon"),
    pytest.mark.desktop,
    pytest.mark.skipif(program() is None, reason="there is no Chromium"),
]
SEND = """<script>
const post = (path, data) => fetch(path, {method: "POST", headers: {"Content-Type": "application/json"},
  body: JSON.stringify(data ?? {})}).then((answer) => { said.textContent = answer.ok ? "Thank you" : "No" },
  () => { said.textContent = "That did not work" });
</script><p id=said></p>"""
HOURS = "<table><tr><td>The sauna opens</td><td>9 am</td></tr></table>"
PROFILE = (
    "<form method=post action=/profile><input type=hidden name=token value=t-17>"
    "<label>Phone <input name=phone value='020 1'></label>{}<button>Keep</button></form>"
)
LINE = """<script>const line = new WebSocket('ws://' + location.host + '/socket');
const say = (what) => line.send(typeof what == "string" ? what : JSON.stringify(what));
line.onopen = () => { setInterval(() => say({type: "ping"}), 300); setInterval(() => say("2"), 300) };
line.onmessage = (it) => { answer.textContent = it.data }</script><p id=answer></p>"""
NOTE = "<label>Note <input id=note></label>"
PAGES = {
    # Pages that speak over a WebSocket: one that keeps up and hides what it does, and a chat.
    "line": f"{HOURS}<button type=button onclick=\"say({{call: 'book', seat: 7}})\">Show more</button>{LINE}",
    "line of text": f"{HOURS}<button type=button onclick=\"say('delete 3')\">Show more</button>{LINE}",
    "chat": f"{LINE}{NOTE}<button type=button onclick=\"say({{type: 'said', room: 'hall', text: note.value}})\">OK</button>",
    # A page that does by GET what others post.
    "by picture": f"{HOURS}<button type=button onclick=\"new Image().src = '/acts/delete?id=3'\">Show more</button>",
    "by script": f"{HOURS}<button type=button onclick=\"const it = document.createElement('script'); "
    "it.src = '/acts/send?to=all'; document.body.append(it)\">Show more</button>",
    "by style": f"{HOURS}<button type=button onclick=\"const it = document.createElement('link'); "
    "it.rel = 'stylesheet'; it.href = '/acts/3/publish'; document.head.append(it)\">Show more</button>",
    "by fetch": f"{HOURS}<button type=button onclick=\"fetch('/acts/3/delete')\">Show more</button>",
    "by query": f"{HOURS}<button type=button onclick=\"fetch('/acts/of?action=delete&id=3')\">Show more</button>",
    "by hidden frame": f"{HOURS}<button type=button onclick=\"const it = document.createElement('iframe'); "
    "it.hidden = true; it.src = '/acts/pay?id=3'; document.body.append(it)\">Show more</button>",
    "by link": f"{HOURS}<a href='/acts/delete?id=3'>Show more</a>",
    # Pages that have the same words in what they only look at, or that are told to do it.
    "with files": f"{HOURS}<button type=button onclick=\"new Image().src = '/acts/delete.png'; "
    "const it = document.createElement('script'); it.src = '/acts/remove.js'; document.body.append(it); "
    "fetch('/acts/of?page=2&order=name')\">Show more</button>",
    "with a word for a thing": "<ul><li>Lessico famigliare <a href=/acts/book/17>Details</a></ul>",
    "with a link that is meant": "<ul><li>Ada Lovelace <a href='/acts/confirm?id=7'>Confirm</a></ul>",
    "with a link that sends": "<nav><a href='/acts/letter/send'>Letter</a> <a href='/acts/letters'>Letters</a> "
    "<a href='/acts/files?to=public'>Files</a> <a href='/acts/letters?page=2&of=letter'>More</a></nav>",
    "with a link that removes": "<ul><li>Ada Lovelace <a href='/acts/delete?id=7'>Delete</a></ul>",
    # A button that is pressed only to look further.
    "fetch": f"{SEND}{HOURS}<button type=button onclick=\"post('/store', {{}})\">Show more</button>",
    "form": f"{HOURS}<form method=post action=/store><button>Show more</button></form>",
    "script": f'{HOURS}<form id=f method=post action=/store></form><button onclick="f.submit()">Show more</button>',
    "link": f"{SEND}{HOURS}<a href='#more' onclick=\"post('/store', {{}})\">Show more</a>",
    "beacon": f"{HOURS}<a href=/hours>Show more</a>"
    "<script>onpagehide = () => navigator.sendBeacon('/store', 'seat=1')</script>",
    "leaving": f"{HOURS}<a href=/hours>Show more</a>"
    "<script>onpagehide = () => fetch('/store', {method: 'POST', body: 'seat=1', keepalive: true})</script>",
    "saved on leaving": f"{NOTE}<a href=/hours>Back</a>"
    "<script>onpagehide = () => navigator.sendBeacon('/notes', new URLSearchParams({id: 7, note: note.value}))</script>",
    "reports": f"{SEND}<table><tr><td>Ada Lovelace<td><button type=button "
    "onclick=\"navigator.sendBeacon('/b/analytics', 'e=1'); post('/approved', {id: 7})\">OK</button></table>",
    # What a page sends by itself once it is opened, or after something was typed into it.
    "to opening": f"{HOURS}<a href=/opening>Show more</a>",
    "opening": f"{HOURS}<form id=f method=post action=/store><input name=seat value=1></form>"
    "<script>setTimeout(() => f.submit(), 300)</script>",
    "to framing": f"{HOURS}<a href=/framing>Show more</a>",
    "framing": f"{HOURS}<iframe src=/opening></iframe>",
    "to asking": f"{HOURS}<a href=/asking>Show more</a>",
    "asking": f"{SEND}<script>post('/rpc', {{call: 'marks1'}})</script>",
    "looked for": f"{SEND}{HOURS}<label>Find <input id=q></label>"
    "<script>let t; q.oninput = () => { clearTimeout(t); t = setTimeout(post, 2500, '/store', {book: 'b2'}) }</script>",
    "found": f"{SEND}{HOURS}<label>Find <input id=q></label>"
    "<script>let t; q.oninput = () => {clearTimeout(t); t = setTimeout(() => post('/rpc', {call: q.value}), 2500)}</script>",
    "timer": f"{SEND}{HOURS}<button type=button onclick=\"setTimeout(() => post('/store', {{}}), 900)\">Show more</button>",
    "window": f"{HOURS}<form method=post action=/store target=_blank><button>Show more</button></form>",
    "frame": f"{HOURS}<iframe src=/inner></iframe>",
    "inner": f"{SEND}<button type=button onclick=\"post('/store', {{}})\">Show more</button>",
    "worker": f"{HOURS}<button type=button onclick=\"new Worker('/worker.js')\">Show more</button>",
    # The same to look, by asking.
    "search": f"{SEND}{HOURS}<button type=button onclick=\"post('/api/search', {{from: 20}})\">Show more</button>",
    "telemetry": f"{SEND}{HOURS}<button type=button onclick=\"post('/telemetry', {{pressed: 'more'}})\">Show more</button>",
    "collect": f"{SEND}{HOURS}<button type=button onclick=\"post('/parcels/collect', {{}})\">Show more</button>",
    "find": f"{SEND}{HOURS}<button type=button onclick=\"post('/items/find', {{kept: 'yes'}})\">Show more</button>",
    "removing": f"{SEND}{HOURS}<button type=button onclick=\"post('/rpc', {{action: 'delete'}})\">Show more</button>",
    # More goes of itself, once what was ordered has gone.
    "published": f"{SEND}{NOTE}<button type=button onclick=\"post('/notes', {{note: note.value}}); "
    "setTimeout(() => post('/approved', {id: 7}), 3500)\">Keep</button>",
    "kept again": f"{SEND}{NOTE}<button type=button onclick=\"post('/notes', {{note: note.value}}); "
    "setTimeout(() => post('/profile', {copy: note.value}), 3500)\">Keep</button>",
    "hours": f"{HOURS}<p>and closes at 10 pm</p>",
    # A form that is to be corrected, with another button in it.
    "twofold": PROFILE.format("<button formaction=/store>Close</button>"),
    "single": PROFILE.format(""),
    "set": PROFILE.format("<select name=state><option>member<option selected>resigned</select>"),
    "times": "<form method=post action=/store><label>Time <select name=time><option>14:00<option>14:15</select></label>"
    "<button>Send</button></form>",
    "sent on": "<form method=post action=/moved><label>Note <input name=note></label><button>Keep</button></form>",
    "sent to its place": "<form method=post action=/notes/><label>Note <input name=note></label>"
    "<button>Keep</button></form>",
    "late": f"{SEND}{NOTE}<button type=button onclick=\"post('/notes', {{note: note.value}}); "
    "setTimeout(() => post('/store', {note: note.value, pay: 'by card'}), 3500)\">Keep</button>",
    "two": f"{SEND}{NOTE}<button type=button onclick=\"post('/notes', {{note: note.value}}); "
    "post('/store', {note: note.value})\">Keep</button>",
    "hidden": "<form method=post action=/notes><label>Note <input name=note></label><input type=hidden name=guest value=1>"
    "<button>Keep</button></form>",
    "rpc": f"{SEND}{HOURS}<button type=button onclick=\"post('/rpc', {{call: 'marks1'}})\">Marks</button>"
    "<button type=button onclick=\"post('/rpc', {call: 'wipe2'})\">Tidy</button>",
    "saving": PROFILE.format("<button formaction=/profile/save>Speichern</button>"),
    # The same by a script: two buttons take what was typed.
    "noting": f"{SEND}{NOTE}<button type=button onclick=\"post('/pay', {{note: note.value}})\">Next</button>"
    "<button type=button onclick=\"post('/notes', {note: note.value})\">Keep</button>",
    "beside": f"{SEND}{NOTE}<button type=button onclick=\"post('/store', {{plan: 'gold'}})\">Show more</button>"
    "<button type=button onclick=\"post('/notes', {note: note.value})\">Keep</button>",
    "keys": "<p>Key K-30 <p><a href=/key>Freigeben K-31</a>",
    "key": "<form method=post action=/approved><input type=hidden name=n value=9><button>Ja</button></form>",
    # One in which what is sent names the entry, and one where what is chosen is sent.
    "tickets": f"{SEND}<ul><li>Ticket 101 <button type=button onclick=\"post('/store', {{ticket: '101'}})\">OK</button></li>"
    "<li>Ticket 104 <button type=button onclick=\"post('/approved', {ticket: '104'})\">OK</button></li></ul>",
    # A notice that is planned, or goes at once, under the same word.
    "planned": f"{SEND}<label>Day <input id=day></label>"
    "<button type=button onclick=\"post('/approved', {day: day.value})\">Send</button>",
    "at once": f"{SEND}<label>Day <input id=day></label>"
    "<button type=button onclick=\"post('/store', {day: day.value})\">Send</button>",
    "of one": "<h1>Filou</h1><button type=button onclick=\"navigator.sendBeacon('/approved', "
    "new URLSearchParams({dog: 'Filou', to: 'the insurer'})); location.hash = 'all'\">Back</button>",
    # One that does something as it is opened, or as it is left for another one.
    "to acting": f"{NOTE}<button type=button onclick=\"location = '/acting'\">Next</button>",
    "acting": f"{SEND}<p>Ada Lovelace</p><script>post('/store', {{seat: 7}})</script>"
    "<button type=button onclick=\"post('/approved', {id: 7})\">OK</button>",
    "left for another": f"{HOURS}<a href=/requests>Requests</a>"
    "<script>onpagehide = () => fetch('/store', {method: 'POST', body: 'all=1', keepalive: true})</script>",
    "groups": f"{SEND}<label>To <select id=to><option>nobody<option>board<option>members</select></label>"
    "<button type=button onclick=\"post(to.value == 'members' ? '/store' : '/approved', {to: to.value})\">OK</button>",
    # A list whose entries are ordered about, by their names.
    "requests": f"{SEND}<ul><li>Ada Lovelace <button type=button onclick=\"post('/approved', {{id: 7}})\">OK</button></li>"
    "<li>Alan Turing <button type=button onclick=\"post('/approved', {id: 8})\">OK</button></li></ul>",
}
SENT_ON = {"/moved": "/store", "/notes/": "/notes"}
STORED = frozenset({"/store", "/pay", "/profile", "/profile/save", "/notes", "/approved"})


class Site:
    """Pages, and a store that takes what is posted to it."""

    def __init__(self) -> None:
        self.store: list[tuple[str, Any]] = []
        self.asked: list[str] = []
        self.lines: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def _line(self) -> None:
                """A WebSocket, as far as a short text needs one."""
                mark = (self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()
                self.send_response(101)
                self.send_header("Upgrade", "websocket")
                self.send_header("Connection", "Upgrade")
                self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(mark).digest()).decode())
                self.end_headers()
                while len(head := self.rfile.read(2)) == 2 and head[0] & 15 == 1:
                    mask = self.rfile.read(4)
                    said = bytes(each ^ mask[at % 4] for at, each in enumerate(self.rfile.read(head[1] & 127))).decode()
                    site.lines.append(said)
                    self.wfile.write(bytes((129, 2)) + b"OK")

            def do_GET(self) -> None:
                if self.path == "/socket":
                    self._line()
                    return
                path = unquote(self.path.partition("?")[0].strip("/"))
                if path.startswith("acts/"):
                    site.store.append((self.path, None))
                if path == "worker.js":
                    self._say("fetch('/store', {method: 'POST', body: 'seat=1'})", "text/javascript")
                    return
                self._say(f"<!doctype html><title>{path}</title>{PAGES[path]}" if path in PAGES else "")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                said: Any = json.loads(body) if body.startswith("{") else {k: v[0] for k, v in parse_qs(body).items()}
                if self.path in SENT_ON:
                    self.send_response(307)
                    self.send_header("Location", SENT_ON[self.path])
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                (site.store.append((self.path, said)) if self.path in STORED else site.asked.append(self.path))
                self._say("<!doctype html><title>Done</title><p>Thank you</p>")

            def _say(self, text: str, kind: str = "text/html") -> None:
                body = text.encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def at(self, page: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{quote(page)}"

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    (tmp_path / "work").mkdir()
    site = Site()
    yield site
    site.end()


Step = tuple[str, dict[str, Any]]


def pressed(what: str) -> Step:
    return f'"{what}"', {}


def typed(field: str, text: str) -> Step:
    return f'"{field}', {"function": "keyboard_input", "keys": text, "clear": True}


async def ran(
    parent: Path,
    url: str,
    task: str,
    *steps: Step,
    asks: bool = False,
    kept: bool = False,
    ordered: tuple[dict[str, Any], ...] = (),
    fits: Mapping[str, Any] | Callable[[Call], Mapping[str, Any]] = OTHER,
) -> tuple[Journal, list[Call]]:
    """A run that does these steps on a page. ``asks``: the task only wants to be told something; ``fits``: what is said of
    what letters do not explain; ``kept``: it says that something must stay as it is."""
    left = list(steps)

    def work(call: Call) -> dict[str, Any]:
        if not left:
            return {"operations": [], "branch": "RoleTaskFinish"}
        what, how = left.pop(0)
        if not what:
            return {"operations": [how], "branch": "Continue"}
        lines = call.text("volatile").splitlines()
        label = next(line.split()[0] for line in lines if what in line and line[:1].isdigit())
        return {"operations": [{"function": "click_input", "control": label, **how}], "branch": "Continue"}

    seen = "answer" if asks else "screen"
    waiting: dict[str, Any] = {
        "ContractWriter": {
            "requirements": [{"parts": [1], "says": "It is as the task says", "seen_by": seen}]
            + [{"parts": [1], "says": "Nothing else is done", "seen_by": "screen", "stays": True}] * kept,
            "question": task if asks else "",
        },
        "OrderMatcher": fits,
        "ConsentReader": {"ordered": list(ordered)},
        "Planner": {"subtasks": [{"goal": "do it", "role": "Operator"}]},
        "Operator": work,
        "Verifier": {"code": "def requirement_1(before, after):\n    return False, 'not looked at'\n"},
        "Reviewer": {"analyze": "", "verdict": "continue", "judgement": ""},
        "Reader": {"texts": [], "why": "nothing"},
        "FinalAnswer": {"answer": "9 am", "sources": [], "branch": "Continue", "problem": ""},
    }

    def says(call: Call) -> Any:
        reply = waiting[call.role]
        return reply(call) if callable(reply) else reply

    profile = Profile(name="scripted", context=128_000, contracts=True)
    model = ScriptedModel(itertools.repeat(says), profile=profile)
    request = RunRequest(
        task=task, model="scripted:", crew="planned", workspace=parent / "work", desktop="browser", url=url, mode="automatic"
    )
    return await session.run(request, settings_in(parent), model=model), model.calls


def denied(journal: Journal) -> list[str]:
    return [body.why for body in bodies(journal, e.OperationDenied)]


LOOK = "When does the sauna open?"


@pytest.mark.first_case
@pytest.mark.parametrize("page", sampled(["fetch", "form", "script", "link", "window", "frame", "worker"], 3))
async def test_a_button_pressed_only_to_look_sends_nothing(tmp_path: Path, site: Site, page: str) -> None:
    journal, _ = await ran(tmp_path, site.at(page), LOOK, pressed("Show more"), asks=True)
    assert site.store == []
    (found,) = bodies(journal, e.SendsFound)
    assert (found.effect, found.sent[0].method) == ("ask", "POST")
    (why,) = denied(journal)
    assert "nobody was there" in why
    finished = next(body for body in bodies(journal, e.ActionFinished))
    assert not finished.ok
    assert f'POST "{found.sent[0].url}"' in finished.error
    assert (await replay(journal)).difference is None
    sent = [each for body in bodies(journal, e.Observed) for each in body.evidence.sent]
    assert not any(each.writes for each in sent), "what never left is not told as sent"


@pytest.mark.first_case
@pytest.mark.parametrize("page", ["beacon", "timer"])
async def test_what_a_page_wants_to_send_later_by_itself_is_told_and_not_sent(tmp_path: Path, site: Site, page: str) -> None:
    wait: Step = ("", {"function": "wait_for_loading", "seconds": 3})
    journal, _ = await ran(tmp_path, site.at(page), LOOK, pressed("Show more"), wait, asks=True)
    assert site.store == []
    assert denied(journal) == []
    looks = [journal.read_blob(body.observation).decode() for body in bodies(journal, e.Observed)]
    assert any("it was not sent: POST" in look for look in looks)


ASKS = {"why": "It reads.", "fits": "asks"}
WAIT: Step = ("", {"function": "wait_for_loading", "seconds": 4})
PINGS = {'{"type":"ping"}', "2"}


@pytest.mark.first_case
@pytest.mark.parametrize("page", ["line", "line of text"])
async def test_what_a_page_says_over_a_web_socket_is_held(tmp_path: Path, site: Site, page: str) -> None:
    journal, _ = await ran(tmp_path, site.at(page), LOOK, pressed("Show more"), WAIT, asks=True)
    assert set(site.lines) == PINGS
    (found,) = bodies(journal, e.SendsFound)
    assert [each.method for each in found.sent] == ["WEBSOCKET"]
    assert denied(journal)


async def test_a_chat_says_once_what_the_task_orders(tmp_path: Path, site: Site) -> None:
    url = site.at("chat")
    order = sending(url, NOTED.rstrip("."), "The bell is broken")
    steps = (typed("Note", "The bell is broken"), pressed("OK")) * 2
    journal, _ = await ran(tmp_path, url, NOTED, *steps, ordered=(order,), fits=ORDERED)
    assert [json.loads(each) for each in site.lines if each not in PINGS] == [
        {"type": "said", "room": "hall", "text": "The bell is broken"}
    ]
    assert len(denied(journal)) == 1
    sent = [each for body in bodies(journal, e.Observed) for each in body.evidence.sent]
    assert {each.method for each in sent} == {"WEBSOCKET"}


BY_GET = ["by picture", "by script", "by style", "by fetch", "by query", "by hidden frame", "by link"]


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("page", "asks"), sampled([*((page, True) for page in BY_GET), *((page, False) for page in BY_GET[::3])], 4)
)
async def test_what_is_called_by_a_grave_word_is_not_got_either(tmp_path: Path, site: Site, page: str, asks: bool) -> None:
    task = LOOK if asks else "Show more of the opening hours on the page."
    await ran(tmp_path, site.at(page), task, pressed("Show more"), WAIT, asks=asks)
    assert site.store == []


ASKS_ONLY = {"why": "It shows it.", "fits": "asks"}
ASIDE = {
    "frame": "const it = document.createElement('iframe'); it.hidden = true; it.src = '/acts/3/x?r=1'; "
    "document.body.append(it)",
    "picture": "new Image().src = '/acts/3/x?r=1'",
    "script": "const it = document.createElement('script'); it.src = '/acts/x.js?r=1'; document.body.append(it)",
    "style": "document.body.style.backgroundImage = 'url(/acts/3/x?r=1)'",
    "events": "new EventSource('/acts/3/x?r=1')",
}
"""Ways to ask for something of which a page may show nothing."""
PAGES |= {
    f"quiet {name}": f'{HOURS}<button type=button onclick="{script}">Show more</button>' for name, script in ASIDE.items()
}


@pytest.mark.first_case
@pytest.mark.parametrize("page", sampled(ASIDE, 2))
@pytest.mark.parametrize("fits", [OTHER, ASKS_ONLY], ids=["other", "asks"])
async def test_what_a_page_may_show_nothing_of_is_got_only_where_a_model_says_that_it_only_asks(
    tmp_path: Path, site: Site, page: str, fits: dict[str, Any]
) -> None:
    """Whatever it is called: a frame that nobody sees, a picture or a script may do anything."""
    _, calls = await ran(tmp_path, site.at(f"quiet {page}"), LOOK, pressed("Show more"), WAIT, asks=True, fits=fits)
    assert bool(site.store) is (fits is ASKS_ONLY)
    assert any(call.role == "OrderMatcher" for call in calls)


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("link", "got", "asked"),
    [
        ("Letter", [], 1),
        ("Letters", ["/acts/letters"], 0),
        ("Files", [], 1),
        ("More", ["/acts/letters?page=2&of=letter"], 0),
    ],
)
async def test_a_link_whose_address_alone_says_more_than_where_it_leads_is_not_followed_unasked(
    tmp_path: Path, site: Site, link: str, got: list[str], asked: int
) -> None:
    task = "What does the last letter say?"
    _, calls = await ran(tmp_path, site.at("with a link that sends"), task, pressed(link), asks=True)
    assert [path for path, _ in site.store] == got
    assert len([call for call in calls if call.role == "OrderMatcher"]) == asked


CONFIRM, DELETE = "Confirm the booking of Ada Lovelace.", "Delete the booking of Ada Lovelace."


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("page", "task", "button", "got", "asked"),
    [
        ("with files", LOOK, "Show more", {"/acts/delete.png", "/acts/remove.js", "/acts/of?page=2&order=name"}, 0),
        ("with a word for a thing", "On which shelf is Lessico famigliare?", "Details", {"/acts/book/17"}, 1),
        ("with a link that is meant", CONFIRM, "Confirm", {"/acts/confirm?id=7"}, 0),
        ("with a link that removes", DELETE, "Delete", {"/acts/delete?id=7"}, 0),
    ],
)
async def test_what_is_got_in_the_task_s_sense_goes(
    tmp_path: Path, site: Site, page: str, task: str, button: str, got: set[str], asked: int
) -> None:
    url = site.at(page)
    order = {**sending(url, task.rstrip("."), "Ada Lovelace"), "kind": "withdraw"}
    ordered, asks = (order,) * (task == DELETE), "?" in task
    journal, calls = await ran(tmp_path, url, task, pressed(button), WAIT, asks=asks, ordered=ordered, fits=ASKS_ONLY)
    assert {path for path, _ in site.store} == got
    assert denied(journal) == []
    assert len([call for call in calls if call.role == "OrderMatcher"]) == 2 * asked, "once more without the page's words"


@pytest.mark.first_case
@pytest.mark.parametrize("page", ["beacon", "leaving"])
async def test_what_a_page_sends_as_it_is_left_needs_a_reason_of_its_own(tmp_path: Path, site: Site, page: str) -> None:
    """That the task names what leads away from it is none."""
    task = "Show more of the opening hours on the page."
    await ran(tmp_path, site.at(page), task, pressed("Show more"), WAIT)
    assert site.store == []


async def test_what_was_typed_is_saved_as_its_page_is_left(tmp_path: Path, site: Site) -> None:
    steps = (typed("Note", "The bell is broken"), pressed("Back"), WAIT)
    journal, calls = await ran(tmp_path, site.at("saved on leaving"), NOTED, *steps)
    assert site.store == [("/notes", {"id": "7", "note": "The bell is broken"})]
    assert denied(journal) == []
    assert "OrderMatcher" not in [call.role for call in calls]


@pytest.mark.first_case
@pytest.mark.parametrize(("fits", "stored"), [(OTHER, []), (ORDERED, ["/approved"])], ids=["other", "ordered"])
async def test_a_beacon_that_has_more_than_the_users_words_in_it_is_asked_about(
    tmp_path: Path, site: Site, fits: dict[str, Any], stored: list[str]
) -> None:
    task, url = "Go back to the list of dogs from Filou's card.", site.at("of one")
    order = sending(url, task.rstrip("."), "Filou")
    await ran(tmp_path, url.replace(" ", "%20"), task, pressed("Back"), WAIT, ordered=(order,), fits=fits)
    assert [path for path, _ in site.store] == stored


@pytest.mark.first_case
@pytest.mark.parametrize(("page", "stored"), [("sent on", []), ("sent to its place", ["/notes"]), ("late", ["/notes"])])
async def test_what_was_let_go_once_does_not_go_on_to_something_else(
    tmp_path: Path, site: Site, page: str, stored: list[str]
) -> None:
    """As a server says that leads on to another address, or as a page does a while later with more in it."""
    url = site.at(page).replace(" ", "%20")
    order = sending(url, NOTED.rstrip("."), "The bell is broken")
    steps = (typed("Note", "The bell is broken"), pressed("Keep"), WAIT)
    await ran(tmp_path, url, NOTED, *steps, ordered=(order,))
    assert [path for path, _ in site.store] == stored


async def test_reports_beside_what_is_ordered_are_not_judged(tmp_path: Path, site: Site) -> None:
    task, url = "Approve the request of Ada Lovelace.", site.at("reports")
    order = sending(url, task.rstrip("."), "Ada Lovelace")
    journal, calls = await ran(tmp_path, url, task, pressed("OK"), ordered=(order,), fits=ORDERED)
    assert site.store == [("/approved", {"id": 7})]
    assert site.asked == ["/b/analytics"]
    assert denied(journal) == []
    assert len([call for call in calls if call.role == "OrderMatcher"]) == 1


@pytest.mark.first_case
@pytest.mark.parametrize(("page", "stored"), [("published", ["/notes"]), ("kept again", ["/notes", "/profile"])])
async def test_what_follows_of_itself_goes_only_with_what_was_typed(
    tmp_path: Path, site: Site, page: str, stored: list[str]
) -> None:
    order = sending(site.at(page), NOTED.rstrip("."), "The bell is broken")
    steps = (typed("Note", "The bell is broken"), pressed("Keep"), WAIT)
    await ran(tmp_path, site.at(page).replace(" ", "%20"), NOTED, *steps, ordered=(order,), fits=ORDERED)
    assert [path for path, _ in site.store] == stored


@pytest.mark.first_case
@pytest.mark.parametrize("page", ["to opening", "to framing"])
async def test_where_nothing_is_to_be_changed_a_page_sends_nothing_as_it_is_opened(
    tmp_path: Path, site: Site, page: str
) -> None:
    await ran(tmp_path, site.at(page), LOOK, pressed("Show more"), WAIT, asks=True)
    assert site.store == []


async def test_a_page_may_ask_as_it_is_opened(tmp_path: Path, site: Site) -> None:
    steps = (pressed("Show more"), ("", {"function": "go_back"}), pressed("Show more"))
    journal, calls = await ran(tmp_path, site.at("to asking"), LOOK, *steps, asks=True, fits=ASKS)
    assert site.asked == ["/rpc", "/rpc"]
    assert denied(journal) == []
    assert len([call for call in calls if call.role == "OrderMatcher"]) == 2


@pytest.mark.first_case
@pytest.mark.parametrize(("page", "asked"), [("looked for", []), ("found", ["/rpc"])])
async def test_what_was_looked_for_is_no_reason_for_what_comes_later(
    tmp_path: Path, site: Site, page: str, asked: list[str]
) -> None:
    fits = {"why": "It looks something up.", "fits": "asks"} if asked else OTHER
    await ran(tmp_path, site.at(page), LOOK, typed("Find", "sauna"), WAIT, asks=True, fits=fits)
    assert site.store == []
    assert site.asked == asked


@pytest.mark.first_case
@pytest.mark.parametrize("page", ["search", "telemetry"])
async def test_asking_by_post_and_reports_of_a_page_go(tmp_path: Path, site: Site, page: str) -> None:
    journal, calls = await ran(tmp_path, site.at(page), LOOK, pressed("Show more"), asks=True, fits=ASKS)
    assert len(site.asked) == 1
    assert denied(journal) == []
    first, second = (call.text("volatile") for call in calls if call.role == "OrderMatcher")
    assert "the page shows" in first
    assert "The sauna opens" not in second, "no order stands behind it: it is said once more without the page's words"


@pytest.mark.first_case
@pytest.mark.parametrize("page", ["collect", "find"])
async def test_an_address_that_seems_to_ask_is_no_question(tmp_path: Path, site: Site, page: str) -> None:
    journal, _ = await ran(tmp_path, site.at(page), LOOK, pressed("Show more"), asks=True)
    assert site.asked == []
    assert denied(journal)


async def test_what_its_page_calls_a_removal_is_no_question_whoever_says_so(tmp_path: Path, site: Site) -> None:
    journal, _ = await ran(tmp_path, site.at("removing"), LOOK, pressed("Show more"), asks=True, fits=ASKS)
    assert (site.store, site.asked) == ([], [])
    assert denied(journal)


async def test_another_word_in_what_is_alike_is_asked_about_anew(tmp_path: Path, site: Site) -> None:
    def fits(call: Call) -> dict[str, Any]:
        return OTHER if "wipe" in call.text("volatile").rpartition("wants to send")[2] else ASKS

    steps = (pressed("Marks"), pressed("Tidy"))
    journal, _ = await ran(tmp_path, site.at("rpc"), LOOK, *steps, asks=True, fits=fits)
    assert site.asked == ["/rpc"]
    assert "wipe" in denied(journal)[0]


CORRECT = "Please set my phone number to 030 22."


def sending(url: str, words: str, text: str) -> dict[str, Any]:
    return {"quotes": [words], "kind": "send", "where": url, "texts": [text]}


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("page", "button", "stored"),
    [
        ("twofold", "Close", None),
        ("twofold", "Keep", "/profile"),
        ("single", "Keep", "/profile"),
        ("saving", "Speichern", "/profile/save"),
    ],
)
async def test_the_other_button_of_a_form_that_is_corrected(
    tmp_path: Path, site: Site, page: str, button: str, stored: str | None
) -> None:
    url = site.at(page)
    order = sending(url, CORRECT.rstrip("."), "030 22")
    fits = ORDERED if stored else OTHER
    steps = (typed("Phone", "030 22"), pressed(button))
    journal, _ = await ran(tmp_path, url, CORRECT, *steps, ordered=(order,), fits=fits)
    kept = {"token": "t-17", "phone": "030 22"}
    assert site.store == ([(stored, kept)] if stored else [])
    assert bool(denied(journal)) == (stored is None)


NOTED = "Write the note 'The bell is broken'."


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("page", "steps", "stored"),
    [
        ("noting", [typed("Note", "The bell is broken"), pressed("Next")], []),
        ("noting", [typed("Note", "The bell is broken"), pressed("Keep")], ["/notes"]),
        ("beside", [pressed("Show more")], []),
        ("beside", [pressed("Show more"), typed("Note", "The bell is broken"), pressed("Keep")], ["/notes"]),
    ],
)
async def test_an_innocent_button_beside_the_one_that_keeps_a_note(
    tmp_path: Path, site: Site, page: str, steps: list[Step], stored: list[str]
) -> None:
    journal, _ = await ran(tmp_path, site.at(page), NOTED, *steps)
    assert [path for path, _ in site.store] == stored
    harmful = steps[-1][0] != '"Keep"' or len(steps) > 2
    assert bool(denied(journal)) == harmful


async def test_an_entry_that_was_led_to_by_its_number_is_ordered_about(tmp_path: Path, site: Site) -> None:
    """In another language than the task's, no word of what is pressed is the user's."""
    task, url = "Release the key K-31, please.", site.at("keys")
    steps = [pressed("Freigeben K-31"), pressed("Ja")]
    order = sending(url, "Release the key K-31", "K-31")
    journal, calls = await ran(tmp_path, url, task, *steps, ordered=(order,), fits=ORDERED)
    assert site.store == [("/approved", {"n": "9"})]
    assert denied(journal) == []
    asked = [call.text("volatile") for call in calls if call.role == "OrderMatcher"]
    assert f'POST "{site.at("approved")}" with n "9"' in asked[-1]


async def test_a_field_that_nobody_ordered_is_shown_to_who_says_what_is_ordered(tmp_path: Path, site: Site) -> None:
    url = site.at("set")
    order = sending(url, CORRECT.rstrip("."), "030 22")
    steps = (typed("Phone", "030 22"), pressed("Keep"))
    journal, calls = await ran(tmp_path, url, CORRECT, *steps, ordered=(order,))
    assert site.store == []
    assert denied(journal)
    (asked,) = (call for call in calls if call.role == "OrderMatcher")
    assert 'state "resigned"' in asked.text("volatile")
    told = asked.text("volatile").partition("No control shows, and nobody typed or chose: ")[2].partition("\n")[0]
    assert told == 'token "t-17"'


@pytest.mark.first_case
@pytest.mark.parametrize(("page", "stored"), [("two", ["/notes"]), ("hidden", [])])
async def test_what_goes_with_what_was_ordered_needs_more_than_its_words(
    tmp_path: Path, site: Site, page: str, stored: list[str]
) -> None:
    """Also where the order itself has been read, and each of its words is there."""
    url = site.at(page)
    order = sending(url, NOTED.rstrip("."), "The bell is broken")
    steps = (typed("Note", "The bell is broken"), pressed("Keep"))
    journal, _ = await ran(tmp_path, url, NOTED, *steps, ordered=(order,))
    assert [path for path, _ in site.store] == stored
    assert denied(journal)


async def test_an_order_in_other_words_is_carried_out_once(tmp_path: Path, site: Site) -> None:
    task, url = "Book me in at a quarter past two.", site.at("times")
    order = sending(url, "Book me in at a quarter past two", "quarter past two")
    steps = [("Time", {"function": "select_option", "option": "14:15"}), pressed("Send")]
    steps += [("", {"function": "go_back"}), pressed("Send")]
    journal, _ = await ran(tmp_path, url, task, *steps, ordered=(order,), fits=ORDERED)
    assert site.store == [("/store", {"time": "14:15"})]
    assert "it orders this once" in denied(journal)[-1]


@pytest.mark.first_case
@pytest.mark.parametrize("fits", [{**ORDERED, "order": 2}, {"why": "", "fits": "step"}])
async def test_an_order_that_is_not_there_cannot_be_chosen(tmp_path: Path, site: Site, fits: dict[str, Any]) -> None:
    task, url = "Book me in at a quarter past two.", site.at("times")
    order = sending(url, "Book me in at a quarter past two", "quarter past two")
    steps = [("Time", {"function": "select_option", "option": "14:15"}), pressed("Send")]
    journal, calls = await ran(tmp_path, url, task, *steps, ordered=(order,), fits=fits)
    assert site.store == []
    assert denied(journal)
    assert "There is no order" in [call for call in calls if call.role == "OrderMatcher"][1].text("volatile")


async def test_what_only_asks_goes_and_is_not_asked_about_again(tmp_path: Path, site: Site) -> None:
    steps = [pressed("Marks"), pressed("Marks")]
    journal, calls = await ran(tmp_path, site.at("rpc"), LOOK, *steps, asks=True, fits=ASKS)
    assert site.asked == ["/rpc", "/rpc"]
    assert denied(journal) == []
    assert len([call for call in calls if call.role == "OrderMatcher"]) == 2, "once more without the page's words"


POSTPONED = "Approve ticket 104 now. Ticket 101 I shall approve myself, tomorrow."


@pytest.mark.first_case
@pytest.mark.parametrize(("ticket", "fits", "stored"), [("101", OTHER, []), ("104", ORDERED, ["/approved"])])
async def test_an_entry_that_the_task_names_may_be_put_off(
    tmp_path: Path, site: Site, ticket: str, fits: dict[str, Any], stored: list[str]
) -> None:
    """All that is sent is in the task's words, under a word that says nothing."""
    url = site.at("tickets")
    order = sending(url, "Approve ticket 104 now", "104")
    steps: tuple[Step, ...] = ((f'"OK" in "Ticket {ticket}', {}),)
    journal, calls = await ran(tmp_path, url, POSTPONED, *steps, ordered=(order,), fits=fits)
    assert [path for path, _ in site.store] == stored
    assert bool(denied(journal)) == (not stored)
    assert len([call for call in calls if call.role == "OrderMatcher"]) == 1


INVITE = "Put the board on the list, but not the members."


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("option", "fits", "read", "stored"),
    [
        ("members", OTHER, True, []),
        ("board", ORDERED, True, ["/approved"]),
        ("board", OTHER, False, ["/approved"]),
    ],
)
async def test_what_was_chosen_may_be_what_the_task_forbids(
    tmp_path: Path, site: Site, option: str, fits: dict[str, Any], read: bool, stored: list[str]
) -> None:
    """Where no order was read nobody can say, and what letters explain goes."""
    url = site.at("groups")
    order = sending(url, "Put the board on the list", "board")
    steps: tuple[Step, ...] = (('"To"', {"function": "select_option", "option": option}), pressed("OK"))
    journal, calls = await ran(tmp_path, url, INVITE, *steps, kept=True, ordered=(order,) * read, fits=fits)
    assert [path for path, _ in site.store] == stored
    assert bool(denied(journal)) == (not stored)
    assert len([call for call in calls if call.role == "OrderMatcher"]) == read


LATER = "Send the notice tomorrow, on 2026-12-03, and not before."


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("page", "when", "fits", "stored", "asked"),
    [
        ("planned", "tomorrow", ORDERED, ["/approved"], 1),
        ("at once", "tomorrow", OTHER, [], 1),
        ("at once", "", OTHER, ["/store"], 0),
    ],
)
async def test_what_is_tied_to_a_later_time_is_not_sent_by_letters_alone(
    tmp_path: Path, site: Site, page: str, when: str, fits: dict[str, Any], stored: list[str], asked: int
) -> None:
    """Whoever read no tie in the order leaves it to letters: the last case shows what these cannot see."""
    url = site.at(page).replace(" ", "%20")
    order = sending(url, "Send the notice tomorrow, on 2026-12-03", "2026-12-03") | {"when": when}
    steps = (typed("Day", "2026-12-03"), pressed("Send"))
    journal, calls = await ran(tmp_path, url, LATER, *steps, ordered=(order,), fits=fits)
    assert [path for path, _ in site.store] == stored
    assert bool(denied(journal)) == (not stored)
    matched = [call.text() for call in calls if call.role == "OrderMatcher"]
    assert len(matched) == asked
    assert all("only 'tomorrow'" in prompt for prompt in matched)


async def test_no_order_stands_behind_what_a_page_sends_as_it_is_opened(tmp_path: Path, site: Site) -> None:
    url = site.at("to acting").replace(" ", "%20")
    order = sending(url, NOTED.rstrip("."), "The bell is broken")
    steps = (typed("Note", "The bell is broken"), pressed("Next"), WAIT)
    await ran(tmp_path, url, NOTED, *steps, ordered=(order,))
    assert site.store == []


async def test_no_order_stands_behind_what_a_page_sends_as_it_is_left(tmp_path: Path, site: Site) -> None:
    """The page that comes next may be there before what the last one sends."""
    task, url = "Go to the requests and approve the request of Ada Lovelace.", site.at("left for another")
    order = sending(url, task.rstrip("."), "Ada Lovelace")
    steps = (pressed("Requests"), pressed("OK"), WAIT)

    def fits(call: Call) -> dict[str, Any]:
        return OTHER if "/store" in call.text() else ORDERED

    await ran(tmp_path, url.replace(" ", "%20"), task, *steps, ordered=(order,), fits=fits)
    assert [path for path, _ in site.store] == ["/approved"]


async def test_what_a_field_held_before_is_told_to_who_says_what_is_ordered(tmp_path: Path, site: Site) -> None:
    task, url = "Make the phone number of the profile end in 9.", site.at("twofold")
    steps = (typed("Phone", "020 9"), pressed("Keep"))
    _, calls = await ran(tmp_path, url, task, *steps, ordered=(sending(url, task.rstrip("."), "9"),), fits=ORDERED)
    asked = next(call for call in calls if call.role == "OrderMatcher")
    assert '"020 9" (instead of "020 1")' in asked.text("volatile")
    assert site.store == [("/profile", {"token": "t-17", "phone": "020 9"})]


async def test_an_identifier_for_a_name_goes_by_what_a_model_says(tmp_path: Path, site: Site) -> None:
    task, url = "Approve the request of Ada Lovelace.", site.at("requests")
    order = sending(url, task.rstrip("."), "Ada Lovelace")
    journal, calls = await ran(tmp_path, url, task, pressed("OK"), ordered=(order,), fits=ORDERED)
    assert site.store == [("/approved", {"id": 7})]
    assert denied(journal) == []
    (asked,) = (call for call in calls if call.role == "OrderMatcher")
    assert 'in "Ada Lovelace"' in asked.text("volatile")
