"""Requirements that a user states, as typed checks: ``file_contains report.txt 348`` (``run --require``).

They are a contract of their own, or are added to the one that a model writes: what the user requires is never reworded.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from typing import get_args

from deskcrew.contract import Contract, Requirement, TypedCheck, TypedKind
from deskcrew.errors import UsageError

KINDS: tuple[TypedKind, ...] = get_args(TypedKind)
_WITHOUT_TEXT = frozenset({"file_exists", "file_absent", "program_runs"})
_EXAMPLE = "'file_contains report.txt 348'"


def check_of(stated: str) -> TypedCheck:
    """The check in ``KIND TARGET [TEXT]``, quoted as in a shell. The clipboard has no target.

    Raises UsageError, which lists the kinds.
    """
    try:
        kind, *words = shlex.split(stated) or [""]
    except ValueError as error:
        raise UsageError(f"The requirement {stated!r} cannot be read: {error or 'it is empty'}.", hint=_kinds()) from error
    known: TypedKind | None = next((each for each in KINDS if each == kind), None)
    if known is None:
        near = get_close_matches(kind, KINDS, 1)
        guess = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"{kind!r} is no kind of requirement.{guess}", hint=_kinds())
    target, *rest = ["", *words] if known == "clipboard_holds" else words or [""]
    if not target and known != "clipboard_holds":
        raise UsageError(f"The requirement {stated!r} names nothing to look at.", hint=f"For example: {_EXAMPLE}")
    if bool(rest) == (known in _WITHOUT_TEXT):
        wants = "takes no text" if rest else "needs a text after what it looks at"
        raise UsageError(f"{known} {wants}: {stated!r}.", hint=f"For example: {_EXAMPLE}")
    return TypedCheck(kind=known, target=target, text=" ".join(rest))


def contract_of(checks: Sequence[TypedCheck]) -> Contract | None:
    """The contract that consists of these checks; None if there are none."""
    if not checks:
        return None
    requirements = (
        Requirement(id=str(number), says=check.words, seen_by="checks", checks=(check,))
        for number, check in enumerate(checks, 1)
    )
    return Contract(requirements=tuple(requirements), by="human")


def with_required(contract: Contract, required: Contract | None) -> Contract:
    """A written contract, and after it what the user requires."""
    if required is None:
        return contract
    first = len(contract.requirements) + 1
    added = tuple(each.model_copy(update={"id": str(number)}) for number, each in enumerate(required.requirements, first))
    return contract.model_copy(update={"requirements": (*contract.requirements, *added)})


def _kinds() -> str:
    return f"There are: {', '.join(KINDS)}. For example: {_EXAMPLE}"
