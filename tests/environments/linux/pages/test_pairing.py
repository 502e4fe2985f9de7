"""Which of a browser's pages a document on the accessibility bus is."""

from __future__ import annotations

from typing import Any, cast

import pytest

from deskcrew.environments.browser.attached import AttachedPage, DisplayedPage
from deskcrew.environments.linux.look.page import PageReport
from deskcrew.environments.linux.pages.link import paired
from deskcrew.facts.observation import Box


def document(name: str, x: int = 0, width: int = 1042, height: int = 789, factor: float = 1.0) -> PageReport:
    window = Box(x=x, y=10, width=width + 8, height=height + 91)
    return PageReport(f"/{name}{x}", name, Box(x=x + 4, y=97, width=width, height=height), window, factor)


def shown(title: str, left: int = 0, width: int = 1042, height: int = 789, scale: float = 1.0) -> DisplayedPage:
    page = cast("AttachedPage", f"{title} at {left}")
    return DisplayedPage(page, title, "http://x/", width, height, scale, left, 10, True)


@pytest.mark.parametrize(
    ("documents", "pages", "found"),
    [
        ([document("A")], [shown("A")], ["A at 0"]),
        ([document("A  page")], [shown("A page")], ["A page at 0"]),
        ([document("")], [shown("")], ["at 0"]),
        ([document("A")], [shown("B")], ["B at 0"]),  # it has just got another title
        ([document("A")], [shown("B"), shown("A")], ["A at 0"]),  # maximised windows, one behind the other
        ([document("A")], [shown("A"), shown("A")], []),  # nobody can say
        ([document("A"), document("A", 300)], [shown("A", 300), shown("A")], ["A at 0", "A at 300"]),
        ([document("A")], [shown("A", width=500)], []),  # the frame of its developer tools, say
        ([document("A", factor=2.0)], [shown("A", 0, 521, 395, 2.0)], ["A at 0"]),
        ([document("A", 300, factor=2.0)], [shown("A", 150, 521, 395, 2.0), shown("A", 300, 521, 395, 2.0)], ["A at 150"]),
        ([document("A")], [shown("A", 0, 947, 717, 1.1)], ["A at 0"]),  # enlarged by the user
        ([document("A")], [], []),
    ],
)
def test_title_size_and_window_say_which(documents: list[PageReport], pages: list[DisplayedPage], found: list[Any]) -> None:
    assert [str(one.page).strip() for _, one in paired(documents, pages)] == found
