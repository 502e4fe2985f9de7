"""The events of a run: everything that happened, each with exactly one parent (docs/design/journal.md).

A run's state is a fold over its events; nothing else holds state. A body is small: screenshots, observations, prompts and
raw replies are blobs that it names by digest.

Event hash = SHA-256(parent hash, RFC 8785 of the header, SHA-256 of RFC 8785 of the body), so that an export with
redacted bodies still verifies from the remaining digests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from deskcrew.facts.canonical import canonical
from deskcrew.facts.contract import Consent, Contract, Proven
from deskcrew.facts.json_values import JsonObject, is_list
from deskcrew.facts.no_file import no_file
from deskcrew.facts.observation import Bound, Evidence, Frozen, Sent, WorkspaceNote
from deskcrew.facts.plan import Plan, PlanPatch
from deskcrew.facts.run_settings import RunSettings
from deskcrew.facts.verdict import BudgetName, Candidate, Check, CheckResult, Choice, Earlier, Outcome, SkillUse, Verdict

SCHEMA = 5
"""Version of the body types below. Raise it with a migration in ``journal/migrations``."""
OWN_DESK = 1
"""The number of the desktop or browser that a run begins with."""
DesktopKind = Literal["virtual", "real", "windows", "browser", "none"]
"""What a run works on besides files and commands: a sandboxed desktop, the user's own (on X11, or on Windows), a browser, or
nothing."""
YOURS: frozenset[DesktopKind] = frozenset({"real", "windows"})
"""The user's own desktops, where programs can do whatever the user can."""
WordsOf = Literal["person", "agent", "file", "crew"]
"""Whose words began a run: a person's, another agent's, those of a file that arrived, or the crew's. Only a person's words
consent to anything."""
Gives = Literal["output", "content", "page", "web"]
"""What kind of result an action returns: what a program printed, the content of something, the text of a page, or what a web
search found."""
_GIVEN: Mapping[str, Gives] = {
    "run_python_code": "output", "run_shell": "output", "read_page": "page", "web_search": "web", "read_file": "content",
    "read_clipboard": "content", "list_files": "content", "find_files": "content", "find_passages": "content",
    "video_frames": "content", "transcribe_speech": "content", "click_input": "content",
}  # fmt: skip
"""What the actions of earlier versions return: for these it need not be recorded."""
PATHS = ("file_path", "source", "destination", "path", "folder", "file")
"""Parameters of built-in actions that name a file or folder of the workspace."""


