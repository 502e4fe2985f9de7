"""The form that a task is started with: Start is in sight, errors stand beside their fields, and what it costs is said."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from web.conftest import ORIGIN
from web.pressing import Hall, hall

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "DESKCREW_API_KEY")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def options(page: str) -> dict[str, str]:
    return dict(re.findall(r'<option value="([\w:.-]+)" label="([^"]*)">', page))


def test_models_are_offered_with_their_price_and_whether_their_key_is_set(
    person: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = options(person.get("/start").text)
    assert found["local"] == "runs on this machine, free"
    assert found["openai:gpt-5-mini"].startswith("no key is set; $0.25 in and $2.00 out")
    monkeypatch.setenv("OPENAI_API_KEY", "canary-5521")
    page = person.get("/start").text
    found = options(page)
    assert found["openai:gpt-5-mini"].startswith("key is set; ")
    hosted = [name for name in found if ":" in name and not name.startswith("local:")]
    assert hosted[0].startswith("openai:"), "those that can be used come first"
    assert "canary-5521" not in page


@pytest.mark.parametrize(("model", "folded"), [("local", True), ("openai:gpt-5-mini", False)])
def test_what_else_can_be_said_is_folded_unless_the_model_cannot_be_used(
    settings: Settings, access: Access, model: str, folded: bool
) -> None:
    with TestClient(create_app(settings.model_copy(update={"model": model}), access, [ORIGIN]), base_url=ORIGIN) as client:
        client.get("/enter", params={"token": access.link()})
        page: Any = lxml.html.fromstring(client.get("/start").text)
    form = "//form[@hx-post='/start']"
    assert page.xpath(f"{form}//*[self::input or self::textarea or self::select][not(ancestor::details)]/@name") == [
        "task",
        "workspace",
        "files",
    ]
    assert bool(page.xpath(f"{form}/details[not(@open)]")) == folded


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("openai:gpt-5-mini", ["OPENAI_API_KEY", "$0.25 in"]),
        ("openai:nobody-knows-it", ["OPENAI_API_KEY", "price is unknown"]),
        ("http://127.0.0.1:9/v1#m", ["without a key", "price is unknown"]),
        ("nonsense", ["is not a model"]),
        ("opnai:gpt-5-mini", ["Did you mean &#39;openai:gpt-5-mini&#39;?"]),
        ("local:smollm2-135m", ["Did you mean &#39;smollm2-135m-instruct&#39;?"]),
        ("local:smollm2-135m-instruct", ["Its weights are not here yet: see Models."]),
        ("", ["It is free."]),
        ("local", ["It is free.", 'nothing but <a href="/skills/shipped">everyday chores</a>']),
    ],
)
def test_what_a_model_needs_and_costs_is_said_when_it_is_named(person: TestClient, model: str, says: list[str]) -> None:
    answer = person.get("/start/model", params={"model": model})
    assert answer.status_code == 200
    for words in says:
        assert words in answer.text, answer.text


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        ({"task": " "}, "task", "Say what is to be done."),
        ({"model": "nonsense"}, "model", "is not a model"),
        ({"model": "openai:gpt-5-mini"}, "model", "needs a key"),
        ({"workspace": "/nowhere/at/all"}, "workspace", "There is no folder"),
        ({"copied": "true"}, "workspace", "There is no folder to copy"),
        ({"operations": "many"}, "operations", "Operations: a whole number from 1"),
        ({"money": "much"}, "money", "Spend at most: a number above 0."),
        ({"lanes": "9"}, "lanes", "is not a valid number of parts at once"),
        ({"lanes": "two"}, "lanes", "is not a valid number of parts at once"),
        ({"desktop": "windows", "at": "stdio:agent"}, "at", "An agent cannot be started with a command"),
        pytest.param(
            {"lanes": "2", "crew": "cola", "model": "http://127.0.0.1:9/v1#m"},
            "send",
            "cannot use lanes",
            marks=pytest.mark.deep,
        ),
        ({"money": "2", "model": "http://127.0.0.1:9/v1#m"}, "money", "is not known, so a limit in money"),
        pytest.param(
            {"url": "page.html", "model": "http://127.0.0.1:9/v1#m"},
            "send",
            "Only a browser has a URL",
            marks=pytest.mark.deep,
        ),
    ],
)
@pytest.mark.usefixtures("own_runtime")
def test_an_error_goes_to_its_field(person: TestClient, form: dict[str, str], field: str, words: str) -> None:
    whole = {"task": "Do it", "desktop": "none", "crew": "solo"} | form
    answer = person.post("/start", data=whole, headers={"hx-request": "true"})
    assert answer.status_code == 400, answer.text
    assert answer.headers["hx-retarget"] == f"#error-{field}"
    assert words in answer.text
    page = person.get("/start").text
    assert f'id="error-{field}"' in page
    assert re.search(rf'aria-describedby="[^"]*error-{field}\b', page)


@pytest.mark.usefixtures("own_runtime")
@pytest.mark.deep
def test_a_limit_in_money_and_how_many_parts_are_done_at_once_are_those_of_the_run(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    script = tmp_path / "says.json"
    script.write_text(json.dumps([{"operations": [], "branch": "Interrupt", "problem": "Seen enough."}]))
    form = {"task": "Look.", "model": f"scripted:{script}", "crew": "planned", "mode": "automatic", "desktop": "none"}
    answer = person.post("/start", data=form | {"money": "1.5", "lanes": "2"})
    assert answer.status_code == 204, answer.text
    run = answer.headers["hx-redirect"].removeprefix("/runs/")
    assert 'name="lanes" inputmode="numeric" value="2"' in person.get(f"/start?like={run}").text
    begun = Store(settings.journal).journal(run).events[0].body
    assert isinstance(begun, e.RunStarted)
    assert begun.settings.limits["money"] == 1.5
    assert begun.settings.lanes == 2


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("form")) as made:
        yield made


def told(page: Page, field: str) -> None:
    """The field says that it is wrong, by a text that belongs to it and is in sight."""
    expect(field_ := page.locator(f"[name={field}]").first).to_have_attribute("aria-invalid", "true")
    expect(field_).to_be_focused()
    expect(page.locator(f"#error-{field}")).to_be_in_viewport()
    expect(page.locator("#trouble")).to_be_empty()


@pytest.mark.deep
@pytest.mark.timeout(300)
def test_start_is_in_sight_and_what_is_wrong_stands_beside_its_field(there: Hall) -> None:
    # What is refused is a complaint to browsers.
    with there.page(quiet=True) as page:
        page.set_viewport_size({"width": 1400, "height": 900})
        page.goto(f"{there.origin}/start")
        start = page.get_by_role("button", name="Start")
        expect(start).to_be_in_viewport(ratio=1)
        page.get_by_label("What should be done?").fill("Do it")
        page.get_by_text("More options").press("Enter")
        page.get_by_label("Model", exact=True).fill("openai:gpt-5-mini")
        expect(page.locator("#model-state")).to_contain_text("per million tokens")
        start.click()
        told(page, "model")
        page.get_by_label("Model", exact=True).fill("local")
        expect(page.locator("#error-model")).to_be_empty()
        expect(page.get_by_label("Model", exact=True)).not_to_have_attribute("aria-invalid", "true")
        page.get_by_label("Folder it may change").fill("/nowhere/at/all")
        start.click()
        told(page, "workspace")
        page.get_by_label("Folder it may change").fill("")
        page.get_by_label("Seconds", exact=True).fill("many")
        page.get_by_text("More options").click()
        start.click()
        told(page, "seconds")
        expect(start).to_be_in_viewport(ratio=1)


@pytest.mark.timeout(300)
def test_a_file_that_the_task_names_and_that_is_not_attached_is_said_before_the_start(there: Hall, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("a,b\n1,2\n")
    with there.page() as page:
        page.goto(f"{there.origin}/start")
        missing = page.locator("#unattached")
        page.get_by_label("What should be done?").fill("Sort orders.csv by a into sorted.csv, as example.org says.")
        expect(missing).to_have_text("orders.csv is not among its files. Add what it is to read.")
        page.get_by_label("Files it needs").set_input_files(tmp_path / "orders.csv")
        expect(missing).to_be_empty()
        page.get_by_label("Files it needs").set_input_files([])
        expect(missing).to_contain_text("orders.csv")
        page.get_by_label("Folder it may change").fill(str(tmp_path / "nope"))
        expect(missing).to_have_text(f"There is no folder '{tmp_path / 'nope'}' to work in.")
        page.get_by_label("Folder it may change").fill("~nobody-of-this-name/x")
        expect(missing).to_have_text("There is no folder '~nobody-of-this-name/x' on this machine.")
        page.get_by_label("Folder it may change").fill(str(tmp_path))
        expect(missing).to_be_empty()
