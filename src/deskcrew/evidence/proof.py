"""Weighing evidence: a requirement is proven by a check that says yes at the end, and no where the work was not done.

All checks are tried on the end, on the start, and on counter-states: ends with one change undone or altered. What holds at
the start too proves nothing, and a change that could be undone or altered unnoticed is not covered by the checks.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path

from deskcrew.environments.manifest import ManifestEntry
from deskcrew.environments.workspace import workspace_path
from deskcrew.evidence.besides import covers_all, done, told
from deskcrew.evidence.contrary import Contrary
from deskcrew.evidence.probes import ProbeReport, ProbeResult
from deskcrew.evidence.screen import Altered, ScreenKind
from deskcrew.evidence.states import State
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import OF_NAMES, PROBED, Contract, Proof, Proven, Requirement, Strength, TrialKind

BY_OTHERS = ("answer", "reading")
"""Kinds of evidence that do not come from checking files: these requirements are judged separately."""
_MOST_TOLD = 5
INDIFFERENT = "it would say the same whatever the screen showed and pages sent"
NOBODY_SAW = "nobody saw it kept"
ONLY_SHOWN = f"{NOBODY_SAW}: nothing was sent, and the page does not show it once it is loaded anew"
ONLY_SENT = f"{NOBODY_SAW}: it would say the same if all was sent and, once loaded anew, all was shown as before the work"
"""The finding on a proof that ignores what pages showed after a reload."""
TAKEN = "it would say the same if this had only been taken away:"
"""The finding on a proof that takes an entry which is gone for one whose state changed."""
WHOLE: frozenset[TrialKind] = frozenset({"missing", "as before", "replaced"})
"""Kinds of counter-states in which a file differs as a whole."""
TOO_WEAK = "it noticed no part that was altered in"
"""The finding on a proof that any file of the right kind would pass."""
OTHERWISE = "another page says otherwise"
UNREAD = "it would say the same whatever had been shown before, and in it this had to be found:"
"""The finding on a proof that contains what was entered instead of finding it on the screens."""
ALREADY_WRONG = "it returns False for the start itself, before anything was done"
"""The finding on a proof that something stays as it was, if it says no although nothing was done."""
UNMOVED = "it would say the same whatever the files held that the result has to be worked out from"


def by_checks(requirement: Requirement, side: Side) -> ProbeResult:
    """The result of a requirement's typed checks on a side; all of them must hold."""
    seen = [(check, *holds(check, side)) for check in requirement.checks]
    wrong = next(((check, ok, what) for check, ok, what in seen if ok is not True), None)
    if wrong is None:
        return ProbeResult(True, "; ".join(what for _, _, what in seen if what))
    check, ok, what = wrong
    return ProbeResult(ok, f"{check.words}: {what or 'no'}")


def notices(row: Mapping[str, ProbeResult], noticing: Collection[str]) -> bool:
    """Whether a counter-state is noticed: a requirement in ``noticing``, which hold at the end, does not hold in it."""
    return any(row[id].notices for id in noticing if id in row)


def together(checks: ProbeResult | None, probe: ProbeResult | None) -> ProbeResult:
    """The worse of two results, for a requirement that has both typed checks and a probe."""
    said = [tried for tried in (checks, probe) if tried is not None]
    if not said:
        return ProbeResult(None, "nothing checked it")
    order = {False: 0, None: 1, True: 2}
    return min(said, key=lambda tried: order[tried.holds])


