"""The two controls of a desk suite: one that does what a task's oracle says, and one that does nothing."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from deskcrew.bench.lies import aimed, facts
from deskcrew.errors import UsageError
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.observation import Frozen


class Solution(Frozen):
    """``oracle.json``. ``steps``: the operations of each reply, in the form that a role answers in; a control is named by
    ``@`` and a pattern for its line in the prompt. ``says``: what it read; ``answer``: to the task's question.
    ``refuses``: why it cannot be done, said when the steps are done.
    """

    steps: tuple[tuple[Mapping[str, Any], ...], ...] = ()
    says: str = ""
    answer: str = ""
    refuses: str = Field(default="", description="the obstacle, in a sentence")


class Oracle(ScriptedModel):
    """Solves a task as its author does."""

    def __init__(self, solution: Mapping[str, Any]) -> None:
        super().__init__(itertools.repeat(self._reply), name="oracle")
        self.solution = Solution.model_validate(solution)
        self.left = list(self.solution.steps)

    def _reply(self, call: Call) -> Reply:
        solution = self.solution
        if call.role == "FinalAnswer":
            return {"answer": solution.answer, "sources": facts(call), "branch": "Continue"}
        if call.role == "SupportJudge":
            return {"why": "The author of the task says so.", "supported": True}
        try:
            operations = [aimed(operation, call) for operation in self.left.pop(0)] if self.left else []
        except UsageError as error:
            return {"operations": [], "problem": str(error), "branch": "Interrupt"}
        if self.left:
            return {"operations": operations, "branch": "Continue"}
        if solution.refuses:
            return {"operations": operations, "problem": solution.refuses, "branch": "Unanswerable"}
        return {"operations": operations, "information": solution.says, "branch": "RoleTaskFinish"}


class Idle(ScriptedModel):
    """Claims at once to be finished, with an empty answer."""

    def __init__(self) -> None:
        super().__init__(itertools.repeat(self._reply), name="no-op")

    def _reply(self, call: Call) -> Reply:
        if call.role == "FinalAnswer":
            return {"answer": "", "sources": facts(call), "branch": "Continue"}
        if call.role == "SupportJudge":
            return {"why": "Nothing was done.", "supported": False}
        return {"operations": [], "branch": "RoleTaskFinish"}
