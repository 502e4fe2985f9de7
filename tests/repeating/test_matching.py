"""Finding a control again: by role, name and place, and never a wrong one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.learning.repeating.effects import difference
from deskcrew.learning.repeating.matching import Missing, find_control, find_focus, find_in_front, find_window
from deskcrew.learning.repeating.titles import fits, loosen, plain
from deskcrew.learning.repeating.values import Replacing, Value

FRAME = Box(x=100, y=50, width=400, height=300)


def same(text: str) -> tuple[str, ...]:
    return (text,)


def renamed(text: str) -> tuple[str, ...]:
    """As if may.csv were june.csv now."""
    return (text.replace("may", "june"),) if "may" in text else (text,)


def window(title: str = "may.csv - Editor", id: int = 1, **more: Any) -> Window:
    return Window(**{"id": id, "title": title, "app": "editor", "box": FRAME, "active": True, **more})


def control(label: str, name: str = "Save", x: int = 0, y: int = 0, **more: Any) -> Control:
    """At this place in the window."""
    box = Box(x=FRAME.x + x, y=FRAME.y + y, width=40, height=20)
    return Control(
        **{"label": label, "role": "button", "name": name, "box": box, "window": 1, "operations": ("click",), **more}
    )


def look(*controls: Control, windows: tuple[Window, ...] = (window(),), focus: str | None = None) -> Observation:
    return Observation(windows=windows, controls=controls, focus=focus)


def found(then: Observation, now: Observation, forms: Any = same, label: str = "5") -> str:
    """The label that was found, else what is there instead."""
    match = find_control(label, then, now, forms, ("click",))
    return match.found if isinstance(match, Missing) else match.label


JUNE = (window("june.csv - Editor"),)
CASES: tuple[tuple[str, Observation, Observation, Any, str], ...] = (
    ("another number", look(control("5")), look(control("3", "Open"), control("17")), same, "17"),
    ("moved with its window", look(control("5")), look(control("8", box=Box(x=9, y=9, width=40, height=20))), same, "8"),
    ("a new value in its name", look(control("5", "may.csv")), look(control("6", "june.csv"), windows=JUNE), renamed, "6"),
    (
        "another role",
        look(control("5")),
        look(control("5", role="menu item")),
        same,
        "nothing of this kind among 1 controls",
    ),
    ("another name", look(control("5")), look(control("5", "Delete")), same, "of this kind there is 'Delete'"),
    (
        "the old file",
        look(control("5", "may.csv")),
        look(control("6", "may.csv"), windows=JUNE),
        renamed,
        "of this kind there is 'may.csv'",
    ),
    ("two, one at its place", look(control("5", x=200)), look(control("6", x=10), control("7", x=203)), same, "7"),
    ("two, one much nearer", look(control("5", x=200)), look(control("6", x=20), control("7", x=170)), same, "7"),
    (
        "two as far",
        look(control("5", x=200)),
        look(control("6", x=140), control("7", x=250)),
        same,
        "2 of them, none of which lies where it lay",
    ),
    (
        "the row decides, not the place",
        look(control("5", owner="Ann", y=100)),
        look(control("6", owner="Bo", y=100), control("7", owner="Ann", y=200)),
        same,
        "7",
    ),
    ("its row has gone", look(control("5", owner="Ann")), look(control("6", owner="Bo")), same, "only those of 'Bo'"),
    ("disabled", look(control("5")), look(control("6", operations=())), same, "it is there, and cannot be used now"),
    (
        "in another window of the same program",
        look(control("5")),
        look(control("6", window=2), windows=(window("Other", 2), window(active=False))),
        same,
        "'Other' in front",
    ),
    (
        "a dialog is no window",
        look(control("5")),
        look(control("6"), windows=(window(dialog=True),)),
        same,
        "open are: 'may.csv - Editor' (dialog)",
    ),
)


@pytest.mark.parametrize(("then", "now", "forms", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_control(then: Observation, now: Observation, forms: Any, expected: str) -> None:
    assert found(then, now, forms) == expected


def test_a_window_is_itself_when_it_is_not_saved() -> None:
    assert plain("*may.csv - Editor") == plain("may.csv - Editor")
    match = find_window(window(), look(windows=(window("*june.csv - Editor"),)), renamed)
    assert isinstance(match, Window)


def test_of_two_alike_windows_the_one_in_front_as_it_was() -> None:
    both = (window(id=1, active=False), window(id=2))
    match = find_window(window(id=9), look(windows=both), same)
    assert isinstance(match, Window)
    assert match.id == 2
    match = find_window(window(id=9, active=False), look(windows=both), same)
    assert isinstance(match, Window)
    assert match.id == 1


def test_keys_go_only_to_the_window_that_was_in_front() -> None:
    behind = look(windows=(window("Alert", 2, dialog=True), window(active=False)))
    match = find_in_front(look(), behind, same)
    assert isinstance(match, Missing)
    assert match.found == "'Alert' in front"
    assert find_in_front(look(windows=()), behind, same) is None


def test_typing_goes_only_to_what_had_the_focus() -> None:
    then = look(control("5", "Name", role="text field"), focus="5")
    assert find_focus(then, look(control("9", "Name", role="text field"), focus="9"), same) is None
    missing = find_focus(then, look(control("9", "Search", role="text field"), focus="9"), same)
    assert missing is not None
    assert missing.found == "it is on text field 'Search'"
    assert find_focus(look(), look(), same) is None


EFFECTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], str], ...] = (
    ("as then", ("may.csv - Editor", "Saved may.csv"), ("june.csv - Editor", "Saved june.csv"), ""),
    ("a dialog more", ("may.csv - Editor",), ("june.csv - Editor", "Alert"), "the window 'Alert' opened"),
    ("another dialog", ("may.csv - Editor", "Done"), ("june.csv - Editor", "Alert"), "the window 'Alert' opened"),
    ("none", ("may.csv - Editor", "Done"), ("june.csv - Editor",), "no such window opened"),
    ("another title", ("Saved may.csv",), ("Lost june.csv",), "'Lost june.csv'"),
    ("closed", (), ("june.csv - Editor",), "it did not"),
    ("closed too", ("may.csv - Editor",), (), "the window 'june.csv - Editor' closed"),
)


@pytest.mark.parametrize(("then", "now", "expected"), [case[1:] for case in EFFECTS], ids=[case[0] for case in EFFECTS])
def test_effects_differ_in_kind(then: tuple[str, ...], now: tuple[str, ...], expected: str) -> None:
    def after(titles: tuple[str, ...]) -> Observation:
        return look(windows=tuple(window(title, number) for number, title in enumerate(titles, 1)))

    was = (look(), after(then))
    is_ = (look(windows=(window("june.csv - Editor"),)), after(now))
    missing = difference(was, is_, renamed)
    assert (missing.found if missing else "") == expected


names = st.sampled_from(["Save", "Open", "", "may.csv"])
roles = st.sampled_from(["button", "text field"])


@st.composite
def looks(draw: st.DrawFn) -> Observation:
    count = draw(st.integers(1, 8))
    return look(
        *(
            control(
                str(number),
                draw(names),
                draw(st.integers(0, 300)),
                draw(st.integers(0, 200)),
                role=draw(roles),
                owner=draw(st.sampled_from(["", "Ann", "Bo"])),
            )
            for number in range(count)
        )
    )


@given(looks(), st.data())
def test_on_the_same_screen_it_is_itself_or_nothing(then: Observation, data: st.DataObject) -> None:
    """Also after the window moved and all numbers changed."""
    aimed = data.draw(st.sampled_from(then.controls))
    across, down = data.draw(st.integers(-50, 50)), data.draw(st.integers(-50, 50))

    def moved(box: Box) -> Box:
        return box.model_copy(update={"x": box.x + across, "y": box.y + down})

    order = data.draw(st.permutations(then.controls))
    now = look(
        *(c.model_copy(update={"label": f"n{c.label}", "box": moved(c.box)}) for c in order),
        windows=(window().model_copy(update={"box": moved(FRAME)}),),
    )
    match = find_control(aimed.label, then, now, same)
    if isinstance(match, Missing):
        assert "none of which lies" in match.found
    else:
        assert (match.role, match.name, match.owner) == (aimed.role, aimed.name, aimed.owner)
        assert match.box == moved(aimed.box)


@given(looks(), looks(), st.data())
def test_what_is_found_is_never_of_another_kind(then: Observation, now: Observation, data: st.DataObject) -> None:
    aimed = data.draw(st.sampled_from(then.controls))
    match = find_control(aimed.label, then, now, same)
    if not isinstance(match, Missing):
        assert (match.role, match.name) == (aimed.role, aimed.name)
        assert not aimed.owner or match.owner == aimed.owner


@pytest.mark.parametrize(
    ("then", "kept", "now", "same_one"),
    [
        ("Order 17 of 2026-11-24", (), "Order 4 of 2026-12-01", True),
        ("Order 17 of 2026-11-24", (), "Orders 4 of 2026-12-01", False),
        ("Inbox (3) - Mail", (), "* Inbox (12) - Mail", True),
        ("scan-0041.png - Viewer", (), "photo.png - Viewer", True),
        ("scan-0041.png - Viewer", (), "photo.csv - Viewer", False),
        ("may.csv - Editor", ("may.csv",), "june.csv - Editor", False),
        ("Room 42 - Plan", ("42",), "Room 43 - Plan", False),
        ("Room 42 on page 1", ("42",), "Room 42 on page 2", True),
        ("may.csv", (), "june.csv", False),
        ("2026", (), "2027", False),
        ("Room4 - Plan", (), "Room5 - Plan", False),
    ],
)
def test_a_title_may_have_another_number_or_file_name(then: str, kept: tuple[str, ...], now: str, same_one: bool) -> None:
    assert fits(then, loosen(then, kept))
    assert fits(now, loosen(then, kept)) == same_one


def test_a_window_of_another_number_is_found_where_it_is_the_only_one() -> None:
    then, forms = window("Order 17 - Shop"), Replacing((), {}).forms
    found = find_window(then, look(windows=(window("Order 18 - Shop", 3), window("Help", 4))), forms)
    assert isinstance(found, Window)
    assert found.id == 3
    several = look(windows=(window("Order 18 - Shop", 3), window("Order 19 - Shop", 4)))
    assert isinstance(find_window(then, several, forms), Missing), "which of them nobody can tell"
    exactly = look(windows=(window("Order 18 - Shop", 3), window("Order 17 - Shop", 4)))
    assert getattr(find_window(then, exactly, forms), "id", None) == 4
    named = Replacing((Value("text1", "17", "text", ()),), {"17": "18"}).forms
    assert isinstance(find_window(then, look(windows=(window("Order 19 - Shop"),)), named), Missing)
    opened = (look(windows=()), look(windows=(window("Order 17 - Shop"),)))
    assert difference(opened, (look(windows=()), look(windows=(window("Order 5 - Shop"),))), forms) is None
    assert difference(opened, (look(windows=()), look(windows=(window("Orders 5 - Shop"),))), forms) is not None
