"""Changes settings in the user's file, for all interfaces; comments and everything else in the file are kept."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from deskcrew.actions.files import replace
from deskcrew.engine.request import crew_names
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.meant import did_you_mean, unknown
from deskcrew.models.factory import check_there
from deskcrew.models.grounding import create
from deskcrew.models.options import ModelOptions
from deskcrew.secrets.store import check_known
from deskcrew.settings import Limits, Settings, all_settings, settings_file

ON_PAGES = ("model", "crew", *(f"limits.{name}" for name in Limits.model_fields), "notify.runs", "notify.desktop")
"""The settings that may be changed on a page, too. Where runs are stored, who has access, and where something is sent, can
only be changed by those who may write the file."""


def change(given: Mapping[str, str]) -> Settings:
    """Write settings, by name, to the user's file, and return the settings then in force; '' removes a setting from the
    file. Writes all of them or none. Raises UsageError or ModelFailure for the name of a setting, model, crew or secret that
    is not there, ConfigError for an invalid value, and for a file that cannot be read or written."""
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
        new = Settings.load(**document.unwrap())
        if given.get("model"):
            check_there(given["model"], ModelOptions.of(new))
        if (crew := given.get("crew")) and crew not in (there := crew_names(new)):
            raise unknown(f"There is no crew {crew!r}", crew, there)
        if secret := given.get("notify.secret"):
            check_known(new, [secret])
        if given.get("grounding.model"):
            create(new.grounding)
        found = {each.name: each.value for each in all_settings(Settings, new)}
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
    """Set a value in a TOML document; '' removes the setting."""
    *tables, key = name.split(".")
    table = document
    for each in tables:
        table = table.setdefault(each, tomlkit.table())
    if value != "":
        table[key] = value
    elif key in table:
        del table[key]
