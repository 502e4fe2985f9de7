"""The page of settings says of each what set it, and where to change it."""

from __future__ import annotations

import html
import os
import re
import tomllib
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.settings import Settings, all_settings
from deskcrew.ways_in.configuring import ON_PAGES
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from web.conftest import ORIGIN


def test_each_setting_is_told_with_what_set_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, access: Access) -> None:
    file = tmp_path / "config" / "settings.toml"
    file.parent.mkdir()
    file.write_text('model = "openai:gpt-5-mini"\nlimits.money = 0.5\n')
    monkeypatch.setenv("DESKCREW_CONFIG", str(file.parent))
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("DESKCREW_LIMITS__REPLIES", "7")
    monkeypatch.delenv("DESKCREW_CREW")
    settings = Settings.load().model_copy(update={"crew": "solo"})
    with TestClient(create_app(settings, access, [ORIGIN]), base_url=ORIGIN) as client:
        client.get("/enter", params={"token": access.link()})
        page = client.get("/settings").text
    rows = {
        name: re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", re.sub('<input name="value" value="([^"]*)"', r"\1<", row))).strip()
        for name, row in re.findall(r'<tr id="([^"]+)">(.*?)</tr>', page, re.S)
    }
    assert set(rows) == {each.name for each in all_settings(Settings)}
    assert rows["model"].endswith("openai:gpt-5-mini the settings file")
    assert rows["limits.money"].endswith("0.5 the settings file")
    assert rows["limits.replies"].endswith("7 the variable DESKCREW_LIMITS__REPLIES")
    assert rows["crew"].endswith("how Deskcrew was started")
    assert rows["limits.repairs"].endswith("3 as it ships")
    assert rows["limits.stalls"].startswith("Steps without progress before it stops limits.stalls ")
    named = {name for name, row in rows.items() if not row.startswith(name)}
    assert named == {*ON_PAGES}, "what is changed here is called as a person would"
    assert page.count(">Save<") == 3, "one for a group"
    assert str(file) in page
    assert 'name="name" value="limits.money"' in page
    assert 'name="name" value="limits.replies"' not in page, "the variable takes precedence"
    assert str(file.with_name("policy.toml")) in page


FILE = """# mine
crew = "solo"  # the small one
limits.money = 0.5

[notify]
webhook = "https://hooks.example.org/mine"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder := tmp_path / "own").mkdir()
    monkeypatch.setenv("DESKCREW_CONFIG", str(folder))
    for name in [name for name in os.environ if name.startswith("DESKCREW_") and name != "DESKCREW_CONFIG"]:
        monkeypatch.delenv(name)
    (folder / "settings.toml").write_text(FILE)
    return folder / "settings.toml"


def test_what_is_changed_on_the_page_is_in_the_file_whose_other_lines_stay_and_holds_at_once(
    person: TestClient, file: Path
) -> None:
    shown = person.get("/settings").text
    values = dict(re.findall(r'name="name" value="([^"]+)"><input name="value" value="([^"]*)"', shown))
    limits = {name: value for name, value in values.items() if name.startswith("limits.")}
    costly, limits = limits | {"limits.money": "0.7"}, limits | {"limits.money": "", "limits.replies": "7"}
    for group in (
        costly,
        limits,
        {"model": values["model"], "crew": "default"},
        {"notify.runs": "true", "notify.desktop": "true"},
    ):
        assert person.post("/settings", data={"name": [*group], "value": [*group.values()]}).status_code == 204
    assert file.read_text().startswith('# mine\ncrew = "default"  # the small one\n')
    assert tomllib.loads(file.read_text()) == {
        "crew": "default",
        "limits": {"replies": 7},
        "notify": {"webhook": "https://hooks.example.org/mine", "runs": True},
    }
    assert re.search('name="name" value="limits.replies"><input name="value" value="7"', person.get("/settings").text)
    assert re.search("<option selected>default</option>", person.get("/start").text)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("limits.money", "-1", "is not more than 0"),
        ("limits.replies", "many", "is not a whole number"),
        ("notify.runs", "perhaps", "is not true or false"),
        ("crew", "defalt", "Did you mean 'default'?"),
        ("model", "opnai:gpt-4o", "Did you mean 'openai:gpt-4o'?"),
        ("model", "local:smollm2-135m", "Did you mean 'smollm2-135m-instruct'?"),
        ("model", "local:/no/such/file.gguf", "there is no file /no/such/file.gguf"),
        ("model", "scripted:/no/such/file.json", "there is no file /no/such/file.json"),
        ("data", "/tmp/elsewhere", "cannot be changed on a page"),
        ("notify.webhook", "https://elsewhere.example.org", "cannot be changed on a page"),
        ("web.identity_header", "x-forwarded-user", "cannot be changed on a page"),
        ("secrets", "/tmp/secrets", "cannot be changed on a page"),
    ],
)
def test_what_cannot_be_or_is_not_for_a_page_changes_nothing(
    person: TestClient, file: Path, name: str, value: str, told: str
) -> None:
    answer = person.post("/settings", data={"name": ["limits.repairs", name], "value": ["2", value]})
    assert answer.status_code >= 400
    assert told in html.unescape(answer.text)
    assert file.read_text() == FILE
