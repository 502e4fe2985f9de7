"""A probe that knows by heart what was chosen or entered on a page: what was shown before is altered, and it must notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.evidence.counter_screens import other_screens
from deskcrew.evidence.entered import Act, Unsaid, unsaid
from deskcrew.evidence.screen import ScreenState
from deskcrew.facts.observation import Box, Control, Observation, Sent, SentField, Window
from deskcrew.models.client import Call
from test_proof_pages import CONTRACT, INCIDENTAL, PROBE, booked, hotel, needs_chromium, pressing, worked

__all__ = ["hotel"]
BY_HEART = """
def requirement_1(before, after):
    sent = [(name, value) for each in after["sent"] for name, value in each["fields"].items() if name != "seen"]
    shown = after["text"].count(": booked") == 1 and "Birch: booked" in after["text"]
    others = [{line for line in each["text"].splitlines() if "Birch" not in line} - {"Saved"} for each in (before, after)]
    named = [{c["name"] for c in each["controls"] if c["role"] == "button"} for each in (before, after)]
    same = others[0] == others[1] and named[0] == named[1]
    return shown and same and sent == [("rooms[id=4].booked", "true")], f"{sent}, shown {shown}, same {same}"
"""
"""A Verifier that has typed in which room was booked, and compares the rest with what was there before."""


@needs_chromium
@pytest.mark.anyio
async def test_the_wrong_room_is_not_booked_because_its_number_was_typed_in(tmp_path: Path, hotel: str) -> None:
    outcome, _, calls = await booked(tmp_path, hotel, "Birch", probe=BY_HEART + INCIDENTAL)
    assert outcome.status == "unverified", outcome.why
    assert "it would say the same whatever had been shown before, and in it this had to be found: Book Birch 50" in (
        outcome.why
    )
    told = [call.text() for call in calls if call.role == "Verifier"]
    assert len(told) == 2
    assert "not noticed: other numbers shown before" in told[1], "it was told"


@needs_chromium
@pytest.mark.anyio
async def test_a_room_that_the_task_names_need_not_be_found(tmp_path: Path, hotel: str) -> None:
    contract = {
        **CONTRACT,
        "requirements": [{**CONTRACT["requirements"][0], "says": "The room Birch is booked, and no other"}],
    }
    outcome, _, calls = await worked(
        tmp_path, hotel, pressing("Birch"), probe=BY_HEART + INCIDENTAL, contract=contract,
        task="Book the room Birch of the hotel. Thanks!",
    )  # fmt: skip
    assert outcome.status == "done", outcome.why
    assert len([call for call in calls if call.role == "Verifier"]) == 1


@needs_chromium
@pytest.mark.anyio
async def test_who_finds_the_room_in_what_was_shown_is_believed(tmp_path: Path, hotel: str) -> None:
    outcome, _, calls = await booked(tmp_path, hotel, "Alder", probe=PROBE + INCIDENTAL)
    assert outcome.status == "done", outcome.why
    assert len([call for call in calls if call.role == "Verifier"]) == 1
    assert outcome.strength.tried["input"] >= 2


FORM = """<!doctype html><title>Bills</title><h1>Bills</h1><p>Rope: {rope} euros</p><p>Lamp: {lamp} euros</p>
<p>{kept}</p><form method=post action=/bills><label>Total <input name=total></label><button>Save</button></form>"""
SUM = """
def requirement_1(before, after):
    told = [line.split() for line in before["text"].splitlines() if line.endswith(" euros")]
    total = str(sum(int(words[1]) for words in told))
    sent = [each["fields"] for each in after["sent"]]
    return sent == [{"total": total}] and f"Total: {total}" in after["text"], f"total {total}, {sent}"
"""
TYPED = """
def requirement_1(before, after):
    sent = [each["fields"] for each in after["sent"]]
    return sent == [{"total": "TOTAL"}] and "Total: TOTAL" in after["text"], f"{sent}"
