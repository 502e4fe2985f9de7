"""What a reader is shown of pages: all but what the crew itself wrote there."""

from __future__ import annotations

import pytest

from deskcrew.engine.steps.judging import _texts_shown  # pyright: ignore[reportPrivateUsage]
from deskcrew.evidence.screen import ScreenState
from deskcrew.facts.observation import Observation, Sent, SentField

MAIL = "Dear all, the boiler is checked on 12 May at 9. Please leave your keys. Kind regards from Ann"


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("Kind regards from Ann", "Dear all, the boiler is checked on 12 May at 9. Please leave your keys."),
        ("Thanks for that!\nAnn", MAIL),
        (MAIL, ""),
    ],
)
def test_a_signature_removes_no_more_than_itself(written: str, left: str) -> None:
    sent = Sent(method="POST", url="http://mail/", fields=(SentField(name="body", value=written),))
    shown = _texts_shown(ScreenState(Observation()), ScreenState(Observation(text=MAIL), (sent,), (Observation(text=MAIL),)))
    assert [text.strip() for text in shown] == ([left] if left else [])
