"""Verify the contract: typed checks and probes on start, end and counter-states, and a reader for the rest."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

import anyio.to_thread

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.record import CLIPBOARD
from deskcrew.engine.steps.consenting import read_words
from deskcrew.engine.steps.judging import MOST_LINES, read_all, results_of
from deskcrew.engine.steps.looking_again import look_later
from deskcrew.engine.steps.objecting import pending
from deskcrew.engine.steps.proof_states import screens_of, states_of
from deskcrew.engine.steps.resting import basis, trials_of
from deskcrew.engine.steps.verifying import TRIES, after_faults, faults_in, program_for, rewordings
from deskcrew.engine.surroundings import Surroundings
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.evidence import besides, probes
from deskcrew.evidence.caller import Case
from deskcrew.evidence.changes import text_of
from deskcrew.evidence.counter_starts import counter_starts
from deskcrew.evidence.deeds import deeds, removals
from deskcrew.evidence.own_programs import code_of
from deskcrew.evidence.probes import ProbeResult
from deskcrew.evidence.proof import BY_OTHERS, by_checks, mark_reworded, named, notices, together, weigh
from deskcrew.evidence.screen import Altered, ScreenState, counter_states, gone_from
from deskcrew.evidence.states import START, State, States
from deskcrew.evidence.taken_away import Speaking
from deskcrew.evidence.typed import Side
from deskcrew.evidence.unfinished import unfinished
from deskcrew.facts.contract import OF_THE_SCREEN, PROBED, Contract, Proof, Proven, Requirement
from deskcrew.facts.events import Proved
from deskcrew.journal.journal import Journal


async def prove(run: Run) -> Proven | None:
    """Record the evidence for every requirement but those on the answer. None: a role's reply was unusable, ask again.

    The workspace must have been observed: the last save point counts as the end.
    """
    record, authorization, surroundings, journal = run.record, run.authorization, run.surroundings, run.record.journal
    state = record.state
    contract = state.contract
    assert contract is not None, "proving needs a contract"
    states = states_of(journal)
    start, end = screens_of(surroundings)
    taken = deeds(journal.events, record.looks.of) or gone_from(start, end, Speaking(_said(authorization)))

    async def read_orders() -> None:
        if taken:
            await read_words(run, journal.latest)  # whether the user's words order that

    contested = any(each.contested for each in contract.requirements)
    # With a requirement that counts as not checked, what comes with what was sent makes nothing whole. A model that only
    # uses skills mends no check of theirs.
    probed = any(each.probed for each in contract.standing) or (end.sends and not contested)
    probed = probed and not run.prompting.skills_only
    program = state.proven.program if state.proven is not None else ""
    problem = rewordings(state.proven, contract, journal.read_blob(program).decode() if program else "")
    proven = Proven()
    for _ in range(TRIES):
        if probed and (not program or problem):
            wanted = [each for each in contract.standing if each.probed]
            try:
                reply = await program_for(run.prompting, wanted, states, (start, end), program, problem, beside=read_orders)
            except ModelFailure:
                if proven.proofs:  # what was found is told all the same
                    journal.append(Proved(**after_faults(proven).model_dump()))
                raise
            if reply is None and state.contract is not None and pending(state.contract):
                return None
            if reply is None and state.malformed_by == record.crew.verifier and state.format_errors < TRIES:
                return None
            if reply is not None:
                program = journal.blob(reply)
        await read_orders()
        proven = await _tried(authorization, contract, states, (start, end), program)
        if _on_screen(proven, contract) and await look_later(surroundings):
            start, end = screens_of(surroundings)
            proven = await _tried(authorization, contract, states, (start, end), program)
        problem = faults_in(proven)
        if not problem or not probed or not program:
            break
    if program:
        proven = after_faults(proven)
    judged = await read_all(run.prompting, contract, states, (start, end))
    if judged is None:
        return None
    proofs = mark_reworded(sorted((*proven.proofs, *judged), key=_place), contract)
    proven = proven.model_copy(update={"proofs": proofs, "unfinished": _left(surroundings, contract)})
    if state.users_own:
        proven = _as_required(journal, proven)
    journal.append(Proved(**proven.model_dump()))
    return proven


def _as_required(journal: Journal, proven: Proven) -> Proven:
    """The proof if only the user says what must hold: without stray files that they let be removed or replaced."""
    let_go = besides.let_go(journal.events, journal.read_blob)
    return proven.model_copy(update={"strays": tuple(path for path in proven.strays if not let_go(path))})


async def prove_again(authorization: Authorization, program: str) -> Proven:
    """Prove without asking anybody, by typed checks and the ``program`` of the run that this one repeats ('' if none).
    Requirements that only reading can settle are not checked."""
    surroundings, journal = authorization.surroundings, authorization.record.journal
    contract = authorization.record.state.contract
    assert contract is not None, "proving needs a contract"
    code = journal.blob(program) if program else ""
    proven = await _tried(authorization, contract, states_of(journal), screens_of(surroundings), code)
    if _on_screen(proven, contract) and await look_later(surroundings):
        proven = await _tried(authorization, contract, states_of(journal), screens_of(surroundings), code)
    if program:
        proven = after_faults(proven)
    unread = (Proof(requirement=r.id, says=r.says, holds=None) for r in contract.standing if r.seen_by == "reading")
    proofs = mark_reworded(sorted((*proven.proofs, *unread), key=_place), contract)
    proven = proven.model_copy(update={"proofs": proofs, "unfinished": _left(surroundings, contract)})
    journal.append(Proved(**proven.model_dump()))
    return proven


def _place(proof: Proof) -> tuple[bool, int]:
    return (not proof.requirement, int(proof.requirement or 0))


def _said(authorization: Authorization) -> str:
    authorization.history.follow(authorization.record.journal.events)
    return authorization.history.consents.said


def _speaking(authorization: Authorization) -> Speaking | None:
    """The user's words; None if nobody has read what they order."""
    ordered = removals(authorization.record.journal.events, said := _said(authorization))
    return Speaking(said, ordered) if ordered is not None else None


