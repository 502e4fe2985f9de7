"""What sends a form by the mouse sends it by Enter too, and is judged alike."""

from __future__ import annotations

import pytest

from deskcrew.facts.observation import Behind, Box, Control
from deskcrew.guard.pressing import Around, entering, pressing
from deskcrew.guard.words import Words

BOX = Box(x=0, y=0, width=9, height=9)


@pytest.mark.parametrize(
    ("name", "method", "has", "risk"),
    [
        ("Go", "post", ("form", "message"), "send"),
        ("", "post", ("form", "message"), "send"),
        ("Save draft", "post", ("form", "message"), "read"),  # says that it stays where it is
        ("Go", "get", ("form", "message"), "read"),  # a search
        ("Go", "post", ("form",), "read"),  # nothing was written in it
        ("Go", "post", ("form", "payment"), "spend"),
    ],
)
def test_enter_in_a_form_is_judged_as_its_button_is(name: str, method: str, has: tuple[str, ...], risk: str) -> None:
    words = Words.load()
    button = Behind(kind="submit", method=method, has=has)  # pyright: ignore[reportArgumentType]
    field = Behind(kind="field", method=method, has=has, sends=name)  # pyright: ignore[reportArgumentType]
    pressed = pressing(Control(label="1", role="button", name=name, box=BOX, window=1, behind=button), words)
    assert (pressed.risk, entering(field, words).risk) == (risk, risk)


@pytest.mark.parametrize("name", ["Show more", "Next", "Save draft", "Suche", "Cancel", "継続", ""])
def test_a_form_that_posts_what_the_run_typed_sends_it_whatever_its_button_says(name: str) -> None:
    words, page = Words.load(), Around(own=True, typed=("room 12 at nine",))

    def risk(**behind: object) -> str:
        made = Behind.model_validate({"kind": "submit", "method": "post", "has": ("form",), **behind})
        return pressing(Control(label="1", role="button", name=name, box=BOX, window=1, behind=made), words, page).risk

    assert risk(holds=("Room 12  at nine",)) == "send"
    assert risk(holds=("token", "At once: room 12 at nine, please")) == "send", "also where it is hidden in a longer one"
    assert risk(holds=None) == "send", "there is too much in it to be told"
    assert risk(holds=("17",)) == "read", "nothing of the run's is in it"
    assert risk(holds=("Room 12 at nine",), method="get") == "read"


@pytest.mark.parametrize(
    ("name", "risk"),
    [
        ("Send…", "read"),
        ("Refund...", "read"),
        ("Send", "send"),
        ("Refund", "send"),
        ("Delete…", "destroy"),
        ("Buy…", "spend"),
    ],
)
def test_dots_after_a_word_for_sending_say_that_more_is_to_be_filled_in(name: str, risk: str) -> None:
    button = Behind(kind="button", method="", has=())  # pyright: ignore[reportArgumentType]
    assert (
        pressing(Control(label="1", role="menu item", name=name, box=BOX, window=1, behind=button), Words.load()).risk
        == risk
    )


@pytest.mark.parametrize(
    ("own", "has", "risk"),
    [(True, ("form",), "send"), (True, ("form", "password"), "credential"), (False, ("form",), "credential")],
)
def test_a_form_of_ones_own_without_a_password_signs_nobody_in(own: bool, has: tuple[str, ...], risk: str) -> None:
    page, words = Around(own=own), Words.load()
    made = Behind(kind="submit", method="get", has=has)  # pyright: ignore[reportArgumentType]
    button = Control(label="1", role="button", name="Register", box=BOX, window=1, behind=made)
    field = Behind(kind="field", method="post", has=has, sends="Register")  # pyright: ignore[reportArgumentType]
    assert pressing(button, words, page).risk == ("read" if risk == "send" else risk), "a form that is only asked for a page"
    assert entering(field, words, page).risk == risk
    posts = made.model_copy(update={"method": "post"})
    assert pressing(button.model_copy(update={"behind": posts}), words, page).risk == risk


def test_what_is_typed_with_enter_into_a_form_that_posts_is_sent() -> None:
    field = Behind(kind="field", method="post", has=("form",), sends="Search")
    assert entering(field, Words.load(), held="room 12").risk == "send"
    assert entering(field, Words.load()).risk == "read"
