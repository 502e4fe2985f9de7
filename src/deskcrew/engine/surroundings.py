"""What a run works on: its desks, what they show now, and how to observe them again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import anyio.to_thread

from deskcrew.actions.action import Action, Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine.claims import DESKTOP, claims
from deskcrew.engine.preview import preview
from deskcrew.engine.record import Record
from deskcrew.engine.saves import Saves
from deskcrew.environments.desk import Desk
from deskcrew.environments.evidence import compare
from deskcrew.environments.loading_anew import Anew
from deskcrew.environments.looking_aside import Elsewhere
from deskcrew.facts.events import OWN_DESK, Event, Fresh, LookedElsewhere, Observed, SeenElsewhere
from deskcrew.facts.observation import Evidence, Observation
from deskcrew.facts.plan import Subtask


@dataclass
class Surroundings:
    """The desks of a run, and what was last observed at each. ``own_desk``: the desk that the run begins with; ``actions``:
    the actions that can be done there; ``pages_come``: whether pages can be worked on only while a window shows one, beside
    other programs' windows; ``preview``: describes what Python code would print and change."""

    record: Record
    own_desk: Desk
    sandbox: Sandbox
    actions: Mapping[str, Action]
    saves: Saves
    pages_come: bool = False
    preview: Callable[[Scene, str], str] = preview
    _looks: dict[int, tuple[Observation | None, Observation | None]] = field(
        default_factory=dict[int, tuple[Observation | None, Observation | None]], repr=False
    )
    """By desk number: the last observation of this process there, and the one before that."""
    _latest: Observation | None = field(default=None, repr=False)
    """The last observation at any desk: files are the same everywhere."""
    _at: dict[int, str] = field(default_factory=dict[int, str], repr=False)
    """The lane that was last at each desk, if the run has several."""

    async def look(
        self,
        *,
        cause: Event | None = None,
        exit_code: int | None = None,
        seen: Observation | None = None,
        fresh: Fresh | None = None,
    ) -> Evidence:
        """Observe, compare with the previous observation, and record both the observation and the difference as an
        event.

        An observation that shows nothing new and follows no action gets no event. ``seen``: an observation already
        made; ``fresh``: see :class:`~deskcrew.facts.events.Observed`.
        """
        started = time.monotonic()
        state = self.record.state
        came = await self._come()
        before = self.seen or self.record.looks.before()
        observe = self.desk.observe
        if self.desk.desktop is not None and not self.at_desktop:
            observe = partial(observe, before)  # another lane is at the desktop
        now = seen or await anyio.to_thread.run_sync(observe, abandon_on_cancel=True)
        # Without an earlier look there is nothing to differ from: the first one is its own "before".
        evidence = compare(before or now, now, exit_code=exit_code)
        # What no event tells is not used either, so that prompts can be made again from the journal alone.
        quiet = not came and before is not None and cause is None and evidence.empty and _alike(before, now)
        latest = before if quiet else now
        self._looks[state.desk], self._latest = (latest, before), latest
        if cause is not None or not state.saved or _files_differ(evidence):
            await self.saves.save(self.desk if self.at_desktop else None)
        if quiet:
            return evidence
        seconds = round(time.monotonic() - started, 4)
        self._record(now, evidence, state.desk, cause, fresh, seconds)
        return evidence

    def _record(
        self, now: Observation, evidence: Evidence, desk: int, cause: Event | None, fresh: Fresh | None, seconds: float = 0.0
    ) -> None:
        journal = self.record.journal
        journal.append(
            Observed(
                observation=journal.blob(now.model_dump_json()),
                screenshot=journal.blob(now.screenshot) if now.screenshot else "",
                evidence=evidence,
                windows=tuple(window.title for window in now.windows),
                controls=len(now.controls),
                seconds=seconds,
                desk=desk,
                fresh=fresh,
            ),
            lane=self.record.lane,
            cause=cause,
        )

    async def look_anew(self, number: int, page: Anew, cause: Event) -> Observation:
        """Reload a page at desk ``number``, record what it shows and return it; an empty observation if that desk is
        gone."""
        desk = self.own_desk.at(number)
        if desk is None:
            return Observation()
        seen, lost, unloaded = await anyio.to_thread.run_sync(desk.look_anew, page, abandon_on_cancel=True)
        fresh = Fresh(address=page.address, lost=lost, unloaded=unloaded, later=page.later)
        if number == self.record.state.desk:
            await self.look(cause=cause, seen=seen, fresh=fresh)
            return seen
        before = self.record.looks.before(desk=number)
        self._looks[number], self._latest = (seen, before), seen
        self._record(seen, compare(before or seen, seen), number, cause, fresh)
        return seen

    async def look_elsewhere(self, number: int, wanted: Elsewhere, cause: Event) -> None:
        """Open other pages in a separate browser beside desk ``number``, and record what they show."""
        desk, journal = self.own_desk.at(number), self.record.journal
        if desk is None:
            return
        found = await anyio.to_thread.run_sync(desk.look_elsewhere, wanted, abandon_on_cancel=True)
        pages = tuple(
            SeenElsewhere(
                address=each.address,
                observation=journal.blob(each.look.model_dump_json()),
                alone=each.alone,
                lost=each.lost,
            )
            for each in found
        )
        if pages:
            journal.append(LookedElsewhere(pages=pages), lane=self.record.lane, cause=cause)

    async def look_after(self, finished: Event, exit_code: int | None) -> tuple[Observation, Evidence]:
        """The observation before an action, and what the action changed. If its review is repeated, or continued after a
        process died, this is still the difference recorded then: a second observation would show no change."""
        since = (x.body for x in self.record.journal.since(finished) if x.header.cause == finished.id)
        seen = next((body for body in since if isinstance(body, Observed)), None)
        if seen is None:
            before = self.seen or self.record.looks.before()
            evidence = await self.look(cause=finished, exit_code=exit_code)
            return before or self.now, evidence
        if self.seen is None:
            await self.look()
        return self.record.looks.before(finished.number) or self.now, seen.evidence

    async def _come(self) -> bool:
        """Go to the desk of the current subtask; False if already there. A desk is opened on first use. The first
        observation there always gets an event, as the base of later ones."""
        state, who = self.record.state, self.record.lane
        if not state.desks or not self.at_desktop or self._at.get(state.desk) == who:
            return False
        if state.held is not None and self.record.looks.before() is not None:
            return False  # a person is there
        if state.desk not in self._at and _was_there(self.record, who, state.desk):
            self._at[state.desk] = who  # in a process before this one
            return False
        busy = {state.desk_of(part) for part in state.lanes.values() if DESKTOP in self.claims(part)}
        idle = [desk for desk in range(1, self.own_desk.most + 1) if desk not in busy]
        front = self.record.looks.before(desk=OWN_DESK)
        page = front.address if front is not None else ""
        arrive = partial(self.own_desk.arrive, state.desk, idle, page)
        await anyio.to_thread.run_sync(arrive)
        self._at[state.desk] = who
        return True

    @property
    def desk(self) -> Desk:
        """The desk of the current subtask; before its first use, the run's own."""
        return self.own_desk.at(self.record.state.desk) or self.own_desk

    @property
    def seen(self) -> Observation | None:
        """The last observation of this process at the desk of the current subtask, with files as last observed anywhere; the
        journal has it as a blob."""
        seen, latest = self._looks.get(self.record.state.desk, (None, None))[0], self._latest
        if seen is None or latest is None or seen.files is latest.files:
            return seen
        return seen.model_copy(update={"files": latest.files})

    @property
    def now(self) -> Observation:
        """The last observation. Steps that need one must observe first."""
        assert self.seen is not None, "look() before now"
        return self.seen

    @property
    def before(self) -> Observation | None:
        """The observation before the last one: prompts mark what is new since then."""
        return self._looks.get(self.record.state.desk, (None, None))[1]

    def continue_from(self, other: Surroundings) -> None:
        """Go on from what ``other`` has observed."""
        self._looks[self.record.state.desk], self._latest = (other.seen, other.before), other.seen

    @property
    def at_desktop(self) -> bool:
        """Whether there is a desktop, and the current lane works there or a person has paused the run."""
        state = self.record.state
        lane = state.lanes.get(state.floor)
        elsewhere = lane is not None and state.held is None and DESKTOP not in self.claims(lane)
        return self.own_desk.desktop is not None and not elsewhere

    def claims(self, subtask: Subtask) -> frozenset[str]:
        """What a subtask uses exclusively."""
        return claims(subtask, self.record.crew, self.actions if self.own_desk.desktop is not None else {})

    def scene(self) -> Scene:
        desk = self.desk
        return Scene(desk.workspace, self.sandbox, desk.desktop, self.now, desk.vault, desk.search, desk.likeness)


def _was_there(record: Record, lane: str, desk: int) -> bool:
    looks = (event for event in record.journal.events if isinstance(event.body, Observed) and event.body.desk == desk)
    return any(event.header.lane == lane for event in looks)


def _alike(before: Observation, now: Observation) -> bool:
    """Whether two observations without evidence between them also agree in what evidence does not cover, such as
    text."""
    same = {"files": before.files, "places": before.places, "screenshot": before.screenshot, "put_away": before.put_away}
    return now.model_copy(update=same) == before


def _files_differ(evidence: Evidence) -> bool:
    return bool(evidence.files_created or evidence.files_changed or evidence.files_deleted)