class Usage(Frozen):
    """What a model call used: tokens (``cached``: input tokens from a cache) and US dollars. Unknown is None, never 0."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cost: float | None = None


_MOVING = frozenset({"tab", "shift", "up", "down", "left", "right", "pageup", "pagedown"})


class Operation(Frozen):
    """An operation: an action's name, the label of the control it targets, and the parameters."""

    function: str
    control: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether it only presses keys that go one place further, so that the same again goes on from there."""
        keys, more = self.params.get("keys"), self.params.get("text") or self.params.get("click_enter")
        return is_list(keys) and not more and {*map(str, keys)} <= _MOVING


class SaidBefore(Frozen):
    """A person's confirmation before this run, which counts for it as well. ``time``: Unix seconds; ``person``: as in
    :class:`RunStarted`."""

    run: str
    time: float
    person: str = ""


class ConfirmedReading(Frozen):
    """A person's confirmation of what a ``task`` means, for unattended runs of it: the ``skill`` with this ``digest``.
    ``read``: its values as the model had read them from the task; ``values``: the values that the person confirmed."""

    task: str
    skill: str
    digest: str
    read: JsonObject
    values: JsonObject
    said: SaidBefore


class RunStarted(Frozen):
    """The first event: everything read from outside before the run, so that a replay needs nothing else."""

    type: Literal["run_started"] = "run_started"
    task: str
    crew: str
    model: str
    mode: str
    workspace: str
    desktop: DesktopKind
    attachments: tuple[str, ...] = ()
    seed: int | None = None
    settings: RunSettings = RunSettings()
    files: dict[str, str] = Field(default_factory=dict)
    """Digest of each role and crew file that was used, by name."""
    policy: str = ""
    """Blob of the policy's text."""
    version: str = ""
    """Deskcrew's version."""
    applications: tuple[str, ...] = ()
    """Names of the programs that can be opened on the run's desktop."""
    profile: JsonObject = Field(default_factory=JsonObject)
    """What the run's model can do (``models.client.Profile``): prompts and reply types depend on it."""
    earlier: tuple[Earlier, ...] = Field(default=(), exclude_if=lambda earlier: not earlier)
    """The runs that this one follows, oldest first; the last one is the run it continues."""
    notes: tuple[WorkspaceNote, ...] = Field(default=(), exclude_if=lambda notes: not notes)
    """The workspace's files for agents."""
    person: str = Field(default="", exclude_if=lambda person: not person)
    """Who started the run, if several people use one Deskcrew; '' for the machine's user."""
    begun_in: str = Field(default="", exclude_if=lambda folder: not folder)
    """The folder from which it was started, '' if that is unknown or gone: its workspace may be elsewhere."""
    words_of: WordsOf = Field(default="person", exclude_if=lambda whose: whose == "person")
    system: str = Field(default="", exclude_if=lambda system: not system)
    """The operating system on which code runs, if a role of its crew is told."""
    required: Contract | None = Field(default=None, exclude_if=lambda required: required is None)
    """What the user said must hold in the end."""
    meant: ConfirmedReading | None = Field(default=None, exclude_if=lambda meant: meant is None)
    """The user's confirmation, before the run, of what the task means."""
    gives: dict[str, Gives] = Field(default_factory=dict[str, Gives], exclude_if=lambda gives: not gives)
    """What kind of result each of its actions returns, but only those that :meth:`untold` keeps; earlier runs list actions
    that are not built in in the setting ``actions``."""

    absent: dict[str, str] = Field(default_factory=dict[str, str], exclude_if=lambda absent: not absent)
    """What to say of each file that the task names and that is not where the user stands, by name: files were copied from
    there, and the user never sees the workspace."""

    @property
    def repeated_skill(self) -> str:
        """The skill that the run was begun to use; '' for any other run."""
        return self.settings.replay.skill if self.settings.replay is not None else ""

    def folder(self, run: str) -> str:
        """Its workspace; '' for the folder that was made for ``run``: one that is begun again has a folder of its own."""
        return "" if PurePath(self.workspace).name == run else self.workspace

    def no_file(self, name: str, files: Sequence[str], *, meant: Collection[str] = ()) -> str:
        """The message that a file which the task names does not exist: where the user stands, else in the workspace."""
        return self.absent.get(name) or no_file(name, files, self.workspace, meant=meant)

    def given_by(self, function: str) -> Gives | None:
        """What kind of result an action returns; None if it only reports that it was done."""
        if function in self.settings.actions:
            return "content"
        return self.gives.get(function) or _GIVEN.get(function)

    @classmethod
    def untold(cls, gives: Mapping[str, Gives]) -> dict[str, Gives]:
        """The entries of ``gives`` that must be recorded, because they are not known anyway."""
        return {name: given for name, given in gives.items() if given != _GIVEN.get(name)}

    @property
    def follows(self) -> str:
        """The id of the run that this one follows; '' if there is none."""
        return self.earlier[-1].run if self.earlier else ""


class GoalSet(Frozen):
    """What must hold, set before anything is executed. ``question``: the question to answer, '' if there is none (C5);
    ``contract``: None if there is none; ``checks``: only in runs of earlier versions, which read them from the task."""

    type: Literal["goal_set"] = "goal_set"
    question: str = ""
    checks: tuple[Check, ...] = ()
    contract: Contract | None = Field(default=None, exclude_if=lambda contract: contract is None)
    program: str = Field(default="", exclude_if=lambda program: not program)
    """Blob of the Verifier's code, if it repaired a check of the contract."""


class Uncounted(Frozen):
    """An order that consents to nothing, and ``why``, worded for a person and for the role that read it."""

    order: Consent
    why: str


class ConsentRead(Frozen):
    """The orders that were read from everything the user has said so far, and from nothing else; the guard would otherwise
    ask about them. Replaces what was read before."""

    type: Literal["consent_read"] = "consent_read"
    consents: tuple[Consent, ...] = ()
    uncounted: tuple[Uncounted, ...] = Field(default=(), exclude_if=lambda uncounted: not uncounted)


class Proved(Proven):
    """The evidence for every requirement of the contract once all subtasks were done. Only this makes "done"."""

    type: Literal["proved"] = "proved"


