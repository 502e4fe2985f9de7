"""The form in which a person changes a proposed contract: requirements reworded, removed and added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel
from starlette.responses import Response

from deskcrew.engine.human.questions import EditedReply, ReplyQuestion
from deskcrew.engine.roles.said import SaidContract, SaidRequirement
from deskcrew.engine.steps.agreeing import parts_of, refuse
from deskcrew.errors import CrewMistake, UsageError
from deskcrew.evidence.besides import covers_all
from deskcrew.facts.contract import SEEN_BY, TypedCheck
from deskcrew.ways_in.web.context import Here
from deskcrew.ways_in.web.controls import QuestionId, answer_with
from deskcrew.ways_in.web.fields import FieldError
from deskcrew.ways_in.web.run import seen

router = APIRouter(prefix="/runs/{run}")


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """A requirement in the form. ``at``: its number there; ``was``: the proposed requirement, None for a new one; ``part``:
    the number of the part of the task that a new one is for; ``kept``: the numbers of its typed checks that are kept."""

    at: int
    was: SaidRequirement | None
    says: str
    seen_by: str
    files: tuple[str, ...]
    stays: bool
    part: int
    kept: frozenset[str]

    @property
    def checks(self) -> tuple[TypedCheck, ...]:
        was = self.was.checks if self.was is not None else ()
        return tuple(check for at, check in enumerate(was, 1) if str(at) in self.kept)

    @property
    def parts(self) -> tuple[int, ...]:
        return self.was.parts if self.was is not None else (self.part,)

    @property
    def reply(self) -> SaidRequirement:
        """The row in the form in which the contract's writer replies."""
        told = {"says": self.says, "seen_by": self.seen_by, "files": self.files, "stays": self.stays}
        return SaidRequirement.model_validate({"parts": self.parts, "checks": self.checks, **told})


class ContractForm(BaseModel):
    """The contract as a person sent it. ``says``, ``seen_by``, ``files``: one value per requirement, the proposed ones
    first; ``part``: one value per new requirement; ``stays``, ``drop``: numbers of requirements; ``check``: the typed checks
    that are kept, as ``REQUIREMENT.CHECK``; ``told``: what the user wants to be told."""

    says: list[str] = []
    seen_by: list[str] = []
    files: list[str] = []
    part: list[int] = []
    stays: list[int] = []
    drop: list[int] = []
    check: list[str] = []
    told: str = ""

    def rows(self, proposed: Sequence[SaidRequirement]) -> list[RequirementRow]:
        """The requirements of the form. Raises FieldError if it was not made for the ``proposed`` ones."""
        if not (len(self.says) == len(self.seen_by) == len(self.files) == len(proposed) + len(self.part)):
            raise FieldError(
                "This form is not for the contract that you are asked about.", hint="Reload the page.", field="contract"
            )
        each_was = (*proposed, *(None for _ in self.part))
        parts = (*(0 for _ in proposed), *self.part)
        lines = zip(self.says, self.seen_by, self.files, each_was, parts, strict=True)
        return [
            RequirementRow(
                at=at,
                was=was,
                says=" ".join(said.split()),
                seen_by=how,
                files=tuple(path.strip() for path in paths.splitlines() if path.strip()),
                stays=at in self.stays,
                part=wanting,
                kept=frozenset(each.removeprefix(f"{at}.") for each in self.check if each.startswith(f"{at}.")),
            )
            for at, (said, how, paths, was, wanting) in enumerate(lines, 1)
        ]


@router.post("/answers/{question}/contract")
async def agree(
    web: Here, request: Request, run: str, question: QuestionId, form: Annotated[ContractForm, Form()]
) -> Response:
    """Agree to a contract as changed in the form."""
    found = await seen(web, run)
    pending = found.alive.question if found.alive is not None else None
    asked = pending.question if pending is not None and pending.id == question else None
    reply = SaidContract(requirements=(), context=(), question="")
    if isinstance(asked, ReplyQuestion) and asked.contract:
        reply = SaidContract.model_validate(asked.reply)
    elif asked is not None:
        raise UsageError("This question is not about a contract.")
    if asked is not None:
        rows, parts = form.rows(reply.requirements), parts_of(found.run.started.task)
        reply = edited(reply, rows, frozenset(form.drop), form.told.strip(), parts)
    said = EditedReply(reply=reply.model_dump(mode="json", exclude_unset=True))
    return await answer_with(web, request, run, question, said)


def edited(
    reply: SaidContract, rows: Sequence[RequirementRow], dropped: frozenset[int], told: str, parts: Sequence[str]
) -> SaidContract:
    """The reply with a person's changes. Raises FieldError for the first field that cannot be used."""
    kept = [row for row in rows if row.at not in dropped and (row.was is not None or row.says)]
    for row in kept:
        _usable(row, told, len(parts))
    if not kept:
        hint = "Keep one, or stop the run."
        raise FieldError("No requirement would be left.", hint=hint, field="contract")
    if told and not any(row.seen_by == "answer" for row in kept):
        hint = f"Choose “{SEEN_BY['answer']}” for one, or leave this field empty."
        raise FieldError(
            "You want to be told something, but no requirement is verified by the answer.", hint=hint, field="told"
        )
    named = {number for row in kept for number in row.parts}
    # What the person wants no longer asks for nothing: it is theirs to say.
    context = sorted({*reply.context, *(number for row in rows if row.was for number in row.was.parts)} - named)
    changes = {"requirements": tuple(row.reply for row in kept), "context": tuple(context), "question": told}
    made = reply.model_copy(update=changes)
    try:
        refuse(made, parts)
    except CrewMistake as error:
        raise FieldError(str(error), field="contract") from error
    return made


def _usable(row: RequirementRow, told: str, parts: int) -> None:
    """Raise FieldError for the first of the row's fields that cannot be used."""
    if not row.says:
        raise FieldError("Say what must hold, or tick “Remove it”.", field=f"says-{row.at}")
    if row.seen_by not in SEEN_BY:
        raise FieldError("Choose how it is verified.", field=f"seen-{row.at}")
    if row.was is None and not 0 < row.part <= parts:
        raise FieldError("Choose the part of the task that wants it.", field=f"part-{row.at}")
    if row.seen_by == "checks" and not row.checks:
        raise FieldError("It has no rules. Choose another way to verify it.", field=f"seen-{row.at}")
    if row.seen_by == "answer" and not told:
        raise FieldError("Say what you want to be told.", field="told")
    if row.seen_by == "reading" and any(covers_all(path) for path in row.files):
        raise FieldError("Name the files, or what is common to their names, such as drafts/*.md.", field=f"files-{row.at}")
