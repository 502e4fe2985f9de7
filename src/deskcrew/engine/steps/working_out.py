"""Answers that a probe works out again."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import anyio.to_thread

from deskcrew.engine.prompting import Prompting
from deskcrew.engine.steps.proof_states import screens_of, states_of
from deskcrew.engine.steps.resting import noticed_by, trials_of
from deskcrew.engine.steps.verifying import TRIES, program_for
from deskcrew.engine.surroundings import Surroundings
from deskcrew.evidence import probes
from deskcrew.evidence.altering import altered
from deskcrew.evidence.caller import Case
from deskcrew.evidence.counter_starts import CounterStart, counter_starts, rests_on_files
from deskcrew.evidence.probes import ProbeResult
from deskcrew.evidence.screen import ScreenState
from deskcrew.evidence.states import States
from deskcrew.facts.observation import Observation


async def answer_proven(surroundings: Surroundings, answer: str) -> ProbeResult | None:
    """The probes' finding on the answer; None if none checks it, one would accept a wrong answer too, or they find
    nothing wrong but do not check all that is asked."""
    record = surroundings.record
    contract, proven = record.state.contract, record.state.proven
    assert contract is not None, "there is a contract"
    asked = [each for each in contract.standing if each.seen_by == "answer"]
    wanted = [each.id for each in asked if each.probed]
    if not wanted or proven is None or not proven.program:
        return None
    code = record.journal.read_blob(proven.program).decode()
    seen = screens_of(surroundings) if probes.looking(code, wanted) else ()
    found = await _answered(surroundings, answer, wanted, code, states_of(record.journal), seen)
    return found if found is None or not found.holds or len(wanted) == len(asked) else None


async def answer_worked_out(prompting: Prompting, answer: str) -> ProbeResult | None:
    """The finding of newly written probes on an answer that no source states, but that may follow from what pages showed: a
    sum, a count, a difference. None if no page was observed, or if the Verifier gave no program, or one that would accept a
    wrong answer, or accept this answer for empty pages."""
    record = prompting.record
    contract = record.state.contract
    assert contract is not None, "there is a contract"
    wanted = [each for each in contract.standing if each.seen_by == "answer"]
    states, seen, left, verifier = (
        states_of(record.journal),
        screens_of(prompting.surroundings),
        TRIES,
        record.crew.verifier,
    )
    if not wanted or not seen[1].of_pages:
        return None
    while (code := await program_for(prompting, wanted, states, seen)) is None:
        state = record.state
        left -= state.malformed_by == verifier
        corrected = state.correction is not None and state.correction.role == verifier
        if not left or not (corrected or state.malformed_by == verifier):
            return None
    names = [each.id for each in wanted]
    if set(names) != {*probes.looking(code, names)}:
        return None
    return await _answered(prompting.surroundings, answer, names, code, states, seen)


async def _answered(
    surroundings: Surroundings, answer: str, wanted: Sequence[str], code: str, states: States, seen: Sequence[ScreenState]
) -> ProbeResult | None:
    """The probes' finding on the answer; None if they would also accept an empty answer, every altered answer, or this
    answer for empty pages or altered files. ``seen``: the first and the last screen, () if they take none."""
    others = [other.decode() for _, other in altered("answer.txt", None, answer.encode())]
    looking = probes.looking(code, wanted)
    contract, task = surroundings.record.state.contract, surroundings.record.state.task
    assert contract is not None, "there is a contract"

    def work() -> tuple[list[dict[str, ProbeResult]], list[CounterStart]]:
        inputs = rests_on_files(answer, contract, states, task)
        starts = list(counter_starts(dict.fromkeys(wanted, inputs), states))
        with tempfile.TemporaryDirectory(prefix="deskcrew-proof-") as folder:
            top = Path(folder)
            sides = [side for each in starts for side in (each.start, each.end)]
            end, start, *altered_sides = states.lay_out([*islice(states.all(), 2), *sides], top)
            cases = [Case(end, said) for said in (answer, "", *others)]
            cases += [Case(end, answer, before=2, screen=2)] if looking else []
            pairs = zip(altered_sides[::2], altered_sides[1::2], strict=True)
            cases += [Case(other, answer, start=before) for before, other in pairs]
            screens = [each.data for each in (*seen, ScreenState(Observation()))] if looking else ()
            with surroundings.sandbox.over(top) as sandbox:
                return probes.tried(sandbox, code, wanted, start, cases, screens=screens).rows, starts

    (told, nothing, *wrong), starts = await anyio.to_thread.run_sync(work)
    if starts:
        wrong, altered_rows = wrong[: -len(starts)], wrong[-len(starts) :]
        if not {*wanted} <= noticed_by(trials_of(starts), altered_rows):
            return None  # it knows the answer by heart
    if looking:
        *wrong, unseen = wrong
        if any(unseen[id].holds is True for id in looking):
            return None  # its values are typed in
    if any(nothing[id].holds is True for id in wanted):
        return None  # it would take no answer for one
    if all(row[id].holds is True for row in wrong for id in wanted):
        return None  # also where nothing in the answer could be altered
    return min(told.values(), key=lambda tried: {False: 0, None: 1, True: 2}[tried.holds])
