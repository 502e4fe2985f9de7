"""What a run must come to, where nobody in it writes a contract: as its user says it."""

from __future__ import annotations

import re

from deskcrew.contract import Contract
from deskcrew.goals.required import check_of, contract_of

_WRITE = re.compile(r'^Write "?([^"]+?)"? into ([\w./-]+\w)\.?$')
_DELETE = re.compile(r"^Delete ([\w./-]+\w)\.?$")


def required(*stated: str) -> Contract:
    """What is stated as ``--require`` takes it: ``file_contains hello.txt hello``."""
    contract = contract_of([check_of(each) for each in stated])
    assert contract is not None, "nothing is required"
    return contract


def usual(task: str) -> Contract | None:
    """What the plainest tasks of tests want: a text in a file, or a file gone; None for others."""
    if found := _WRITE.match(task):
        return required(f"file_contains {found[2]} '{found[1]}'")
    if found := _DELETE.match(task):
        return required(f"file_absent {found[1]}")
    return None
