"""What a page would show had its entries only been taken away, and whether the user's words order that."""

from __future__ import annotations

import pytest

from deskcrew.evidence.taken_away import Speaking, taken_away
from deskcrew.facts.contract import Consent
from deskcrew.facts.observation import Box, Control, Observation, Window

BOX = Box(x=0, y=0, width=10, height=10)


def page(*lines: str, buttons: tuple[tuple[str, str], ...] = ()) -> Observation:
    window = Window(id=1, title="Devices", app="Chromium", box=BOX, active=True, url="http://one.example/devices")
    controls = tuple(
        Control(label=str(n), role="button", name=name, owner=owner, box=BOX, window=1)
        for n, (name, owner) in enumerate(buttons, 1)
    )
    return Observation(windows=(window,), controls=controls, text="\n".join(lines))


WAS = page(
    "Devices", "3 devices", "Boiler on", "Pump on", "Fan on", buttons=(("Out", "Boiler"), ("Out", "Pump"), ("Out", "Fan"))
)


def test_what_is_gone_is_gone_and_nothing_else_happened() -> None:
    now = page("Devices", "2 devices", "Boiler on", "Fan off", buttons=(("Out", "Boiler"), ("Out", "Fan")))
    taken = taken_away(now, [WAS])
    assert taken is not None
    assert taken.entries == ("Pump on",)
    assert taken.look.all_text.splitlines() == ["Devices", "2 devices", "Boiler on", "Fan on"], "the count is as it is now"
    assert [each.owner for each in taken.look.controls] == ["Boiler", "Fan"]


def test_an_entry_in_another_state_is_not_gone() -> None:
    now = page(
        "Devices",
        "3 devices",
        "Boiler on",
        "Pump off",
        "Fan on",
        buttons=(("Out", "Boiler"), ("In", "Pump"), ("Out", "Fan")),
    )
    assert taken_away(now, [WAS]) is None


def test_an_entry_that_is_a_button_alone_is_gone_too() -> None:
    was, now = (page("Tags", buttons=tuple((each, "") for each in names)) for names in (("Blue", "Green"), ("Green",)))
    taken = taken_away(now, [was])
    assert taken is not None
    assert taken.entries == ("Blue",)
    assert [each.name for each in taken.look.controls] == ["Green"]


@pytest.mark.parametrize(
    ("said", "quotes", "unordered"),
    [
        ("Disable the device Pump", (), True),
        ("Schalte die Pumpe aus", (), True),
        ("停用水泵 Pump", (), True),
        ("Disable the Boiler", (), False),
        ("Take out the device Pump", ("Take out the device Pump",), False),
        ("Disable the device Pump and take out the device Fan", ("take out the device Fan",), True),
        ("Disable Boiler and take out all that are on", ("take out all that are on",), False),
    ],
)
def test_only_what_the_words_speak_of_and_do_not_order_to_be_removed_counts(
    said: str, quotes: tuple[str, ...], unordered: bool
) -> None:
    removals = tuple(Consent(kind="withdraw", where="", quotes=(each,)) for each in quotes)
    now = page("Devices", "device Boiler on")
    assert Speaking(said, removals).unordered("device Pump on", now) is unordered
