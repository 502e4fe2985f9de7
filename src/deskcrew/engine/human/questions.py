"""Questions to a person, and everything a person can say: plain values, the same for console, web and programs.

Whatever is asked, a person may also say something else instead (:data:`Said`): guide, switch, stop, change the plan.
"""

from __future__ import annotations

from glob import has_magic
from typing import Literal, get_args

from deskcrew.facts.events import Bound, HumanSaid, Operation
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Frozen
from deskcrew.facts.plan import PlanPatch
from deskcrew.facts.verdict import BUDGETS, BudgetName

Mode = Literal["automatic", "passive", "active"]
MODES: tuple[Mode, ...] = get_args(Mode)
Scope = Literal["once", "run", "app"]

UNPROVEN = "No requirements could be written for this task, so nothing will be proven."
IGNORE = frozenset({"i", "ignore"})
"""What a person types to accept a reading that ignores words of theirs."""
IGNORED = "This ignores your words: {unused}. Type i (ignore) to do it all the same, or say it in other words."
EDITED = "edited by the user"
"""The intention recorded for an operation with which a person replaced another."""


class ReadValue(Frozen):
    """A value in a small model's reading of the task. ``said``: it occurs in the user's own words; ``choices``: the values
    that it may have, () for any; ``optional``: it may be ''."""

    name: str
    value: str
    said: bool = True
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def words(self) -> str:
        return f"{self.name}: {self.value}{'' if self.said else ' (not in your words)'}"

    def allows(self, text: str) -> bool:
        """Whether the value may be ``text``: one of ``choices``, or several separated by commas. Patterns pass, as the files
        that they match are not known here."""
        known = {choice.casefold() for choice in self.choices}
        parts = {part.strip() for part in text.casefold().split(",")}
        return not known or text.casefold() in known or parts <= known or has_magic(text)


class ReplyQuestion(Frozen):
    """A role has replied: may the run go on with that? ``note``: what was wrong with the person's last answer; ``tried``:
    the reply that they had written instead. ``contract``: the reply says what must hold when the task is done, and what need
    not be asked about again; passive mode asks about it, too. ``unproven``: the task, if no contract could be made for it:
    ``reply`` is then empty, and accepting it means that nothing will be proven. ``reading``: a sentence on how a small model
    reads the task; ``reply`` then holds its values, ``values`` what a person is told about them, ``preview`` what would come
    of it, ``wrong`` the name of the value that ``note`` is about, '' if several, and ``unused`` words of the task that the
    reading leaves out: a bare yes does not accept it then. A no to a reading ends the run."""

    type: Literal["reply"] = "reply"
    role: str
    subtask: str | None = None
    reply: JsonObject
    contract: bool = False
    unproven: str = ""
    reading: str = ""
    values: tuple[ReadValue, ...] = ()
    preview: str = ""
    unused: str = ""
    wrong: str = ""
    note: str = ""
    tried: JsonObject | None = None

    @property
    def listed(self) -> tuple[str, tuple[ReadValue, ...]]:
        """The reading without the list of values at its end, and these values."""
        behind = tuple(each for each in self.values if each.value and each.words in self.reading)
        sentence = self.reading.removesuffix(f" ({'; '.join(each.words for each in behind)})")
        return sentence, behind if sentence != self.reading else ()


class OperationQuestion(Frozen):
    """An operation is about to be done. ``needed``: the guard asks, and denies it without a yes; otherwise active mode asks.

    ``intention``: the purpose that the role stated, '' if none; ``told``: what the engine adds, such as how much of it has
    been done already; ``why``: why the guard asks.

    ``rule``: the rule of the policy that decided; ``scopes``: how far an approval may reach; ``app``: the program in which
    it would be done, '' if none; ``note`` and ``tried``: as in :class:`ReplyQuestion`, for the operation.

    ``bound``: what the answer is valid for: the ``target`` (role, name, owner, title of the window, application, page) to be
    pressed or typed into, and ``files`` (path, kind, size, digest). ``changed``: what differs from the last time that the
    same was asked, one sentence each; empty the first time.
    """

    type: Literal["operation"] = "operation"
    role: str
    subtask: str
    operation: Operation
    intention: str = ""
    told: str = ""
    needed: bool = False
    risk: str = ""
    rule: str = ""
    why: str = ""
    app: str = ""
    scopes: tuple[Scope, ...] = ("once",)
    note: str = ""
    tried: Operation | None = None
    bound: Bound = Bound()
    changed: tuple[str, ...] = ()


class HelpQuestion(Frozen):
    """A role asks the person something. ``role``: '' if a verdict asks."""

    type: Literal["help"] = "help"
    role: str = ""
    question: str


class LimitQuestion(Frozen):
    """The budget ``name`` is used up: may the run have as much again as its ``limit``? A no ends the run, which can be
    resumed later. ``role``: always '', as no role asks."""

    type: Literal["limit"] = "limit"
    role: Literal[""] = ""
    name: BudgetName
    limit: float

    @property
    def question(self) -> str:
        again = "much" if self.name == "money" else "many"
        return f"The limit of {self.limit:g} {BUDGETS[self.name]} is used up. Go on with as {again} again?"


Question = ReplyQuestion | OperationQuestion | HelpQuestion | LimitQuestion


class Accepted(Frozen):
    """Continue. This does not approve an operation that the guard asks about. ``without``: the words of the task that a
    reading leaves out, as they were shown: see ``unused`` of :class:`ReplyQuestion`."""

    type: Literal["accepted"] = "accepted"
    without: str = ""


class Approval(Frozen):
    """Yes or no to an operation. ``expires``: seconds after which a wider scope ends; ``why``: the reason for a no, shown to
    the role."""

    type: Literal["approval"] = "approval"
    allowed: bool
    scope: Scope = "once"
    expires: float | None = None
    why: str = ""


class EditedOperation(Frozen):
    """Do this instead. The guard decides about it as about any operation."""

    type: Literal["edited_operation"] = "edited_operation"
    operation: Operation


class EditedReply(Frozen):
    """Continue as if the role had given this reply. It must be complete, and in the form in which the reply was shown."""

    type: Literal["edited_reply"] = "edited_reply"
    reply: JsonObject


class PlanEdit(Frozen):
    """Change the subtasks that are not done."""

    type: Literal["plan_edit"] = "plan_edit"
    patch: PlanPatch
    why: str = ""


def bare_yes(question: Question, answer: object) -> bool:
    """Whether a bare yes answers a reading that ignores words of the task."""
    match question, answer:
        case ReplyQuestion(unused=str() as unused), Accepted(without=str() as without):
            return unused != without
        case ReplyQuestion(unused=str() as unused), Approval(allowed=True):
            return bool(unused)
        case _:
            return False


Said = HumanSaid | PlanEdit
"""What a person can say at any time. To edit a reply, answer with an :class:`EditedReply`: ``edit`` is refused."""
Response = Accepted | Approval | EditedOperation | EditedReply | Said
