"""What pages send is part of a look: by unit, and with a real browser and a real server on this machine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from werkzeug import Response

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.browser.sending import LONGEST_VALUE, MOST_FIELDS, MOST_SENT, Sending
from deskcrew.environments.describe import sent_line
from deskcrew.environments.evidence import compare
from deskcrew.evidence.effect import evidence_text
from deskcrew.facts.observation import Observation, Sent, SentField

from .conftest import Site, look_until, only

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
PLACE = "http://127.0.0.1/state"


def sent(*bodies: Any, method: str = "PUT", kind: str = JSON, url: str = PLACE) -> tuple[Sent, ...]:
    sending = Sending()
    for number, body in enumerate(bodies):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sending.requested(number, method, url, kind, data, page=False)
        sending.answered(number, 200)
    return sending.take()


def mails(**changes: Any) -> dict[str, Any]:
    every: list[dict[str, Any]] = [
        {"id": n, "from": f"Person {n}", "subject": f"Letter {n}", "starred": False, "labels": []} for n in range(1, 31)
    ]
    every[6] |= changes
    return {"mails": every}


def test_what_a_value_refers_to_is_told_beside_it() -> None:
    """An identity alone says nobody's name."""
    people = {"people": [{"id": f"usr_{n}", "name": f"Person {n}"} for n in range(9)]}
    tags = {"tags": [{"id": f"t{n}", "name": f"tag {n}"} for n in range(9)], "teams": [{"id": "t3", "name": "another t3"}]}
    before, after = (
        mails(owner=owner, labels=labels) | people | tags for owner, labels in (("usr_0", ["t1"]), ("usr_6", ["t3", "t5"]))
    )
    beside = dict(sent(before, after)[1].beside)
    assert beside["people[id=usr_6].name"] == "Person 6"
    assert beside["tags[id=t5].name"] == "tag 5"
    assert "tags[id=t3].name" not in beside, "two are called so, and nobody knows which is meant"
    assert "people[id=usr_0].name" not in beside


@pytest.mark.parametrize(
    ("body", "queries"),
    [
        ({"query": "query Mails($of: ID) { mails(of: $of) { id } }", "variables": {"of": 7}}, True),
        ({"query": "# all of them\n{ mails { id } }"}, True),
        ([{"query": "{ mails { id } }"}, {"query": "{ labels { id } }"}], True),
        ({"query": "mutation { send(id: 7) { id } }"}, False),
        ({"query": "query One { mails { id } } mutation Two { send(id: 7) { id } }", "operationName": "Two"}, False),
        ([{"query": "{ mails { id } }"}, {"query": "mutation { send(id: 7) { id } }"}], False),
        ({"operationName": "Mails", "extensions": {"persistedQuery": {"sha256Hash": "ab"}}}, False),
        ({"query": "shoes", "order": 7}, False),
        ({"query": {"match": "shoes"}}, False),
        ([], False),
        (b'{"query": "{ mails', False),
    ],
)
def test_a_query_of_graphql_saves_nothing_and_what_changes_something_is_none(body: Any, queries: bool) -> None:
    (one,) = sent(body, method="POST")
    assert (one.queries, one.saves, one.writes) == (queries, not queries, True)


def test_a_form_is_told_field_by_field() -> None:
    (told,) = sent(b"room=12&nights=2&note=", method="POST", kind=FORM)
    assert (told.method, told.status, told.changed) == ("POST", 200, False)
    assert told.fields == tuple(SentField(name=n, value=v) for n, v in (("room", "12"), ("nights", "2"), ("note", "")))


def test_fields_of_one_name_have_names_of_their_own() -> None:
    (told,) = sent(b"to=a&to=b", kind=FORM)
    assert [(field.name, field.value) for field in told.fields] == [("to", "a"), ("to[1]", "b")]


def test_a_form_with_a_file_tells_its_name_and_size() -> None:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nMy cat\r\n'
        b'--x\r\nContent-Disposition: form-data; name="photo"; filename="cat.png"\r\n'
        b"Content-Type: image/png\r\n\r\n12345\r\n--x--\r\n"
    )
    (told,) = sent(body, method="POST", kind="multipart/form-data; boundary=x")
    assert [(field.name, field.value) for field in told.fields] == [("title", "My cat"), ("photo", "cat.png (5 bytes)")]


def test_of_a_whole_state_only_what_differs_is_told_and_whose_it_is() -> None:
    first, second = sent(mails(), mails(starred=True, labels=["work"]))
    assert (len(first.fields), first.changed) == (150, False)
    assert second.changed
    assert [(field.name, field.was, field.value) for field in second.fields] == [
        ("mails[id=7].starred", "false", "true"),
        ("mails[id=7].labels", "[]", '["work"]'),
    ]
    assert ("mails[id=7].subject", "Letter 7") in second.beside


