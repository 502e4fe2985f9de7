"""What the steps of one run share: its parts, its last observation, and how to observe again."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath

import anyio.to_thread

from deskcrew.actions.action import ON_DESKTOP, Action, Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine.human.human import Human
from deskcrew.engine.human.questions import Said
from deskcrew.engine.roles.ask import Asker
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.file_outlines import FileOutlines
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import KINDS
from deskcrew.engine.roles.view import Sight
from deskcrew.environments.beginning import Beginning
from deskcrew.environments.describe import describe
from deskcrew.environments.desk import Desk
from deskcrew.environments.drawn import CANVAS
from deskcrew.environments.environment import Browser
from deskcrew.environments.evidence import compare
from deskcrew.environments.loading_anew import Anew
from deskcrew.environments.looking_aside import Elsewhere
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import ActionError, EnvironmentFailure, LimitReached, ModelFailure
from deskcrew.evidence.effect import evidence_text
from deskcrew.evidence.origin import Origins
from deskcrew.facts.events import (
    OWN_DESK,
    Event,
    FileRead,
    Fresh,
    HumanSaid,
    Judged,
    LookedElsewhere,
    Observed,
    RoleReplied,
    Saved,
    SeenElsewhere,
)  # fmt: skip
from deskcrew.facts.observation import Control, ControlOperation, Evidence, Observation
from deskcrew.facts.plan import Subtask
from deskcrew.facts.texts import file_names
from deskcrew.facts.verdict import Verdict
from deskcrew.guard.beginning import beginning_of
from deskcrew.guard.guard import Guard
from deskcrew.guard.history import History
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import HUMAN
from deskcrew.journal.stored import Stored
from deskcrew.learning.skills.offering import CONSIDERED, OFFERED, possible
from deskcrew.learning.skills.scoring import Noting
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.underway import Underway
from deskcrew.settings import Limits

HANDED_LENGTH = 600
"""The maximum length of the summary of what changed while a person worked on the desktop."""


IN_TEXT = frozenset({"cell", "column header", "row header"})
"""Roles of inoperable elements that are in the window's text already, row by row."""
CLIPBOARD = "/clipboard"
"""Stands for the clipboard in :attr:`Run.read`; no path of a workspace looks like that."""
START = "/start/"
"""Prefix of a path that means the file's text at the first observation."""
DESKTOP = "/desktop"
"""The claim of a part whose agent works on a desktop or in a browser; no path of a workspace looks like that."""
ONCE_ENABLED: Mapping[str, tuple[ControlOperation, ...]] = {
    "button": ("click",),
    "text field": ("click", "type"),
    "text area": ("click", "type"),
    "number field": ("click", "type", "set"),
    "date editor": ("click", "type"),
    "check box": ("click", "toggle"),
    "radio button": ("click", "toggle"),
    "toggle button": ("click", "toggle"),
    "combo box": ("click", "select"),
}
"""What can be done to a control, by its role, once it is enabled."""


