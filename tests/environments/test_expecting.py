"""What was approved is compared with what the latest look has, too."""

from __future__ import annotations

import pytest

from deskcrew.environments.expecting import Expected
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Identity


@pytest.mark.parametrize("approved", [Identity(role="button", name="Delete"), Identity(role="link", name="Pay")])
def test_a_label_that_is_another_control_by_now(approved: Identity) -> None:
    control = Control(label="1", role="button", name="Pay", box=Box(x=0, y=0, width=9, height=9), window=1)
    with pytest.raises(ActionError, match=f'{approved.role} "{approved.name}" that was approved'):
        Expected(control, approved).check_control(control, "button", "Pay")
    Expected(control).check_control(control, "button", "Pay")
    Expected(control, Identity(role="button", name="Pay")).check_control(control, "button", "Pay")