class PartRef(Frozen):
    """One part of a prompt: its zone, and the blob of its text or picture."""

    zone: Literal["stable", "task", "memory", "volatile"]
    kind: Literal["text", "image"]
    blob: str


class Hit(Frozen):
    """An entry of long-term memory as it is shown to a role. ``digest``: SHA-256 of the entry's content."""

    entry: str
    digest: str
    text: str


class TrackRecord(Frozen):
    """How many earlier subtasks similar to the current one an agent has proven done, and at how many it failed (C43)."""

    role: str
    proven: int
    failed: int


class Recalled(Frozen):
    """What long-term memory recalled for a role when it was first asked about ``situation``. ``hits``: entries of its own
    kind (C30); ``facts``: what the user declared; ``records``: the agents' records, for the role that assigns work."""

    type: Literal["recalled"] = "recalled"
    role: str
    subtask: str | None = None
    situation: str
    hits: tuple[Hit, ...] = ()
    facts: tuple[Hit, ...] = ()
    records: tuple[TrackRecord, ...] = ()


class RoleCalled(Frozen):
    """A role is about to be asked. ``attempt`` counts format retries from 1."""

    type: Literal["role_called"] = "role_called"
    role: str
    subtask: str | None = None
    parts: tuple[PartRef, ...] = ()
    schema_blob: str = ""
    model: str = ""
    max_tokens: int = 0
    temperature: float = 0.0
    seed: int | None = None
    attempt: int = 1


class RoleReplied(Frozen):
    """A role's reply: ``reply`` if it was well formed, ``error`` if not. ``raw``: blob of the exact text."""

    type: Literal["role_replied"] = "role_replied"
    role: str
    subtask: str | None = None
    reply: JsonObject | None = None
    error: str = ""
    cut: bool = Field(default=False, exclude_if=lambda cut: not cut)
    """Whether it was truncated at its token limit: the next attempt may use twice as many tokens."""
    raw: str = ""
    usage: Usage = Usage()
    model: str = ""
    seconds: float = 0.0
    retries: int = 0


class Understood(Frozen):
    """A model that is too small to be trusted reads the whole task as this skill with these ``values``. The event comes
    twice: first as a person is shown it, with ``by`` '', then with who confirmed it: a person, or the run's request.
    ``words``: the reading as a sentence; ``unused``: words of the task that it leaves out; ``edited``: names of the values
    that the person changed; ``holds``: False if the person rejected it; ``near``: then the most similar other skills;
    ``said``: when and in which run it was confirmed, if that was before this run; ``preview``: what a trial before the
    question printed and would change."""

    type: Literal["understood"] = "understood"
    skill: str
    values: JsonObject
    words: str
    unused: str = Field(default="", exclude_if=lambda unused: not unused)
    by: Literal["", "human", "request"] = ""
    edited: tuple[str, ...] = Field(default=(), exclude_if=lambda edited: not edited)
    holds: bool = True
    near: tuple[SkillUse, ...] = Field(default=(), exclude_if=lambda near: not near)
    said: SaidBefore | None = Field(default=None, exclude_if=lambda said: said is None)
    preview: str = Field(default="", exclude_if=lambda preview: not preview)

    @property
    def told(self) -> str:
        """The reading as a sentence; what it leaves out comes first."""
        return f"(ignoring your words: {self.unused}) {self.words}" if self.unused else self.words

    @property
    def use(self) -> SkillUse:
        """The reading, as the use of a skill."""
        return SkillUse(skill=self.skill, values={name: str(value) for name, value in self.values.items() if str(value)})


class PlanPatched(Frozen):
    """The plan changed: first plan, assignment, replan. ``plan`` is the whole plan afterwards."""

    type: Literal["plan_patched"] = "plan_patched"
    by: str
    why: str = ""
    patch: PlanPatch
    plan: Plan


class LanesOpened(Frozen):
    """From here on these subtasks are worked on in parallel, each in a lane of its own (F4), until it is done or changed.
    ``desks``: the number of a subtask's desktop or browser, if it differs from the one it would use without lanes."""

    type: Literal["lanes_opened"] = "lanes_opened"
    subtasks: tuple[str, ...]
    desks: dict[str, int] = Field(default_factory=dict[str, int], exclude_if=lambda desks: not desks)


