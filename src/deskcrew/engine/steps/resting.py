"""What the results of a run rest on, and whether the Verifier's functions notice if that is altered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from deskcrew.engine.record import Record
from deskcrew.engine.steps.entering import acts_of
from deskcrew.evidence import probes
from deskcrew.evidence.caller import Case
from deskcrew.evidence.counter_screens import other_screens
from deskcrew.evidence.counter_starts import CounterStart, Resting, inputs_of, unmoved_by, worked_out
from deskcrew.evidence.entered import Unsaid, unsaid
from deskcrew.evidence.probes import ProbeReport, ProbeResult
from deskcrew.evidence.proof import UNMOVED, UNREAD, withdraw_unmoved
from deskcrew.evidence.screen import ScreenState
from deskcrew.evidence.states import States
from deskcrew.facts.contract import Contract, Proven

MOST_TOLD = 3
"""The maximum number of unnoticed alterations that are listed."""


@dataclass(frozen=True, slots=True)
class AlterationTrial:
    """One way in which inputs are altered; see :class:`CounterStart`."""

    of: tuple[str, ...]
    label: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Basis:
    """What requirements may rest on: files of the start, those that the run ``read`` first, and what was shown. ``code``:
    the Verifier's program; ``entered``: what the crew typed and chose that neither task nor contract says."""

    contract: Contract
    states: States
    task: str
    code: str
    read: frozenset[str]
    entered: Unsaid
    screens: tuple[ScreenState, ScreenState]

    @property
    def of_the_screen(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.contract.standing if each.seen_by == "screen")

    def resting(self, aside: Mapping[str, frozenset[str]] = MappingProxyType({})) -> dict[str, Resting]:
        """What each requirement about files, or about what was entered, rests on. For the latter it is enough that one
        function notices altered inputs, since nobody can say which function is about what. ``aside``: what a program adds,
        by file."""
        if not self.code:
            return {}
        alone, pages = probes.listed(self.code, probes.NO_INPUT), self.screens[1].of_pages
        found = worked_out(self.contract, self.states, self.task, alone=alone, read=self.read, pages=pages, aside=aside)
        inputs = inputs_of(self.states, self.read)
        plain = not (self.entered.chosen or self.entered.copied or {*inputs} & self.read)
        for each in self.contract.standing:
            left = each.stays or each.checks or (plain and each.id in alone)
            if self.entered and each.seen_by == "screen" and not left:
                found[each.id] = Resting(inputs, ("",), named=False)
        return found

    def shown_otherwise(
        self, resting: Collection[str], folder: Path, screens: list[ScreenState]
    ) -> list[tuple[Case, AlterationTrial]]:
        """Cases in which something else was shown before, for what rests on it. Appends their screens to ``screens``."""
        cases: list[tuple[Case, AlterationTrial]] = []
        for entered in (True, False):
            of = tuple(id for id in resting if (id in self.of_the_screen) == entered)
            for each in other_screens(*self.screens, entered=entered) if of and self._shows(entered) else ():
                case = Case(folder, before=len(screens), screen=len(screens) + 1, of=of)
                cases.append((case, AlterationTrial(of, each.label)))
                screens += [each.before, each.after]
        return cases

    def _shows(self, entered: bool) -> bool:
        return entered or self.screens[1].of_pages

    def withdrawn(self, proven: Proven, trials: Sequence[AlterationTrial], report: ProbeReport) -> Proven:
        """The proof without what functions accept whatever their inputs are. The report's last rows belong to ``trials``."""
        rows = report.rows[len(report.rows) - len(trials) :]
        noticed = noticed_by(trials, rows)
        tries = zip(trials, rows, strict=False)
        rejected = [each.label for each, row in tries if any(said.holds is not True for said in row.values())]
        tried = {id for trial in trials for id in trial.of}
        resting = self.resting(report.aside) if trials else {}
        heart = unmoved_by({id: each for id, each in resting.items() if id in tried}, noticed)
        unread = f"{UNREAD} {', '.join((*self.entered.chosen, *self.entered.copied, *self.entered.worked))}"
        tried_on = {id: [trial.label for trial in trials if id in trial.of][:MOST_TOLD] for id in heart}
        found = {
            id: f"{unread if id in self.of_the_screen else UNMOVED} (not noticed: {'; '.join(tried_on[id])})" for id in heart
        }
        return withdraw_unmoved(proven, found, rejected)


def basis(record: Record, contract: Contract, states: States, screens: tuple[ScreenState, ScreenState], code: str) -> Basis:
    """What the requirements of a run may rest on, from its record."""
    task = record.state.task
    read = frozenset(path for turn in record.state.turns for done in turn.done for path in done.reads)
    entered = Unsaid()
    if code and any(each.seen_by == "screen" for each in contract.standing):
        # Its writer has seen no page: what it says in other words than the task is from there.
        said = " ".join((task, *(each.says for each in contract.standing)))
        entered = unsaid(acts_of(record), screens[1].look, said)
    return Basis(contract, states, task, code, read, entered, screens)


def trials_of(starts: Sequence[CounterStart]) -> list[AlterationTrial]:
    return [AlterationTrial(each.of, each.label, each.gone) for each in starts]


def noticed_by(trials: Sequence[AlterationTrial], rows: Sequence[Mapping[str, ProbeResult]]) -> frozenset[str]:
    """The requirements whose functions notice altered inputs."""
    pairs = zip(trials, rows, strict=False)
    return frozenset(
        id for each, row in pairs for id, said in row.items() if (said.holds is False if each.gone else said.notices)
    )