@dataclass
class Run:
    """The parts of one run. ``own_desk``: the desk that it begins with.

    ``actions``: those this run's environment can do. ``read``: text of a workspace file, raising ActionError; steps call
    :meth:`text_of`, which records what was read.
    ``picture``: a picture of the workspace as PNG, scaled for prompts; raises ActionError, and its caller records it.
    ``read`` returns the clipboard's text for :data:`CLIPBOARD`, that of a kept file for :data:`START`, digest and path.
    ``points``: save points of the workspace; ``stored``: what its browser keeps. ``history``: what the guard
    remembers of the branch.
    """

    journal: Journal
    crew: Crew
    asker: Asker
    own_desk: Desk
    sandbox: Sandbox
    actions: Mapping[str, Action]
    guard: Guard
    human: Human
    limits: Limits
    read: Callable[[str], str]
    picture: Callable[[str], bytes]
    points: SavePoints
    stored: Stored
    pages_come: bool = False
    """Whether pages can be worked on only while a window shows one, beside other programs' windows."""
    yes: bool = False
    """Whoever began the run said beforehand that what a small model takes the task for is what they want."""
    plan_only: bool = False
    """Stop before the first agent begins to work."""
    history: History = field(default_factory=History)
    unfit: set[str] = field(default_factory=set[str])
    """Digests of skills that turned out unfit in this run."""
    noting: Noting | None = None
    """Receives the results of skills."""
    answer: str = ""
    """The answer to the task's question from a skill that does the whole task; '' if none."""
    _looks: dict[int, tuple[Observation | None, Observation | None]] = field(
        default_factory=dict[int, tuple[Observation | None, Observation | None]], repr=False
    )
    """By desk number: the last observation of this process there, and the one before that."""
    _latest: Observation | None = field(default=None, repr=False)
    """The last observation at any desk: files are the same everywhere."""
    _at: dict[int, str] = field(default_factory=dict[int, str], repr=False)
    """Who came last to each desk, if the run has several."""
    _heads: FileOutlines = field(default_factory=FileOutlines, repr=False)
    _skills: dict[str, Underway | None] = field(default_factory=dict[str, Underway | None], repr=False)
    _first: tuple[str, Observation] | None = field(default=None, repr=False)
    """The run's first observation, by its blob: every check compares with it."""

    async def human_turn(self) -> None:
        """Take up a person's interventions: pause, guide, switch, stop. Waits while the person holds the run."""
        state = self.journal.state
        while state.stop is None and (said := await self.human.before_turn(state)) is not None:
            await self.hear(said)
            self.journal.commit()

    async def hear(self, said: Said) -> None:
        """Accept what a person said, or tell them why not. What they did on the desktop meanwhile is observed first."""
        handed = self.journal.state.held == "take_over"
        if handed and isinstance(said, HumanSaid) and said.kind in ("hand_back", "resume"):
            changed = evidence_text(await self.look(), length=HANDED_LENGTH)
            words = f"{said.text}; {changed}" if said.text else changed
            said = said.model_copy(update={"kind": "hand_back", "text": words})
        self.asker.interventions.take(said)

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
        came = await self._come()
        before = self.seen or self.seen_before()
        observe = self.desk.observe
        if self.desk.desktop is not None and not self.at_desktop:
            observe = partial(observe, before)  # another lane is at the desktop
        now = seen or await anyio.to_thread.run_sync(observe, abandon_on_cancel=True)
        # Without an earlier look there is nothing to differ from: the first one is its own "before".
        evidence = compare(before or now, now, exit_code=exit_code)
        # What no event tells is not used either, so that prompts can be made again from the journal alone.
        quiet = not came and before is not None and cause is None and evidence.empty and _alike(before, now)
        self.seen, self.before = (before if quiet else now), before
        if cause is not None or not self.journal.state.saved or _files_differ(evidence):
            await self.save()
        if quiet:
            return evidence
        seconds = round(time.monotonic() - started, 4)
        self._record(now, evidence, self.journal.state.desk, cause, fresh, seconds)
        return evidence

    def _record(
        self, now: Observation, evidence: Evidence, desk: int, cause: Event | None, fresh: Fresh | None, seconds: float = 0.0
    ) -> None:
        self.journal.append(
            Observed(
                observation=self.journal.blob(now.model_dump_json()),
                screenshot=self.journal.blob(now.screenshot) if now.screenshot else "",
                evidence=evidence,
                windows=tuple(window.title for window in now.windows),
                controls=len(now.controls),
                seconds=seconds,
                desk=desk,
                fresh=fresh,
            ),
            lane=self.lane,
            cause=cause,
        )

    async def look_anew(self, number: int, page: Anew, cause: Event) -> Observation:
        """Load a page at the desk with that number anew, and record what it shows: nothing if that desk is gone."""
        desk = self.own_desk.at(number)
        if desk is None:
            return Observation()
        seen, lost, unloaded = await anyio.to_thread.run_sync(desk.look_anew, page, abandon_on_cancel=True)
        fresh = Fresh(address=page.address, lost=lost, unloaded=unloaded, later=page.later)
        if number == self.journal.state.desk:
            await self.look(cause=cause, seen=seen, fresh=fresh)
            return seen
        before = self._look_at(number)
        self._looks[number], self._latest = (seen, before), seen
        self._record(seen, compare(before or seen, seen), number, cause, fresh)
        return seen

    async def look_elsewhere(self, number: int, wanted: Elsewhere, cause: Event) -> None:
        """Open other pages in a browser of their own beside the desk with that number, and record what they show."""
        desk = self.own_desk.at(number)
        if desk is None:
            return
        found = await anyio.to_thread.run_sync(desk.look_elsewhere, wanted, abandon_on_cancel=True)
        pages = tuple(
            SeenElsewhere(
                address=each.address,
                observation=self.journal.blob(each.look.model_dump_json()),
                alone=each.alone,
                lost=each.lost,
            )
            for each in found
        )
        if pages:
            self.journal.append(LookedElsewhere(pages=pages), lane=self.lane, cause=cause)

    async def _come(self) -> bool:
        """Go to the desk of the current part; False if already there. It is opened on first use. The first observation
        there always gets an event, as the base of later ones."""
        state, who = self.journal.state, self.lane
        if not state.desks or not self.at_desktop or self._at.get(state.desk) == who:
            return False
        if state.held is not None and self.seen_before() is not None:
            return False  # a person is there
        if state.desk not in self._at and self._was_there(who, state.desk):
            self._at[state.desk] = who  # in a process before this one
            return False
        busy = {state.desk_of(part) for part in state.lanes.values() if DESKTOP in self.claims(part)}
        idle = [desk for desk in range(1, self.own_desk.most + 1) if desk not in busy]
        front = self._look_at(OWN_DESK)
        page = front.active_window.url if front is not None and front.active_window is not None else ""
        arrive = partial(self.own_desk.arrive, state.desk, idle, page)
        await anyio.to_thread.run_sync(arrive)
        self._at[state.desk] = who
        return True

    def _was_there(self, lane: str, desk: int) -> bool:
        looks = (event for event in self.journal.events if isinstance(event.body, Observed) and event.body.desk == desk)
        return any(event.header.lane == lane for event in looks)

    async def save(self) -> None:
        """Save the workspace as it is now, so that a rewind can restore it; nothing if it is unchanged since the last
        save point."""
        await self._save_files()
        if self.at_desktop and isinstance(self.desk.desktop, Browser):
            await anyio.to_thread.run_sync(self._save_stored, self.desk.desktop)

    async def settle(self) -> None:
        """End all programs and desktops, and save the workspace as it is then: nothing of this run changes it any more."""
        await anyio.to_thread.run_sync(self.own_desk.end_programs)
        await self._save_files()

    async def _save_files(self) -> None:
        started = time.monotonic()
        taken = await anyio.to_thread.run_sync(self.points.take)
        if taken.digest != self.journal.state.saved:
            seconds = round(time.monotonic() - started, 4)
            files = taken.manifest.files
            body = Saved(manifest=taken.digest, files=files, unsaved=taken.unsaved, seconds=seconds)
            self.journal.append(body, lane=self.lane)

    def _save_stored(self, browser: Browser) -> None:
        if (state := browser.stored()) is not None:
            self.stored.keep(self.journal.events[-1].number, state, self.journal.state.desk)

    def text_of(self, path: str) -> str:
        """The text of a workspace file. If it differs from what was last read, it is recorded as an event before it is
        used.

        Raises ActionError, worded for the model, if there is none.
        """
        return self._noted(path, lambda: self.read(path))

    def was(self, path: str) -> str | None:
        """The text of a workspace file at the first observation; None if it did not exist or cannot be read."""
        entry = next((each for each in self.first.files if each.path == path), None)
        if entry is None or entry.digest is None:
            return None
        try:
            return self.text_of(f"{START}{entry.digest}/{path}")
        except ActionError:
            return None

    def _noted(self, path: str, read: Callable[[], str]) -> str:
        text, error = "", ""
        try:
            text = read()
        except ActionError as problem:
            error = str(problem)
        raw = text.encode(errors="replace")
        known, digest = self.journal.state.files_read.get(path), hashlib.sha256(raw).hexdigest() if text else ""
        if known is None or (known.text, known.error) != (digest, error):
            self.journal.append(FileRead(path=path, text=self.journal.blob(raw) if text else "", error=error))
        if error:
            raise ActionError(error)
        return raw.decode()

    async def look_after(self, finished: Event, exit_code: int | None) -> tuple[Observation, Evidence]:
        """The observation before an action and what the action changed. If its review is asked again, or continued
        after a process died, this is still the difference seen then: a second observation would show no change."""
        since = (x.body for x in self.journal.since(finished) if x.header.cause == finished.id)
        seen = next((body for body in since if isinstance(body, Observed)), None)
        if seen is None:
            before = self.seen or self.seen_before()
            evidence = await self.look(cause=finished, exit_code=exit_code)
            return before or self.now, evidence
        if self.seen is None:
            await self.look()
        return self.seen_before(finished.number) or self.now, seen.evidence

    @property
    def desk(self) -> Desk:
        """The desk of the current part; before its first use, the run's own."""
        return self.own_desk.at(self.journal.state.desk) or self.own_desk

    @property
    def seen(self) -> Observation | None:
        """The last observation of this process at the desk of the current part, with files as last seen anywhere; the
        journal has it as a blob."""
        seen, latest = self._looks.get(self.journal.state.desk, (None, None))[0], self._latest
        if seen is None or latest is None or seen.files is latest.files:
            return seen
        return seen.model_copy(update={"files": latest.files})

    @seen.setter
    def seen(self, now: Observation | None) -> None:
        self._looks[self.journal.state.desk], self._latest = (now, self.before), now

    @property
    def before(self) -> Observation | None:
        """The observation before that: prompts mark what is new since."""
        return self._looks.get(self.journal.state.desk, (None, None))[1]

    @before.setter
    def before(self, before: Observation | None) -> None:
        self._looks[self.journal.state.desk] = self.seen, before

    @property
    def lane(self) -> str:
        subtask = self.journal.state.subtask
        return subtask.id if subtask else ""

    @property
    def replied_by_person(self) -> bool:
        """Whether the latest reply is a person's, in place of a model's."""
        last = self.journal.latest.body
        return isinstance(last, RoleReplied) and last.model == HUMAN

    @property
    def at_desktop(self) -> bool:
        """Whether there is a desktop, and no other lane is at it, unless a person is."""
        state = self.journal.state
        lane = state.lanes.get(state.floor)
        elsewhere = lane is not None and state.held is None and DESKTOP not in self.claims(lane)
        return self.own_desk.desktop is not None and not elsewhere

    def claims(self, subtask: Subtask) -> frozenset[str]:
        """What a subtask uses exclusively: the desktop, if its agent works on one, and the files that it names."""
        role = self.crew.roles[subtask.role] if subtask.role is not None else None
        works_there = role is not None and any(action.needs in ON_DESKTOP for action in self.actions_of(role).values())
        named = (PurePosixPath(path).as_posix() for path in file_names(subtask.goal))
        return frozenset({*named, *((DESKTOP,) if works_there and self.own_desk.desktop is not None else ())})

    @property
    def skill(self) -> Underway | None:
        """The skill in progress in the lane that has the floor."""
        return self._skills.get(self.journal.state.floor)

    @skill.setter
    def skill(self, doing: Underway | None) -> None:
        self._skills[self.journal.state.floor] = doing

    @property
    def now(self) -> Observation:
        """The last observation. Steps that need one must observe first."""
        assert self.seen is not None, "look() before now"
        return self.seen

    def scene(self) -> Scene:
        desk = self.desk
        return Scene(desk.workspace, self.sandbox, desk.desktop, self.now, desk.vault, desk.search, desk.likeness)

    def beginning(self) -> Beginning | None:
        """What losses of files are measured against; None: nothing was saved yet."""
        return beginning_of(self.journal.events, self.journal.state, self.journal.read_blob)

    def actions_of(self, role: Role) -> dict[str, Action]:
        """The role's action space: its domain, without what this run's environment cannot do."""
        return self._possible(role.domain)

    @property
    def skills(self) -> dict[str, Skill]:
        """The skills that may be begun now, by the names of their actions; those with a request are actions like any."""
        most = len(self.crew.skills) if self.skills_only else CONSIDERED
        return {name: skill for name, skill in self._wanted(most).items() if skill.method.request is None}

    @property
    def skills_only(self) -> bool:
        """Whether nothing but skills is done, one of which a role chooses (``engine/steps/choosing.py``): no model of the
        run may work freely."""
        return self.crew.chooser in self.crew.roles and not any(m.profile.freely for m in self.asker.models.values())

    def _wanted(self, most: int) -> dict[str, Skill]:
        """The skills that may be needed now, the nearest first."""
        fit = (skill for skill in self.crew.skills if skill.digest not in self.unfit and skill.action in self.actions)
        return {skill.action: skill for skill in possible(fit, self.seen, most)}

    def _possible(self, names: Sequence[str]) -> dict[str, Action]:
        """Those of these actions that this run's environment can do now: on pages, only while a window shows one."""
        hidden = {skill.action for skill in self.crew.skills} - set(self._wanted(OFFERED))
        found = {name: self.actions[name] for name in names if name in self.actions and name not in hidden}
        windows = self.seen.windows if self.seen is not None else ()
        if not self.pages_come or any(window.page is not None for window in windows):
            return found
        return {name: action for name, action in found.items() if action.needs != "browser"}

    def origins(self) -> Origins:
        """The known origins of texts of this run."""
        return Origins(self.journal.state, self.first, self.text_of)

    def titles(self, desk: int) -> tuple[str, ...]:
        """Titles of the windows that the last observation at a desk showed."""
        looks = (event.body for event in reversed(self.journal.events) if isinstance(event.body, Observed))
        return next((look.windows for look in looks if look.desk == desk), ())

    def elsewhere(self) -> tuple[tuple[Observation, Observation], ...]:
        """The first and the last observation of this branch at each desk other than that of the current part."""
        looks: dict[int, list[Observed]] = {}
        for event in self.journal.events if self.journal.state.desks else ():
            if isinstance(event.body, Observed) and event.body.desk != self.journal.state.desk:
                looks.setdefault(event.body.desk, []).append(event.body)
        pairs = ((self._load(looks[desk][0].observation), self._load(looks[desk][-1].observation)) for desk in sorted(looks))
        return tuple((first, last) for first, last in pairs if first is not None and last is not None)

    def seen_before(self, number: float = math.inf) -> Observation | None:
        """The last observation of this branch at the desk of the current part, with its picture; given an event's
        number, the last before it."""
        return self._look_at(self.journal.state.desk, number)

    def _look_at(self, desk: int, number: float = math.inf) -> Observation | None:
        events = reversed(self.journal.events)
        looks = (event.body for event in events if event.number < number and isinstance(event.body, Observed))
        latest = next(looks, None)
        last = latest if latest is None or latest.desk == desk else next((look for look in looks if look.desk == desk), None)
        seen = self._load(last.observation) if last is not None else None
        if seen is not None and last is not latest and latest is not None:
            now = self._load(latest.observation)
            seen = seen.model_copy(update={"files": now.files}) if now is not None else seen  # they are the same everywhere
        if last is None or seen is None or not last.screenshot:
            return seen
        return seen.model_copy(update={"screenshot": self.journal.read_blob(last.screenshot)})

    def looked(self, event: Event) -> Observation | None:
        """An earlier observation of this branch."""
        return self._load(event.body.observation) if isinstance(event.body, Observed) else None

    def sight(self, role: Role, **extra: str) -> Sight:
        """What a prompt shows of the environment, within the budget of the role's model."""
        profile = self.asker.model(role).profile
        # Who checks a part is to see what it left, and not how its files begin.
        whole = (
            self._changed_for(self.journal.state.subtask) if role.kind == "check" and profile.reading else frozenset[str]()
        )

        def target() -> str:
            window = self.now.active_window
            if window is None:
                return "none"
            return f"{window.title!r}{' (dialog)' if window.dialog else ' (page)' if window.url else ''}"

        return Sight(
            observation=lambda: self.told(role, self.now, self.before),
            files=lambda: self._heads.told(
                self.now,
                self.journal.state,
                self.text_of,
                shown=KINDS[role.kind].sees_files,
                reading=profile.reading,
                whole=whole,
            ),
            applications=lambda: ", ".join(self.journal.state.applications),
            target_window=target,
            skills=self._skills_told,
            extra={"secrets": self.desk.vault.told(), **extra},
        )

    def _skills_told(self) -> str:
        """The skills that agents are offered now, for those who give them their parts."""
        lines: list[str] = []
        for name in self._wanted(OFFERED):
            if users := [agent.name for agent in self.crew.agents if name in self.actions_of(agent)]:
                by = dict.fromkeys(self.crew.type_of(user) for user in users)
                lines.append(f"- {name} ({', '.join(by)}): {self.actions[name].summary}")
        return "\n".join(("Skills, each with who may use it:", *lines)) if lines else ""

    def _changed_for(self, subtask: Subtask | None) -> frozenset[str]:
        """Files that were made or changed for a part."""
        turns = (turn for turn in self.journal.state.turns if subtask is not None and turn.subtask == subtask.id)
        return frozenset(path for turn in turns for done in turn.done for path in done.files)

    def told(self, role: Role, seen: Observation, before: Observation | None = None) -> str:
        """An observation as text within the budget of a role's model, '' if there is no desktop. What was not there
        ``before`` is marked as new."""
        if self.desk.desktop is None:
            return ""
        tokens = self.asker.model(role).profile.observation_tokens
        return describe(self.offered(role, seen), tokens=tokens, before=before)

    def offered(self, role: Role, seen: Observation) -> Observation:
        """An observation as a role is shown it: without controls that have no name or lie behind a dialog, and with
        disabled controls, because earlier operations of the same decision may enable them. A canvas is included even
        without a name: operations at its points use its label."""
        offered: list[Control] = []
        front = seen.active_window
        # A dialog takes all that is done in its program; a find bar that does not is left by Escape or by switching.
        behind = {w.id for w in seen.windows if front is not None and front.dialog and w.app == front.app and w != front}
        for control in seen.controls:
            if control.window in behind:
                continue
            says = control.name or control.owner or control.value or control.options or "type" in control.operations
            if not says and control.role != CANVAS:
                continue
            if control.role in IN_TEXT and not control.operations:
                continue
            late = control.role == "button" or "disabled" in control.states
            if late and not control.operations:
                control = control.model_copy(update={"operations": ONCE_ENABLED.get(control.role, ())})
            offered.append(control)
        return seen.model_copy(update={"controls": tuple(offered), "files": ()})

    def stop(self, verdict: Verdict) -> None:
        """End the run with the next turn."""
        self.journal.append(Judged(scope="goal", verdict=verdict, by="rules"), lane=self.lane)

    def stop_for(self, failure: LimitReached | ModelFailure | EnvironmentFailure) -> None:
        """End the run with the next turn, because of an error."""
        match failure:
            case LimitReached(name=name):
                reason = f"bound:{name}"
            case ModelFailure():
                reason = "model"
            case _:
                reason = "environment"
        self.stop(Verdict(kind="stop", reason=reason, why=failure.whole))

    @property
    def first(self) -> Observation:
        """The run's first observation."""
        blob = self.journal.state.first_observation
        if self._first is None or self._first[0] != blob:
            self._first = (blob, self._load(blob) or self.now)
        return self._first[1] if blob else self.now

    def _load(self, blob: str) -> Observation | None:
        return Observation.model_validate_json(self.journal.read_blob(blob)) if blob else None


def _alike(before: Observation, now: Observation) -> bool:
    """Whether two observations without evidence between them also agree in what evidence does not cover, such as
    text."""
    same = {"files": before.files, "places": before.places, "screenshot": before.screenshot, "put_away": before.put_away}
    return now.model_copy(update=same) == before


def _files_differ(evidence: Evidence) -> bool:
    return bool(evidence.files_created or evidence.files_changed or evidence.files_deleted)