class OperationProposed(Frozen):
    """The next operation of a decision."""

    type: Literal["operation_proposed"] = "operation_proposed"
    role: str
    subtask: str
    operation: Operation
    intention: str = ""


class OperationApproved(Frozen):
    """The operation was authorized by the guard, or by a person it asked. ``rule``: name of the rule that decided."""

    type: Literal["operation_approved"] = "operation_approved"
    rule: str
    risk: str
    by: Literal["policy", "human", "grant", "consent"] = "policy"
    consent: int | None = Field(default=None, exclude_if=lambda consent: consent is None)
    """The index, among all consents that the run has read, of the consent that allowed it."""
    step: bool = Field(default=False, exclude_if=lambda step: not step)
    """Whether it is only a step towards what that consent orders, which remains to be done."""
    asks: bool = Field(default=False, exclude_if=lambda asks: not asks)
    """Whether a model judged that it only requests data."""
    scope: Literal["once", "run", "app"] = "once"
    """The scope of a person's approval: this operation, the whole run, or everything done in ``app``."""
    app: str = ""
    hosts: tuple[str, ...] = ()
    """``app``: the program that it acts on or starts; ``hosts``: those it contacts. Limits and later approvals use both."""
    expires: float | None = None
    """Seconds after this event at which a wider approval ends."""
    bound: Bound | None = Field(default=None, exclude_if=lambda bound: bound is None)
    """The target and files that the approval is bound to; None in runs from before this was recorded."""


class OperationDenied(Frozen):
    """The operation was denied; the role sees why."""

    type: Literal["operation_denied"] = "operation_denied"
    rule: str
    risk: str
    by: Literal["policy", "human", "nobody"] = "policy"
    why: str = ""


class ChangesFound(Frozen):
    """What a program changed in its layer over the workspace, and the guard's decision. Recorded before any of it is
    applied.

    ``changes``: blob with all changes (``environments/changes.py``); ``paths``: their number; ``losses``: what would be
    lost, in words. If ``effect`` is ``ask``, an approval or a denial follows, caused by this event.
    """

    type: Literal["changes_found"] = "changes_found"
    changes: str
    paths: int
    losses: str = ""
    effect: Literal["allow", "ask", "deny"]
    rule: str
    risk: str
    why: str = ""


class SendsFound(Frozen):
    """What a page wanted to send because of an operation, and the guard's decision. Recorded before any of it is sent.

    If ``effect`` is ``ask``, an approval or a denial follows, caused by this event.
    """

    type: Literal["sends_found"] = "sends_found"
    sent: tuple[Sent, ...]
    effect: Literal["allow", "ask", "deny"]
    rule: str
    risk: str
    why: str = ""


class OperationSkipped(Frozen):
    """The operation was skipped because its effect already exists: small models repeat what they see."""

    type: Literal["operation_skipped"] = "operation_skipped"
    why: str


class ActionStarted(Frozen):
    """An action is about to be executed. The event is on disk before that, so that no crash can hide or duplicate it."""

    type: Literal["action_started"] = "action_started"
    role: str
    subtask: str
    operation: Operation
    effect: str


class CandidatesTried(Frozen):
    """Several programs for the same step ran, each on a copy of the workspace. Recorded before any of them is applied.

    ``chosen``: the number, from 1, of the program that is kept, None if none ran to its end; ``proven``: the requirements
    that it concerns were verified, and did not hold before; ``left``: how many programs were therefore not tried.
    """

    type: Literal["candidates_tried"] = "candidates_tried"
    tried: tuple[Candidate, ...]
    chosen: int | None
    proven: bool
    left: int = 0


STDERR = "\n[stderr]\n"
"""Separates a program's standard output from its standard error in an action's text."""


class ActionFinished(Frozen):
    """An action ended. ``operation``: of several candidates, the one that is kept; ``text``: the result, shortened for
    prompts; ``output``: blob of the whole result; ``seconds``: the duration."""

    type: Literal["action_finished"] = "action_finished"
    role: str
    subtask: str
    operation: Operation
    ok: bool
    text: str = ""
    error: str = ""
    exit_code: int | None = None
    output: str = ""
    reads: tuple[str, ...] = ()
    """Workspace files that the result is based on, or the address of a page."""
    seconds: float = 0.0


class ActionInterrupted(Frozen):
    """An action started, and its end was not recorded because the process died. It is never repeated blindly."""

    type: Literal["action_interrupted"] = "action_interrupted"
    role: str
    subtask: str
    operation: Operation


