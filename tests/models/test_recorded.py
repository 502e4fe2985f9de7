"""Cassettes: what was recorded is answered again, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deskcrew.errors import ConfigError, ModelFailure
from deskcrew.models.client import Call, Image, Malformed, Profile, Text
from deskcrew.models.recorded import CassetteMismatch, RecordedModel, RecordingModel
from deskcrew.models.scripted import ScriptedModel

from .conftest import Choice, ask

PROFILE = Profile(name="test")
GOOD = {"why": "I like it", "pick": "red"}


async def record(path: Path, *calls: Call) -> list[object]:
    replies = [GOOD, {"pick": "blue"}, ModelFailure("refused", hint="set a key", status=401)]
    model = RecordingModel(ScriptedModel(replies), path)
    seen: list[object] = []
    for call in calls:
        try:
            seen.append(await model.answer(call, Choice))
        except ModelFailure as error:
            seen.append(error)
    await model.close()
    return seen


async def test_answers_mistakes_and_failures_are_replayed_as_they_were(tmp_path: Path) -> None:
    calls = [ask("one"), ask("two"), ask("three")]
    recorded = await record(tmp_path / "c.jsonl", *calls)
    model = RecordedModel(tmp_path / "c.jsonl", PROFILE)
    assert await model.answer(calls[0], Choice) == recorded[0]
    again = await model.answer(calls[1], Choice)
    assert again == recorded[1]
    assert isinstance(again.value, Malformed)
    with pytest.raises(ModelFailure, match="refused") as caught:
        await model.answer(calls[2], Choice)
    assert (caught.value.status, caught.value.hint) == (401, "set a key")
    assert model.left == 0


async def test_another_prompt_is_refused_and_the_difference_shown(tmp_path: Path) -> None:
    await record(tmp_path / "c.jsonl", ask("line one\nline two"))
    model = RecordedModel(tmp_path / "c.jsonl", PROFILE)
    with pytest.raises(CassetteMismatch) as caught:
        await model.answer(ask("line one\nline 2"), Choice)
    message = str(caught.value)
    assert "part 1 (task)" in message
    assert "-line two" in message
    assert "+line 2" in message
    assert "line one" not in message


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"role": "planner"}, "role was 'tester', is 'planner'"),
        ({"seed": 7}, "sampling was"),
        ({"parts": ()}, "it had 2 parts"),
    ],
)
async def test_mismatch_says_what_differs(tmp_path: Path, change: dict[str, object], expected: str) -> None:
    await record(tmp_path / "c.jsonl", ask())
    with pytest.raises(CassetteMismatch, match=expected):
        await RecordedModel(tmp_path / "c.jsonl", PROFILE).answer(replace(ask(), **change), Choice)  # type: ignore[arg-type]


async def test_pictures_are_compared_by_digest_and_not_stored(tmp_path: Path) -> None:
    def call(data: bytes) -> Call:
        return Call("r", (Text("look", "task"), Image(data, "image/png", "volatile")), 50)

    await record(tmp_path / "c.jsonl", call(b"first picture"))
    assert b"first picture" not in (tmp_path / "c.jsonl").read_bytes()
    with pytest.raises(CassetteMismatch, match=r"part 1 \(volatile\)"):
        await RecordedModel(tmp_path / "c.jsonl", PROFILE).answer(call(b"second picture"), Choice)


async def test_asking_past_the_end(tmp_path: Path) -> None:
    await record(tmp_path / "c.jsonl", ask())
    model = RecordedModel(tmp_path / "c.jsonl", PROFILE)
    await model.answer(ask(), Choice)
    with pytest.raises(CassetteMismatch, match="ended after 1 exchanges"):
        await model.answer(ask(), Choice)


def test_unreadable_cassette(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("{}\n")
    with pytest.raises(ConfigError, match=r"c\.jsonl line 1"):
        RecordedModel(tmp_path / "c.jsonl", PROFILE)