def weigh(
    contract: Contract,
    states: Sequence[State],
    rows: Sequence[Mapping[str, ProbeResult]],
    report: ProbeReport | None = None,
    *,
    program: str = "",
    looking: Collection[str] = (),
    read: Collection[str] = (),
    untried: Collection[str] = (),
    lost: Sequence[str] = (),
    momentary: Collection[str] = (),
    contraries: Sequence[Contrary] = (),
    unordered: Sequence[str] = (),
) -> Proven:
    """The proofs that result from ``rows``, one row for each of ``states``: the end, the start, then counter-states.

    Requirements that are judged otherwise are left out. Rows of counter-states need not contain requirements that were
    skipped because another one had noticed the change. ``report``: also says what is incidental according to the Verifier;
    such changes need not be noticed. ``looking``: further requirements that are checked by what the screen showed. ``read``:
    paths whose change a model judges by reading; ``untried``: changed paths without a counter-state of their own; ``lost``:
    what could not be looked at again; ``momentary``: requirements about nothing that must last; ``contraries``: lines of
    other pages that contradict; ``unordered``: deeds that nobody wants.
    """
    end = rows[0]
    own = [requirement for requirement in contract.standing if requirement.seen_by not in BY_OTHERS]
    noticing = [requirement.id for requirement in own if end[requirement.id].holds is True]
    unnoticed, strays, beside = _differences(contract, states, rows, noticing, report or ProbeReport([]), read)
    loose, unnoticed = (unnoticed, []) if contract.settled_by_user else ([], unnoticed)
    if len(noticing) < len(own):
        loose = []  # a requirement that rejects the result itself would reject its copies
    strays += [path for path in untried if not _mentioned(path, contract, states[1].entries)]
    missed = [Proof(requirement="", says=f"Part of the task: {part!r}", holds=None) for part in contract.missed]
    gained = any(end[each.id].holds is True and rows[1][each.id].holds is not True for each in own)
    against = [each.label for each in contraries if report is None or each.thing not in report.passing]
    hollow = _hollow(states, rows, noticing, {*read, *beside})
    doubts = _Doubts(states, rows, looking, momentary, lost, hollow, against)
    proofs = [_withdrawn(_proof(each, states, rows, gained=gained), doubts.of(each)) for each in own]
    read_too = any(each.seen_by == "reading" for each in contract.standing)
    unread = _unread(own, states, rows, noticing) if contract.settled_by_user and not read_too else ()
    noticed = [state for state, row in zip(states[2:], rows[2:], strict=True) if notices(row, noticing)]
    strength = _strength(contract, states, [*noticed, *(state for state in states[2:] if state.label in loose)])
    return Proven(
        proofs=(*proofs, *_contested(contract), *missed),
        unnoticed=tuple(unnoticed),
        strays=tuple(strays),
        unordered=tuple(unordered),
        incidental=tuple(beside),
        program=program,
        states=len(states),
        strength=strength.model_copy(update={"loose": tuple(loose), "unread": tuple(unread)}),
        rejected=tuple(state.label for state in noticed),
    )


def _strength(contract: Contract, states: Sequence[State], told: Sequence[State]) -> Strength:
    """The number of counter-states of each kind that were told from the end, or should have been. ``whole`` are those files
    of the contract of which no part could be altered."""
    tried: dict[TrialKind, int] = {}
    kinds: dict[str, set[TrialKind]] = {}
    for state in told:
        tried[_trial(state)] = tried.get(_trial(state), 0) + 1
    for state in states[2:]:
        if state.screen is None:
            kinds.setdefault(state.changed, set()).add(_trial(state))
    there = states[0].entries
    whole = (path for path, some in kinds.items() if path in there and some <= WHOLE)
    files = tuple(path for path in whole if there[path].kind == "file" and there[path].size and named(path, contract.files))
    return Strength(tried=tried, whole=files)


def _trial(state: State) -> TrialKind:
    return state.kind if state.screen is None else "sent" if state.screen.request is not None else "shown"


def _proof(
    requirement: Requirement, states: Sequence[State], rows: Sequence[Mapping[str, ProbeResult]], *, gained: bool
) -> Proof:
    """The proof of a requirement from its results at the end and the start. ``gained``: some requirement holds only now;
    then what the user stated and held at the start already is what must stay."""
    now, before = rows[0][requirement.id], rows[1][requirement.id]
    if requirement.probed and now.holds is None and not now.unseen and (missing := _never_made(requirement, states)):
        now = ProbeResult(False, f"{missing} does not exist")  # no wonder that its probe failed
    if requirement.stays and requirement.seen_by in PROBED and now.holds is False and before.holds is False:
        now = ProbeResult(None, f"{ALREADY_WRONG} ({before.read})")
    return Proof(
        requirement=requirement.id,
        says=requirement.says,
        holds=now.holds,
        by="" if now.unseen else "probe" if requirement.seen_by in PROBED else "rules",
        already=now.holds is True and before.holds is True and not (requirement.stays or (requirement.stated and gained)),
        found="; ".join(part for part in (now.read, _anew(requirement)) if part),
    )


def _contested(contract: Contract) -> Iterator[Proof]:
    """Unchecked proofs of the requirements that a planner contested."""
    for each in contract.requirements:
        if each.contested:
            found = f"contested: {each.contested}" + (f"; its writer: {each.heard}" if each.heard else "")
            yield Proof(requirement=each.id, says=each.says, holds=None, found=found)


