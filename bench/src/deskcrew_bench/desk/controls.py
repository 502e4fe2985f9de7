"""The control of a desk suite that does what a task's oracle says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from deskcrew.errors import UsageError
from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts.contract import Contract
from deskcrew.facts.observation import Frozen
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.situation import Part


class Solution(Frozen):
    """``oracle.json``. ``steps``: the operations of each reply, in the form that a role answers in; a control is named by
    ``@`` and a pattern for its line in the prompt. ``says``: what it read; ``answer``: to the task's question.
    ``refuses``: why it cannot be done, said when the steps are done. ``must``: what has to hold in the end, as ``--require``
    takes it.
    """

    steps: tuple[tuple[Mapping[str, Any], ...], ...] = ()
    says: str = ""
    answer: str = ""
    refuses: str = Field(default="", description="the obstacle, in a sentence")
    must: tuple[str, ...] = ()

    def contract(self, task: str) -> Contract | None:
        """What its author requires of the task, None where they say nothing of it."""
        required = contract_of([check_of(each) for each in self.must])
        return (required or Contract(by="human")).asking(task) if self.answer else required


class Oracle(Believer):
    """Solves a task as its author does. Where the screen is not as the author's it gives up, which is that trial's end."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(Part(solution.steps, answer=solution.answer, says=solution.says), name="oracle")
        self.refuses = solution.refuses

    def _reply(self, call: Call) -> Reply:
        try:
            reply = super()._reply(call)
        except UsageError as error:
            return {"operations": [], "problem": str(error), "branch": "Interrupt"}
        if self.refuses and isinstance(reply, Mapping) and reply.get("branch") == "RoleTaskFinish":
            return {"operations": reply["operations"], "problem": self.refuses, "branch": "Unanswerable"}
        return reply
