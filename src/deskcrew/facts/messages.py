"""Messages: what one role, the rules or a person tells another role, and until when it is shown."""

from __future__ import annotations

from typing import Literal

from deskcrew.facts.observation import Frozen

MessageKind = Literal["note", "refusal", "judgement", "guidance"]
Until = Literal["reply", "plan", "end"]
EVERYBODY = "*"
"""All roles, as the receiver of a message; in a role's ``hears`` all others, in a pool all agents that it does not name."""
AGENT, PLANNER, SCHEDULER = "decision", "plan", "schedule"
"""Receivers by the kind of role: the agent that is asked next and is not the sender, and whoever plans or assigns."""


class Message(Frozen):
    """What is said; what was found out is collected instead (``journal/records.py``). ``sender``: a role, or who judged;
    ``receiver``: a role's name, or one of the above; ``until``: its receiver has replied, the plan has changed, or the run
    has ended."""

    sender: str
    receiver: str
    kind: MessageKind
    text: str
    until: Until = "reply"
