"""The form of a skill, filled in by somebody who knows only their files: what is there is offered, and what does not fit is
said beside its field before anything runs."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from web.browsing import overflowing
from web.pressing import Hall, hall, plan, writes
from web.test_skills import looks_right

pytestmark = pytest.mark.timeout(300)
TABLE = "Order,Customer,Amount\n1,Baker,10\n2,Carpenter,5\n3,Baker,7\n"
SUMMED = "Customer,sum of Amount\nBaker,17\nCarpenter,5\n"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("forms")) as made:
        yield made


def offered(page: Page, name: str) -> list[str]:
    """What a field offers to choose from."""
    listed = page.locator(f"datalist#{page.get_by_label(name, exact=True).get_attribute('list')} option")
    return [str(each.get_attribute("value")) for each in listed.all()]


def opened(there: Hall, page: Page) -> None:
    page.goto(f"{there.origin}/skills/sum-column-by-group")
    labels = page.locator("form .field > label").all_inner_texts()
    assert labels[:3] == ["Files", "Or the folder that they are in", "Source"], "what the others depend on is asked first"
    assert labels[3:] == ["Group", "Column", "Operation", "Count", "Sheet", "Where", "Result"]
    expect(page.locator("#help-p-source")).to_have_text("The table, csv or xlsx. An existing file.")


@pytest.mark.first_case
@pytest.mark.parametrize("width", ["wide", "phone"])
def test_uploaded_files_and_their_columns_are_offered_and_a_wrong_one_is_said_before_a_run(there: Hall, width: str) -> None:
    with there.page(width, quiet=True) as page:
        opened(there, page)
        assert overflowing(page) == 0
        files = [FilePayload(name="orders.csv", mimeType="text/csv", buffer=TABLE.encode())]
        page.get_by_label("Files", exact=True).set_input_files(files)
        expect(page.locator("datalist#there option")).to_have_count(1)
        assert offered(page, "Source") == ["orders.csv"]
        assert offered(page, "Group") == offered(page, "Column") == ["Order", "Customer", "Amount"]
        for name, value in (("Source", "order.csv"), ("Group", "Custmer"), ("Column", "Amount"), ("Result", "sums.csv")):
            page.get_by_label(name, exact=True).fill(value)
        send = page.get_by_role("button", name="Use it")
        send.click()
        expect(page.locator("#error-p-source")).to_contain_text("Nearest: orders.csv.")
        page.get_by_label("Source", exact=True).fill("orders.csv")
        send.click()
        expect(page.locator("#error-p-group")).to_contain_text("orders.csv has no column 'Custmer'.")
        expect(page.locator("#error-p-group")).to_contain_text("Did you mean 'Customer'?")
        expect(page.get_by_label("Group", exact=True)).to_be_focused()
        looks_right(page)
        assert page.url.endswith("/skills/sum-column-by-group"), "nothing ran"
        page.get_by_label("Group", exact=True).fill("customer")
        send.click()
        expect(page.locator("#head .status")).to_have_text("done")
        expect(page.locator("#files")).to_contain_text("sums.csv")
        kept = page.locator("#more a[href^='/skills/keep']")
        expect(kept).to_have_count(0)  # it is one
        beginning = page.get_by_role("group", name="The beginning of sums.csv")
        assert beginning.locator("tr").all_inner_texts() == ["Customer\tsum of Amount", "Baker\t17", "Carpenter\t5"]
        looks_right(page)
        with page.expect_download() as download:
            page.locator("#files").get_by_role("link", name="sums.csv").click()
        assert Path(download.value.path()).read_text() == SUMMED


def test_the_only_file_that_fits_is_chosen_and_what_was_typed_stays(there: Hall, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(TABLE)
    (tmp_path / "notes.txt").write_text("x")
    with there.page(quiet=True) as page:
        opened(there, page)
        source, folder = page.get_by_label("Source", exact=True), page.get_by_label("Or the folder that they are in")
        folder.fill(str(tmp_path))
        folder.blur()
        expect(source).to_have_value("orders.csv")
        expect(page.locator("datalist#columns option")).to_have_count(3)
        files = [FilePayload(name="more.csv", mimeType="text/csv", buffer=TABLE.encode())]
        source.fill("")
        page.get_by_label("Files", exact=True).set_input_files(files)
        expect(page.locator("datalist#there option")).to_have_count(3)
        expect(source).to_have_value("")
        folder.fill("")
        folder.blur()
        expect(source).to_have_value("more.csv")
        source.fill("mine.csv")
        folder.focus()
        expect(page.locator("datalist#columns option")).to_have_count(0)
        expect(source).to_have_value("mine.csv")


def test_the_files_of_a_folder_are_offered_and_the_columns_of_the_one_that_is_named(there: Hall, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "orders.csv").write_text(TABLE)
    (tmp_path / "old" / "prices.csv").write_text("Item;Price\nx;1\n")
    with there.page(quiet=True) as page:
        opened(there, page)
        page.get_by_role("button", name="Use it").click()
        assert page.evaluate("document.activeElement.id") == "p-source", "the browser says that it is required"
        page.get_by_label("Or the folder that they are in").fill(str(tmp_path))
        page.get_by_label("Source", exact=True).fill("old/prices.csv")
        page.get_by_label("Group", exact=True).focus()
        expect(page.locator("datalist#columns option")).to_have_count(2)
        assert offered(page, "Source") == ["old/prices.csv", "orders.csv"]
        assert offered(page, "Group") == ["Item", "Price"]
        for name, value in (("Group", "Item"), ("Column", "Price"), ("Result", "sums.csv")):
            page.get_by_label(name, exact=True).fill(value)
        page.get_by_label("Or the folder that they are in").fill("/no/such/folder")
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#error-workspace")).to_contain_text("There is no folder")
        page.get_by_label("Or the folder that they are in").fill("")
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#error-workspace")).to_contain_text("Choose the files above")


def test_what_failed_and_made_nothing_is_not_offered_to_be_confirmed_and_its_advice_applies(
    there: Hall, tmp_path: Path
) -> None:
    (tmp_path / "orders.csv").write_text(TABLE.replace("10", "ten").replace("5", "five"))
    with there.page(quiet=True) as page:
        opened(there, page)
        page.get_by_label("Or the folder that they are in").fill(str(tmp_path))
        for name, value in (("Source", "orders.csv"), ("Group", "Customer"), ("Column", "Amount"), ("Result", "sums.csv")):
            page.get_by_label(name, exact=True).fill(value)
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#head .status")).to_have_text("failed")
        expect(page.locator("#head .outcome")).to_contain_text("'ten' in row 2 is not a number")
        expect(page.get_by_role("button", name="holds")).to_have_count(0)
        ways = page.locator("#head .ways li")
        expect(ways).to_have_text(
            ["Use it with values that fit these files", "See how far it came, and what was there instead"]
        )
        expect(page.locator("#files")).to_contain_text("No file was changed.")


def test_a_plan_that_waits_for_an_answer_is_not_said_to_be_worked_on(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [plan("write a.txt"), writes("a.txt", "made", "RoleTaskFinish")], crew="planned", mode="active")
        expect(page.locator("#question .ask")).to_be_visible()
        expect(page.locator("#plan")).to_contain_text("There is none yet: it waits for your answer.")


def test_the_beginning_of_what_was_made_is_shown_and_nothing_in_it_is_markup(there: Hall) -> None:
    text = "first <b>line</b>\n" + "\n".join(f"line {number}" for number in range(2, 99))
    with there.page() as page:
        there.begin(page, [writes("a.txt", text), writes("b.bin", "x\0y", "RoleTaskFinish")], mode="automatic")
        expect(page.locator("#head .status")).to_have_text("unverified")
        beginning = page.get_by_role("group", name="The beginning of a.txt")
        expect(beginning).to_contain_text("first <b>line</b>")
        expect(beginning).to_contain_text("line 6")
        expect(beginning).not_to_contain_text("line 7")
        expect(page.get_by_role("group", name="The beginning of b.bin")).to_have_count(0)
