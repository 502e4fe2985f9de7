"""Which pages a place stands for that the task names, and how a page would like to be one of them."""

from __future__ import annotations

import pytest

from deskcrew.guard.named_pages import can_be_page, pages_at, same_place

FILES = ("site/index.html", "site/contact.html", "site/more/terms.html", "site/data.csv", "other/index.html", "evil.html")
ROOT = "/home/ada/hall"


@pytest.mark.parametrize(
    ("where", "url", "same"),
    [
        ("hall.example", "https://hall.example/a?b=c", True),
        ("Hall.Example", "https://hall.example:8443/", False),
        ("hall.example:8080", "http://hall.example:8080/", True),
        ("hall.example:8080", "http://hall.example/", False),
        ("hall.example:443", "https://hall.example/", True),
        ("https://hall.example/ask", "https://hall.example/ask?x=1", True),
        ("https://hall.example/ask", "https://hall.example/other", False),
        ("https://hall.example/ask", "http://hall.example/ask", False),
        ("booking.html", "file:///workspace/booking.html", True),
        ("booking.html", "file:///workspace/notbooking.html", False),
        ("hall.example/ask", "https://hall.example/ask", True),
        ("hall.example/ask", "https://hall.example/asked", False),
        ("hall/ask", "https://hall/ask", False),
        ("", "https://hall.example/", False),
        ("", "file:///workspace/", False),
    ],
)
def test_a_place_is_the_one_that_was_named(where: str, url: str, *, same: bool) -> None:
    assert same_place(where, url) is same


LOCAL = "http://localhost:8000/index.html"
FOLDER = "https://hall.example/~ada/index.html"


@pytest.mark.parametrize(
    ("where", "url", "same"),
    [
        (LOCAL, "http://localhost:8000/contact.html", True),
        (LOCAL, "http://localhost:8000/forms/contact.html?topic=hall", True),
        ("http://localhost:8000", "http://localhost:8000/contact.html", True),
        ("localhost:8000/index.html", "http://localhost:8000/contact.html", True),
        (LOCAL, "http://localhost:8001/contact.html", False),
        (LOCAL, "http://localhost/contact.html", False),
        (LOCAL, "https://localhost:8000/contact.html", False),
        (LOCAL, "http://127.0.0.1:8000/contact.html", False),
        (LOCAL, "http://localhost.evil.example:8000/contact.html", False),
        (LOCAL, "http://localhost:8000@evil.example/contact.html", False),
        (LOCAL, "http://evil.example/?http://localhost:8000/index.html", False),
        (LOCAL, "file:///workspace/index.html", False),
        ("http://localhost:8000/index.html?page=ask", "http://localhost:8000/contact.html", False),
        ("http://localhost:8000/index.html#/ask", "http://localhost:8000/contact.html", False),
        ("http://ada@localhost:8000/index.html", "http://localhost:8000/contact.html", False),
        (FOLDER, "https://hall.example/~ada/forms/ask.html", True),
        ("https://hall.example/~ada/", "https://hall.example/~ada/ask", True),
        (FOLDER, "https://hall.example/~eve/ask.html", False),
        (FOLDER, "https://hall.example/~adam/ask.html", False),
        (FOLDER, "https://hall.example/~ada/../~eve/ask.html", False),
        (FOLDER, "https://hall.example/~ada/..%2f~eve/ask.html", False),
        (FOLDER, "https://hall.example/~ada/%252e%252e/~eve/ask.html", False),
        (FOLDER, "https://hall.example/~ada/..\\~eve/ask.html", False),
        ("https://hall.example/~ada", "https://hall.example/~ada/ask", False),
    ],
)
def test_a_start_page_stands_for_its_folder_on_that_very_server(where: str, url: str, *, same: bool) -> None:
    assert same_place(where, url) is same


@pytest.mark.parametrize(
    ("where", "pages"),
    [
        ("site/index.html", ("site/index.html", "site/contact.html", "site/more/terms.html")),
        ("./site/index.html", ("site/index.html", "site/contact.html", "site/more/terms.html")),
        ("file:///workspace/site/index.html", ("site/index.html", "site/contact.html", "site/more/terms.html")),
        ("file:///home/ada/hall/site/index.html", ("site/index.html", "site/contact.html", "site/more/terms.html")),
        ("/home/ada/hall/site/index.html", ("site/index.html", "site/contact.html", "site/more/terms.html")),
        ("site/", ("site/index.html", "site/contact.html", "site/more/terms.html")),
        ("site/contact.html", ("site/contact.html",)),
        ("contact.html", ("site/contact.html",)),
        ("index.html", ("site/index.html", "other/index.html")),
        ("/elsewhere/site/index.html", ()),
        ("file:///home/ada/hall2/site/index.html", ()),
        ("site/../evil.html", ()),
        ("http://localhost:8000/site/index.html", ()),
        ("hall.example", ()),
        ("/", ()),
        ("", ()),
    ],
)
def test_a_file_stands_for_pages_that_are_there(where: str, pages: tuple[str, ...]) -> None:
    """A start page of which there are two stands for none of their folders."""
    assert pages_at(where, FILES, ROOT) == pages


@pytest.mark.parametrize(
    ("where", "can"),
    [
        ("hall.example", True),
        ("localhost:8000", True),
        ("localhost", True),
        ("192.0.2.7", True),
        ("[2001:db8::7]:8080", True),
        ("http://intranet/ask", True),
        ("hall.example/ask", True),
        ("site/index.html", True),
        ("Booking form.html", True),
        ("file:///workspace/site/index.html", True),
        ("the booking form", False),
        ("the form at http://localhost:8000/", False),
        ("form", False),
        ("form/booking", False),
        ("file:///home/eve/index.html", False),
        ("/home/eve/index.html", False),
        ("mailto:ada@hall.example", False),
        ("ada@hall.example", False),
        ("http://", False),
        ("http://hall.example:99999/", False),
        ("预订表单", False),
    ],
)
def test_words_that_describe_a_page_are_no_place(where: str, *, can: bool) -> None:
    assert can_be_page(where, pages_at(where, FILES, ROOT)) is can