def test_an_entry_is_the_same_one_wherever_it_stands() -> None:
    turned = mails()
    turned["mails"] = [{"id": 99, "subject": "New"}, *turned["mails"][:-1]]
    _, second = sent(mails(), turned)
    assert {field.name: field.value for field in second.fields} == {
        "mails[id=99].id": "99",
        "mails[id=99].subject": "New",
        **dict.fromkeys((f"mails[id=30].{name}" for name in ("id", "from", "subject", "starred", "labels")), None),
    }


def test_what_is_sent_twice_is_told_twice() -> None:
    assert sent({"text": "hello"}, {"text": "hello"}, method="POST")[1].fields == (
        SentField(name="text", value="hello", was="hello"),
    )


@pytest.mark.parametrize(
    ("method", "url", "page", "told"),
    [
        ("GET", "http://127.0.0.1/book?room=12", True, 1),
        ("GET", "http://127.0.0.1/api?room=12", False, 0),
        ("GET", "http://127.0.0.1/book", True, 0),
        ("HEAD", "http://127.0.0.1/book?room=12", True, 0),
        ("DELETE", "http://127.0.0.1/room/12", False, 1),
        ("POST", "data:text/plain,x", False, 0),
    ],
)
def test_what_carries_nothing_is_not_told(method: str, url: str, page: bool, told: int) -> None:
    sending = Sending()
    sending.requested(1, method, url, "", None, page=page)
    sending.answered(1, 204)
    assert len(sending.take()) == told


def test_bodies_that_cannot_be_read_are_told_by_their_size() -> None:
    deep = b"[" * 100_000
    for body, kind in ((b"\xff\xfe", JSON), (b"{", JSON), (deep, JSON), (b"\x00\xff", "application/octet-stream")):
        (told,) = sent(body, kind=kind)
        assert told.fields == (SentField(name="", value=f"({len(body)} bytes)"),), kind


def test_what_is_told_is_bounded() -> None:
    (told,) = sent({f"field {n}": "x" * 3000 for n in range(1000)})
    assert (len(told.fields), told.more) == (MOST_FIELDS, 1000 - MOST_FIELDS)
    assert all(len(field.value or "") == LONGEST_VALUE + 1 for field in told.fields)
    *every, more = sent(*[{"a": 1}] * (MOST_SENT + 5))
    assert (len(every), more.method, more.more) == (MOST_SENT, "", 5)


def test_what_nobody_has_answered_is_told_later() -> None:
    sending = Sending()
    sending.requested(1, "POST", PLACE, FORM, b"a=1", page=False)
    assert sending.take() == ()
    sending.ended(1)
    (told,) = sending.take()
    assert told.status is None
    assert sending.take() == ()


def test_a_line_says_what_was_sent() -> None:
    field = SentField(name="nights", value="2", was="1")
    one = Sent(method="POST", url="http://a.example/book", status=303, fields=(SentField(name="room", value="12"), field))
    assert sent_line(one) == 'POST "http://a.example/book" 303: room "12"; nights "2" (was "1")'
    assert sent_line(one, 1) == 'POST "http://a.example/book" 303: room "12"; and 1 more'
    before, after = Observation(), Observation(sent=(one,))
    assert "sent: POST" in evidence_text(compare(before, after))
    assert not compare(before, after).empty


BOOKING = """<form method=post action=/booking><label>Name <input name=name></label>
<input type=hidden name=token value=t0k3n><button>Book</button></form>
<button onclick="fetch('/rooms', {method: 'PUT', headers: {'content-type': 'application/json'},
  body: JSON.stringify({rooms: [{id: 4, taken: true}]})})">Take room 4</button>"""


def test_a_browser_tells_what_its_pages_sent_once(browser: BrowserDesktop, site: Site) -> None:
    site.answer("/booking", lambda _: Response(status=303, headers={"Location": "/booked"}))
    site.page("/booked", "Thanks", "Booked")
    site.answer("/rooms", lambda _: Response("{}", content_type=JSON))
    browser.open_url(site.page("/rooms.html", BOOKING))
    seen = browser.observe()
    browser.sent()
    browser.click(only(seen, "button", "Take room 4"))
    browser.observe()
    (put,) = browser.sent()
    assert (put.method, put.url, put.status) == ("PUT", f"{site.root}/rooms", 200)
    assert {field.name: field.value for field in put.fields} == {"rooms[id=4].id": "4", "rooms[id=4].taken": "true"}
    browser.type_text(only(seen, "text field", "Name"), "Ada", clear=True)
    browser.click(only(seen, "button", "Book"))
    look_until(browser, lambda look: "Thanks" in look.text)
    (post,) = browser.sent()
    assert (post.method, post.url, post.status) == ("POST", f"{site.root}/booking", 303)
    assert {field.name: field.value for field in post.fields} == {"name": "Ada", "token": "t0k3n"}
    assert browser.sent() == ()
