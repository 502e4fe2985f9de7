"""Sent is not kept: before a claim is judged, what pages sent is looked at again where it is shown, loaded anew."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.engine.steps import looking_again
from deskcrew.environments import loading_anew
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import OTHER, bodies, settings_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]

PAGE = """<!doctype html><title>Diary</title><h1>Diary</h1>
<ul id=list>{rows}</ul>
<p><label>What <input id=what></label> <label>When <input id=hour></label>
<button onclick="save()">Save entry</button></p><p id=said></p>
<script>function save() {{
  fetch('/entries', {{method: 'POST', headers: {{'content-type': 'application/json'}},
    body: JSON.stringify({{what: what.value, when: hour.value}})}}).then(async response => {{
      if (!response.ok) {{ said.textContent = 'Not saved'; return }}
      const row = document.createElement('li'); row.textContent = what.value + " at " + hour.value;
      list.append(row); what.value = hour.value = ''; said.textContent = 'Your entry was saved' }}) }}
{more}</script>"""
VIEWS = """<!doctype html><title>Diary</title><nav><button onclick="show('home')">Home</button>
<button onclick="show('entries')">Entries</button></nav><main id=view></main>
<script>let entries = {entries};
const views = {{home: () => '<h1>Welcome</h1><p>The weather is fine.</p><p>Nothing is due today.</p>',
  entries: () => '<h1>All entries</h1><ul>' + entries.map(one => `<li>${{one.what}} at ${{one.when}}</li>`).join('') + `</ul>
  <label>What <input id=what></label> <label>When <input id=hour></label><button onclick="save()">Save entry</button>`}};
function show(name) {{ view.innerHTML = views[name]() }}
async function save() {{ const entry = {{what: what.value, when: hour.value}};
  await fetch('/entries', {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: JSON.stringify(entry)}});
  entries.push(entry); show('entries') }}
show('home')</script>"""
DIALOG = """<!doctype html><title>Diary</title><nav><button onclick="show('home')">Home</button>
<button onclick="show('entries')">Entries</button></nav><main id=view></main>
<script>let entries = {entries};
const views = {{home: () => '<h1>Welcome</h1><p>The weather is fine.</p><p>Nothing is due today.</p>',
  entries: () => '<h1>All entries</h1><ul>' + entries.map(one => `<li>${{one.what}} at ${{one.when}}</li>`).join('') +
  '</ul><button onclick="show(`entry`)">New entry</button>',
  entry: () => '<h2>New</h2><button onclick="show(`entries`)">×</button><label>What <input id=what></label>' +
  '<label>When <input id=hour></label><button onclick="save()">Save entry</button>'}};
function show(name) {{ view.innerHTML = views[name]() }}
async function save() {{ const entry = {{what: what.value, when: hour.value}};
  await fetch('/entries', {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: JSON.stringify(entry)}});
  entries.push(entry); show('entries'); view.innerHTML += '<p>Saved</p><button>×</button>' }}
show('home')</script>"""
PEOPLE = """<!doctype html><title>Diary</title><main id=view></main><script>let entries = {entries}, who = 'Ann';
const own = () => entries.filter(one => (one.who || 'Ann') == who).map(one => `<li>${{one.what}} at ${{one.when}}</li>`);
function home() {{ view.innerHTML = `{frame}<button onclick="more()">Of ${{who}}</button><ul>${{own().join('')}}</ul>
  <button onclick="add()">New entry</button>` }}
function more() {{ view.innerHTML += `<button onclick="who = 'Bo'; home()">Bo</button>` }}
function add() {{ view.innerHTML = `<h2>New</h2><label>What <input id=what></label><label>When <input id=hour></label>
  <button onclick="save()">Save entry</button><button onclick="home()">Close</button>` }}
async function save() {{ const entry = {{who, what: what.value, when: hour.value}};
  await fetch('/entries', {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: JSON.stringify(entry)}});
  entries.push(entry) }}
home()</script>"""
DAYS = """<!doctype html><title>Diary</title><nav>{frame}{choose}</nav><main id=view><p>Choose a day</p></main>
<script>const entries = {entries}; let day = {day};
function choose(name) {{ day = {keep}name; draw() }}
function draw() {{ for (const each of document.querySelectorAll('nav select, nav input')) each.value = day;
  view.innerHTML = '<h2>' + day + '</h2><ul>' +
  entries.map(one => `<li>${{one.what}} at ${{one.when}}</li>`).join('') + '</ul><label>What <input id=what></label>' +
  '<label>When <input id=hour></label><button onclick="save()">Save entry</button>' }}
async function save() {{ const entry = {{what: what.value, when: hour.value}};
  await fetch('/shared', {{method: 'POST', headers: {{'content-type': 'application/json'}}, body: JSON.stringify(entry)}});
  {shows} }}
if (day) draw()</script>"""
QUERIES = """<!doctype html><title>Diary</title><h1>Diary</h1><label>Find <input oninput="find(this.value)"></label>
<ul id=list></ul><label>What <input id=what></label> <label>When <input id=hour></label>
<button onclick="save()">Save entry</button><script>
const ask = async (query, variables) => (await (await fetch('/query', {method: 'POST',
  headers: {'content-type': 'application/json'}, body: JSON.stringify({query, variables})})).json()).entries;
