"""What the steps of one run share: its parts, its last look, and how to look again."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio.to_thread

from deskcrew.actions.action import Action, Scene
from deskcrew.actions.outlines import outline, shortened
from deskcrew.actions.readers import MEMBER, members
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.describe import describe
from deskcrew.environments.desk import Desk
from deskcrew.environments.evidence import compare
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import ActionError
from deskcrew.events import Event, FileRead, HumanSaid, Judged, Observed, Saved
from deskcrew.guard.guard import Guard
from deskcrew.guard.history import History
from deskcrew.human.human import Human
from deskcrew.human.questions import Said
from deskcrew.journal.journal import Journal
from deskcrew.observation import Control, Evidence, FileEntry, Observation
from deskcrew.review.asked import names_in
from deskcrew.review.effect import evidence_text
from deskcrew.review.goal import World, evaluate
from deskcrew.review.origin import Origins
from deskcrew.roles.ask import Asker
from deskcrew.roles.crew import Crew
from deskcrew.roles.framing import frame
from deskcrew.roles.role import Role
from deskcrew.roles.view import Sight
from deskcrew.settings import Limits
from deskcrew.verdict import CheckResult, Verdict

HANDED_LENGTH = 600
"""Characters that say what changed while a person worked on the desktop."""


CLIPBOARD = "/clipboard"
"""What :attr:`Run.read` is asked for where the clipboard is meant; no path of a workspace looks like that."""
START = "/start/"
"""Before the path of a file where its text at the first look is meant."""
UNSEEN = "its value cannot be looked at"
"""Kept in place of an error for a cell of which nobody can say what it shows."""


@dataclass
class Run:
    """The parts of one run. ``seen``: the last look of this process; the journal holds the same as a blob.

    ``actions``: those this run's environment can do. ``read``: text of a workspace file, ``cell``: value of one cell of
    it, both raising ActionError; steps call :meth:`text_of` and :meth:`cell_of`, which write down what was read.
    ``read`` gives the clipboard's text for :data:`CLIPBOARD`, that of a kept file for :data:`START`, digest and path.
    ``points``: save points of the workspace. ``history``: what the guard remembers of the branch.
    """

    journal: Journal
    crew: Crew
    asker: Asker
    desk: Desk
    sandbox: Sandbox
    actions: Mapping[str, Action]
    guard: Guard
    human: Human
    limits: Limits
    read: Callable[[str], str]
    cell: Callable[[str, str], str | None]
    points: SavePoints
    seen: Observation | None = None
    before: Observation | None = field(default=None)
    """The look before the last one: what is new since then is marked in prompts."""
    history: History = field(default_factory=History)
    _heads: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str], repr=False)
    """How files that were read are built, by path and digest."""
    _first: tuple[str, Observation] | None = field(default=None, repr=False)
    """The run's first look, by its blob: every check is made against it."""

    async def human_turn(self) -> None:
        """The place where a person's word enters: pause, guide, switch, stop. Waits while the person holds the run."""
        state = self.journal.state
        while state.stop is None and (said := await self.human.before_turn(state)) is not None:
            await self.hear(said)
            self.journal.commit()

    async def hear(self, said: Said) -> None:
        """Take what a person said, or tell them why not. What they did on the desktop meanwhile is looked at first."""
        handed = self.journal.state.held == "take_over"
        if handed and isinstance(said, HumanSaid) and said.kind in ("hand_back", "resume"):
            changed = evidence_text(await self.look(), length=HANDED_LENGTH)
            words = f"{said.text}; {changed}" if said.text else changed
            said = said.model_copy(update={"kind": "hand_back", "text": words})
        self.asker.interventions.take(said)

    async def look(self, *, cause: Event | None = None, exit_code: int | None = None) -> Evidence:
        """Observe, compare with the look before, and keep both the look and the difference as an event.

        A look that shows nothing new and follows no action is not worth an event.
        """
        started = time.monotonic()
        before = self.seen or self._remembered()
        now = await anyio.to_thread.run_sync(self.desk.observe, abandon_on_cancel=True)
        # Without an earlier look there is nothing to differ from: the first one is its own "before".
        evidence = compare(before or now, now, exit_code=exit_code)
        # What no event tells is not used either, so that prompts can be made again from the journal alone.
        quiet = before is not None and cause is None and evidence.empty and _alike(before, now)
        self.seen, self.before = (before if quiet else now), before
        if cause is not None or not self.journal.state.saved or _files_differ(evidence):
            await self.save()
        if quiet:
            return evidence
        self.journal.append(
            Observed(
                observation=self.journal.blob(now.model_dump_json()),
                screenshot=self.journal.blob(now.screenshot) if now.screenshot else "",
                evidence=evidence,
                windows=tuple(window.title for window in now.windows),
                controls=len(now.controls),
                seconds=round(time.monotonic() - started, 4),
            ),
            lane=self.lane,
            cause=cause,
        )
        return evidence

    async def save(self) -> None:
        """Keep the workspace as it is now, so that a rewind can bring it back; nothing where it is as it was last kept."""
        started = time.monotonic()
        taken = await anyio.to_thread.run_sync(self.points.take)
        if taken.digest != self.journal.state.saved:
            seconds = round(time.monotonic() - started, 4)
            files = taken.manifest.files
            body = Saved(manifest=taken.digest, files=files, unsaved=taken.unsaved, seconds=seconds)
            self.journal.append(body, lane=self.lane)

    def text_of(self, path: str) -> str:
        """The text of a workspace file. What it says is an event before it is used, where it is not what was last read.

        Raises ActionError, worded for the model, when there is none.
        """
        return self._noted(path, lambda: self.read(path))

    def head_of(self, entry: FileEntry, room: int) -> str:
        """How a file begins or is built, as of the last look, in at most ``room`` characters: where that found what was read
        before, nothing is read.

        Raises ActionError, worded for the model, when there is none.
        """
        known = self.journal.state.files_read.get(entry.path)
        if known is not None and known.text == entry.digest and (head := self._heads.get((entry.path, known.text))):
            return shortened(head, room)
        text = self.text_of(entry.path)
        head = outline(entry.path, text, HEAD_READ, names_in(self.journal.state.task))
        if entry.path.lower().endswith(".zip"):
            head = f"{head}{self._first_of(entry.path, text)}"
        if len(self._heads) >= HEADS:
            self._heads.clear()
        self._heads[(entry.path, self.journal.state.files_read[entry.path].text)] = head
        return shortened(head, room)

    def _first_of(self, archive: str, listing: str) -> str:
        """How the first file in an archive begins that can be read."""
        for name in members(listing)[:TRIED]:
            try:
                text = self.text_of(f"{archive}{MEMBER}{name}")
            except ActionError:
                continue
            return f" || {name} in it: {outline(name, text, HEAD_LENGTH)}"
        return ""

    def was(self, path: str) -> str | None:
        """The text of a workspace file at the first look; None where it was not there or cannot be read."""
        entry = next((each for each in self._first_look().files if each.path == path), None)
        if entry is None or entry.digest is None:
            return None
        try:
            return self.text_of(f"{START}{entry.digest}/{path}")
        except ActionError:
            return None

    def cell_of(self, path: str, address: str) -> str | None:
        """The value of one cell of a workspace file, None where it cannot be looked at. Noted and raised as by
        :meth:`text_of`."""

        def read() -> str:
            value = self.cell(path, address)
            if value is None:
                raise ActionError(UNSEEN)
            return value

        try:
            return self._noted(f"{path}!{address}", read)
        except ActionError as problem:
            if str(problem) == UNSEEN:
                return None
            raise

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
        """The look before an action and what it changed. When its review has to be asked again, or a process that died goes
        on with it, that is still the difference which was seen then: a second look would show nothing changed."""
        since = (x.body for x in self.journal.since(finished) if x.header.cause == finished.id)
        seen = next((body for body in since if isinstance(body, Observed)), None)
        if seen is None:
            before = self.seen or self._remembered()
            evidence = await self.look(cause=finished, exit_code=exit_code)
            return before or self.now, evidence
        if self.seen is None:
            await self.look()
        looks = (x.body.observation for x in reversed(self.journal.before(finished)) if isinstance(x.body, Observed))
        return self._load(next(looks, "")) or self.now, seen.evidence

    @property
    def lane(self) -> str:
        subtask = self.journal.state.subtask
        return subtask.id if subtask else ""

    @property
    def now(self) -> Observation:
        """The last look. Steps that need one look first."""
        assert self.seen is not None, "look() before now"
        return self.seen

    def scene(self) -> Scene:
        desk = self.desk
        return Scene(desk.workspace, self.sandbox, desk.desktop, observation=self.now, vault=desk.vault)

    def actions_of(self, role: Role) -> dict[str, Action]:
        """The role's domain, without what this run's environment cannot do and what its model is not offered."""
        domain = role.core if role.core and self.small(role) else role.domain
        return {name: self.actions[name] for name in domain if name in self.actions}

    def domain_of(self, role: Role) -> dict[str, Action]:
        """The role's domain, without what this run's environment cannot do."""
        return {name: self.actions[name] for name in role.domain if name in self.actions}

    def small(self, role: Role) -> bool:
        """Whether a role's model cannot reason in words, so that rules take from it what they can."""
        return self.asker.model(role).profile.free_text == "none" and self.crew.fields == "profile"

    def checks(self) -> tuple[CheckResult, ...]:
        """The goal's checks, evaluated against the workspace and the last look."""
        state, first = self.journal.state, self._first_look()
        clipboard = (lambda: self.text_of(CLIPBOARD)) if self.desk.desktop is not None else lambda: None
        world = World(first, self.now, self.text_of, self.cell_of, clipboard, was=self.was, pressed=self.pressed)
        return evaluate(state.checks, state, world)

    @property
    def first(self) -> Observation:
        """The run's first look."""
        return self._first_look()

    def pressed(self) -> tuple[str, ...]:
        """Names of what was clicked on this branch with some effect, as they stood there before."""
        names: list[str] = []
        for turn in self.journal.state.turns:
            for done in turn.done:
                if done.operation.function != "click_input" or not done.ok:
                    continue
                before = self.seen_before(done.number)
                control = before.control(done.operation.control or "") if before is not None else None
                names += [control.name] if control is not None else []
        return tuple(names)

    def origins(self) -> Origins:
        """What can be said of where texts of this run come from."""
        return Origins(self.journal.state, self._first_look(), self.text_of)

    def seen_before(self, number: int) -> Observation | None:
        """The last look of this branch before an event."""
        looks = (
            x.body.observation for x in reversed(self.journal.events) if x.number < number and isinstance(x.body, Observed)
        )
        return self._load(next(looks, ""))

    def looked(self, event: Event) -> Observation | None:
        """What an earlier look of this branch showed."""
        return self._load(event.body.observation) if isinstance(event.body, Observed) else None

    def sight(self, role: Role, **extra: str) -> Sight:
        """What a prompt shows of the environment, within the budget of the role's model."""
        tokens = self.asker.model(role).profile.observation_tokens
        desktop = self.desk.desktop

        def screen() -> str:
            return describe(self.offered(role), tokens=tokens, before=self.before) if desktop else ""

        def target() -> str:
            window = self.now.active_window
            return f"{window.title!r}{' (dialog)' if window.dialog else ''}" if window else "none"

        return Sight(
            observation=screen,
            files=lambda: files_text(self.now, self.journal.state.task, self.head_of, heads=role.kind == "decision"),
            applications=lambda: ", ".join(self.journal.state.applications) or "none",
            target_window=target,
            extra={"secrets": self.desk.vault.told(), **extra},
        )

    def offered(self, role: Role | None = None) -> Observation:
        """The last look as a role is shown it: without controls that nobody could name or that lie behind a dialog, and with
        a dialog's buttons even where they are disabled, because the operations before them in a decision may enable them. A
        role whose model is a small one is not shown what is around a page, unless its part speaks of that."""
        offered: list[Control] = []
        subtask = self.journal.state.subtask
        aside = (
            frame(self.now, subtask.goal)
            if role is not None and subtask is not None and self.small(role)
            else frozenset[str]()
        )
        front = self.now.active_window
        # A dialog takes all that is done in its program; a find bar that does not is left by Escape or by switching.
        behind = {w.id for w in self.now.windows if front is not None and front.dialog and w.app == front.app and w != front}
        for control in self.now.controls:
            if control.window in behind or control.label in aside:
                continue
            if not (control.name or control.value or control.options or "type" in control.operations):
                continue
            if control.role == "button" and not control.operations:
                control = control.model_copy(update={"operations": ("click",)})
            offered.append(control)
        return self.now.model_copy(update={"controls": tuple(offered), "files": ()})

    def stop(self, verdict: Verdict) -> None:
        """End the run with the next turn."""
        self.journal.append(Judged(scope="goal", verdict=verdict, by="rules"), lane=self.lane)

    def _first_look(self) -> Observation:
        blob = self.journal.state.first_observation
        if self._first is None or self._first[0] != blob:
            self._first = (blob, self._load(blob) or self.now)
        return self._first[1] if blob else self.now

    def _remembered(self) -> Observation | None:
        """The last look of an earlier process, with its picture."""
        looks = (event.body for event in reversed(self.journal.events) if isinstance(event.body, Observed))
        last = next(looks, None)
        seen = self._load(last.observation) if last is not None else None
        if last is None or seen is None or not last.screenshot:
            return seen
        return seen.model_copy(update={"screenshot": self.journal.read_blob(last.screenshot)})

    def _load(self, blob: str) -> Observation | None:
        return Observation.model_validate_json(self.journal.read_blob(blob)) if blob else None


