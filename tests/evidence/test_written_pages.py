"""Which pages are loaded anew to see whether what was sent on them was kept."""

from __future__ import annotations

import pytest

from deskcrew.evidence.kept import KeptStep, written
from deskcrew.facts.observation import Box, Observation, Sent, SentField, Window

AREA = Box(x=0, y=0, width=800, height=600)


def step(address: str, *, saves: bool = False, loads: int = 1) -> KeptStep:
    """What one window shows, in a document that was loaded ``loads``th; whether its page had just sent something."""
    window = Window(id=1, title="Tracker", app="Chromium", box=AREA, active=True, url=address, loads=loads)
    put = Sent(
        method="PUT",
        url="http://tracker/api",
        status=200,
        fields=(SentField(name="open", value="true"),),
        window=1,
        loads=loads,
    )
    return KeptStep(0, Observation(windows=(window,), text=address, sent=(put,) if saves else ()))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://tracker/#/issues/2", "http://tracker/#/issues/3"),
        ("http://tracker/2?view=a#/x", "http://tracker/2?view=a#/y"),
    ],
)
def test_each_view_with_an_address_of_its_own_is_loaded_anew(first: str, second: str) -> None:
    steps = [step("http://tracker/#/"), step(first, saves=True), step(second), step(second, saves=True)]
    assert [page.address for page in written(steps, unseen=True)] == [first, second]


def test_a_document_without_such_views_is_where_it_has_got_to() -> None:
    steps = [step("http://tracker/"), step("http://tracker/form", saves=True), step("http://tracker/list", saves=True)]
    assert [page.address for page in written(steps, unseen=True)] == ["http://tracker/list"]
