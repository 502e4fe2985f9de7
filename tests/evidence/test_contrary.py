"""What other pages say otherwise: of the same entry what was there before, the beginning of a text, one time more."""

from __future__ import annotations

import pytest

from deskcrew.environments.looking_aside import Glance
from deskcrew.evidence.contrary import contraries
from deskcrew.facts.observation import Box, Observation, Sent, SentField, Window

BOX = Box(x=0, y=0, width=9, height=9)
TEXT = "Brass lamp of the harbour pilot, given by his family in 1911 and lit for the last time that year."


def page(*lines: str, name: str = "list") -> Observation:
    window = Window(id=1, title=name, app="browser", box=BOX, active=True, url=f"http://harbour/{name}")
    return Observation(windows=(window,), text="\n".join(lines))


def against(before: Observation, now: Observation, other: Observation, *values: str, alone: bool = False) -> list[str]:
    fields = tuple(SentField(name=str(at), value=value) for at, value in enumerate(values))
    sent = (Sent(method="POST", url="http://harbour/", fields=fields),)
    front = other.active_window
    assert front is not None
    found = contraries((now,), (Glance(front.url, other, alone),), (before,), sent)
    return [each.thing.name for each in found]


BERTHS, MOVED = (
    ("Heron | berth 7", "Heron II | berth 8", "Tern | berth 3"),
    ("Heron | berth 21", "Heron II | berth 8", "Tern | berth 3"),
)


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (("7 - Heron", "8 - Heron II", "3 - Tern"), ["7 - Heron"]),
        (("21 - Heron", "8 - Heron II", "3 - Tern"), []),
        (("Heron moved from 7 to 21",), []),
        (("7 metres: 14 pounds a night",), []),
        (("3 - Tern",), []),
    ],
)
def test_an_entry_with_its_value_of_before_speaks_against_the_new_one(shown: tuple[str, ...], found: list[str]) -> None:
    assert against(page(*BERTHS), page(*MOVED), page(*shown, name="pier"), "2", "21") == found


@pytest.mark.parametrize(
    ("shown", "found"),
    [(TEXT[:60], [TEXT[:60].strip()]), (TEXT, []), (f"{TEXT[:60]}…", []), ("Brass lamp", [])],
)
def test_a_beginning_that_does_not_say_so_is_no_whole_text(shown: str, found: list[str]) -> None:
    assert against(page("Lamp"), page("Lamp", TEXT), page("Room", shown, name="room"), TEXT) == found


def test_what_was_sent_once_and_stands_there_twice_was_done_twice() -> None:
    once = "17 | Paper A4 | Leith"
    assert against(page("Order"), page("Order", once), page(once, name="all"), "Paper A4", "Leith") == []
    twice = page(once, "18 | Paper A4 | Leith", name="all")
    assert against(page("Order"), page("Order", once), twice, "Paper A4", "Leith") == ["18 | Paper A4 | Leith"]


def test_what_only_one_browser_shows_is_told_by_the_same_page_in_another() -> None:
    old, new = (
        page("Notices", "Lift: Monday", "Pool: June"),
        page("Notices", "Lift: Monday", "Pool: June", "Meeting: Friday 13"),
    )
    assert against(old, new, old, "Meeting", "Friday 13", alone=True) == ["Meeting: Friday 13"]
    assert against(old, new, new, "Meeting", "Friday 13", alone=True) == []
    assert against(old, new, page("Sign in"), "Meeting", "Friday 13", alone=True) == []


def test_an_application_that_keeps_its_state_in_its_browser_is_not_judged_by_another_one() -> None:
    old, new = (
        page("Notices", "Lift: Monday", "Pool: June"),
        page("Notices", "Lift: Monday", "Pool: June", "Meeting: Friday 13"),
    )
    fields = (SentField(name="notices[3].day", value="Friday 13"),)
    for changed, found in ((False, 1), (True, 0)):
        sent = (Sent(method="PUT", url="http://harbour/", fields=fields, changed=changed),)
        assert len(contraries((new,), (Glance("http://harbour/list", old, alone=True),), (old,), sent)) == found


def test_a_view_that_nothing_led_to_there_is_not_seen_and_says_nothing() -> None:
    old, new = (
        page("Notices", "Lift: Monday", "Pool: June"),
        page("Notices", "Lift: Monday", "Pool: June", "Meeting: Friday 13"),
    )
    sent = (Sent(method="POST", url="http://harbour/", fields=(SentField(name="day", value="Friday 13"),)),)
    for lost, found in ((False, 1), (True, 0)):
        glance = Glance("http://harbour/list", old, alone=True, lost=lost)
        assert len(contraries((new,), (glance,), (old,), sent)) == found


@pytest.mark.parametrize(("method", "listed", "found"), [("POST", True, 0), ("PUT", False, 0), ("POST", False, 1)])
def test_entries_that_had_before_what_was_sent_now_are_none_more(method: str, listed: bool, found: int) -> None:
    bulbs, tank = "Change bulbs | done | Ines", "Check tank | done | Ines"
    fields = (SentField(name="state", value="done"), SentField(name="by", value="Ines"))
    sent = (Sent(method=method, url="http://harbour/", fields=fields),)
    before = page(*((bulbs, "Check tank | due | nobody") if listed else ("Check tank",)), name="list" if listed else "one")
    other = Glance("http://harbour/list", page(bulbs, tank), alone=True)
    assert len(contraries((page("Check tank", "done", name="one"),), (other,), (before,), sent)) == found


def test_what_many_entries_have_in_common_does_not_tell_one_of_them() -> None:
    head = "Bulbs | state done | by Ines"
    before, now = page(head, "Tank | state due | by nobody"), page(head, "Tank | state done | by Ann")
    assert against(before, now, page("Fence | state due | by nobody", name="open"), "done", "Ann") == []
    assert against(before, now, page("Tank | state due | by nobody", name="open"), "done", "Ann") == [
        "Tank | state due | by nobody"
    ]
