"""The control that solves a task as it is written down, on sites that take their time."""

from __future__ import annotations

from deskcrew.errors import UsageError
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.situation import Part
from deskcrew_bench.webarena_infinity.oracles import Solution, operation_of

NAME = "oracle"
PATIENCE = 3
"""Waits for a control that is not there yet: as many as a run may have, one after another, on one and the same page."""
WAIT = {"function": "wait_for_loading", "seconds": 10.0}


class Oracle(Believer):
    """Does the steps of a solution one by one. A page may not have come yet when a step is due: then it waits."""

    def __init__(self, solution: Solution) -> None:
        answer = solution.answer or "done"
        steps = tuple((operation_of(step),) for step in solution.steps)
        super().__init__(Part(steps, says=f"The answer is {answer}.", answer=answer), name=NAME)
        self._waited = 0

    def _reply(self, call: Call) -> Reply:
        due = list(self.left)
        try:
            reply = super()._reply(call)
        except UsageError:
            if self._waited == PATIENCE:
                raise
            self._waited += 1
            self.left = due
            return {"operations": [WAIT], "branch": "Continue"}
        self._waited = 0
        return reply
