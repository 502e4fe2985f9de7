"""The hook for a person in the loop: what the loop calls, and when."""

from __future__ import annotations

from typing import Protocol

from deskcrew.engine.human.questions import (
    Accepted,
    Approval,
    EditedOperation,
    EditedReply,
    HelpQuestion,
    OperationQuestion,
    ReplyQuestion,
    Said,
)
from deskcrew.journal.fold import RunState


class Human(Protocol):
    """How much a person takes part. The modes implement it (``modes.py``); the loop does not know them."""

    def can_help(self, state: RunState, role: str) -> bool:
        """Whether ``role`` may ask a person for help; else it can only give up."""
        ...

    async def before_turn(self, state: RunState) -> Said | None:
        """What was said since the last call; almost always None. Waits only while a person has paused the run."""
        ...

    async def after_reply(self, state: RunState, question: ReplyQuestion) -> EditedReply | Said | None:
        """Asks about a well-formed reply. None: it is used unchanged."""
        ...

    async def understood(self, state: RunState, question: ReplyQuestion) -> Accepted | Approval | EditedReply | Said | None:
        """Asks whether that is what was asked for: a yes, a no, or other values. None: nobody said."""
        ...

    async def before_operation(
        self, state: RunState, question: OperationQuestion
    ) -> Accepted | Approval | EditedOperation | Said | None:
        """Asks about an operation that the guard does not deny. None: nobody answered, so it is denied."""
        ...

    async def help(self, state: RunState, question: HelpQuestion) -> Said | None:
        """The person's answer to a role that asks for help, usually ``answer``. None: nobody is there."""
        ...

    def tell(self, text: str) -> None:
        """Tell the person why something they wanted is not possible. Does not wait."""
        ...