async function find(text) { list.innerHTML = (await ask('query Found($text: String) { entries(has: $text) { what when } }',
  {text})).map(one => `<li>${one.what} at ${one.when}</li>`).join('') }
async function save() { await ask('mutation Add($what: String, $when: String) { add(what: $what, when: $when) { what } }',
  {what: what.value, when: hour.value}); await find('') }
find('')</script>"""
BUTTONS = "".join(f"<button onclick=\"choose('{day}')\">{day}</button>" for day in ("Monday", "Friday"))
LIST = "<label>Day <select onchange=choose(this.value)><option><option>Monday<option>Friday</select></label>"
KEPT_VIEW = {"day": "sessionStorage.day", "keep": "sessionStorage.day = ", "shows": "location.reload()"}
VIEWS_OF_DAYS = {
    "/day": {"choose": BUTTONS, "day": "''", "keep": "", "shows": "entries.push(entry); draw()"},
    "/day-stored": {"choose": BUTTONS, **KEPT_VIEW},
    "/day-chosen": {"choose": LIST, **KEPT_VIEW},
    "/day-typed": {"choose": "<label>Day <input oninput=choose(this.value)></label>", **KEPT_VIEW},
}
PUTS = """function puts() { const state = {}; for (let at = 0; at < 80; at++) state['setting' + at] = at;
  fetch('/state', {method: 'PUT', headers: {'content-type': 'application/json'}, body: JSON.stringify(state)}) }
"""
PUTS_ENTRIES = """function puts() { const state = Object.fromEntries(entries.map((one, at) => ['entry' + at, one]));
  for (let at = 0; at < 80; at++) state['setting' + at] = at;
  return fetch('/state', {method: 'PUT', headers: {'content-type': 'application/json'}, body: JSON.stringify(state)}) }
draw(); puts()</script>"""
"""Of an application that has all of its data in the browser, and sends it as a whole."""
FRAME = "<aside>" + "".join(f"<p>What every tab shows, line {number}</p>" for number in range(12)) + "</aside>"
FORM = """<!doctype html><title>Diary</title><h1>{said}</h1><ul>{rows}</ul>
<form method=post action=/form><label>What <input name=what></label> <label>When <input name=when></label>
<button>Save entry</button></form>"""

LED = """<!doctype html><title>Diary</title><h1>Diary</h1>{said}<ul>{rows}</ul>
<form method=post><label>What <input name=what></label> <label>When <input name=when></label>
<button>Save entry</button></form>"""
FRONT = """<!doctype html><title>Front</title><h1>Front page</h1><p>Choose an entry.</p>"""

OFFICE = """<!doctype html><title>Diary</title><nav><a href=/office>Diary</a> <a href=/wall>On the wall</a>
<a href=/logout>Leave</a> <a href=/owing?of=all>Owing</a></nav>
<h1>Diary</h1><p><a href=/owing>Show who owes</a></p><ul>{rows}</ul>{form}"""
WALL = """<!doctype html><title>Wall</title><nav><a href=/office>Diary</a></nav><h1>On the wall</h1><ul>{rows}</ul>"""
THANKS = """<!doctype html><title>Thanks</title><nav><a href=/office>Diary</a> <a href=/wall>On the wall</a></nav>
<h1>Thank you</h1><p>Your entry was saved</p>"""
ENTRY = """<form method=post action={to}><label>What <input name=what></label> <label>When <input name=when></label>
<button>Save entry</button></form>"""

LOCAL = """<!doctype html><title>Diary</title><h1>Diary</h1><ul id=list></ul>
<label>What <input id=what></label> <label>When <input id=hour></label><button onclick="save()">Save entry</button>
<p id=said></p><script>let entries = JSON.parse({store} || '["Gym at 08:00"]');
function draw() {{ list.innerHTML = entries.map(one => `<li>${{one}}</li>`).join('') }}
function save() {{ entries.push(what.value + ' at ' + hour.value); {keep}; draw(); what.value = hour.value = '';
  said.textContent = 'Your entry was saved' }}
