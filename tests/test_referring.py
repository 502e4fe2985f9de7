"""What a reply may call a control that came up after it was shown the screen."""

from __future__ import annotations

import pytest

from deskcrew.actions.windows import CLICK_INPUT
from deskcrew.engine.steps.referring import resolve
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Control, Observation

BOX = Box(x=0, y=0, width=10, height=10)
SCREEN = (
    ("button", "Robert Kim (Physician)", ""),
    ("button", "⚙ Settings", ""),
    ("button", "Closed 10", ""),
    ("button", "Delete all", ""),
    ("button", "Sprint 24", ""),
    ("button", "Sprint 28", ""),
    ("button", "+ Add", "Prescription Refill Robert Kim ×"),
    ("button", "+ Add", "Test Results Robert Kim ×"),
    ("button", "Add", "Nurses Group"),
    ("option", "Sign in with Google", ""),
    ("button", "", "Row 3"),
    ("button", "Save", "Address"),
    ("link", "Save", "Address"),
    ("button", "JO James O'Brien", ""),
)


def label_of(said: str) -> str:
    controls = tuple(
        Control(label=str(number), role=role, name=name, owner=owner, box=BOX, window=1, operations=("click",))
        for number, (role, name, owner) in enumerate(SCREEN)
    )
    operation = Operation(function="click_input", control=said)
    found = resolve(operation, {"click_input": CLICK_INPUT}, Observation(controls=controls), lambda: None)
    assert found.control is not None
    return found.control


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("3", 3),
        ("Robert Kim", 0),
        ('button "Robert Kim (Physician)"', 0),
        ("settings", 1),
        ('button "Closed"', 2),
        ("Sprint 28", 5),
        ('button "+ Add" in "Prescription Refill"', 6),
        ('"+ Add" in "Test Results Robert Kim…"', 7),
        ('button "Add" in "Nurses"', 8),
        ('option "Sign in with Google"', 9),
        ('button in "Row 3"', None),
        ('button "Row 3"', 10),
        ('link "Save"', 12),
        ('option "Closed"', 2),
        ('row "+ Add" in "Prescription Refill"', 6),
        ("James O'Brien", 13),
    ],
)
def test_a_control_is_called_by_its_name_and_role_and_by_what_it_belongs_to(said: str, label: int | None) -> None:
    if label is None:
        with pytest.raises(ActionError, match="is called"):
            label_of(said)
    else:
        assert label_of(said) == str(label)


@pytest.mark.parametrize("said", ["Delete", "Sprint 2", "Robert", "Nurses", 'button "Add" in "Nur"', "Google", "", "Sett"])
def test_what_is_only_a_part_of_a_name_is_not_called_so(said: str) -> None:
    with pytest.raises(ActionError, match="is called"):
        label_of(said or "?")


@pytest.mark.parametrize(("said", "several"), [("Sprint", 2), ("+ Add", 2), ("Save", 2), ("+ Add in Robert Kim", 2)])
def test_of_several_that_are_called_so_none_is_taken(said: str, several: int) -> None:
    with pytest.raises(ActionError, match=f"{several} controls are called .* by its number"):
        label_of(said)
