"""Signals, verdicts and outcomes: three things that are easily confused (docs/design/loop.md).

A *signal* (:class:`Branch`) is what a role's reply says about itself. A *verdict* is what rules, reviewer,
planner-as-judge or human decide. An *outcome* is how a run ended. A signal never becomes an outcome without a verdict.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from deskcrew.facts.contract import Proof, Strength
from deskcrew.facts.observation import Frozen


class Branch(StrEnum):
    """Signals: what a reply says about itself (COLA C15)."""

    CONTINUE = "Continue"
    ROLE_TASK_FINISH = "RoleTaskFinish"
    TASK_MISMATCH = "TaskMismatch"
    REMAKE_SUBTASKS = "RemakeSubtasks"
    NEED_HUMAN_HELP = "NeedHumanHelp"
    INTERRUPT = "Interrupt"
    UNANSWERABLE = "Unanswerable"


SKILLFUL = 8
"""The minimum score, out of ten, for code to be kept as a skill (F14)."""

VerdictKind = Literal["continue", "accept", "repair", "reassign", "appeal", "replan", "ask", "stop"]
Judge = Literal["rules", "model", "rules+model", "human", "planner"]


class Verdict(Frozen):
    """The decision on what happens next, with the reason that the next prompt shows.

    ``kind``: with ``appeal``, the planner decides whether its plan is at fault (A4). ``score``: 0-10, only for ``accept``.
    ``reason``: for ``stop``, the outcome's; for ``ask`` about a budget that is used up, the outcome's if nobody grants more.
    """

    kind: VerdictKind
    why: str = ""
    score: int | None = None
    reason: str | None = None


FROM_BRANCH: dict[Branch, Verdict] = {
    Branch.CONTINUE: Verdict(kind="continue"),
    Branch.TASK_MISMATCH: Verdict(kind="reassign"),
    Branch.REMAKE_SUBTASKS: Verdict(kind="replan"),
    Branch.NEED_HUMAN_HELP: Verdict(kind="ask"),
    Branch.INTERRUPT: Verdict(kind="stop", reason="gave_up"),
    Branch.UNANSWERABLE: Verdict(kind="stop", reason="infeasible"),
}
"""Every signal except RoleTaskFinish, which is a claim: it triggers a verdict on the subtask (C16; W2, W3)."""

RESULT = "{result}"
"""In a check's text: what the crew's programs printed."""


class Check(Frozen):
    """A condition that earlier versions read from the task's words; it occurs only in their journals. ``origin``: where its
    arguments come from."""

    kind: str
    target: str = ""
    text: str = ""
    edits: tuple[dict[str, Any], ...] = Field(default=(), exclude_if=lambda edits: not edits)
    origin: Literal["task", "evidence", "effect"] = "task"

    @property
    def words(self) -> str:
        """The condition in words, for people. It contains the arguments verbatim, even hostile ones."""
        text = "the computed result" if self.text == RESULT else repr(self.text)
        return {
            "file_exists": f"the file {self.target} is in the workspace",
            "file_absent": f"the file {self.target} is gone",
            "file_contains": f"the file {self.target} contains {text}",
            "nothing_else": f"the file {self.target} holds nothing else",
            "same_as": f"{self.target} is the same as {self.text}",
            "cell_equals": f"cell {self.target} is {text}",
            "changed_since_start": f"{self.target} was changed" + (f" ({self.text})" if self.text else ""),
            "window_shows": f"the window {self.target} shows {text}" if self.target else f"a window shows {text}",
            "control_value": f"{self.target} is {text}",
            "clipboard_holds": f"the clipboard holds {text}",
            "exit_code": f"{self.target or 'a program'} ended with exit code {self.text}",
            "opened": f"{' on '.join(filter(None, (self.target, self.text)))} is open",
            "deed": f"this was done: {text}",
        }.get(self.kind, f"{self.kind} {self.target} {text}")


class CheckResult(Frozen):
    """The result of a check. ``holds``: None if it could not be evaluated (no desktop, an unreadable file)."""

    check: Check
    holds: bool | None
    found: str = ""


VerifiedBy = Literal["rules", "probe", "judge", "rules+model", "human"]
OutcomeStatus = Literal["done", "unverified", "failed", "denied", "stopped"]

NO_FIT = "no_skill"
"""The reason of a run whose model can only use skills, if none of them does the task."""
NO_FILE = "no_file"
"""The reason of a run whose task names a file that does not exist."""
NO_COLUMN = "no_column"
"""The reason of a run whose task names a column that its table does not have."""
NAME_TAKEN = "name_taken"
"""The reason of a run whose task gives its result the name of a file that exists."""
UNREADABLE, UNUSABLE, NO_CHECK = "unreadable", "unusable", "unchecked"
"""The reasons of a run whose skill was given a damaged file or values of no use to it, or whose check could not be run."""
READ_AS = " Understood as: "
"""Separates, in what is said of a run that did nothing, why from the reading of its task."""
UNCONFIRMED = "unconfirmed"
"""The reason of a run in which nothing was done, because nobody confirmed the model's reading of the task."""
CHANGED = "changed"
"""The reason of a run during which somebody else changed its files."""
REJECTED, OBJECTED = "rejected", "objected"
"""The reason of a run to whose outcome a person objected, and the word that people see for it."""
UNHELD = " did not hold when they were checked"
"""What is said in a reason after the number of the requirements that did not hold."""
UNDONE = "undone"
"""The word that people see for a run without an outcome of which all changes were undone."""
OUTSIDE = frozenset({"model", "environment", "stopped", "planned", UNCONFIRMED})
"""Stop reasons for which neither task nor crew is to blame: no model, no environment, stopped by a person, only planned,
nobody there to confirm."""
BOUND = "bound:"
"""The prefix of a run's reason if a limit ended it; the limit's name follows."""
BudgetName = Literal["replies", "operations", "rounds", "tokens", "seconds", "money"]
BUDGETS: dict[BudgetName, str] = {
    "replies": "replies",
    "operations": "operations",
    "rounds": "rounds",
    "tokens": "tokens",
    "seconds": "seconds",
    "money": "US dollars",
}
"""Limits that end a run however good the work is, by name, in words. A run can continue if a person raises the limit."""
EXIT_CODES: dict[OutcomeStatus, int] = {"done": 0, "unverified": 3, "failed": 4, "denied": 5, "stopped": 6}


