"""The user's own desktop: what is in the way is said plainly; what is not works like a virtual one."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import cast

import pytest
from tests.environments.linux.conftest import desktop_in

from deskcrew.environments.linux.real import connect_real
from deskcrew.environments.linux.sandbox.sandbox import DesktopSandbox
from deskcrew.errors import EnvironmentFailure


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "GNOME"}, "Wayland session of GNOME"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "Wayland"),
        ({}, "no display"),
        ({"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"}, "session bus"),
    ],
)
def test_what_is_in_the_way_is_said(tmp_path: Path, variables: dict[str, str], said: str) -> None:
    with pytest.raises(EnvironmentFailure, match=said) as caught:
        connect_real(tmp_path, environment=variables)
    assert caught.value.hint


@pytest.mark.desktop
def test_a_display_that_is_not_there(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        bus = cast(DesktopSandbox, desktop.session).run.path / "bus"
        variables = {"DISPLAY": ":4711", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={bus}"}
        with pytest.raises(EnvironmentFailure, match="cannot be reached"):
            connect_real(tmp_path, environment=variables)