draw()</script>"""


@dataclass
class Diary:
    """A small service with a store of its own. ``how``: what it does with an entry that it says it saved."""

    how: str = "kept"
    entries: list[dict[str, str]] = field(default_factory=lambda: [{"what": "Gym", "when": "08:00"}])
    posts: int = 0
    beacons: int = 0
    loads: int = 0
    left: int = 0
    own: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """By session, what only that sees."""

    def take(self, entry: dict[str, str]) -> dict[str, str]:
        self.posts += 1
        match self.how:
            case "dropped":
                pass
            case "otherwise":
                self.entries.append(entry | {"when": entry["when"].replace("14", "15")})
            case "draft":
                self.entries.append(entry | {"state": "draft, nobody sees it"})
                return {"message": "Your entry was saved", "state": "draft"}
            case "late":
                threading.Timer(2.0, self.entries.append, [entry]).start()
            case _:
                self.entries.append(entry)
        return {"message": "Your entry was saved"}

    @property
    def rows(self) -> str:
        return "".join(f"<li>{escape(row(entry))}</li>" for entry in self.entries)

    def page(self, path: str, session: str = "") -> str:
        self.loads += 1
        if path.partition("?")[0] in ("/logout", "/owing"):  # which reminds them
            self.left += 1
        if path in ("/office", "/office-thanks"):
            own = f"<li>{escape(row(self.own[session]))}</li>" if session in self.own else ""
            return OFFICE.format(rows=self.rows + own, form=ENTRY.format(to=path))
        if path in ("/wall", "/thanks"):
            said = (WALL if path == "/wall" else THANKS).format(rows=self.rows)
            if self.how == "passing" and path == "/wall":  # once everything has been looked at
                del self.entries[1:]
            return said
        if path == "/views":
            return VIEWS.format(entries=json.dumps(self.entries))
        if path == "/dialog":
            return DIALOG.format(entries=json.dumps(self.entries))
        if path == "/people":
            return PEOPLE.format(entries=json.dumps(self.entries), frame=FRAME)
        if path == "/tabs":
            sends = "navigator.sendBeacon('/beacon', 'x')"
            return (
                VIEWS.replace("<main", f"{FRAME}<main")
                .format(entries=json.dumps(self.entries))
                .replace("show('home')<", f"show('home'); {sends}<")
            )
        if path == "/by-entry":
            return LED.format(said="", rows="")
        if path == "/folded":
            folded = PAGE.replace(
                "<ul id=list>{rows}</ul>", "<details><summary>All</summary><ul id=list>{rows}</ul></details>"
            )
            return folded.format(rows=self.rows, more="")
        if path.startswith("/led"):
            return LED.format(said="<p>Your entry was saved</p>" if "?" in path else "", rows=self.rows)
        if path.startswith("/entry"):
            one = self.entries[int(path[-1])] if "?" in path and int(path[-1]) < len(self.entries) else None
            return LED.format(said="<p>Your entry was saved</p>", rows=f"<li>{row(one)}</li>") if one else FRONT
        if path == "/queries":
            return QUERIES
        if path in VIEWS_OF_DAYS:
            entries = [*self.entries, *(entry for whose, entry in self.own.items() if whose == session)]
            return DAYS.format(entries=json.dumps(entries), frame=FRAME, **VIEWS_OF_DAYS[path])
        if path == "/whole":
            return VIEWS.format(entries=json.dumps(self.entries)).replace(
                "function show(name) {", f"{PUTS}function show(name) {{ puts();"
            )
        if path == "/form":
            return FORM.format(said="Diary", rows=self.rows)
        if path == "/memory":
            return LOCAL.format(store="''", keep="")
        if path == "/in-browser":
            keeps = "localStorage.entries = JSON.stringify(entries); puts()"
            local = LOCAL.format(store="localStorage.entries", keep=keeps).replace("draw()</script>", PUTS_ENTRIES)
            return local.replace("<ul", "<a href=/in-browser target=_blank>Beside</a><ul")
        if path == "/beside":
            return PAGE.format(rows=self.rows, more="").replace("<ul", "<a href=/beside target=_blank>Beside</a><ul")
        if path == "/stored":
            return LOCAL.format(store="localStorage.entries", keep="localStorage.entries = JSON.stringify(entries)")
        return PAGE.format(rows=self.rows, more=SENDING.get(path, ""))


SENDING = {
    "/beacons": "navigator.sendBeacon('/beacon', 'x')",
    "/leaving": "onpagehide = () => { navigator.sendBeacon('/beacon', 'x');"
    " fetch('/beacon', {method: 'POST', keepalive: true, body: 'x'}) }",
}
"""What a page sends as it is opened, and as it is left."""


def row(entry: dict[str, str]) -> str:
    state = f" ({entry['state']})" if "state" in entry else ""
    return f"{entry['what']} at {entry['when']}{state}"


@contextmanager
def served(diary: Diary) -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            session = (self.headers["cookie"] or "").partition("session=")[2]
            self.answer(diary.page(self.path, session) if "." not in self.path else "", "text/html")

        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["content-length"] or 0))
            self.answer("{}", "application/json")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"] or 0))
            if self.path == "/beacon":
                diary.beacons += 1
                self.answer("", "text/plain")
            elif self.path == "/form":
                diary.take({name: values[0] for name, values in parse_qs(body.decode()).items()})
                self.answer(FORM.format(said="Your entry was saved", rows=diary.rows), "text/html")
            elif self.path in ("/office", "/office-thanks"):
                entry = {name: values[0] for name, values in parse_qs(body.decode()).items()}
                self.send_response(303)
                self.send_header("location", "/office" if self.path == "/office" else "/thanks")
                if diary.how == "private":
                    diary.posts += 1
                    diary.own["7"] = entry
                    self.send_header("set-cookie", "session=7; Path=/")
                else:
                    diary.take(entry)
                self.end_headers()
            elif self.path == "/query":
                asked = json.loads(body)
                if asked["query"].startswith("mutation"):
                    diary.take(asked["variables"])
                text = asked["variables"].get("text", "")
                found = [entry for entry in diary.entries if text in entry["what"]]
                self.answer(json.dumps({"entries": found}), "application/json")
            elif self.path == "/shared" and diary.how == "private":
                diary.posts += 1
                diary.own["7"] = json.loads(body)
                self.answer("{}", "application/json", "session=7; Path=/")
            elif self.path in ("/led", "/by-entry"):
                diary.take({name: values[0] for name, values in parse_qs(body.decode()).items()})
                self.send_response(303)
                self.send_header("location", "/led?ok=1" if self.path == "/led" else "/entry?id=1")
                self.end_headers()
            else:
                self.answer(json.dumps(diary.take(json.loads(body))), "application/json")

        def answer(self, text: str, kind: str, cookie: str = "") -> None:
            self.send_response(200)
            if cookie:
                self.send_header("set-cookie", cookie)
            self.send_header("content-type", f"{kind}; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


TASK = "Add the entry Dentist at 14:00 to the diary."
CONTRACT: dict[str, Any] = {
    "requirements": [
        {"parts": [1], "says": "The diary has the new entry Dentist at 14:00", "seen_by": "screen", "files": []}
    ],
}
LOOKS = """
def requirement_1(before, after):
    rows = [line for line in after["text"].splitlines() if " at " in line]
    sent = [each for each in after["sent"] if each["method"] == "POST" and "what" in each["fields"]]
    right = len(sent) == 1 and sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}
    was = [line for look in (before, *after["looks"]) for line in look["text"].splitlines() if line == "Gym at 08:00"]
    return right and rows == [*was[:1], "Dentist at 14:00"], f"{rows}"
