"""What a Verifier is told of screens: what is new and what is gone on another page, and how far a text was read."""

from __future__ import annotations

from deskcrew.environments.looking_aside import Glance
from deskcrew.evidence.screen import ScreenState, counter_states, told
from deskcrew.facts.observation import Box, Observation, Sent, SentField, Window

BOX = Box(x=0, y=0, width=9, height=9)
SENT = (Sent(method="POST", url="http://pier/berths", fields=(SentField(name="gone", value="Heron"),)),)


def page(*lines: str, name: str = "list") -> Observation:
    window = Window(id=1, title=name, app="browser", box=BOX, active=True, url=f"http://pier/{name}")
    return Observation(windows=(window,), text="\n".join(lines))


def ended(other: Observation, *before: Observation) -> ScreenState:
    looks = (page("Start", name="start"), *before)
    return ScreenState(
        page("Removed", name="done"), sent=SENT, looks=before, before=looks, others=(Glance("http://pier/list", other),)
    )


BOATS = page("Berths", "Heron: 7", "Tern: 3", "Petrel: 9")


def test_a_line_that_has_gone_from_another_page_is_not_told_as_shown() -> None:
    text = told(ScreenState(page("Start", name="start")), ended(page("Berths", "Tern: 3", "Petrel: 9"), BOATS))
    (line,) = (each for each in text.splitlines() if each.startswith("Opened besides"))
    assert 'no longer: ["text Heron: 7"]' in line
    assert "new or other" not in line


def test_what_is_incidental_is_asked_of_a_thing_and_its_page() -> None:
    now = page("Berths", "Tern: 3", "Petrel: 9", "Free: 7")
    end = ScreenState(now, sent=SENT, looks=(BOATS,), before=(BOATS,), pages=(now,))
    things = [thing for each in counter_states(ScreenState(BOATS), end) for thing in each.shown]
    assert things
    assert {thing.page for thing in things} == {"http://pier/list"}
