"""Changes a setting in the user's file, for every way in: its comments and whatever else it says stay."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from deskcrew.actions.files import replace
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.meant import did_you_mean
from deskcrew.settings import Limits, Settings, all_settings, settings_file

ON_PAGES = ("model", "crew", *(f"limits.{name}" for name in Limits.model_fields), "notify.runs", "notify.desktop")
"""What may be changed from a page, too. Where runs are kept, who comes in, and where something is sent, are for whoever may
write the file."""


def change(given: Mapping[str, str]) -> Settings:
    """Write settings by their names, '' takes one out of the file; the settings that are in force then. Either all of them
    are written or none. Raises UsageError for one that there is not, ConfigError for a value that it cannot have, and for a
    file that cannot be read or written."""
    names = [each.name for each in all_settings(Settings)]
    for name in given:
        if name not in names:
            raise UsageError(
                f"There is no setting {name!r}.{did_you_mean(name, names)}",
                hint="deskcrew settings lists them; for example: deskcrew settings limits.money 0.5",
            )
    file = settings_file()
    try:
        document = tomlkit.parse(file.read_text("utf-8") if file.exists() else "")
        for name, text in given.items():
            _put(document, name, text)
        found = {each.name: each.value for each in all_settings(Settings, Settings.load(**document.unwrap()))}
        for name, text in given.items():
            if text and isinstance(value := found[name], bool | int | float):
                _put(document, name, value)
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, tomlkit.dumps(document).encode())
    except TOMLKitError as error:
        raise ConfigError(f"{file}: {error}.", hint="Mend that line, or take it out.") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}.") from error
    return Settings.load()


def _put(document: MutableMapping[str, Any], name: str, value: str | float) -> None:
    """``value`` '' takes the setting out."""
    *tables, key = name.split(".")
    table = document
    for each in tables:
        table = table.setdefault(each, tomlkit.table())
    if value != "":
        table[key] = value
    elif key in table:
        del table[key]
