"""What a Verifier is told of screens: what is new and what is gone on another page, and how far a text was read."""

from __future__ import annotations

from deskcrew.environments.looking_aside import Glance
from deskcrew.evidence.screen import LOOK_SHOWN, PageReading, ScreenState, counter_states, told
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


SIDE = "\n\n".join(f"[Section {n} of this site](http://pier/sections/{n})" for n in range(70))


def test_what_pages_repeat_of_each_other_takes_no_room_from_what_they_say() -> None:
    """Two lines alike may be about something else; a menu is longer."""
    pages = ["Heron\n\nFree: 7\n\nIn the harbour", "Tern\n\nFree: 7\n\nIn the dock"]
    read = tuple(PageReading(f"http://pier/{n}", f"{SIDE}\n\n{text}\n\nImpressum") for n, text in enumerate(pages))
    assert len(SIDE) > LOOK_SHOWN
    anew = page("Petrel").model_copy(update={"whole": f"{SIDE}\n\nPetrel\n\nFree: 9\n\nIn the dock\n\nImpressum"})
    again = page("Petrel").model_copy(update={"whole": anew.whole})
    text = told(ScreenState(page("Start")), ScreenState(anew, sent=SENT, read=(*read, read[0]), pages=(anew, again)))
    shown = {line.partition(": ")[0]: line.partition(": ")[2] for line in text.splitlines()}
    assert "sections/0" in shown["Read on the page at http://pier/0 (read[0])"]
    assert shown["Read on the page at http://pier/1 (read[1])"] == (
        r'"(70 lines as in read[0])\n\nTern\n\nFree: 7\n\nIn the dock\n\nImpressum"'
    )
    assert shown["Read on the page at http://pier/0 (read[2])"] == "nothing that is new"
    assert text.count("Its whole: ") == 1
    assert shown["Its whole"] == r'"(70 lines as in read[0])\n\nPetrel\n\nFree: 9\n\nIn the dock\n\nImpressum"'
