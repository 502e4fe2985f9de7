"""Of what is pressed in a real browser, and sent to a real server, one of each kind, at every run and on one server: the
others, in the modules of their pages, are deep."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Generator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store
from deskcrew.learning.skills.folders import packed, read
from skills.test_folders import made
from support.crew import bodies, settings_in
from support.waiting import until
from web.browsing import overflowing
from web.pressing import ASKS, LOOKS, Hall, hall, writes
from web.test_bounds import FORM, TOKEN, answer, connected, head
from web.test_confirming import BEGUN, ended
from web.test_live import going_on
from web.test_pressing import go_on, journal
from web.test_skills import looks_right

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("pressed"), "--port", "0", "--token", TOKEN) as made:
        yield made


@pytest.fixture
def address(there: Hall) -> tuple[str, int]:
    parts = urlsplit(there.link)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def test_a_reply_and_an_operation_are_changed_by_hand_and_one_is_denied(there: Hall) -> None:
    # What is no JSON is refused, and browsers complain of that.
    with there.page(quiet=True) as page:
        run = there.begin(page, [writes("a.txt", "1"), writes("d.txt", "1"), LOOKS])
        ask = page.locator(".ask")
        expect(ask).to_contain_text("Continue with this?")
        ask.get_by_text("Change it by hand").click()
        field = ask.get_by_label("As JSON")
        field.fill(field.input_value().replace("a.txt", "b.txt"))
        ask.get_by_role("button", name="Continue with this").click()
        expect(ask).to_contain_text("wants to do this")
        expect(ask).to_contain_text("b.txt")
        ask.get_by_text("Change it by hand").click()
        field.fill("{")
        ask.get_by_role("button", name="Do this").click()
        expect(ask.get_by_role("alert")).to_contain_text("That is not JSON")
        expect(field).to_have_value("{")
        field.fill('{"function": "write_file", "params": {"file_path": "/etc/c.txt", "text": "2"}}')
        ask.get_by_role("button", name="Do this").click()
        expect(ask.get_by_role("alert")).to_contain_text("outside the workspace")
        expect(field).to_be_visible()
        expect(field).to_have_value(re.compile("/etc/c.txt"))
        field.fill('{"function": "write_file", "params": {"file_path": "c.txt", "text": "2"}}')
        ask.get_by_role("button", name="Do this").click()
        expect(page.locator(".line[data-kind=operation]", has_text="c.txt")).to_be_attached()
        expect(ask).to_contain_text("Continue with this?")
        go_on(page)
        expect(ask).to_contain_text("wants to do this")
        ask.get_by_role("button", name="Deny").click()
        denied = page.locator(".line[data-kind=operation][data-state=bad]")
        expect(denied).to_contain_text("denied")
    made = journal(there, run)
    assert bodies(made, e.OperationDenied)[-1].by == "human"
    assert [body.operation.params["file_path"] for body in bodies(made, e.ActionStarted)] == ["c.txt"]
    (folder,) = (path for path in (settings_in(there.folder).data / "workspaces").iterdir() if (path / "c.txt").exists())
    assert not (folder / "b.txt").exists()


@pytest.mark.parametrize("width", ["wide", pytest.param("phone", marks=pytest.mark.deep)])
def test_one_of_somebody_else_is_shown_and_then_taken(there: Hall, tmp_path: Path, width: str) -> None:
    name = f"say-hello-{width}"
    sent, bad = tmp_path / "sent.zip", tmp_path / "bad.zip"
    sent.write_bytes(packed(read(made(tmp_path, name), "user")))
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("../SKILL.md", "x")
    own = there.folder / "config" / "skills" / name
    with there.page(width, quiet=True) as page:
        page.goto(f"{there.origin}/skills")
        page.get_by_role("button", name="Import one").click()
        page.get_by_label("The file").set_input_files(bad)
        page.get_by_role("button", name="Show what it does").click()
        expect(page.locator("#error-file")).to_contain_text("bad.zip is not a skill: all its files must be in one folder")
        page.get_by_label("The file").set_input_files(sent)
        page.get_by_role("button", name="Show what it does").click()
        expect(page.locator("#foreign")).to_contain_text("From a run that is not here, 0101-000000-aaaa")
        expect(page.locator("#foreign")).to_contain_text("write_file")
        assert not own.exists(), "nothing is taken that was only shown"
        looks_right(page)
        _change(sent)
        page.get_by_label("The file").set_input_files(sent)
        page.get_by_role("button", name="Take it as it is now").click()
        expect(page.locator("#foreign")).to_contain_text("more.txt")
        assert not own.exists(), "it is another one than was shown"
        page.get_by_role("button", name="Take it as it is now").click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        assert (own / "more.txt").read_text() == "more"
        page.goto(f"{there.origin}/skills")
        page.get_by_role("button", name="Import one").click()
        page.get_by_label("The file").set_input_files(sent)
        page.get_by_role("button", name="Show what it does").click()
        expect(page.locator("#error-name")).to_contain_text(f"There is a skill '{name}' already")


def _change(sent: Path) -> None:
    """The zip with one file more."""
    with zipfile.ZipFile(sent, "a") as archive:
        archive.writestr(f"{archive.namelist()[0].partition('/')[0]}/more.txt", "more")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_every_page_can_be_seen_and_reached_at_any_width(there: Hall, width: int) -> None:
    with there.page() as page:
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(f"{there.origin}/skills")
        nav, menu = page.get_by_role("navigation", name="Pages"), page.get_by_role("button", name="Menu")
        if width < 1024:
            expect(nav).not_to_be_visible()
            menu.click()
        else:
            expect(menu).not_to_be_visible()
        links = nav.get_by_role("link")
        assert links.count() == 6
        for link in links.all():
            expect(link).to_be_in_viewport(ratio=1)
        assert overflowing(page) == 0
        links.get_by_text("Settings").click()
        expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()


def _line(number: int) -> e.RoleReplied:
    return e.RoleReplied(role="Solo", model="m", reply={"intention": f"Step {number}", "branch": "Continue"})


@pytest.mark.first_case
@pytest.mark.parametrize("lines", [1, 60])
def test_the_story_of_a_run_that_is_over_is_as_high_as_it_needs(there: Hall, lines: int) -> None:
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run=f"of-{lines}")
    for number in range(lines):
        journal.append(_line(number))
    journal.append(e.RunFinished(outcome=Outcome(status="failed", why="w " * 900)))
    journal.close()
    store.close()
    with there.page() as page:
        page.goto(f"{there.origin}/runs/of-{lines}")
        box = page.locator(".story .scroll")
        high, all_, row = box.evaluate(
            "box => [box.clientHeight, box.scrollHeight, box.querySelector('.line').offsetHeight]"
        )
        assert abs(high / row - round(high / row)) < 0.1, "no line is cut in two"
        assert high == all_ if lines == 1 else high > 400, (high, all_)


def test_on_a_phone_an_event_that_was_linked_to_is_gone_to(there: Hall) -> None:
    ended(there, "linked", Outcome(status="failed", why="w " * 900))
    with there.page("phone") as page:
        page.goto(f"{there.origin}/runs/linked?event=2")
        expect(page.locator("#inspector h2").first).to_be_in_viewport()


def test_a_skill_is_used_by_a_form_that_comes_first(there: Hall) -> None:
    with there.page("phone") as page:
        page.goto(f"{there.origin}/skills/sort-table")
        expect(page.get_by_label("Files", exact=True)).to_be_in_viewport()
        expect(page.get_by_label("Order", exact=True).locator("option:checked")).to_have_text("usual: ascending")


def test_a_run_without_requirements_is_settled_as_a_whole(there: Hall) -> None:
    ended(there, "whole", Outcome(status="unverified", why="no check covers it"))
    with there.page() as page:
        page.goto(f"{there.origin}/runs/whole")
        box = page.get_by_label("Outcome", exact=True)
        box.get_by_role("button", name="the whole task does not hold").click()
        expect(box).to_have_attribute("data-status", "failed")


def test_a_page_whose_scripts_did_not_come_says_that_it_is_not_live(there: Hall) -> None:
    with going_on(there, "none"), there.page(quiet=True) as page:
        page.route(re.compile("htmx"), lambda route: route.abort())
        page.goto(f"{there.origin}/runs/none")
        expect(page.get_by_text("Not live: a part of this page did not arrive.")).to_be_visible()


def asked(page: Page, words: str) -> None:
    """Load the page again, as a person does where no script does it, until it asks."""
    assert until(lambda: page.reload() and page.locator(".ask", has_text=words).count()), page.locator("#head").inner_text()


def test_without_scripts_a_person_answers_and_stops_all_the_same(there: Hall) -> None:
    work = there.folder / "plain"
    work.mkdir()
    (work / "a.txt").write_text("a")
    removes = {"operations": [{"function": "run_shell", "command": "rm a.txt"}], "branch": "Continue"}
    with there.page(scripts=False) as page:
        run = there.begin(page, [removes, ASKS, ASKS], mode="passive", task="Delete a.txt.", workspace=str(work))
        asked(page, "wants to do this")
        page.get_by_role("button", name="Allow once").click()
        expect(page).to_have_url(f"{there.origin}/runs/{run}")
        asked(page, "Which of the two?")
        assert not (work / "a.txt").exists()
        page.get_by_label("Your answer").fill("The first.")
        page.get_by_role("button", name="Answer").click()
        expect(page).to_have_url(f"{there.origin}/runs/{run}")
        asked(page, "Which of the two?")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#head .status")).to_have_text("stopped")
    assert [said.text for said in bodies(journal(there, run), e.HumanSaid)] == ["The first."]


def test_a_budget_that_is_used_up_is_asked_for_and_later_continued_with(there: Hall) -> None:
    counts = [
        {"operations": [{"function": "run_python_code", "code": f"print({n})"}], "branch": "Continue"} for n in range(3)
    ]
    with there.page() as page:
        run = there.begin(page, [*counts, ASKS], mode="passive", operations="1")
        ask = page.locator(".ask")
        expect(ask).to_contain_text("The limit of 1 operations is used up. Go on with as many again?")
        ask.get_by_role("button", name="Go on").click()
        expect(ask).to_contain_text("The limit of 2 operations is used up")
        ask.get_by_role("button", name="End the run").click()
        expect(page.locator("#head .status")).to_have_text("failed")
        expect(page.locator(".ways")).to_contain_text("Choose Continue above")
        page.get_by_role("button", name="Continue").click()
        expect(ask).to_contain_text("The limit of 2 operations is used up")
        ask.get_by_role("button", name="Go on").click()
        expect(ask).to_contain_text("The limit of 4 operations is used up")
        ask.get_by_role("button", name="End the run").click()
        expect(page.locator("#head .status")).to_have_text("failed")
    assert [body.limit for body in bodies(journal(there, run), e.LimitRaised)] == [2, 4]


def test_headers_without_end_are_not_kept(address: tuple[str, int]) -> None:
    with connected(address, b"GET / HTTP/1.1\r\n") as stranger:
        sent = 0
        try:
            while sent < 16 << 20:
                stranger.sendall(b"X-More: " + b"a" * 8000 + b"\r\n")
                sent += 8000
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 16 << 20


def test_a_token_is_still_let_in_and_a_file_still_taken(address: tuple[str, int], tmp_path: Path) -> None:
    body = f"token={TOKEN}".encode()
    with connected(address, head(address, FORM, f"Content-Length: {len(body)}", "Connection: close") + body) as person:
        got = answer(person)
    assert got.split()[1] == b"200"
    cookie = next(line for line in got.split(b"\r\n") if line.lower().startswith(b"set-cookie:")).split(b":", 1)[1]
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    part += b"x" * (4 << 20) + b"\r\n--b--\r\n"
    lines = ("Content-Type: multipart/form-data; boundary=b", f"Content-Length: {len(part)}", "Connection: close")
    cookied = f"Cookie: {cookie.split(b';')[0].strip().decode()}"
    with connected(address, head(address, *lines, cookied, path="/import") + part) as person:
        got = answer(person)
        assert got.split()[1] == b"400"
        assert b"a.zip" in got, "read, and no export"
    with connected(address, head(address, FORM, f"Content-Length: {2 << 20}", cookied, path="/runs/none/say")) as person:
        assert answer(person).split()[1] == b"413"