class LookingAgain(Frozen):
    """All subtasks are done, and before the result is judged, the engine reloads the ``pages`` on which something was sent.
    An observation of each follows."""

    type: Literal["looking_again"] = "looking_again"
    pages: tuple[str, ...]


class Fresh(Frozen):
    """How the engine looked again at page ``address``. ``lost``: what it could not show again, in words; ``unloaded``:
    not even the page could be reloaded; ``later``: a while after something was sent, to check that it is still there."""

    address: str
    lost: str = ""
    unloaded: bool = False
    later: bool = Field(default=False, exclude_if=lambda later: not later)


class SeenElsewhere(Frozen):
    """What another page of a site showed. ``observation``: a blob; ``alone``: the page was opened without the cookies and
    data that the run's browser has stored; ``lost``: the page did not show the view that the run's browser had."""

    address: str
    observation: str
    alone: bool = False
    lost: bool = Field(default=False, exclude_if=lambda lost: not lost)


class LookedElsewhere(Frozen):
    """The engine opened other pages of a site on which something was sent, in a separate browser, to check whether they show
    it as well."""

    type: Literal["looked_elsewhere"] = "looked_elsewhere"
    pages: tuple[SeenElsewhere, ...]


class Observed(Frozen):
    """An observation was made. ``observation`` and ``screenshot`` are blobs; ``evidence`` is what differs from the
    previous one. ``desk``: the number of the desktop or browser; 1 is the run's own, others are lanes'. ``fresh``: how the
    engine itself looked, if it had reloaded the page; else None."""

    type: Literal["observed"] = "observed"
    observation: str
    screenshot: str = ""
    evidence: Evidence = Evidence()
    windows: tuple[str, ...] = ()
    controls: int = 0
    seconds: float = 0.0
    desk: int = Field(default=OWN_DESK, exclude_if=lambda desk: desk == OWN_DESK)
    fresh: Fresh | None = Field(default=None, exclude_if=lambda fresh: fresh is None)


class Judged(Frozen):
    """A verdict. ``scope``: what was judged: one operation's effect, a claim that a subtask is done, the whole task, or its
    answer."""

    type: Literal["judged"] = "judged"
    scope: Literal["effect", "subtask", "goal", "answer"]
    subtask: str | None = None
    verdict: Verdict
    by: Literal["rules", "model", "rules+model", "human", "planner"]
    checks: tuple[CheckResult, ...] = ()
    dropped: int = 0
    """How many later operations of the same decision are dropped, because the screen is not what they were planned for."""


class FileRead(Frozen):
    """A workspace file was read for a prompt or a check, and its text differs from when it was last read.

    ``text``: blob of its text; '' and ``error``, worded for the model, if it cannot be read."""

    type: Literal["file_read"] = "file_read"
    path: str
    text: str = ""
    error: str = ""


class PictureRead(Frozen):
    """A picture file in the workspace was read for a prompt, and differs from when it was last read.

    ``picture``: blob of a PNG, scaled down for prompts; '' and ``error`` if it cannot be shown."""

    type: Literal["picture_read"] = "picture_read"
    path: str
    picture: str = ""
    error: str = ""


class Grounded(Frozen):
    """A grounding model's reply. ``point``: the point in the reply, in pixels of the picture, None if nothing fits."""

    point: tuple[int, int] | None = None
    raw: str = ""
    usage: Usage = Usage()


class PointFound(Frozen):
    """A grounding model was asked to find what a role described in ``words`` in the screen's ``picture`` (a blob).

    ``error``: why it gave no answer, '' if it did."""

    type: Literal["point_found"] = "point_found"
    words: str
    picture: str
    model: str
    found: Grounded = Grounded()
    error: str = ""
    seconds: float = 0.0


class KnowledgeFound(Frozen):
    """The results of a web search about the task before the first plan (A7): for planning, not a source of an answer.

    ``words``: the query, '' if the planner had none; ``hits``: blob of the results; ``passages``: the excerpts that prompts
    show, and ``sources``: the address of each; ``error``: why there are no results, '' if there are.
    """

    type: Literal["knowledge_found"] = "knowledge_found"
    words: str = ""
    provider: str = ""
    hits: str = ""
    passages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    error: str = ""
    seconds: float = 0.0


