"""Model strings, keys, profiles, and what an installation without extras says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deskcrew.errors import ConfigError, ModelFailure, UsageError, extra_installed
from deskcrew.models import profiles
from deskcrew.models.factory import check_there, create
from deskcrew.models.options import ModelOptions
from deskcrew.models.reference import KEY_VARIABLES, Reference, parse

KEYS = [name for names in KEY_VARIABLES.values() for name in names]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*KEYS, "OLLAMA_HOST", "OLLAMA_BASE_URL"]:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("local", Reference("local", "")),
        ("local:smollm2-135m-instruct", Reference("local", "smollm2-135m-instruct")),
        ("openai:gpt-5.2", Reference("openai", "gpt-5.2")),
        ("openai-responses:o3-pro", Reference("openai-responses", "o3-pro")),
        ("ollama:qwen3:8b", Reference("ollama", "qwen3:8b")),
        ("http://host:8000/v1/#org/name", Reference("server", "org/name", "http://host:8000/v1")),
        ("https://host/v1#name", Reference("server", "name", "https://host/v1")),
        ("scripted:a/b.json", Reference("scripted", "a/b.json")),
    ],
)
def test_model_strings(model: str, expected: Reference) -> None:
    assert parse(model) == expected


@pytest.mark.parametrize("model", ["", "gpt-5", "openai:", "server:x", "mistral:large", "http://host/v1", "LOCAL"])
def test_unknown_strings_list_what_is_known(model: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(model)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("model", "variable"),
    [("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY"), ("google:x", "GOOGLE_API_KEY")],
)
def test_missing_key_names_its_variable(model: str, variable: str) -> None:
    with pytest.raises(ModelFailure) as caught:
        create(model)
    assert variable in caught.value.hint


@pytest.mark.deep
async def test_keys_are_read_when_the_model_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, name in [("OPENAI_API_KEY", "openai:gpt-4o"), ("ANTHROPIC_API_KEY", "anthropic:claude-haiku-4-5"),
                           ("GEMINI_API_KEY", "google:gemini-2.5-flash")]:  # fmt: skip
        monkeypatch.setenv(variable, "k")
        model = create(name)
        assert model.name == name
        assert model.profile.vision
        await model.close()


async def test_openai_key_never_goes_to_another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "precious")
    model = create("http://127.0.0.1:1/v1#m")
    assert "precious" not in repr(vars(vars(model)["_model"].client))
    await model.close()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "http://127.0.0.1:11434/v1"),
        ({"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434/v1"),
        ({"OLLAMA_HOST": "box:1234"}, "http://box:1234/v1"),
        ({"OLLAMA_HOST": "https://box"}, "https://box:11434/v1"),
        ({"OLLAMA_BASE_URL": "http://box/v1/"}, "http://box/v1"),
    ],
)
async def test_address_of_ollama(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    model = create("ollama:qwen3")
    assert vars(model)["_model"].base_url.rstrip("/") == expected
    await model.close()


@pytest.mark.parametrize(("model", "extra"), [("openai:x", "openai"), ("anthropic:x", "anthropic")])
def test_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch, model: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, "deskcrew.models.pydantic_ai", None)
    with pytest.raises(ModelFailure) as caught:
        create(model, api_key="k")
    assert caught.value.hint == extra_installed(extra)


def test_missing_weights_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(ModelFailure) as caught:
        create("local", options=ModelOptions(store_folder=tmp_path, runtime_folder=tmp_path))
    assert "deskcrew models pull" in caught.value.hint
    with pytest.raises(UsageError, match="no model 'gpt'"):
        create("local:gpt", options=ModelOptions(store_folder=tmp_path, runtime_folder=tmp_path))


def test_the_nearest_model_is_named_for_one_that_is_not_there(tmp_path: Path) -> None:
    for model, nearest in {
        "gpt-4o": "openai:gpt-4o",
        "opnai:mine": "openai:mine",
        "local:smollm2-135m": "smollm2-135m-instruct",
    }.items():
        with pytest.raises(UsageError, match=f"Did you mean '{nearest}'"):
            check_there(model, ModelOptions(store_folder=tmp_path))
    with pytest.raises(ModelFailure, match="have not been downloaded"):
        check_there("local", ModelOptions(store_folder=tmp_path))
    check_there("openai:whatever", ModelOptions(store_folder=tmp_path))


def test_factory_imports_no_provider_library() -> None:
    code = (
        "import sys, deskcrew.models.factory, deskcrew.models.profiles, deskcrew.models.store\n"
        "print(sorted({'pydantic_ai', 'openai', 'xllamacpp', 'genai_prices'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("model", "name", "mode", "output"),
    [
        ("local", "local", "grammar", "guidance"),
        ("local:smollm2-135m-instruct", "local-tiny", "grammar", "guidance"),
        ("openai:gpt-4o", "openai", "validate", "native"),
        ("openai:gpt-5.2", "openai-reasoning", "validate", "native"),
        ("anthropic:claude", "anthropic", "validate", "tool"),
        ("ollama:qwen2.5vl:7b", "ollama-vision", "grammar", "native"),
        ("http://host/v1#qwen", "server", "grammar", "native"),
        ("something else", "unknown", "validate", "tool"),
    ],
)
def test_profiles_match_by_glob(model: str, name: str, mode: str, output: str) -> None:
    facts = profiles.find(model)
    assert (facts.profile.name, facts.profile.schema_mode, facts.output) == (name, mode, output)


def test_users_profiles_come_first(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[[profile]]\nmatch = ["http://box/*"]\noutput = "prompted"\ncontext = 4096\n')
    facts = profiles.find("http://box/v1#m", user_file=own)
    assert (facts.output, facts.profile.context) == ("prompted", 4096)
    assert profiles.find("local", user_file=own).profile.name == "local"


@pytest.mark.parametrize(
    ("model", "said", "reading"),
    [
        ("mine:large", "context = 128000", 12_000),
        ("mine:large", "context = 32768", 3276),
        ("mine:large", "context = 8192", 0),
        ("mine:large", "context = 128000\nreading = 500", 500),
        ("http://box/v1#m", "context = 128000", 12_000),
        ("http://box/v1#m", "context = 20000", 6000),
        ("http://box/v1#m", "seconds = 9", 6000),
    ],
)
def test_how_much_a_model_reads_follows_from_its_context_where_nobody_says_it(
    tmp_path: Path, model: str, said: str, reading: int
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'[[profile]]\nmatch = ["{model}"]\n{said}\n')
    assert profiles.find(model, user_file=own).profile.reading == reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[profile]]\nname='mine'\ncontxt=1", "mine"),
        ("profile = [", "own.toml"),
        ("[[profile]]\noutput='x'", "output"),
        ("[[profile]]\nmatch=['openai:*']\nscripted=true", "allowed only for scripted"),
    ],
)
def test_broken_profiles_name_file_and_field(tmp_path: Path, text: str, expected: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(ConfigError, match=expected) as caught:
        profiles.find("local", user_file=own)
    assert "own.toml" in str(caught.value)
