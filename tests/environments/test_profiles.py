"""What a browser keeps, as a value of which changes are carried over to another one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskcrew.environments.profiles import carried_over, parsed, written


def cookie(name: str, value: str, domain: str = "shop.example", **more: str) -> dict[str, Any]:
    return {"name": name, "value": value, "domain": domain, "path": "/", **more}


def kept(*cookies: dict[str, Any], **storage: str) -> str:
    """As Playwright gives it: cookies, and the local storage of one origin."""
    stored = [{"name": name, "value": value} for name, value in storage.items()]
    database: dict[str, Any] = {"name": "db", "version": 1, "stores": []}
    origin = {"origin": "https://shop.example", "localStorage": stored, "indexedDB": [database]}
    return json.dumps({"cookies": list(cookies), "origins": [origin] if stored else []})


def test_it_is_written_as_it_was_read() -> None:
    state = kept(cookie("a", "1"), cookie("a", "2", "bank.example"), cookie("a", "3", partitionKey="p"), cart="lamp")
    assert len(parsed(state)) == 5
    assert json.loads(written(parsed(state))) == json.loads(state)


@pytest.mark.parametrize(
    ("to", "before", "after", "came"),
    [
        pytest.param(kept(cookie("a", "1")), kept(), kept(cookie("b", "2")), {"a": "1", "b": "2"}, id="new"),
        pytest.param(kept(cookie("a", "1")), kept(cookie("a", "1")), kept(cookie("a", "2")), {"a": "2"}, id="another"),
        pytest.param(kept(cookie("a", "1")), kept(cookie("a", "1")), kept(), {}, id="gone"),
        pytest.param(kept(cookie("a", "2")), kept(cookie("a", "1")), kept(cookie("a", "1")), {"a": "2"}, id="left alone"),
        pytest.param(kept(cart="lamp"), kept(cart="lamp"), kept(cart="desk", user="ann"), {"cart": "desk", "user": "ann"}),
    ],
)
def test_what_changed_in_one_is_changed_in_the_other(to: str, before: str, after: str, came: dict[str, str]) -> None:
    found = carried_over(parsed(to), parsed(before), parsed(after))
    assert {each["name"]: each["value"] for each in found.values() if "value" in each} == came
