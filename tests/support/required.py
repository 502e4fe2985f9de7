"""What a run must come to, where nobody in it writes a contract: as its user says it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts.contract import Contract
from deskcrew.models.client import Call

_WRITE = re.compile(r'^Write "?([^"]+?)"? into ([\w./-]+\w)\.?$')
_DELETE = re.compile(r"^Delete ([\w./-]+\w)\.?$")


def required(*stated: str) -> Contract:
    """What is stated as ``--require`` takes it: ``file_contains hello.txt hello``."""
    contract = contract_of([check_of(each) for each in stated])
    assert contract is not None, "nothing is required"
    return contract


def usual(task: str, *besides: str) -> Contract | None:
    """What the plainest tasks of tests want: a text in a file, or a file gone; None for others. ``besides``: files that are
    to hold that text as well."""
    if found := _WRITE.match(task):
        return required(*(f"file_contains {file} '{found[1]}'" for file in (found[2], *besides)))
    assert not besides, "there is no text for them"
    if found := _DELETE.match(task):
        return required(f"file_absent {found[1]}")
    return None


def wanting(*stated: str, parts: Sequence[int] = (1,), question: str = "") -> dict[str, Any]:
    """A contract writer's reply: what is stated so, for these parts of the task."""
    checks = [check_of(each) for each in stated]
    wanted = [
        {
            "parts": list(parts),
            "says": check.words,
            "seen_by": "checks",
            "files": [],
            "checks": [check.model_dump()],
            "stays": False,
        }
        for check in checks
    ]
    return {"requirements": wanted, "context": [], "question": question}


def have_writers(config: Path) -> None:
    """Have scripted models asked for contracts, by the user's own file of profiles in this folder of settings."""
    config.mkdir(parents=True, exist_ok=True)
    config.joinpath("models.toml").write_text('[[profile]]\nmatch = ["scripted:*"]\ncontracts = true\n')


def reads(right: str) -> Callable[[Call], dict[str, Any]]:
    """A reader's reply: of all texts that it is shown only this one fulfils what is required."""

    def reply(call: Call) -> dict[str, Any]:
        texts = [each.partition(":\n")[2].strip() for each in call.text("volatile").split("\nText ")]
        texts[-1] = texts[-1].removesuffix("Reply:").strip()
        assert texts.count(right) == 1, texts
        said = [{"text": number, "quote": each[:20], "fulfils": each == right} for number, each in enumerate(texts, 1)]
        return {"texts": said, "why": "as it says"}

    return reply
