"""Objections to a requirement that contradicts a file which the task names, or which came up during the work: a role that
reads the file objects, and the requirement's writer, who was shown less, decides before any evidence is gathered.

The requirement may then be reworded, on record: nobody knows the result of the work yet. A contested requirement, in
contrast, has failed (``engine/steps/contesting.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.said import Objecting, OnRequirement
from deskcrew.engine.steps.agreeing import requirement_of, writers_word
from deskcrew.engine.steps.named import MOST_FILES, is_prose, named_files
from deskcrew.engine.surroundings import Surroundings
from deskcrew.errors import ActionError, CrewMistake
from deskcrew.evidence.proof import named
from deskcrew.facts.contract import Contract, Objection, Requirement
from deskcrew.facts.events import GoalSet
from deskcrew.facts.excerpts import shorten
from deskcrew.journal.journal import Journal

SHOWN = 12_000
"""The maximum characters of the file that the writer is shown."""
OWN_RESULT = "objection: {file} may change for requirement {id}, so it cannot contradict it. Cite another file, or none."
CREWS_OWN = "only the crew itself wrote what {file} says"


def objectable(journal: Journal) -> tuple[str, ...]:
    """Ids of the requirements to which nobody has objected yet, without those that the user stated."""
    contract = journal.state.contract
    standing = contract.standing if contract is not None else ()
    return tuple(each.id for each in standing if each.objection is None and not each.stated)


def citable(surroundings: Surroundings) -> tuple[str, ...]:
    """Text files that a requirement may contradict: those that the task names, and those that the run has made or changed
    and that are not results of every requirement."""
    record = surroundings.record
    contract = record.state.contract
    wanted = contract.standing if contract is not None else ()
    there = {entry.path for entry in surroundings.now.files if entry.kind == "file"}
    others = (path for path in _changed(record) if path in there and is_prose(path))
    made = (path for path in others if not all(named(path, each.files) for each in wanted))
    return tuple(dict.fromkeys((*named_files(record), *made)))[:MOST_FILES]


def _changed(record: Record) -> Iterator[str]:
    """Files that the run made or changed, oldest first."""
    return (path for turn in record.state.turns for done in turn.done for path in done.files)


def may_object(record: Record, reply: Objecting) -> None:
    """Raise CrewMistake, worded for the role, if it objects to a requirement because of what may be its result."""
    said, contract = reply.objection, record.state.contract
    if said is None or contract is None or said.file in named_files(record):
        return
    if any(each.id == said.requirement and named(said.file, each.files) for each in contract.standing):
        raise CrewMistake(OWN_RESULT.format(file=said.file, id=said.requirement))


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
        texts = "\n".join(_texts(record, one, objection.file))
        told = f"{one.says}\n{objection.by}: it contradicts {objection.file}: {objection.why}\n{texts}"
        unfounded = OnRequirement(why=CREWS_OWN.format(file=objection.file))
        if (reply := await writers_word(prompting, objected=told) if texts else unfounded) is None:
            return False
        decided = _decided(one, reply)
        requirements = tuple(decided if each.id == one.id else each for each in contract.requirements)
        _record(record.journal, contract.model_copy(update={"requirements": requirements}))
    return True


def _texts(record: Record, one: Requirement, file: str) -> Iterator[str]:
    """What a file said before the work, and what it says now, unless that is a result of the requirement, or the crew has
    written all of it itself."""
    if was := record.was(file):
        yield f"[{file}]\n{shorten(was, SHOWN)}"
    if file not in _changed(record) or named(file, one.files):
        return
    try:
        now = record.text_of(file)
    except ActionError:
        return
    origins, latest = record.origins(), record.journal.latest.number
    if now != was and not all(origins.written(line, until=latest) for line in now.splitlines() if line.strip()):
        yield f"[{file}, as it is now]\n{shorten(now, SHOWN)}"


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
