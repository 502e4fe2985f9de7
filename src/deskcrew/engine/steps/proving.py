"""Verify the contract: typed checks and probes on start, end and counter-states, and a reader for the rest."""

from __future__ import annotations

import difflib
import json
import math
import tempfile
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import anyio.to_thread

from deskcrew.actions import gesture_of, media
from deskcrew.actions.libraries import TOLD
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import CLIPBOARD, Record
from deskcrew.engine.roles.ask import reading
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import SaidProgram, SaidReading
from deskcrew.engine.steps.consenting import read_words
from deskcrew.engine.steps.looking_again import look_later, seen_elsewhere, steps_of
from deskcrew.engine.steps.objecting import citable, may_object, objectable, pending, raise_objection
from deskcrew.engine.steps.resting import basis, noticed_by, trials_of
from deskcrew.engine.surroundings import Surroundings
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.evidence import besides, probes
from deskcrew.evidence.altering import altered
from deskcrew.evidence.caller import Case
from deskcrew.evidence.changes import changes_told, saved_states, text_of
from deskcrew.evidence.contrary import telling
from deskcrew.evidence.counter_starts import CounterStart, counter_starts, rests_on_files
from deskcrew.evidence.decoys import decoys, placed
from deskcrew.evidence.deeds import deeds, removals
from deskcrew.evidence.kept import before_sending, for_address, fresh, lasting
from deskcrew.evidence.own_programs import code_of
from deskcrew.evidence.probes import ProbeResult
from deskcrew.evidence.proof import (
    BY_OTHERS,
    INDIFFERENT,
    TAKEN,
    TOO_WEAK,
    UNMOVED,
    UNREAD,
    by_checks,
    mark_reworded,
    named,
    notices,
    together,
    weigh,
)
from deskcrew.evidence.screen import (
    LEAST_WORDS,
    Altered,
    PageReading,
    ScreenState,
    counter_states,
    gone_from,
    is_page,
    is_prose,
    told,
)
from deskcrew.evidence.states import START, State, States
from deskcrew.evidence.taken_away import Speaking
from deskcrew.evidence.typed import Side
from deskcrew.evidence.unfinished import unfinished
from deskcrew.facts.contract import OF_THE_SCREEN, PROBED, Contract, Proof, Proven, Requirement
from deskcrew.facts.events import ActionFinished, Event, Proved, RoleReplied, newest_first
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import object_in
from deskcrew.facts.observation import Observation
from deskcrew.facts.verdict import VerifiedBy
from deskcrew.journal.journal import Journal
from deskcrew.models.replies import json_in

TRIES = 2
"""How often the Verifier is asked for code, and how often its reply may be unusable."""
MOST_READ = 12_000
"""The maximum characters of a text that a reader is given."""
LEAST_READ = 200
"""The number of characters below which an excerpt of the pages is not worth giving."""
MOST_LINES = 2000
"""The maximum number of a file's new lines for a Verifier to be able to call them incidental."""
CHANGES = "What changed from before the work to this text (- before, + now):"
UNCHANGED = "Besides, what was there before the work is unchanged."
"""What a reader is also asked about files that existed before."""
MOST_SOURCE = 40_000
"""The maximum characters of an answer's sources that a reader is given."""


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
    problem = _reworded(state.proven, contract, journal.read_blob(program).decode() if program else "")
    proven = Proven()
    for _ in range(TRIES):
        if probed and (not program or problem):
            wanted = [each for each in contract.standing if each.probed]
            try:
                reply = await _code(run.prompting, wanted, states, (start, end), program, problem, beside=read_orders)
            except ModelFailure:
                if proven.proofs:  # what was found is told all the same
                    journal.append(Proved(**_faults_told(proven).model_dump()))
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
        problem = _amiss(proven)
        if not problem or not probed or not program:
            break
    if program:
        proven = _faults_told(proven)
    judged = await _judged(run.prompting, contract, states, (start, end))
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
        proven = _faults_told(proven)
    unread = (Proof(requirement=r.id, says=r.says, holds=None) for r in contract.standing if r.seen_by == "reading")
    proofs = mark_reworded(sorted((*proven.proofs, *unread), key=_place), contract)
    proven = proven.model_copy(update={"proofs": proofs, "unfinished": _left(surroundings, contract)})
    journal.append(Proved(**proven.model_dump()))
    return proven


