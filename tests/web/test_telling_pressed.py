"""What the pages say where they could leave a person to guess, pressed in a real browser over the real engine."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import expect

from deskcrew.facts import events as e
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from support.crew import settings_in
from web.pressing import ASKS, LOOKS, Hall, hall, plan

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("telling")) as made:
        yield made


@pytest.mark.deep
def test_runs_that_ask_come_first_and_what_was_done_is_searched(there: Hall) -> None:
    with there.page() as page:
        asking = there.begin(page, [{**ASKS, "problem": "Red or blue?"}, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Red or blue?")
        over = there.begin(page, [LOOKS, {**ASKS, "branch": "Interrupt"}], mode="automatic")
        expect(page.locator("#head .status")).to_have_text("failed")
        page.goto(f"{there.origin}/")
        expect(page.locator(".run .status")).to_have_text(["asks", "failed"])
        expect(page.locator(".run").first).to_contain_text(asking)
        page.locator(".filters").get_by_role("link", name="Asks you").click()
        expect(page.locator(".run")).to_have_count(1)
        page.goto(f"{there.origin}/")
        page.get_by_role("searchbox").press_sequentially("list_files")
        expect(page.get_by_role("heading", name="No matching runs")).to_be_visible()
        expect(page.locator("#runs")).to_contain_text("tick “Search operations, too”")
        page.get_by_label("Search operations, too").check()
        expect(page.locator(".run")).to_contain_text(over)
        expect(page).to_have_url(re.compile(r"deeds=true"))


@pytest.mark.deep
def test_whose_model_thinks_is_said_while_its_clock_runs_and_so_is_that_a_run_was_removed(there: Hall) -> None:
    store = Store(settings_in(there.folder).journal)
    begun = e.RunStarted(task="Think", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
    journal = store.create(begun, run="thinks")
    with there.page() as page:
        with journal.claimed():
            page.goto(f"{there.origin}/runs/thinks")
            expect(page.locator("#head .status")).to_have_text("running")
            expect(page.locator("#thinking")).not_to_contain_text("is thinking")
            height = page.locator(".story .scroll").evaluate("it => it.scrollHeight")
            journal.append(e.RoleCalled(role="Worker"))
            journal.commit()
            expect(page.locator("#thinking")).to_contain_text("Worker is thinking")
            assert page.locator(".story .scroll").evaluate("it => it.scrollHeight") == height
            clock, time = page.locator("#thinking time"), page.locator("#totals dd").first
            seen = clock.inner_text(), time.inner_text()
            expect(clock).not_to_have_text(seen[0])
            expect(time).not_to_have_text(seen[1])
            journal.append(e.RoleReplied(role="Worker", reply={"branch": "Interrupt", "problem": "No."}))
            journal.commit()
            expect(page.locator(".line[data-kind=reply]")).to_contain_text("No.")
            expect(page.locator("#thinking")).not_to_contain_text("is thinking")
        journal.close()
        remove(store, ["thinks"])
        expect(page.get_by_role("heading", name="This run was removed.")).to_be_visible()
        expect(page.locator("#head .status")).to_have_count(0)
    store.close()


@pytest.mark.deep
def test_only_who_can_go_on_is_offered_and_a_pause_is_told_while_something_is_asked(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [plan("write a.txt"), *[LOOKS] * 4], crew="planned")
        expect(page.locator(".ask h2")).to_contain_text("Planner")
        page.get_by_role("button", name="Guide").click()
        sheet = page.locator("#guide")
        switch = sheet.get_by_role("button", name="Let this role continue")
        expect(switch).to_be_disabled()
        for role, able in (("Planner", True), ("Programmer", True), ("Worker", True), ("Reviewer", False)):
            sheet.get_by_label("For", exact=True).select_option(role)
            expect(switch).to_be_enabled() if able else expect(switch).to_be_disabled()
        assert "Reader" not in sheet.get_by_label("For", exact=True).inner_text()
        page.keyboard.press("Escape")
        page.get_by_text("Tell it what to do instead").click()
        instead = page.get_by_label("What to do instead")
        instead.fill("half a sen")
        page.get_by_role("button", name="Pause", exact=True).click()
        expect(page.locator("#head")).to_contain_text("Pauses after this answer")
        expect(page.locator("#head .status")).to_have_text("asks")
        expect(page.locator(".ask"), "what is asked again is open as it was").to_have_attribute("open", "")
        expect(instead).to_have_value("half a sen")
        page.get_by_role("button", name="Do not pause").click()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        page.get_by_role("button", name="Pause", exact=True).click()
        expect(page.locator("#head")).to_contain_text("Pauses after this answer")
        page.locator(".ask").get_by_role("button", name="Continue", exact=True).click()
        expect(page.locator("#head .status")).to_have_text("paused")
        page.locator(".line[data-kind=reply] a").first.click()
        page.get_by_text("Go back to before this reply").click()
        offered = page.get_by_label("Who continues").locator("option").all_inner_texts()
        assert offered[0] == "Planner again"
        assert {"FileManager", "Worker"} <= set(offered)
        assert {"Reviewer", "FinalAnswer", "Reader"}.isdisjoint(offered)
