"""What can be started: the shell's folder of applications, which also has those of the Store, else the links of both start
menus. Never an error: where neither can be read, nothing is offered."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FOLDER = "shell:AppsFolder"
MOST_PROGRAMS = 2000
_LINKS = Path("Microsoft", "Windows", "Start Menu", "Programs")


def start_menu(com: Any, refused: type[Exception]) -> Mapping[str, str]:
    """What the shell opens for each program, by its name. ``com``: the module ``comtypes.client``; ``refused``: its
    error."""
    return _applications(com, refused) or links(
        Path(os.environ[name]) for name in ("ProgramData", "APPDATA") if name in os.environ
    )


def _applications(com: Any, refused: type[Exception]) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        items = com.CreateObject("Shell.Application", dynamic=True).NameSpace(FOLDER).Items()
        for number in range(min(items.Count, MOST_PROGRAMS)):
            one = items.Item(number)
            found.setdefault(str(one.Name), f"{FOLDER}\\{one.Path}")
    except (refused, OSError, AttributeError, TypeError):  # the folder is not there
        return {}
    return found


def links(places: Iterable[Path]) -> dict[str, str]:
    """The links below each of the folders, by their names."""
    found: dict[str, str] = {}
    for place in places:
        for folder, _, names in os.walk(place / _LINKS):
            for name in sorted(names):
                if name.casefold().endswith(".lnk") and len(found) < MOST_PROGRAMS:
                    found.setdefault(name[:-4], str(Path(folder, name)))
    return found