def _reworded(proven: Proven | None, contract: Contract, code: str) -> str:
    """The probed requirements that were reworded since, or have no function in ``code``, with what was found; '' if none."""
    before = {proof.requirement: proof for proof in proven.proofs} if proven is not None else {}
    known = (each for each in contract.standing if each.probed and each.id in before)
    anew = [each.id for each in known if before[each.id].says != each.says or f"def requirement_{each.id}(" not in code]
    told = (f"requirement_{id} was reworded since; it had returned {before[id].holds}: {before[id].found}" for id in anew)
    return f"{'; '.join(told)}. Was it right about the work? Keep the others as they are" if anew else ""


async def code_again(prompting: Prompting, wanted: Sequence[Requirement], program: str, problem: str) -> str | None:
    """The Verifier's program after it was told of a ``problem`` with the blob ``program`` ('' if there is none yet). None if
    its reply was unusable."""
    return await _code(
        prompting, wanted, states_of(prompting.record.journal), screens_of(prompting.surroundings), program, problem
    )


def _place(proof: Proof) -> tuple[bool, int]:
    return (not proof.requirement, int(proof.requirement or 0))


def states_of(journal: Journal, *, until: float = math.inf) -> States:
    """The workspace at the first and the last save point of this branch before event ``until``."""
    return saved_states((event for event in journal.events if event.number < until), journal.read_blob)


def screens_of(surroundings: Surroundings) -> tuple[ScreenState, ScreenState]:
    """What the screen showed first and last on this branch, with all that pages sent in between, and what reloads showed."""
    record = surroundings.record
    steps, now = steps_of(record), surroundings.now.model_copy(update={"screenshot": None, "places": ()})
    pages = tuple(now if look == now else _alone(look) for look in fresh(steps))
    shown = {front.url for page in pages if (front := page.active_window) is not None}
    others = seen_elsewhere(record.journal) or ()
    sent = tuple(each for step in steps[1:] for each in step.look.sent)
    end = ScreenState(
        now,
        sent=sent,
        looks=tuple(step.look for step in steps[1:] if step.fresh is None and step.look != now),
        elsewhere=tuple(last for _, last in record.looks.elsewhere()),
        pages=pages,
        before=before_sending(steps),
        lasting=lasting(steps),
        lost=tuple(dict.fromkeys(step.fresh.lost for step in steps if step.fresh is not None and step.fresh.lost)),
        read=tuple(dict.fromkeys(reading for _, reading in _readings(record))),
        others=tuple(each for each in telling(others, pages, sent) if each.alone or each.address not in shown),
        said=for_address(steps, [each.look for each in others]),
    )
    return ScreenState(record.looks.first), end


def _alone(look: Observation) -> Observation:
    """The page in front alone: one that was loaded anew in a window of its own says nothing of the windows behind it."""
    windows = tuple(window for window in look.windows if window.active)
    return look.model_copy(update={"windows": windows, "controls": look.in_front})


def _readings(record: Record) -> Iterator[tuple[Event, PageReading]]:
    """What operations read on pages, each with the event of the observation that followed."""
    read: dict[str, str] = {}
    for event in record.journal.events:
        body = event.body
        if isinstance(body, ActionFinished) and body.ok and gesture_of(body.operation) == "look":
            read[event.id] = body.output
        elif event.header.cause in read and (look := record.looks.of(event)) is not None:
            text = record.journal.read_blob(read.pop(event.header.cause)).decode()
            yield event, PageReading(look.address, text)


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


def _faults_told(proven: Proven) -> Proven:
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


def _faulty(proof: Proof) -> bool:
    told = proof.found.startswith((INDIFFERENT, UNMOVED, TOO_WEAK, UNREAD))
    return proof.holds is None and proof.by == "probe" and not told and not proof.unkept


def _amiss(proven: Proven) -> str:
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