def _on_screen(proven: Proven, contract: Contract) -> bool:
    """Whether nothing fails and something done on a screen is proven: that must then hold a while later, too."""
    done = {each.id for each in contract.standing if each.seen_by == "screen" and not each.stays}
    return not proven.failing and any(proof.proven and proof.requirement in done for proof in proven.proofs)


def _left(surroundings: Surroundings, contract: Contract) -> tuple[str, ...]:
    """What was left unfinished on the screen, at any desk."""
    pairs = ((surroundings.record.looks.first, surroundings.now), *surroundings.record.looks.elsewhere())
    return tuple(left for first, now in pairs for left in unfinished(contract, first, now))


async def _tried(
    authorization: Authorization, contract: Contract, states: States, seen: tuple[ScreenState, ScreenState], program: str
) -> Proven:
    """The weighed findings of checks and probes on the end, the start and every counter-state."""
    surroundings = authorization.surroundings
    own = [each for each in contract.standing if each.seen_by not in BY_OTHERS]
    probed = [each.id for each in contract.standing if each.seen_by in PROBED]
    of_the_screen = [each.id for each in contract.standing if each.seen_by == "screen"]
    code = authorization.record.journal.read_blob(program).decode() if program else ""
    start, end = seen
    looking = probes.looking(code, probed) if code else ()
    momentary = probes.listed(code, probes.MOMENTARY) if code else ()
    altered_screens = list[Altered]()
    if end.sends or looking or _shows(contract):
        result = _shown_in(contract, states, looking) if end.of_pages else ""
        # What must never be sent is noticed in no end that undoes what was.
        never = any(each.stays and each.id in of_the_screen for each in contract.standing)
        speaking = _speaking(authorization)
        altered_screens += counter_states(start, end, result, further=never, speaking=speaking, earlier=bool(momentary))
    passing = [thing for each in altered_screens for thing in each.shown]
    clipboard = _clipboard(surroundings, contract)
    rests = basis(authorization.record, contract, states, seen, code)

    def work() -> Proven:
        of_files = list(states.all(exact=any(each.exact for each in own)))
        resting = rests.resting()
        starts = list(counter_starts({id: each.inputs for id, each in resting.items()}, states))
        every = [*of_files, *(State(each.label, states.end.by_path, screen=each) for each in altered_screens)]
        with tempfile.TemporaryDirectory(prefix="deskcrew-proof-") as folder:
            top = Path(folder)
            folders = states.lay_out([*of_files, *(side for each in starts for side in (each.start, each.end))], top)
            places, altered_sides = folders[: len(of_files)], folders[len(of_files) :]
            cases, screens = _cases(places, seen, altered_screens)
            sides = zip(starts, altered_sides[::2], altered_sides[1::2], strict=True)
            others = [Case(end, start=start, of=each.of) for each, start, end in sides]
            otherwise = rests.shown_otherwise(resting, places[0], screens)
            shown, trials = [case for case, _ in otherwise], [*trials_of(starts), *(trial for _, trial in otherwise)]
            rows = _checked(own, every, cases, screens, clipboard)
            rows = _by_programs(surroundings, own, cases, top, rows)
            report = probes.ProbeReport([])
            if code and (probed or end.sends):
                # Where checks notice what is other than at the end, no probe need.
                holding = [id for id, tried in rows[0].items() if id not in probed and tried.holds is True]
                asked = [n for n, row in enumerate(rows) if not cases[n].enough or not notices(row, holding)]
                lines = {path: states.new_lines(path) for path in states.changes() if named(path, contract.files)}
                with surroundings.sandbox.over(top) as sandbox:
                    report = probes.tried(
                        sandbox,
                        code,
                        probed,
                        cases[1].state,
                        [*(cases[n] for n in asked), *others, *shown],
                        of_the_screen=of_the_screen,
                        screens=[screen.data for screen in screens if end.sends or of_the_screen or looking or shown],
                        lines={path: new for path, new in lines.items() if len(new) <= MOST_LINES},
                        things=list(dict.fromkeys((*passing, *(each.thing for each in end.contraries)))),
                    )
                for n, said in zip(asked, report.rows, strict=False):
                    rows[n] |= {id: together(rows[n].get(id), tried) for id, tried in said.items()}
            for case, row in zip(cases, rows, strict=True):
                row |= {each.id: together(None, None) for each in own if not case.enough and each.id not in row}
        tried = {state.changed for state in of_files}
        untried = [path for path in states.units() if path not in tried]
        proven = weigh(
            contract,
            every,
            rows,
            report,
            program=program,
            looking=looking,
            read=_shown(contract, states),
            untried=untried,
            lost=end.unseen,
            momentary=momentary,
            contraries=end.contraries,
            unordered=probes.listed(code, probes.UNORDERED) if code else (),
        )
        return rests.withdrawn(proven, trials, report)

    return await anyio.to_thread.run_sync(work)


