"""A person decides what a run could not prove, or says that it was wrong: an event like any other, and a new outcome.

This does not continue an ended run; its outcome becomes what the person says (docs/design/proof.md).
"""

from __future__ import annotations

from deskcrew.errors import UsageError
from deskcrew.evidence.besides import told
from deskcrew.evidence.proof import lacking
from deskcrew.facts.contract import Proof
from deskcrew.facts.events import Confirmed, RunFinished
from deskcrew.facts.verdict import REJECTED, UNCONFIRMED, Outcome
from deskcrew.journal.journal import Journal

WHOLE = ""
"""The requirement that stands for the whole task."""


def confirm(journal: Journal, *, holds: bool, requirement: str = WHOLE, why: str = "") -> Outcome:
    """Record a person's judgement of a requirement, or of the whole task, and the outcome that follows.

    Raises UsageError for a run that has not ended, or that ended before there was anything to judge, and for an unknown
    requirement; JournalError for a record that was altered.
    """
    journal.check_intact()
    before = journal.state.outcome
    if before is None or before.status == "stopped" or before.reason == UNCONFIRMED:
        raise UsageError(f"Run {journal.run} has not ended.", hint=f"`deskcrew resume {journal.run}` continues it.")
    after = settled(before, requirement=requirement, holds=holds, why=why, besides=_besides(journal))
    said = journal.append(Confirmed(requirement=requirement, holds=holds, why=why.strip()))
    journal.append(RunFinished(outcome=after), cause=said)
    journal.commit()
    return after


def settled(outcome: Outcome, *, requirement: str, holds: bool, why: str = "", besides: str = "") -> Outcome:
    """``outcome`` with a person's judgement of one requirement, or of :data:`WHOLE`. ``besides``: what else prevents
    "done", which only a judgement of the whole settles. Raises UsageError for an unknown requirement, and for a yes to the
    whole where a requirement was seen not to hold: a person may overrule that, but only knowing what they overrule.

    A yes makes it done only if nothing is left open; a no always makes it failed.
    """
    ids = [proof.requirement for proof in outcome.proofs if proof.requirement]
    if requirement != WHOLE and requirement not in ids:
        there = f"it has {', '.join(ids)}" if ids else "it has no numbered ones; leave the number out"
        raise UsageError(f"There is no requirement {requirement!r}: {there}.")
    said = f"a person says {'yes' if holds else 'no'}{f': {why.strip()}' if why.strip() else ''}"
    disproved = [proof for proof in outcome.proofs if proof.holds is False and proof.by != "human"]
    if holds and requirement == WHOLE and disproved:
        seen = "; ".join(f"{each.requirement or each.says}: {each.found}" for each in disproved)
        hint = f"If that is wrong, say yes to each by its number, such as {disproved[0].requirement or 1}."
        raise UsageError(f"Some of it was seen not to hold ({seen}), which a yes to the whole does not overrule.", hint=hint)

    def found(proof: Proof) -> str:
        return f"{said}; it had been seen not to hold: {proof.found}" if holds and proof in disproved else said

    proofs = tuple(
        proof.model_copy(update={"holds": holds, "by": "human", "already": False, "reworded": False, "found": found(proof)})
        if requirement in (WHOLE, proof.requirement)
        else proof
        for proof in outcome.proofs
    )
    told = f"requirement {requirement}: {said}" if requirement else said
    changed = {"proofs": proofs, "verified_by": None, "reason": "", "why": told}
    if not holds:
        return outcome.model_copy(update=changed | {"status": "failed", "reason": REJECTED})
    failing = any(proof.holds is False for proof in proofs)
    left = [proof.words for proof in proofs if not proof.proven] + ([besides] if besides else [])
    if requirement == WHOLE or not left:
        return outcome.model_copy(update=changed | {"status": "done", "verified_by": "human"})
    still = changed | {"why": f"{told}; still open: {'; '.join(left)}"}
    if failing or outcome.status == "denied":
        return outcome.model_copy(update=still | {"status": outcome.status, "reason": outcome.reason})
    return outcome.model_copy(update=still | {"status": "unverified"})


def _besides(journal: Journal) -> str:
    state = journal.state
    open_ = lacking(state.proven.model_copy(update={"proofs": ()})) if state.proven is not None else ""
    outcome = state.outcome
    denied = "a step was denied" if outcome is not None and outcome.status == "denied" else ""
    known = state.proven.strays if state.proven is not None else ()
    unordered = told([path for path in outcome.unordered if path not in known]) if outcome is not None else ""
    return "; ".join(each for each in (open_, denied, unordered) if each)