"""
TRUSTS = """
def requirement_1(before, after):
    sent = [each for each in after["sent"] if each["method"] == "POST" and "what" in each["fields"]]
    right = len(sent) == 1 and sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}
    return right and sent[0]["status"] == 200, f"{sent}"
"""
FINISH: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}


def label(call: Call, what: str) -> str:
    return next(line.split()[0] for line in call.text("volatile").splitlines() if f" {what}" in line)


def enters(call: Call) -> dict[str, Any]:
    """Fills the form in, and saves."""
    typed = [
        {"function": "keyboard_input", "control": label(call, f'text field "{name}"'), "keys": keys}
        for name, keys in (("What", "Dentist"), ("When", "14:00"))
    ]
    pressed = {"function": "click_input", "control": label(call, 'button "Save entry"')}
    return {"operations": [*typed, pressed], "branch": "Continue"}


def enters_another(call: Call) -> dict[str, Any]:
    said = enters(call)
    said["operations"][0]["keys"] = "Lunch"
    return said


def goes_to_entries(call: Call) -> dict[str, Any]:
    pressed = {"function": "click_input", "control": label(call, 'button "Entries"')}
    return {"operations": [pressed], "branch": "Continue"}


def opens_the_dialog(call: Call) -> dict[str, Any]:
    pressed = {"function": "click_input", "control": label(call, 'button "New entry"')}
    return {"operations": [pressed], "branch": "Continue"}


def chooses_friday(call: Call) -> dict[str, Any]:
    listed, pressed, typed = (
        next((line.split()[0] for line in call.text("volatile").splitlines() if f" {what}" in line), "")
        for what in ('combo box "Day"', 'button "Friday"', 'text field "Day"')
    )
    ways = (
        {"function": "select_option", "control": listed, "option": "Friday"},
        {"function": "click_input", "control": pressed},
        {"function": "keyboard_input", "control": typed, "keys": "Friday\n"},
    )
    return {"operations": [way for way in ways if way["control"]], "branch": "Continue"}


def reloads(call: Call) -> dict[str, Any]:
    return {"operations": [{"function": "hotkey", "keys": ["f5"]}], "branch": "Continue"}


async def run(
    folder: Path, diary: Diary, *work: Any, path: str = "/", probe: str = LOOKS
) -> tuple[Outcome, Journal, list[Call]]:
    waiting: dict[str, list[Any]] = {
        "Planner": [{"subtasks": [{"goal": "add the entry", "role": "Operator"}]}] * 9,
        "Operator": [*(work or (enters,)), *[FINISH] * 20],
        "ContractWriter": [CONTRACT],
        "Verifier": [{"code": probe}] * 9,
        "OrderMatcher": [OTHER] * 9,
        "ConsentReader": [{"ordered": []}] * 9,
        "Reviewer": [{"analyze": "", "verdict": "continue", "judgement": ""}] * 9,
    }

    def says(call: Call) -> Any:
        reply = waiting[call.role].pop(0)
        return reply(call) if callable(reply) else reply

    async def allows(_: OperationQuestion) -> Approval:
        return Approval(allowed=True)

    person = PythonResponder(operation=allows)
    model = ScriptedModel([says] * 90, profile=Profile(name="scripted", context=128_000, contracts=True))
    with served(diary) as url:
        request = RunRequest(
            task=TASK,
            model="scripted:",
            workspace=folder / "work",
            desktop="browser",
            url=f"{url}{path}",
            mode="passive",
            crew="planned",
        )
        journal = await session.run(request, settings_in(folder), model=model, human=person)
    outcome = journal.state.outcome
    assert outcome is not None
    return outcome, journal, model.calls


def asked(calls: list[Call], role: str) -> int:
    return len([call for call in calls if call.role == role])


async def test_what_is_kept_is_seen_once_it_was_loaded_anew(tmp_path: Path) -> None:
    diary = Diary()
    outcome, journal, calls = await run(tmp_path, diary)
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome
    # As it was opened, loaded anew, without what its browser stores, and a while later.
    assert (diary.posts, diary.loads, asked(calls, "Verifier")) == (1, 4, 1)
    looks = [body.fresh for body in bodies(journal, e.Observed) if body.fresh is not None]
    assert [(look.lost, look.later) for look in looks] == [("", False), ("", True)]
    (elsewhere,) = bodies(journal, e.LookedElsewhere)
    assert [page.alone for page in elsewhere.pages] == [True]
    told = next(call for call in calls if call.role == "Verifier").text()
    assert 'new or other: ["text Dentist at 14:00"]' in told
    assert 'answer: {"message": "Your entry was saved"}' in told
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["dropped", "otherwise", "draft"])
async def test_what_is_not_kept_as_it_was_sent_is_not_done_whatever_a_page_said(tmp_path: Path, how: str) -> None:
    outcome, _, _ = await run(tmp_path, Diary(how))
    assert outcome.status == "failed", outcome


@pytest.fixture(autouse=True)
def lasting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look is made a moment after the first one."""
    for module in (loading_anew, looking_again):
        monkeypatch.setattr(module, "LASTING", 2.0)


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "otherwise", "draft"])
async def test_a_verifier_that_trusts_what_was_sent_proves_nothing(tmp_path: Path, how: str) -> None:
    outcome, _, calls = await run(tmp_path, Diary(how), probe=TRUSTS)
    assert outcome.status == "unverified", outcome
    assert "nobody saw it kept" in outcome.why
    assert "nobody saw it kept" in [call for call in calls if call.role == "Verifier"][-1].text()