class Outcome(Frozen):
    """How a run ended.

    ``reason``: for ``failed``: infeasible | gave_up | no_skill | unreadable | unusable | unchecked | no_file | no_column |
    name_taken | changed | rejected (a person said no) | mismatch (a live replay) | bound:NAME | environment | model; for
    ``stopped``: planned, if only the plan was wanted; for ``unverified``: unconfirmed.
    """

    status: OutcomeStatus
    answer: str = ""
    sources: tuple[str, ...] = ()
    """Ids of the events that the answer is based on."""
    said: str = Field(default="", exclude_if=lambda said: not said)
    """What the crew says about its work beside any answer. Nobody checked it."""
    verified_by: VerifiedBy | None = None
    """Who verified it. For several requirements, the least certain: a person, a judge, a probe, rules."""
    reason: str = ""
    why: str = ""
    checks: tuple[CheckResult, ...] = ()
    proofs: tuple[Proof, ...] = Field(default=(), exclude_if=lambda proofs: not proofs)
    """The evidence for every requirement, if there was a contract."""
    incidental: tuple[str, ...] = Field(default=(), exclude_if=lambda told: not told)
    """Incidental requests of pages and changes of files, which the task need not mention."""
    strength: Strength = Field(default=Strength(), exclude_if=lambda strength: strength == Strength())
    """How strong the proofs are: the spoiled copies on which the checks were tried."""
    unordered: tuple[str, ...] = Field(default=(), exclude_if=lambda found: not found)
    """Changes and actions that the task does not mention. Nothing is learned from such a run."""

    @property
    def supported(self) -> bool:
        """Whether something that was read or computed supports the answer, or the run is done."""
        return bool(self.sources) or self.status == "done"

    @property
    def exit_code(self) -> int:
        """The exit code of ``deskcrew run``. A reading that nobody confirmed lacked a yes, like an operation that is denied:
        no work was done that may be right."""
        return EXIT_CODES["denied" if self.reason == UNCONFIRMED else self.status]

    @property
    def weak(self) -> bool:
        """Whether the run is done only by a weak check: see :attr:`Strength.weak`."""
        return self.status == "done" and self.strength.weak

    @property
    def word(self) -> str:
        """The status as people see it: a run that a person rejected is "objected", not "failed"."""
        return OBJECTED if self.reason == REJECTED else self.status

    @property
    def resumable(self) -> bool:
        """Whether the run was stopped or something outside ended it, so that it can be resumed once that is fixed."""
        return self.status == "stopped" or self.reason in OUTSIDE

    @property
    def continuable(self) -> bool:
        """Whether the run can be resumed, possibly only after the limit that ended it is raised."""
        return self.resumable or used_up(self.reason) is not None


def used_up(reason: str | None) -> BudgetName | None:
    """The budget whose limit a stop reason names; None for any other reason."""
    return next((name for name in BUDGETS if reason == f"{BOUND}{name}"), None)


class SkillUse(Frozen):
    """A skill, and the values that it would be used with; '' for a required value that is unknown."""

    skill: str
    values: dict[str, str]


class Earlier(Frozen):
    """The end of an earlier run that this run follows, as roles are shown it. It is not a source of an answer.

    ``status`` and ``why``: its outcome; '' for an imported run, of which only the task is shown. ``made``: workspace
    files that were new or different at its end; ``found``: what it found out. Everything is shortened for prompts.
    ``read``: the skill and values that a small model took its task for.
    """

    run: str
    task: str
    question: str = ""
    answer: str = ""
    status: Literal["", "done", "unverified", "failed", "denied", "stopped"] = ""
    why: str = ""
    made: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    read: SkillUse | None = Field(default=None, exclude_if=lambda read: not read)


class Choice(Frozen):
    """The attempt that was chosen because contract and evidence did not decide. ``among``: the numbers of the attempts that
    were compared; ``by``: who decided, a model or a person, shown what each did side by side. The choice proves nothing."""

    attempt: int
    among: tuple[int, ...]
    by: Literal["judge", "human"]
    why: str


class Candidate(Frozen):
    """One of several programs for the same step, after it ran on a copy of the workspace.

    ``code``, ``output``, ``changes``: blobs of its source, its output and its changes there; ``holds`` and ``fails``: ids
    of requirements that it concerns; ``strays``: changed paths that no requirement mentions.
    """

    code: str
    ok: bool
    error: str = ""
    output: str = ""
    changes: str = ""
    holds: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
