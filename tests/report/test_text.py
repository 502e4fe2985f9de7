"""Hostile text does nothing to a terminal, and figures are honest."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.ways_in.report import text


@given(st.text() | st.text(alphabet="\x1b[]0;m\x07\x9b\u202e\u2028\nab"))
def test_nothing_a_terminal_obeys_is_left(hostile: str) -> None:
    for character in text.clean(hostile):
        harmless = character in "\n\u200c\u200d" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        assert harmless, f"{character!r} is left of {hostile!r}"


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]0;title\x07 rm -rf /", "␛]0;title␇ rm -rf /"),
        ("\x1b[2J\x1b[H", "␛[2J␛[H"),
        ("safe\rDANGER", "safe␍DANGER"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("x\x7f\x00", "x␡␀"),
        ("\ud800", "\ufffd"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\tb\r\nc", "a    b\nc"),
        ("Grüße, 你好 👩‍👩‍👧", "Grüße, 你好 👩‍👩‍👧"),
    ],
)
def test_control_characters_are_shown_not_dropped(hostile: str, shown: str) -> None:
    """A dropped sequence could hide what somebody is asked to approve."""
    assert text.clean(hostile) == shown


def test_one_line_is_one_line_and_cut_visibly() -> None:
    assert text.one_line("a\n\n  b\x0b") == "a b␋"
    cut = text.one_line("x" * 500, 20)
    assert len(cut) == 20
    assert cut.endswith("…")
    assert text.one_line("x" * 20, 20) == "x" * 20


def test_some_counts_the_rest() -> None:
    assert text.some(["a", "b"]) == "a, b"
    assert text.some([str(n) for n in range(9)], 2) == "0, 1 and 7 more"


@pytest.mark.parametrize(
    ("value", "words"), [(None, "unknown"), (0.0, "free"), (0.00042, "$0.0004"), (0.5, "$0.5000"), (12.345, "$12.35")]
)
def test_unknown_money_is_never_nothing(value: float | None, words: str) -> None:
    assert text.money(value) == words


@pytest.mark.parametrize(("value", "words"), [(0.04, "0.0 s"), (9.96, "10.0 s"), (59.4, "59 s"), (125, "2 min 05 s")])
def test_seconds(value: float, words: str) -> None:
    assert text.seconds(value) == words


@pytest.mark.parametrize(("value", "words"), [(1, "1 byte"), (999, "999 bytes"), (1.1e9, "1.1 GB"), (2e12, "2000.0 GB")])
def test_size(value: float, words: str) -> None:
    assert text.size(value) == words
