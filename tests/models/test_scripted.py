"""The scripted model fails as a real one does, and is loud when its script ends."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import pytest
from pydantic import BaseModel, Field

from deskcrew.errors import ConfigError, DeskcrewError, ModelFailure, UsageError
from deskcrew.models.client import Call, Malformed
from deskcrew.models.factory import create
from deskcrew.models.scripted import ScriptedModel
from support.scripts import ScriptRanOut

from .conftest import Choice, ask


class Write(BaseModel):
    function: Literal["write_file"]


class Read(BaseModel):
    function: Literal["read_file"]


class Acting(BaseModel):
    operations: list[Annotated[Write | Read, Field(discriminator="function")]]


GOOD = {"why": "I like it", "pick": "red"}


async def test_objects_texts_and_functions_answer_in_order() -> None:
    def green(call: Call) -> dict[str, str]:
        return {"why": call.role, "pick": "green"}

    model = ScriptedModel([GOOD, json.dumps(GOOD), green])
    answers = [await model.answer(ask(role=f"r{number}"), Choice) for number in range(3)]
    assert [answer.value for answer in answers] == [Choice(**GOOD), Choice(**GOOD), Choice(why="r2", pick="green")]
    assert [call.role for call in model.calls] == ["r0", "r1", "r2"]
    assert all(answer.usage.input and answer.usage.output for answer in answers)


async def test_reply_of_the_wrong_form_is_malformed() -> None:
    answer = await ScriptedModel([{"why": "x", "pick": "blue"}]).answer(ask(), Choice)
    assert isinstance(answer.value, Malformed)
    assert "pick: Input should be 'red' or 'green'" in answer.value.error


async def test_exception_in_the_script_is_raised() -> None:
    with pytest.raises(ModelFailure, match="no network"):
        await ScriptedModel([ModelFailure("no network")]).answer(ask(), Choice)


async def test_running_out_is_the_mistake_of_a_test_here() -> None:
    model = ScriptedModel([GOOD])
    await model.answer(ask(), Choice)
    with pytest.raises(ScriptRanOut, match=r"has no more replies for tester \(call 2\)") as caught:
        await model.answer(ask(), Choice)
    assert not isinstance(caught.value, DeskcrewError)


async def test_a_script_that_runs_out_behind_an_unknown_action_names_it() -> None:
    model = ScriptedModel([{"operations": [{"function": "write_fil"}]}])
    await model.answer(ask(), Acting)
    with pytest.raises(
        ScriptRanOut,
        match=r"Reply 1 of the script was not used: .*no 'write_fil' here\. Did you mean 'write_file'\?.*no more",
    ):
        await model.answer(ask(), Acting)


@pytest.mark.parametrize("replies", ["abc", GOOD, None])
def test_what_is_no_list_of_replies_is_said_with_an_example(replies: Any) -> None:
    with pytest.raises(UsageError, match="takes a list of replies") as caught:
        ScriptedModel(replies)
    assert "ScriptedModel([{" in caught.value.hint


async def test_a_reply_that_is_no_json_is_named() -> None:
    with pytest.raises(ModelFailure, match=r"Reply 1 of the script: .*set"):
        await ScriptedModel([{"pick": {1}}]).answer(ask(), Choice)


async def test_each_role_has_a_script_of_its_own_where_one_is_given() -> None:
    other = {"why": "it is mine", "pick": "green"}
    model = ScriptedModel({"Planner": [other], "Worker": [GOOD]})
    said = [(await model.answer(ask(role=role), Choice)).value for role in ("Worker", "Planner")]
    assert said == [Choice(**GOOD), Choice(**other)]
    for role, call in (("Worker", 3), ("Reviewer", 4)):
        with pytest.raises(ScriptRanOut, match=rf"has no more replies for {role} \(call {call}\)"):
            await model.answer(ask(role=role), Choice)


async def test_a_function_without_more_replies_has_run_out_like_a_list() -> None:
    replies = iter([GOOD])
    model = ScriptedModel(itertools.repeat(lambda _: next(replies)))
    await model.answer(ask(), Choice)
    with pytest.raises(ScriptRanOut, match="has no more replies for tester"):
        await model.answer(ask(), Choice)


async def test_slow_answer_can_be_cancelled() -> None:
    with anyio.move_on_after(0.01) as scope:
        await ScriptedModel([GOOD], seconds=3600).answer(ask(), Choice)
    assert scope.cancelled_caught


async def test_script_for_each_role_from_a_file(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"tester": [GOOD, 7]}))
    with pytest.raises(ConfigError, match=r"script\.json: Reply 2 for tester in the script is 7, which is not a reply\."):
        create(f"scripted:{script}")
    script.write_text(json.dumps({"other": [], "tester": [GOOD]}))
    assert (await create(f"scripted:{script}").answer(ask(), Choice)).value == Choice(**GOOD)


async def test_script_from_a_file(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([GOOD, "not json"]))
    model = create(f"scripted:{script}")
    assert model.name == f"scripted:{script}"
    assert (await model.answer(ask(), Choice)).value == Choice(**GOOD)
    assert isinstance((await model.answer(ask(), Choice)).value, Malformed)


@pytest.mark.parametrize("text", ["{", '{"a": 1}', "[1]"])
def test_broken_script_names_the_file(tmp_path: Path, text: str) -> None:
    script = tmp_path / "script.json"
    script.write_text(text)
    with pytest.raises(ConfigError, match=r"script\.json"):
        create(f"scripted:{script}")


@pytest.mark.parametrize("wrong", [3, ["Continue"], 3.5, {"a"}])
async def test_what_is_no_reply_is_told_with_what_one_looks_like(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"Reply 2 of the script is .*, which is not a reply\.") as raised:
        ScriptedModel([GOOD, wrong])
    assert '{"operations": [], "branch": "Continue"}' in raised.value.hint
    late = ScriptedModel([lambda _: wrong])
    with pytest.raises(UsageError, match=r"Reply 1 of the script is .*, which is not a reply\.") as raised:
        await late.answer(ask(), Choice)
    assert '{"operations": [], "branch": "Continue"}' in raised.value.hint