def _differences(
    contract: Contract,
    states: Sequence[State],
    rows: Sequence[Mapping[str, ProbeResult]],
    noticing: Sequence[str],
    report: ProbeReport,
    read: Collection[str],
) -> tuple[list[str], list[str], list[str]]:
    """Three lists: counter-states that no requirement notices although one should; changed paths that the contract does not
    mention; and what was sent, or changed in files, that is only incidental."""
    read_sent = any(requirement.seen_by == "reading" and not requirement.files for requirement in contract.standing)
    seen = {state.changed for state, row in zip(states[2:], rows[2:], strict=True) if notices(row, noticing)}
    unnoticed: list[str] = []
    strays: list[str] = []
    beside: list[str] = []
    for state, row in zip(states[2:], rows[2:], strict=True):
        if state.screen is not None:
            if state.screen.prose and read_sent:
                continue
            if not notices(row, noticing) and state.screen.counts:
                left = beside if _incidental(state.screen, report) else unnoticed
                left.append(state.label)
            continue
        meant = _mentioned(state.changed, contract, states[1].entries)
        # A user's check that notices what became of a file may take its values from it: it need not say that it may change.
        input = contract.settled_by_user and not meant and state.changed in states[1].entries
        meant = meant or (contract.settled_by_user and not input and state.changed in seen)
        if (notices(row, noticing) and not input) or (meant and (state.changed in read or state.kind == "damaged")):
            continue
        copy = _backup(state.changed, states[1].entries, states[0].entries)
        if copy or (meant and _accompanies(state, report.aside, seen)):
            beside += [state.changed] if state.changed not in beside else []
        elif meant:
            unnoticed.append(state.label)
        elif state.changed not in strays:
            strays.append(state.changed)
    return unnoticed, strays, beside


def _mentioned(path: str, contract: Contract, start: Mapping[str, ManifestEntry]) -> bool:
    """Whether a contract names a path as one that may change. A pattern that fits every file does not name an existing
    one."""
    return named(path, [each for each in contract.files if path not in start or not covers_all(each)])


def _accompanies(state: State, aside: Mapping[str, frozenset[str]], seen: Collection[str]) -> bool:
    """Whether an alteration of a file need not be noticed: the altered line is incidental, or the whole file is. A file that
    a requirement looks at (``seen``) is never incidental as a whole."""
    lines = aside.get(state.changed, frozenset[str]())
    return state.changed not in seen if "" in lines else bool(state.line) and state.line in lines


def _backup(path: str, start: Mapping[str, ManifestEntry], end: Mapping[str, ManifestEntry]) -> bool:
    """Whether a path is a backup: a program kept another file's former content there when changing that file, as many do. It
    is in the same folder, and its name is the other's with a suffix."""
    copy = end.get(path)
    if path in start or copy is None or not copy.digest:
        return False
    of = (each for each in start if path.startswith(each) and "/" not in path.removeprefix(each))
    return any(start[each].digest == copy.digest and each in end and end[each].digest != copy.digest for each in of)


def _never_made(requirement: Requirement, states: Sequence[State]) -> str:
    """A file that a requirement names and that exists neither at the end nor at the start; '' if there is none."""
    paths = (path for path in map(workspace_path, requirement.files) if not path.endswith("/") and not has_magic(path))
    return next((path for path in paths if all(path not in state.entries for state in states[:2])), "")


def _withdrawn(proof: Proof, findings: Iterator[Mapping[str, object]]) -> Proof:
    """The proof, without its yes if there is any finding."""
    found = next(findings, None) if proof.proven else None
    return proof if found is None else proof.model_copy(update={"holds": None, **found})


