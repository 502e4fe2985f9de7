"""Rewinds to an earlier reply (COLA 3.4, figure 6; C35-C38): what is rejected, what is restored, what cannot be, and
the branch that begins there. Makes no model call. See docs/design/repair.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from deskcrew.actions import gesture_of
from deskcrew.engine.roles.recorded import recorded_crew, role_kind
from deskcrew.environments.claiming import claimed
from deskcrew.environments.manifest import Manifest, ManifestEntry, RestoreChanges, changes
from deskcrew.environments.restoring import restore
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import ChangedByOthers, UsageError
from deskcrew.evidence.others import changed_by_others
from deskcrew.facts.events import (
    OWN_DESK,
    YOURS,
    ActionFinished,
    ActionStarted,
    AttemptsShown,
    Body,
    Choice,
    Event,
    GoalSet,
    Observed,
    Operation,
    OperationApproved,
    PlanPatched,
    Rewound,
    RoleCalled,
    RoleKind,
    RoleReplied,
    Saved,
    Understood,
    WordsOf,
    latest,
    newest_first,
)
from deskcrew.facts.observation import FileEntry, Observation, Window
from deskcrew.journal.branches import JournalBranch, branches, undoing
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.later import last_known
from deskcrew.journal.records import last_reading, touched
from deskcrew.journal.store import RunRow, Store

BY_OTHERS = "you, another program or another run changed"
EARLIER = "To undo an earlier run, name it; `deskcrew runs` lists them."
OUTWARD = frozenset({"send", "spend", "network", "credential"})
"""Risks of effects beyond the workspace and a disposable desktop: nothing here reverts them."""


LOOKS_BACK = 20
"""The number of observations searched for the one before a dialog."""


@dataclass(frozen=True, slots=True)
class Return:
    """The place to go back to, computed before anything is changed, and shown to the person first.

    ``parent``: the event that the new branch follows; ``reply``: the rejected reply, None for a return to an old branch;
    ``manifest``: blob of the workspace to restore, '' if files are left alone; ``files``: what restoring it changes;
    ``lost``: what cannot be restored, in words; ``start``: whether the work began there; ``kept``: paths that somebody else
    changed, and that stay as they are; ``followers``: the runs that followed this one, changed files and are undone with
    it, oldest first.
    """

    parent: Event
    reply: Event | None
    manifest: str
    files: RestoreChanges | None
    lost: tuple[str, ...] = field(default=())
    start: bool = False
    kept: tuple[str, ...] = ()
    followers: tuple[RunRow, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing but times would be put back."""
        return self.files is None or self.files.work.issubset(self.files.times)

    def own(self, journal: Journal) -> tuple[str, ...]:
        """The paths ``kept`` that the run itself had changed, too."""
        changed = touched(journal.all)
        return tuple(path for path in self.kept if path in changed)


def to_reply(journal: Journal, number: int, points: SavePoints, *, keep_files: bool = False) -> Return:
    """The return to the last reply at or before event ``number``, on that event's branch. Blocking: reads the workspace.

    Raises UsageError if there is no such event, or no reply before it, or if attempts were being compared by then.
    """
    path = path_to(journal.all, journal.event(number))
    reply = next((event for event in reversed(path) if isinstance(event.body, RoleReplied)), None)
    reply = reply or next((event for event in path if isinstance(event.body, Understood)), None)  # by rules alone
    if worked := _before_comparing(path):
        last = next(event.number for event in reversed(worked) if isinstance(event.body, RoleReplied))
        raise UsageError(
            f"At event {number} the attempts had ended and were compared: nothing continues from there.",
            hint=f"Go back to the last reply of this attempt, {last}, or take another attempt: --branch NUMBER.",
        )
    if reply is None:
        raise UsageError(
            f"No role had replied before event {number}.", hint=f"`deskcrew log {journal.run}` shows the replies (●)."
        )
    before = path[: path.index(reply)]
    manifest = "" if keep_files else _saved(before)
    kept = _others(journal, before) if manifest else ()
    return replace(_return(journal, before[-1], reply, _keeping(journal, manifest, kept, points), points), kept=kept)