@pytest.mark.usefixtures("soon")
async def test_what_is_shown_nowhere_is_sent_back_once_to_be_opened(tmp_path: Path) -> None:
    outcome, journal, calls = await run(tmp_path, Diary("dropped"), probe=TRUSTS)
    assert outcome.status == "unverified", outcome
    assert "nobody saw it kept" in outcome.why
    back = [body.verdict for body in bodies(journal, e.Judged) if body.scope == "goal"]
    assert [verdict.kind for verdict in back] == ["replan"]
    assert "open the page where it can be seen" in back[0].why
    assert asked(calls, "Verifier") == 1, "no code could have shown it"


async def test_what_a_dialog_that_was_closed_brought_up_is_no_part_of_the_view(tmp_path: Path) -> None:
    """The message that it was saved has a button of the name that the dialog's had, and passes."""
    outcome, journal, _ = await run(tmp_path, Diary(), goes_to_entries, opens_the_dialog, enters, path="/dialog")
    assert outcome.status == "done", outcome
    looks = [body.fresh for body in bodies(journal, e.Observed) if body.fresh is not None]
    assert [look.lost for look in looks] == ["", ""]


async def test_a_choice_made_before_a_dialog_that_covered_it_is_made_again(tmp_path: Path) -> None:
    """What closing the dialog brought back is there for everybody; whose entries are shown was chosen before."""

    def presses(name: str) -> Callable[[Call], dict[str, Any]]:
        return lambda call: {
            "operations": [{"function": "click_input", "control": label(call, f'button "{name}"')}],
            "branch": "Continue",
        }

    ways = [presses(name) for name in ("Of Ann", "Bo", "New entry")]
    probe = LOOKS.replace("*was[:1], ", "").replace('{"what"', '{"who": "Bo", "what"')
    outcome, journal, _ = await run(tmp_path, Diary(), *ways, enters, presses("Close"), path="/people", probe=probe)
    assert outcome.status == "done", outcome
    look = next(body for body in bodies(journal, e.Observed) if body.fresh is not None)
    assert look.fresh is not None
    assert not look.fresh.lost
    fresh = Observation.model_validate_json(journal.read_blob(look.observation))
    assert "Dentist at 14:00" in fresh.text


async def test_what_is_kept_late_is_waited_for(tmp_path: Path) -> None:
    diary = Diary("late")
    outcome, _, _ = await run(tmp_path, diary)
    assert outcome.status == "done", outcome
    assert diary.loads > 2


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("path", ["/views", "/tabs"])
@pytest.mark.parametrize("how", ["kept", "dropped"])
async def test_a_page_that_begins_elsewhere_is_led_back_to_where_it_was(tmp_path: Path, how: str, path: str) -> None:
    """Also where its tabs have most of what they show in common, and it sends something by itself as it begins."""
    diary = Diary(how)
    outcome, journal, _ = await run(tmp_path, diary, goes_to_entries, enters, path=path)
    assert outcome.status == ("done" if how == "kept" else "failed"), outcome
    assert diary.posts == 1, "nothing was sent again"
    look = next(body for body in bodies(journal, e.Observed) if body.fresh is not None)
    assert look.fresh is not None
    assert not look.fresh.lost


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "otherwise"])
async def test_a_page_that_answered_a_form_is_opened_and_not_sent_again(tmp_path: Path, how: str) -> None:
    diary = Diary(how)
    outcome, _, _ = await run(tmp_path, diary, path="/form")
    assert outcome.status == ("done" if how == "kept" else "failed"), outcome
    assert diary.posts == 1


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "otherwise", "dropped"])
async def test_what_a_page_folds_in_when_it_is_loaded_is_unfolded(tmp_path: Path, how: str) -> None:
    """What was sent is put there, too, so nothing had been shown of it."""
    diary = Diary(how)
    outcome, _, _ = await run(tmp_path, diary, path="/folded", probe=LOOKS.replace("*was[:1]", '"Gym at 08:00"'))
    assert outcome.status == ("done" if how == "kept" else "failed"), outcome
    assert diary.posts == 1


