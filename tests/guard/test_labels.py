"""What names of controls say, in six languages and in disguise: measured on names that the tables were not made from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.guard.guard import Guard
from deskcrew.guard.policy import Policy
from deskcrew.guard.words import Words

BOX = Box(x=0, y=0, width=9, height=9)
LABELS: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))
BUILT, UNSEEN = 0, 1
Risk = Callable[..., str]


@pytest.fixture(scope="module")
def risk(tmp_path_factory: pytest.TempPathFactory) -> Risk:
    """What the guard says that pressing a control of a name does."""
    guard = Guard(Policy.default(), "virtual")
    workspace = Workspace(tmp_path_factory.mktemp("w"))

    def judged(name: str, role: str = "button") -> str:
        window = Window(id=1, title="Program", app="program", box=BOX, active=True)
        control = Control(label="1", role=role, name=name, box=BOX, window=1, operations=("click",))
        scene = Scene(workspace, Sandbox(workspace.root), None, Observation(windows=(window,), controls=(control,)))
        operation = Operation(function="click_input", control="1")
        return guard.decide(operation, builtin()["click_input"], scene).risk

    return judged


@pytest.mark.parametrize(("half", "missed_at_most", "false_at_most"), [(BUILT, 0, 0), (UNSEEN, 0.1, 0.05)])
def test_few_risky_names_are_missed_and_few_harmless_ones_asked_about(
    risk: Risk, half: int, missed_at_most: float, false_at_most: float
) -> None:
    risky = [
        (language, name)
        for language, of in LABELS.items()
        for kind in of
        if kind != "harmless"
        for name in of[kind][half::2]
    ]
    harmless = [(language, name) for language, of in LABELS.items() for name in of["harmless"][half::2]]
    missed = [named for named in risky if risk(named[1]) == "write"]
    false = [named for named in harmless if risk(named[1]) != "write"]
    assert len(missed) <= missed_at_most * len(risky), missed
    assert len(false) <= false_at_most * len(harmless), false


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Рay", "spend"),  # Cyrillic Р
        ("DЕLETE", "destroy"),  # Cyrillic Е
        ("Pαy now", "spend"),  # Greek α
        ("S\u200be\u200dn\u2060d", "send"),
        ("D\u00adelete 3 files", "destroy"),  # soft hyphen
        ("d e l e t e  disk", "destroy"),
        ("P.A.Y now", "spend"),
        ("S e n d", "send"),
        ("A B C", "write"),
        ("Ｂｕｙ it", "spend"),
        ("𝐒𝐞𝐧𝐝", "send"),
        ("LOSCHEN", "destroy"),
        ("SUPPRIMER DEFINITIVEMENT", "destroy"),
        ("€9.99/month", "spend"),
        ("USD 5", "spend"),
        ("3 元", "spend"),
        ("Continue · CHF 20.–", "spend"),
        ("Save & send", "send"),
        ("Yes, delete it", "destroy"),
        ("Order #3: delete", "destroy"),
        ("Delete order history", "destroy"),
        ("Approve", "send"),
        ("Void", "destroy"),
        ("Record payment", "send"),
        ("Under $25", "write"),
        ("$25 - $50", "write"),
        ("Send feedback later", "write"),
        ("Remove filter", "write"),
        ("Paid", "write"),
        ("Sending options", "write"),
    ],
)
def test_names_are_read_through_their_disguise_and_in_their_phrase(risk: Risk, name: str, expected: str) -> None:
    assert risk(name) == expected


def test_a_price_spends_on_a_button_and_not_on_a_link(risk: Risk) -> None:
    assert risk("$49.99") == "spend"
    assert risk("USB-C cable $49.99", "link") == "write"


@pytest.mark.parametrize("name", ["Valider la commande", "Confirmer la commande"])
def test_a_filler_that_begins_a_phrase_takes_nothing_of_it_away(name: str) -> None:
    assert Words.load().names.of(name).risk == "spend"
