"""The first seconds of a run on its page: what is being started is said, and if it never begins, that it did not."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import expect

from deskcrew.facts import events as e
from deskcrew.facts.run_settings import RunSettings
from deskcrew.journal.store import Store
from support.crew import settings_in
from web.pressing import Hall, hall

pytestmark = pytest.mark.timeout(300)
BEGUN = e.RunStarted(
    task="Look",
    crew="solo",
    model="local:small",
    mode="automatic",
    workspace="w",
    desktop="browser",
    settings=RunSettings(url="https://shop.example"),
)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("beginning")) as made:
        yield made


@pytest.mark.first_case
def test_what_is_being_started_is_said_until_a_role_is_at_work(there: Hall) -> None:
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run="begins")
    with journal.claimed(), there.page() as page:
        page.goto(f"{there.origin}/runs/begins")
        expect(page.locator("#thinking")).to_contain_text(
            "Starting in a browser, from https://shop.example, with local:small…"
        )
        expect(page.get_by_text("Its process ended")).to_have_count(0)
        journal.append(e.RoleCalled(role="Worker"))
        journal.commit()
        expect(page.locator("#thinking")).to_contain_text("Worker is")
        expect(page.locator("#thinking")).not_to_contain_text("Starting")
    journal.close()
    store.close()


@pytest.mark.parametrize("event", [None, e.RoleCalled(role="Worker"), e.RunInterrupted(error="KeyError: 'x'")])
def test_of_a_run_whose_process_ended_the_page_says_so(there: Hall, event: e.Body | None) -> None:
    name = f"over-{event.type if event else 'at-once'}".replace("_", "-")
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run=name)
    with there.page() as page:
        with journal.claimed():
            page.goto(f"{there.origin}/runs/{name}")
            expect(page.locator("#thinking")).to_contain_text("Starting")
            if event is not None:
                journal.append(event)
                journal.commit()
        journal.close()
        store.close()
        when = "before it had a result" if isinstance(event, e.RoleCalled) else "before its first step"
        expect(page.locator("#head .note")).to_contain_text(f"Its process ended {when}")
        if isinstance(event, e.RunInterrupted):
            expect(page.locator("#head .note")).to_contain_text("KeyError: 'x'")
        expect(page.locator("#head .note")).to_contain_text("“Continue” goes on from there.")
        expect(page.locator("#thinking")).not_to_contain_text("Starting")
