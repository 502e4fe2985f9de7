"""What hands do on a real X server is heard, whichever program gets it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.screen.input import Input
from deskcrew.environments.linux.screen.person_input import RecordedHands
from deskcrew.environments.linux.screen.x11 import Display
from deskcrew.environments.person_input import Gesture, Key, Press, WheelTurn
from support.waiting import LATEST

pytestmark = pytest.mark.desktop


@pytest.fixture
def hands(editor: LinuxDesktop) -> Iterator[RecordedHands]:
    with closing(editor.hands()) as listening:
        yield listening


@pytest.fixture
def person(editor: LinuxDesktop) -> Iterator[Input]:
    """Mouse and keyboard of another client than ours."""
    assert editor._dial is not None  # pyright: ignore[reportPrivateUsage]
    with closing(Display(editor._dial())) as display:  # pyright: ignore[reportPrivateUsage]
        yield Input(display)


def heard(hands: RecordedHands, count: int) -> list[Gesture]:
    found: list[Gesture] = []
    deadline = time.monotonic() + LATEST
    while len(found) < count:
        assert time.monotonic() < deadline, found
        found += hands.taken()
        time.sleep(0.02)
    return found


def test_characters_are_those_that_were_typed(hands: RecordedHands, person: Input) -> None:
    text = "Grüße, A@b 東 😀!"
    person.type(text)
    found = heard(hands, len(text))
    assert "".join(each.character for each in found if isinstance(each, Key)) == text


def test_keys_with_others_have_names(hands: RecordedHands, person: Input) -> None:
    for keys in (("ctrl", "s"), ("ctrl", "shift", "z"), ("alt", "f5"), ("shift", "tab"), ("escape",), ("enter",)):
        person.press(keys)
    found = [(each.held, each.name) for each in heard(hands, 6) if isinstance(each, Key)]
    assert found[:3] == [(("ctrl",), "s"), (("ctrl", "shift"), "z"), (("alt",), "f5")]
    assert found[3] == (("shift",), "tab")
    assert found[4:] == [((), "escape"), ((), "return")]


def test_buttons_wheel_and_drags_have_places(hands: RecordedHands, person: Input) -> None:
    person.click(300, 310, button="right")
    person.scroll(320, 330, -2)
    person.drag((200, 210), (260, 270))
    right, one, two, drag = heard(hands, 4)
    assert isinstance(right, Press)
    assert (right.point, right.to, right.button) == ((300, 310), (300, 310), "right")
    assert all(isinstance(each, WheelTurn) and (each.point, each.notches) == ((320, 330), -1) for each in (one, two))
    assert isinstance(drag, Press)
    assert (drag.point, drag.to) == ((200, 210), (260, 270))


def test_what_was_typed_is_in_no_text_of_it(hands: RecordedHands, person: Input) -> None:
    person.type("Q")
    assert "Q" not in repr(heard(hands, 1))


def test_it_can_be_closed_twice_while_it_listens(editor: LinuxDesktop) -> None:
    listening = editor.hands()
    listening.close()
    listening.close()
