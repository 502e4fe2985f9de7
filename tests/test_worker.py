"""The default crew: one Worker, with nobody who plans before it, and the contract written while it begins."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ModelFailure
from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in

TASK = "Write hello into hello.txt."
PROFILE = Profile(name="strong", context=128_000, contracts=True, scripted=True)
HOLDS = {
    "parts": [1],
    "says": "hello.txt holds hello",
    "seen_by": "checks",
    "files": ["hello.txt"],
    "checks": [{"kind": "file_is", "target": "hello.txt", "text": "hello"}],
}
CONTRACT = {"requirements": [HOLDS], "question": ""}
WRITES = {"operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}], "branch": "RoleTaskFinish"}
GIVES_UP = {"operations": [], "branch": "Interrupt", "problem": "enough"}


class ByRole(ScriptedModel):
    """Replies by role. The contract's is given only when the Worker was asked, too, and the other way round, unless it is
    ``alone``."""

    def __init__(self, *, alone: bool = False, **replies: list[Any]) -> None:
        super().__init__((), profile=PROFILE)
        self._alone = alone
        self._of = {role: itertools.chain(given, itertools.repeat(GIVES_UP)) for role, given in replies.items()}
        self._asked = {role: anyio.Event() for role in replies}

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        self._asked[call.role].set()
        with anyio.fail_after(20):
            for event in () if self._alone else self._asked.values():
                await event.wait()
        self.calls.append(call)
        return await ScriptedModel([next(self._of[call.role])], profile=PROFILE).answer(call, type)


async def done(folder: Path, model: ScriptedModel, **more: Any) -> Journal:
    request = RunRequest(TASK, model="scripted:x", workspace=folder / "work", desktop="none", crew="default", **more)
    journal = await session.run(request, settings_in(folder), model=model)
    assert journal.verify() == []
    assert (await replay(journal)).difference is None
    return journal


def roles(journal: Journal, kind: type[e.RoleCalled] | type[e.RoleReplied]) -> list[str]:
    return [event.body.role for event in journal.events if isinstance(event.body, kind)]


def status(journal: Journal) -> str:
    assert journal.state.outcome is not None
    return journal.state.outcome.status


async def test_the_contract_and_the_first_decision_are_asked_for_at_once(tmp_path: Path) -> None:
    journal = await done(tmp_path, ByRole(ContractWriter=[CONTRACT], Worker=[WRITES]))
    assert status(journal) == "done"
    assert roles(journal, e.RoleCalled) == ["ContractWriter", "Worker"]


@pytest.mark.parametrize("unusable", [1, 2])
async def test_nothing_is_done_before_it_is_settled_what_must_hold(tmp_path: Path, unusable: int) -> None:
    writer = [*["no contract"] * unusable, CONTRACT]
    journal = await done(tmp_path, ByRole(ContractWriter=writer, Worker=[WRITES, WRITES]))
    replied = roles(journal, e.RoleReplied)
    assert replied[: unusable + 2] == ["ContractWriter"] * min(unusable + 1, 2) + ["Worker"] + replied[3 : unusable + 2]
    kinds = [type(event.body) for event in journal.events]
    assert kinds.index(e.GoalSet) < kinds.index(e.OperationProposed)
    assert status(journal) == ("done" if unusable == 1 else "unverified")


@pytest.mark.parametrize("role", ["ContractWriter", "Worker"])
async def test_a_model_that_fails_for_one_of_them_ends_the_run(tmp_path: Path, role: str) -> None:
    replies = {"ContractWriter": [CONTRACT], "Worker": [WRITES]} | {role: [ModelFailure("away", hint="Wait.")]}
    journal = await done(tmp_path, ByRole(**replies))
    assert status(journal) == "failed"
    assert not (tmp_path / "work" / "hello.txt").exists()
    model = ByRole(alone=True, ContractWriter=[CONTRACT], Worker=[WRITES])
    again = await session.resume("last", settings_in(tmp_path), model=model)
    assert status(again) == "done"


CONSENT = {"ordered": []}


async def test_where_the_user_says_all_that_must_hold_nobody_else_is_asked(tmp_path: Path) -> None:
    required = contract_of([check_of("file_is hello.txt hello")])
    assert required is not None
    whole = required.model_copy(update={"whole": True})
    journal = await done(tmp_path, ScriptedModel([WRITES], profile=PROFILE), required=whole)
    assert roles(journal, e.RoleCalled) == ["Worker"]
    assert status(journal) == "done"


async def test_where_only_the_plan_is_wanted_the_worker_is_not_asked(tmp_path: Path) -> None:
    journal = await done(tmp_path, ScriptedModel([CONTRACT, CONSENT], profile=PROFILE), plan_only=True)
    assert roles(journal, e.RoleCalled) == ["ContractWriter", "ConsentReader"]
    assert status(journal) == "stopped"