@pytest.mark.first_case
@pytest.mark.parametrize(("path", "sent"), [("/beacons", 1), ("/leaving", 0)])
async def test_a_page_that_the_engine_loads_anew_sends_nothing_as_it_is_opened_or_left(
    tmp_path: Path, path: str, sent: int
) -> None:
    """The first one was sent as the page was opened for the run."""
    diary = Diary()
    outcome, journal, _ = await run(tmp_path, diary, path=path, probe=LOOKS + BEACON)
    assert outcome.status == "done", outcome
    assert diary.loads >= 2
    assert diary.beacons == sent
    looks = [Path(each.url).name for look in bodies(journal, e.Observed) for each in look.evidence.sent]
    assert looks.count("beacon") <= 1


BEACON = """
def incidental(sent, field):
    return sent["address"].endswith("/beacon")
"""


async def test_a_page_that_the_crew_loaded_anew_itself_is_loaded_again_only_once_a_while_has_passed(tmp_path: Path) -> None:
    diary = Diary()
    outcome, journal, _ = await run(tmp_path, diary, enters, reloads)
    assert outcome.status == "done", outcome
    assert diary.loads == 4
    assert [body.fresh.later for body in bodies(journal, e.Observed) if body.fresh is not None] == [True]
    effects = [body.verdict.kind for body in bodies(journal, e.Judged) if body.scope == "effect"]
    assert set(effects) == {"continue"}


SHOWN = """
def requirement_1(before, after):
    rows = [line for line in after["text"].splitlines() if " at " in line]
    return not after["sent"] and rows == ["Gym at 08:00", "Dentist at 14:00"], f"{rows}"
"""


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("path", "more", "status"),
    [("/memory", "", "unverified"), ("/memory", "MOMENTARY = [1]\n", "done"), ("/stored", "", "done")],
)
async def test_what_a_page_shows_without_having_sent_it_lasts_only_if_it_is_there_once_loaded_anew(
    tmp_path: Path, path: str, more: str, status: str
) -> None:
    diary = Diary()
    outcome, journal, calls = await run(tmp_path, diary, path=path, probe=SHOWN + more)
    assert outcome.status == status, outcome
    assert ("nothing was sent" in outcome.why) is (status == "unverified")
    assert diary.loads == 2
    assert asked(calls, "Verifier") == (2 if status == "unverified" else 1)
    again = await replay(journal)
    assert again.equal, again.difference