def _others(journal: Journal, before: Sequence[Event]) -> tuple[str, ...]:
    """What somebody else changed on the run's current branch since it left these events."""
    shared = {event.id for event in before}
    left = max((event.number for event in journal.events if event.id in shared), default=0)
    return changed_by_others(journal.events, journal.read_blob, after=left)


def _keeping(journal: Journal, manifest: str, keep: Collection[str], points: SavePoints) -> str:
    """The blob of a manifest like ``manifest``, but with the paths ``keep`` as they are now."""
    if not manifest or not keep:
        return manifest
    then = Manifest.from_bytes(journal.read_blob(manifest))
    return points.put(then.keeping(frozenset(keep), points.take().manifest).to_bytes())


def _before_comparing(path: Sequence[Event]) -> Sequence[Event]:
    """The events of a branch before attempts were compared; none if they were not."""
    return path[: next((at for at, event in enumerate(path) if isinstance(event.body, AttemptsShown)), 0)]


def to_start(journal: Journal, points: SavePoints, *, keep: Collection[str] | None = None, attached: bool = False) -> Return:
    """The return to where the work on this branch began: the contract is agreed, nothing is done. Blocking. ``keep``: paths
    that stay as they are now, None for those that somebody else changed while the run was at work. If an earlier undo left
    paths as they were, () restores these, too. ``attached``: whether files that were copied there for the run stay.

    Raises UsageError if nothing was planned or asked yet, or everything is restored already.
    """
    events = journal.events
    if (undone := undoing(events)) is not None:
        hint = f"`deskcrew rewind {journal.run} --undo` takes that back. {EARLIER}"
        if keep != () or not undone.kept:
            if undone.kept:
                hint = f"`deskcrew undo {journal.run} --all` also restores the files that the undo left alone. {hint}"
            raise UsageError(f"Run {journal.run} was undone already.", hint=hint)
        at = next(at for at, event in enumerate(events) if event.body is undone) - 1
    else:
        at = _start(events)
    if at < 0:
        raise UsageError(f"Run {journal.run} has done nothing yet: there is nothing to put back.")
    kept = tuple(keep) if keep is not None else _others(journal, events[: at + 1])
    manifest = _keeping(journal, _saved(events[: at + 1]), kept, points)
    begun = journal.state.started
    if begun is not None and not attached and (copies := {*begun.attachments}.difference(kept)):
        then = Manifest.from_bytes(journal.read_blob(manifest))
        manifest = points.put(then.keeping(copies, Manifest(())).to_bytes())
    return replace(_return(journal, events[at], None, manifest, points), start=True, kept=kept)


def _start(events: Sequence[Event]) -> int:
    """The index of the last event before the work on a branch began, -1 if it has not begun."""
    planned = next((at for at, event in enumerate(events) if isinstance(event.body, PlanPatched)), -1)
    if planned < 0:
        return -1
    settled = [at for at, event in enumerate(events) if isinstance(event.body, GoalSet)]
    agreed = [at for at in settled if at < planned] or settled[:1]  # where nobody plans first, it is agreed on afterwards
    asked = next((at - 1 for at, event in enumerate(events) if isinstance(event.body, RoleCalled)), planned - 1)
    return agreed[-1] if agreed else min(asked, planned - 1)


def undoable(journal: Journal) -> None:
    """Raise JournalError if the record was altered, so that nobody can say what was in the workspace before the run, and
    UsageError if the workspace is gone. Changes nothing: call it before the workspace is read."""
    journal.check_intact()
    folder_of(journal)


def last_changing(journal: Journal, store: Store) -> Journal:
    """The run, or the last of those that it continues, that changed files or was undone; the run itself if none did."""
    found = journal
    while not touched(found.events) and undoing(found.events) is None:
        begun = found.state.started
        if begun is None or not store.has(begun.follows):
            return journal
        found = store.journal(begun.follows)
    return found


def folder_of(journal: Journal) -> Path:
    """The workspace of a run. Raises UsageError if it is gone: an empty folder in its place would be taken for it."""
    begun = journal.state.started
    assert begun is not None
    folder = Path(begun.workspace)
    if not folder.is_dir():
        raise UsageError(
            f"The folder of run {journal.run} is not there: {folder}.",
            hint="If you moved or renamed it, put it back there first.",
        )
    return folder


