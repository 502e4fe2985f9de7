"""A keyboard and mouse that a person uses, too: theirs is the first turn."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Generator
from contextlib import closing, contextmanager

import pytest

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.screen.input import Input
from deskcrew.environments.linux.screen.shared import SharedDisplay, TakingTurns, Turns
from deskcrew.environments.linux.screen.x11 import Display
from deskcrew.errors import ActionError, EnvironmentFailure
from support.needed import skip_without

pytestmark = pytest.mark.desktop


@contextmanager
def x_server(*options: str) -> Generator[str]:
    """An X server of our own; its name."""
    command = ["Xvfb", "-displayfd", "1", "-nolisten", "tcp", *options]
    try:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        skip_without(EnvironmentFailure("There is no Xvfb."))
    assert server.stdout is not None
    with server:
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()


@pytest.mark.parametrize("told", [True, False])
def test_a_server_that_does_not_tell_of_a_person_can_be_worked_on(told: bool) -> None:
    with (
        x_server("+extension" if told else "-extension", "MIT-SCREEN-SAVER") as name,
        closing(SharedDisplay(name=name)) as display,
    ):
        hands = display.keys_and_mouse()
        assert isinstance(hands, TakingTurns) == told
        hands.move(3, 4)
        pointer = display.core.QueryPointer(display.root).reply()
        assert (pointer.root_x, pointer.root_y) == (3, 4)


def test_while_a_person_uses_mouse_or_keyboard_the_crew_waits_or_says_why_it_does_nothing(desktop: LinuxDesktop) -> None:
    dial = desktop._dial  # pyright: ignore[reportPrivateUsage]
    assert dial is not None
    with closing(Display(dial())) as ours, closing(Display(dial())) as theirs:
        person, waits, restless = Input(theirs), list[float](), False

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            time.sleep(seconds)
            if restless:
                person.press(["a"])

        hands = TakingTurns(Input(ours), Turns(ours, quiet=0.3, patience=2.0, sleep=sleep))
        person.move(300, 300)
        hands.move(10, 20)
        assert waits, "until the person rests"
        waits.clear()
        hands.move(30, 40)
        assert not waits, "the last input was its own"
        time.sleep(0.2)  # what a person does while the run's own input goes on is taken for its own
        restless = True
        person.press(["a"])
        with pytest.raises(ActionError, match="A person uses mouse or keyboard there, and it was not done"):
            hands.move(50, 60)
        pointer = ours.core.QueryPointer(ours.root).reply()
        assert (pointer.root_x, pointer.root_y) == (30, 40), "what was refused was not done"
