"""Weighing evidence: a requirement is proven by what says yes at the end, and no where what it wants was not done.

Everything that looks at requirements is tried on the end, on the start, and on ends with one change undone or altered. What
holds at the start too shows nothing; a change that could be undone or altered without anybody noticing is not checked.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from deskcrew.contract import PROBED, Contract, Proof, Proven, Requirement
from deskcrew.goals.probes import Tried
from deskcrew.goals.screen import Altered
from deskcrew.goals.states import State
from deskcrew.goals.typed import Side, holds

BY_OTHERS = ("answer", "reading")
"""How requirements are seen that no look at files settles."""
_MOST_TOLD = 5
INDIFFERENT = "it would say the same whatever the screen showed and pages sent"


def by_checks(requirement: Requirement, side: Side) -> Tried:
    """What a requirement's typed checks say of a side: all must hold."""
    seen = [(check, *holds(check, side)) for check in requirement.checks]
    wrong = next(((check, ok, what) for check, ok, what in seen if ok is not True), None)
    if wrong is None:
        return Tried(True, "; ".join(what for _, _, what in seen if what))
    check, ok, what = wrong
    return Tried(ok, f"{check.words}: {what or 'no'}")


def notices(row: Mapping[str, Tried], noticing: Collection[str]) -> bool:
    """Whether one of the requirements that hold at the end does not hold in a counter-state."""
    return any(row[id].holds is not True for id in noticing if id in row)


def together(checks: Tried | None, probe: Tried | None) -> Tried:
    """Of a requirement that both look at, what is the worse of the two."""
    said = [tried for tried in (checks, probe) if tried is not None]
    if not said:
        return Tried(None, "nobody looked at it")
    order = {False: 0, None: 1, True: 2}
    return min(said, key=lambda tried: order[tried.holds])


def weigh(
    contract: Contract,
    states: Sequence[State],
    rows: Sequence[Mapping[str, Tried]],
    *,
    program: str = "",
    incidental: Sequence[frozenset[str]] = (),
    looking: Collection[str] = (),
) -> Proven:
    """The proofs that ``rows`` are, one for each of ``states``: the end, the start, then counter-states.

    Requirements that are seen by others are left out. So may be, of a counter-state of files, those that were not asked
    since another noticed it. ``incidental``: names of fields, for each request that pages sent, of which the Verifier says
    that they come with what was asked for: these need not be noticed. ``looking``: requirements that are seen by what the
    screen showed, besides those that say so.
    """
    end, start = rows[0], rows[1]
    own = [requirement for requirement in contract.standing if requirement.seen_by not in BY_OTHERS]
    proofs: list[Proof] = []
    for requirement in own:
        now, before = end[requirement.id], start[requirement.id]
        proofs.append(
            Proof(
                requirement=requirement.id,
                says=requirement.says,
                holds=now.holds,
                by="" if now.unseen else "probe" if requirement.seen_by in PROBED else "rules",
                already=now.holds is True and before.holds is True and not requirement.stays,
                found="; ".join(part for part in (now.read, _anew(requirement)) if part),
            )
        )
    proofs += [
        Proof(
            requirement=each.id,
            says=each.says,
            holds=None,
            found=f"contested: {each.contested}" + (f"; its writer: {each.heard}" if each.heard else ""),
        )
        for each in contract.requirements
        if each.contested
    ]
    missed = [Proof(requirement="", says=f"Part of the task: {part!r}", holds=None) for part in contract.missed]
    judged = [path for requirement in contract.standing if requirement.seen_by == "reading" for path in requirement.files]
    read_sent = any(requirement.seen_by == "reading" and not requirement.files for requirement in contract.standing)
    noticing = [requirement.id for requirement in own if end[requirement.id].holds is True]
    unnoticed: list[str] = []
    strays: list[str] = []
    beside: list[str] = []
    for state, row in zip(states[2:], rows[2:], strict=True):
        if state.screen is not None:
            if state.screen.prose and read_sent:
                continue
            if all(row[id].holds is True for id in noticing) and state.screen.request is not None:
                left = beside if _incidental(state.screen, incidental) else unnoticed
                left.append(state.label)
            continue
        if notices(row, noticing) or named(state.changed, judged):
            continue
        if named(state.changed, contract.files):
            unnoticed.append(state.label)
        elif state.changed not in strays:
            strays.append(state.changed)
    seen = {*looking, *(each.id for each in contract.standing if each.seen_by == "screen")}
    return Proven(
        proofs=(*(_telling(proof, seen, states, rows) for proof in proofs), *missed),
        unnoticed=tuple(unnoticed),
        strays=tuple(strays),
        incidental=tuple(beside),
        program=program,
        states=len(states),
    )


def _telling(
    proof: Proof, of_the_screen: Collection[str], states: Sequence[State], rows: Sequence[Mapping[str, Tried]]
) -> Proof:
    """A proof by what the screen showed that would say the same whatever it showed is none."""
    others = [row for state, row in zip(states, rows, strict=True) if state.screen is not None]
    if proof.requirement not in of_the_screen or not proof.proven or not others:
        return proof
    if any(row[proof.requirement].holds is not True for row in others):
        return proof
    return proof.model_copy(update={"holds": None, "found": INDIFFERENT})


def _incidental(screen: Altered, incidental: Sequence[frozenset[str]]) -> bool:
    """Whether nobody need notice what was altered: a request that was not made where all of its fields are incidental."""
    number = screen.request
    assert number is not None, "a request was altered"
    named = incidental[number] if number < len(incidental) else frozenset[str]()
    return screen.fields <= named


def _anew(requirement: Requirement) -> str:
    return f"worded anew: {requirement.heard}" if requirement.heard else ""


def named(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of some paths and patterns names a path, or a folder that it lies in or that lies in it."""
    for pattern in (pattern.strip().removeprefix("./").removeprefix("/workspace/") for pattern in patterns):
        bare = pattern.rstrip("/")
        if path == bare or fnmatch.fnmatchcase(path, pattern) or path.startswith(f"{bare}/"):
            return True
        if any(fnmatch.fnmatchcase(str(parent), bare) for parent in Path(path).parents if str(parent) != "."):
            return True
        if bare.startswith(f"{path}/"):
            return True
    return False


def lacking(proven: Proven) -> str:
    """What keeps a proof from being complete, in a sentence for people and prompts; '' where nothing does."""
    said = [proof.words for proof in proven.proofs if not proof.proven]
    if proven.strays:
        said.append(f"changed, and no part of the task speaks of it: {', '.join(proven.strays[:_MOST_TOLD])}")
    said += proven.unfinished
    if proven.unnoticed:
        said.append(f"nothing would have noticed a difference here: {'; '.join(proven.unnoticed[:_MOST_TOLD])}")
    return "; ".join(said)