def changed_since(journal: Journal, points: SavePoints) -> tuple[str, ...]:
    """Paths of the workspace that somebody else changed since the run's current branch was left, sorted. Blocking. Empty if
    the run itself may have changed them, as it died in the middle of an action."""
    left = last_known(journal)
    if left is None:
        return ()
    now = points.take().manifest
    found = changes(now, Manifest.from_bytes(journal.read_blob(left.manifest)))
    there = {*found.written, *found.made, *found.links, *found.modes, *found.removed, *found.cannot, *found.left} - {""}
    return tuple(sorted(path for path in there if not _saw(left.seen, path, now.by_path.get(path))))


def _saw(observed: Mapping[str, FileEntry] | None, path: str, now: ManifestEntry | None) -> bool:
    """Whether the last observation, which showed the files ``observed`` (None: there was none), has the path as it is
    ``now``."""
    if observed is None:
        return False
    seen = observed.get(path)
    if seen is None or now is None:
        return seen is now
    return seen.kind == now.kind and (now.kind != "file" or seen.digest in (None, now.digest))


def leaving(journal: Journal, back: Return, points: SavePoints, store: Store, *, everything: bool = False) -> Return:
    """``back``, completed for the person to see: with the runs that are undone with it, and, unless ``everything`` is to be
    restored, with all that somebody else changed since then kept as it is. Blocking: reads the workspace."""
    if back.files is None:
        return back
    work = back.files.work
    followers: list[RunRow] = []
    left = [store.row(journal.run)]
    while left:
        left = [store.row(after) for each in left for after in store.followers(each)]
        followers += left
    after = [store.journal(each.id) for each in followers]
    worked = tuple(row for row, each in zip(followers, after, strict=True) if touched(each.events))
    back = replace(back, followers=worked)
    if everything:
        return back
    changed = {path for each in after for path in changed_by_others(each.events, each.read_blob)}
    changed.update(_others(journal, path_to(journal.all, back.parent)))
    changed.update(changed_since(max((journal, *after), key=_last_worked), points))
    kept = tuple(sorted(changed & work))
    if not kept:
        return back
    again = _return(journal, back.parent, back.reply, _keeping(journal, back.manifest, kept, points), points)
    return replace(
        back, manifest=again.manifest, files=again.files, lost=again.lost, kept=tuple(sorted({*back.kept, *kept}))
    )


def _last_worked(journal: Journal) -> float:
    """When a run last changed its workspace, in seconds since 1970. Returning to an old branch does not count."""

    def worked(body: Body) -> bool:
        return isinstance(body, ActionFinished) or (isinstance(body, Rewound) and not body.undo)

    return max((event.header.time for event in journal.events if worked(event.body)), default=0.0)


def to_branch(journal: Journal, branch: JournalBranch, points: SavePoints, *, keep_files: bool = False) -> Return:
    """The return to the end of a branch, as it was when the run left it; no reply is rejected. Undoes a rewind.

    Raises UsageError if the run is already there.
    """
    if branch.current:
        raise UsageError(f"Run {journal.run} is already on branch {branch.number}.")
    left = (event.body for event in reversed(journal.all) if isinstance(event.body, Rewound))
    kept = next((body.before for body in left if body.left == branch.head.id), "")
    manifest = "" if keep_files else kept or _saved(path_to(journal.all, branch.head))
    return _return(journal, branch.head, None, manifest, points)


def to_left(journal: Journal, points: SavePoints, *, keep_files: bool = False) -> Return:
    """The return to the end of the branch that the last rewind left, see :func:`to_branch`. Raises UsageError if the run was
    never rewound."""
    for event in reversed(journal.events):
        if isinstance(event.body, Rewound):
            left = event.body.left
            break
    else:
        hint = f"To go back to a reply (●): deskcrew rewind {journal.run} EVENT; `deskcrew log {journal.run}` shows them."
        raise UsageError(f"Run {journal.run} was never rewound.", hint=hint)
    found = next(each for each in branches(journal) if any(own.id == left for own in each.events))
    return to_branch(journal, found, points, keep_files=keep_files)


