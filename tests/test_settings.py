"""Where a setting comes from, which source wins, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.errors import ConfigError
from deskcrew.settings import Limits, Settings


@pytest.fixture
def toml(own_settings: Path) -> Path:
    path = own_settings / "config" / "deskcrew" / "settings.toml"
    path.parent.mkdir(parents=True)
    return path


def test_defaults_need_no_file_and_are_below_the_users_folders(own_settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DESKCREW_MODELS")
    monkeypatch.delenv("DESKCREW_CREW")
    settings = Settings.load()
    assert (settings.model, settings.crew) == ("local", "default")
    assert settings.data == own_settings / "data" / "deskcrew"
    assert settings.models == settings.data / "models"
    assert settings.journal == settings.data / "journal.db"
    assert settings.config == own_settings / "config" / "deskcrew"


def test_a_text_without_quotation_marks_is_told_to_have_them(toml: Path) -> None:
    toml.write_text('crew = "default"\nmodel = local  # mine\n')
    with pytest.raises(ConfigError, match="line 2, column 9") as raised:
        Settings.load()
    assert raised.value.hint == 'Text needs quotation marks: model = "local"'
    toml.write_text("model = [\n")
    with pytest.raises(ConfigError) as raised:
        Settings.load()
    assert raised.value.hint == "Mend that line."


def test_the_default_limits_are_the_documented_ones() -> None:
    assert Settings.load().limits.model_dump() == {
        "replies": 200,
        "operations": None,
        "stalls": 12,
        "repairs": 3,
        "reassignments": 3,
        "appeals": 3,
        "replans": 3,
        "rounds": None,
        "format_retries": 3,
        "repeats": 3,
        "tokens": None,
        "seconds": None,
        "money": None,
    }


def test_a_flag_wins_over_a_variable_and_a_variable_over_the_file(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml.write_text('model = "from-file"\ncrew = "from-file"\n[limits]\nreplies = 5\nrepairs = 1\n')
    monkeypatch.delenv("DESKCREW_CREW")
    settings = Settings.load()
    assert (settings.model, settings.crew, settings.limits.replies) == ("from-file", "from-file", 5)
    monkeypatch.setenv("DESKCREW_MODEL", "from-variable")
    monkeypatch.setenv("DESKCREW_LIMITS__REPLIES", "7")
    settings = Settings.load()
    assert (settings.model, settings.crew) == ("from-variable", "from-file")
    assert (settings.limits.replies, settings.limits.repairs) == (7, 1)
    assert Settings(model="from-flag").model == "from-flag"  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("[limits]\nreplies = 0\n", "limits.replies"),
        ('[limits]\nseconds = "soon"\n', "limits.seconds"),
        ("model = 3\n", "model"),
        ("[search]\nprovider = 'google'\n", "search.provider"),
        ("[search]\nprovider = 'searxng'\n", "search"),
        ("[search]\nprovider = 'searxng'\naddress = '127.0.0.1:8888'\n", "search.address"),
        ("[search]\nprovider = 'searxng'\naddress = 'http://[::1'\n", "search.address"),
        ("[search]\nprovider = 'searxng'\naddress = 'http://x.example/?q=1'\n", "search.address"),
        ("[search]\nprovider = 'searxng'\naddress = 'https://me:pass@x.example'\n", "search.address"),
    ],
)
def test_a_wrong_field_of_the_file_is_named(toml: Path, content: str, field: str) -> None:
    toml.write_text(content)
    with pytest.raises(ConfigError, match=f"Setting '{field}':") as raised:
        Settings.load()
    assert "settings.toml" in raised.value.hint


def test_a_search_service_comes_from_file_and_variables(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.load().search.provider == "none"
    toml.write_text('[search]\nprovider = "searxng"\naddress = " http://127.0.0.1:8888/ "\n')
    assert Settings.load().search.address == "http://127.0.0.1:8888"
    monkeypatch.setenv("DESKCREW_SEARCH__ADDRESS", "https://search.example.org/sub")
    search = Settings.load().search
    assert (search.provider, search.address) == ("searxng", "https://search.example.org/sub")


def test_a_password_in_an_address_is_not_shown(toml: Path) -> None:
    toml.write_text('[search]\nprovider = "searxng"\naddress = "https://me:hunter2@x.example"\n')
    with pytest.raises(ConfigError, match="no user name and no password") as raised:
        Settings.load()
    assert "hunter2" not in f"{raised.value} {raised.value.hint}"


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_LIMITS__MONEY", "-1")
    with pytest.raises(ConfigError, match=r"Setting 'limits\.money':"):
        Settings.load()


def test_a_file_that_is_no_toml_is_an_error_for_a_person(toml: Path) -> None:
    toml.write_text("model = \n")
    with pytest.raises(ConfigError, match=r"settings\.toml"):
        Settings.load()


def test_settings_and_limits_do_not_change_under_a_run() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings.load().model = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        Limits.model_validate({}).replies = 1000  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE", "mysql://host/x"),
        ("DATABASE", "postgresql://me:secret@host/x"),
        ("DATABASE", "postgresql://host/x?password=secret"),
        ("BLOBS", "s3://key:secret@bucket"),
        ("BLOBS", "blobs"),
    ],
)
def test_an_address_holds_no_password_and_is_one(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"DESKCREW_{name}", value)
    with pytest.raises(ConfigError, match=name.lower()) as raised:
        Settings.load()
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "field", "meant"),
    [
        ("[limits]\nreplys = 3\n", "limits.replys", " Did you mean 'limits.replies'?"),
        ("modell = 'x'\n", "modell", " Did you mean 'model'?"),
        ("[search]\nprovider = 'brave'\nkey = 'x'\n", "search.key", ""),
        ("zzzzzz = 1\n", "zzzzzz", ""),
    ],
)
def test_a_setting_that_there_is_not_is_named_with_the_nearest_and_the_file(
    toml: Path, content: str, field: str, meant: str
) -> None:
    toml.write_text(content)
    with pytest.raises(ConfigError) as raised:
        Settings.load()
    assert str(raised.value) == f"{toml}: there is no setting {field!r}.{meant}"


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("DESKCREW_MODLE", "The variable DESKCREW_MODLE is not a setting. Did you mean 'DESKCREW_MODEL'?"),
        (
            "DESKCREW_SERCH__PROVIDER",
            "The variable DESKCREW_SERCH__PROVIDER is not a setting. Did you mean 'DESKCREW_SEARCH'?",
        ),
        (
            "DESKCREW_LIMITS__OPERATONS",
            "The variable DESKCREW_LIMITS__OPERATONS: there is no setting 'limits.operatons'."
            " Did you mean 'limits.operations'?",
        ),
    ],
)
def test_a_misspelt_variable_is_named_with_the_setting_that_was_meant(
    variable: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "3")
    with pytest.raises(ConfigError) as raised:
        Settings.load()
    assert str(raised.value) == told


@pytest.mark.parametrize(
    "name",
    [
        "TOKEN",
        "AGENT_TOKEN",
        "API_KEY",
        "GROUNDING_KEY",
        "SECRET_PASSPHRASE",
        "EMBEDDINGS_API_KEY",
        "REASON",
        "OUTCOME",
        "SEED",
    ],
)
def test_other_variables_are_no_slips(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"DESKCREW_{name}", "3")
    Settings.load()


def test_the_settings_file_is_in_the_folder_of_configuration_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").write_text('model = "openai:x"\n')
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path))
    assert (Settings().config, Settings().model) == (tmp_path, "openai:x")