"""


@pytest.mark.first_case
@needs_chromium
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("typed", "probe", "task", "status"),
    [
        ("43", TYPED, "Enter the total of the bills. Thanks!", "unverified"),
        ("42", SUM, "Enter the total of the bills. Thanks!", "done"),
        ("43", TYPED, "Enter the total 43 for the bills. Thanks!", "done"),
        ("168", f"NO_INPUT = [1]\n{TYPED}", "Enter the hours of a week as the total. Thanks!", "done"),
    ],
    ids=["typed in", "worked out", "said by the task", "said to rest on nothing"],
)
async def test_what_is_entered_is_worked_out_from_what_was_shown(
    tmp_path: Path, httpserver: HTTPServer, typed: str, probe: str, task: str, status: str
) -> None:
    kept: list[str] = []

    def page(request: Request) -> Response:
        if request.method == "POST":
            kept.append(request.form["total"])
            return Response(status=303, headers={"location": "/bills"})
        said = f"Total: {kept[-1]}" if kept else ""
        return Response(FORM.format(rope=19, lamp=23, kept=said), content_type="text/html")

    def work(call: Call) -> dict[str, Any]:
        lines = call.text("volatile").splitlines()
        field, save = (
            next(line.split()[0] for line in lines if name in line) for name in ('text field "Total"', 'button "Save')
        )
        operations = [
            {"function": "keyboard_input", "control": field, "keys": typed},
            {"function": "click_input", "control": save},
        ]
        return {"operations": operations, "branch": "Continue"}

    httpserver.expect_request("/bills").respond_with_handler(page)
    contract = {**CONTRACT, "requirements": [{**CONTRACT["requirements"][0], "says": "The total is saved"}]}
    url = f"http://127.0.0.1:{httpserver.port}/bills"
    outcome, _, _ = await worked(tmp_path, url, work, probe=probe.replace("TOTAL", typed), contract=contract, task=task)
    assert kept == [typed], outcome
    assert outcome.status == status, outcome.why


BOX = Box(x=0, y=0, width=9, height=9)


def shown(*controls: tuple[str, str, str], text: str = "") -> Observation:
    window = Window(id=1, title="Hotel", app="Chromium", box=BOX, active=True, url="http://a.example/")
    return Observation(
        windows=(window,),
        controls=tuple(
            Control(label=f"{n}", role=role, name=name, owner=owner, box=BOX, window=1)
            for n, (role, name, owner) in enumerate(controls)
        ),
        text=text,
    )


def post(**fields: str) -> Sent:
    every = tuple(SentField(name=name, value=value) for name, value in fields.items())
    return Sent(method="POST", url="http://a.example/book", status=303, fields=every)


ROWS = shown(
    ("button", "Book", "Alder | 40 | Tue 8 Dec 15:00"),
    ("button", "Book", "Birch | 50 | Tue 8 Dec 16:00"),
    ("button", "Book", "Cedar | 60 | Wed 9 Dec 16:00"),
    ("button", "Menu", ""),
    ("button", "50 ▾", ""),
    ("button", "Tuesday ▾", ""),
    ("button", "Revoke", "Rook Says what is new. Authorized 3 May, 7 days a…"),
    ("button", "Revoke", "Notes Keeps all that is written in all rooms of the h…"),
    ("button", "Revoke", "Safari on a telephone, 3 days ago"),
)


@pytest.mark.parametrize(
    ("task", "pressed", "chosen"),
    [
        ("Book the cheapest room.", [1], True),
        ("Book Birch for me.", [1], False),
        ("Book the room for Tuesday 8 December at 4 pm.", [1], False),
        ("Book the room for 16:00.", [1], True),
        ("Book the rooms for 16:00.", [1, 2], False),
        ("Book all rooms.", [0, 1, 2], False),
        ("Open the menu.", [3], False),
        ("预订Birch房间", [1], False),
        ("Show 20 rooms a page.", [4], False),
        ("Revoke all authorized applications.", [6, 7], False),
        ("Revoke all applications.", [6, 7], True),
    ],
)
def test_an_entry_is_chosen_where_the_task_does_not_tell_it_from_others(task: str, pressed: list[int], chosen: bool) -> None:
    acts = [Act(ROWS, ROWS.controls[n], sent=(post(id=f"{n}"),)) for n in pressed]
    assert bool(unsaid(acts, ROWS, task).chosen) is chosen


def test_a_choice_that_led_to_nothing_is_none() -> None:
    acts = [Act(ROWS, ROWS.controls[0]), Act(ROWS, ROWS.controls[1], sent=(post(id="1"),))]
    assert unsaid(acts, ROWS, "Book Birch, please.").chosen == ()


@pytest.mark.parametrize(
    ("task", "typed", "found"),
    [
        ("Move it to 3 April.", "2026-04-03", Unsaid()),
        ("Move it to tomorrow.", "2026-04-03", Unsaid(worked=("2026-04-03",))),
        ("Enter Ann's number.", "555-1234", Unsaid(copied=("555-1234",))),
        ("Write that we are late.", "We are late, sorry.", Unsaid()),
        ("Search.", "777", Unsaid()),
    ],
)
def test_what_was_typed_counts_if_it_was_sent_and_is_not_in_the_task(task: str, typed: str, found: Unsaid) -> None:
    there = shown(("text field", "Value", ""), text="Ann: 555-1234")
    sent = () if typed == "777" else (post(value=typed),)
    acts = [Act(there, typed=(typed,)), Act(there, there.controls[0], sent=sent)]
    assert unsaid(acts, there, task) == found


def test_figures_are_altered_before_and_where_they_still_stand_and_not_in_what_came() -> None:
    start = ScreenState(shown(("cell", "40", ""), ("cell", "50", ""), text="Alder 40\nBirch 50"))
    end = ScreenState(
        shown(("cell", "40", ""), ("cell", "50", ""), text="Alder 40\nBirch 50, booked"),
        sent=(post(id="17"),),
        before=(start.look,),
    )
    shifted, turned, backwards = other_screens(start, end, entered=True)
    assert shifted.before.look.text == "Alder 51\nBirch 61"
    assert shifted.after.look.text == "Alder 51\nBirch 50, booked"
    assert [control.name for control in turned.after.look.controls] == ["50", "40"]
    assert turned.before.look.text == "Alder 50\nBirch 40"
    assert backwards.before.look.text == "Birch 50\nAlder 40"
    assert all(each.after.sent == end.sent for each in (shifted, turned, backwards))


def test_a_result_that_stands_elsewhere_has_all_that_was_shown_altered() -> None:
    look = shown(text="Alder 40\nBirch 50")
    shifted, *_ = other_screens(ScreenState(Observation()), ScreenState(look), entered=False)
    assert shifted.after.look.text == "Alder 51\nBirch 61"