def ended(journal: Journal, back: Return) -> bool:
    """Whether the run has an outcome at the place to go back to, so that nothing continues from there."""
    if back.reply is not None:
        return False
    return any(branch.head.id == back.parent.id and branch.outcome is not None for branch in branches(journal))


def go_back(
    journal: Journal,
    back: Return,
    points: SavePoints,
    *,
    say: str = "",
    switch: str | None = None,
    attempt: int | Choice = 0,
    words_of: WordsOf = "person",
) -> tuple[Event, tuple[str, ...]]:
    """Begin the new branch and restore the workspace. Blocking. Returns the branch's first event, and what could not be
    restored, one line each. ``switch``: the role that is asked instead; ``attempt``: the number of the attempt that begins
    there, or the comparison of attempts that chose the branch; 0: neither; ``words_of``: whose words ``say`` is.

    The present state is saved first, so this can be undone. The event is on disk before a file is touched: if the
    process dies in between, continuing the run finishes it (:func:`finish`). Raises what restoring raises, and
    UsageError if another run works in the workspace, or if an undo would put nothing back.
    """
    with claimed(points.root) as claim:
        claim(journal.run)
        choice, number = (attempt, 0) if isinstance(attempt, Choice) else (None, attempt)
        to = "start" if back.start and not number else ""
        if to and back.empty:
            if not (own := back.own(journal)):
                told = f"Nothing was put back: run {journal.run} changed no file that could be."
                raise UsageError(told, hint=EARLIER)
            what = own[0] if len(own) == 1 else f"all {len(own)} paths that run {journal.run} had changed"
            hint = f"`deskcrew undo {journal.run} --all` restores what others changed, too."
            raise ChangedByOthers(f"Nothing was put back: {BY_OTHERS} {what}.", hint=hint)
        faults = journal.state.faults if words_of == "crew" else 0
        begun = Rewound(undo=not number, attempt=number, to=to, choice=choice, words_of=words_of, faults=faults)
        kind = role_kind(recorded_crew(journal), switch) if switch else "other"
        return _go_back(journal, back, points, begun, say=say, switch=switch, kind=kind)


def _go_back(
    journal: Journal, back: Return, points: SavePoints, body: Rewound, *, say: str, switch: str | None, kind: RoleKind
) -> tuple[Event, tuple[str, ...]]:
    before = points.take()
    rejected = back.reply.body if back.reply is not None else None
    left = {
        "left": journal.events[-1].id,
        "before": before.digest,
        "restored": back.manifest,
        "lost": back.lost,
        "kept": back.kept,
    }
    body = body.model_copy(update=left)
    if back.reply is not None and isinstance(rejected, RoleReplied | Understood):
        said, subtask = "", None
        if isinstance(rejected, RoleReplied):
            role, subtask = rejected.role, rejected.subtask
            said = journal.read_blob(rejected.raw).decode(errors="replace") if rejected.raw else ""
        else:
            role = recorded_crew(journal).chooser
        body = body.model_copy(
            update={
                "undo": False,
                "reply": back.reply.id,
                "role": role,
                "subtask": subtask,
                "said": said,
                "guidance": say.strip(),
                "switch": switch,
                "role_kind": kind,
                "read": last_reading(journal.events),
            }
        )
    event = journal.branch_at(back.parent, body, lane=back.reply.header.lane if back.reply is not None else "")
    journal.commit()
    return event, finish(journal, points)


def finish(journal: Journal, points: SavePoints) -> tuple[str, ...]:
    """Restore the files of the last rewind if that is not done yet. Blocking. Idempotent.

    Returns what could not be restored, one line each. Raises what restoring raises.
    """
    last = next((event for event in reversed(journal.events) if isinstance(event.body, Rewound | Saved)), None)
    if last is None or not isinstance(last.body, Rewound) or not last.body.restored:
        return ()
    manifest = Manifest.from_bytes(journal.read_blob(last.body.restored))
    restored = restore(points, manifest)
    taken = points.take()
    journal.append(Saved(manifest=taken.digest, files=taken.manifest.files, unsaved=taken.unsaved), cause=last)
    journal.commit()
    return restored.lost


