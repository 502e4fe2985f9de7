"""A run whose programs wrote what others outside would obey is not done, and says what was put away where."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.required import required

pytestmark = pytest.mark.anyio


def doing(command: str) -> dict[str, object]:
    return {"operations": [{"function": "run_shell", "command": command}], "branch": "Continue"}


async def yes(question: OperationQuestion) -> Approval:
    return Approval(allowed=True)


@pytest.mark.parametrize("obeyed", [True, False])
async def test_a_run_with_something_put_away_is_not_done(obeyed: bool, tmp_path: Path) -> None:
    name = ".envrc" if obeyed else "envrc"
    wanted = required("file_contains a.txt hello", *([] if obeyed else ["file_contains envrc 'touch mark'"]))
    request = RunRequest(
        task="Write 'hello' into a.txt.", model="scripted:x", workspace=tmp_path / "work", crew="solo",
        mode="passive", desktop="none", unsafe_host=True, required=wanted,
    )  # fmt: skip
    replies: list[dict[str, object]] = [
        doing(f"printf hello > a.txt; echo touch mark > {name}"),
        {"operations": [], "branch": "RoleTaskFinish"},
    ]
    journal = await session.run(
        request, settings_in(tmp_path), model=ScriptedModel(replies), human=PythonResponder(operation=yes)
    )
    outcome = journal.state.outcome
    assert outcome is not None
    assert (tmp_path / "work" / name).exists() != obeyed
    assert outcome.status == ("unverified" if obeyed else "done"), outcome
    if obeyed:
        assert ".envrc: direnv would obey it outside of the sandbox" in outcome.why
        assert ".trash/put-away/1-envrc" in outcome.why
        assert (tmp_path / "work/.trash/put-away/1-envrc").read_text() == "touch mark\n"
    assert (await replay(journal)).equal