BELIEVES = """
def requirement_1(before, after):
    sent = [each for each in after["sent"] if each["method"] == "POST"]
    right = len(sent) == 1 and sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}
    return right and "Your entry was saved" in after["text"], after["text"]
"""


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "dropped"])
async def test_a_message_that_comes_with_the_address_is_no_evidence(tmp_path: Path, how: str) -> None:
    outcome, _, _ = await run(tmp_path, Diary(how), path="/led", probe=BELIEVES)
    assert outcome.status != "done", outcome


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "dropped", "otherwise"])
async def test_what_comes_without_the_message_is(tmp_path: Path, how: str) -> None:
    diary = Diary(how)
    outcome, _, calls = await run(tmp_path, diary, path="/led")
    assert outcome.status == ("done" if how == "kept" else "failed"), outcome
    assert diary.posts == 1
    told = next(call for call in calls if call.role == "Verifier").text()
    assert "Your entry was saved" not in told.rpartition("Once loaded anew (pages")[2]


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "otherwise"])
async def test_an_entry_that_only_its_address_opens_counts_by_what_was_sent(tmp_path: Path, how: str) -> None:
    diary = Diary(how)
    outcome, journal, _ = await run(tmp_path, diary, path="/by-entry", probe=OPENED)
    assert outcome.status == ("done" if how == "kept" else "failed"), outcome
    looks = [body for body in bodies(journal, e.Observed) if body.fresh is not None]
    first = [look.fresh for look in looks if look.fresh and not look.fresh.later]
    # What did not hold is repaired and looked at again.
    each = ["entry", "entry?id=1"]
    assert [Path(fresh.address).name for fresh in first] == (each if how == "kept" else each * (len(first) // 2))
    assert first


OPENED = """
def requirement_1(before, after):
    sent = [each for each in after["sent"] if each["method"] == "POST"]
    right = len(sent) == 1 and sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}
    return right and "Dentist at 14:00" in after["text"].splitlines(), after["text"]

def incidental_shown(thing):
    return thing["name"] in ("Diary", "Your entry was saved")
"""


def types_again(call: Call) -> dict[str, Any]:
    field = {"function": "keyboard_input", "control": label(call, 'text field "What"'), "keys": "Dentist"}
    return {"operations": [field], "branch": "Continue"}


FILLED = """
def requirement_1(before, after):
    sent = [each for each in after["sent"] if each["method"] == "POST"]
    right = len(sent) == 1 and sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}
    shown = [control["value"] for control in after["controls"] if control["name"] == "What"]
    return right and "Dentist" in [*shown, *after["text"].split()], f"{shown}"
"""


@pytest.mark.usefixtures("soon")
async def test_what_was_typed_on_a_page_since_it_was_loaded_is_not_kept(tmp_path: Path) -> None:
    diary = Diary("dropped")
    outcome, _, _ = await run(tmp_path, diary, enters, reloads, types_again, probe=FILLED)
    assert outcome.status == "failed", outcome
    assert diary.loads > 2


async def test_an_application_that_puts_its_whole_state_at_each_press_is_led_back(tmp_path: Path) -> None:
    """What it puts on the way is the state of before, and so the way can be gone again."""
    diary = Diary()
    outcome, journal, _ = await run(tmp_path, diary, goes_to_entries, enters, path="/whole", probe=LOOKS + WHOLE)
    assert outcome.status == "done", outcome
    look = next(body for body in bodies(journal, e.Observed) if body.fresh is not None)
    assert look.fresh is not None
    assert not look.fresh.lost


WHOLE = """
def incidental(sent, field):
    return sent["address"].endswith("/state")
"""


@pytest.mark.usefixtures("soon")
async def test_what_only_the_browser_that_sent_it_shows_is_not_done(tmp_path: Path) -> None:
    diary = Diary("private")
    outcome, journal, calls = await run(tmp_path, diary, path="/office")
    assert outcome.status == "unverified", outcome
    assert "another page says otherwise" in outcome.why
    assert "does not show 'Dentist at 14:00'" in outcome.why
    assert asked(calls, "Verifier") == 2, "its writer was told once"
    (looked,) = bodies(journal, e.LookedElsewhere)
    assert {(Path(page.address).name, page.alone) for page in looked.pages} == {("office", True), ("wall", False)}
    assert not diary.left, "a link that signs out is not followed"
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("path", ["/day", "/day-stored", "/day-chosen"])
@pytest.mark.parametrize("how", ["kept", "private"])
async def test_a_view_that_a_page_does_not_begin_with_is_gone_to_in_another_browser_too(
    tmp_path: Path, how: str, path: str
) -> None:
    """What it begins with shows nothing of it, and says nothing against it. What is in the view does."""
    diary = Diary(how)
    outcome, journal, _ = await run(tmp_path, diary, chooses_friday, enters, path=path)
    assert outcome.status == ("done" if how == "kept" else "unverified"), outcome.why
    assert ("does not show 'Dentist at 14:00'" in outcome.why) is (how == "private")
    (looked,) = bodies(journal, e.LookedElsewhere)
    assert [page.lost for page in looked.pages if page.alone] == [False]
    assert diary.posts == 1, "nothing was sent again"
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.usefixtures("soon")
async def test_a_view_that_another_browser_does_not_get_to_says_nothing_against_it(tmp_path: Path) -> None:
    outcome, journal, calls = await run(tmp_path, Diary(), chooses_friday, enters, path="/day-typed")
    assert outcome.status == "done", outcome
    (looked,) = bodies(journal, e.LookedElsewhere)
    assert [page.lost for page in looked.pages if page.alone] == [True]
    told = next(call for call in calls if call.role == "Verifier").text()
    assert "others[" not in told.partition("What pages sent")[2]


def finds(call: Call) -> dict[str, Any]:
    typed = {"function": "keyboard_input", "control": label(call, 'text field "Find"'), "keys": "Dentist"}
    return {"operations": [typed], "branch": "Continue"}


FOUND = """
def requirement_1(before, after):
    rows = [line for line in after["text"].splitlines() if " at " in line]
    return rows == ["Dentist at 14:00"], f"{rows}"

def incidental(sent, field):
    return True
"""
ASKED = """
def incidental(sent, field):
    return field in ("query", "variables.what") or sent["fields"]["query"].startswith("query")
"""


@pytest.mark.first_case
@pytest.mark.parametrize(("more", "status"), [("MOMENTARY = [1]\n", "done"), ("", "unverified")])
async def test_a_view_that_was_read_by_a_query_need_not_last_if_nobody_wants_that(
    tmp_path: Path, more: str, status: str
) -> None:
    diary = Diary(entries=[{"what": "Gym", "when": "08:00"}, {"what": "Dentist", "when": "14:00"}])
    outcome, journal, _ = await run(tmp_path, diary, finds, path="/queries", probe=FOUND + more)
    assert outcome.status == status, outcome.why
    assert ("nothing was sent" in outcome.why) is (status == "unverified")
    last = [body for body in bodies(journal, e.Observed) if body.fresh is None][-1]
    assert "Gym" not in journal.read_blob(last.observation).decode(), "it is left as it is"


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "dropped", "otherwise"])
async def test_what_pages_read_by_queries_is_looked_at_again_and_in_another_browser(tmp_path: Path, how: str) -> None:
    diary = Diary(how)
    probe = LOOKS.replace('"what" in each["fields"]', '"variables.what" in each["fields"]').replace(
        'sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}', 'sent[0]["fields"]["variables.when"] == "14:00"'
    )
    outcome, journal, _ = await run(tmp_path, diary, path="/queries", probe=probe + ASKED)
    assert outcome.status == ("done" if how == "kept" else "failed"), outcome.why
    assert diary.posts == 1
    if how == "kept":
        (looked,) = bodies(journal, e.LookedElsewhere)
        alone = next(page for page in looked.pages if page.alone)
        assert "Dentist at 14:00" in journal.read_blob(alone.observation).decode()


CLOSED = """
def requirement_2(before, after):
    def there(look):
        return any(control["name"] == "When" for control in look["controls"])
    return any(map(there, after["looks"])) and not there(after), "the window of the entry"

MOMENTARY = [2]
"""
IS_CLOSED = {"parts": [1], "says": "The window of the entry is closed", "seen_by": "screen", "files": []}