def bring_here(journal: Journal, points: SavePoints) -> tuple[str, ...]:
    """Restore a workspace to the run's last save point, when the run continues on another machine. Blocking.

    Returns what could not be restored, one line each. Raises what restoring raises.
    """
    manifest = _saved(journal.events)
    return restore(points, Manifest.from_bytes(journal.read_blob(manifest))).lost if manifest else ()


@dataclass(frozen=True, slots=True)
class Unsaved:
    """Text in a window that was never saved to a file. ``app``, ``role``, ``name``: the control that held it; ``said``: the
    line of :attr:`Reopening.lost` to drop once the text has been typed again."""

    app: str
    role: str
    name: str
    text: str
    said: str


@dataclass(frozen=True, slots=True)
class Reopening:
    """Programs to start again on a new desktop: names with their document ('' if none), and what cannot be recovered.

    ``texts``: unsaved texts that can be typed again, because they were observed in full.
    """

    programs: tuple[tuple[str, str], ...]
    lost: tuple[str, ...]
    clipboard: str = ""
    texts: tuple[Unsaved, ...] = ()


def reopening(journal: Journal, events: Sequence[Event]) -> Reopening:
    """What the crew had open at the end of the branch ``events``, as far as its operations show how it was opened."""
    look = next((event for event in reversed(events) if isinstance(event.body, Observed)), None)
    if look is None or not isinstance(look.body, Observed):
        return Reopening((), ())
    seen = Observation.model_validate_json(journal.read_blob(look.body.observation))
    # What was done since may have changed a window that was saved when it was last seen.
    unseen = any(
        isinstance(event.body, ActionStarted) and event.body.effect != "none" for event in events[events.index(look) :]
    )
    opened = list(_opened(journal, events))
    documents = [entry.path for entry in seen.files if entry.kind == "file"]
    programs: list[tuple[str, str]] = []
    lost: list[str] = []
    texts: list[Unsaved] = []
    # The undermost first, so that the window that was on top is so again.
    for window in reversed(seen.windows):
        name = next((each.name for each in reversed(opened) if each.shows(window)), "")
        if window.dialog or not name:
            lost.append(f"the {'dialog' if window.dialog else 'window'} {window.title!r} is not open")
            continue
        shown = [path for path in documents if path.rpartition("/")[2] in window.title]
        asked = [each.file for each in opened if each.name == name and each.file]
        document = max(shown, key=len) if shown else asked[-1] if asked and len(asked) == 1 else ""
        programs.append((name, document))
        if unseen or window.title.startswith("*") or not document:
            lost.append(f"what was in {window.title!r} and not saved is gone")
            if not unseen:
                texts += _texts(_in_front(journal, events, seen, window), window, lost[-1])
    return Reopening(tuple(programs), tuple(lost), seen.clipboard or "", tuple(texts))


def at_desk(events: Sequence[Event], desk: int) -> list[Event]:
    """The events of a branch without those of actions and observations at other desks. A lane's actions belong to the
    desk where they were observed; those never observed cannot be assigned."""
    found: list[Event] = []
    looked: dict[str, int] = {}
    for event in reversed(events):
        if isinstance(event.body, Observed):
            looked[event.header.lane] = event.body.desk
        if looked.get(event.header.lane, desk) == desk:
            found.append(event)
    return found[::-1]


def desks(events: Sequence[Event]) -> tuple[int, ...]:
    """The numbers of the desks that were observed on a branch, the run's own first."""
    return tuple(sorted({OWN_DESK, *(event.body.desk for event in events if isinstance(event.body, Observed))}))


def pages(journal: Journal, events: Sequence[Event]) -> tuple[str, ...]:
    """Addresses of the pages that a browser had open at the end of the branch ``events``, the lowest first."""
    look = latest(events, Observed)
    if look is None:
        return ()
    seen = Observation.model_validate_json(journal.read_blob(look.observation))
    return tuple(window.url for window in reversed(seen.windows) if window.url and not window.dialog)


def _in_front(journal: Journal, events: Sequence[Event], seen: Observation, window: Window) -> Observation:
    """The last observation in which no dialog covered a window: behind the dialog its content cannot have changed since."""
    looks = newest_first(events, Observed)
    for look in islice(looks, LOOKS_BACK):
        found = Observation.model_validate_json(journal.read_blob(look.observation))
        if not any(each.dialog and each.app == window.app for each in found.windows):
            return found
    return seen


