"""The control of a desk suite that does what a task's oracle says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from deskcrew.errors import UsageError
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply
from deskcrew.observation import Frozen
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.situation import Part


class Solution(Frozen):
    """``oracle.json``. ``steps``: the operations of each reply, in the form that a role answers in; a control is named by
    ``@`` and a pattern for its line in the prompt. ``says``: what it read; ``answer``: to the task's question.
    ``refuses``: why it cannot be done, said when the steps are done.
    """

    steps: tuple[tuple[Mapping[str, Any], ...], ...] = ()
    says: str = ""
    answer: str = ""
    refuses: str = Field(default="", description="the obstacle, in a sentence")


class Oracle(Believer):
    """Solves a task as its author does. Where the screen is not as the author's it gives up, which is that trial's end."""

    def __init__(self, solution: Mapping[str, Any]) -> None:
        made = Solution.model_validate(solution)
        super().__init__(Part(made.steps, answer=made.answer, says=made.says), name="oracle")
        self.refuses = made.refuses

    def _reply(self, call: Call) -> Reply:
        try:
            reply = super()._reply(call)
        except UsageError as error:
            return {"operations": [], "problem": str(error), "branch": "Interrupt"}
        if self.refuses and isinstance(reply, Mapping) and reply.get("branch") == "RoleTaskFinish":
            return {"operations": reply["operations"], "problem": self.refuses, "branch": "Unanswerable"}
        return reply
