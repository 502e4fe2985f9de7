"""A label means the same control from one look to the next, though pages throw their elements away."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deskcrew.environments.browser.labels import KEPT, Kind, PageLabels, Thing

STAR: Kind = (1, "button", "star")


class Page:
    """A page that makes each of its elements anew whenever it is drawn."""

    def __init__(self) -> None:
        self.labels, self.made = PageLabels(), 0

    def draw(self, rows: Sequence[str], kind: Kind = STAR, marks: Sequence[str] = ("", "", "")) -> dict[str, str]:
        """Its stars' labels, by the rows they stand in. ``marks``: how its code tells them apart."""
        things: list[tuple[Thing, Kind, str, str]] = []
        for row, mark in zip(rows, marks, strict=False):
            self.made += 1
            things.append(((1, "main", 1, self.made), kind, row, mark))
        return dict(zip(rows, self.labels.of(things), strict=True))


@pytest.fixture
def page() -> Page:
    return Page()


def test_what_is_drawn_anew_keeps_its_label(page: Page) -> None:
    before = page.draw(["Ann", "Bob", "Cem"])
    assert page.draw(["Ann", "Bob", "Cem"]) == before
    assert len(set(before.values())) == 3


def test_rows_that_change_places_take_their_labels_along(page: Page) -> None:
    before = page.draw(["Ann", "Bob", "Cem"])
    assert page.draw(["Cem", "Ann", "Bob"]) == before


def test_where_a_row_has_gone_no_other_row_has_its_label(page: Page) -> None:
    before = page.draw(["Ann", "Bob", "Cem"])
    after = page.draw(["Bob", "Cem", "Dora"])
    assert (after["Bob"], after["Cem"]) == (before["Bob"], before["Cem"])
    assert after["Dora"] not in before.values()


def test_a_row_in_which_a_word_has_changed_is_the_same_row(page: Page) -> None:
    before = page.draw(["Ann roadmap unread", "Bob roadmap unread"])
    after = page.draw(["Ann roadmap read", "Bob roadmap unread"])
    assert list(after.values()) == list(before.values())


def test_the_last_one_left_of_its_name_is_nobody_elses(page: Page) -> None:
    """What is the only one of its name says of nothing where it stands."""
    before = page.draw(["Ann", "Bob"])
    assert page.draw([""])[""] not in before.values()
    alone = page.draw([""])
    assert page.draw(["Ann", "Bob"])["Ann"] != alone[""]


def test_one_that_becomes_the_only_one_or_not_keeps_its_label(page: Page) -> None:
    before = page.draw(["Ann"])
    assert list(page.draw([""]).values()) == list(before.values())
    assert list(page.draw(["Ann"]).values()) == list(before.values())


def test_another_kind_has_another_label(page: Page) -> None:
    before = page.draw(["Ann"])
    assert page.draw(["Ann"], (1, "button", "delete"))["Ann"] != before["Ann"]


def test_what_a_dialog_has_covered_keeps_its_label_when_it_is_drawn_anew(page: Page) -> None:
    before = page.draw(["Ann", "Bob"])
    page.draw(["Close"], (1, "button", "close"))
    assert page.draw(["Ann", "Bob"]) == before


def test_a_label_is_never_that_of_something_else(page: Page) -> None:
    had = set(page.draw(["Ann", "Bob"]).values())
    for _ in range(KEPT + 2):
        page.draw(["Close"], (1, "button", "close"))
    assert not had & set(page.draw(["Eve", "Flo"], (1, "button", "open")).values())


def test_what_the_code_of_a_page_tells_from_all_others_keeps_its_label(page: Page) -> None:
    before = page.draw(["Desktop", "Email"], marks=["desktop", "email"])
    assert page.draw([""], marks=["email"])[""] == before["Email"], "nothing is said of where the only one stands"
    alike = page.draw(["Ann", "Bob"], marks=["delete", "delete"])
    assert page.draw([""], marks=["delete"])[""] not in alike.values()
    mine = page.draw(["Ann"], marks=["first"])
    assert page.draw(["Bob"], marks=["first"])["Bob"] not in mine.values(), "another row"


def test_a_number_in_its_name_makes_no_other_control_of_what_code_tells_apart(page: Page) -> None:
    before = page.draw([""], (1, "link", "Contacts 40"), ["contacts"])
    assert page.draw([""], (1, "link", "Contacts 41"), ["contacts"]) == before
    assert page.draw([""], (1, "link", "Other 41"), ["contacts"]) != before
    plain = page.draw([""], (1, "link", "Order 40"))
    assert page.draw([""], (1, "link", "Order 41")) != plain
