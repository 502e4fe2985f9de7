"""Settings, journal and runs that are nobody's."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

MODELS = os.environ.get("DESKCREW_MODELS") or str(platformdirs.user_data_path("deskcrew") / "models")
"""Where `make model` put the local models; the one thing of the user's that tests share."""


def settle_in(home: Path, patch: pytest.MonkeyPatch) -> None:
    """Until the patch is undone, all of a user's folders are in ``home``, and no variable of the user's counts."""
    for name in list(os.environ):
        if name.startswith("DESKCREW_") or name.endswith("_API_KEY"):
            patch.delenv(name)
    patch.setenv("XDG_DATA_HOME", str(home / "data"))
    patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    patch.setenv("DESKCREW_MODELS", MODELS)
    patch.setenv("DESKCREW_CREW", "planned")  # most tests are of what is planned, assigned, judged and made again


def compare_words(patch: pytest.MonkeyPatch) -> None:
    """Until the patch is undone, no process compares texts by meaning."""
    patch.setenv("DESKCREW_MEMORY__EMBEDDER", "none")