@pytest.mark.usefixtures("soon")
async def test_what_need_not_last_is_proven_by_what_was_in_front_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONTRACT, "requirements", [*CONTRACT["requirements"], IS_CLOSED])
    work = (goes_to_entries, opens_the_dialog, enters)
    outcome, _, calls = await run(tmp_path, Diary(), *work, path="/dialog", probe=LOOKS + CLOSED)
    assert outcome.status == "done", outcome
    assert asked(calls, "Verifier") == 1


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("how", ["kept", "dropped"])
async def test_what_must_last_is_not_proven_though_its_verifier_says_that_it_need_not(tmp_path: Path, how: str) -> None:
    outcome, _, _ = await run(tmp_path, Diary(how), probe=f"{TRUSTS}\nMOMENTARY = [1]\n")
    assert outcome.status == "unverified", outcome
    assert "nobody saw it kept" in outcome.why


RIGHTLY = """
def incidental_shown(thing):
    return thing["owner"] == "Diary"
"""


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(("how", "probe"), [("kept", LOOKS), ("private", LOOKS + RIGHTLY)])
async def test_what_other_pages_do_not_speak_against_is_done(tmp_path: Path, how: str, probe: str) -> None:
    """Also what a browser alone is to show, if the Verifier says so."""
    diary = Diary(how)
    outcome, _, calls = await run(tmp_path, diary, path="/office", probe=probe)
    assert outcome.status == "done", outcome
    assert asked(calls, "Verifier") == 1
    assert diary.posts == 1


EVERYWHERE = """
def requirement_1(before, after):
    views = [after, *after["pages"], *after["others"]]
    shown = [[line for line in view["text"].splitlines() if " at " in line] for view in views]
    return all(rows == ["Gym at 08:00", *NEW] for rows in shown), f"{shown}"

def incidental(sent, field):
    return True
"""
"""A Verifier that lets no view say otherwise."""


def opens(path: str) -> Callable[[Call], dict[str, Any]]:
    def opened(call: Call) -> dict[str, Any]:
        site = re.search(r"http://127\.0\.0\.1:\d+", call.text())
        assert site is not None
        return {"operations": [{"function": "open_url", "url": f"{site.group()}{path}"}], "branch": "Continue"}

    return opened


def opens_beside(call: Call) -> dict[str, Any]:
    pressed = {"function": "click_input", "control": label(call, 'link "Beside"')}
    return {"operations": [pressed], "branch": "Continue"}


CLOSES: dict[str, Any] = {"operations": [{"function": "close_window"}], "branch": "Continue"}


@pytest.mark.usefixtures("soon")
async def test_a_view_that_was_loaded_before_the_last_change_is_loaded_again(tmp_path: Path) -> None:
    diary = Diary()
    both = EVERYWHERE.replace("NEW", '["Dentist at 14:00", "Lunch at 14:00"]')
    # What was loaded in a window of its own is alone: a window behind it is at an address that it does not show.
    both = both.replace("return all(", 'return all(len(view["windows"]) == 1 for view in views) and all(')
    outcome, _, calls = await run(tmp_path, diary, enters, reloads, opens("/other"), enters_another, probe=both)
    assert outcome.status == "done", outcome
    assert asked(calls, "Verifier") == 1


@pytest.mark.usefixtures("soon")
async def test_a_browser_without_the_data_of_an_application_says_nothing_against_it(tmp_path: Path) -> None:
    once = EVERYWHERE.replace("NEW", '["Dentist at 14:00"]')
    outcome, _, calls = await run(tmp_path, Diary(), enters, path="/in-browser", probe=once)
    assert outcome.status == "done", outcome
    assert asked(calls, "Verifier") == 1


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("path", ["/beside", "/in-browser"])
async def test_a_window_that_was_not_loaded_since_is_loaded_again(tmp_path: Path, path: str) -> None:
    once = EVERYWHERE.replace("NEW", '["Dentist at 14:00"]')
    work = (opens_beside, enters, CLOSES)
    outcome, _, calls = await run(tmp_path, Diary(), *work, path=path, probe=once)
    assert outcome.status == "done", outcome
    assert asked(calls, "Verifier") == 1


@pytest.mark.usefixtures("soon")
async def test_what_is_gone_a_while_later_is_not_done(tmp_path: Path) -> None:
    diary = Diary("passing")
    outcome, journal, _ = await run(tmp_path, diary, path="/office")
    assert outcome.status == "failed", outcome.why
    assert any(body.fresh is not None and body.fresh.later for body in bodies(journal, e.Observed))
    again = await replay(journal)
    assert again.equal, again.difference


ON_THE_WALL = """
def requirement_1(before, after):
    sent = [each for each in after["sent"] if each["method"] == "POST"]
    right = len(sent) == 1 and sent[0]["fields"] == {"what": "Dentist", "when": "14:00"}
    walls = [look["text"].splitlines() for look in after["others"] if any(w["title"] == "Wall" for w in look["windows"])]
    return right and any("Dentist at 14:00" in lines for lines in walls), f"{walls}"
"""


@pytest.mark.first_case
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("how", "probe", "done"),
    [("dropped", BELIEVES, False), ("kept", BELIEVES, False), ("kept", ON_THE_WALL, True), ("dropped", ON_THE_WALL, False)],
)
async def test_a_page_of_thanks_is_no_evidence_and_another_page_may_be(
    tmp_path: Path, how: str, probe: str, done: bool
) -> None:
    outcome, _, _ = await run(tmp_path, Diary(how), path="/office-thanks", probe=probe)
    assert (outcome.status == "done") is done, outcome