async def _code(
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
    while (code := await _code(prompting, wanted, states, seen)) is None:
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


async def _judged(
    prompting: Prompting, contract: Contract, states: States, seen: tuple[ScreenState, ScreenState]
) -> tuple[Proof, ...] | None:
    """A reader's verdicts on the requirements that only reading can settle. None if a reply was unusable."""
    proofs: list[Proof] = []
    pages = cache(
        lambda: _pages_read(prompting.record, seen[1])
    )  # all looks of the run: read once, and only if a file may rest on them
    for requirement in contract.standing:
        if requirement.seen_by == "reading":
            proof = await _read(prompting, requirement, states, seen, pages)
            if proof is None:
                return None
            proofs.append(proof)
    return tuple(proofs)


async def _read(
    prompting: Prompting,
    requirement: Requirement,
    states: States,
    seen: tuple[ScreenState, ScreenState],
    pages: Callable[[], str],
) -> Proof | None:
    """A reader's verdict on one requirement, given among decoys: a reader that accepts a decoy is not believed. None if its
    reply was unusable. ``pages``: returns what pages showed."""
    record = prompting.record
    state, role = record.state, record.crew.roles[record.crew.reader]
    unknown = Proof(requirement=requirement.id, says=requirement.says, holds=None)
    results = _results(requirement, states)
    text = "\n".join(f"[{path}]\n{text_of(states, path)}" for path in results) if requirement.files else _prose_sent(seen[1])
    if not text:
        if not requirement.files and prompting.surroundings.now.drawn is not None:
            # It may be of what a program painted, and what a picture shows is not read here.
            return unknown.model_copy(update={"found": "no text was sent, and what is painted is not judged"})
        missing = "no file that it mentions was written" if requirement.files else "no text was sent"
        return unknown.model_copy(update={"holds": False, "found": missing})
    sources = [path for path, entry in states.start.by_path.items() if entry.kind == "file" and path not in results]
    shown = [] if requirement.files else [f"[the screen]\n{look}" for look in _texts_shown(*seen)]
    watched = _watched(record.journal) if requirement.files else {}
    told = ("\n".join((text_of(states, path, start=True), *watched.get(path, ()))) for path in sources)
    before = "\n".join(f"[{path}]\n{text_of(states, path, start=True)}" for path in results if path in states.start.by_path)
    source = "\n".join((*(f"[{path}]\n{text}" for path, text in zip(sources, told, strict=True)), *shown))
    if requirement.files and (room := MOST_READ - len(source)) > LEAST_READ and pages():
        source = f"{source}\n{shorten(pages(), room - LEAST_READ)}".strip()
    if max(len(source), len(text)) > MOST_READ:
        return unknown.model_copy(update={"found": "it is too long to be judged in one piece"})
    says = f"{requirement.says} {UNCHANGED}" if before else requirement.says
    wrong = decoys(text, source, says, before=before)
    judged = await _among(prompting, says, source, text, wrong, before)
    if judged is None:
        return unknown if state.malformed_by == role.name and state.format_errors >= TRIES else None
    holds, why, by = judged
    return unknown.model_copy(update={"holds": holds, "by": by if holds is not None else "", "found": why})


def _change(before: str, now: str) -> str:
    return "\n".join(difflib.unified_diff(before.splitlines(), now.splitlines(), "before", "now", lineterm="", n=1))


def _results(requirement: Requirement, states: States) -> list[str]:
    """The changed files that a reader is shown for a requirement, without deleted files and files without text."""
    there = (path for path in states.changes() if path in states.end.by_path and named(path, requirement.files))
    return [path for path in there if text_of(states, path).strip()]


def _shown(contract: Contract, states: States) -> frozenset[str]:
    """The files whose changes a reader is shown."""
    reading = (each for each in contract.standing if each.seen_by == "reading")
    return frozenset(path for each in reading for path in _results(each, states))


def _watched(journal: Journal) -> dict[str, tuple[str, ...]]:
    """What programs read in videos and recordings for this run, by file: these have no text of their own."""
    found: dict[str, tuple[str, ...]] = {}
    for done in (done for turn in journal.state.turns for done in turn.done):
        if done.ok and done.operation.function in media.WATCHING:
            for path in done.reads:
                found[path] = tuple(dict.fromkeys((*found.get(path, ()), done.text)))
    return found


def _prose_sent(end: ScreenState) -> str:
    """The words that pages sent, one field per line."""
    fields = (field for each in end.sent for field in each.fields if is_prose(field))
    return "\n".join(f"{field.name}: {field.value}" for field in fields)


def _own_lines(end: ScreenState) -> set[str]:
    """The lines of what was written on pages and sent."""
    values = (field.value or "" for each in end.sent for field in each.fields if is_prose(field))
    return {line for value in values for line in value.split("\n") if line.strip()}


def _without_own(line: str, own: Collection[str]) -> str:
    """A displayed line without the crew's ``own`` text; '' if nothing else is in it. A text of a few words is only removed
    if it is the whole line, as it may be anybody's."""
    for said in sorted(own, key=len, reverse=True):
        if line.strip() == said.strip() or len(said.split()) >= LEAST_WORDS:
            line = line.replace(said.strip(), "")
    return line if any(character.isalnum() for character in line) else ""


def _texts_shown(start: ScreenState, end: ScreenState) -> list[str]:
    """What windows showed before and during the work, each text once, without what the crew wrote there and sent."""
    own = _own_lines(end)
    shown: dict[str, None] = {}
    for look in (start.look, *end.looks):
        lines = (_without_own(line, own) for line in look.text.splitlines())
        shown["\n".join(filter(None, lines))] = None
    return [text for text in shown if text.strip()]


def _pages_read(record: Record, end: ScreenState) -> str:
    """What web pages showed, each line once, without what the crew itself had written before."""
    origins, own = record.origins(), _own_lines(end)
    known: set[str] = set()
    told: list[str] = []
    read = {event.id: reading.text for event, reading in _readings(record)}
    for event in record.journal.events:
        look = record.looks.of(event)
        if look is None or not is_page(look) or (front := look.active_window) is None:
            continue
        lines = (*look.all_text.splitlines(), *read.get(event.id, "").splitlines())
        new = [line for line in dict.fromkeys(lines) if line.strip() and line not in known]
        known.update(new)
        theirs = (_without_own(line, own) for line in new if not origins.written(line, until=event.number))
        if said := [*filter(None, theirs)]:
            told.append("\n".join((f"[the page {front.title!r} at {front.url}]", *said)))
    return "\n".join(told)


async def read_answer(prompting: Prompting, answer: str, source: str) -> tuple[bool | None, str, VerifiedBy] | None:
    """A reader's verdict on an answer among wrong ones, from its sources alone: whether they show it, why, and who judged.
    None if its reply could not be used.

    Sources that are longer than :data:`MOST_SOURCE` characters are not judged.
    """
    record = prompting.record
    state, role = record.state, record.crew.roles[record.crew.reader]
    if len(source) > MOST_SOURCE:
        return None, "its sources are too long to be judged in one piece", "judge"
    says = f"It answers the question {state.question!r}, and the source shows every statement in it."
    judged = await _among(prompting, says, source, answer, decoys(answer, source, says, asked=True))
    if judged is None and state.malformed_by == role.name and state.format_errors >= TRIES:
        return None, "the reader's replies could not be used", "judge"
    return judged


async def _among(
    prompting: Prompting, says: str, source: str, text: str, wrong: list[str], before: str = ""
) -> tuple[bool | None, str, VerifiedBy] | None:
    """Whether a reader finds that a text fulfils what it must, why, and who judged. The first is None if the reader also
    accepts a ``wrong`` text, or is not asked because there are none. ``before``: the text before the work. None for all
    three if its reply could not be used."""
    record = prompting.record
    if not wrong:
        return None, "nothing in it could be altered to see whether a reader reads it", "judge"
    role = record.crew.roles[record.crew.reader]
    shown, at = placed(text, wrong, says)
    changes = [f"\n{CHANGES}\n{_change(before, each) or 'nothing'}" if before else "" for each in shown]
    told = zip(shown, changes, strict=True)
    texts = "\n".join(f"Text {number}:\n{each}{change}" for number, (each, change) in enumerate(told, 1))
    sight = prompting.sight(role, requirement=says, source=source or "none", texts=texts)
    reply = await prompting.asker.ask(role, Now(texts_read=len(shown)), sight, SaidReading)
    if reply is None:
        return None
    if record.replied_by_person:
        by: VerifiedBy = "human"
    else:
        by = "judge"
    said = {each.text: each for each in reply.texts}
    if at + 1 not in said or any(each.fulfils for number, each in said.items() if number != at + 1):
        return None, "the reader accepted an altered text, so its word does not count", by
    why = reply.why or said[at + 1].quote
    return said[at + 1].fulfils, f"judged, not proven: {why}" if by == "judge" else why, by
