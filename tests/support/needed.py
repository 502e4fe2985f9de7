"""What a test needs of the machine and could not have."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

from deskcrew.errors import EnvironmentFailure


def skip_without(failure: EnvironmentFailure) -> NoReturn:
    """Skips the test, saying why. The integration machine has everything, so there it is an error: tests that are skipped
    because a browser did not start would look like tests that passed."""
    if os.environ.get("CI"):
        raise failure
    pytest.skip(f"{failure} {failure.hint}")