@dataclass(frozen=True, slots=True)
class _Doubts:
    """What shows that a yes proves nothing. ``hollow``: see :func:`_hollow`; ``against``: what other pages of the same site
    say; for the others see :func:`weigh`."""

    states: Sequence[State]
    rows: Sequence[Mapping[str, ProbeResult]]
    looking: Collection[str]
    momentary: Collection[str]
    lost: Sequence[str]
    hollow: Mapping[str, bool | None]
    against: Sequence[str]

    def of(self, each: Requirement) -> Iterator[Mapping[str, object]]:
        """The findings on a requirement that holds, as changes of its proof, the most important one first."""
        momentary, of_the_screen = each.id in self.momentary, each.seen_by == "screen"
        done = of_the_screen and not each.stays
        if not (momentary and any(notices(row, [each.id]) for _, row in self._screens("earlier"))):
            if of_the_screen or each.id in self.looking:
                yield from self._indifferent(each)
            if done and any(row[each.id].holds is True for _, row in self._screens("unkept")):
                if self.lost:
                    yield {"by": "", "unkept": True, "found": f"{NOBODY_SAW}: {'; '.join(self.lost)}"}
                yield {"unkept": True, "found": ONLY_SENT}
        if done and not momentary:
            if any(row[each.id].holds is not True for _, row in self._screens("anew")):
                yield {"unkept": True, "found": ONLY_SHOWN}
            for screen, row in self._screens("gone"):
                if row[each.id].holds is True:
                    yield {"unkept": True, "found": f"{TAKEN} {', '.join(map(repr, screen.taken[:_MOST_TOLD]))}"}
        yield from self._weak(each)
        if done and self.against:
            yield {"unkept": True, "found": f"{OTHERWISE}: {'; '.join(self.against[:_MOST_TOLD])}"}

    def _screens(self, *kinds: ScreenKind) -> list[tuple[Altered, Mapping[str, ProbeResult]]]:
        """The alterations of the screen of these kinds, each with its results."""
        pairs = zip(self.states, self.rows, strict=True)
        return [(state.screen, row) for state, row in pairs if state.screen is not None and state.screen.kind in kinds]

    def _indifferent(self, each: Requirement) -> Iterator[Mapping[str, object]]:
        # Only for what stays is it enough to notice that more was sent.
        others = self._screens("other", "unkept", "more") if each.stays else self._screens("other", "unkept")
        if others and not any(row[each.id].notices for _, row in others):
            told = "; ".join(screen.label for screen, _ in others[:_MOST_TOLD])
            yield {"found": f"{INDIFFERENT} (not noticed: {told})"}

    def _weak(self, each: Requirement) -> Iterator[Mapping[str, object]]:
        """The findings on checks that may have looked only at whether files exist."""
        if each.seen_by in PROBED:
            own = {path: so for path, so in self.hollow.items() if named(path, each.files)}
            weak = [path for path, so in own.items() if so]
            if weak := weak or [path for path in own if all(so is None for so in own.values())]:
                yield {"found": f"{TOO_WEAK} {', '.join(weak[:_MOST_TOLD])}"}
        # Nobody can tell whether the user's sentence is about the content of new files.
        by_name = each.checks if _in_own_words(each) and all(check.kind in OF_NAMES for check in each.checks) else ()
        if new := [path for check in by_name for path in _new_in(check.target, self.states)]:
            told = ", ".join(new[:_MOST_TOLD])
            yield {"found": f"its checks say only that {told} exists, and nothing of what is in it"}
        if each.program is not None:
            pairs = zip(self.states[2:], self.rows[2:], strict=True)
            parts = [(state.changed, row) for state, row in pairs if state.screen is None and state.kind not in WHOLE]
            if parts and not any(notices(row, [each.id]) for _, row in parts):
                told = dict.fromkeys(path for path, _ in parts)
                yield {"found": f"{TOO_WEAK} {', '.join([*told][:_MOST_TOLD])}"}


def _hollow(
    states: Sequence[State], rows: Sequence[Mapping[str, ProbeResult]], noticing: Sequence[str], aside: Collection[str]
) -> dict[str, bool | None]:
    """By changed file with new content, whether too little shows that its content was looked at: True if no altered part was
    noticed, None if there was only time to try its existence. ``aside``: files that need not be looked at."""
    end, old = states[0].entries, {entry.digest for entry in states[1].entries.values() if entry.digest}
    hollow: dict[str, bool | None] = {}
    for state, row in zip(states[2:], rows[2:], strict=True):
        entry = end.get(state.changed)
        if entry is None or entry.kind != "file" or not entry.size or entry.digest in old or state.changed in aside:
            continue
        if state.kind in ("missing", "as before"):
            hollow.setdefault(state.changed, None)
        elif state.kind == "replaced" or (state.kind == "damaged" and not notices(row, noticing)):
            hollow[state.changed] = hollow.get(state.changed) is not False
        else:
            hollow[state.changed] = False
    return hollow


def _in_own_words(requirement: Requirement) -> bool:
    """Whether a requirement is stated in the user's own words, which may say more than its checks look at."""
    own = "; ".join(check.words for check in requirement.checks)
    return requirement.stated and not requirement.stays and bool(requirement.checks) and requirement.says != own


def _new_in(target: str, states: Sequence[State], *, empty: bool = False) -> list[str]:
    """Files at a path, or in a folder, whose content at the end no file had at the start. ``empty``: also emptied files."""
    start = states[1].entries
    old = {entry.digest for entry in start.values() if entry.digest}

    def new(entry: ManifestEntry) -> bool:
        if entry.size:
            return entry.digest not in old
        return empty and (entry.path not in start or start[entry.path].size > 0)

    there = (entry for entry in states[0].entries.values() if entry.kind == "file" and new(entry))
    return [entry.path for entry in there if named(entry.path, [target])]


