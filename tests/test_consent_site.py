"""Whole runs with nobody there to ask, on a page that the user gave with the task: what is sent there, and what is not."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import ORDERED, OTHER, bodies, settings_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures("soon"),
    pytest.mark.desktop,
    pytest.mark.skipif(program() is None, reason="there is no Chromium"),
]
TASK = "Register Ada Lovelace (ada@example.com) and send the registration off."
NOTE = "She would like the loft flat"
FORM = """<!doctype html><title>Registration</title><form method=post action=/register>
<label>Name <input name=name></label><label>E-mail <input name=mail></label>
<label>Remarks <textarea name=note></textarea></label>
<input type=hidden name=token value=t-17><button>Send registration</button></form>"""
KEEPING = (
    FORM
    + """<script>const form = document.forms[0];
form.note.oninput = () => { localStorage.kept = form.note.value };
form.token.value = localStorage.kept ?? form.token.value</script>"""
)
SEARCH = "<!doctype html><title>Courses</title><form><label>Find <input name=q></label><button>Find</button></form>"
DELETING = FORM.replace("</form>", "<button formaction=/gone>Delete account</button></form>")
PAGES = {"/register": FORM, "/deleting": DELETING, "/keeping": KEEPING, "/courses": SEARCH}


class Site:
    """A site with a form, which keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, list[str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                if path == "/moved":
                    self.send_response(302)
                    self.send_header("Location", f"{site.other}/register")
                    self.end_headers()
                    return
                self._say(PAGES.get(path, ""))

            def do_POST(self) -> None:
                site.sent.append(parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                self._say("<!doctype html><title>Thank you</title><p>Registered as R-17</p>")

            def _say(self, text: str) -> None:
                body = text.encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def other(self) -> str:
        """The same site by another name, which the user did not give."""
        return f"http://localhost:{self._server.server_port}"

    def end(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.end()


Fits = Callable[[Call], dict[str, Any]]
Step = tuple[str, dict[str, Any]]
"""What to look for on the page, and the operation; '' if it is aimed at nothing."""


def typed(field: str, text: str, **how: Any) -> Step:
    return f' "{field}"', {"function": "keyboard_input", "keys": text, **how}


FILLED: list[Step] = [typed("Name", "Ada Lovelace"), typed("E-mail", "ada@example.com"), ('button "Send registration', {})]


def opened(url: str) -> Step:
    return "", {"function": "open_url", "url": url}


async def ran(
    folder: Path, site: Site, url: str, *steps: Step, where: str = "", matcher: Fits | None = None
) -> tuple[Journal, list[Call]]:
    """A run that does these steps. ``where``: the place that the contract gives, else ``url``; ``matcher``: what is said of
    each deed by who is asked which order it is about."""
    left = list(steps)

    def work(call: Call) -> dict[str, Any]:
        if not left:
            return {"operations": [], "branch": "RoleTaskFinish"}
        what, how = left.pop(0)
        if not what:
            return {"operations": [how], "branch": "Continue"}
        label = next(line.split()[0] for line in call.text("volatile").splitlines() if what in line and line[0].isdigit())
        return {"operations": [{"function": "click_input", "control": label, **how}], "branch": "Continue"}

    order = {
        "quotes": ["send the registration off"],
        "kind": "send",
        "where": where or url,
        "texts": ["Ada Lovelace", "ada@example.com"],
    }
    waiting: dict[str, Any] = {
        "ContractWriter": {
            "requirements": [{"parts": [1], "says": "One registration was sent", "seen_by": "screen"}],
        },
        "OrderMatcher": matcher or fits,
        "ConsentReader": {"ordered": [order]},
        "Planner": {"subtasks": [{"goal": "register", "role": "Operator"}]},
        "Operator": work,
        "Verifier": {"code": "def requirement_1(before, after):\n    return 'R-17' in after['text'], after['text']\n"},
        "Reviewer": {"analyze": "", "verdict": "continue", "judgement": ""},
    }

    def says(call: Call) -> Any:
        reply = waiting[call.role]
        return reply(call) if callable(reply) else reply

    model = ScriptedModel(itertools.repeat(says), profile=Profile(name="scripted", context=128_000, contracts=True))
    request = RunRequest(
        task=TASK,
        model="scripted:",
        crew="planned",
        workspace=folder,
        desktop="browser",
        url=url,
        hosts=(site.other.removeprefix("http://"),),
        mode="automatic",
    )
    return await session.run(request, settings_in(folder.parent), model=model), model.calls


def consents(journal: Journal) -> list[int | None]:
    return [body.consent for body in bodies(journal, e.OperationApproved) if body.by == "consent"]


def fits(call: Call) -> dict[str, Any]:
    """What somebody says who reads what would be sent."""
    sent = call.text("volatile").partition("wants to send")[2]
    return ORDERED if sent and NOTE not in sent else OTHER


async def test_what_the_task_orders_is_sent_once_and_only_on_the_page_that_was_given(tmp_path: Path, site: Site) -> None:
    url = f"{site.address}/register"
    (tmp_path / "work").mkdir()
    elsewhere = [opened(f"{site.other}/register"), *FILLED]
    journal, calls = await ran(tmp_path / "work", site, url, *elsewhere, opened(url), *FILLED, opened(url), *FILLED)
    (asked,) = (call for call in calls if call.role == "ConsentReader")
    assert f"Pages that the user gave with it: {url}" in asked.text()
    assert consents(journal) == [0, 0], "to press, and to send what its form holds besides"
    assert [sent["name"] for sent in site.sent] == [["Ada Lovelace"]]
    first, second = bodies(journal, e.OperationDenied)
    assert f"the task names {url} as the place to send it" in first.why
    assert "it orders this once, and it has been sent already" in second.why


@pytest.mark.deep
async def test_where_a_given_page_leads_to_another_host_nothing_is_sent(tmp_path: Path, site: Site) -> None:
    (tmp_path / "work").mkdir()
    url = f"{site.address}/moved"
    journal, calls = await ran(tmp_path / "work", site, url, *FILLED, where=f"{site.other}/register")
    asked = next(call for call in calls if call.role == "ConsentReader")
    assert site.other not in asked.text(), "what the page redirected to is not the user's"
    (read,) = bodies(journal, e.ConsentRead)
    assert (read.consents, len(read.uncounted)) == ((), 1)
    assert site.sent == []
    assert bodies(journal, e.OperationDenied)


async def test_what_was_searched_or_typed_before_the_form_was_opened_anew_is_no_hindrance(
    tmp_path: Path, site: Site
) -> None:
    (tmp_path / "work").mkdir()
    url = f"{site.address}/register"
    wrong = [typed("Find", "loft flat", click_enter=True), opened(url), typed("Remarks", NOTE), FILLED[-1]]
    cleared = [typed("Remarks", "", clear=True), *FILLED]
    steps = [opened(f"{site.address}/courses"), *wrong, *cleared, opened(url), *FILLED]
    journal, _ = await ran(tmp_path / "work", site, site.address + "/register", *steps)
    first, second = bodies(journal, e.OperationDenied)
    assert "what is in 'Remarks' is neither in the task" in first.why
    assert f"open {url} again by its address and fill in the form again" in second.why
    assert consents(journal) == [0, 0]
    assert [sent.get("note") for sent in site.sent] == [None]


@pytest.mark.deep
async def test_what_a_page_keeps_and_hides_in_its_form_is_not_sent(tmp_path: Path, site: Site) -> None:
    (tmp_path / "work").mkdir()
    url = f"{site.address}/keeping"
    journal, _ = await ran(tmp_path / "work", site, url, typed("Remarks", NOTE), opened(url), *FILLED)
    assert "only a person can approve that it is sent" in bodies(journal, e.OperationDenied)[-1].why
    assert site.sent == []


BELIEVED: list[tuple[str, list[Step], list[str]]] = [
    ("register", [typed("Remarks", NOTE), *FILLED], []),
    ("register", [typed("Remarks", "loft"), *FILLED], []),
    ("register", [typed("Name", "Ada Byron"), *FILLED[1:]], []),
    ("deleting", [*FILLED[:2], (' "Delete account', {"function": "click_input"})], []),
    ("register", [typed("Remarks", "12 + 5"), *FILLED], ["12 + 5"]),
]
"""The page, what is done there, and the remarks that are sent."""


@pytest.mark.first_case
@pytest.mark.parametrize(("page", "steps", "sent"), BELIEVED)
async def test_letters_keep_a_floor_under_whoever_says_that_everything_was_ordered(
    tmp_path: Path, site: Site, page: str, steps: list[Step], sent: list[str]
) -> None:
    """Other words than the user's, and a removal, are not sent by an order to send, whatever a model was led to believe. A
    figure may have been worked out."""
    (tmp_path / "work").mkdir()
    journal, calls = await ran(tmp_path / "work", site, f"{site.address}/{page}", *steps, matcher=lambda call: ORDERED)
    assert any(call.role == "OrderMatcher" for call in calls), "it was asked"
    assert [note for each in site.sent for note in each.get("note", [])] == sent
    assert len(site.sent) == len(sent)
    assert bool(bodies(journal, e.OperationDenied)) is not bool(sent)