class Saved(Frozen):
    """A save point: the state of the workspace at this moment. Taken before every action that does more than read.

    ``manifest``: blob of the list of its files; ``unsaved``: paths that exist but could not be saved (too large,
    unreadable, not a file, folder or link).
    """

    type: Literal["saved"] = "saved"
    manifest: str
    files: int = 0
    unsaved: tuple[str, ...] = ()
    seconds: float = 0.0


SayKind = Literal["guide", "switch", "answer", "edit", "mode", "pause", "resume", "take_over", "hand_back", "stop"]
RoleKind = Literal["plan", "schedule", "decision", "other"]


class HumanSaid(Frozen):
    """A person intervened.

    ``guide``: tell ``role`` something (None: the next role asked); ``switch``: let ``role`` continue, with ``text``;
    ``edit``: the reply that follows this event is the person's, in place of the last one; ``mode``: ``text`` is the new mode
    of ``role`` (None: of all roles); ``hand_back``: ``text`` says what changed while the person worked on the desktop.
    ``role_kind``: the role's kind in its crew, for a switch.
    """

    type: Literal["human_said"] = "human_said"
    kind: SayKind
    text: str = ""
    role: str | None = None
    role_kind: RoleKind = "other"
    words_of: WordsOf = Field(default="person", exclude_if=lambda whose: whose == "person")


class LimitRaised(Frozen):
    """A person lets the run go on though a ``budget`` is used up. ``limit``: the new limit. Seconds are counted afresh from
    here."""

    type: Literal["limit_raised"] = "limit_raised"
    budget: BudgetName
    limit: float


class FaultFound(Frozen):
    """Something is ``wrong``, and the crew looked for the earliest reply that led to it. ``reply``: that reply's number; the
    run goes back to it next, with this ``guidance``; 0: the fault is repaired without going back. ``why``: the reason.
    """

    type: Literal["fault_found"] = "fault_found"
    wrong: str
    reply: int = 0
    role: str = ""
    why: str = ""
    guidance: str = ""


class Rewound(Frozen):
    """A new branch starts here: this event's parent is not the event before it. The old branch stays.

    ``reply``: id of the rejected reply, with its ``role``, ``subtask`` and what it ``said`` (data, or raw text if it was
    malformed), so that the role can be shown it. ``guidance``: what a person said; '' asks again without any. ``switch``:
    another role to ask, and ``role_kind`` its kind. ``left``: id of the last event of the branch that was left; ``before``:
    blob of the workspace's manifest just before, so that the rewind can be undone; ``restored``: blob of the manifest that
    was restored, '' if files were left alone. ``lost``: what could not be restored, in words. ``undo``: the rewind goes back
    to the end of a branch, and asks nobody again. ``attempt``: the number of the attempt that begins here, from 2, which
    rejects no reply; 0 if a person goes back.
    """

    type: Literal["rewound"] = "rewound"
    reply: str = ""
    role: str = ""
    subtask: str | None = None
    said: str = ""
    guidance: str = ""
    switch: str | None = None
    role_kind: RoleKind = "other"
    left: str = ""
    before: str = ""
    restored: str = ""
    lost: tuple[str, ...] = ()
    undo: bool = False
    read: SkillUse | None = Field(default=None, exclude_if=lambda read: not read)
    """What a small model had taken the task for on the branch that was left."""
    attempt: int = Field(default=0, exclude_if=lambda number: not number)
    to: Literal["", "start"] = Field(default="", exclude_if=lambda to: not to)
    """``start``: a person put everything back as it was before the run."""
    words_of: WordsOf = Field(default="person", exclude_if=lambda whose: whose == "person")
    """Whose words the guidance is."""
    choice: Choice | None = Field(default=None, exclude_if=lambda choice: choice is None)
    """The comparison of attempts that chose this branch."""
    kept: tuple[str, ...] = Field(default=(), exclude_if=lambda kept: not kept)
    """Paths that were left alone, because somebody else had changed them meanwhile."""
    faults: int = Field(default=0, exclude_if=lambda number: not number)
    """How often the crew had looked for a fault, if it went back by itself."""