def _by_programs(
    surroundings: Surroundings,
    own: Sequence[Requirement],
    cases: Sequence[Case],
    top: Path,
    rows: list[dict[str, ProbeResult]],
) -> list[dict[str, ProbeResult]]:
    """The rows, with the findings of the user's own programs on each case added."""
    code, programs = code_of(own)
    if not programs:
        return rows
    alone = [case._replace(enough=False) for case in cases]  # each is asked, whatever another says
    with surroundings.sandbox.over(top) as sandbox:
        said = probes.tried(sandbox, code, programs, cases[1].state, alone).rows
    return [row | more for row, more in zip(rows, said, strict=True)]


def _shown_in(contract: Contract, states: States, looking: Collection[str]) -> str:
    """The content of changed files that functions compare with what was shown."""
    wanted = [each.files for each in contract.standing if each.id in looking]
    return "\n".join(text_of(states, path) for path in states.changes() if any(named(path, files) for files in wanted))


def _clipboard(surroundings: Surroundings, contract: Contract) -> str | None:
    """The clipboard's text, if a check asks for it and there is a desktop."""
    wanted = any(check.kind == "clipboard_holds" for each in contract.standing for check in each.checks)
    if surroundings.desk.desktop is None or not wanted:
        return None
    try:
        return surroundings.record.text_of(CLIPBOARD)
    except ActionError:
        return ""


def _cases(
    folders: Sequence[Path], seen: tuple[ScreenState, ScreenState], altered_screens: Sequence[Altered]
) -> tuple[list[Case], list[ScreenState]]:
    """A case for each state, the end first and the start second, with the folder of its files and the indices of its
    screens; and all screens. A counter-state of files need be noticed by only one requirement (``enough``)."""
    screens = list(seen)
    cases = [Case(folder, screen=0 if number == 1 else 1, enough=number > 1) for number, folder in enumerate(folders)]
    for each in altered_screens:
        before = 0
        if each.start is not None:
            before = len(screens)
            screens.append(each.start)
        cases.append(Case(folders[0], before=before, screen=len(screens)))
        screens.append(each.screen)
    return cases, screens


def _checked(
    own: Sequence[Requirement],
    every: Sequence[State],
    cases: Sequence[Case],
    screens: Sequence[ScreenState],
    clipboard: str | None,
) -> list[dict[str, ProbeResult]]:
    """The findings of typed checks on each state, by requirement."""
    values: dict[tuple[int, int, str, str], str | ActionError] = {}
    rows: list[dict[str, ProbeResult]] = []
    for state, case in zip(every, cases, strict=True):
        held, shown = None if state.label == START else clipboard, screens[case.screen]
        side = Side(case.state, cases[1].state, shown.look, lambda held=held: held, values, shown.elsewhere)
        rows.append({each.id: by_checks(each, side) for each in own if each.checks})
    return rows


def _shows(contract: Contract) -> bool:
    """Whether anything in a contract is verified on the screen."""
    return any(
        each.seen_by == "screen" or any(check.kind in OF_THE_SCREEN for check in each.checks) for each in contract.standing
    )


def _shown(contract: Contract, states: States) -> frozenset[str]:
    """The files whose changes a reader is shown."""
    reading = (each for each in contract.standing if each.seen_by == "reading")
    return frozenset(path for each in reading for path in results_of(each, states))
