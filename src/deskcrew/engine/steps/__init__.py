"""What is done in each phase of a task. :attr:`RunState.phase` says which is due, and the loop calls its function here.

planning       plan, schedule, appeal    with looking_up: the web is asked once; agreeing: on the contract
deciding       decide                    with using_skills: proven steps in a reply's place; delegating: subtasks to others
executing      execute, recover          with approving: the guard and people are asked first; consenting: what is ordered
reviewing      review, judge, compare
answering      answer                    with proving: the evidence for the contract
asking         ask_human, ask_for_more   when help is needed, or a budget is used up
ending         finish
"""

from deskcrew.engine.steps.agreeing import agree
from deskcrew.engine.steps.answering import answer
from deskcrew.engine.steps.asking import ask_for_more, ask_human, reached
from deskcrew.engine.steps.consenting import read_words
from deskcrew.engine.steps.deciding import decide
from deskcrew.engine.steps.ending import finish
from deskcrew.engine.steps.executing import execute, recover
from deskcrew.engine.steps.planning import appeal, plan, schedule
from deskcrew.engine.steps.reviewing import compare, judge, review

__all__ = [
    "agree",
    "answer",
    "appeal",
    "ask_for_more",
    "ask_human",
    "compare",
    "decide",
    "execute",
    "finish",
    "judge",
    "plan",
    "reached",
    "read_words",
    "recover",
    "review",
    "schedule",
]