class RunResumed(Frozen):
    """A process continued a run that had ended in the middle, or a new branch of it.

    ``reopened``: programs that were started again, with their document; ``lost``: what could not be restored, in words;
    ``applications``: programs that can be opened on this process's desktop; ``settings`` and ``profile``: as in
    ``run_started``, but this process's; ``stands``: nothing was lost, so the last claim of a role is judged next.
    """

    type: Literal["run_resumed"] = "run_resumed"
    stands: bool = Field(default=False, exclude_if=lambda stands: not stands)
    version: str = ""
    model: str = ""
    applications: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    settings: RunSettings = RunSettings()
    profile: JsonObject = Field(default_factory=JsonObject)


class RunFinished(Frozen):
    """The run ended, with this outcome. If something outside ended it, it may be resumed."""

    type: Literal["run_finished"] = "run_finished"
    outcome: Outcome


class AttemptsShown(Frozen):
    """The attempts at the task have ended, and contract and evidence do not decide between some of them. These are shown
    side by side, for comparison. The event follows the end of the last attempt.

    ``attempts``: their numbers, in the order shown; ``facts``: for each a blob of what it did, observed and left behind;
    ``model`` and ``profile``: the judge's.
    """

    type: Literal["attempts_shown"] = "attempts_shown"
    attempts: tuple[int, ...]
    facts: tuple[str, ...]
    model: str
    profile: JsonObject = Field(default_factory=JsonObject)


class AttemptsCompared(Frozen):
    """The attempts were compared, and this one was chosen."""

    type: Literal["attempts_compared"] = "attempts_compared"
    choice: Choice


class Confirmed(Frozen):
    """After the end a person said whether a requirement holds. ``requirement``: its id, '' for the whole task. The resulting
    outcome follows."""

    type: Literal["confirmed"] = "confirmed"
    requirement: str = ""
    holds: bool
    why: str = ""


class RunInterrupted(Frozen):
    """A bug in Deskcrew, or a signal to the process, interrupted the run. It can be resumed."""

    type: Literal["run_interrupted"] = "run_interrupted"
    error: str


Body = Annotated[
    RunStarted
    | GoalSet
    | ConsentRead
    | RoleCalled
    | RoleReplied
    | Understood
    | PlanPatched
    | LanesOpened
    | OperationProposed
    | OperationApproved
    | OperationDenied
    | OperationSkipped
    | ChangesFound
    | SendsFound
    | ActionStarted
    | CandidatesTried
    | ActionFinished
    | ActionInterrupted
    | LookingAgain
    | LookedElsewhere
    | Observed
    | Judged
    | Proved
    | Recalled
    | FileRead
    | PictureRead
    | PointFound
    | KnowledgeFound
    | Saved
    | HumanSaid
    | LimitRaised
    | FaultFound
    | Rewound
    | RunResumed
    | RunFinished
    | AttemptsShown
    | AttemptsCompared
    | Confirmed
    | RunInterrupted,
    Field(discriminator="type"),
]


class Header(Frozen):
    """Everything in an event except its body. ``number``: 1-based position in the run; people refer to events by it.

    ``lane``: label of the subtask it belongs to; ``cause``: id of the event that led to it; ``time``: Unix seconds, UTC.
    """

    run: str
    number: int
    parent: str | None
    lane: str = ""
    cause: str | None = None
    time: float
    type: str
    schema_version: int = SCHEMA


class Event(Frozen):
    """A header, a body, and the hash over both that is the event's id."""

    id: str
    header: Header
    digest: str
    body: Body

    @property
    def number(self) -> int:
        return self.header.number


BodyT = TypeVar("BodyT", bound=Frozen)


def newest_first(events: Sequence[Event], *kinds: type[BodyT]) -> Iterator[BodyT]:
    """The bodies of these kinds among ``events``, which are in the order in which they were recorded."""
    return (event.body for event in reversed(events) if isinstance(event.body, kinds))


def latest(events: Sequence[Event], *kinds: type[BodyT]) -> BodyT | None:
    """The last body of these kinds; None if there is none."""
    return next(newest_first(events, *kinds), None)


def body_digest(body: Frozen) -> str:
    """SHA-256 (hex) of the canonical JSON of a body."""
    return hashlib.sha256(canonical(body.model_dump(mode="json"))).hexdigest()


def event_id(header: Header, digest: str) -> str:
    """The hash that chains events: parent hash, header, body digest."""
    parts = (header.parent or "").encode(), canonical(header.model_dump(mode="json")), digest.encode()
    return hashlib.sha256(b"\x00".join(parts)).hexdigest()
