"""What must hold in the end as the user says it: alone, and beside the contract that a model writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.evidence.required import KINDS, check_of, contract_of, program_of, with_required
from deskcrew.facts.verdict import Outcome
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.required import required

pytestmark = pytest.mark.anyio


def writes(text: str) -> dict[str, Any]:
    done = {"function": "write_file", "file_path": "note.txt", "text": text}
    return {"operations": [done], "branch": "RoleTaskFinish"}


async def ended(folder: Path, text: str, *stated: str) -> Outcome:
    wanted = required(*stated)
    request = RunRequest(
        "Do as we said.", crew="solo", model="scripted:x", desktop="none", workspace=folder / "work", required=wanted
    )
    journal = await session.run(request, settings_in(folder), model=ScriptedModel([writes(text)] * 9))
    assert journal.verify() == []
    assert journal.state.outcome is not None
    return journal.state.outcome


async def test_what_the_user_requires_makes_a_run_done_and_nothing_less(tmp_path: Path) -> None:
    right = await ended(tmp_path / "right", "the sum is 348", "file_contains note.txt 348", "file_lacks note.txt draft")
    assert (right.status, right.verified_by, len(right.proofs)) == ("done", "rules", 2), right
    wrong = await ended(tmp_path / "wrong", "the sum is 347", "file_contains note.txt 348")
    assert (wrong.status, wrong.answer) == ("failed", ""), wrong
    assert "note.txt contains '348': no" in wrong.why


def test_a_requirement_is_read_as_a_shell_reads_words() -> None:
    check = check_of("file_contains 'my report.txt' 'two words'")
    assert (check.kind, check.target, check.text) == ("file_contains", "my report.txt", "two words")
    assert check_of("clipboard_holds 348").text == "348"
    assert check_of("file_exists out/").target == "out/"


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        ("file_contain report.txt 348", "Did you mean 'file_contains'?"),
        ("file_contains report.txt", "needs a text"),
        ("file_exists report.txt 348", "takes no text"),
        ("file_contains", "names nothing to look at"),
        ("file_contains 'report.txt 348", "cannot be read"),
        ("", "not a kind"),
    ],
)
def test_what_cannot_be_a_requirement_says_what_can(stated: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_of(stated)
    assert why in str(raised.value)
    assert "report.txt 348" in raised.value.hint


@pytest.mark.parametrize(
    ("name", "program", "why"),
    [
        ("total.py", "print(1\n", "line 1: '(' was never closed"),
        ("total.py", "x = 1\nreturn x\n", "line 2: 'return' outside function"),
        ("total", "#!/usr/bin/env python3\nif True\n", "line 2: expected ':'"),
        ("total.py", "a\0b", "null bytes"),
        ("total", "exit 0\n", "does not say what runs it"),
        ("total", "#!/opt/none/lua\n", "is run by /opt/none/lua, which is not installed"),
        ("total", "#!/usr/bin/env -S nothing-like-it -x\n", "which is not installed"),
        ("total", "#!/bin/sh\nif true; then\n", "is not a program for /bin/sh"),
    ],
)
def test_a_program_that_could_never_say_yes_is_refused(name: str, program: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        program_of(program, name)
    assert why in str(raised.value)
    assert name in str(raised.value)


def test_a_program_is_read_and_not_run(tmp_path: Path) -> None:
    left = tmp_path / "left"
    for program in (f"#!/bin/sh\ntouch {left}\n", f"#!/usr/bin/env python3\nopen({str(left)!r}, 'w')\n"):
        assert program_of(program, "check").text == program
    assert not left.exists()


def test_a_program_of_the_users_is_required_to_pass() -> None:
    stated = contract_of([], [program_of("#!/bin/sh\ntrue\n", "total.py")])
    assert stated is not None
    assert [each.says for each in stated.requirements] == ["total.py passes"]


def test_it_stands_after_what_a_model_wrote() -> None:
    written, stated = required("file_exists a.txt"), contract_of([check_of("file_absent b.txt")])
    assert [each.id for each in with_required(written, stated).requirements] == ["1", "2"]
    assert with_required(written, None) == written
    assert len(set(KINDS)) == len(KINDS) > 10
