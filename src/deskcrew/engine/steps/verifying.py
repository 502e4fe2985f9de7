"""The Verifier's program: ask for it, and for another where it is at fault rather than the work."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence

import anyio.to_thread

from deskcrew.actions.libraries import TOLD
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.roles.ask import reading
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import SaidProgram
from deskcrew.engine.steps.objecting import citable, may_object, objectable, raise_objection
from deskcrew.engine.steps.proof_states import screens_of, states_of
from deskcrew.evidence import probes
from deskcrew.evidence.changes import changes_told
from deskcrew.evidence.proof import INDIFFERENT, TAKEN, TOO_WEAK, UNMOVED, UNREAD
from deskcrew.evidence.screen import ScreenState, told
from deskcrew.evidence.states import States
from deskcrew.facts.contract import Contract, Proof, Proven, Requirement
from deskcrew.facts.events import RoleReplied, newest_first
from deskcrew.facts.json_values import object_in
from deskcrew.journal.journal import Journal
from deskcrew.models.replies import json_in

TRIES = 2
"""How often the Verifier is asked for code, and how often its reply may be unusable."""


def rewordings(proven: Proven | None, contract: Contract, code: str) -> str:
    """The probed requirements that were reworded since, or have no function in ``code``, with what was found; '' if none."""
    before = {proof.requirement: proof for proof in proven.proofs} if proven is not None else {}
    known = (each for each in contract.standing if each.probed and each.id in before)
    anew = [each.id for each in known if before[each.id].says != each.says or f"def requirement_{each.id}(" not in code]
    told = (f"requirement_{id} was reworded since; it had returned {before[id].holds}: {before[id].found}" for id in anew)
    return f"{'; '.join(told)}. Was it right about the work? Keep the others as they are" if anew else ""


async def code_again(prompting: Prompting, wanted: Sequence[Requirement], program: str, problem: str) -> str | None:
    """The Verifier's program after it was told of a ``problem`` with the blob ``program`` ('' if there is none yet). None if
    its reply was unusable."""
    return await program_for(
        prompting, wanted, states_of(prompting.record.journal), screens_of(prompting.surroundings), program, problem
    )


async def program_for(
    prompting: Prompting,
    wanted: Sequence[Requirement],
    states: States,
    seen: tuple[ScreenState, ScreenState],
    program: str = "",
    problem: str = "",
    beside: Callable[[], Awaitable[None]] | None = None,
) -> str | None:
    """The Verifier's program for the ``wanted`` requirements. None if its reply was unusable. ``program``: blob of the
    program that has a ``problem``, '' if there is none yet; ``beside``: called while the reply is awaited."""
    record, journal = prompting.record, prompting.record.journal
    role = record.crew.roles[record.crew.verifier]
    quoted = dict.fromkeys(quote for each in wanted for quote in each.quotes)
    said = [f"The task's words for them: {' '.join(quoted)}"] if quoted else []
    listed = (
        "\n".join((*(f"{each.id}{_marks(each)}. {each.says}" for each in wanted), *said)) if wanted else _elsewhere(journal)
    )
    changes = await anyio.to_thread.run_sync(lambda: changes_told(states))
    start, end = seen
    shown = end.sends or any(each.seen_by == "screen" or end.of_pages for each in wanted)
    screen = told(start, end) if shown else ""

    def usable(reply: SaidProgram) -> None:
        may_object(record, reply)
        probes.checked(reply.code, [each.id for each in wanted])

    code = journal.read_blob(program).decode() if program and problem else _refused(journal, role.name)
    sight = prompting.sight(
        role, contract=listed, changes=changes, screen=screen, libraries=TOLD, code=code, problem=problem
    )
    fresh = record.state.proven is None
    objected = tuple(id for id in objectable(journal) if fresh and any(each.id == id for each in wanted))
    now = Now(objectable=objected, citable=citable(prompting.surroundings) if objected else ())
    asker = prompting.asker
    asked = await asker.request(role, now, sight, check=reading(SaidProgram, usable))
    async with journal.floor.meanwhile(lambda: asker.answer(asked)) as answered:
        if beside is not None:
            await beside()
        answer = await answered()
    value = await asker.hear(asked, answer)
    reply = SaidProgram.model_validate(value) if value is not None else None
    if reply is None or raise_objection(journal, reply, role.name):
        return None  # of an objection, its writer is asked before there is any evidence
    return reply.code


def _elsewhere(journal: Journal) -> str:
    """What was ordered, in words for a Verifier that is asked for no function, so that it can tell what was not."""
    contract = journal.state.contract
    wanted = contract.standing if contract is not None else ()
    return "\n".join(("none that you look at. Checked elsewhere:", *(f"- {each.says}" for each in wanted))) if wanted else ""


def _refused(journal: Journal, role: str) -> str:
    """The code of the role's last reply if that was unusable; '' if there is none, or it cannot be read."""
    if journal.state.malformed_by != role:
        return ""
    replies = newest_first(journal.events, RoleReplied)
    last = next(reply for reply in replies if reply.role == role)
    try:
        said = json.loads(json_in(journal.read_blob(last.raw).decode()))
    except ValueError:
        return ""
    return str(object_in(said).get("code") or "")


def _marks(requirement: Requirement) -> str:
    """What a Verifier must know besides a requirement's words: what its function is given, and if it holds at the start."""
    given = f" ({requirement.seen_by})" if requirement.seen_by != "probe" else ""
    return given + (" (stays)" if requirement.stays else "")


def faults_in(proven: Proven) -> str:
    """What is wrong with the probes rather than with the work; '' if nothing."""
    unsaid = [p for p in proven.proofs if p.holds is None and p.by == "probe"]
    broken = [f"requirement_{p.requirement}{' failed' * _faulty(p)}: {p.found}" for p in unsaid]
    already = [
        f"requirement_{p.requirement} returns True for the start too" for p in proven.proofs if p.already and p.by == "probe"
    ]
    # Of work that is wrong, nobody can say what else would be noticed; and of what its writer is shown nothing, nothing can.
    unseen = any(p.requirement and p.holds is None and not p.by for p in proven.proofs)
    left = () if proven.failing or unseen or proven.unordered else proven.unnoticed
    unnoticed = [f"no function returned False for this end: {label}" for label in left]
    amiss = "; ".join((*broken, *already, *unnoticed)[:8])
    ran = (p for p in proven.proofs if p.by == "probe" and p.holds is not None and not p.already)
    fine = ", ".join(f"requirement_{p.requirement}" for p in ran)
    return f"{amiss}. Keep as they are, but for ends that they should notice: {fine}" if amiss and fine else amiss


def _faulty(proof: Proof) -> bool:
    told = proof.found.startswith((INDIFFERENT, UNMOVED, TOO_WEAK, UNREAD))
    return proof.holds is None and proof.by == "probe" and not told and not proof.unkept


def after_faults(proven: Proven) -> Proven:
    """The proof after the probes' writer had been told of their faults. What a probe that still fails was to check counts as
    not checked, which says nothing about the work. If one still takes a missing entry for a changed one, the crew may find
    it elsewhere."""
    proofs = (
        proof.model_copy(update={"by": "", "found": f"its probe did not work: {proof.found}"})
        if _faulty(proof)
        else proof.model_copy(update={"by": ""})
        if proof.found.startswith(TAKEN)
        else proof
        for proof in proven.proofs
    )
    return proven.model_copy(update={"proofs": tuple(proofs)})
