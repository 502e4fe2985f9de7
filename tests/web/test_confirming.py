"""A person's word on what a run could not prove, pressed on its page."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from playwright.sync_api import expect

from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store
from support.crew import settings_in
from web.pressing import Hall, hall

pytestmark = pytest.mark.timeout(600)
BEGUN = e.RunStarted(task="Add it up", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
PROOFS = (
    Proof(requirement="1", says="total.txt holds the sum", holds=True, by="probe"),
    Proof(requirement="2", says="the letter is polite", holds=None),
)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("word")) as made:
        yield made


def ended(there: Hall, run: str, outcome: Outcome) -> None:
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run=run)
    journal.append(e.RunFinished(outcome=outcome))
    journal.close()
    store.close()


@pytest.mark.deep
def test_what_is_open_is_settled_by_a_press_and_told_in_the_story(there: Hall) -> None:
    ended(there, "open", Outcome(status="unverified", why="2: not checked", proofs=PROOFS))
    with there.page() as page:
        page.goto(f"{there.origin}/runs/open")
        box = page.get_by_label("Outcome", exact=True)
        expect(box.locator(".proofs li")).to_have_count(2)
        expect(box.locator(".proofs li").first.get_by_role("button")).to_have_count(0)  # it is proven
        box.get_by_role("button", name="requirement 2 holds").click()
        expect(box).to_have_attribute("data-status", "done")
        expect(box).to_contain_text("a person says yes")
        expect(page.locator(".line", has_text="you, confirm: requirement 2 holds")).to_be_attached()
        expect(box.get_by_role("button")).to_have_count(0)
