"""The pages of skills: kept and corrected, listed, shown, allowed, tried, exported and removed, in a real browser."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from deskcrew.engine.workshop.keeping import keep_operations
from deskcrew.learning.skills.openapi import operations
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import Trials
from skills.test_openapi import DESCRIPTION
from web.browsing import overflowing
from web.pressing import Hall, hall
from web.test_looks import SHIFTS

pytestmark = pytest.mark.timeout(300)

TASK = 'Count the lines of may.txt, then write "Lines:" and the number into count.txt.'
COUNT = {"function": "run_python_code", "code": "print(len(open('may.txt').readlines()))"}
WRITE = {"function": "write_file", "file_path": "count.txt", "text": "Lines: 2"}
REPLIES = [{"operations": [COUNT], "branch": "Continue"}, {"operations": [WRITE], "branch": "RoleTaskFinish"}]
WANTED = "file_contains count.txt 'Lines: 2'"
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("skills")) as made:
        yield made


@pytest.fixture(scope="module")
def counted(there: Hall) -> str:
    """A run that is done."""
    work = there.folder / "work"
    work.mkdir()
    (work / "may.txt").write_text("a\nb\n")
    with there.page() as page:
        run = there.begin(page, REPLIES, mode="automatic", task=TASK, workspace=str(work), require=WANTED)
        expect(page.locator("#head .status")).to_have_text("done")
        return run


def looks_right(page: Page) -> None:
    """By axe, and not wider than the screen."""
    assert overflowing(page) == 0
    found = Axe().run(page, options=WCAG)
    assert [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]] == []


def score(there: Hall, name: str) -> int:
    from deskcrew.learning.skills import folders

    folder = there.folder / "config" / "skills" / name
    skill: Skill = folders.load(folders.read(folder, "user"))
    return Trials(there.folder / "data").score(skill.digest)


def keep(there: Hall, page: Page, run: str, name: str) -> None:
    page.goto(f"{there.origin}/runs/{run}")
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Keep it as a skill").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Name of may.txt").fill("source")
    page.get_by_label("Name of Lines:").fill("")
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


@pytest.mark.parametrize("width", ["wide", "phone"])
@pytest.mark.deep
def test_kept_corrected_tried_and_removed(there: Hall, counted: str, width: str, tmp_path: Path) -> None:
    name = f"count-{width}"
    with there.page(width) as page:
        page.add_init_script(f"({SHIFTS})()")
        page.goto(f"{there.origin}/skills/keep?run={counted}")
        looks_right(page)
        keep(there, page, counted, name)
        looks_right(page)
        assert score(there, name) == 5
        expect(page.locator("main")).to_contain_text("run_python_code")
        expect(page.locator("label", has_text="text1")).to_have_count(0)
        work = tmp_path / "june"
        work.mkdir()
        (work / "june.txt").write_text("a\nb\nc\n")
        page.get_by_label("source").fill("june.txt")
        page.get_by_label("Folder it may change").fill(str(work))
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("#head .status")).to_have_text("done")
        assert (work / "count.txt").read_text() == "Lines: 3"
        if width == "phone":
            page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="Skills", exact=True).click()
        card = page.locator("article", has=page.get_by_role("heading", name=name))
        expect(card).to_contain_text("8 of 10")
        expect(card).to_contain_text("offered to runs")
        looks_right(page)
        card.get_by_role("link", name=name).click()
        expect(page.get_by_text("Its record")).to_be_visible()
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("button", name="Remove it").click()
        expect(page).to_have_url(f"{there.origin}/skills")
        assert not (there.folder / "config" / "skills" / name).exists()
        counted_shifts = [each for each in page.evaluate("window.shifts") if not each["input"]]
        assert sum(each["value"] for each in counted_shifts) < 0.1, counted_shifts


@pytest.mark.deep
def test_a_name_in_the_code_is_proposed_for_nothing_and_refused(there: Hall) -> None:
    work = there.folder / "named"
    work.mkdir()
    (work / "may.txt").write_text("a\nb\n")
    code = {"function": "run_python_code", "code": "lines = open('may.txt').readlines()\nprint(len(lines))"}
    first: dict[str, Any] = {"operations": [code], "branch": "Continue"}
    second: dict[str, Any] = {"operations": [WRITE | {"text": "Lines 2"}], "branch": "RoleTaskFinish"}
    with there.page(quiet=True) as page:
        task = TASK.replace("Lines:", "Lines")
        wanted = WANTED.replace("Lines:", "Lines")
        run = there.begin(page, [first, second], mode="automatic", task=task, workspace=str(work), require=wanted)
        expect(page.locator("#head .status")).to_have_text("done")
        page.goto(f"{there.origin}/skills/keep?run={run}")
        expect(page.get_by_label("Name of count.txt")).to_be_visible()
        expect(page.get_by_label("Name of Lines")).to_have_count(0)
        page.locator("input[name=value]").first.evaluate("field => { field.value = 'Lines' }")
        page.get_by_label("Name", exact=True).fill("count-named")
        page.get_by_role("button", name="Keep it").click()
        expect(page.locator("#error-send")).to_contain_text("'Lines' cannot be a parameter")
        assert not (there.folder / "config" / "skills" / "count-named").exists()


@pytest.mark.deep
def test_a_folder_that_is_not_there_is_told_beside_its_field(there: Hall, counted: str) -> None:
    with there.page(quiet=True) as page:
        keep(there, page, counted, "count-nowhere")
        page.get_by_label("Folder it may change").fill("/no/such/folder")
        page.get_by_role("button", name="Try it").click()
        expect(page.locator("#error-workspace")).to_contain_text("There is no folder")


@pytest.mark.deep
def test_a_skill_of_a_project_is_allowed_first(there: Hall, counted: str) -> None:
    with there.page() as page:
        keep(there, page, counted, "count-ours")
        own = there.folder / "config" / "skills" / "count-ours"
        project = there.folder / ".deskcrew" / "skills"
        project.mkdir(parents=True)
        own.rename(project / "count-ours")
        page.goto(f"{there.origin}/skills")
        expect(page.locator("article", has_text="count-ours")).to_contain_text("not usable")
        page.get_by_role("link", name="count-ours").click()
        expect(page.get_by_role("button", name="Try it")).to_be_disabled()
        page.get_by_role("button", name="Allow it as it is now").click()
        expect(page.get_by_role("button", name="Try it")).to_be_enabled()


@pytest.mark.deep
def test_it_is_exported_as_a_folder_in_a_zip(there: Hall, counted: str) -> None:
    with there.page() as page:
        keep(there, page, counted, "count-sent")
        answer = page.request.get(f"{there.origin}/skills/count-sent/export")
        with zipfile.ZipFile(io.BytesIO(answer.body())) as archive:
            assert archive.namelist() == ["count-sent/SKILL.md", "count-sent/skill.json"]


@pytest.mark.deep
def test_a_run_that_is_not_proven_says_why_it_is_not_kept(there: Hall) -> None:
    with there.page(quiet=True) as page:
        finishes: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
        run = there.begin(page, [finishes] * 3, mode="automatic", task="Be nice.")
        expect(page.locator("#head .status")).not_to_have_text("running")
        page.goto(f"{there.origin}/skills/keep?run={run}")
        expect(page.locator("main")).to_contain_text("cannot become a skill")
        looks_right(page)


@pytest.mark.parametrize("width", ["wide", "phone"])
@pytest.mark.deep
def test_memory_is_declared_changed_and_forgotten(there: Hall, width: str) -> None:
    fact = f"Invoices are kept in papers, one folder a year ({width})"
    with there.page(width) as page:
        page.goto(f"{there.origin}/memory")
        page.get_by_label("A fact, in a sentence").fill(fact)
        page.get_by_role("button", name="Keep it").click()
        entry: Any = page.locator("article", has_text=fact)
        expect(entry).to_be_visible()
        page.get_by_role("searchbox").fill(f"papers {width}")
        expect(page).to_have_url(re.compile(r"[?&]q=papers"))  # what was found has taken the place of what was there
        expect(page.locator("article")).to_have_count(1)
        entry.get_by_text("Change").click()
        entry.get_by_label("What it says").fill(f"{fact}, by month")
        looks_right(page)
        entry.get_by_role("button", name="Save").click()
        expect(entry.locator("p.break").first).to_have_text(f"{fact}, by month")
        entry.get_by_text("Change").click()
        entry.get_by_role("button", name="Forget…").click()
        looks_right(page)
        page.get_by_role("button", name="Forget it").click()
        expect(page.get_by_text("Forgotten.")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Nothing remembered matches")).to_be_visible()


@pytest.mark.deep
def test_an_operation_of_a_service_is_shown_with_where_it_goes(there: Hall) -> None:
    description = there.folder / "library.json"
    description.write_text(json.dumps(DESCRIPTION))
    found = [
        each for each in operations(description, server="http://127.0.0.1:9", secret="token") if each.name == "get-book"
    ]
    keep_operations(found, there.folder / "config" / "skills")
    with there.page() as page:
        page.goto(f"{there.origin}/skills/get-book")
        expect(page.get_by_text("GET http://127.0.0.1:9/", exact=False)).to_be_visible()
        expect(page.get_by_text("deskcrew skill try get-book --allow-host HOST", exact=False)).to_be_visible()
        expect(page.get_by_role("button", name="Try it")).to_have_count(0)
        expect(page.get_by_text("Run :", exact=False)).to_have_count(0)
        looks_right(page)


def test_a_shipped_skill_is_used_by_a_form(there: Hall) -> None:
    work = there.folder / "tables"
    work.mkdir()
    (work / "may.csv").write_text("Day,Amount\n1,5\n2,3\n")
    with there.page(quiet=True) as page:  # a form that lacks something is refused
        page.goto(f"{there.origin}/skills")
        page.get_by_role("link", name="Everyday chores").click()
        expect(page.get_by_role("heading", name="Everyday chores")).to_be_visible()
        assert page.locator("article").count() >= 48
        looks_right(page)
        page.get_by_role("link", name="Sort table", exact=True).click()
        page.get_by_label("source").fill("may.csv")
        page.get_by_label("column").fill("Amount")
        page.get_by_label("Order", exact=True).select_option("descending")
        page.get_by_label("result").fill("sorted.csv")
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#error-workspace")).to_contain_text("say in which folder they are")
        page.get_by_label("Or the folder that they are in").fill(str(work))
        page.get_by_label("Or the folder that they are in").press("Tab")
        expect(page.locator("#there option")).to_have_count(1)
        assert page.locator("#there option").get_attribute("value") == "may.csv"
        looks_right(page)
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#head .status")).to_have_text("done", timeout=60_000)
        title = "Sort the rows of may.csv by Amount (descending), as sorted.csv"
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator("#head .meta").first).to_contain_text("fixed steps")
        page.goto(f"{there.origin}/skills/sort-table")
        expect(page.get_by_text("It works on files, without windows.")).to_be_visible()
        expect(page.get_by_text("the run is done only if that finds nothing wrong")).to_be_visible()
        expect(page.get_by_text("of scripts/")).to_have_count(0)
        expect(page.get_by_role("link", name=re.compile(r"^20\d\d-\d\d-\d\d"))).to_be_visible()  # the run, by its day
        looks_right(page)
    assert (work / "sorted.csv").read_text() == "Day,Amount\n1,5\n2,3\n"
