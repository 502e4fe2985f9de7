"""Messages: what one role, the rules or a person tells another role, and until when it is shown."""

from __future__ import annotations

from typing import Literal

from deskcrew.facts.observation import Frozen

MessageKind = Literal["note", "refusal", "judgement", "guidance"]
Until = Literal["reply", "plan", "end"]
EVERYBODY = "*"
"""All roles, as a message's receiver; in a role's ``hears`` all other roles, in a pool all agents that it does not name."""
AGENT, PLANNER, SCHEDULER = "decision", "plan", "schedule"
"""Receivers by kind of role: the next agent that is asked, except the sender; the planner; the task scheduler."""


class Message(Frozen):
    """A message to a role. Findings are not messages (``journal/records.py``). ``sender``: a role, or who judged;
    ``receiver``: a role's name, or one of the constants above; ``until``: it is shown until its receiver has replied, the
    plan has changed, or the run has ended."""

    sender: str
    receiver: str
    kind: MessageKind
    text: str
    until: Until = "reply"
