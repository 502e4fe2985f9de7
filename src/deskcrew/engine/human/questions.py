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

UNPROVEN = "What must hold when this is done could not be written down, so nothing of it will be proven."
EDITED = "edited by the user"
"""The intention of an operation that a person put in the place of another."""


class ReadValue(Frozen):
    """A value of what a small model takes the task for. ``said``: it stands in the user's own words; ``choices``: what it
    may be, () for anything; ``optional``: it may be ''."""

    name: str
    value: str
    said: bool = True
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def words(self) -> str:
        return f"{self.name}: {self.value}{'' if self.said else ' (not in your words)'}"

    def allows(self, text: str) -> bool:
        """Whether it may be that, as far as ``choices`` say: one of them, or several with commas between. Which files a
        pattern means is not known here."""
        known = {choice.casefold() for choice in self.choices}
        parts = {part.strip() for part in text.casefold().split(",")}
        return not known or text.casefold() in known or parts <= known or has_magic(text)


class ReplyQuestion(Frozen):
    """A role has replied: may it go on like that? ``note``: what was wrong with the person's last answer, and
    ``tried``: what they had written in place of the reply. ``contract``: it says what must hold when the task is done, and
    what need not be asked about again; passive mode asks about that too. ``unproven``: the task, where no contract could be
    made for it, so that ``reply`` is an empty one: if it is accepted, nothing of what is done will be proven. ``reading``:
    what a small model takes the task for, as a sentence; ``reply`` holds its values, ``values`` what is told of them, and
    ``preview`` what would come of it; ``wrong``: the one that ``note`` is about, '' if it is about several. A no to it ends
    the run."""

    type: Literal["reply"] = "reply"
    role: str
    subtask: str | None = None
    reply: JsonObject
    contract: bool = False
    unproven: str = ""
    reading: str = ""
    values: tuple[ReadValue, ...] = ()
    preview: str = ""
    wrong: str = ""
    note: str = ""
    tried: JsonObject | None = None

    @property
    def listed(self) -> tuple[str, tuple[ReadValue, ...]]:
        """The reading without the values that are listed behind it, and these."""
        behind = tuple(each for each in self.values if each.value and each.words in self.reading)
        sentence = self.reading.removesuffix(f" ({'; '.join(each.words for each in behind)})")
        return sentence, behind if sentence != self.reading else ()


class OperationQuestion(Frozen):
    """An operation is about to be done. ``needed``: the guard asks, and without a yes it is denied; else active mode does.

    ``intention``: what the role says that it is for, '' if it says nothing; ``told``: what the engine says of it, such as
    what of it has been done already. ``why``: why the guard asks.

    ``rule``: of the policy, the one that decided. ``scopes``: how far an approval may reach; ``app``: the program it would
    be done in, '' where it is in none. ``note`` and ``tried``: as of a reply, of the operation.

    ``bound``: what the answer holds for: ``target`` (role, name, owner, title of the window, application, page) of what is
    pressed or typed into, and ``files`` (path, kind, size, digest). ``changed``: what of it is not as it was when the
    same was asked before, one sentence each; empty the first time.
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
    """A role asks the person something. ``role``: '' where a verdict asks."""

    type: Literal["help"] = "help"
    role: str = ""
    question: str


class LimitQuestion(Frozen):
    """The budget ``name`` is used up: may the run have as much again as its ``limit``? A no ends it, and it can be resumed
    later. ``role``: nobody's."""

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
    """Continue. For an operation that the guard asks about this is no approval."""

    type: Literal["accepted"] = "accepted"


class Approval(Frozen):
    """Yes or no to an operation. ``expires``: seconds after which a wider scope ends; ``why``: of a no, told to the role."""

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
    """Go on as if the role had replied this: all of the reply, in the form in which it was shown."""

    type: Literal["edited_reply"] = "edited_reply"
    reply: JsonObject


class PlanEdit(Frozen):
    """Change the subtasks that are not done."""

    type: Literal["plan_edit"] = "plan_edit"
    patch: PlanPatch
    why: str = ""


Said = HumanSaid | PlanEdit
"""What can be said at any moment. ``edit`` is no kind of it: that is an :class:`EditedReply`."""
Response = Accepted | Approval | EditedOperation | EditedReply | Said
