"""Every page as it looks: WCAG AA by axe, nothing wider than a phone, and nothing that jumps while a run goes on."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store
from support.crew import settings_in
from support.sampling import sampled
from web.browsing import overflowing
from web.pressing import ASKS, LOOKS, Hall, hall, plan, slow, writes
from web.test_agreeing import TASK, recorded

pytestmark = pytest.mark.timeout(900)

LONG = "Write a sentence that does not end soon into a-file-with-a-very-long-name-that-has-no-place-to-break-it.txt, please."
BEGUN = e.RunStarted(task="Add it up", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
PROOFS = (Proof(requirement="1", says="total.txt holds the sum", holds=True, by="probe"),)
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) {
      const what = each.sources.map((source) => source.node?.id || source.node?.className || source.node?.nodeName);
      window.shifts.push({ value: each.value, input: each.hadRecentInput, what });
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("looks")) as made:
        yield made


def pages(there: Hall, page: Page) -> Generator[str]:
    """Goes to each page in turn, and tells its name."""
    page.goto(f"{there.origin}/")
    yield "runs"
    there.begin(page, [plan("write a.txt", LONG), writes("a.txt", "1"), *[LOOKS] * 3], crew="planned", task=LONG)
    expect(page.locator(".ask h2")).to_contain_text("Planner")
    yield "a reply is asked about"
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.locator(".ask h2")).to_contain_text("FileManager")
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.locator(".ask")).to_contain_text("wants to do this")
    yield "an operation is asked about"
    page.get_by_role("button", name="Allow once").click()
    expect(page.locator(".ask")).to_contain_text("Continue with this?")
    page.get_by_role("button", name="Guide").click()
    yield "saying something"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Change subtask 1").click()
    yield "changing the plan"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#head .status")).to_have_text("stopped")
    yield "a run that has ended"
    page.get_by_role("button", name="More").click()
    yield "more"
    page.keyboard.press("Escape")
    page.locator(".line[data-kind=operation] a").first.click()
    expect(page.locator("#inspector")).to_contain_text("Write ")
    page.get_by_text("Go back to before this reply").click()
    expect(page.locator(".preview")).to_contain_text("Files:")
    yield "an operation looked at"
    for place in ("branches", "timeline", "replay", "undo", "remove", "events/99999"):
        page.goto(f"{there.origin}/runs/{there.begun[-1]}/{place}", wait_until="load")
        yield place
    page.goto(f"{there.origin}/gallery")
    yield "the gallery"
    page.get_by_role("button", name="Look at it").first.click()
    expect(page.locator("#head")).to_contain_text("Recorded")
    page.get_by_text("What counts as done").click()
    yield "a recorded run"
    there.begin(page, [], task=TASK, model=recorded(there.folder), mode="passive")
    page.locator(".ask").get_by_text("Change it", exact=True).click()
    yield "a contract that is changed"
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#head .status")).to_have_text("stopped")
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run=f"done{there.begun[-1]}")
    journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="probe", answer="42", proofs=PROOFS)))
    journal.close()
    store.close()
    page.goto(f"{there.origin}/runs/{journal.run}")
    page.get_by_text("This is not right").click()
    yield "an objection"
    page.get_by_label("It is not right because").fill("It is 43.")
    page.get_by_role("button", name="Only object").click()
    expect(page.locator("#head")).to_contain_text("You objected: It is 43.")
    yield "objected"
    places = ["start", "schedules", "schedules/new", "skills", "memory", "notes", "roles", "actions", "policy", "settings"]
    for place in (*places, "models", "?q=nothing+of+it", "nowhere"):
        page.goto(f"{there.origin}/{place}", wait_until="load")
        yield place
    page.context.clear_cookies()
    page.goto(f"{there.origin}/", wait_until="load")
    expect(page.get_by_role("heading", name="This page is locked")).to_be_visible()
    yield "locked"


def said(node: dict[str, Any]) -> str:
    return str(node["any"][:1] and node["any"][0]["message"])


def under_the_question(page: Page, node: dict[str, Any]) -> bool:
    """Whether a question covers a part of it, until somebody scrolls or folds it."""
    if "partially obscured" not in said(node) or not page.locator(".ask").count():
        return False
    question, box = page.locator("#question .question").bounding_box(), page.locator(node["target"][0]).bounding_box()
    assert question is not None
    assert box is not None
    return box["y"] < question["y"] < box["y"] + box["height"]


@pytest.mark.deep
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", sampled(["phone", "wide"], 1))
def test_every_page_can_be_read_by_everybody_and_fits(there: Hall, width: str, scheme: str) -> None:
    wrong: list[str] = []
    # Pages of errors are among these, and browsers complain of them.
    with there.page(width, scheme=scheme, quiet=True) as page:
        for name in pages(there, page):
            if overflowing(page):
                wrong.append(f"{name}: {overflowing(page)} pixels too wide")
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")  # the bar covers what is scrolled below it
            found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})
            for each in found.response["violations"]:
                places = [node["html"][:120] + said(node) for node in each["nodes"] if not under_the_question(page, node)]
                if places:
                    wrong.append(f"{name}: {each['id']}: {', '.join(places[:3])}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("width", sampled(["phone", "wide"], 1))
@pytest.mark.deep
def test_nothing_jumps_while_a_run_goes_on(there: Hall, width: str) -> None:
    """By the measure of web vitals; below 0.1 is good. What moves because somebody pressed something does not count."""
    with there.page(width) as page:
        page.add_init_script(f"({SHIFTS})()")
        there.begin(
            page,
            [plan("compute", LONG, role="Programmer"), *(slow(n) for n in range(4)), ASKS],
            crew="planned",
            mode="passive",
        )
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.wait_for_timeout(500)
        shifts = page.evaluate("window.shifts")
        counted = [each for each in shifts if not each["input"]]
        assert sum(each["value"] for each in counted) < 0.1, counted


def test_what_saves_settings_stands_below_the_last_of_their_fields(there: Hall) -> None:
    with there.page("wide") as page:
        for width in (390, 1100, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{there.origin}/settings")
            page.get_by_text("Limits", exact=True).click()
            group = page.get_by_role("form", name="Limits", exact=True)
            last, save = group.get_by_role("textbox").last.bounding_box(), group.get_by_role("button").bounding_box()
            assert last is not None
            assert save is not None
            assert 0 <= save["y"] - (last["y"] + last["height"]) < 120, width
            assert 0 <= save["x"] < width, width
            assert overflowing(page) == 0, width