def _unread(
    own: Sequence[Requirement], states: Sequence[State], rows: Sequence[Mapping[str, ProbeResult]], noticing: Sequence[str]
) -> Iterator[str]:
    """A sentence on each of the user's own checks that looks only at names, if nothing else looks into the new files."""
    pairs = [
        (state, row) for state, row in zip(states[2:], rows[2:], strict=True) if state.kind not in ("missing", "as before")
    ]
    seen = {state.changed for state, row in pairs if notices(row, noticing)}
    targets = [each.target.partition("#")[0] for one in own for each in one.checks if each.kind not in OF_NAMES]
    for check in dict.fromkeys(check for one in own if one.stated for check in one.checks if check.kind in OF_NAMES):
        new = [path for path in _new_in(check.target, states, empty=True) if path not in seen and not named(path, targets)]
        if new and check.kind == "file_exists":
            yield f"only that {check.target} exists was checked, not what is in it"
        elif new and check.kind == "names_are":
            yield f"only the names in {check.target} were checked, not what is in these files"


def _incidental(screen: Altered, report: ProbeReport) -> bool:
    """Whether an alteration need not be noticed: everything altered in the request, or on the screen, is incidental."""
    if screen.shown:
        return set(screen.shown) <= report.passing
    number = screen.request
    assert number is not None, "a request was altered"
    named = report.incidental[number] if number < len(report.incidental) else frozenset[str]()
    return screen.fields <= named


def _anew(requirement: Requirement) -> str:
    amended = requirement.amended if requirement.objection is not None else ""
    said = (f"reworded: {requirement.heard}" if requirement.heard else "", f"as a file says: {amended}" if amended else "")
    return "; ".join(filter(None, said))


def named(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of ``patterns`` matches a path, a folder that contains it, or something inside it."""
    for pattern in map(workspace_path, patterns):
        bare = pattern.rstrip("/")
        if path == bare or fnmatch.fnmatchcase(path, pattern) or path.startswith(f"{bare}/"):
            return True
        if any(fnmatch.fnmatchcase(str(parent), bare) for parent in Path(path).parents if str(parent) != "."):
            return True
        if bare.startswith(f"{path}/"):
            return True
    return False


def mark_reworded(proofs: Iterable[Proof], contract: Contract) -> tuple[Proof, ...]:
    """The proofs, marked where their requirement was reworded after the work."""
    reworded = {each.id for each in contract.standing if each.reworded}
    return tuple(proof.model_copy(update={"reworded": True}) if proof.requirement in reworded else proof for proof in proofs)


def withdraw_unmoved(proven: Proven, by_heart: Mapping[str, str], rejected: Sequence[str]) -> Proven:
    """Withdraw the proofs of requirements whose results had to be worked out, but whose probes ignore the inputs.
    ``by_heart``: the finding for each of these requirements; ``rejected``: the altered inputs that they noticed."""
    proofs = (
        proof.model_copy(update={"holds": None, "found": by_heart[proof.requirement]})
        if proof.requirement in by_heart and proof.proven
        else proof
        for proof in proven.proofs
    )
    inputs: dict[TrialKind, int] = {"input": len(rejected)} if rejected else {}
    strength = proven.strength.model_copy(update={"tried": {**proven.strength.tried, **inputs}})
    told = (*proven.rejected, *rejected)
    return proven.model_copy(update={"proofs": tuple(proofs), "strength": strength, "rejected": told})


def lacking(proven: Proven) -> str:
    """What keeps a proof from being complete, in one text for people and prompts; '' if nothing does."""
    said = [proof.words for proof in proven.proofs if not proof.proven]
    said += [told(proven.strays)] if proven.strays else []
    said += [done(proven.unordered)] if proven.unordered else []
    said += proven.unfinished
    if proven.unnoticed:
        said.append(f"nothing would have noticed a difference here: {'; '.join(proven.unnoticed[:_MOST_TOLD])}")
    return "; ".join(said)


def all_hold(proofs: Sequence[Proof]) -> str:
    """A sentence that all requirements hold, and which of them rest on a reader's judgement alone."""
    judged = [proof.requirement for proof in proofs if proof.by == "judge"]
    if not judged:
        return "every requirement was seen to hold"
    if len(judged) == len(proofs):
        return "every requirement is judged, not proven"
    which = f"requirement {judged[0]} is" if len(judged) == 1 else f"requirements {', '.join(judged)} are"
    return f"{which} judged, not proven; every other requirement was seen to hold"
