"""Objections to a requirement that contradicts a file which the task names: a role that reads the file objects, and the
requirement's writer, who was shown less, decides before any evidence is gathered.

The requirement may then be reworded, on record: nobody knows the result of the work yet. A contested requirement, in
contrast, has failed (``engine/steps/contesting.py``).
"""

from __future__ import annotations

from deskcrew.engine.prompting import Prompting
from deskcrew.engine.roles.said import Objecting, OnRequirement
from deskcrew.engine.steps.agreeing import requirement_of, writers_word
from deskcrew.facts.contract import Contract, Objection, Requirement
from deskcrew.facts.events import GoalSet
from deskcrew.facts.excerpts import shorten
from deskcrew.journal.journal import Journal

SHOWN = 12_000
"""The maximum characters of the file that the writer is shown."""


def objectable(journal: Journal) -> tuple[str, ...]:
    """Ids of the requirements to which nobody has objected yet, without those that the user stated."""
    contract = journal.state.contract
    standing = contract.standing if contract is not None else ()
    return tuple(each.id for each in standing if each.objection is None and not each.stated)


def raise_objection(journal: Journal, reply: Objecting, by: str) -> bool:
    """Record the objection in a role's reply. Returns whether there is one."""
    said, contract = reply.objection, journal.state.contract
    if said is None or contract is None or said.requirement not in objectable(journal):
        return False
    objection = Objection(file=said.file, why=said.why, by=by)
    requirements = tuple(
        each.model_copy(update={"objection": objection}) if each.id == said.requirement else each
        for each in contract.requirements
    )
    _record(journal, contract.model_copy(update={"requirements": requirements}))
    return True


def pending(contract: Contract) -> tuple[Requirement, ...]:
    """The requirements whose writer has yet to decide about an objection."""
    return tuple(each for each in contract.requirements if each.objection is not None and not each.amended)


async def amend(prompting: Prompting) -> bool:
    """Have the contract's writer decide about every objection, each once. False: ask again."""
    record = prompting.record
    state = record.state
    while (contract := state.contract) and (waiting := pending(contract)):
        one = waiting[0]
        objection = one.objection
        assert objection is not None, "it was objected to"
        text = shorten(record.was(objection.file) or "", SHOWN)
        told = f"{one.says}\n{objection.by}: it contradicts {objection.file}: {objection.why}\n[{objection.file}]\n{text}"
        if (reply := await writers_word(prompting, objected=told)) is None:
            return False
        decided = _decided(one, reply)
        requirements = tuple(decided if each.id == one.id else each for each in contract.requirements)
        _record(record.journal, contract.model_copy(update={"requirements": requirements}))
    return True


def _decided(one: Requirement, reply: OnRequirement) -> Requirement:
    """A requirement after its writer's decision. It keeps its quotes, and a requirement on the answer remains one."""
    new = reply.requirement
    if new is None or (one.seen_by == "answer") != (new.seen_by == "answer"):
        return one.model_copy(update={"amended": f"kept: {reply.why or 'it agrees with the task'}"})
    anew = requirement_of(one.id, new, ())
    said = f"{reply.why} (it was: {one.says})"
    kept = {"quotes": one.quotes, "objection": one.objection, "amended": said, "contested": one.contested}
    return anew.model_copy(update=kept | {"heard": one.heard, "rechecked": one.rechecked, "reworded": one.reworded})


def _record(journal: Journal, contract: Contract) -> None:
    journal.append(GoalSet(question=journal.state.question, contract=contract), cause=journal.latest)
