"""The page of settings says of each what set it, and where to change it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.settings import Settings, all_settings
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
        name: re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", row)).strip()
        for name, row in re.findall(r'<tr id="([^"]+)">(.*?)</tr>', page, re.S)
    }
    assert set(rows) == {each.name for each in all_settings(Settings)}
    assert rows["model"].endswith("openai:gpt-5-mini the settings file")
    assert rows["limits.money"].endswith("0.5 the settings file")
    assert rows["limits.replies"].endswith("7 the variable DESKCREW_LIMITS__REPLIES")
    assert rows["crew"].endswith("solo how Deskcrew was started")
    assert rows["limits.repairs"].endswith("3 default")
    assert str(file) in page
    assert str(file.with_name("policy.toml")) in page
