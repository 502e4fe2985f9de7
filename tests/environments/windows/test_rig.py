"""Windows programs in the rig of ``tools/windows-rig``: skipped where it is not set up."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from support.windows_rig import Rig, rig

pytestmark = [pytest.mark.deep, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("windows")) as made:
        yield made


def test_windows_python_has_what_the_agent_needs(windows: Rig) -> None:
    program = """
import json, sys
import comtypes, PIL.ImageGrab, psutil, pydantic, uiautomation, websockets
print(json.dumps([sys.platform, sys.version_info[:2]]))
"""
    assert json.loads(windows.python(program)) == ["win32", [3, 11]]


def test_what_goes_through_a_pipe_arrives_as_it_was(windows: Rig) -> None:
    every = bytes(range(256)) * 1000
    program = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert windows.python(program, every) == every


def test_a_picture_shows_the_whole_display(windows: Rig) -> None:
    program = "import json; from PIL import ImageGrab; print(json.dumps(ImageGrab.grab().size))"
    assert json.loads(windows.python(program)) == [1280, 800]
