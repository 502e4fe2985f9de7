"""Replies of an earlier run given again: in the labels and numbers of now, and only while the runs go the same way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deskcrew.engine.roles.role_kinds import Reply
from deskcrew.errors import ConfigError, ModelFailure
from deskcrew.facts.observation import CONTROLS
from deskcrew.models.client import Answer, Call, Text
from deskcrew.models.factory import create
from deskcrew.models.prices import price_known
from deskcrew.models.recorded import RecordedReply, controls_of, keep, relabelled


class Named(Reply):
    """A reply that names a control and cites a fact."""

    control: str
    sources: list[str]


def call(*lines: str, role: str = "Operator") -> Call:
    return Call(role=role, parts=(Text("\n".join(lines), "volatile"),), max_tokens=500)


def recorded(file: Path) -> str:
    then = call("12: a fact", "15: another", f'{CONTROLS}\n3 button "No"\n4 button "Yes" focused')
    raw = json.dumps({"control": "4", "sources": ["12"]})
    keep(file, [RecordedReply.to(then.text(), then.role, raw)])
    return f"recorded:{file}"


@pytest.mark.anyio
async def test_what_was_recorded_is_said_again_in_the_labels_and_numbers_of_now(tmp_path: Path) -> None:
    model = create(recorded(tmp_path / "replies.json"))
    said: Answer[Named] = await model.answer(
        call("20: a fact", "31: another", f'{CONTROLS}\n7 button "Yes"\n4 button "No"'), Named
    )
    assert isinstance(said.value, Named), said.value
    assert (said.value.control, said.value.sources) == ("7", ["20"])
    assert said.usage.input
    assert model.profile.contracts, "as a hosted model it says what must hold"


@pytest.mark.anyio
async def test_another_role_than_then_gets_no_reply_nor_one_more(tmp_path: Path) -> None:
    model = create(recorded(tmp_path / "replies.json"))
    with pytest.raises(ModelFailure, match="next recorded reply is the Operator's, but here the Planner has to"):
        await model.answer(call("", role="Planner"), Named)
    await model.answer(call(""), Named)
    with pytest.raises(ModelFailure, match="replies are used up, but here the Operator has to reply"):
        await model.answer(call(""), Named)


@pytest.mark.parametrize("content", [None, "no JSON", "[1]", '[{"reply": "x"}]', "{}"])
def test_a_file_that_holds_no_replies_is_said(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "replies.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=r"replies\.json") as problem:
        create(f"recorded:{file}")
    assert "deskcrew export" in problem.value.hint


def test_recorded_replies_are_known_to_cost_nothing() -> None:
    assert price_known("recorded:replies.json")


def test_a_control_is_found_again_by_what_is_said_of_it() -> None:
    then = f'On the screen:\n{CONTROLS}\n1 button "Save"\n2 text field "Name:"\n3 button ""\n4 button ""\n\n9 lines'
    now = f'{CONTROLS}\nin window "Save As":\n3 button ""\n4 button ""\n7 text field "Name:"\n2 button "Save"'
    raw = '{"operations": [{"control": "2", "keys": "2"}, {"control":"4"}, {"control": "1"}, {"control": "5"}]}'
    assert relabelled(raw, controls_of(then), now) == (
        '{"operations": [{"control": "7", "keys": "2"}, {"control":"4"}, {"control": "2"}, {"control": "5"}]}'
    )
    assert relabelled(raw, controls_of(then), then) == raw
    assert relabelled("no JSON", controls_of(then), now) == "no JSON"
    filled = f'{CONTROLS}\n9 text field "Name:" value "a.csv" focused\n2 button "Save"'
    assert relabelled('{"control": "1"}', {"1": 'text field "Name:" value "" focused'}, filled) == '{"control": "9"}'
    two = f'{CONTROLS}\n9 text field "Name:" value "a"\n8 text field "Name:" value "b"'
    assert relabelled('{"control": "1"}', {"1": 'text field "Name:"'}, two) == '{"control": "1"}'