def _texts(seen: Observation, window: Window, said: str) -> list[Unsaved]:
    """The text of a document's window, if it has exactly one text area and all of that was observed."""
    areas = [c for c in seen.controls if c.window == window.id and c.role == "text area" and "type" in c.operations]
    if len(areas) != 1 or not areas[0].value or "…" in areas[0].value:
        return []
    return [Unsaved(window.app, areas[0].role, areas[0].name, areas[0].value, said)]


@dataclass(frozen=True, slots=True)
class _OpenedProgram:
    """A program as it was requested; ``apps``: the application names of the windows that opened with it."""

    name: str
    file: str
    apps: frozenset[str]

    def shows(self, window: Window) -> bool:
        words = (window.app.casefold(), self.name.casefold())
        return window.app in self.apps or (bool(words[0]) and (words[0] in words[1] or words[1] in words[0]))


def _opened(journal: Journal, events: Sequence[Event]) -> Iterator[_OpenedProgram]:
    """What was open when the run began, and what the crew opened, in order."""
    begun = journal.state.started
    for name, file in begun.settings.opened if begun is not None else ():
        yield _OpenedProgram(name, file, frozenset())
    before: Observed | None = None
    opening: Operation | None = None
    for event in events:
        body = event.body
        if isinstance(body, ActionFinished) and body.ok and gesture_of(body.operation) == "start":
            opening = body.operation
        elif isinstance(body, Observed):
            if opening is not None:
                there = {window.id for window in _windows(journal, before)}
                apps = frozenset(window.app for window in _windows(journal, body) if window.id not in there)
                params = opening.params
                yield _OpenedProgram(str(params.get("app_name") or ""), str(params.get("file") or ""), apps - {""})
            before, opening = body, None


def _windows(journal: Journal, look: Observed | None) -> tuple[Window, ...]:
    if look is None:
        return ()
    return Observation.model_validate_json(journal.read_blob(look.observation)).windows


def _saved(path: Sequence[Event]) -> str:
    """The manifest of the last save point on ``path``, '' if none."""
    return next((event.body.manifest for event in reversed(path) if isinstance(event.body, Saved)), "")


def _return(journal: Journal, parent: Event, reply: Event | None, manifest: str, points: SavePoints) -> Return:
    lost = outward(journal, parent)
    begun = journal.state.started
    path = path_to(journal.all, parent)
    if begun is not None and begun.desktop == "virtual":
        for again in (reopening(journal, at_desk(path, desk)) for desk in desks(path)):
            lost += [line for line in again.lost if line not in {text.said for text in again.texts}]
    if begun is not None and begun.desktop == "browser" and any(pages(journal, at_desk(path, desk)) for desk in desks(path)):
        lost.append("pages are opened again; what was sent from them stays sent, what was typed into them is gone")
    files = None
    if manifest:
        files = changes(points.take().manifest, Manifest.from_bytes(journal.read_blob(manifest)))
        lost += files.regrets()
    return Return(parent, reply, manifest, files, tuple(lost))


def outward(journal: Journal, parent: Event) -> list[str]:
    """What was done after ``parent`` on the branch to be left and cannot be undone by restoring, one line each."""
    shared = {event.id for event in path_to(journal.all, parent)}
    return [
        f"event {event.number}, {body.operation.function}, was done ({kind}) and cannot be undone"
        for event, body, kind in irrevocable(journal)
        if event.id not in shared
    ]


def irrevocable(journal: Journal) -> Iterator[tuple[Event, ActionStarted, str]]:
    """The actions of the current branch that restoring does not revert, each with the risk that makes it so, or
    ``lasting``."""
    risk = ""
    real = journal.state.started is not None and journal.state.started.desktop in YOURS
    for event in journal.events:
        body = event.body
        if isinstance(body, OperationApproved):
            risk = body.risk
        elif isinstance(body, ActionStarted) and (risk in OUTWARD or (real and body.effect == "lasting")):
            yield event, body, risk if risk in OUTWARD else "lasting"
