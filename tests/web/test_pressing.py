"""What a person presses on the pages, in a real browser over the real engine, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deskcrew.facts import events as e
from deskcrew.journal.branches import branches
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support.crew import bodies, settings_in
from web.pressing import ASKS, LOOKS, Hall, hall, plan, slow, writes

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("pressing")) as made:
        yield made


def journal(there: Hall, run: str) -> Journal:
    return Store(settings_in(there.folder).journal).journal(run)


def go_on(page: Page) -> None:
    page.locator(".ask").get_by_role("button", name="Continue", exact=True).click()


@pytest.mark.deep
def test_the_plan_is_changed_by_hand(there: Hall) -> None:
    with there.page() as page:
        run = there.begin(page, [plan("write a.txt", "write b.txt"), *[LOOKS] * 5], crew="planned")
        expect(page.locator(".ask h2")).to_contain_text("Planner")
        go_on(page)
        parts = page.locator(".plan li .goal")
        expect(parts).to_have_text(["write a.txt", "write b.txt"])
        expect(page.locator(".ask h2")).to_contain_text("FileManager")
        page.get_by_role("button", name="Change subtask 2").click()
        sheet = page.locator("[popover]:popover-open")
        sheet.get_by_label("Subtask 2").fill("write c.txt")
        sheet.get_by_role("button", name="Reword").click()
        expect(parts).to_have_text(["write a.txt", "write c.txt"])
        expect(sheet).to_have_count(0)
        page.get_by_role("button", name="Add a subtask").click()
        sheet.get_by_label("What else should be done").fill("write d.txt")
        sheet.get_by_role("button", name="Add").click()
        expect(parts).to_have_text(["write a.txt", "write c.txt", "write d.txt"])
        page.get_by_role("button", name="Change subtask 1").click()
        sheet.get_by_role("button", name="Remove").click()
        expect(parts).to_have_text(["write c.txt", "write d.txt"])
    patches = bodies(journal(there, run), e.PlanPatched)
    assert [body.by for body in patches] == ["Planner", "human", "human", "human"]


@pytest.mark.deep
def test_a_branch_is_named_and_hidden(there: Hall) -> None:
    replies = [LOOKS, ASKS]
    with there.page() as page:
        run = there.begin(page, replies, mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#head .status")).to_have_text("stopped")
        page.locator(".line[data-kind=reply] a").first.click()
        page.get_by_text("Go back to before this reply").click()
        page.get_by_label("Model", exact=True).fill(there.script([ASKS]))
        page.get_by_role("button", name="Go back and continue from there").click()
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.goto(f"{there.origin}/runs/{run}/branches")
        page.get_by_role("button", name="Name or hide branch 1").click()
        page.get_by_label("Name of branch 1").fill("wrong file")
        page.get_by_role("button", name="Save").and_(page.locator(":visible")).click()
        expect(page.locator(".branches")).to_contain_text("1 wrong file")
        page.get_by_role("button", name="Name or hide branch 1").click()
        page.get_by_role("button", name="Hide in lists").and_(page.locator(":visible")).click()
        expect(page.locator(".branches tbody tr")).to_have_count(1)
        page.get_by_role("link", name="Show 1 hidden").click()
        expect(page.locator(".branches tbody tr")).to_have_count(2)
        page.get_by_role("button", name="Name or hide branch 1").click()
        page.get_by_label("Name of branch 1").fill("")
        page.get_by_role("button", name="Save").and_(page.locator(":visible")).click()
        expect(page.locator(".branches")).not_to_contain_text("wrong file")
    first, second = branches(journal(there, run))
    assert (first.label, first.hidden, second.hidden) == ("", True, False)


@pytest.mark.deep
def test_another_browser_is_let_in_and_this_one_leaves(there: Hall) -> None:
    with there.page() as page:
        page.get_by_role("button", name="This browser").click()
        page.get_by_role("button", name="Make a link").click()
        link = page.get_by_label("The link").input_value()
        with there.browser.new_context() as other:
            # A browser complains of a page that is locked, so this one is not listened to.
            second = other.new_page()
            second.goto(link)
            second.wait_for_url(re.compile("/$"))
            second.get_by_role("button", name="This browser").click()
            second.get_by_role("button", name="Sign out").click()
            expect(second.get_by_role("heading", name="This page is locked")).to_be_visible()
            second.goto(link)
            expect(second.locator(".note")).to_contain_text("no longer works")
            second.goto(f"{there.origin}/start")
            expect(second.get_by_role("heading", name="This page is locked")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_visible()


@pytest.mark.deep
def test_one_role_is_given_another_say(there: Hall) -> None:
    """The planner is not asked about, whoever works is."""
    with there.page() as page:
        page.goto(f"{there.origin}/start")
        page.get_by_label("What should be done?").fill("Write a.txt.")
        page.get_by_text("More options").click()
        page.get_by_label("Model", exact=True).fill(there.script([plan("write a.txt"), LOOKS, LOOKS]))
        page.get_by_text("Never", exact=True).click()
        page.get_by_text("Files and programs only").click()
        page.get_by_text("Ask differently for single roles").click()
        page.get_by_label("Crew", exact=True).select_option("solo")
        expect(page.locator("#modes label")).to_have_text(["Worker", "FinalAnswer"])
        page.get_by_label("Crew", exact=True).select_option("planned")
        page.get_by_label("FileManager").select_option("at each step")
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/runs/*")
        there.begun.append(page.url.rpartition("/")[2])
        expect(page.locator(".ask h2")).to_contain_text("FileManager")
    modes = {said.role: said.text for said in bodies(journal(there, there.begun[-1]), e.HumanSaid) if said.kind == "mode"}
    assert modes == {"FileManager": "active"}


@pytest.mark.deep
def test_a_run_is_paused_gone_on_with_and_stopped(there: Hall) -> None:
    with there.page() as page:
        run = there.begin(page, [*(slow(n) for n in range(3)), ASKS, ASKS], mode="passive")
        page.get_by_role("button", name="Pause").click()
        # It is taken up after the step, and said so until then.
        expect(page.locator("#head .status")).to_have_text("paused")
        page.reload()
        expect(page.locator("#head .status")).to_have_text("paused")
        page.locator("#head").get_by_role("button", name="Continue").click()
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#head .status")).to_have_text("stopped")
        expect(page.locator(".ask")).to_have_count(0)
        expect(page.locator("#head").get_by_role("button", name="Continue")).to_be_visible()
        page.goto(f"{there.origin}/runs/{run}/replay")
        page.get_by_role("button", name="Replay", exact=True).click()
        expect(page.locator("#replayed")).to_contain_text("Identical")
    assert [said.kind for said in bodies(journal(there, run), e.HumanSaid)][:2] == ["pause", "resume"]


@pytest.mark.deep
def test_a_run_is_done_again_with_another_text(there: Hall) -> None:
    replies = [writes("a.txt", "first", branch="RoleTaskFinish")]
    with there.page(quiet=True) as page:
        wanted = "file_contains a.txt first"
        run = there.begin(page, replies, mode="automatic", task="Write 'first' into a.txt.", require=wanted)
        status = page.locator("#head .status")
        expect(status).to_have_text("done")
        page.goto(f"{there.origin}/runs/{run}/replay")
        expect(page.locator(".field", has_text="a.txt")).to_contain_text("Used in: task")
        page.get_by_label("Text first").fill("second")
        page.get_by_role("button", name="Do it again").click()
        page.wait_for_url(lambda url: "/replay" not in url)
        expect(status).to_have_text("done")
        there.begun.append(page.url.rpartition("/")[2])
    texts = []
    for each in (run, there.begun[-1]):
        (started,) = bodies(journal(there, each), e.RunStarted)
        texts.append((Path(started.workspace) / "a.txt").read_text())
    assert texts == ["first", "second"]


@pytest.mark.deep
def test_what_ended_at_a_limit_goes_on_with_another(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [LOOKS, LOOKS, ASKS], mode="passive", operations="1")
        page.get_by_role("button", name="End the run").click()
        expect(page.locator("#head .status")).to_have_text("failed")
        page.locator(".line[data-kind=reply] a").first.click()
        page.get_by_text("Go back to before this reply").click()
        expect(page.get_by_label("Operations")).to_have_attribute("placeholder", "1")
        page.get_by_label("Model", exact=True).fill(there.script([LOOKS, LOOKS, ASKS]))
        page.get_by_label("Operations").fill("9")
        page.get_by_role("button", name="Go back and continue from there").click()
        expect(page.locator(".ask")).to_contain_text("Which of the two?")


@pytest.mark.deep
def test_the_crew_is_told_something_and_another_role_goes_on(there: Hall) -> None:
    replies = [plan("write a.txt"), *[LOOKS] * 4, *[ASKS] * 2]
    with there.page() as page:
        run = there.begin(page, replies, crew="planned")
        expect(page.locator(".ask h2")).to_contain_text("Planner")
        go_on(page)
        expect(page.locator(".ask h2")).to_contain_text("FileManager")
        page.get_by_role("button", name="Guide").click()
        sheet = page.locator("#guide")
        told = set(sheet.get_by_label("For", exact=True).locator("option").all_text_contents())
        assert {"ContractWriter", "Planner", "Programmer", "Reviewer"} <= told
        assert not {"Verifier", "SkillMaker"} & told, "they are not shown what a person says"
        sheet.get_by_label("What it should know").fill("The file is called c.txt")
        sheet.get_by_role("button", name="Send").click()
        expect(sheet).not_to_be_visible()
        expect(page.locator(".line[data-kind=person]", has_text="The file is called c.txt")).to_be_attached()
        expect(page.locator(".ask h2")).to_contain_text("FileManager")
        page.get_by_role("button", name="Guide").click()
        sheet.get_by_label("For", exact=True).select_option("Programmer")
        sheet.get_by_role("button", name="Let this role continue").click()
        expect(page.locator(".ask h2")).to_contain_text("Programmer")
        page.get_by_role("button", name="Guide").click()
        sheet.get_by_label("When it asks you").select_option("passive")
        expect(page.locator("#head .meta").first).to_contain_text("asks when it matters")
    said = [(body.kind, body.role, body.text) for body in bodies(journal(there, run), e.HumanSaid)]
    assert said == [
        ("guide", None, "The file is called c.txt"),
        ("switch", "Programmer", ""),
        ("mode", None, "passive"),
    ]


@pytest.mark.deep
def test_the_keyboard_goes_through_a_run_and_finds_the_search(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [LOOKS, LOOKS, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        inspected = page.locator("#inspector article")
        page.locator("h1").click()
        page.keyboard.press("j")
        expect(inspected).to_be_visible()
        first = inspected.get_attribute("data-event")
        page.keyboard.press("j")
        expect(inspected).not_to_have_attribute("data-event", first or "")
        second = inspected.get_attribute("data-event")
        expect(page.locator(".line a[aria-current]")).to_have_count(1)
        assert f"event={second}" in page.url
        page.keyboard.press("k")
        expect(inspected).to_have_attribute("data-event", first or "")
        page.keyboard.press("Escape")
        expect(inspected).to_have_count(0)
        assert "event=" not in page.url
        # In a field a letter is a letter.
        page.get_by_label("Your answer").press_sequentially("jk/")
        expect(page.get_by_label("Your answer")).to_have_value("jk/")
        expect(inspected).to_have_count(0)
        page.goto(f"{there.origin}/")
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.press("Tab")
        page.goto(f"{there.origin}/start")
        page.keyboard.press("Shift+Tab")
        page.goto(f"{there.origin}/actions")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()


@pytest.mark.deep
def test_two_runs_at_once_are_told_apart(there: Hall) -> None:
    with there.page() as one:
        first = there.begin(one, [{**ASKS, "problem": "Red or blue?"}, ASKS], mode="passive")
        two = one.context.new_page()
        second = there.begin(two, [{**ASKS, "problem": "Left or right?"}, ASKS], mode="passive")
        expect(one.locator(".ask")).to_contain_text("Red or blue?")
        expect(two.locator(".ask")).to_contain_text("Left or right?")
        two.goto(f"{there.origin}/")
        expect(two.locator(".run .status[data-status=asks]")).to_have_count(2)
        two.go_back()
        for page, words in ((two, "Left"), (one, "Red")):
            page.reload()
            page.get_by_label("Your answer").fill(words)
            page.get_by_role("button", name="Answer").click()
            # The page that was loaded in mid-run goes on showing what happens.
            expect(page.locator(".line[data-kind=person]", has_text=words)).to_be_attached()
            expect(page.locator(".ask")).to_contain_text("Which of the two?")
    for run, words in ((first, "Red"), (second, "Left")):
        assert [said.text for said in bodies(journal(there, run), e.HumanSaid)] == [words]
