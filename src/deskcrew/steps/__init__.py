"""The steps of the loop, one module for each phase."""

from deskcrew.context import Run
from deskcrew.steps.deciding import decide
from deskcrew.steps.ending import answer, ask_human, finish
from deskcrew.steps.executing import execute, recover
from deskcrew.steps.planning import TOGETHER, appeal, open_lanes, plan, schedule
from deskcrew.steps.proposing import draft, teach
from deskcrew.steps.reviewing import compare, judge, review

__all__ = [
    "TOGETHER",
    "Run",
    "answer",
    "appeal",
    "ask_human",
    "compare",
    "decide",
    "draft",
    "execute",
    "finish",
    "judge",
    "open_lanes",
    "plan",
    "recover",
    "review",
    "schedule",
    "teach",
]
