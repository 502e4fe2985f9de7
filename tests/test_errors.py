"""Errors as one text."""

from __future__ import annotations

import pytest

from deskcrew.errors import ModelFailure


@pytest.mark.parametrize(
    ("message", "hint", "whole"),
    [
        ("Rate limit reached", "Wait.", "Rate limit reached. Wait."),
        ("Rate limit reached.", "Wait.", "Rate limit reached. Wait."),
        ("Why? ", "Wait.", "Why? Wait."),
        ("Rate limit reached", "", "Rate limit reached"),
        ("", "Wait.", "Wait."),
    ],
)
def test_message_and_hint_are_sentences(message: str, hint: str, whole: str) -> None:
    assert ModelFailure(message, hint=hint).whole == whole
