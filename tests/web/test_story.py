"""A person's whole story in a real browser: start, approve, see it go wrong, send it back, see it succeed, compare."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from web.browsing import browsing, overflowing, page_of, script, serving

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(600)]

TASK = "Delete draft.txt, add up the amounts of sales.csv, and write the total into total.txt."
SAID = "Add up the column amount with a program, do not guess"
OPENS = {"operations": [{"function": "open_application", "app_name": "Text Editor (Mousepad)"}], "branch": "Continue"}
ADDS = "print(sum(int(line.split(',')[1]) for line in open('sales.csv').read().split()[1:]))"


def types(text: str, **more: object) -> dict[str, object]:
    return {"function": "keyboard_input", "keys": text, "control": "", **more}


def writes(text: str) -> dict[str, object]:
    return {"function": "write_file", "file_path": "total.txt", "text": text}


WRONG = [
    OPENS,
    {"operations": [{"function": "run_shell", "command": "rm draft.txt"}], "branch": "Continue"},
    {"operations": [types("Total: 24")], "branch": "Continue"},
    {"operations": [writes("24")], "branch": "RoleTaskFinish"},
]
RIGHT = [
    {"operations": [{"function": "run_python_code", "code": ADDS}], "branch": "Continue"},
    {"operations": [writes("42")], "branch": "RoleTaskFinish"},
]


def picture(page: Page, folder: Path, name: str, *, top: bool = False) -> None:
    """Kept with the test's files; those in docs/pictures were made so."""
    assert overflowing(page) == 0, name
    if top:
        page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=folder / f"{name}.png")


@pytest.mark.deep
@pytest.mark.parametrize("width", ["wide", "phone"])
def test_a_persons_whole_story(tmp_path: Path, width: str) -> None:
    (tmp_path / "sales.csv").write_text("item,amount\napples,20\npears,22\n")
    (tmp_path / "draft.txt").write_text("of no use any more\n")
    wrong, right = script(tmp_path / "wrong.json", WRONG), script(tmp_path / "right.json", RIGHT)
    scheme = "light" if width == "wide" else "dark"
    with serving(tmp_path) as link, browsing() as browser, page_of(browser, width, link, scheme=scheme) as page:
        picture(page, tmp_path, f"empty-{width}")
        start(page, tmp_path, wrong, width)
        approve(page, tmp_path, width)
        expect(page.locator("#head .status")).to_have_text("failed")
        expect(page.locator("#now .pointed, #now image").first).to_be_attached()
        spot(page, tmp_path, width)
        page.get_by_label("What should it know?").fill(SAID)
        page.get_by_label("Model", exact=True).fill(right)
        picture(page, tmp_path, f"rewind-{width}")
        page.get_by_role("button", name="Go back and continue from there").click()
        expect(page.locator("#head .status")).to_have_text("done")
        expect(page.locator("#head")).to_contain_text("verified by checks")
        expect(page.locator(".line", has_text=SAID)).to_be_attached()
        picture(page, tmp_path, f"done-{width}")
        compare(page, tmp_path, width)
    (folder,) = (tmp_path / "data" / "workspaces").iterdir()
    assert (folder / "total.txt").read_text() == "42"
    assert not (folder / "draft.txt").exists()


def start(page: Page, folder: Path, model: str, width: str) -> None:
    page.get_by_role("link", name="New task").click()
    page.get_by_label("What should be done?").fill(TASK)
    page.get_by_label("Files it needs").set_input_files([folder / "sales.csv", folder / "draft.txt"])
    expect(page.locator(".chosen li")).to_have_text(["sales.csv", "draft.txt"])
    page.get_by_text("More options").click()
    page.get_by_label("Model", exact=True).fill(model)
    page.get_by_label("Crew", exact=True).select_option("solo")
    page.get_by_text("What must hold in the end").click()
    page.get_by_label("Requirements").fill("file_contains total.txt 42")
    picture(page, folder, f"start-{width}")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*", wait_until="domcontentloaded")


def approve(page: Page, folder: Path, width: str) -> None:
    """The shell command is asked about. The page that is open is told so, and one that is loaded again as well."""
    question = page.locator(".ask")
    expect(question).to_contain_text("rm draft.txt")
    expect(question).to_contain_text("destroy")
    expect(page).to_have_title("● asks you · " + page.title().removeprefix("● asks you · "))
    picture(page, folder, f"asks-{width}")
    page.reload()
    expect(question).to_contain_text("rm draft.txt")
    page.get_by_role("button", name="Allow once").click()
    expect(question).to_have_count(0)


def spot(page: Page, folder: Path, width: str) -> None:
    """The line that typed a wrong sum: what was asked, what was said, what it did to the screen, who allowed it."""
    page.locator(".line[data-kind=operation]", has_text="Total: 24").get_by_role("link").click()
    inspector = page.locator("#inspector")
    expect(inspector).to_contain_text("Total: 24")
    expect(inspector.locator("[data-chosen]")).to_contain_text("writing-inside")
    inspector.get_by_role("tab", name="What changed").first.click()
    changed = inspector.get_by_role("tabpanel", name="what changed").first
    expect(changed).to_be_visible()
    address = changed.locator("image").get_attribute("href")
    assert address is not None
    assert page.request.get(urljoin(page.url, address)).headers["content-type"] == "image/png"
    inspector.get_by_text("Prompt", exact=True).click()
    expect(inspector.locator(".prompt pre").first).to_be_attached()
    expect(inspector.locator(".prompt")).to_contain_text("Delete draft.txt")
    inspector.get_by_text("Prompt", exact=True).click()
    picture(page, folder, f"reply-{width}", top=width == "wide")
    inspector.get_by_text("Go back to before this reply").click()
    expect(inspector.locator(".preview")).to_contain_text("Files:")


def compare(page: Page, folder: Path, width: str) -> None:
    """Both branches, and what each did by itself."""
    page.get_by_role("link", name="2 branches").click()
    expect(page.get_by_role("region", name="Branch 1")).to_contain_text("failed")
    second = page.get_by_role("region", name="Branch 2")
    expect(second).to_contain_text("done")
    expect(second).to_contain_text("Run Python")
    expect(page.get_by_text("total.txt: other content")).to_be_visible()
    picture(page, folder, f"branches-{width}")