def _alike(before: Observation, now: Observation) -> bool:
    """Whether two looks between which there is no evidence show the same in what evidence is not about, such as a text."""
    same = {"files": before.files, "places": before.places, "screenshot": before.screenshot}
    return now.model_copy(update=same) == before


def _files_differ(evidence: Evidence) -> bool:
    return bool(evidence.files_created or evidence.files_changed or evidence.files_deleted)


HEAD_LENGTH = 320
"""Characters that show how one file is built, where a prompt shows several."""
HEADS_LENGTH = 900
"""The same of all files of a prompt together."""
HEAD_READ = HEADS_LENGTH
HEADS = 100
"""Files of which it is kept in memory."""
TRIED = 3
LISTED = 30


def files_text(now: Observation, task: str, head_of: Callable[[FileEntry, int], str], *, heads: bool) -> str:
    """The workspace's files, those that matter with how they are built, so that code is written for what is there."""
    lines: list[str] = []
    files = [entry for entry in now.files if entry.kind == "file"]
    shown = shown_in_part(files, task) if heads else ()
    room = max(HEAD_LENGTH, HEADS_LENGTH // max(1, len(shown)))
    left = HEADS_LENGTH
    for entry in files[:LISTED]:
        head = ""
        if entry.path in shown and left > 0:
            try:
                head = head_of(entry, min(room, left))
            except ActionError:
                head = ""
        left -= len(head)
        lines.append(f"- {entry.path}{': ' + head if head else ''}")
    if len(files) > LISTED:
        lines.append(f"- and {len(files) - LISTED} more")
    return "\n".join(lines)


def shown_in_part(files: Sequence[FileEntry], task: str) -> frozenset[str]:
    """The files of which a prompt shows how they are built: those that the task names; all, where there are no more than
    two; and one of each kind of those in a folder that the task names, which are most likely alike."""
    named = {entry.path for entry in files if entry.path in task or entry.path.rpartition("/")[2] in task}
    kinds: dict[tuple[str, str], str] = {}
    for entry in files:
        folder, _, name = entry.path.rpartition("/")
        if folder and re.search(rf"(?<![\w-]){re.escape(folder)}(?![\w-])", task):
            kinds.setdefault((folder, name.rpartition(".")[2].lower()), entry.path)
    everything = [entry.path for entry in files] if len(files) <= 2 else []
    return frozenset((*named, *kinds.values(), *everything))
